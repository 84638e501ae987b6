# ===- complex.py - Operators on complex numbers ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on complex numbers: a + bi and c + di in the comments below."""

import functools

import torch

from dyn.frontend.torch import registry, types
from dyn.frontend.torch.builder import Value
from dyn.frontend.torch.complex import (
    Complex,
    by_parts,
    conjugate,
    creates_like,
    part_dtype,
    to_complex,
)
from dyn.frontend.torch.ops import creation, movement, contractions
from dyn.frontend.torch.ops.elementwise import length, to_integer
from dyn.frontend.torch.registry import complex_op

for _name in (
    "view.default _unsafe_view.default reshape.default unflatten.int flatten.using_ints "
    "unsqueeze.default squeeze.dim squeeze.dims squeeze.default permute.default transpose.int "
    "t.default expand.default expand_as.default repeat.default flip.default roll.default "
    "slice.Tensor select.int narrow.default split_with_sizes.default split.Tensor chunk.default "
    "unbind.int unfold.default diagonal.default tril.default triu.default clone.default "
    "contiguous.default alias.default detach.default lift_fresh_copy.default embedding.default "
    "index_select.default gather.default index.Tensor neg.default zeros_like.default "
    "zeros.default new_zeros.default empty_like.default empty.memory_format new_empty.default "
    "index_put.default _unsafe_index_put.default index_add.default index_copy.default "
    "scatter.src scatter_add.default select_scatter.default slice_scatter.default "
    "masked_select.default masked_scatter.default as_strided.default copy.default "
    "as_strided_scatter.default empty_permuted.default pixel_shuffle.default _unsafe_index.Tensor empty_strided.default new_empty_strided.default"
).split():
    complex_op(f"aten.{_name}")(by_parts(registry.lookup(f"aten.{_name}")))
for _name in (
    "cat.default stack.default sum.default sum.dim_IntList mean.default mean.dim cumsum.default"
).split():
    complex_op(f"aten.{_name}")(by_parts(registry.lookup(f"aten.{_name}"), data=(0,)))
for _name in ("self", "Scalar", "ScalarSelf", "ScalarOther"):
    _where = registry.lookup(f"aten.where.{_name}")
    complex_op(f"aten.where.{_name}")(by_parts(_where, data=(1, 2)))


def _pad(b, self, pad, mode, value):
    number = complex(value or 0)
    return Complex(
        movement.pad(b, self.real, pad, mode, number.real),
        movement.pad(b, self.imag, pad, mode, number.imag),
    )


@complex_op("aten.pad.default")
def pad(b, self, pad, mode="constant", value=None):
    return _pad(b, self, pad, mode, value)


@complex_op("aten.constant_pad_nd.default")
def constant_pad_nd(b, self, pad, value=0):
    return _pad(b, self, pad, "constant", value)


# ----------------------------------------------------------------------------
# Parts
# ----------------------------------------------------------------------------


@complex_op("aten.view_as_real.default")
def view_as_real(b, self):
    return b.concat([b.unsqueeze(part, self.rank) for part in self.parts], self.rank)


@complex_op("aten.view_as_complex.default")
def view_as_complex(b, self):
    return split_parts(b, self)


def split_parts(b, x):
    """A complex tensor from a real one with the parts along its last axis."""
    axis = x.rank - 1
    return Complex(*(b.squeeze(b.slice(x, axis, i, 1), [axis]) for i in (0, 1)))


@complex_op("aten.real.default")
def real(b, self):
    return self.real


@complex_op("aten.imag.default")
def imag(b, self):
    return self.imag


@complex_op("aten.complex.default")
def complex_(b, real, imag):
    sizes, dtype = b.out.sizes, part_dtype(b.out.dtype)
    return Complex(*(b.broadcast_to(b.convert(part, dtype), sizes) for part in (real, imag)))


@complex_op("aten.polar.default")
def polar(b, abs, angle):
    turned = (b.unary(name, angle) for name in ("cos", "sin"))
    return Complex(*(b.binary("mul", abs, part) for part in turned))


@complex_op("aten._conj.default", "aten.conj.default", "aten._conj_physical.default",
            "aten.conj_physical.default")  # fmt: skip
def conj(b, self):
    return conjugate(b, self)


@complex_op("aten.resolve_conj.default", "aten.resolve_neg.default")
def resolve(b, self):
    return self


@complex_op("aten.abs.default")
def abs_(b, self):
    return length(b, *self.parts)


@complex_op("aten.angle.default")
def angle(b, self):
    return b.binary("atan2", self.imag, self.real)


@complex_op("aten._to_copy.default", "aten.to.dtype", "aten.to.device", "aten.to.dtype_layout")
def to_copy(b, self, *options, **named):
    """A conversion to a real type drops the imaginary part, as PyTorch does with a
    warning."""
    dtype = part_dtype(b.out.dtype)
    if b.out.dtype is torch.bool:
        return b.binary("or", *(b.compare("ne", part, 0) for part in self.parts))
    if not b.out.dtype.is_complex:
        # `self` is complex, otherwise this function is not called.
        return to_dtype_of(b, self.real, dtype)
    return to_complex(b, self, dtype)


def to_dtype_of(b, x, dtype):
    is_cut = types.is_float(x.dtype) and types.is_integer(dtype)
    return to_integer(b, x, dtype) if is_cut else b.convert(x, dtype)


