# ===- resize.py - Interpolation -------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation over the spatial axes."""

import math

import sympy
import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.ops.pooling import across_windows, along_windows
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import floor_div, to_expr
from dyn.frontend.torch.widening import widened


def _resize(b, x, sizes, mode, coord, rounding, scale_factors):
    """Coordinates follow the ratio of the sizes, or the scale factors if they are given."""
    scales = [1.0, 1.0]
    for i, size in enumerate(sizes[2:]):
        factor = scale_factors[i] if scale_factors else None
        same = size == x.sizes[i + 2] and factor in (None, 1)
        scales.append(1.0 if same else float(factor or 0.0))
    text = f"resize {mode} {coord} {rounding} {x} "
    text += f"scales = [{', '.join(map(types.decimal, scales))}] coefficient = -0.75"
    return b.call(text, [x], sizes, x.dtype)


@op("aten.upsample_nearest1d.vec", "aten.upsample_nearest2d.vec", "aten.upsample_nearest3d.vec")
def nearest(b, input, output_size, scale_factors):
    return _resize(b, input, b.out.sizes, "nearest", "asymmetric", "floor", scale_factors)


@op("aten._upsample_nearest_exact1d.vec", "aten._upsample_nearest_exact2d.vec",
    "aten._upsample_nearest_exact3d.vec")  # fmt: skip
def nearest_exact(b, input, output_size, scale_factors):
    """The element at the centre; the later one of two."""
    return _resize(
        b, input, b.out.sizes, "nearest", "half_pixel", "round_prefer_ceil", scale_factors
    )


def _smooth(b, input, mode, align_corners, scale_factors):
    coord = "align_corners" if align_corners else "half_pixel"
    if types.is_float(input.dtype):
        return _resize(b, input, b.out.sizes, mode, coord, "floor", scale_factors)
    for axis in reversed(range(2, input.rank)):
        input = _resize_integers(b, input, axis, mode, coord, scale_factors)
    return input


def _resize_integers(b, x, axis, mode, coord, scale_factors):
    """PyTorch processes one axis after another, and rounds after each."""
    sizes, factors = list(x.sizes), [None] * (x.rank - 2)
    sizes[axis] = b.out.sizes[axis]
    factors[axis - 2] = scale_factors[axis - 2] if scale_factors else None
    wide = _resize(b, b.convert(x, torch.float32), sizes, mode, coord, "floor", factors)
    wide = b.unary("floor", b.binary("add", wide, 0.5))
    low, high = types.float_bounds(wide.dtype, x.dtype)
    return b.promote(b.binary("minimum", b.binary("maximum", wide, low), high))


@op("aten.upsample_linear1d.vec", "aten.upsample_bilinear2d.vec", "aten.upsample_trilinear3d.vec")
def linear(b, input, output_size, align_corners, scale_factors):
    return _smooth(b, input, "linear", align_corners, scale_factors)


@op("aten.upsample_bicubic2d.vec")
def cubic(b, input, output_size, align_corners, scale_factors):
    return _smooth(b, input, "cubic", align_corners, scale_factors)


# ----------------------------------------------------------------------------
# Antialiased, with a filter of the width of an output element
# ----------------------------------------------------------------------------


def _triangle(b, d):
    return b.binary("maximum", b.binary("sub", 1.0, d), 0.0)


def _cubic(b, d):
    """Keys' with a = -1/2: 1.5 d^3 - 2.5 d^2 + 1 up to 1, -0.5 d^3 + 2.5 d^2 - 4 d + 2 up
    to 2."""
    near = b.binary("mul", b.binary("sub", b.binary("mul", d, 1.5), 2.5), b.binary("mul", d, d))
    far = b.binary("sub", 2.5, b.binary("mul", d, 0.5))
    far = b.binary("sub", b.binary("mul", far, d), 4.0)
    far = b.binary("add", b.binary("mul", far, d), 2.0)
    far = b.select(b.compare("lt", d, 2.0), far, 0.0)
    return b.select(b.compare("lt", d, 1.0), b.binary("add", near, 1.0), far)


#: Kernels by their radius.
_REACH = {_triangle: 1, _cubic: 2}


def _weights(b, kernel, size, result, align_corners, factor):
    """For each element of the result, source indices and their weights [tap, result], in
    f64: those of the filter, normalised to the sum 1. Elements outside have the weight
    0."""
    size, result, reach, wide = to_expr(size), to_expr(result), _REACH[kernel], torch.float64
    above, below = (size - 1, result - 1) if align_corners else (size, result)
    if factor and not align_corners:
        scale = b.scalar(1 / float(factor), wide)
        count = math.ceil(2 * reach * max(1 / float(factor), 1))
    else:
        scale = b.binary("div", b.scalar(above, wide), b.scalar(sympy.Max(1, below), wide))
        if align_corners:
            scale = b.select(b.compare("gt", b.scalar(result, wide), 1.0), scale, 0.0)
        count = -floor_div(-2 * reach * sympy.Max(1, above, below), sympy.Max(1, below))
    stretch = b.binary("maximum", scale, 1.0)
    middle = b.binary("mul", b.binary("add", b.iota(1, [1, result], wide), 0.5), scale)
    first = b.binary("sub", middle, b.binary("mul", stretch, float(reach)))
    first = b.unary("floor", b.binary("add", first, 0.5))
    index = b.binary("add", first, b.iota(0, [count, 1], wide))
    distance = b.unary("abs", b.binary("sub", b.binary("add", index, 0.5), middle))
    weight = kernel(b, b.binary("div", distance, stretch))
    last = b.scalar(size - 1, wide)
    nearest = b.binary("minimum", b.binary("maximum", index, 0.0), last)
    weight = b.select(b.compare("eq", index, nearest), weight, 0.0)
    weight = b.binary("div", weight, b.reduce("sum", weight, [0], keepdim=True))
    return b.convert(nearest, torch.int64), weight


@widened
def _antialiased(b, kernel, x, align_corners, factors):
    if not types.is_float(x.dtype):
        raise Refused(f"expected floats, found {x.dtype}")
    for axis, factor in zip((2, 3), factors or (None, None)):
        indices, weights = _weights(
            b, kernel, x.sizes[axis], b.out.sizes[axis], align_corners, factor
        )
        spread = along_windows(b, x, axis, indices)
        weights = across_windows(b, x, axis, b.convert(weights, x.dtype))
        counts = b.compare("ne", weights, 0)
        parts = b.select(counts, b.binary("mul", spread, weights), 0)
        x = b.reduce("sum", parts, [axis])
    return x


@op("aten._upsample_bilinear2d_aa.default")
def linear_aa(b, self, output_size, align_corners, scales_h=None, scales_w=None):
    return _antialiased(b, _triangle, self, align_corners, (scales_h, scales_w))


@op("aten._upsample_bicubic2d_aa.default")
def cubic_aa(b, self, output_size, align_corners, scales_h=None, scales_w=None):
    return _antialiased(b, _cubic, self, align_corners, (scales_h, scales_w))


@op("aten._upsample_bilinear2d_aa.vec")
def linear_aa_vec(b, input, output_size, align_corners, scale_factors):
    return _antialiased(b, _triangle, input, align_corners, scale_factors)


@op("aten._upsample_bicubic2d_aa.vec")
def cubic_aa_vec(b, input, output_size, align_corners, scale_factors):
    return _antialiased(b, _cubic, input, align_corners, scale_factors)
