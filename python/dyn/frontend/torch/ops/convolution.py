# ===- convolution.py - Convolutions ---------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions. Padding may be a number for each axis or a name."""

import itertools

from dyn.frontend.torch import types
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import floor_div, product, to_expr


def per_axis(values, rank):
    """A number for each spatial axis: a single one is repeated."""
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return [int(v) for v in (values * rank if len(values) == 1 else values)]


def _add_bias(b, x, bias):
    if bias is None:
        return x
    return b.binary("add", x, b.reshape(bias, [bias.sizes[0], *[1] * (x.rank - 2)]))


def _convolve(b, x, filter, result, strides, low, high, input_dilation, dilation, groups):
    text = f"convolution {x}, {filter} channels_first strides = {strides} "
    text += f"low = {b.symbols.texts(low)} high = {b.symbols.texts(high)} "
    text += f"input_dilation = {input_dilation} filter_dilation = {dilation} groups = {groups}"
    return b.call(text, [x, filter], result, x.dtype)


def _span(weight, dilation, i):
    """The extent of a filter along spatial axis i, less one."""
    size = weight.sizes[i + 2]
    if not size.is_Integer:
        raise Refused(f"expected a filter of static sizes, found {size}", [size])
    return dilation[i] * (int(size) - 1)


def _paddings(weight, padding, dilation):
    """Padding before and after each axis. "same" puts the odd element after."""
    n = weight.rank - 2
    if padding == "valid":
        return [0] * n, [0] * n
    if padding == "same":
        total = [_span(weight, dilation, i) for i in range(n)]
        return [t // 2 for t in total], [t - t // 2 for t in total]
    return per_axis(padding, n), per_axis(padding, n)


@op("aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default",
    "aten.conv1d.padding", "aten.conv2d.padding", "aten.conv3d.padding")  # fmt: skip
def conv(b, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A batch axis is added if it is missing."""
    if input.rank < weight.rank:
        batched = conv(b, b.unsqueeze(input, 0), weight, bias, stride, padding, dilation, groups)
        return b.squeeze(batched, [0])
    n = weight.rank - 2
    stride, dilation = per_axis(stride, n), per_axis(dilation, n)
    low, high = _paddings(weight, padding, dilation)
    result = [input.sizes[0], weight.sizes[0]]
    for i in range(n):
        span = input.sizes[i + 2] + low[i] + high[i] - _span(weight, dilation, i) - 1
        result.append(floor_div(span, stride[i]) + 1)
    groups = to_expr(groups)
    if groups.is_Integer and types.is_float(input.dtype):
        y = _convolve(b, input, weight, result, stride, low, high, [1] * n, dilation, groups)
    else:
        y = _convolve_columns(b, input, weight, result, stride, low, high, dilation, groups)
    return _add_bias(b, y, bias)


def _convolve_columns(b, x, weight, result, strides, low, high, dilation, groups):
    """For integers, and if the number of groups is a dynamic size, such as that of a batch
    whose images have filters of their own: one matmul of the filters' matrices and of
    columns."""
    count, _, *spatial = result
    padded = b.pad(x, [0, 0, *low], [0, 0, *high])
    parts = []
    for offsets in itertools.product(*map(range, map(int, weight.sizes[2:]))):
        part = padded
        for i, offset in enumerate(offsets):
            part = b.slice(part, i + 2, offset * dilation[i], spatial[i], strides[i])
        parts.append(b.reshape(part, [count, groups, weight.sizes[1], 1, product(spatial)]))
    columns = b.transpose(b.concat(parts, 3), [1, 2, 3, 0, 4])
    height = product(weight.sizes[1:])
    columns = b.reshape(columns, [groups, height, count * product(spatial)])
    matrices = b.reshape(weight, [groups, floor_div(weight.sizes[0], groups), height])
    y = b.reshape(b.dot(matrices, columns, 1, [2], [1]), [weight.sizes[0], count, *spatial])
    return b.swap(y, 0, 1)


@op("aten.conv_transpose1d.default", "aten.conv_transpose2d.input", "aten.conv_transpose3d.input")
def conv_transpose(b, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                   dilation=1):  # fmt: skip
    """A convolution of the dilated input with the mirrored filter, whose channels and
    outputs are exchanged: [C, O / g, ...] to [O, C / g, ...]. A batch axis is added if it
    is missing."""
    if input.rank < weight.rank:
        batched = conv_transpose(b, b.unsqueeze(input, 0), weight, bias, stride, padding,
                                 output_padding, groups, dilation)  # fmt: skip
        return b.squeeze(batched, [0])
    if not types.is_float(input.dtype):
        raise Refused(f"expected floats, found {input.dtype}")
    n, groups = weight.rank - 2, to_expr(groups)
    if not groups.is_Integer:
        raise Refused(f"expected a static number of groups, found {groups}")
    stride, dilation = per_axis(stride, n), per_axis(dilation, n)
    padding, extra = per_axis(padding, n), per_axis(output_padding, n)
    channels, outputs, *window = weight.sizes
    result, low, high = [input.sizes[0], to_expr(outputs * groups)], [], []
    for i in range(n):
        reach = _span(weight, dilation, i)
        low.append(reach - padding[i])
        high.append(reach - padding[i] + extra[i])
        whole = (input.sizes[i + 2] - 1) * stride[i] + reach + 1
        result.append(to_expr(whole + extra[i] - 2 * padding[i]))
    per_group = floor_div(channels, groups)
    turned = b.reshape(weight, [groups, per_group, outputs, *window])
    turned = b.transpose(turned, [0, 2, 1, *range(3, 3 + n)])
    turned = b.reverse(b.reshape(turned, [result[1], per_group, *window]), range(2, 2 + n))
    y = _convolve(b, input, turned, result, [1] * n, low, high, stride, dilation, groups)
    return _add_bias(b, y, bias)


@op("aten.convolution.default")
def convolution(b, input, weight, bias, stride, padding, dilation, transposed, output_padding,
                groups):  # fmt: skip
    """The operator that PyTorch's own decompositions call."""
    if transposed:
        return conv_transpose(
            b, input, weight, bias, stride, padding, output_padding, groups, dilation
        )
    return conv(b, input, weight, bias, stride, padding, dilation, groups)
