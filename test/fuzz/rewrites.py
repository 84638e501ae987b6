# ===- rewrites.py - Passes on routes, interpreted before and after --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interprets many routed programs in three processes: unchanged, after the passes of cell,
and with paths that run by predictions, which must give the same elements. Inputs are
constants of the programs.

    python rewrites.py [--seeds 0:1000]

Starting tools takes most of the time for a small program. This starts three for all, and so
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
from predictions import predicted, without_guesses
from program import WEIGHTS_FILE, Value, type_of, typed, write_weights
from routes import generate_routed

PASSES = ("--cell-insert-probes", "--cell-cancel-routes", "--cell-stack-siblings")
PASSES += ("--convert-cell-to-dhlo", "--dhlo-verify-dims")
SPECULATE = ("--cell-insert-probes", "--cell-speculate", "--dhlo-verify-dims")
LOWER = ("--convert-cell-to-dhlo", "--dhlo-verify-dims")
STACK = ("--cell-stack-siblings", *LOWER)


def literal(array):
    """Elements of a constant."""
    if not array.size:
        return ""
    return str(array.tolist()).lower()


def closed(program, sizes, seed, text=None):
    """The text of a program, or what passes made of it, whose inputs are constants of these
    sizes."""
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
    head, _, body = (text or program.text()).partition("func.func @main(")
    for number, value in enumerate(program.inputs):
        body = re.sub(rf"%arg{number}\b", value.name, body)
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


def check_predictions(seeds, kind):
    """Returns a list of differences that wrong predictions of a kind make at all routers, be
    they on or off: before and after routes are lowered, and with sibling paths stacked."""
    text, names, _ = programs(seeds)
    guessed, failures = speculated(text, seeds[0], kind), []
    for stage, passes in (("before", ()), ("lowered", LOWER), ("stacked", STACK)):
        # Stacking may change the order of a sum.
        expected, _ = interpret(text, *passes)
        for state, version in (("on", guessed), ("off", without_guesses(guessed))):
            found, run = interpret(version, *passes)
            where = f"{kind}, {state}, {stage}"
            if run.returncode or len(found) != len(names):
                failures.append(f"seeds {seeds}, {where}: {run.stderr[-400:]}")
            failures += [
                f"{name}, {where}: expected\n{a}found\n{b}"
                for name, a, b in zip(names, expected, found)
                if a != b
            ]
    return failures


def speculated(text, seed, kind):
    """Programs whose paths run by predictions of a kind, where they may."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "predicted.mlir"
        file.write_text(predicted(text, seed, kind))
        command = ["dyn-opt", str(file), "-split-input-file", *SPECULATE]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def programs(seeds, coverage=None):
    """Programs of some seeds at several sizes as one text, their names, and tolerances."""
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
    return "\n// -----\n".join(pieces), names, tolerances


def check_rewrites(seeds, coverage=None):
    """Returns a list of differences, each with its seed."""
    text, names, tolerances = programs(seeds, coverage)
    expected, done = interpret(text)
    found, rewritten = interpret(text, *PASSES)
    guessed, speculated = interpret(predicted(text, seeds[0]), *SPECULATE)
    runs, results = (done, rewritten, speculated), (expected, found, guessed)
    if any(run.returncode for run in runs) or {len(r) for r in results} != {len(names)}:
        errors = "".join(run.stderr for run in runs).splitlines()
        lines = [line for line in errors if "error:" in line][:8]
        counts = f"{len(names)} programs, {[len(r) for r in results]} results"
        codes = f"exit codes {[run.returncode for run in runs]}"
        return [f"seeds {seeds}: {counts}, {codes}\n" + "\n".join(lines)]
    return [
        f"{name}: expected\n{a}found\n{b}"
        for name, a, b, tol in zip(names, expected, found, tolerances)
        if not are_close(a, b, tol)
    ] + [
        f"{name}, predicted: expected\n{a}found\n{b}"
        for name, a, b in zip(names, expected, guessed)
        if a != b
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
