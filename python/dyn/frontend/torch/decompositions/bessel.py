# ===- bessel.py - Bessel functions and related ones -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bessel's and Airy's functions and those of the normal distribution, in f64 for all
types."""

import functools
import math

import torch

from dyn.frontend.torch.decompositions import series
from dyn.frontend.torch.registry import decomposition


def special(*names):
    """Registers a function of doubles for unary operators "aten.<name>.default"."""

    def register(function):
        @functools.wraps(function)
        def decomposed(x):
            dtype = x.dtype if x.dtype.is_floating_point else torch.get_default_dtype()
            return function(x.to(torch.float64)).to(dtype)

        decomposition(*(f"aten.{name}.default" for name in names))(decomposed)
        return function

    return register


def chebyshev(t, coefficients):
    """A Chebyshev series, by Clenshaw's recurrence; the first coefficient counts half."""
    last = before = torch.zeros_like(t)
    for coefficient in coefficients[:0:-1]:
        last, before = 2 * t * last - before + coefficient, last
    return t * last - before + coefficients[0] / 2


# ----------------------------------------------------------------------------
# Bessel's functions
# ----------------------------------------------------------------------------


def _near(x, coefficients):
    return chebyshev(x.clamp(max=8.0) ** 2 / 32 - 1, coefficients)


def _far(x, order):
    """For x from 8 on: the parts in phase with a cosine and in quadrature, and the
    phase."""
    x = x.clamp(min=8.0)
    t = 2 * (8 / x) ** 2 - 1
    first, second = ((series.P0, series.Q0), (series.P1, series.Q1))[order]
    root = (2 / (math.pi * x)).sqrt()
    phase = x - (2 * order + 1) * math.pi / 4
    return root * chebyshev(t, first), root * 8 / x * chebyshev(t, second), phase


def _first_kind(x, order):
    """For x from 0 on."""
    near = _near(x, series.J1) * x if order else _near(x, series.J0)
    cosine, sine, phase = _far(x, order)
    return torch.where(x <= 8, near, cosine * phase.cos() - sine * phase.sin())


def _second_kind(x, order):
    """For x above 0."""
    log, first = x.log(), _first_kind(x, order)
    if order:
        near = _near(x, series.Y1) * x + 2 / math.pi * (log * first - 1 / x)
    else:
        near = _near(x, series.Y0) + 2 / math.pi * log * first
    cosine, sine, phase = _far(x, order)
    result = torch.where(x <= 8, near, cosine * phase.sin() + sine * phase.cos())
    return _of_positive(x, result, -math.inf)


def _of_positive(x, result, at_zero):
    """NaN below zero."""
    result = torch.where(x == 0, at_zero, result)
    return torch.where(x < 0, math.nan, result)


@special("special_bessel_j0")
def bessel_j0(x):
    return _first_kind(x.abs(), 0)


@special("special_bessel_j1")
def bessel_j1(x):
    return _first_kind(x.abs(), 1) * x.sign()


@special("special_bessel_y0")
def bessel_y0(x):
    return _second_kind(x, 0)


@special("special_bessel_y1")
def bessel_y1(x):
    return _second_kind(x, 1)


@special("special_spherical_bessel_j0")
def spherical_bessel_j0(x):
    square = x * x
    terms = [1 / math.factorial(2 * k + 1) * (-1) ** k for k in range(8, -1, -1)]
    near = torch.zeros_like(x)
    for term in terms:
        near = near * square + term
    far = torch.where(x.isinf(), 0.0, x.sin() / torch.where(x == 0, 1.0, x))
    return torch.where(x.abs() < 0.5, near, far)


# ----------------------------------------------------------------------------
# Modified ones
# ----------------------------------------------------------------------------


def _modified_scaled(x, order):
    """Scaled by exp(-|x|)."""
    size = x.abs()
    near = chebyshev(size.clamp(max=8.0) / 4 - 1, series.I1 if order else series.I0)
    away = size.clamp(min=8.0)
    far = chebyshev(16 / away - 1, series.I1F if order else series.I0F) / away.sqrt()
    result = torch.where(size <= 8, near * size if order else near, far)
    return torch.where(x < 0, -result, result) if order else result