@complex_op("aten.eye.default", "aten.eye.m")
def eye(b, *sizes, **options):
    return to_complex(b, creation.ones_of(b, part_dtype(b.out.dtype)), part_dtype(b.out.dtype))


@complex_op("aten.full.default", "aten.full_like.default")
@creates_like(creation.full)
def full(b, like_or_size, fill_value, **options):
    parts = to_complex(b, fill_value, part_dtype(b.out.dtype)).parts
    return Complex(*(b.broadcast_to(part, b.out.sizes) for part in parts))


@complex_op("aten.new_full.default")
def new_full(b, self, size, fill_value, **options):
    return full(b, size, fill_value)


@complex_op("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(b, *like_or_size, **options):
    return full(b, (), 1)


@complex_op("aten.scalar_tensor.default")
def scalar_tensor(b, s, **options):
    return full(b, (), s)


# ----------------------------------------------------------------------------
# Arithmetic
# ----------------------------------------------------------------------------


def _pair(b, x, y):
    dtype = part_dtype(b.out.dtype)
    return to_complex(b, x, dtype), to_complex(b, y, dtype)


def _each(b, name, x, y):
    return Complex(*(b.binary(name, p, q) for p, q in zip(x.parts, y.parts)))


def _scale(b, name, x, factor):
    """Applies an operation with a real tensor or number to both parts."""
    dtype = part_dtype(b.out.dtype)
    factor = b.typed(factor, dtype)
    return Complex(*(b.binary(name, b.convert(part, dtype), factor) for part in x.parts))


def _is_real(x):
    return not isinstance(x, (Complex, complex))


def _sum(name, b, self, other, alpha=1):
    x, y = _pair(b, self, other if alpha == 1 else _product(b, other, alpha))
    return _each(b, name, x, y)


for _name in ("add", "sub"):
    complex_op(f"aten.{_name}.Tensor", f"aten.{_name}.Scalar")(functools.partial(_sum, _name))


@complex_op("aten.rsub.Tensor", "aten.rsub.Scalar")
def rsub(b, self, other, alpha=1):
    return _sum("sub", b, other, self, alpha)


def _product(b, x, y):
    """(ac - bd) + (ad + bc)i"""
    if _is_real(x) and _is_real(y):
        return b.binary("mul", x, y)
    if _is_real(y) and isinstance(x, Complex):
        return _scale(b, "mul", x, y)
    if _is_real(x) and isinstance(y, Complex):
        return _scale(b, "mul", y, x)
    x, y = _pair(b, x, y)
    return bilinear(b, functools.partial(b.binary, "mul"), x, y)


def bilinear(b, product, x, y):
    """A bilinear function of real tensors, applied to complex ones."""
    real = b.binary("sub", product(x.real, y.real), product(x.imag, y.imag))
    imag = b.binary("add", product(x.real, y.imag), product(x.imag, y.real))
    return Complex(real, imag)


@complex_op("aten.mul.Tensor", "aten.mul.Scalar")
def mul(b, self, other):
    return _product(b, self, other)


@complex_op("aten.square.default")
def square(b, self):
    return _product(b, self, self)


@complex_op("aten.div.Tensor", "aten.div.Scalar")
def div(b, self, other):
    """Divides by the larger part of the divisor first, so that no square overflows: x / (c
    + di) = x (c - di)/s / ((c/s) c + (d/s) d) with s = max(|c|, |d|). A divisor of zero
    divides both parts."""
    if _is_real(other):
        return _scale(b, "div", self, other)
    x, y = _pair(b, self, other)
    scale = b.binary("maximum", *(b.unary("abs", part) for part in y.parts))
    one = b.scalar(1, scale.dtype)
    real = b.select(b.compare("lt", y.real, 0), b.unary("neg", one), one)
    imag = b.unary("sign", y.imag)
    small = Complex(_over(b, y.real, scale, real), _over(b, y.imag, scale, imag))
    square = b.binary(
        "add", b.binary("mul", small.real, y.real), b.binary("mul", small.imag, y.imag)
    )
    above = _product(b, x, conj(b, small))
    return Complex(*(b.binary("div", part, square) for part in above.parts))


def _over(b, part, scale, sign):
    """A part of a number over the larger one; if it is the larger one, which may be
    infinite or zero, its sign."""
    is_larger = b.compare("eq", b.unary("abs", part), scale)
    return b.select(is_larger, sign, b.binary("div", part, scale))


@complex_op("aten.reciprocal.default")
def reciprocal(b, self):
    return div(b, 1, self)


@complex_op("aten.exp.default")
def exp(b, self):
    return polar(b, b.unary("exp", self.real), self.imag)


def _matrices(name, b, self, other):
    """A matmul, one of whose operands may be real."""
    function = functools.partial(getattr(contractions, name), b)
    x, y = (
        v if isinstance(v, Complex) else b.convert(v, part_dtype(b.out.dtype))
        for v in (self, other)
    )
    if isinstance(x, Value):
        return Complex(*(function(x, part) for part in y.parts))
    if isinstance(y, Value):
        return Complex(*(function(part, y) for part in x.parts))
    return bilinear(b, function, x, y)


for _name in ("mm", "bmm", "mv", "matmul"):
    complex_op(f"aten.{_name}.default")(functools.partial(_matrices, _name))
