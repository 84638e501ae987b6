# ===- rewrites.py - Passes on routes, interpreted before and after --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interprets many routed programs in two processes: unchanged, and after the passes of
cell. Inputs are constants of the programs.

    python rewrites.py [--seeds 0:1000]

Starting tools takes most of the time for a small program. This starts two for all, and so
can check in a minute as many as differ.py, which compiles, checks in an hour.
"""

import argparse
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from differ import make_inputs, tolerance
from program import WEIGHTS_FILE, Value, type_of, typed, write_weights
from routes import generate_routed

PASSES = ("--cell-insert-probes", "--cell-cancel-routes", "--cell-stack-siblings")
PASSES += ("--convert-cell-to-dhlo", "--dhlo-verify-dims")


def literal(array):
    """Elements of a constant."""
    if not array.size:
        return ""
    return str(array.tolist()).lower()


def closed(program, sizes, seed):
    """The text of a program whose inputs are constants of these sizes."""
    inputs = make_inputs(program, sizes, np.random.default_rng(seed))
    lines = []
    for name in "NM":
        lines.append(f"%size{name} = dhlo.constant dense<{sizes[name]}> : tensor<i64>")
        lines.append(f"dhlo.bind @{name} = %size{name} : tensor<i64>")
    for value in program.inputs:
        array = inputs[value.name[1:]]
        fixed = Value(f"{value}.fixed", array.shape, value.dtype, True)
        lines.append(f"{fixed} = dhlo.constant dense<{literal(array)}> : {typed(fixed)}")
        lines.append(f"{value} = dhlo.reshape {fixed} : ({typed(fixed)}) -> {typed(value)}")
    head, _, body = program.text().partition("func.func @main(")
    results = ", ".join(type_of(v.sizes, v.dtype) for v in program.outputs)
    body = body[body.index("{dhlo.entry} {") + len("{dhlo.entry} {") :]
    return f"{head}func.func @main() -> ({results}) {{\n  " + "\n  ".join(lines) + body


def interpret(text, *passes):
    """The result of each piece of a text, as a list of texts; and a message."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "programs.mlir"
        file.write_text(text)
        if WEIGHTS_FILE in text:
            write_weights(file.parent)
        weights = f"--dhlo-interpret=weights={folder}"
        command = ["dyn-opt", str(file), "-split-input-file", *passes, weights]
        done = subprocess.run(command + ["-o", "/dev/null"], capture_output=True, text=True)
    return done.stdout.split("@main\n")[1:], done


NUMBER = re.compile(r"[-+.\w]+")


def are_close(expected, found, tol=2e-2):
    """Whether results, one per line, are equal up to the rounding of sums in another order:
    cancellation leaves the error of the largest term."""
    a, b = expected.splitlines(), found.splitlines()
    return len(a) == len(b) and all(is_close(x, y, tol) for x, y in zip(a, b))


def is_close(expected, found, tol):
    if expected == found:
        return True
    a, b = NUMBER.findall(expected), NUMBER.findall(found)
    if len(a) != len(b):
        return False
    scale = max((abs(y) for y in map(as_float, b) if y is not None and math.isfinite(y)), default=0)
    for x, y in zip(a, b):
        if x == y:
            continue
        x, y = as_float(x), as_float(y)
        if x is None or y is None or not abs(x - y) <= tol * (1 + abs(y) + scale):
            return False
    return True


def as_float(word):
    """None if the word is not a number."""
    try:
        return float(word)
    except ValueError:
        return None


def check_rewrites(seeds, coverage=None):
    """Returns a list of differences, each with its seed."""
    pieces, names, tolerances = [], [], []
    for seed in seeds:
        program = generate_routed(seed)
        if coverage:
            coverage.add_program("rewritten", program.text())
        rng = np.random.default_rng(seed)
        for n in (0, 1, int(rng.integers(2, 20))):
            sizes = {"N": n, "M": int(rng.integers(0, 4))}
            pieces.append(closed(program, sizes, seed))
            names.append(f"seed {seed} at {sizes}")
            tolerances.append(max(2e-2, tolerance(program)))
    text = "\n// -----\n".join(pieces)
    expected, done = interpret(text)
    found, rewritten = interpret(text, *PASSES)
    if done.returncode or rewritten.returncode or not len(expected) == len(found) == len(names):
        errors = (done.stderr + rewritten.stderr).splitlines()
        lines = [line for line in errors if "error:" in line][:8]
        counts = f"{len(names)} programs, {len(expected)} and {len(found)} results"
        codes = f"exit codes {done.returncode} and {rewritten.returncode}"
        return [f"seeds {seeds}: {counts}, {codes}\n" + "\n".join(lines)]
    return [
        f"{name}: expected\n{a}found\n{b}"
        for name, a, b, tol in zip(names, expected, found, tolerances)
        if not are_close(a, b, tol)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="first and last seed, the last excluded")
    first, last = map(int, parser.parse_args().seeds.split(":"))
    failures = []
    for start in range(first, last, 50):
        failures += check_rewrites(range(start, min(start + 50, last)))
    print("\n".join(failures))
    print(f"{last - first} programs, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
