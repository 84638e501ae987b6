# ===- resize.py - Interpolation ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation over the spatial axes."""

import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import to_expr


def _resize(b, x, mode, coord, rounding, scale_factors):
    """The result's sizes are PyTorch's. Coordinates follow the ratio of the
    sizes, or the scale factors if they are given."""
    scales = [1.0, 1.0]
    for i, size in enumerate(b.out.sizes[2:]):
        factor = scale_factors[i] if scale_factors else None
        same = size == x.sizes[i + 2] and factor in (None, 1)
        scales.append(1.0 if same else float(factor or 0.0))
    text = f"resize {mode} {coord} {rounding} {x} "
    text += f"scales = [{', '.join(map(types.decimal, scales))}] coefficient = -0.75"
    return b.call(text, [x], b.out.sizes, x.dtype)


@op("aten.upsample_nearest1d.vec", "aten.upsample_nearest2d.vec", "aten.upsample_nearest3d.vec")
def nearest(b, input, output_size, scale_factors):
    return _resize(b, input, "nearest", "asymmetric", "floor", scale_factors)


@op("aten._upsample_nearest_exact1d.vec", "aten._upsample_nearest_exact2d.vec",
    "aten._upsample_nearest_exact3d.vec")  # fmt: skip
def nearest_exact(b, input, output_size, scale_factors):
    """The element under the middle; of two, the later."""
    return _resize(b, input, "nearest", "half_pixel", "round_prefer_ceil", scale_factors)


def _smooth(b, input, mode, align_corners, scale_factors):
    coord = "align_corners" if align_corners else "half_pixel"
    return _resize(b, input, mode, coord, "floor", scale_factors)


@op("aten.upsample_linear1d.vec", "aten.upsample_bilinear2d.vec", "aten.upsample_trilinear3d.vec")
def linear(b, input, output_size, align_corners, scale_factors):
    return _smooth(b, input, "linear", align_corners, scale_factors)


@op("aten.upsample_bicubic2d.vec")
def cubic(b, input, output_size, align_corners, scale_factors):
    return _smooth(b, input, "cubic", align_corners, scale_factors)


# ----------------------------------------------------------------------------
# With a filter as wide as what an element of the result stands for
# ----------------------------------------------------------------------------


def _triangle(b, d):
    return b.binary("maximum", b.binary("sub", 1.0, d), 0.0)


def _cubic(b, d):
    """Keys' with a = -1/2: 1.5 d^3 - 2.5 d^2 + 1 up to 1, -0.5 d^3 + 2.5 d^2 - 4 d + 2 up to 2."""
    near = b.binary("mul", b.binary("sub", b.binary("mul", d, 1.5), 2.5), b.binary("mul", d, d))
    far = b.binary("sub", 2.5, b.binary("mul", d, 0.5))
    far = b.binary("sub", b.binary("mul", far, d), 4.0)
    far = b.binary("add", b.binary("mul", far, d), 2.0)
    far = b.select(b.compare("lt", d, 2.0), far, 0.0)
    return b.select(b.compare("lt", d, 1.0), b.binary("add", near, 1.0), far)


def _weights(b, kernel, size, result, align_corners, factor):
    """Weights [result, element] in f64: those of the filter, whose sum is 1."""
    size, result = to_expr(size), to_expr(result)
    wide = torch.float64
    if align_corners:
        steps = b.binary("maximum", b.scalar(result - 1, wide), 1.0)
        scale = b.select(b.compare("gt", b.scalar(result, wide), 1.0),
                         b.binary("div", b.scalar(size - 1, wide), steps), 0.0)  # fmt: skip
    elif factor:
        scale = b.scalar(1 / float(factor), wide)
    else:
        scale = b.binary("div", b.scalar(size, wide), b.scalar(result, wide))
    middle = b.binary("add", b.iota(0, [result, 1], wide), 0.5)
    distance = b.binary("sub", b.binary("add", b.iota(1, [1, size], wide), 0.5),
                        b.binary("mul", middle, scale))  # fmt: skip
    distance = b.binary("div", b.unary("abs", distance), b.binary("maximum", scale, 1.0))
    weight = kernel(b, distance)
    return b.binary("div", weight, b.reduce("sum", weight, [1], keepdim=True))


def _antialiased(kernel, b, x, align_corners, factors):
    if not types.is_float(x.dtype):
        raise Refused(f"expected floats, found {x.dtype}")
    for axis, factor in zip((2, 3), factors or (None, None)):
        weights = _weights(b, kernel, x.sizes[axis], b.out.sizes[axis], align_corners, factor)
        x = b.along(x, axis, b.convert(weights, x.dtype))
    return x


@op("aten._upsample_bilinear2d_aa.default")
def linear_aa(b, self, output_size, align_corners, scales_h=None, scales_w=None):
    return _antialiased(_triangle, b, self, align_corners, (scales_h, scales_w))


@op("aten._upsample_bicubic2d_aa.default")
def cubic_aa(b, self, output_size, align_corners, scales_h=None, scales_w=None):
    return _antialiased(_cubic, b, self, align_corners, (scales_h, scales_w))


@op("aten._upsample_bilinear2d_aa.vec")
def linear_aa_vec(b, input, output_size, align_corners, scale_factors):
    return _antialiased(_triangle, b, input, align_corners, scale_factors)


@op("aten._upsample_bicubic2d_aa.vec")
def cubic_aa_vec(b, input, output_size, align_corners, scale_factors):
    return _antialiased(_cubic, b, input, align_corners, scale_factors)
