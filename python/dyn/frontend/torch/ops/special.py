# ===- special.py - Special functions --------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of statistics, by series that are computed in f64 for all types."""

import math

import torch

from dyn.frontend.torch.registry import op
from dyn.frontend.torch.widening import widened


def _wide(b, x):
    return b.convert(b.promote(x), torch.float64)


# ----------------------------------------------------------------------------
# The inverse of the error function
# ----------------------------------------------------------------------------

#: Coefficients of the inverse of erf, by powers of w = -log(1 - x^2) less 2.5, and from w =
#: 5 on by powers of the root of w less 3 (M. Giles, "Approximating the erfinv function",
#: 2010): to 3e-7.
_ERFINV_MIDDLE = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_ERFINV_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip


def _polynomial(b, x, coefficients):
    """By descending powers."""
    result = b.full(coefficients[0], x.sizes, x.dtype)
    for coefficient in coefficients[1:]:
        result = b.binary("add", b.binary("mul", result, x), coefficient)
    return result


@op("aten.erfinv.default")
def erfinv(b, self):
    """Infinite at -1 and 1, NaN outside."""
    x = _wide(b, self)
    w = b.unary("neg", b.unary("log1p", b.unary("neg", b.binary("mul", x, x))))
    middle = _polynomial(b, b.binary("sub", w, 2.5), _ERFINV_MIDDLE)
    tail = _polynomial(b, b.binary("sub", b.unary("sqrt", w), 3.0), _ERFINV_TAIL)
    y = b.binary("mul", b.select(b.compare("lt", w, 5.0), middle, tail), x)
    for _ in range(2 if b.out.dtype is torch.float64 else 0):
        # A step of Newton's method: erf has the slope 2 / sqrt(pi) exp(-y^2).
        error = b.binary("sub", b.unary("erf", y), x)
        slope = b.unary("exp", b.unary("neg", b.binary("mul", y, y)))
        y = b.binary("sub", y, b.binary("div", error, b.binary("mul", slope, 1.1283791670955126)))
    ends = b.compare("eq", b.unary("abs", x), 1.0)
    return b.promote(b.select(ends, b.binary("mul", x, float("inf")), y))


# ----------------------------------------------------------------------------
# The complementary error function
# ----------------------------------------------------------------------------

#: Chebyshev coefficients in 2 t - 1 for t = 2 / (2 + x): log(erfc(x) / t) + x^2.
_ERFC = (
    -1.3026537197817094, 0.6419697923564902, 0.019476473204185836, -0.009561514786808632,
    -0.0009465953444820369, 0.00036683949785276145, 4.252332480690777e-05,
    -2.0278578112534242e-05, -1.6242900046470256e-06, 1.3036558355805232e-06,
    1.5626441722066142e-08, -8.523809591492654e-08, 6.5290544390988515e-09,
    5.059343495551469e-09, -9.91364156493033e-10, -2.273651222931836e-10,
    9.646791102015527e-11, 2.3940380830391146e-12, -6.886027526497553e-12,
    8.944879273090725e-13, 3.130921399342958e-13, -1.1270822361367252e-13,
    3.810905255189232e-16, 7.106097613609237e-15, -1.5230282014571041e-15,
)  # fmt: skip


#: The same for f32 by powers of t, from x = 0.5 on, to 4e-8.
_ERFC_POWERS = (
    -0.09308642600994221, 0.13638228327101218, 0.2950597069935707, -0.6716366296150929,
    0.2248153114151104, -0.018669253477279994, 0.39431279995536783, 0.9980308919548145,
    -1.2654285786617194,
)  # fmt: skip
#: erf(x) / x by powers of x^2 up to x = 0.5, to 2e-9.
_ERF_POWERS = (
    0.004719082567218814, -0.026757732735015517, 0.11282831428465862, -0.37612609007469805,
    1.1283791656017914,
)  # fmt: skip


@op("aten.erfc.default")
@widened
def erfc(b, self):
    """From 0.5 on by a separate series, as 1 - erf is imprecise there."""
    x = b.promote(self)
    magnitude = b.unary("abs", x)
    square = b.binary("mul", x, x)
    t = b.binary("div", 2.0, b.binary("add", magnitude, 2.0))
    if x.dtype is torch.float64:
        series = _chebyshev(b, b.binary("sub", b.binary("mul", t, 2.0), 1.0), _ERFC)
        middle = b.binary("sub", 1.0, b.unary("erf", x))
    else:
        series = _polynomial(b, t, _ERFC_POWERS)
        middle = b.binary("sub", 1.0, b.binary("mul", x, _polynomial(b, square, _ERF_POWERS)))
    tail = b.binary("mul", t, b.unary("exp", b.binary("sub", series, square)))
    tail = b.select(b.compare("lt", x, 0.0), b.binary("sub", 2.0, tail), tail)
    return b.select(b.compare("gt", magnitude, 0.5), tail, middle)


