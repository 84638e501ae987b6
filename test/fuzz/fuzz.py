# ===- fuzz.py - Random programs for some minutes --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random programs and interprets them, at random shapes, for each instruction set
of this machine, with optional passes and without. Failures are reduced to a folder with the
program, its inputs and a script that fails again. At the end the coverage is printed:
operations, element types, and passes that changed a program.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

from hits import Coverage
from differ import EMULATED, LIBRARY, PLAIN, check, is_runnable, make_case, reduce
from machine import LEVELS
from recheck import describe
from rewrites import check_rewrites

SEEDS = 1_000_000  # of programs of a seed of the command line
ROUND = 10  # programs that are rewritten and interpreted in one process


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of program, and how to check one."""

    routed: bool = False
    builds: tuple = PLAIN

    def case(self, seed):
        isa = LEVELS[(seed + seed // 18) % len(LEVELS)]
        options = (f"--isa={isa}", f"-O{seed % 3}")
        return make_case(seed, routed=self.routed, options=options, builds=self.builds)


KINDS = {
    "dense": Kind(),
    "routed": Kind(routed=True),
    "emulated": Kind(builds=EMULATED),
    "library": Kind(builds=LIBRARY),
    "emulated-routed": Kind(routed=True, builds=EMULATED),
}
# Routes before and after their passes, in the interpreter: ten programs at a time.
REWRITTEN = "rewritten"
TURNS = ("dense", "routed", "dense", "emulated", "dense", "routed", "emulated-routed", "library")


@dataclasses.dataclass
class Result:
    """The result of a process for its programs."""

    kind: str
    seed: int
    count: int
    coverage: Coverage
    report: str = None


def check_seed(kind, seed, out):
    """Checks the program of a seed, or the programs of a round that starts with it."""
    coverage = Coverage()
    if kind == REWRITTEN:
        failures = check_rewrites(range(seed, seed + ROUND), coverage)
        return Result(kind, seed, ROUND, coverage, "\n".join(failures) or None)
    case = KINDS[kind].case(seed)
    if not is_runnable(case.program):
        return Result(kind, seed, 0, coverage)
    coverage.add_program(kind, case.program.text())
    with tempfile.TemporaryDirectory() as folder:
        failure = check(case.program, folder, case.sizes, builds=case.builds, coverage=coverage)
        if not failure or failure.stage == "refuse":
            return Result(kind, seed, 1, coverage)
        program, failure = reduce(case.program, failure, folder)
    report = case.report(program, failure)
    keep(out / f"{kind}-{seed}", report, case, failure)
    return Result(kind, seed, 1, coverage, report)


def keep(folder, report, case, failure):
    """Makes a folder that reproduces a failure: the original program, its reduction here,
    and a further one by dyn-reduce; and a script that tests whether a program fails in this
    way."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "whole.mlir").write_text(case.program.text())
    (folder / "program.mlir").write_text(report)
    (folder / "failure.json").write_text(describe(failure) + "\n")
    script = folder / "fails.sh"
    command = [sys.executable, pathlib.Path(__file__).with_name("recheck.py").resolve()]
    command = shlex.join(map(str, [*command, folder / "failure.json"]))
    script.write_text(
        "#!/bin/sh\n# Exit status 1 if the program given fails as this one does.\n"
        f'exec {command} "${{1:-{folder / "program.mlir"}}}"\n'
    )
    script.chmod(0o755)
    reducing = ["dyn-reduce", folder / "program.mlir", "-o", folder / "reduced.mlir"]
    reducing += [f"--reduction-tree=traversal-mode=0 test={script}"]
    subprocess.run(reducing, capture_output=True, timeout=600)


class Run:
    """Checks programs until the time is up, and sums the results."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.coverage, self.failures = Coverage(), []
        self.started = self.said = time.monotonic()

    def tasks(self):
        """Kinds in turn, each with the next seed."""
        kinds = self.arguments.kind or [*TURNS, REWRITTEN]
        first = SEEDS * self.arguments.seed
        for number in range(SEEDS):
            kind = kinds[number % len(kinds)]
            yield kind, first + number * (ROUND if kind == REWRITTEN else 1)

    def is_over(self):
        enough = sum(self.coverage.kinds.values()) >= (self.arguments.programs or SEEDS)
        return enough or time.monotonic() - self.started > 60 * self.arguments.minutes

    def take(self, result):
        self.coverage.add(result.coverage)
        if result.report:
            self.failures.append(result)
            print(f"\n{result.kind}, seed {result.seed}:\n{result.report}", flush=True)
        # A line on a terminal, or one every half a minute.
        if sys.stderr.isatty() or time.monotonic() - self.said > 30:
            self.said = time.monotonic()
            left = max(0, 60 * self.arguments.minutes - (self.said - self.started))
            line = f"{sum(self.coverage.kinds.values())} programs, {len(self.failures)} failed, "
            line += f"{left // 60:.0f}:{left % 60:02.0f} left"
            end = "\r" if sys.stderr.isatty() else "\n"
            print(line, end=end, file=sys.stderr, flush=True)

    def run(self):
        tasks, out = self.tasks(), self.arguments.out
        with concurrent.futures.ProcessPoolExecutor(self.arguments.jobs) as pool:
            waiting = set()
            while waiting or not self.is_over():
                while len(waiting) < 2 * self.arguments.jobs and not self.is_over():
                    waiting.add(pool.submit(check_seed, *next(tasks), out))
                done, waiting = concurrent.futures.wait(
                    waiting, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for future in done:
                    self.take(future.result())


def main():
    parser = argparse.ArgumentParser(prog="x fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--programs", type=int, help="how many at most")
    parser.add_argument("--seed", type=int, default=0, help="which programs (default 0)")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--jobs", type=int, default=cores, help="processes (default: cores)")
    parser.add_argument(
        "--kind", action="append", choices=[*KINDS, REWRITTEN], help="only these (default: all)"
    )
    parser.add_argument(
        "--least", type=int, default=0, help="minimum number of programs of each part"
    )
    parser.add_argument("--out", type=pathlib.Path, default="fuzz", help="folder for what it finds")
    run = Run(parser.parse_args())
    run.arguments.out = run.arguments.out.resolve()
    run.run()
    run.coverage.write(run.arguments.out)
    print(run.coverage.text())
    lacking = run.coverage.lacking(run.arguments.least)
    print("".join(f"{line}\n" for line in lacking), end="")
    print(
        f"{sum(run.coverage.kinds.values())} programs, {len(run.failures)} failed; {run.arguments.out}"
    )
    return int(bool(run.failures or lacking))


if __name__ == "__main__":
    sys.exit(main())
