# ===- scalars.py - Numbers of PyTorch as scalars --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars for numbers in the Python code of PyTorch models: sizes and numbers that are read
from data (`.item()`), which are symbols of its expressions."""

import functools
import math

import sympy
import torch
from torch.utils._sympy import functions as torch_sympy

from dyn.errors import UnsupportedError
from dyn.frontend.torch.sizes import is_printable, substituted, substitution, to_expr

_ARITHMETIC = {
    torch_sympy.FloatTrueDiv: "div",
    torch_sympy.IntTrueDiv: "div",
    torch_sympy.FloatPow: "pow",
    torch_sympy.PowByNatural: "pow",
    sympy.Pow: "pow",
    sympy.Mul: "mul",
    sympy.Add: "add",
    sympy.Max: "maximum",
    sympy.Min: "minimum",
    torch_sympy.Max: "maximum",
    torch_sympy.Min: "minimum",
    torch_sympy.BitwiseFn_bitwise_and: "and",
    torch_sympy.BitwiseFn_bitwise_or: "or",
    torch_sympy.BitwiseFn_bitwise_xor: "xor",
    torch_sympy.LShift: "shift_left",
    torch_sympy.RShift: "shift_right",
}
#: Functions of a float.
_FUNCTIONS = {
    getattr(torch_sympy, f"OpaqueUnaryFn_{name}"): name
    for name in "sqrt cos cosh sin sinh tan tanh asin acos atan exp log asinh".split()
}
#: Conversions of a float to an integer, with their rounding. None truncates.
_ROUNDINGS = {
    torch_sympy.TruncToInt: None,
    torch_sympy.FloorToInt: "floor",
    torch_sympy.CeilToInt: "ceil",
    torch_sympy.RoundToInt: "round",
}
_DIRECTIONS = {
    sympy.Eq: "eq",
    sympy.Ne: "ne",
    sympy.Lt: "lt",
    sympy.Le: "le",
    sympy.Gt: "gt",
    sympy.Ge: "ge",
}


def read(b, number, value):
    """Associates the scalar `value` with a number of PyTorch. An integer that is known to
    be at least 0 becomes a size, another one if it is needed as a size."""
    expression = substituted(number.node.expr)
    if isinstance(number, torch.SymBool) and isinstance(expression, sympy.Eq):
        expression = next(iter(expression.free_symbols), expression)
    if not expression.is_Symbol or b.symbols.is_bound(expression):
        if expression in (sympy.true, sympy.false):
            expression = sympy.Integer(bool(expression))
        same = b.compare("eq", value, b.scalar(expression, value.dtype))
        b.check(same, f"the number read is {b.symbols.describe(expression)}")
        return
    if isinstance(number, torch.SymInt):
        b.know(expression, value)
    else:
        b.numbers[expression] = value


def number(b, value):
    """A SymInt, SymFloat or SymBool as a scalar."""
    if isinstance(value, torch.SymBool):
        return boolean(b, substituted(value.node.expr))
    return b.scalar(
        to_expr(value), torch.int64 if isinstance(value, torch.SymInt) else torch.float64
    )


def compute(b, e, dtype):
    """The value of an expression. PyTorch computes those of floats in doubles."""
    if e in b.numbers:
        return b.convert(b.numbers[e], dtype)
    if isinstance(e, torch_sympy.ToFloat):
        return b.scalar(e.args[0], dtype)
    if isinstance(e, torch_sympy.Identity):
        return b.scalar(e.args[0], dtype)
    if type(e) in _FUNCTIONS:
        value = b.unary(_FUNCTIONS[type(e)], b.scalar(e.args[0], torch.float64))
        return b.convert(value, dtype)
    if isinstance(e, torch_sympy.OpaqueUnaryFn_log2):
        return b.convert(_log2(b, b.scalar(e.args[0], torch.float64)), dtype)
    if isinstance(e, (sympy.Abs, torch_sympy.TruncToFloat, torch_sympy.RoundDecimal)):
        return b.convert(_changed(b, e), dtype)
    if isinstance(e, (sympy.Piecewise, torch_sympy.Where)):
        cases = e.args if isinstance(e, sympy.Piecewise) else [(e.args[1], e.args[0])]
        rest = cases[-1][0] if isinstance(e, sympy.Piecewise) else e.args[2]
        result = b.scalar(rest, dtype)
        for case, relation in reversed(cases):
            result = b.select(boolean(b, relation), b.scalar(case, dtype), result)
        return result
    if type(e) in _ROUNDINGS and (not is_printable(e) or not _is_of_sizes(b, e)):
        return b.convert(_rounded(b, e), dtype)
    if isinstance(e, sympy.Pow) and e.args[1].is_Integer and e.args[1] > 0:
        kind, parts = "mul", e.args[:1] * int(e.args[1])
    else:
        kind, parts = _ARITHMETIC.get(type(e)), e.args
    if kind is None or (e.is_integer and _is_of_sizes(b, e)):
        sizes = b.symbols.texts([e])
        return b.convert(b.same(f"from_dims {sizes}", (), torch.int64), dtype)
    wide = torch.int64 if e.is_integer and kind != "div" else torch.float64
    parts = [b.scalar(part, wide) for part in parts]
    return b.convert(functools.reduce(functools.partial(b.binary, kind), parts), dtype)


def _log2(b, x):
    """Exact for powers of 2."""
    result = b.binary("mul", b.unary("log", x), 1 / math.log(2))
    whole = b.unary("round", result)
    is_power = b.compare("eq", b.binary("pow", 2.0, whole), x)
    return b.select(is_power, whole, result)


def _changed(b, e):
    """A number without its sign, its fraction or some of its digits."""
    x = b.scalar(e.args[0], torch.int64 if e.args[0].is_integer else torch.float64)
    if isinstance(e, sympy.Abs):
        return b.unary("abs", x)
    if isinstance(e, torch_sympy.TruncToFloat):
        whole = b.unary("floor", b.unary("abs", x))
        return b.select(b.compare("lt", x, 0), b.unary("neg", whole), whole)
    if not e.args[1].is_Integer:
        raise UnsupportedError(f"a number {e} is not supported")
    scale = 10.0 ** int(e.args[1])
    return b.binary("div", b.unary("round", b.binary("mul", x, scale)), scale)


def _rounded(b, e):
    value, name = b.scalar(e.args[0], torch.float64), _ROUNDINGS[type(e)]
    return b.convert(b.unary(name, value) if name else value, torch.int64)


def bind_rounded(b, values):
    """Computes the sizes, among some values of nodes, that are rounded floats but not
    quotients of sizes. Returns their replacements, by expression."""
    bound = {}
    found = (e for value in values for size in _sizes(value) for e in _rounded_in(size))
    for e in dict.fromkeys(found):
        size = to_expr(e.xreplace(substitution()))
        known = size.is_Integer or (is_printable(size) and _is_of_sizes(b, size))
        if known or not b.symbols.is_known(size):
            continue
        bound[e] = sympy.Dummy("rounded", integer=True)
        b.know(bound[e], compute(b, size, torch.int64))
    return bound


def _sizes(value):
    """The size expressions of a node's value."""
    if isinstance(value, (list, tuple)):
        return [size for part in value for size in _sizes(part)]
    numbers = value.shape if isinstance(value, torch.Tensor) else [value]
    return [n.node.expr for n in numbers if isinstance(n, torch.SymInt)]