@op("aten.special_erfcx.default")
def erfcx(b, self):
    """exp(x^2) erfc(x): the series of erfc without its factor exp(-x^2)."""
    x = _wide(b, self)
    size = b.unary("abs", x)
    t = b.binary("div", 2.0, b.binary("add", size, 2.0))
    series = _chebyshev(b, b.binary("sub", b.binary("mul", t, 2.0), 1.0), _ERFC)
    above = b.binary("mul", t, b.unary("exp", series))
    whole = b.binary("mul", b.unary("exp", b.binary("mul", x, x)), 2.0)
    return b.promote(b.select(b.compare("lt", x, 0.0), b.binary("sub", whole, above), above))


def _chebyshev(b, x, coefficients):
    """By Clenshaw's recurrence; the first coefficient counts half."""
    twice = b.binary("mul", x, 2.0)
    last = before = b.full(0.0, x.sizes, x.dtype)
    for coefficient in coefficients[:0:-1]:
        step = b.binary("sub", b.binary("mul", twice, last), before)
        last, before = b.binary("add", step, coefficient), last
    step = b.binary("sub", b.binary("mul", x, last), before)
    return b.binary("add", step, coefficients[0] / 2)


# ----------------------------------------------------------------------------
# The gamma function
# ----------------------------------------------------------------------------

#: Coefficients of Lanczos' series with g = 7 (P. Godfrey, 2001): to 1e-15.
_LANCZOS = (
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
)  # fmt: skip
#: Coefficients of the asymptotic series of digamma, by powers of 1 / x^2 from the sixth
#: down: Bernoulli's numbers B(2k) / 2k.
_DIGAMMA = (-691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12, 0.0)


def _reflected(b, x):
    """Whether the function is computed at 1 - x, the argument, and x less the nearest
    integer, with which sines and tangents of pi x are exactly zero at integers."""
    small = b.compare("lt", x, 0.5)
    at = b.select(small, b.binary("sub", 1.0, x), x)
    return small, at, b.binary("sub", x, b.unary("round", x))


@op("aten.lgamma.default")
def lgamma(b, self):
    return b.promote(log_gamma(b, _wide(b, self)))


def log_gamma(b, x):
    """Infinite at zero and negative integers, and 0 at 1 and 2, next to which only rounding
    errors of the series would remain."""
    small, at, rest = _reflected(b, x)
    z = b.binary("sub", at, 1.0)
    series = b.full(0.99999999999980993, x.sizes, x.dtype)
    for number, coefficient in enumerate(_LANCZOS, 1):
        term = b.binary("div", coefficient, b.binary("add", z, float(number)))
        series = b.binary("add", series, term)
    t = b.binary("add", z, 7.5)
    y = b.binary("mul", b.binary("add", z, 0.5), b.unary("log", t))
    y = b.binary("add", b.binary("sub", y, t), b.unary("log", series))
    y = b.binary("add", y, 0.5 * math.log(2 * math.pi))
    zero = b.binary("or", b.compare("eq", x, 1.0), b.compare("eq", x, 2.0))
    y = b.select(zero, 0.0, y)
    sine = b.unary("abs", b.unary("sin", b.binary("mul", rest, math.pi)))
    mirrored = b.binary("sub", b.unary("log", b.binary("div", math.pi, sine)), y)
    return b.select(b.predicate("is_inf", x), float("inf"), b.select(small, mirrored, y))


@op("aten.digamma.default")
def digamma(b, self):
    """Infinite at zero, with the opposite sign, and NaN at negative integers."""
    x = _wide(b, self)
    small, at, rest = _reflected(b, x)
    y = b.full(0.0, x.sizes, x.dtype)
    for _ in range(8):
        y = b.binary("sub", y, b.unary("reciprocal", at))
        at = b.binary("add", at, 1.0)
    inverse = b.unary("reciprocal", at)
    series = _polynomial(b, b.binary("mul", inverse, inverse), _DIGAMMA)
    y = b.binary("sub", b.binary("add", y, b.unary("log", at)), series)
    y = b.binary("sub", y, b.binary("mul", inverse, 0.5))
    tangent = b.unary("tan", b.binary("mul", rest, math.pi))
    mirrored = b.binary("sub", y, b.binary("div", math.pi, tangent))
    pole = b.binary("and", b.compare("lt", x, 0.0), b.compare("eq", rest, 0.0))
    mirrored = b.select(pole, float("nan"), mirrored)
    at_zero = b.unary("neg", b.unary("reciprocal", x))
    mirrored = b.select(b.compare("eq", x, 0.0), at_zero, mirrored)
    return b.promote(b.select(small, mirrored, y))
