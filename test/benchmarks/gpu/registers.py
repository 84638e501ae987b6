# ===- registers.py - Registers and occupancy of kernels of a GPU ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares registers, spills, shared memory and occupancy of the kernels in kernels.mlir
with registers.json, which has them for one version of the toolkit.

    registers.py            # prints what is worse than in the table; 1 if anything is
    registers.py --write    # regenerates registers.json and docs/Registers.md

No GPU is needed. Occupancy is theoretical: warps that fit on a multiprocessor at once, over
the maximum number of warps.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
TABLE = FOLDER / "registers.json"
KERNELS = FOLDER / "kernels.mlir"
PAGE = FOLDER.parents[2] / "docs" / "Registers.md"


@dataclasses.dataclass(frozen=True)
class Multiprocessor:
    """The resources shared by the blocks on a multiprocessor (CUDA C++ Programming Guide,
    Technical Specifications per Compute Capability)."""

    shared: int
    warps: int = 64
    blocks: int = 32
    registers: int = 65536

    def occupancy(self, threads, registers, shared):
        """Returns the share of the warps in use when the multiprocessor is full of such blocks."""
        warps = -(-threads // 32)
        # Registers are allocated to a warp in units of 256, from one of four equal parts.
        of_warp = -(-registers * 32 // 256) * 256
        by_registers = self.registers // 4 // of_warp * 4 // warps
        # Shared memory is allocated in units of 128 bytes, with 1 KiB per block for the
        # system.
        by_shared = self.shared // (-(-shared // 128) * 128 + 1024)
        return min(self.blocks, self.warps // warps, by_registers, by_shared) * warps / self.warps


CHIPS = {"sm_80": Multiprocessor(shared=164 << 10), "sm_90a": Multiprocessor(shared=228 << 10)}


def find_ptxas():
    """Returns the path of the assembler, or None if it is not installed."""
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def version(ptxas):
    """Returns the version of the toolkit that ptxas belongs to: "13.0.88"."""
    text = subprocess.check_output([ptxas, "--version"], text=True)
    return re.search(r", V([\d.]+)", text).group(1)


def parse(ptx, log):
    """Returns the facts of each function, from its PTX and the output of `ptxas -v`."""
    threads = dict(re.findall(r"\.entry (\S+?)\(.*?\.reqntid (\d+)", ptx, re.DOTALL))
    facts = {name: {"threads": int(count)} for name, count in threads.items()}
    entry = properties = None
    for line in log.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            entry = match.group(1)
        elif match := re.search(r"Function properties for (\S+)", line):
            # Includes functions that the entry calls, such as divisions.
            properties = match.group(1)
        elif (match := re.search(r"(\d+) bytes spill stores", line)) and properties == entry:
            facts[entry]["spills"] = int(match.group(1))
        elif match := re.search(r"Used (\d+) registers", line):
            facts[entry]["registers"] = int(match.group(1))
            shared = re.search(r"(\d+) bytes smem", line)
            facts[entry]["shared"] = int(shared.group(1)) if shared else 0
    return facts


def measure(chip, ptxas, kernels=KERNELS):
    """Returns the facts of the functions of all kernels on a chip."""
    ptx = subprocess.check_output(
        ["dyn-compile", "--emit=ptx", f"--chip={chip}", str(kernels)], text=True
    )
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.ptx"
        source.write_text(ptx)
        command = [ptxas, f"-arch={chip}", "-v", str(source), "-o", str(source) + ".cubin"]
        log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    facts = parse(ptx, log)
    for fact in facts.values():
        fact["occupancy"] = CHIPS[chip].occupancy(
            fact["threads"], fact["registers"], fact["shared"]
        )
    return facts


def compare(table, facts):
    """Yields figures that are worse in `facts` than in `table`, and kernels in only one of them."""
    for name in sorted(table.keys() | facts.keys()):
        if name not in table or name not in facts:
            yield f"{name}: only in {'the table' if name in table else 'kernels.mlir'}"
            continue
        old, new = table[name], facts[name]
        if new["spills"]:
            yield f"{name}: spills {new['spills']} bytes"
        for key, unit in (("registers", ""), ("shared", " bytes of shared memory")):
            if new[key] > old[key]:
                yield f"{name}: {new[key]}{unit or ' ' + key}, {old[key]} in the table"
        if new["occupancy"] < old["occupancy"]:
            yield f"{name}: occupancy {new['occupancy']:.0%}, {old['occupancy']:.0%} in the table"


def render(table):
    """Returns the page with the table."""
    names = list(dict.fromkeys(name for chip in CHIPS for name in table[chip]))
    lines = [
        "# Registers of the GPU's kernels",
        "",
        f"The registers that `ptxas` of CUDA {table['toolkit']} allocates for the kernels in "
        "`test/benchmarks/gpu/kernels.mlir`, one of each schedule with",
        "dynamic sizes. A test fails if a kernel spills or needs more than here. `./x bench --registers --write` "
        "regenerates this page and",
        "its table. Occupancy is theoretical: the share of a multiprocessor's 64 warps that fit on it at "
        "once. No kernel spills.",
        "",
        "| kernel | threads |"
        + "".join(f" {chip}: registers | shared memory | occupancy |" for chip in CHIPS),
        "|---" * (2 + 3 * len(CHIPS)) + "|",
    ]
    for name in names:
        cells = [f"`{name}`", str(table["sm_80"][name]["threads"])]
        for chip in CHIPS:
            fact = table[chip][name]
            cells += [str(fact["registers"]), str(fact["shared"]), f"{fact['occupancy']:.0%}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="make the table again")
    options = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        sys.exit("registers.py: no ptxas in PATH or /usr/local/cuda/bin")
    if options.write:
        table = {"toolkit": version(ptxas)} | {chip: measure(chip, ptxas) for chip in CHIPS}
        TABLE.write_text(json.dumps(table, indent=1) + "\n")
        PAGE.write_text(render(table))
        return 0
    table = json.loads(TABLE.read_text())
    if version(ptxas) != table["toolkit"]:
        sys.exit(f"registers.py: ptxas is {version(ptxas)}, the table is of {table['toolkit']}")
    worse = [
        f"{chip}: {line}" for chip in CHIPS for line in compare(table[chip], measure(chip, ptxas))
    ]
    print("\n".join(worse + [f"registers: {len(worse)} worse than in the table"]))
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
