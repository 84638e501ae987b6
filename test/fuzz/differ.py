# ===- differ.py - Compiled programs against the interpreter ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs compiled and interpreted, compares, and reduces what differs.

    python differ.py [--seeds 0:200] [--out failures]

prints a line for each seed that fails and writes the reduced program.
"""

import argparse
import dataclasses
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from generator import Program, generate

SIZES = ({"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 1, "M": 1}, {"N": 2, "M": 5}, {"N": 17, "M": 3})
DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "ui8": np.uint8,
    "i1": np.bool_,
}


@dataclasses.dataclass
class Failure:
    """What went wrong: a stage, a message and the sizes of the inputs."""

    stage: str  # interpret, refuse, compile, run or differ
    message: str
    sizes: dict
    output: int = -1


def run_tool(*arguments, timeout=120):
    """Runs a tool. Returns what it said, or None if all went well."""
    try:
        done = subprocess.run(
            [str(a) for a in arguments], capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return f"no end after {timeout} s"
    if done.returncode == 0:
        return None
    lines = (done.stderr or done.stdout).strip().splitlines()[:6]
    if done.returncode < 0:
        lines.insert(0, f"died of signal {-done.returncode}")
    return "\n".join(lines) or f"exit status {done.returncode}"


def is_runnable(program):
    """Whether there is something to compare, in types that numpy has."""
    return bool(program.outputs) and "bf16" not in program.dtypes()


def make_inputs(program, sizes, rng):
    """Random inputs: floats are small multiples of 1/8, integers small."""
    inputs = {}
    for name, shape, dtype in program.input_shapes(sizes):
        numbers = rng.integers(-16, 17, shape)
        if dtype.startswith("f"):
            inputs[name] = (numbers / 8).astype(DTYPES[dtype])
        else:
            inputs[name] = (np.abs(numbers) if dtype == "ui8" else numbers).astype(DTYPES[dtype])
    return inputs


def tolerance(program):
    """Of the widest error that an element type in the program allows."""
    text = program.text()
    return 5e-2 if "bf16" in text else 1e-2 if "f16" in text else 2e-4


def compare(expected, found, tol):
    """A sentence on the first difference, or None."""
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return f"expected {expected.dtype}{expected.shape}, found {found.dtype}{found.shape}"
    if expected.size == 0:
        return None
    if expected.dtype.kind != "f":
        wrong = expected != found
    else:
        a, b = found.astype(np.float64), expected.astype(np.float64)
        finite = np.abs(b[np.isfinite(b)])
        scale = finite.max() if finite.size else 0
        with np.errstate(invalid="ignore"):
            wrong = ~(np.abs(a - b) <= tol * (np.abs(b) + scale))
            wrong &= ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} differ; {list(at)}: expected {expected[at]}, found {found[at]}"


def check(program, folder, sizes=SIZES, seed=0):
    """Compiles and runs a program. Returns a Failure or None."""
    folder = pathlib.Path(folder)
    model, artifact = folder / "program.mlir", folder / "program.so"
    model.write_text(program.text())
    message = run_tool("dyn-compile", model, "-o", artifact)
    compiled = None
    if message:
        # A diagnostic is an answer; a crash never is.
        refused = "error:" in message and "died of" not in message
        compiled = Failure("refuse" if refused else "compile", message, {})
    for size in sizes:
        inputs = make_inputs(program, size, np.random.default_rng(seed))
        np.savez(folder / "inputs.npz", **inputs)
        outputs = {}
        for stage, arguments in (
            ("interpret", (model, "--reference")),
            ("run", (artifact,)),
        ):
            if stage == "run" and compiled:
                return compiled
            path = folder / f"{stage}.npz"
            message = run_tool(
                "dyn-run", *arguments, "--inputs", folder / "inputs.npz", "--output", path
            )
            if message:
                return Failure(stage, message, size)
            outputs[stage] = np.load(path)
        for index, value in enumerate(program.outputs):
            name = value.name[1:]
            message = compare(outputs["interpret"][name], outputs["run"][name], tolerance(program))
            if message:
                return Failure("differ", f"{value.name}: {message}", size, index)
    return compiled


def reduce(program, failure, folder):
    """A smaller program that fails in the same stage, and its failure.

    First the outputs shrink to one, as early as possible; then values turn into
    inputs, last first, while the failure stays.
    """
    sizes = [failure.sizes] if failure.sizes else SIZES

    def attempt(candidate):
        if not is_runnable(candidate):
            return None
        found = check(candidate, folder, sizes)
        return found if found and found.stage == failure.stage else None

    for statement in program.statements:
        candidate = dataclasses.replace(program, outputs=statement.results[:1]).without_unused()
        found = attempt(candidate)
        if found:
            program, failure = candidate, found
            break
    for statement in list(program.statements)[-2::-1]:
        sizes_of = [size for value in statement.results for size in value.sizes]
        if any(isinstance(size, str) and size.startswith("d") for size in sizes_of):
            continue  # no input binds a derived size
        rest = [s for s in program.statements if s is not statement]
        cut = Program(program.inputs + statement.results, rest, program.outputs, program.symbols)
        found = attempt(cut.without_unused())
        if found:
            program, failure = cut.without_unused(), found
    return program, failure


def fuzz(seed, length=None, refusals=True):
    """Checks the program of a seed. Returns None, or a report of the failure.
    Programs that the compiler refuses count as failures unless told otherwise."""
    program = generate(seed, length)
    if not is_runnable(program):
        return None
    with tempfile.TemporaryDirectory() as folder:
        failure = check(program, folder)
        if not failure or (failure.stage == "refuse" and not refusals):
            return None
        program, failure = reduce(program, failure, folder)
    return (
        f"// seed {seed}: {failure.stage} at {failure.sizes}: {failure.message}\n{program.text()}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="first and last seed, the last excluded")
    parser.add_argument("--length", type=int, help="number of operations")
    parser.add_argument("--accept-refusals", action="store_true", help="diagnostics are fine")
    parser.add_argument("--out", type=pathlib.Path, help="folder for failing programs")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    failures = 0
    for seed in range(first, last):
        report = fuzz(seed, arguments.length, not arguments.accept_refusals)
        if report:
            failures += 1
            print(report, flush=True)
            if arguments.out:
                arguments.out.mkdir(parents=True, exist_ok=True)
                (arguments.out / f"{seed}.mlir").write_text(report)
    print(f"{last - first - failures} passed, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
