# ===- execute_elements.py - Elements of compiled kernels at their edges ---===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Compiled loops have the bits of elementwise operations' descriptions for all pairs of special
# values of each element type, in full vectors and in what is left over: vectors have
# instructions whose maximum, conversion or shift differs from that of single elements. Where
# elements are data errors, the others keep their results, and the first operation is named.
# Of +0 and -0 a kernel takes either one as the extreme, as processors do.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, cases, run_cases
from Interpreter.Inputs import elements
from Interpreter.Inputs.elements import FLOATS, INTEGERS, TYPES

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
# There is no instruction that rounds 64 bits to f16.
CALLS = ["__truncdfhf2"]


def memory(name):
    """The type of memory: a byte holds an i1."""
    return np.int8 if name == "i1" else TYPES[name]


def compiled(inputs, results, lines):
    """A kernel of tensors of d0 elements; results are pairs of value and type."""

    def of(name):
        return f"tensor<?x{name}, #dhlo.dims<N>>"

    arguments = ", ".join(f"%{value}: {of(name)}" for value, name in inputs)
    values = ", ".join(value for value, _ in results)
    types = ", ".join(of(name) for _, name in results)
    text = "\n".join(lines)
    return Kernel(
        f"""
dlhlo.kernel @k loop {{
^bb0({arguments}):
  dhlo.dim @N in [0, ?]
{text}
  dlhlo.yield {values} : {types}
}}""",
        ISA,
        calls=CALLS,
    )


def run(kernel, names, *operands):
    """The elements of results of those types, and the site of a data error."""
    count = len(operands[0])
    outputs = [((count,), memory(name)) for name in names]
    return kernel([count], [x.view(np.int8) if x.dtype == bool else x for x in operands], outputs)


@cases(TYPES)
def pairs(name):
    x, y = elements.pairs(name)
    programs = list(elements.programs(name))
    lines = [f"%{i} = {text}" for i, (_, text, _, _) in enumerate(programs)]
    results = [(f"%{i}", result) for i, (_, _, result, _) in enumerate(programs)]
    kernel = compiled([("x", name), ("y", name)], results, lines)
    yield
    # The last elements alone, too: there all are left over.
    for first in (0, len(x) - 3):
        found, site = run(kernel, [program[2] for program in programs], x[first:], y[first:])
        assert site is None
        for got, (op, _, result, expected) in zip(found, programs):
            if name in FLOATS and op in ("maximum", "minimum"):
                got = elements.drop_zero_signs(got, name)
                expected = elements.drop_zero_signs(expected, name)
            elements.check(got, expected[first:], result, op, x[first:], y[first:])


@cases(INTEGERS)
def errors(name):
    x, y = elements.pairs(name)
    t = f"tensor<?x{name}, #dhlo.dims<N>>"
    ops = list(elements.FAILING_INTEGERS)
    lines = [f"%{i} = dhlo.{op} %x, %y : {t}" for i, op in enumerate(ops)]
    results = [(f"%{i}", name) for i in range(len(ops))]
    kernel = compiled([("x", name), ("y", name)], results, lines)
    yield
    found, site = run(kernel, [name] * len(ops), x, y)
    assert site == 0, site
    for got, op in zip(found, ops):
        elements.check(got, elements.evaluate(op, name, x, y), name, op, x, y)
    # Nothing but amounts of shifts is wrong here, then nothing at all.
    for fails, site in (
        (elements.may_fail("shift_left", y, name) & (y != 0), 2),
        (y == 1, None),
    ):
        some = fails.nonzero()[0]
        found, got = run(kernel, [name] * len(ops), x[some], y[some])
        assert got == site, (name, got, site)


@cases(TYPES)
def conversions(source):
    x = elements.edges(source)
    expected = {target: elements.convert(x, source, target) for target in TYPES}
    operand, lines = f"tensor<?x{source}, #dhlo.dims<N>>", []
    for i, target in enumerate(TYPES):
        lines.append(f"%{i} = dhlo.convert %x : ({operand}) -> tensor<?x{target}, #dhlo.dims<N>>")
    results = [(f"%{i}", target) for i, target in enumerate(TYPES)]
    kernel = compiled([("x", source)], results, lines)
    yield
    for first in (0, len(x) - 1):
        found, site = run(kernel, TYPES, x[first:])
        fails = any(wrong[first:].any() for _, wrong in expected.values())
        assert (site is not None) == fails, (source, first, site)
        for got, target in zip(found, TYPES):
            values = expected[target][0][first:]
            elements.check(got, values, target, f"conversion from {source}", x[first:])


