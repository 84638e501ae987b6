# ===- function_cases.py - Special functions and complex ones --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, at their poles and on both sides of the boundaries between series, and
functions of complex numbers (see op_cases.py)."""

import torch
from op_cases import cases, family, floats

_SIZES = [(3, 7), (1, 1), (0, 3)]
_ENDS = [0.0, -0.0, 1.0, -1.0, 2.0, 8.0, -8.0, 4.0, -4.0, 0.5, 30.0, -30.0]


@family("functions", _SIZES, {"x": {0: "n"}, "p": {0: "n"}, "k": {0: "n"}, "i": {0: "n"}})
def functions(n, m):
    """Rows of arguments at which functions change their form, and of random ones."""
    ends = torch.tensor(_ENDS + [float("inf"), float("-inf"), float("nan")])
    x = torch.cat([ends.expand(n, -1), floats(n, 40, low=-20.0, high=20.0)], 1)
    p = torch.cat([torch.tensor([0.0, 1.0, 1e-30, 0.5]).expand(n, -1), torch.rand(n, 51)], 1)
    return {"x": x, "p": p, "k": torch.randint(-2, 12, x.shape), "i": x.nan_to_num(0, 3, 3).long()}


for _name in [
    "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "i0", "i0e", "i1", "i1e", "airy_ai",
    "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1",
    "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0", "erfcx",
    "log_ndtr",
]:  # fmt: skip
    _function = getattr(torch.special, _name)
    functions.cases[_name] = lambda self, x, _function=_function, **_: _function(x)
for _name in [
    "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
    "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t", "hermite_polynomial_h",
    "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
]:  # fmt: skip
    _function = getattr(torch.special, _name)
    functions.cases[_name] = lambda self, p, k, _function=_function, **_: _function(2 * p - 1, k)
cases(
    functions,
    of_integers=lambda i, **_: torch.special.bessel_j0(i),
    ndtri=lambda p, **_: torch.special.ndtri(p),
    zeta=lambda x, p, **_: torch.special.zeta(1 + 9 * p, x.abs()),
    zeta_number=lambda x, **_: torch.special.zeta(3.0, x),
    polygamma=lambda x, **_: torch.polygamma(2, x.abs()),
    trigamma=lambda x, **_: (torch.polygamma(1, x * 4), torch.polygamma(1, x.round().bfloat16())),
    digamma_at_zero=lambda x, **_: torch.digamma(x * 0),
    igamma=lambda x, p, **_: torch.igamma(9 * p, x.abs()),
    igammac=lambda x, p, **_: torch.igammac(9 * p, x.abs()),
    angle=lambda x, **_: x.angle(),
    frexp=lambda x, **_: torch.frexp(x),
    nextafter=lambda x, p, **_: torch.nextafter(x, p - 0.5),
    nextafter_up=lambda x, **_: torch.nextafter(x, x + 1),
    mode=lambda k, **_: torch.mode(k, 1)[0],
    divisors=lambda k, i, **_: (torch.gcd(6 * k, i), torch.lcm(k, i)),
    nanmedian=lambda x, **_: torch.nanmedian(x, 1),
)


@family("complex_functions", _SIZES, {"z": {0: "n"}, "w": {0: "n"}})
def complex_functions(n, m):
    cuts = torch.tensor([0, 1, -1, 2, -2, 1j, -1j, 2j, 0.5, 1e-6j, 1e-6])
    z = torch.cat([cuts.expand(n, -1), torch.complex(floats(n, 9), floats(n, 9))], 1)
    return {"z": z, "w": torch.complex(floats(*z.shape), floats(*z.shape))}


for _name in [
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "asinh", "acosh", "sqrt", "exp2",
    "expm1", "log1p", "sgn", "sigmoid", "square",
]:  # fmt: skip
    _function = getattr(torch, _name)
    complex_functions.cases[_name] = lambda self, z, _function=_function, **_: _function(z)
cases(
    complex_functions,
    logs=lambda w, **_: (w.log(), w.log2(), w.log10(), w.rsqrt(), w.atan(), w.atanh()),
    power=lambda z, w, **_: w**z,
    power_number=lambda z, w, **_: (z**2, w**2.5, 2.0**w),
    multiplications=lambda z, **_: (z.prod(1), z.cumprod(1)),
    equal=lambda z, w, **_: (z == z, z != w, z == 1),
    truths=lambda z, **_: (z.bool(), z.any(1), z.all(), z.isnan(), torch.logical_not(z)),
    nonzeros=lambda z, **_: torch.nonzero_static(z.triu(), size=3),
    moments=lambda w, **_: (w.var(1), w.std(1), torch.var_mean(w, 1)),
    norms=lambda w, **_: (torch.linalg.vector_norm(w, dim=1), w.abs()),
    sums=lambda z, w, **_: (torch.addcmul(z, w, w, value=2), torch.lerp(z, w, 0.25)),
    placed=lambda z, w, **_: z.index_copy(1, torch.tensor([3]), w[:, :1]),
    filled=lambda z, **_: (torch.full_like(z, 2 - 1j), torch.ones_like(z), z.masked_fill(z == 1, 3)),
)  # fmt: skip
