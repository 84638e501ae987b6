# ===- fourier.py - Fourier transforms -------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms. The compiler chooses how they are computed."""

import torch

from dyn.frontend.torch import registry
from dyn.frontend.torch.complex import Complex
from dyn.frontend.torch.registry import complex_op
from dyn.frontend.torch.sizes import product


def _transform(b, x, axis, forward, half=None, real=None):
    """Transforms along one axis. `x` may be real; then only the first `half` elements are
    computed, if given. With `real`, `x` is the first half of a transform of as many real
    numbers, which are the result."""
    parts = x.parts if isinstance(x, Complex) else (x,)
    dtype = parts[0].dtype
    if dtype not in (torch.float32, torch.float64):
        parts = [b.convert(part, torch.float32) for part in parts]
    sizes = list(parts[0].sizes)
    sizes[axis] = next((n for n in (half, real) if n is not None), sizes[axis])
    results = [b.value(sizes, parts[0].dtype) for _ in range(1 if real is not None else 2)]
    text = "" if forward else "inverse "
    text += ", ".join(map(str, parts))
    text += "" if half is None and real is None else " half"
    names = ", ".join(map(str, results))
    b.line(f"{names} = dhlo.fft {text} axis = {axis} : {b.signature(parts, results)}")
    results = [b.convert(part, dtype) for part in results]
    return results[0] if real is not None else Complex(*results)


def _scaled(b, x, weight):
    """Times a scalar of f64, or the same without one."""
    if weight is None:
        return x
    if isinstance(x, Complex):
        return Complex(*(_scaled(b, part, weight) for part in x.parts))
    return b.binary("mul", x, b.convert(weight, x.dtype))


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
        self = _transform(b, self, axis, forward)
    return _scaled(b, self, weight)


@complex_op("aten._fft_r2c.default")
def fft_r2c(b, self, dim, normalization, onesided):
    """For real numbers: the upper half of the frequencies of the last axis are the
    conjugates of the lower half, and are omitted if `onesided`."""
    *others, last = _axes(b, self, dim)
    weight = _normalization(b, normalization, b.count(self, [*others, last]))
    x = _transform(b, self, last, True, b.out.sizes[last] if onesided else None)
    for axis in others:
        x = _transform(b, x, axis, True)
    return _scaled(b, x, weight)


@complex_op("aten._fft_c2r.default")
def fft_c2r(b, self, dim, normalization, last_dim_size):
    """To real numbers, from the first half of the elements of the last axis."""
    *others, last = _axes(b, self, dim)
    x, sizes = self, b.out.sizes
    for axis in others:
        x = _transform(b, x, axis, False)
    weight = _normalization(b, normalization, product([sizes[a] for a in [*others, last]]))
    return _scaled(b, _transform(b, x, last, False, real=sizes[last]), weight)


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
    half = b.out.sizes[-2] if onesided or onesided is None else None
    y = _scaled(b, _transform(b, frames, 2, True, half), weight)
    return Complex(*(b.reshape(b.swap(part, 1, 2), b.out.sizes) for part in y.parts))
