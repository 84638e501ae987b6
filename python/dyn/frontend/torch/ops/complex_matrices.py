# ===- complex_matrices.py - Factorisations of complex matrices ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factorisations and determinants of complex matrices: the functions of factors.py and
linalg.py with a builder whose tensors may be complex. Where a transposed matrix must be
conjugated, those functions do so."""

import functools

from dyn.frontend.torch import registry
from dyn.frontend.torch.builder import Meta
from dyn.frontend.torch.complex import Complex, part_dtype, to_complex
from dyn.frontend.torch.ops import complex as numbers
from dyn.frontend.torch.ops import factors, linalg  # noqa: F401
from dyn.frontend.torch.ops.elementwise import length

#: Members that are applied to each part.
_BY_PARTS = frozenset(
    "broadcast broadcast_to gather reshape reverse slice squeeze swap transpose unsqueeze".split()
)

_ARITHMETIC = {
    name: registry.lookup(f"aten.{name}.Tensor", is_complex=True)
    for name in ("add", "sub", "mul", "div")
}


class Numbers:
    """A builder for whose members tensors may be complex."""

    def __init__(self, plain):
        self.plain = plain

    def __getattr__(self, name):
        member = getattr(self.plain, name)
        return functools.partial(_by_parts, member) if name in _BY_PARTS else member

    def convert(self, x, dtype):
        """Complex numbers stay complex: the type is that of their parts."""
        if dtype.is_complex or isinstance(x, Complex):
            return to_complex(self.plain, x, part_dtype(dtype))
        return self.plain.convert(x, dtype)

    def promote(self, x):
        return self.convert(x, self.out.dtype)

    def scalar(self, number, dtype):
        if dtype.is_complex:
            return to_complex(self.plain, number, part_dtype(dtype))
        return self.plain.scalar(number, dtype)

    def full(self, number, sizes, dtype):
        return self.broadcast_to(self.scalar(number, dtype), sizes)

    def unary(self, name, x):
        if not isinstance(x, Complex):
            return self.plain.unary(name, x)
        if name == "abs":
            return length(self.plain, *x.parts)
        if name == "sign":
            size = self.unary("abs", x)
            return self.binary("div", x, self.select(self.compare("eq", size, 0.0), 1.0, size))
        return Complex(*(self.plain.unary(name, part) for part in x.parts))

    def binary(self, name, x, y):
        among = [v for v in (x, y) if isinstance(v, Complex)]
        if not among:
            return self.plain.binary(name, x, y)
        outer, self.plain.out = self.plain.out, Meta((), among[0].dtype)
        try:
            return _ARITHMETIC[name](self.plain, x, y)
        finally:
            self.plain.out = outer

    def compare(self, direction, x, y):
        """Complex numbers may be compared for equality with real ones."""
        if not isinstance(x, Complex):
            return self.plain.compare(direction, x, y)
        first = self.plain.compare(direction, x.real, y)
        second = self.plain.compare(direction, x.imag, 0)
        return self.plain.binary({"eq": "and", "ne": "or"}[direction], first, second)

    def select(self, predicate, x, y):
        among = [v for v in (x, y) if isinstance(v, Complex)]
        if not among:
            return self.plain.select(predicate, x, y)
        pair = (to_complex(self.plain, v, among[0].real.dtype).parts for v in (x, y))
        return Complex(*(self.plain.select(predicate, *parts) for parts in zip(*pair)))

    def concat(self, parts, axis):
        if not any(isinstance(part, Complex) for part in parts):
            return self.plain.concat(parts, axis)
        return Complex(*(self.plain.concat(each, axis) for each in zip(*(p.parts for p in parts))))

    def reduce(self, kind, x, axes, keepdim=False):
        """A multiplication multiplies magnitudes and adds angles."""
        if not isinstance(x, Complex):
            return self.plain.reduce(kind, x, axes, keepdim)
        if kind == "prod":
            size = self.plain.reduce(kind, self.unary("abs", x), axes, keepdim)
            angle = self.plain.reduce("sum", numbers.angle(self.plain, x), axes, keepdim)
            return numbers.polar(self.plain, size, angle)
        return _by_parts(functools.partial(self.plain.reduce, kind), x, axes, keepdim)


def _by_parts(function, x, *args, **kwargs):
    if not isinstance(x, Complex):
        return function(x, *args, **kwargs)
    return Complex(*(function(part, *args, **kwargs) for part in x.parts))


def _with_numbers(function, b, *args, **kwargs):
    return function(Numbers(b), *args, **kwargs)


for _name in (
    "cholesky.default linalg_cholesky.default linalg_cholesky_ex.default linalg_det.default "
    "det.default linalg_slogdet.default slogdet.default linalg_lu.default lu_unpack.default "
    "linalg_lu_factor.default linalg_lu_factor_ex.default linalg_lu_solve.default "
    "linalg_qr.default linalg_householder_product.default ormqr.default"
).split():
    _function = registry.lookup(f"aten.{_name}")
    registry.complex_op(f"aten.{_name}")(functools.partial(_with_numbers, _function))


@registry.complex_op("aten.logdet.default")
def logdet(b, self):
    """With the angle as its imaginary part."""
    sign, log = linalg.linalg_slogdet(Numbers(b), self)
    return Complex(log, numbers.angle(b, sign))
