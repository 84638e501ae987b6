# ===- gamma.py - The incomplete gamma function and Hurwitz's zeta ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Series with as many terms as the elements need, in f64 for all types."""

import math

import sympy
import torch

from dyn.frontend.torch import control, types
from dyn.frontend.torch.arithmetic import Formula, any_of, choose
from dyn.frontend.torch.ops.special import digamma, log_gamma
from dyn.frontend.torch.registry import Refused, op

#: Maximum number of terms.
_MOST = 20000


def operands(b, *numbers):
    """Tensors and numbers in f64, broadcast to the sizes of the result."""
    wide = (b.broadcast_to(b.typed(x, torch.float64), b.out.sizes) for x in numbers)
    return [Formula(b, x) for x in wide]


def repeat(b, states, step, most=_MOST):
    """`step` computes the next states and where it has to continue; it is repeated until it
    has to nowhere."""

    def body(values):
        number, *before = (Formula(b, value) for value in values)
        going, after = step(number, before)
        again = any_of(going) & (number < most)
        return again.value, [(number + 1).value, *(x.value for x in after)]

    one, true = b.scalar(sympy.Integer(1), torch.int64), b.scalar(True, torch.bool)
    last = control.loop(b, true, [one, *(x.value for x in states)], body)
    return [Formula(b, value) for value in last[1:]]


def _like(x, number):
    return Formula(x.b, x.b.full(number, x.value.sizes, x.value.dtype))


# ----------------------------------------------------------------------------
# Zeta
# ----------------------------------------------------------------------------

#: (2k)! over Bernoulli's number B(2k).
_BERNOULLI = (
    12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9,
    7.47242496e10, -2.950130727918164224e12, 1.1646782814350067249e14,
    -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18,
)  # fmt: skip


def _zeta(b, x, q):
    """The sum of (q + k)^-x: some terms, and the rest by the Euler-Maclaurin formula."""
    whole = q == q.unary("floor")
    pole = (q <= 0.0) & whole
    none = (q <= 0.0) & ~whole & (x != x.unary("floor"))
    safe = ~pole & ~none & (x > 1.0) & ~q.is_nan()
    at = q.where(safe, 1.0)
    power = choose(b, -x, (~safe, -2.0))

    def step(number, before):
        at, total, term = before
        going = (at <= 9.0) | (number < 10)
        following = at + 1.0
        next_term = following**power
        return going, [
            following.where(going, at),
            (total + next_term).where(going, total),
            next_term.where(going, term),
        ]

    at, total, term = repeat(b, [at, at**power, _like(q, 0.0)], step, most=10**9)
    total = total + term * at / (x - 1.0) - term * 0.5
    factor, k = _like(q, 1.0), 0.0
    for number in _BERNOULLI:
        factor, term = factor * (x + k), term / at
        total = total + factor * term / number
        factor, term, k = factor * (x + (k + 1.0)), term / at, k + 2.0
    nan = x.is_nan() | q.is_nan() | (x < 1.0)
    return choose(
        b, total, (x == 1.0, math.inf), (nan, math.nan), (pole, math.inf), (none, math.nan)
    )


@op("aten.special_zeta.default", "aten.special_zeta.other_scalar",
    "aten.special_zeta.self_scalar")  # fmt: skip
def special_zeta(b, self, other):
    return b.promote(_zeta(b, *operands(b, self, other)).value)


@op("aten.polygamma.default", "aten.special_polygamma.default")
def polygamma(b, n, self):
    """The derivative of order n of digamma."""
    if isinstance(n, sympy.Basic) and not n.is_Integer:
        raise Refused(f"expected a static order, found {n}", [n])
    n = int(n)
    if n == 0:
        return digamma(b, b.promote(self))
    if n == 1:
        return b.promote(_trigamma(b, self).value)
    (x,) = operands(b, self)
    zeta = _zeta(b, _like(x, float(n + 1)), x)
    return b.promote((zeta * ((-1.0) ** (n + 1) * math.gamma(n + 1))).value)


def _trigamma(b, x):
    """Below 1/2 reflected as in PyTorch, with a sine that is rounded to the type: infinite
    results at negative integers become as large as PyTorch's."""
    x = Formula(b, b.convert(x, types.computed_in(b.out.dtype)))
    small = x < 0.5
    sine = (x * math.pi).to(torch.float64).unary("sin")
    x = x.to(torch.float64)
    at, total = (1.0 - x).where(small, x), _like(x, 0.0)
    for _ in range(6):
        total, at = total + 1.0 / (at * at), at + 1.0
    square = 1.0 / (at * at)
    series = 1.0 + 0.5 / at + square * (1 / 6 - square * (1 / 30 - square / 42))
    total = total + series / at
    return (math.pi**2 / (sine * sine) - total).where(small, total)


# ----------------------------------------------------------------------------
# The incomplete gamma function
# ----------------------------------------------------------------------------


def _parts(b, a, x):
    """The regularised lower and upper functions. Each is computed by the series without
    cancellation: in powers of x up to a + 1, above by a continued fraction."""
    inside = (a > 0.0) & (x > 0.0) & ~a.is_inf() & ~x.is_inf()
    a, x = a.where(inside, 1.0), x.where(inside, 1.0)
    low = x <= a + 1.0
    front = (a * x.unary("log") - x - Formula(b, log_gamma(b, a.value))).unary("exp")

    small = x.where(low, 1.0)

    def add(number, before):
        total, term = before
        term = term * small / (a + number.to(torch.float64))
        return (term > total * 1e-17) & low, [total + term, term]

    total, _ = repeat(b, [_like(x, 1.0), _like(x, 1.0)], add)
    lower = total * front / a

    # Lentz's method.
    large = x.where(~low, a + 2.0)

    def extend(number, before):
        ratio, c, d = before
        k = number.to(torch.float64)
        factor = k * (a - k)
        base = large + k * 2.0 + 1.0 - a
        d, c = base + factor * d, base + factor / c
        d = 1.0 / d.where(abs(d) > 1e-300, 1e-300)
        c = c.where(abs(c) > 1e-300, 1e-300)
        change = c * d
        return (abs(change - 1.0) > 1e-16) & ~low, [ratio * change, c, d]

    first = large + 1.0 - a
    ratio, _, _ = repeat(b, [1.0 / first, _like(x, 1e300), 1.0 / first], extend)
    upper = ratio * front
    return lower.where(low, 1.0 - upper), upper.where(~low, 1.0 - lower)


def _at_ends(b, a, x, inner, at_zero, at_end):
    """The function where an operand is 0, infinite or outside of the domain. `at_zero` is
    its value where x is 0, `at_end` where a is."""
    nan = a.is_nan() | x.is_nan() | (a < 0.0) | (x < 0.0) | ((a == 0.0) & (x == 0.0))
    nan = nan | (a.is_inf() & x.is_inf())
    return choose(
        b, inner, (nan, math.nan), (a == 0.0, at_end), (x == 0.0, at_zero),
        (a.is_inf(), at_zero), (x.is_inf(), at_end),
    )  # fmt: skip


@op("aten.igamma.default", "aten.special_gammainc.default")
def igamma(b, self, other):
    a, x = operands(b, self, other)
    return b.promote(_at_ends(b, a, x, _parts(b, a, x)[0], 0.0, 1.0).value)


@op("aten.igammac.default", "aten.special_gammaincc.default")
def igammac(b, self, other):
    a, x = operands(b, self, other)
    return b.promote(_at_ends(b, a, x, _parts(b, a, x)[1], 1.0, 0.0).value)
