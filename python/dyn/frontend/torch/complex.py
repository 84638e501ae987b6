# ===- complex.py - Complex numbers as two tensors -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex tensors: dhlo has none, so each is two tensors, its real and imaginary parts.

Operators that move elements, and linear ones, are applied to each part (:func:`by_parts`);
the others are in ops/complex.py.
"""

import dataclasses
import functools

import torch
from torch.utils import _pytree as pytree

from dyn.frontend.torch.builder import Value, retyped


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
    def dtype(self):
        return self.real.dtype.to_complex()

    @property
    def parts(self):
        return self.real, self.imag


def is_complex(meta):
    """Whether a value of PyTorch is a complex tensor, or a tuple with one."""
    if isinstance(meta, (list, tuple)):
        return any(map(is_complex, meta))
    return isinstance(meta, torch.Tensor) and meta.dtype.is_complex


def calls_complex(node):
    """Whether a call takes or returns complex numbers."""
    values = pytree.tree_leaves((node.meta.get("val"), node.args, node.kwargs))
    metas = [v.meta.get("val") if isinstance(v, torch.fx.Node) else v for v in values]
    return any(is_complex(m) or isinstance(m, complex) for m in metas)


def part_dtype(dtype):
    """The element type of the parts of a type's numbers."""
    return dtype.to_real() if dtype.is_complex else dtype


def to_complex(b, x, dtype):
    """A tensor or number as a complex one with parts of this element type."""
    if isinstance(x, Complex):
        return Complex(*(b.convert(part, dtype) for part in x.parts))
    if isinstance(x, Value):
        return Complex(b.convert(x, dtype), b.full(0, x.sizes, dtype))
    if not isinstance(x, complex):
        return Complex(b.scalar(x, dtype), b.scalar(0, dtype))
    return Complex(b.scalar(x.real, dtype), b.scalar(x.imag, dtype))


def conjugate(b, x):
    """The conjugate; a real tensor is unchanged."""
    return Complex(x.real, b.unary("neg", x.imag)) if isinstance(x, Complex) else x


def real_part(x):
    return x.real if isinstance(x, Complex) else x


def parts_of(values):
    """The tensors that represent values: two for a complex one."""
    return [p for x in values for p in (x.parts if isinstance(x, Complex) else (x,))]


def whole_of(parts, values):
    """The inverse: groups parts according to `values`."""
    parts = iter(parts)
    return [Complex(next(parts), next(parts)) if isinstance(x, Complex) else next(parts)
            for x in values]  # fmt: skip


def creates_like(real):
    """Decorates the function of an operator that makes a complex tensor. One that makes a real
    tensor like a complex one ignores its elements, and is `real`."""

    def decorate(function):
        @functools.wraps(function)
        def build(b, *args, **kwargs):
            if _dtype_of(b.out).is_complex:
                return function(b, *args, **kwargs)
            return real(b, *(_part(a, 0) for a in args), **kwargs)

        return build

    return decorate


def _dtype_of(out):
    """The element type of a result, or of the first of several."""
    return (out[0] if isinstance(out, tuple) else out).dtype


def by_parts(function, data=()):
    """The function of an operator that is applied to each part. Its operands at the
    positions `data` may be real tensors and numbers, whose imaginary parts are zeros; other
    real tensors are indices and masks. A real result is that of :func:`creates_like`."""

    @creates_like(function)
    def build(b, *args, **kwargs):
        whole, parts = b.out, []
        dtype = part_dtype(_dtype_of(whole))
        args = [_complete(b, a, dtype) if i in data else a for i, a in enumerate(args)]
        b.out = retyped(whole, part_dtype)
        for number in (0, 1):
            chosen = [_part(a, number) for a in args]
            named = {name: _part(a, number) for name, a in kwargs.items()}
            parts.append(function(b, *chosen, **named))
        b.out = whole
        if isinstance(parts[0], tuple):
            return tuple(Complex(*pair) for pair in zip(*parts))
        return Complex(*parts)

    return build


def _complete(b, a, dtype):
    if isinstance(a, (list, tuple)):
        return [to_complex(b, x, dtype) for x in a]
    return to_complex(b, a, dtype)


def _part(a, number):
    if isinstance(a, (list, tuple)):
        return [_part(x, number) for x in a]
    return a.parts[number] if isinstance(a, Complex) else a
