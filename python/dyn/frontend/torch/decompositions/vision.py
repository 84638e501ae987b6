# ===- vision.py - Operators of torchvision --------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of images, and convolutions at positions that are computed."""

import torch

from dyn.frontend.torch.decompositions.sampling import at, linear
from dyn.frontend.torch.registry import decomposition


@decomposition("torchvision.roi_align.default")
def roi_align(
    x, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned=False
):  # fmt: skip
    """Means of samples in each bin of regions [image, x, y, x, y]. Without a `sampling_ratio`
    their number depends on the region."""
    if sampling_ratio <= 0:
        return NotImplemented
    dtype = torch.promote_types(x.dtype, torch.float32)
    image, corners = rois[:, 0].long(), rois[:, 1:].to(dtype)
    ends = (corners * spatial_scale - (0.5 if aligned else 0.0)).unbind(1)
    indices, is_outside = [], False
    for axis, bins in enumerate((pooled_height, pooled_width)):
        begin, end, size = ends[1 - axis], ends[3 - axis], x.shape[2 + axis]
        extent = end - begin if aligned else (end - begin).clamp(min=1.0)
        samples = torch.arange(bins * sampling_ratio, dtype=dtype)
        positions = (samples + 0.5) / (bins * sampling_ratio)
        index = begin.unsqueeze(1) + positions * extent.unsqueeze(1)
        # [region, bin, sample of it] among those of the other axis.
        index = index.reshape(
            -1, *((bins, 1, sampling_ratio, 1), (1, bins, 1, sampling_ratio))[axis]
        )
        is_outside = (index < -1) | (index > size) | is_outside
        indices.append(index.clamp(min=0).minimum(torch.full_like(index, size - 1)))
    image = image.reshape(-1, 1, 1, 1, 1)
    samples = linear(lambda corner: at(x.to(dtype), corner, image), indices)
    return (
        samples.masked_fill(is_outside.unsqueeze(-1), 0.0).mean((3, 4)).movedim(-1, 1).to(x.dtype)
    )


@decomposition("torchvision.deform_conv2d.default")
def deform_conv2d(
    x, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups,
    offset_groups, use_mask,
):  # fmt: skip
    """A matmul of samples, which have an offset for each tap and group of channels."""
    images, (outputs, _, *taps) = x.shape[0], weight.shape
    count, sizes = taps[0] * taps[1], offset.shape[2:]
    offset = offset.reshape(images * offset_groups, *taps, 2, *sizes)
    indices = []
    for axis, (stride, pad, dilation) in enumerate(
        ((stride_h, pad_h, dilation_h), (stride_w, pad_w, dilation_w))
    ):
        position, tap = (torch.arange(n, dtype=x.dtype) for n in (sizes[axis], taps[axis]))
        along = position * stride - pad + (tap * dilation).unsqueeze(1)
        index = along[:, None, :, None] if axis == 0 else along[None, :, None]
        indices.append(offset[:, :, :, axis] + index)
    x = x.reshape(images * offset_groups, -1, *x.shape[2:])
    samples = linear(lambda corner: at(x, corner), indices)
    if use_mask:
        samples = samples * mask.reshape(samples.shape[:-1]).unsqueeze(-1)
    # [image, group of offsets, tap, row, column, channel] to rows of pixels.
    samples = samples.reshape(images, offset_groups, count, *sizes, -1).permute(0, 3, 4, 2, 1, 5)
    rows = samples.reshape(-1, count, groups, weight.shape[1]).permute(2, 0, 1, 3).flatten(2)
    columns = weight.reshape(groups, outputs // groups, -1, count).transpose(2, 3).flatten(2)
    result = (rows @ columns.mT).transpose(0, 1).reshape(images, *sizes, outputs)
    return (result + bias).movedim(-1, 1)
