# ===- normalization.py - Normalisation ------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisation."""

import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.ops.reductions import variance
from dyn.frontend.torch.registry import op
from dyn.frontend.torch.sizes import floor_div, to_expr
from dyn.frontend.torch.widening import widened


@op("aten.layer_norm.default")
def layer_norm(b, input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    axis = input.rank - len(normalized_shape)
    sizes = input.sizes[axis:]
    weight = b.full(1, sizes, input.dtype) if weight is None else b.convert(weight, input.dtype)
    operands = [input, weight]
    if bias is not None:
        operands.append(b.convert(bias, input.dtype))
    text = f"layer_norm {', '.join(map(str, operands))} axis = {axis} eps = {types.decimal(eps)}"
    return b.call(text, operands, input.sizes, input.dtype)


@op("aten.native_layer_norm.default")
def native_layer_norm(b, input, normalized_shape, weight, bias, eps):
    """With the mean and the reciprocal of the deviation."""
    axes = list(range(input.rank - len(normalized_shape), input.rank))
    mean, deviation = _statistics(b, input, axes, eps, b.out[1].sizes)
    return layer_norm(b, input, normalized_shape, weight, bias, eps), mean, deviation


def _statistics(b, x, axes, eps, sizes):
    """The mean and the reciprocal of the deviation, with these sizes."""
    wide = b.convert(x, types.computed_in(x.dtype))
    spread = b.binary("add", variance(b, wide, axes, 0, True), eps)
    parts = b.mean(wide, axes, True), b.unary("rsqrt", spread)
    metas = b.out[1:]
    return tuple(b.reshape(b.convert(p, m.dtype), sizes) for p, m in zip(parts, metas))


@op("aten.rms_norm.default")
def rms_norm(b, input, normalized_shape, weight=None, eps=None):
    """By default eps is the precision of the type that is computed in."""
    axis = input.rank - len(normalized_shape)
    eps = torch.finfo(types.computed_in(input.dtype)).eps if eps is None else eps
    sizes = input.sizes[axis:]
    weight = b.full(1, sizes, input.dtype) if weight is None else b.convert(weight, input.dtype)
    text = f"rms_norm {input}, {weight} axis = {axis} eps = {types.decimal(eps)}"
    return b.call(text, [input, weight], input.sizes, input.dtype)


def _per_channel(b, x, values):
    """A value for each channel (axis 1), to be broadcast over `x`."""
    return b.reshape(values, [values.sizes[0], *[1] * (x.rank - 2)])


def _scale_and_shift(b, x, weight, bias):
    if weight is not None:
        x = b.binary("mul", x, _per_channel(b, x, b.convert(weight, x.dtype)))
    if bias is not None:
        x = b.binary("add", x, _per_channel(b, x, b.convert(bias, x.dtype)))
    return x


def _batch_norm(b, x, weight, bias, mean, variance, eps):
    """Scale and shift depend only on parameters, so that they fold: the data is multiplied
    and added to once."""
    factor = b.unary("rsqrt", b.binary("add", variance, eps))
    if weight is not None:
        factor = b.binary("mul", b.convert(weight, factor.dtype), factor)
    shift = b.unary("neg", b.binary("mul", mean, factor))
    if bias is not None:
        shift = b.binary("add", b.convert(bias, shift.dtype), shift)
    return _scale_and_shift(b, x, factor, shift)


@op("aten.batch_norm.default")
@widened
def batch_norm(b, input, weight, bias, running_mean, running_var, training, momentum, eps,
               cudnn_enabled):  # fmt: skip
    return _batch_norm(b, input, weight, bias, running_mean, running_var, eps)


@op("aten._native_batch_norm_legit_no_training.default")
@widened
def native_batch_norm(b, input, weight, bias, running_mean, running_var, momentum, eps):
    """The other results are empty when not training."""
    return _batch_norm(b, input, weight, bias, running_mean, running_var, eps), None, None


@op("aten.group_norm.default")
@widened
def group_norm(b, input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """Over the channels of a group and all positions. Without channels the result is
    empty."""
    batch, channels, *spatial = input.sizes
    groups = to_expr(num_groups)
    if groups == 0:
        return input
    grouped = [batch, groups, floor_div(channels, groups), *spatial]
    x = b.reshape(input, grouped)
    axes = list(range(2, x.rank))
    centred = b.binary("sub", x, b.mean(x, axes, True))
    spread = b.binary("add", variance(b, x, axes, 0, True), eps)
    x = b.binary("mul", centred, b.unary("rsqrt", spread))
    return _scale_and_shift(b, b.reshape(x, input.sizes), weight, bias)


@op("aten.native_group_norm.default")
def native_group_norm(b, input, weight, bias, N, C, HxW, group, eps):
    """With the mean and the reciprocal of the deviation of each group."""
    grouped = b.reshape(input, [N, group, floor_div(C, to_expr(group)), *input.sizes[2:]])
    axes = list(range(2, grouped.rank))
    mean, deviation = _statistics(b, grouped, axes, eps, b.out[1].sizes)
    return group_norm(b, input, group, weight, bias, eps), mean, deviation


@op("aten.instance_norm.default")
@widened
def instance_norm(b, input, weight, bias, running_mean, running_var, use_input_stats, momentum,
                  eps, cudnn_enabled):  # fmt: skip
    """One group per channel, or batch_norm with statistics of training."""
    if not use_input_stats:
        return _batch_norm(b, input, weight, bias, running_mean, running_var, eps)
    return group_norm(b, input, input.sizes[1], weight, bias, eps)
