# ===- test_vision.py - Operators of torchvision ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""roi_align and deform_conv2d. Where torchvision is not installed, they are defined here, in
loops."""

import itertools
import math

import pytest

torch = pytest.importorskip("torch")

import dyn  # noqa: F401 - registers the backend

ROI_ALIGN = (
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt "
    "pooled_width, int sampling_ratio, bool aligned) -> Tensor"
)
DEFORM_CONV = (
    "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt "
    "stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, "
    "SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor"
)


def sample(image, y, x):
    """Of [C, H, W] between pixels; those outside are 0."""
    total = torch.zeros(image.shape[0])
    for i, j in itertools.product(
        (math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)
    ):
        if 0 <= i < image.shape[1] and 0 <= j < image.shape[2]:
            total += image[:, i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return total


def roi_align(x, rois, scale, height, width, ratio, aligned):
    result = torch.zeros(rois.shape[0], x.shape[1], height, width)
    for k, i, j in itertools.product(range(rois.shape[0]), range(height), range(width)):
        left, top, right, bottom = (rois[k, 1:] * scale - (0.5 if aligned else 0)).tolist()
        extent = [bottom - top, right - left]
        if not aligned:
            extent = [max(size, 1.0) for size in extent]
        for a, b in itertools.product(range(ratio), range(ratio)):
            at = [top + (i + (a + 0.5) / ratio) * extent[0] / height,
                  left + (j + (b + 0.5) / ratio) * extent[1] / width]  # fmt: skip
            if all(-1 <= p <= size for p, size in zip(at, x.shape[2:])):
                at = [min(max(p, 0.0), size - 1.0) for p, size in zip(at, x.shape[2:])]
                result[k, :, i, j] += sample(x[int(rois[k, 0])], *at) / ratio**2
    return result


def deform_conv2d(x, weight, offset, mask, bias, sh, sw, ph, pw, dh, dw, groups, parts, use_mask):
    (images, channels), (outputs, _, *taps) = x.shape[:2], weight.shape
    result = bias[None, :, None, None].repeat(images, 1, *offset.shape[2:])
    for n, part, i, j in itertools.product(
        range(images), range(parts), *map(range, offset.shape[2:])
    ):
        own = slice(part * channels // parts, (part + 1) * channels // parts)
        for tap, (a, b) in enumerate(itertools.product(*map(range, taps))):
            number = part * taps[0] * taps[1] + tap
            y, z = offset[n, 2 * number : 2 * number + 2, i, j].tolist()
            value = torch.zeros(channels)
            value[own] = sample(x[n, own], y + i * sh - ph + a * dh, z + j * sw - pw + b * dw)
            if use_mask:
                value *= mask[n, number, i, j]
            for group in range(groups):
                rows = slice(group * outputs // groups, (group + 1) * outputs // groups)
                columns = slice(group * channels // groups, (group + 1) * channels // groups)
                result[n, rows, i, j] += weight[rows, :, a, b] @ value[columns]
    return result


def roi_align_shape(x, rois, scale, height, width, ratio, aligned):
    return x.new_empty((rois.shape[0], x.shape[1], height, width))


def deform_conv2d_shape(x, weight, offset, *rest):
    return x.new_empty((x.shape[0], weight.shape[0], *offset.shape[2:]))


@pytest.fixture(scope="module", autouse=True)
def library():
    try:
        import torchvision  # noqa: F401

        yield
    except ImportError:
        with torch.library._scoped_library("torchvision", "DEF") as made:
            for schema, function, shape in (
                (ROI_ALIGN, roi_align, roi_align_shape),
                (DEFORM_CONV, deform_conv2d, deform_conv2d_shape),
            ):
                made.define(schema)
                made.impl(function.__name__, function, "CPU")
                torch.library.register_fake(f"torchvision::{function.__name__}", shape, lib=made)
            yield


def draw_regions(images, count, height, width):
    """Some are partly or entirely outside of the image, and the last is a point."""
    ends = (torch.rand(count, 2, 2) * 3 - 1).sort(1).values * torch.tensor([width, height])
    ends[-1:, 1] = ends[-1:, 0]
    return torch.cat([torch.randint(images, (count, 1)), ends.flatten(1)], 1)


@pytest.mark.parametrize("aligned", [False, True])
def test_roi_align(aligned, compare):
    def function(x, rois):
        return torch.ops.torchvision.roi_align(x, rois, 0.5, 4, 3, 2, aligned)

    compare(
        function,
        (torch.randn(2, 5, 13, 17), draw_regions(2, 9, 26, 34)),
        (torch.randn(3, 5, 2, 3), draw_regions(3, 4, 4, 6)),
        (torch.randn(3, 5, 2, 3), draw_regions(3, 0, 4, 6)),
    )


@pytest.mark.usefixtures("fresh")
def test_samples_by_the_size_of_regions():
    """Their number is not known when the program is compiled."""

    def function(x, rois):
        return torch.ops.torchvision.roi_align(x, rois, 0.5, 4, 3, -1, False)

    options = {"strict": True}
    fast = torch.compile(function, backend="dyn", dynamic=True, options=options)
    with pytest.raises(Exception, match="torchvision.roi_align.default .*not supported"):
        fast(torch.randn(2, 5, 13, 17), draw_regions(2, 9, 26, 34))


@pytest.mark.parametrize(
    "groups,parts,use_mask,stride,pad,dilation",
    [(1, 1, False, (1, 1), (1, 1), (1, 1)), (2, 4, True, (2, 1), (0, 2), (1, 2))],
)
def test_deform_conv(groups, parts, use_mask, stride, pad, dilation, compare):
    weight, bias, taps = torch.randn(6, 8 // groups, 3, 2), torch.randn(6), (3, 2)

    def function(x, offset, mask):
        return torch.ops.torchvision.deform_conv2d(
            x, weight, offset, mask, bias, *stride, *pad, *dilation, groups, parts, use_mask
        )

    def draw(images, *sizes):
        result = [
            (size + 2 * p - d * (tap - 1) - 1) // s + 1
            for size, p, d, tap, s in zip(sizes, pad, dilation, taps, stride)
        ]
        count = parts * taps[0] * taps[1]
        return (
            torch.randn(images, 8, *sizes),
            torch.randn(images, 2 * count, *result) * 2,
            torch.rand(images, count, *result),
        )

    compare(function, draw(2, 5, 7), draw(3, 4, 6))
