# ===- polynomials.py - Orthogonal polynomials -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Polynomials whose degree is an element of a tensor, by their recurrences, in f64 for all
types."""

import functools

import torch

from dyn.frontend.torch.arithmetic import Formula, choose
from dyn.frontend.torch.ops.elementwise import to_integer
from dyn.frontend.torch.ops.gamma import operands, repeat
from dyn.frontend.torch.registry import op

#: Beyond this degree PyTorch's Hermite polynomials are NaN.
_HERMITE = {torch.float64: 512}
_HERMITE_F32 = 128


def _recurrence(b, x, n, first, step):
    """The polynomial of degree n: 1 for degree 0, `first` for degree 1, and `step`
    computes, from k and the polynomials of degree k and k - 1, that of degree k + 1."""

    def extend(number, before):
        last, current = before
        k = number.to(torch.float64)
        going = (n > k) & ~current.is_nan()
        following = step(k, current, last)
        return (n > k + 1.0) & ~current.is_nan(), [
            current.where(going, last), following.where(going, current),
        ]  # fmt: skip

    one = Formula(b, b.full(1.0, x.value.sizes, torch.float64))
    _, value = repeat(b, [one, first], extend, most=10**9)
    return choose(b, value, (n < 0.0, 0.0), (n == 0.0, 1.0))


def _degrees(b, x, n):
    """Both in f64, with an integral degree."""
    x, n = operands(b, x, n)
    return x, Formula(b, to_integer(b, n.value, torch.int64)).to(torch.float64)


def _even(n):
    return n % 2.0 == 0.0


def _chebyshev(kind, b, x, n):
    """Inside (-1, 1), high degrees are computed by angles, as degrees are not bounded."""
    x, n = _degrees(b, x, n)
    if kind.startswith("shifted"):
        x = x + x - 1.0
    kind = kind[-1]
    inner = (abs(x) < 1.0) & (n > {"t": 6.0}.get(kind, 8.0))
    angle = x.where(abs(x) <= 1.0, 0.0).unary("acos")
    half = angle * 0.5
    if kind == "t":
        first, turned = x, (n * angle).unary("cos")
        ends = [(x == 1.0, 1.0), (x == -1.0, choose(b, n * 0.0 - 1.0, (_even(n), 1.0)))]
    elif kind == "u":
        first, turned = x + x, ((n + 1.0) * angle).unary("sin") / angle.unary("sin")
        ends = [(x == 1.0, n + 1.0), (x == -1.0, choose(b, -1.0 - n, (_even(n), n + 1.0)))]
    elif kind == "v":
        first, turned = x + x - 1.0, ((n + 0.5) * angle).unary("cos") / half.unary("cos")
        wide = n + n + 1.0
        ends = [(x == 1.0, 1.0), (x == -1.0, choose(b, -wide, (_even(n), wide)))]
    else:
        first, turned = x + x + 1.0, ((n + 0.5) * angle).unary("sin") / half.unary("sin")
        ends = [(x == 1.0, n + n + 1.0), (x == -1.0, choose(b, n * 0.0 - 1.0, (_even(n), 1.0)))]
    low = choose(b, n, (inner | (abs(x) == 1.0), 0.0))
    value = _recurrence(b, x, low, first, lambda k, p, q: (x + x) * p - q)
    value = choose(b, turned.where(inner, value), *ends)
    return b.promote(choose(b, value, (n < 0.0, 0.0)).value)


def _hermite(factor, b, x, n):
    """Physicists' polynomials with the factor 2, probabilists' with 1."""
    limit = _HERMITE.get(b.out.dtype, _HERMITE_F32)
    x, n = _degrees(b, x, n)
    wide = x * factor
    low = choose(b, n, (n > float(limit), 0.0))
    value = _recurrence(b, x, low, wide, lambda k, p, q: wide * p - k * factor * q)
    return b.promote(choose(b, value, (n > float(limit), float("nan"))).value)


def _laguerre(b, x, n):
    x, n = _degrees(b, x, n)
    value = _recurrence(
        b, x, n, 1.0 - x, lambda k, p, q: ((k + k + (1.0 - x)) * p - k * q) / (k + 1.0)
    )
    return b.promote(value.value)


def _legendre(b, x, n):
    """At -1 and 1, where the magnitude is 1, without a recurrence."""
    x, n = _degrees(b, x, n)
    ends = abs(x) == 1.0
    low = choose(b, n, (ends, 0.0))
    value = _recurrence(b, x, low, x, lambda k, p, q: ((k + k + 1.0) * x * p - k * q) / (k + 1.0))
    odd = (x < 0.0) & ~_even(n) & ends
    return b.promote(choose(b, value, (n < 0.0, 0.0), (odd, -1.0)).value)


_FUNCTIONS = {
    **{f"chebyshev_polynomial_{k}": functools.partial(_chebyshev, k) for k in "tuvw"},
    **{
        f"shifted_chebyshev_polynomial_{k}": functools.partial(_chebyshev, f"shifted {k}")
        for k in "tuvw"
    },
    "hermite_polynomial_h": functools.partial(_hermite, 2.0),
    "hermite_polynomial_he": functools.partial(_hermite, 1.0),
    "laguerre_polynomial_l": _laguerre,
    "legendre_polynomial_p": _legendre,
}
for _name, _function in _FUNCTIONS.items():
    op(*(f"aten.special_{_name}.{o}" for o in ("default", "x_scalar", "n_scalar")))(_function)