def _modified(x, order):
    return _modified_scaled(x, order) * x.abs().exp()


for _order in (0, 1):
    special(f"special_i{_order}e")(functools.partial(_modified_scaled, order=_order))
    special(f"special_modified_bessel_i{_order}")(functools.partial(_modified, order=_order))
special("i0")(functools.partial(_modified, order=0))
special("special_i1")(functools.partial(_modified, order=1))


def _second_modified(x, order, scaled):
    """The second kind, scaled by exp(x) if `scaled`."""
    small, large = x.clamp(0.0, 2.0), x.clamp(min=2.0)
    near = chebyshev(small**2 / 2 - 1, series.K1 if order else series.K0)
    log = (small / 2).log() * _modified(small, order)
    near = near / small + log if order else near - log
    far = chebyshev(4 / large - 1, series.K1F if order else series.K0F) / large.sqrt()
    if scaled:
        near = near * small.exp()
    else:
        far = far * (-large).exp()
    return _of_positive(x, torch.where(x <= 2, near, far), math.inf)


for _order in (0, 1):
    special(f"special_modified_bessel_k{_order}")(
        functools.partial(_second_modified, order=_order, scaled=False)
    )
    special(f"special_scaled_modified_bessel_k{_order}")(
        functools.partial(_second_modified, order=_order, scaled=True)
    )


# ----------------------------------------------------------------------------
# Airy's function
# ----------------------------------------------------------------------------


@special("special_airy_ai")
def airy_ai(x):
    """As in PyTorch, NaN for infinite arguments."""
    middle = chebyshev(x.clamp(-4.0, 4.0) / 4, series.AI)
    size = x.abs().clamp(4.0, 1e200)
    zeta = size * size.sqrt() * (2 / 3)
    root = math.sqrt(math.pi) * size.sqrt().sqrt()
    above = chebyshev(32 / (3 * zeta) - 1, series.AIF) * (-zeta).exp() / (2 * root)
    turn = 16 / (3 * zeta)
    t = 2 * turn**2 - 1
    phase = zeta + math.pi / 4
    below = chebyshev(t, series.AIP) * phase.sin() - turn * chebyshev(t, series.AIQ) * phase.cos()
    result = torch.where(x > 4, above, torch.where(x < -4, below / root, middle))
    return torch.where(x.isinf() | x.isnan(), math.nan, result)


# ----------------------------------------------------------------------------
# The normal distribution
# ----------------------------------------------------------------------------


def _erfcx(x):
    """exp(x^2) erfc(x)"""
    return torch.special.erfcx(x)


def _log_ndtr(x):
    t = x * math.sqrt(0.5)
    low = (torch.special.erfcx(-t.clamp(max=0.0)) / 2).log() - t * t
    return torch.where(x < -1, low, torch.log1p(-torch.special.erfc(t) / 2))


special("special_log_ndtr")(_log_ndtr)


@special("special_ndtri")
def ndtri(p):
    """Halley's method from a formula of Abramowitz and Stegun (26.2.23), in the nearer
    tail."""
    tail = torch.where(p < 0.5, p, 1 - p)
    t = (-2 * tail.clamp(min=1e-300).log()).sqrt()
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    x = above / below - t
    for _ in range(3):
        # The ratio of the tail to the density, which may both underflow.
        ratio = torch.special.erfcx(-x * math.sqrt(0.5)) * math.sqrt(math.pi / 2)
        wanted = tail * (x * x / 2).exp() * math.sqrt(2 * math.pi)
        step = ratio - wanted
        x = x - step / (1 + x * step / 2)
    x = torch.where(p < 0.5, x, -x)
    x = torch.where(p == 0, -math.inf, torch.where(p == 1, math.inf, x))
    return torch.where((p < 0) | (p > 1) | p.isnan(), math.nan, x)
