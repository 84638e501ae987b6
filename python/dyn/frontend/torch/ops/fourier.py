# ===- fourier.py - Fourier transforms -------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms: matmuls with matrices of cosines and sines, for any length. The work
grows with the square of the length."""

import torch

from dyn.frontend.torch import registry
from dyn.frontend.torch.complex import Complex
from dyn.frontend.torch.ops.complex import bilinear
from dyn.frontend.torch.registry import complex_op
from dyn.frontend.torch.sizes import product, to_expr

#: Maximum number of elements of a matrix that is part of the program.
_MOST_KNOWN = 1 << 20
#: Elements from which the halves of a transform of real numbers are worth their sums.
_FEW = 16


def _turns(b, rows, columns, length):
    """Cosines and sines of i j / length turns in f64, [rows, columns]. Angles are reduced
    to one turn by whole numbers, so that they are exact to f64: in f64, which has all below
    2^53, as integers have no division of vectors. Known ones are constants."""
    known = all(to_expr(n).is_number for n in (rows, columns, length))
    if known and rows * columns <= _MOST_KNOWN:
        i, j = (torch.arange(int(n), dtype=torch.float64) for n in (rows, columns))
        angle = i[:, None] * j % int(length) * 6.283185307179586 / int(length)
        return b.elements(angle.cos()), b.elements(angle.sin())
    i = b.convert(b.iota(0, [rows, 1], torch.int64), torch.float64)
    j = b.convert(b.iota(1, [1, columns], torch.int64), torch.float64)
    length = b.convert(b.scalar(length, torch.int64), torch.float64)
    turns = b.binary("mul", i, j)
    whole = b.unary("floor", b.binary("div", turns, length))
    turns = b.binary("sub", turns, b.binary("mul", whole, length))
    angle = b.binary("div", b.binary("mul", turns, 6.283185307179586), length)
    return b.unary("cos", angle), b.unary("sin", angle)


def _transform(b, x, axis, forward, weight=None, result=None):
    """Transforms along one axis. `x` may be real; `weight` is a scale in f64; the first
    `result` frequencies are computed, or all."""
    parts = x.parts if isinstance(x, Complex) else (x,)
    length = parts[0].sizes[axis]
    matrix = _turns(b, length if result is None else result, length, length)
    if weight is not None:
        matrix = [b.binary("mul", m, weight) for m in matrix]
    cosine, sine = (b.convert(m, parts[0].dtype) for m in matrix)
    turns = Complex(cosine, b.unary("neg", sine) if forward else sine)
    if not isinstance(x, Complex):
        return _transform_real(b, x, axis, turns)
    return bilinear(b, lambda part, m: b.along(part, axis, m), x, turns)


def _transform_real(b, x, axis, turns):
    """Cosines are the same for elements n and length - n, and sines are the opposite, so
    sums and differences of such pairs are multiplied by half of each matrix."""
    length = to_expr(x.sizes[axis])
    if not length.is_number or length < _FEW:
        return Complex(*(b.along(x, axis, m) for m in turns.parts))
    length = int(length)
    pairs = (length - 1) // 2
    first = b.slice(x, axis, 1, pairs)
    second = b.reverse(b.slice(x, axis, length - pairs, pairs), [axis])
    low, high = [0] * x.rank, [0] * x.rank
    low[axis], high[axis] = 1, (length + 1) % 2
    # The first element, and the one in the middle of an even number, have no other.
    alone = b.slice(x, axis, 0, length // 2 + 1)
    sums = b.binary("add", alone, b.pad(second, low, high))
    cosine = b.slice(turns.real, 1, 0, length // 2 + 1)
    sine = b.slice(turns.imag, 1, 1, pairs)
    return Complex(b.along(sums, axis, cosine),
                   b.along(b.binary("sub", first, second), axis, sine))  # fmt: skip


def _normalization(b, normalization, count):
    """The scale of results, in f64: none for 0, the reciprocal of the root of the number of
    elements for 1, that of the number for 2."""
    if normalization == 0:
        return None
    count = b.scalar(count, torch.float64)
    if normalization == 1:
        count = b.unary("sqrt", count)
    return b.binary("div", b.scalar(1, torch.float64), count)


def _axes(b, x, dim):
    return [b.axis(axis, x.rank) for axis in dim]


@complex_op("aten._fft_c2c.default")
def fft_c2c(b, self, dim, normalization, forward):
    weight = _normalization(b, normalization, b.count(self, _axes(b, self, dim)))
    for axis in _axes(b, self, dim):
        self, weight = _transform(b, self, axis, forward, weight), None
    return self


@complex_op("aten._fft_r2c.default")
def fft_r2c(b, self, dim, normalization, onesided):
    """For real numbers: the upper half of the frequencies of the last axis are the
    conjugates of the lower half, and are omitted if `onesided`."""
    *others, last = _axes(b, self, dim)
    weight = _normalization(b, normalization, b.count(self, [*others, last]))
    x = _transform(b, self, last, True, weight, b.out.sizes[last])
    for axis in others:
        x = _transform(b, x, axis, True)
    return x


@complex_op("aten._fft_c2r.default")
def fft_c2r(b, self, dim, normalization, last_dim_size):
    """To real numbers, from the first half of the frequencies: each except the first and
    the middle one counts twice."""
    *others, last = _axes(b, self, dim)
    x = self
    for axis in others:
        x = _transform(b, x, axis, False)
    length, used, dtype = b.out.sizes[last], x.sizes[last], x.real.dtype
    column = b.iota(1, [1, used], torch.int64)
    ends = b.binary("or", b.compare("eq", column, 0),
                    b.compare("eq", b.binary("mul", column, 2), length))  # fmt: skip
    one = b.scalar(1, torch.float64)
    weight = b.select(ends, one, b.scalar(2, torch.float64))
    scale = _normalization(b, normalization, product([b.out.sizes[a] for a in [*others, last]]))
    if scale is not None:
        weight = b.binary("mul", weight, scale)
    cosine, sine = _turns(b, length, used, length)
    cosine, sine = (b.convert(b.binary("mul", m, weight), dtype) for m in (cosine, sine))
    return b.binary("sub", b.along(x.real, last, cosine), b.along(x.imag, last, sine))


@complex_op("aten.stft.default")
def stft(b, self, n_fft, hop_length=None, win_length=None, window=None, normalized=False,
         onesided=None, return_complex=None, align_to_window=None):  # fmt: skip
    """Fourier transforms of frames of the signal, one every `hop_length` elements: [...,
    frequency, frame]."""
    length, hop = int(n_fft), int(hop_length or int(n_fft) // 4)
    if align_to_window:
        raise registry.Refused("expected frames that are aligned at the left")
    if window is not None:
        wide = int(win_length or n_fft)
        left = (length - wide) // 2
        window = b.pad(b.broadcast_to(window, [wide]), [left], [length - wide - left])
    if isinstance(window, Complex):
        raise registry.Refused("expected a window of real numbers")
    if isinstance(self, Complex):
        parts = [
            stft(b, part, n_fft, hop_length, win_length, window, normalized, onesided)
            for part in self.parts
        ]
        turned = Complex(b.unary("neg", parts[1].imag), parts[1].real)
        return Complex(*(b.binary("add", p, q) for p, q in zip(parts[0].parts, turned.parts)))
    x = self if self.rank == 2 else b.unsqueeze(self, 0)
    count = b.out.sizes[-1]
    starts = b.iota(0, [count, 1], torch.int64, step=hop)
    indices = b.binary("add", starts, b.iota(1, [1, length], torch.int64))
    frames = b.gather(x, indices, 1)
    if window is not None:
        frames = b.binary("mul", frames, b.convert(window, frames.dtype))
    weight = _normalization(b, int(bool(normalized)), length)
    y = _transform(b, frames, 2, True, weight, b.out.sizes[-2])
    return Complex(*(b.reshape(b.swap(part, 1, 2), b.out.sizes) for part in y.parts))