@cases(FLOATS)
def clamped(source):
    """As quantisation rounds: only NaN is an error of numbers that a type holds."""
    x = elements.edges(source)
    operand = f"tensor<?x{source}, #dhlo.dims<N>>"
    bounds = [("ui8", 0, 255), ("i8", -128, 127), ("i8", -7, 7), ("ui8", 0, 256), ("i8", -200, 9)]
    lines = []
    for i, (target, low, high) in enumerate(bounds):
        for name, bound in (("low", low), ("high", high)):
            lines.append(f"%{name}_{i} = dhlo.constant dense<{bound}.0> : tensor<{source}>")
            lines.append(
                f"%{name}{i} = dhlo.broadcast %{name}_{i} axes = []"
                f" : (tensor<{source}>) -> {operand}"
            )
        first, second = ("maximum", "low"), ("minimum", "high")
        if i % 2:
            first, second = second, first
        lines.append(f"%a{i} = dhlo.{first[0]} %x, %{first[1]}{i} : {operand}")
        lines.append(f"%b{i} = dhlo.{second[0]} %a{i}, %{second[1]}{i} : {operand}")
        lines.append(
            f"%{i} = dhlo.convert %b{i} : ({operand}) -> tensor<?x{target}, #dhlo.dims<N>>"
        )
    results = [(f"%{i}", target) for i, (target, _, _) in enumerate(bounds)]
    kernel = compiled([("x", source)], results, lines)
    yield
    numbers = x[~np.isnan(elements.widen(x, source))]
    for given in (x, numbers, numbers[:1], numbers[:0]):
        expected = [
            elements.convert(
                elements.round_to(np.clip(elements.widen(given, source), low, high), source),
                source,
                target,
            )
            for target, low, high in bounds
        ]
        found, site = run(kernel, [target for target, _, _ in bounds], given)
        fails = [i for i, (_, wrong) in enumerate(expected) if wrong.any()]
        assert site == min(fails, default=None), (source, site, fails)
        for got, (values, _), (target, _, _) in zip(found, expected, bounds):
            elements.check(got, values, target, f"clamped {source}", given)


@cases([name for name in TYPES if name != "i1"])
def selections(name):
    """A choice takes the elements as they are: not a NaN's other bits, not a zero's other sign."""
    x, y = elements.pairs(name)
    p = np.arange(len(x)) % 3 == 0
    t = f"tensor<?x{name}, #dhlo.dims<N>>"
    text = f"%0 = dhlo.select %p, %x, %y : tensor<?xi1, #dhlo.dims<N>>, {t}"
    kernel = compiled([("p", "i1"), ("x", name), ("y", name)], [("%0", name)], [text])
    yield
    (found,), _ = run(kernel, [name], p, x, y)
    assert found.tobytes() == np.where(p, x, y).tobytes(), name


def booleans():
    """Any byte but zero is true, and a result is 0 or 1 whatever bytes its operands had."""
    t = "tensor<?xi1, #dhlo.dims<N>>"
    ops = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
    lines = [f"%{i} = dhlo.{op} %x, %y : {t}" for i, op in enumerate(ops)]
    lines.append(f"%3 = dhlo.not %x : {t}")
    results = [(f"%{i}", "i1") for i in range(4)]
    kernel = compiled([("x", "i1"), ("y", "i1")], results, lines)
    bytes_ = np.array([0, 1, 2, 127, 128, 255], np.uint8)
    x, y = (grid.ravel() for grid in np.meshgrid(bytes_, bytes_))
    found, _ = run(kernel, ["i1"] * 4, x, y)
    for got, (op, function) in zip(found, ops.items()):
        assert np.array_equal(got, function(x, y)), (op, got)
    assert np.array_equal(found[3], x == 0)


for test in (pairs, errors, conversions, clamped, selections, booleans):
    test()

run_cases()
