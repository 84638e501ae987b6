# ===- pooling.py - Pooling ------------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling over the last axes: those before are batch and channels."""

import functools

import sympy
import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.ops.convolution import per_axis
from dyn.frontend.torch.ops.indexing import gather
from dyn.frontend.torch.ops.reductions import argmax
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import floor_div, to_expr
from dyn.frontend.torch.widening import widened


class _Windows:
    """The windows of pooling over the last `n` axes of x, as lists with an element for each
    axis of x."""

    def __init__(self, b, x, n, kernel, stride, padding, dilation=1):
        outer = x.rank - n
        kernel = per_axis(kernel, n)
        stride = per_axis(stride, n) if stride else kernel
        padding, dilation = per_axis(padding, n), per_axis(dilation, n)
        ones, zeros = [1] * outer, [0] * outer
        self.window = ones + kernel
        self.strides = ones + stride
        self.dilations = ones + dilation
        self.padding = zeros + padding
        self.low = zeros + padding
        # PyTorch determines the number of windows: with ceil_mode, more than fit, and the
        # last one extends beyond the border.
        self.high = zeros + [
            to_expr((out - 1) * t + d * (w - 1) + 1 - size - low)
            for out, t, d, w, size, low in zip(
                b.out_sizes()[outer:], stride, dilation, kernel, x.sizes[outer:], padding
            )
        ]

    def reduce(self, b, kind, x):
        result = b.window(
            kind, x, self.window, self.strides, self.dilations, self.low, self.high
        )  # fmt: skip
        return b.reshape(result, b.out_sizes())


