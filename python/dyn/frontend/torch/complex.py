# ===- complex.py - Complex numbers as two tensors -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex tensors: dhlo has none, so each is two, its real and imaginary parts.

Operators that move elements, and those that are linear, do the same to both
parts (:func:`by_parts`); the others are in ops/complex.py.
"""

import dataclasses

import torch

from dyn.frontend.torch.builder import Meta, Value
from dyn.frontend.torch.types import is_float


@dataclasses.dataclass(frozen=True)
class Complex:
    """A complex tensor. Its parts have the same sizes and element type."""

    real: Value
    imag: Value

    @property
    def sizes(self):
        return self.real.sizes

    @property
    def rank(self):
        return self.real.rank

    @property
    def parts(self):
        return self.real, self.imag


def is_complex(meta):
    """Whether PyTorch's value is a complex tensor, or a tuple with one."""
    if isinstance(meta, (list, tuple)):
        return any(map(is_complex, meta))
    return isinstance(meta, torch.Tensor) and meta.dtype.is_complex


def part_dtype(dtype):
    """The element type of the parts of a type's numbers."""
    return dtype.to_real() if dtype.is_complex else dtype


def to_complex(b, x, dtype):
    """A tensor or number, with parts of this element type."""
    if isinstance(x, Complex):
        return Complex(*(b.convert(part, dtype) for part in x.parts))
    if isinstance(x, Value):
        return Complex(b.convert(x, dtype), b.full(0, x.sizes, dtype))
    if not isinstance(x, complex):
        return Complex(b.scalar(x, dtype), b.scalar(0, dtype))
    return Complex(b.scalar(x.real, dtype), b.scalar(x.imag, dtype))


def by_parts(function):
    """The function of an operator that does the same to both parts. Real tensors
    among its operands have zeros as imaginary parts; integers and truth values
    are indices and masks."""

    def build(b, *args, **kwargs):
        whole, parts = b.out, []
        for number in (0, 1):
            b.out = _part_meta(whole)
            chosen = [_part(b, a, number) for a in args]
            named = {name: _part(b, a, number) for name, a in kwargs.items()}
            parts.append(function(b, *chosen, **named))
        b.out = whole
        if isinstance(parts[0], tuple):
            return tuple(Complex(*pair) for pair in zip(*parts))
        return Complex(*parts)

    return build


def _part_meta(meta):
    if isinstance(meta, tuple):
        return tuple(map(_part_meta, meta))
    return Meta(meta.sizes, part_dtype(meta.dtype)) if isinstance(meta, Meta) else meta


def _part(b, a, number):
    if isinstance(a, Complex):
        return a.parts[number]
    if isinstance(a, (list, tuple)):
        return [_part(b, x, number) for x in a]
    if number and isinstance(a, Value) and is_float(a.dtype):
        return b.full(0, a.sizes, a.dtype)
    return a
