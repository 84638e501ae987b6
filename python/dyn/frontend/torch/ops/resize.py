# ===- resize.py - Interpolation ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation over the spatial axes."""

from dyn.frontend.torch import types
from dyn.frontend.torch.registry import op


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