def _rounded_in(size):
    return sorted(size.atoms(*_ROUNDINGS), key=str)


def _is_of_sizes(b, e):
    """Whether all symbols of an expression that were read from data are sizes."""
    return not is_of_numbers(b, e) and (is_printable(e) or not e.has(*_ROUNDINGS))


def is_of_numbers(b, e):
    """Whether an expression has numbers that were read from data and are not sizes."""
    return any(s in b.numbers and not b.symbols.is_declared(s) for s in e.free_symbols)


def has_floats(relation):
    """Whether a relation compares numbers that are not integers."""
    if isinstance(relation, sympy.Rel):
        return not all(sympy.sympify(side).is_integer for side in relation.args)
    return any(map(has_floats, relation.args))


def boolean(b, relation):
    """A relation between numbers as a boolean."""
    if relation in (sympy.true, sympy.false):
        return b.scalar(bool(relation), torch.bool)
    if isinstance(relation, (sympy.And, sympy.Or)):
        kind = "and" if isinstance(relation, sympy.And) else "or"
        parts = [boolean(b, part) for part in relation.args]
        return functools.reduce(functools.partial(b.binary, kind), parts)
    if isinstance(relation, sympy.Not):
        return b.unary("not", boolean(b, relation.args[0]))
    if type(relation) not in _DIRECTIONS:
        raise UnsupportedError(f"a condition {relation} is not supported")
    sides = [to_expr(side) for side in relation.args]
    dtype = torch.int64 if all(side.is_integer for side in sides) else torch.float64
    return b.compare(_DIRECTIONS[type(relation)], *(b.scalar(side, dtype) for side in sides))
