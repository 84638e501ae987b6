# ===- complex_numbers.py - Functions of complex numbers -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers by their parts, in f64 for all types; linear functions are
in ops/complex.py. Branch cuts are those of C (W. Kahan, 1987)."""

import functools
import math

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

from dyn.frontend.torch.registry import decomposition, takes_complex


def of_complex(*names):
    """Registers a decomposition for operators "aten.<name>" if a number is complex."""

    def register(function):
        @functools.wraps(function)
        def decomposed(*args, **kwargs):
            if not takes_complex(args, kwargs):
                return NotImplemented
            return function(*args, **kwargs)

        decomposition(*(f"aten.{name}" for name in names))(decomposed)
        return function

    return register


def _parts(x):
    return torch.real(x), torch.imag(x)


def _elementary(*names):
    """The same for unary functions, which take and return the parts as doubles."""

    def register(function):
        @functools.wraps(function)
        def decomposed(x):
            return torch.complex(*function(*_parts(x.to(torch.complex128)))).to(x.dtype)

        of_complex(*(f"{name}.default" for name in names))(decomposed)
        return function

    return register


def _size(a, b):
    return torch.hypot(a, b)


@_elementary("sqrt")
def sqrt(a, b):
    size = _size(a, b)
    root = ((size + a.abs()) / 2).sqrt()
    other = torch.where(root == 0, 0.0, b.abs() / (2 * torch.where(root == 0, 1.0, root)))
    real, imag = torch.where(a < 0, other, root), torch.where(a < 0, root, other)
    return real, torch.copysign(imag, b)


@_elementary("rsqrt")
def rsqrt(a, b):
    a, b = sqrt(a, b)
    square = a * a + b * b
    return a / square, -b / square


@_elementary("log")
def log(a, b):
    return _size(a, b).log(), torch.atan2(b, a)


def _logarithm(base, a, b):
    a, b = log(a, b)
    return a / math.log(base), b / math.log(base)


for _name, _base in (("log2", 2), ("log10", 10)):
    _elementary(_name)(functools.partial(_logarithm, _base))


@_elementary("log1p")
def log1p(a, b):
    """The magnitude from its square less 1, if that is small."""
    apart = a * (2 + a) + b * b
    near = torch.log1p(apart.clamp(min=-0.75)) / 2
    return torch.where(apart.abs() < 0.5, near, _size(1 + a, b).log()), torch.atan2(b, 1 + a)


@_elementary("expm1")
def expm1(a, b):
    half = (b / 2).sin()
    return torch.expm1(a) * b.cos() - 2 * half * half, a.exp() * b.sin()


@_elementary("exp2")
def exp2(a, b):
    size, turn = torch.exp2(a), b * math.log(2)
    return size * turn.cos(), size * turn.sin()


@_elementary("sigmoid")
def sigmoid(a, b):
    """1 / (1 + exp(-z))"""
    size = (-a.clamp(min=-600.0)).exp()
    real, imag = 1 + size * b.cos(), -size * b.sin()
    square = real * real + imag * imag
    return real / square, -imag / square


@_elementary("sin")
def sin(a, b):
    return a.sin() * b.cosh(), a.cos() * b.sinh()


@_elementary("cos")
def cos(a, b):
    return a.cos() * b.cosh(), -a.sin() * b.sinh()


@_elementary("sinh")
def sinh(a, b):
    return a.sinh() * b.cos(), a.cosh() * b.sin()


@_elementary("cosh")
def cosh(a, b):
    return a.cosh() * b.cos(), a.sinh() * b.sin()


@_elementary("tanh")
def tanh(a, b):
    a = a.clamp(-300.0, 300.0)
    divisor = (2 * a).cosh() + (2 * b).cos()
    return (2 * a).sinh() / divisor, (2 * b).sin() / divisor


@_elementary("tan")
def tan(a, b):
    """-i tanh(iz)"""
    real, imag = tanh(-b, a)
    return imag, -real


def _product(a, b, c, d):
    return a * c - b * d, a * d + b * c


@_elementary("asin")
def asin(a, b):
    first, second = sqrt(1 - a, -b), sqrt(1 + a, b)
    real = torch.atan2(a, _product(*first, *second)[0])
    return real, torch.asinh(_product(first[0], -first[1], *second)[1])


@_elementary("acos")
def acos(a, b):
    first, second = sqrt(1 - a, -b), sqrt(1 + a, b)
    real = 2 * torch.atan2(first[0], second[0])
    return real, torch.asinh(_product(second[0], -second[1], *first)[1])


@_elementary("acosh")
def acosh(a, b):
    first, second = sqrt(a - 1, b), sqrt(a + 1, b)
    real = torch.asinh(_product(first[0], -first[1], *second)[0])
    return real, 2 * torch.atan2(first[1], second[0])


@_elementary("asinh")
def asinh(a, b):
    """-i asin(iz)"""
    real, imag = asin(-b, a)
    return imag, -real


@_elementary("atanh")
def atanh(a, b):
    real = torch.log1p(4 * a / ((1 - a) * (1 - a) + b * b)) / 4
    return real, torch.atan2(2 * b, (1 - a) * (1 + a) - b * b) / 2


@_elementary("atan")
def atan(a, b):
    """-i atanh(iz)"""
    real, imag = atanh(-b, a)
    return imag, -real


@_elementary("sgn", "sign")
def sgn(a, b):
    size = _size(a, b)
    divisor = torch.where(size == 0, 1.0, size)
    return a / divisor, b / divisor


# ----------------------------------------------------------------------------
# Powers and multiplication
# ----------------------------------------------------------------------------


def _wide(x):
    if isinstance(x, torch.Tensor):
        return x.to(torch.complex128)
    return torch.full((), complex(x), dtype=torch.complex128)


@of_complex("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(x, y):
    """By logarithms, except for squares and cubes."""
    dtype, is_number = torch.result_type(x, y), not isinstance(y, torch.Tensor)
    if is_number and y in (1, 2, 3):
        result = x
        for _ in range(int(y) - 1):
            result = result * x
        return result.to(dtype)
    a, b = _parts(_wide(x))
    c, d = _parts(_wide(y))
    zero = (a == 0) & (b == 0)
    real, imag = log(torch.where(zero, 1.0, a), b)
    real, imag = _product(real, imag, c, d)
    size = real.exp()
    real, imag = size * imag.cos(), size * imag.sin()
    # Powers of zero are 0, or 1 if the exponent is the number 0, else undefined.
    undefined = torch.where(c < 0, math.inf, 1.0 if is_number and y == 0 else math.nan)
    real = torch.where(zero, torch.where(c > 0, 0.0, undefined), real)
    rest = 0.0 if is_number and y == 0 else math.nan
    imag = torch.where(zero, torch.where(c > 0, 0.0, rest), imag)
    return torch.complex(real, imag).to(dtype)


def _by_size_and_angle(x, multiply, add):
    """Multiplies magnitudes and adds angles."""
    a, b = _parts(_wide(x))
    size, angle = multiply(_size(a, b)), add(torch.atan2(b, a))
    return torch.complex(size * angle.cos(), size * angle.sin())


@of_complex("prod.default", "prod.dim_int")
def prod(x, dim=None, keepdim=False, *, dtype=None):
    dtype = dtype or x.dtype
    arguments = () if dim is None else (dim, keepdim)
    result = _by_size_and_angle(x, lambda s: s.prod(*arguments), lambda t: t.sum(*arguments))
    return result.to(dtype)


@of_complex("cumprod.default")
def cumprod(x, dim, *, dtype=None):
    dtype = dtype or x.dtype
    return _by_size_and_angle(x, lambda s: s.cumprod(dim), lambda t: t.cumsum(dim)).to(dtype)


# ----------------------------------------------------------------------------
# Comparison and statistics
# ----------------------------------------------------------------------------


@of_complex("eq.Tensor", "eq.Scalar")
def eq(x, y):
    (a, b), (c, d) = (_parts(_as_complex(v)) for v in (x, y))
    return (a == c) & (b == d)


@of_complex("ne.Tensor", "ne.Scalar")
def ne(x, y):
    return ~eq(x, y)


def _as_complex(x):
    if not isinstance(x, torch.Tensor):
        return _wide(x)
    return x if x.is_complex() else torch.complex(*(p.to(torch.float64) for p in (x, 0 * x)))


@of_complex("isnan.default")
def isnan(x):
    a, b = _parts(x)
    return a.isnan() | b.isnan()


@of_complex("isinf.default")
def isinf(x):
    a, b = _parts(x)
    return a.isinf() | b.isinf()


@of_complex("isfinite.default")
def isfinite(x):
    a, b = _parts(x)
    return a.isfinite() & b.isfinite()


def _boolean(x):
    return x != 0 if isinstance(x, torch.Tensor) and x.is_complex() else x


@of_complex("logical_not.default")
def logical_not(x):
    return torch.logical_not(_boolean(x))


for _name in ("and", "or", "xor"):
    of_complex(f"logical_{_name}.default")(
        lambda x, y, _name=_name: getattr(torch, f"logical_{_name}")(_boolean(x), _boolean(y))
    )
for _name in ("any", "all"):
    of_complex(f"{_name}.default", f"{_name}.dim", f"{_name}.dims")(
        lambda x, *args, _name=_name, **kwargs: getattr(torch, _name)(_boolean(x), *args, **kwargs)
    )


@of_complex("nonzero.default")
def nonzero(x):
    return _boolean(x).nonzero()


@of_complex("nonzero_static.default")
def nonzero_static(x, *, size, fill_value=-1):
    return torch.nonzero_static(_boolean(x), size=size, fill_value=fill_value)


@of_complex("var.correction")
def var(x, dim=None, *, correction=None, keepdim=False):
    return sum(torch.var(p, dim, correction=correction, keepdim=keepdim) for p in _parts(x))


@of_complex("std.correction")
def std(x, dim=None, *, correction=None, keepdim=False):
    return var(x, dim, correction=correction, keepdim=keepdim).sqrt()


@of_complex("var_mean.correction")
def var_mean(x, dim=None, *, correction=None, keepdim=False):
    mean = x.mean(list(range(x.dim())) if dim is None else dim, keepdim)
    return var(x, dim, correction=correction, keepdim=keepdim), mean


@of_complex("linalg_vector_norm.default")
def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    size = _size(*_parts(x))
    return torch.linalg.vector_norm(size, ord, dim, keepdim, dtype=dtype and dtype.to_real())


@of_complex("addcmul.default")
def addcmul(x, first, second, *, value=1):
    return x + first * second * value


@of_complex("addcdiv.default")
def addcdiv(x, first, second, *, value=1):
    return x + first / second * value


@of_complex("lerp.Scalar", "lerp.Tensor")
def lerp(start, end, weight):
    return start + weight * (end - start)


@of_complex("dot.default")
def dot(x, y):
    return (x * y).sum()


@of_complex("vdot.default")
def vdot(x, y):
    return (x.conj_physical() * y).sum()


@of_complex("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x, mask, value):
    return torch.where(mask, value, x)


def _plus(product, x, first, second, beta, alpha):
    term = product(first, second) * alpha
    return term if beta == 0 else x * beta + term


@of_complex("addmm.default", "addmv.default")
def addmm(x, first, second, *, beta=1, alpha=1):
    if statically_known_true(first.shape[0] == 0) and x.dim() < second.dim():
        # PyTorch returns `x` with its own sizes, which are not those of the result.
        return NotImplemented
    return _plus(torch.matmul, x, first, second, beta, alpha)


@of_complex("baddbmm.default")
def baddbmm(x, first, second, *, beta=1, alpha=1):
    return _plus(torch.bmm, x, first, second, beta, alpha)


@of_complex("addbmm.default")
def addbmm(x, first, second, *, beta=1, alpha=1):
    return _plus(lambda p, q: torch.bmm(p, q).sum(0), x, first, second, beta, alpha)


@decomposition("aten.linspace.default")
def linspace(start, end, steps, *, dtype=None, layout=None, device=None, pin_memory=None):
    dtype = dtype or (torch.complex64 if takes_complex(start, end) else torch.float32)
    if not dtype.is_complex:
        return NotImplemented
    start, end = complex(start), complex(end)
    ends = (start.real, end.real), (start.imag, end.imag)
    return torch.complex(*(torch.linspace(*e, steps, dtype=dtype.to_real()) for e in ends))


@of_complex("logcumsumexp.default")
def logcumsumexp(x, dim):
    """Relative to the maximum of all real parts."""
    if x.dim() == 0:
        return x.clone()
    wide = _wide(x)
    real = torch.real(wide)
    # The axis may be empty.
    least = torch.full_like(real.sum(dim, keepdim=True), -math.inf)
    maximum = torch.cat([real, least], dim).amax(dim, keepdim=True)
    maximum = torch.where(maximum.isinf(), 0.0, maximum)
    return ((wide - maximum).exp().cumsum(dim).log() + maximum).to(x.dtype)