def _max_pool(n, b, self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    if not types.is_float(self.dtype):
        raise Refused(f"expected floats, found {self.dtype}")
    return _Windows(b, self, n, kernel_size, stride, padding, dilation).reduce(b, "max", self)


@op("aten.max_pool1d.default")
def max_pool1d(b, self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    return _max_pool(1, b, self, kernel_size, stride, padding, dilation)


@op("aten.max_pool2d.default")
def max_pool2d(b, self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    return _max_pool(2, b, self, kernel_size, stride, padding, dilation)


@op("aten.max_pool3d.default")
def max_pool3d(b, self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    return _max_pool(3, b, self, kernel_size, stride, padding, dilation)


def _max_pool_with_indices(n, b, self, kernel_size, stride=(), padding=0, dilation=1,
                          ceil_mode=False):  # fmt: skip
    maximum = _max_pool(n, b, self, kernel_size, stride, padding, dilation)
    windows = _Windows(b, self, n, kernel_size, stride, padding, dilation)

    def indices_along(axis):
        count = maximum.sizes[axis]
        begin = b.iota(0, [count, 1], torch.int64, -windows.low[axis], windows.strides[axis])
        within = b.iota(1, [1, windows.window[axis]], torch.int64, 0, windows.dilations[axis])
        at = b.binary("add", begin, within)
        # An element of the padding is replaced by the nearest one of the input.
        last = b.scalar(self.sizes[axis] - 1, torch.int64)
        index = b.binary("minimum", b.binary("maximum", at, 0), last)
        return index, b.compare("eq", index, at)

    return maximum, _max_with_index(b, self, n, indices_along)[1]


for _n in (2, 3):
    op(f"aten.max_pool{_n}d_with_indices.default")(functools.partial(_max_pool_with_indices, _n))


def along_windows(b, x, axis, indices):
    """The elements at indices [window, element] along an axis, which becomes two axes."""
    flat = b.reshape(indices, [b.count(indices, [0, 1])])
    return b.reshape(b.gather(x, flat, axis), _windowed_sizes(x, axis, indices))


def across_windows(b, x, axis, values):
    """Values [window, element] with the rank of windows along an axis of x."""
    return b.reshape(values, [*values.sizes, *[1] * (x.rank - 1 - axis)])


def _windowed_sizes(x, axis, indices):
    return [*x.sizes[:axis], *indices.sizes, *x.sizes[axis + 1 :]]


def _max_with_index(b, x, n, indices_along):
    """The maximum of each window over the last `n` axes, and its flat index in these axes:
    of equal elements the first, of NaNs the last. Axes are reduced one after another, from
    the last on. `indices_along` returns for an axis the indices of the elements of each
    window, [window, element], and which of them count."""
    sizes, stride, number = x.sizes, to_expr(1), None
    for axis in reversed(range(x.rank - n, x.rank)):
        indices, counts = indices_along(axis)
        spread = along_windows(b, x, axis, indices)
        spread = b.select(across_windows(b, x, axis, counts), spread, float("-inf"))
        element = _argmax(b, spread, axis + 1)
        numbers = b.binary("mul", indices, b.scalar(stride, torch.int64))
        numbers = b.broadcast_to(across_windows(b, x, axis, numbers), spread.sizes)
        if number is not None:
            numbers = b.binary("add", numbers, along_windows(b, number, axis, indices))
        number = b.squeeze(gather(b, numbers, axis + 1, element), [axis + 1])
        stride = stride * sizes[axis]
        x = b.reduce("max", spread, [axis + 1])
    return x, number


def _argmax(b, x, axis):
    """Along an axis, which is kept."""
    extents = [size if i == axis else 1 for i, size in enumerate(x.sizes)]
    number = b.iota(axis, extents, torch.int64)
    last = b.reduce("max", b.select(b.predicate("is_nan", x), number, -1), [axis], keepdim=True)
    return b.select(b.compare("lt", last, 0), argmax(b, x, axis, keepdim=True), last)


@widened
def _avg_pool(b, n, self, kernel_size, stride=(), padding=0, ceil_mode=False,
              count_include_pad=True, divisor_override=None):  # fmt: skip
    """Sums over counts of the elements of a window; padding counts if `count_include_pad`,
    but never the elements that ceil_mode adds."""
    windows = _Windows(b, self, n, kernel_size, stride, padding)
    total = windows.reduce(b, "sum", self)
    if divisor_override is not None:
        return b.binary("div", total, float(divisor_override))
    padded = any(windows.padding)
    if not ceil_mode and (count_include_pad or not padded):
        size = 1
        for w in windows.window:
            size *= w
        return b.binary("div", total, float(size))
    outer = self.rank - n
    ones = b.full(1.0, [*[1] * outer, *self.sizes[outer:]], self.dtype)
    if count_include_pad and padded:
        ones = b.pad(ones, windows.padding, windows.padding, 1.0)
        windows.high = [to_expr(h - p) for h, p in zip(windows.high, windows.padding)]
        windows.low = [0] * self.rank
    count = b.window(
        "sum", ones, windows.window, windows.strides, windows.dilations, windows.low, windows.high
    )
    return b.binary("div", total, b.reshape(count, [*[1] * outer, *total.sizes[outer:]]))


@op("aten.avg_pool1d.default")
def avg_pool1d(b, self, kernel_size, stride=(), padding=0, ceil_mode=False,
               count_include_pad=True):  # fmt: skip
    return _avg_pool(b, 1, self, kernel_size, stride, padding, ceil_mode, count_include_pad)


@op("aten.avg_pool2d.default")
def avg_pool2d(b, self, kernel_size, stride=(), padding=0, ceil_mode=False,
               count_include_pad=True, divisor_override=None):  # fmt: skip
    return _avg_pool(b, 2, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     divisor_override)  # fmt: skip


@op("aten.avg_pool3d.default")
def avg_pool3d(b, self, kernel_size, stride=(), padding=0, ceil_mode=False,
               count_include_pad=True, divisor_override=None):  # fmt: skip
    return _avg_pool(b, 3, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     divisor_override)  # fmt: skip


@widened
def _adaptive(b, n, x, output_size):
    """Windows of one size if the sizes are known to divide; else the elements of each part
    are gathered."""
    wanted = [to_expr(s) for s in output_size]
    axes = list(range(x.rank - n, x.rank))
    if all(s == 1 for s in wanted):
        return b.mean(x, axes, True)
    split, windows, uneven = list(x.sizes[: x.rank - n]), [], []
    for axis, parts in zip(axes, wanted):
        size = x.sizes[axis]
        if size == parts:
            split += [size, 1]
        elif size.is_Integer and parts.is_Integer and parts > 0 and size % parts == 0:
            split += [parts, size // parts]
        else:
            uneven.append((axis, parts))
            split += [parts, 1]
        windows.append(len(split) - 1)
    for axis, parts in uneven:
        indices, inside, width = _parts(b, parts, x.sizes[axis])
        spread = along_windows(b, x, axis, indices)
        inside, width = (across_windows(b, x, axis, v) for v in (inside, width))
        total = b.reduce("sum", b.select(inside, spread, 0), [axis + 1], keepdim=True)
        x = b.squeeze(b.binary("div", total, b.convert(width, x.dtype)), [axis + 1])
    return b.reshape(b.mean(b.reshape(x, split), windows), b.out.sizes)


def _parts(b, parts, extent):
    """Indices [part, element], which of them are in the part, and their number [part, 1]:
    part i of n begins at floor(i size / n) and ends at ceil((i + 1) size / n), so that
    parts may overlap. There may be no parts."""
    size, count = b.scalar(extent, torch.int64), b.scalar(parts, torch.int64)
    number = b.iota(0, [parts, 1], torch.int64)
    begin = b.binary("div", b.binary("mul", number, size), count)
    after = b.binary("mul", b.binary("add", number, 1), size)
    end = b.binary("div", b.binary("add", after, b.binary("sub", count, 1)), count)
    most = floor_div(extent - 1, sympy.Max(1, parts)) + 2
    index = b.binary("add", begin, b.iota(1, [1, most], torch.int64))
    inside = b.compare("lt", index, end)
    return b.select(inside, index, begin), inside, b.binary("sub", end, begin)


@op("aten.adaptive_avg_pool1d.default")
def adaptive_avg_pool1d(b, self, output_size):
    return _adaptive(b, 1, self, output_size)


@op("aten.adaptive_avg_pool2d.default", "aten._adaptive_avg_pool2d.default")
def adaptive_avg_pool2d(b, self, output_size):
    return _adaptive(b, 2, self, output_size)


@op("aten._adaptive_avg_pool3d.default")
def adaptive_avg_pool3d(b, self, output_size):
    return _adaptive(b, 3, self, output_size)


def _adaptive_max(n, b, self, output_size):
    if not types.is_float(self.dtype):
        raise Refused(f"expected floats, found {self.dtype}")
    parts = dict(zip(range(self.rank - n, self.rank), map(to_expr, output_size)))

    def indices_along(axis):
        indices, inside, _ = _parts(b, parts[axis], self.sizes[axis])
        return indices, inside

    maximum, indices = _max_with_index(b, self, n, indices_along)
    if all(part == 1 for part in parts.values()):
        maximum = b.reduce("max", self, list(parts), keepdim=True)
    return maximum, indices


for _n in (2, 3):
    op(f"aten.adaptive_max_pool{_n}d.default")(functools.partial(_adaptive_max, _n))
