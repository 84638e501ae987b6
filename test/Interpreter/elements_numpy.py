# ===- elements_numpy.py - Interpreted elements against numpy --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s %t
# REQUIRES: venv

# The interpreter is the reference of everything else, so it has another one itself: each
# elementwise operation on all pairs of special values of each element type, and each
# conversion, have the bits that numpy and Python's integers give. A wrong sign of a zero, a
# second rounding or a missing wrap fails here.

import os
import shutil
import subprocess
import sys

import numpy as np

from Interpreter.Inputs import elements
from Interpreter.Inputs.elements import FLOATS, INTEGERS, TYPES

FOLDER = sys.argv[1]
shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)


def to_file(values, name):
    return values.view("V2") if name == "bf16" else values


def interpret(inputs, results, lines):
    """The elements of results; inputs are pairs of type and elements, results pairs of value
    and type."""
    path = os.path.join(FOLDER, "program")

    def port(value, name, attribute):
        return f'{value}tensor<?x{name}, #dhlo.dims<N>> {{dhlo.name = "{attribute}"}}'

    ports = ", ".join(port(f"%{v}: ", name, v) for v, (name, _) in inputs.items())
    outputs = ", ".join(port("", name, f"r{i}") for i, (_, name) in enumerate(results))
    types = ", ".join(f"tensor<?x{name}, #dhlo.dims<N>>" for _, name in results)
    values = ", ".join(value for value, _ in results)
    with open(path + ".mlir", "w") as file:
        file.write(f"dhlo.dim @N\nfunc.func @main({ports}) -> ({outputs}) {{\n")
        file.write("\n".join(lines) + f"\nreturn {values} : {types}\n}}\n")
    np.savez(path + ".npz", **{v: to_file(x, name) for v, (name, x) in inputs.items()})
    command = ["dyn-run", "--reference", path + ".mlir", "--inputs", path + ".npz"]
    subprocess.run([*command, "--output", path + ".out.npz"], check=True)
    with np.load(path + ".out.npz") as archive:
        arrays = [archive[f"r{i}"] for i in range(len(results))]
    return [x.view(np.uint16) if name == "bf16" else x for x, (_, name) in zip(arrays, results)]


def pairs():
    for name in TYPES:
        x, y = elements.pairs(name)
        cases = list(elements.programs(name))
        lines = [f"%{i} = {text}" for i, (_, text, _, _) in enumerate(cases)]
        results = [(f"%{i}", result) for i, (_, _, result, _) in enumerate(cases)]
        found = interpret({"x": (name, x), "y": (name, y)}, results, lines)
        for got, (op, _, result, expected) in zip(found, cases):
            elements.check(got, expected, result, op, x, y)


def without_errors():
    """Divisions and shifts where they are no data error: with one there are no outputs."""
    for name in INTEGERS:
        for op in elements.FAILING_INTEGERS:
            x, y = elements.pairs(name)
            fine = ~elements.may_fail(op, y, name)
            x, y = x[fine], y[fine]
            text = f"%0 = dhlo.{op} %x, %y : tensor<?x{name}, #dhlo.dims<N>>"
            (found,) = interpret({"x": (name, x), "y": (name, y)}, [("%0", name)], [text])
            elements.check(found, elements.evaluate(op, name, x, y), name, op, x, y)


def conversions():
    for source in TYPES:
        # All of a result's elements are needed, so each group has what all of it can represent.
        for group in (["i1", *FLOATS], *([name] for name in INTEGERS)):
            x = elements.edges(source)
            fails = np.any([elements.convert(x, source, target)[1] for target in group], 0)
            x = x[~fails]
            types = [f"tensor<?x{name}, #dhlo.dims<N>>" for name in group]
            operand = f"tensor<?x{source}, #dhlo.dims<N>>"
            lines = [f"%{i} = dhlo.convert %x : ({operand}) -> {t}" for i, t in enumerate(types)]
            results = [(f"%{i}", target) for i, target in enumerate(group)]
            for found, target in zip(interpret({"x": (source, x)}, results, lines), group):
                expected, _ = elements.convert(x, source, target)
                elements.check(found, expected, target, f"conversion from {source}", x)


for test in (pairs, without_errors, conversions):
    test()
    print(test.__name__, "ok", flush=True)
