# ===- mutate.py - Damaged files, and the reactions of tools ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages models, programs, weights, artifacts and inputs, and passes them to the tools
that read them, in processes with limits.

    python mutate.py [--kind onnx] [--mutants 0:500] [--out failures] [--sanitized FOLDER]

A file may be refused with a message, or work. It must not crash a tool, occupy it for a
minute, make it allocate more than ten times the file and 1 GB, or cause a report of a
sanitizer.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

import corpus
from mutations import mutate_bytes, mutate_onnx, mutate_text
from nodes import mutate_node

SECONDS = 60  # of processor time
WAITING = 600  # machines are busy, but a deadlock lasts for ever
GIGABYTE = 1 << 30
# Output of a process that has crashed.
SIGNS = re.compile(
    r"AddressSanitizer|runtime error:|LeakSanitizer|Assertion|LLVM ERROR|PLEASE submit"
    r"|Stack dump|terminate called|out of memory"
)


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of file: how it is damaged, and the tool that reads it."""

    ending: str
    make: object  # writes valid files to a folder, and returns their paths
    mutate: object
    command: object  # for a damaged file
    sanitized: bool = False
    tested: bool = False  # the valid files are tested elsewhere


def compile_to(level):
    return lambda path: ["dyn-compile", path, f"--emit={level}", "-o", os.devnull]


def run_passes(path):
    return ["dyn-opt", path, "--canonicalize", "--cse", "-o", os.devnull]


def compile_whole(path):
    """A program whose weights are damaged."""
    program = path.with_suffix(".mlir")
    text = path.with_name("weighted.mlir").read_text()
    program.write_text(text.replace("weights.safetensors", path.name))
    return ["dyn-compile", program, "-o", path.with_suffix(".so"), "--isa=v3", "-O0"]


def call_artifact(path):
    """A host with AddressSanitizer, also in the runtime."""
    host = pathlib.Path(os.environ["DYN_BUILD"]) / "runtime-address-sanitizer/bin/dyn-host"
    return [host, path, f"in=3x4:{path.with_name('input.raw')}", "out=/dev/null"]


def give_inputs(path):
    return ["dyn-run", path.with_name("model.so"), "--inputs", path]


def give_profile(path):
    return [*compile_to("buffers")(path.with_name("routed.mlir")), "--profile", path]


KINDS = {
    "onnx": Kind(".onnx", corpus.make_onnx, mutate_onnx, compile_to("buffers")),
    "nodes": Kind(".onnx", corpus.make_nodes, mutate_node, compile_to("buffers"), tested=True),
    "text": Kind(".mlir", corpus.make_text, mutate_text, compile_to("buffers")),
    "bytecode": Kind(".mlirbc", corpus.make_bytecode, mutate_bytes, compile_to("buffers")),
    "passes": Kind(".mlirbc", corpus.make_bytecode, mutate_bytes, run_passes),
    "artifact": Kind(".so", corpus.make_artifact, mutate_bytes, call_artifact, sanitized=True),
    "safetensors": Kind(".safetensors", corpus.make_weights, mutate_bytes, compile_whole),
    "inputs": Kind(".npz", corpus.make_inputs, mutate_bytes, give_inputs),
    "profile": Kind(".json", corpus.make_profile, mutate_text, give_profile),
}


def limited(bytes_allowed):
    """Sets the limits of a process before it executes a tool."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        if bytes_allowed:
            resource.setrlimit(resource.RLIMIT_DATA, (bytes_allowed, bytes_allowed))

    return limit


def command_of(kind, path):
    """The command that reads a file, and whether its tool has sanitizers, as those of the
    folder DYN_SANITIZED have."""
    tool, *rest = map(str, kind.command(path))
    sanitized = pathlib.Path(os.environ.get("DYN_SANITIZED", "/nowhere")) / tool
    if kind.sanitized or not sanitized.exists():
        return [tool, *rest], kind.sanitized
    return [str(sanitized), *rest], True


def run_limited(kind, path):
    """A sentence on a forbidden reaction of a tool to a file, or None."""
    allowed = 10 * path.stat().st_size + GIGABYTE
    command, is_sanitized = command_of(kind, path)
    # The shadow of a sanitizer is large; it has a separate limit. Containers that MLIR
    # itself fills are not annotated, as MLIR is built without sanitizers.
    sanitizer = f"detect_leaks=1:hard_rss_limit_mb={allowed >> 20}:allocator_may_return_null=1"
    sanitizer += ":detect_container_overflow=0"
    done = None
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=WAITING,
            env=dict(os.environ, ASAN_OPTIONS=sanitizer, UBSAN_OPTIONS="print_stacktrace=1"),
            preexec_fn=limited(None if is_sanitized else allowed),
        )
    except subprocess.TimeoutExpired:
        return f"no end after {WAITING} s"
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode not in (0, 1):
        return f"exit status {done.returncode}\n{text[-4000:]}"
    if SIGNS.search(text):
        return text[-4000:]
    if done.returncode == 1 and "error:" not in text:
        return f"refused without an error\n{text[-4000:]}"
    return None


class Mutants:
    """The damaged files of a kind, by number, and the tool that reads them."""

    def __init__(self, name, folder):
        self.kind, self.name, self.folder = KINDS[name], name, pathlib.Path(folder)
        self.good = [path.read_bytes() for path in self.kind.make(self.folder)]

    def data(self, number):
        """The bytes of a mutant. Without a mutation they are those of a valid file."""
        rng = random.Random(f"{self.name} {number}")
        first, other = rng.choice(self.good), rng.choice(self.good)
        return self.kind.mutate(rng, first, other)

    def check(self, number):
        """A sentence on a failure with a mutant, or None."""
        path = self.folder / f"mutant-{number}{self.kind.ending}"
        path.write_bytes(self.data(number))
        try:
            return run_limited(self.kind, path)
        finally:
            for made in self.folder.glob(f"{path.stem}.*"):
                made.unlink()

    def check_good(self):
        """Checks that the files work before they are damaged."""
        for number, data in enumerate([] if self.kind.tested else self.good):
            path = self.folder / f"good-{number}{self.kind.ending}"
            path.write_bytes(data)
            command = [str(word) for word in self.kind.command(path)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                return f"{path.name}: {done.stderr}"
        return None

    def check_all(self, numbers, jobs=2):
        """Numbers of mutants that failed, and how."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = zip(numbers, pool.map(self.check, numbers), strict=True)
            return {number: message for number, message in found if message}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="default: all")
    parser.add_argument("--mutants", default="0:100", help="first and last, the last excluded")
    parser.add_argument("--out", type=pathlib.Path, help="folder for files that went wrong")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sanitized", help="folder of tools that have sanitizers")
    arguments = parser.parse_args()
    if arguments.sanitized:
        os.environ["DYN_SANITIZED"] = str(pathlib.Path(arguments.sanitized).absolute())
    numbers = range(*map(int, arguments.mutants.split(":")))
    wrong = 0
    for name in arguments.kind or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            mutants = Mutants(name, folder)
            failures = mutants.check_all(numbers, arguments.jobs)
            for number, message in failures.items():
                print(f"{name} {number}: {message}\n", flush=True)
                if arguments.out:
                    arguments.out.mkdir(parents=True, exist_ok=True)
                    file = arguments.out / f"{name}-{number}{mutants.kind.ending}"
                    file.write_bytes(mutants.data(number))
        wrong += len(failures)
        print(f"{name}: {len(numbers)} mutants, {len(failures)} went wrong", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
