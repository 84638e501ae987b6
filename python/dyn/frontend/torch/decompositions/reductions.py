# ===- reductions.py - Reductions in terms of others -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modes, medians and reductions of segments."""

import math

import torch
from torch._export.utils import _get_decomp_for_cia

from dyn.frontend.torch import registry
from dyn.frontend.torch.registry import decomposition


@decomposition("aten.mode.default")
def mode(x, dim=-1, keepdim=False):
    """The most frequent element, the smallest of several, and its last index."""
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    dim %= x.dim()
    numbers = x.to(torch.uint8) if x.dtype is torch.bool else x
    # NaNs are equal to each other.
    left, right = numbers.unsqueeze(dim + 1), numbers.unsqueeze(dim)
    counts = ((left == right) | ((left != left) & (right != right))).sum(dim + 1)
    most = counts == counts.amax(dim, keepdim=True)
    is_float = x.dtype.is_floating_point
    largest = math.inf if is_float else torch.iinfo(numbers.dtype).max
    value = torch.where(most, numbers, largest).amin(dim, keepdim=True)
    indices = torch.arange(x.shape[dim]).view([-1 if i == dim else 1 for i in range(x.dim())])
    equal = (numbers == value) | ((numbers != numbers) & (value != value))
    index = torch.where(equal & most, indices, -1).amax(dim, keepdim=True)
    value = x.gather(dim, index)
    return (value, index) if keepdim else (value.squeeze(dim), index.squeeze(dim))


@decomposition("aten.nanmedian.dim")
def nanmedian_dim(x, dim, keepdim=False):
    """The lower of two middle elements. NaNs are sorted last."""
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    ordered, order = torch.sort(x, dim=dim, stable=True)
    count = (x == x).sum(dim, keepdim=True)
    index = torch.div(count - 1, 2, rounding_mode="floor").clamp(min=0)
    value, index = ordered.gather(dim, index), order.gather(dim, index)
    return (value, index) if keepdim else (value.squeeze(dim), index.squeeze(dim))


@decomposition("aten.nanmedian.default")
def nanmedian(x):
    return nanmedian_dim(x.reshape(-1), 0)[0]


_NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}


@decomposition("aten.segment_reduce.default")
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0,
                   unsafe=False, initial=None):  # fmt: skip
    """Reduces consecutive segments along an axis."""
    if lengths is not None:
        ends = lengths.cumsum(-1)
        begins = ends - lengths
    elif offsets is not None:
        begins, ends = offsets[..., :-1], offsets[..., 1:]
    else:
        return NotImplemented
    positions = torch.arange(data.shape[axis])
    inside = (positions >= begins.unsqueeze(-1)) & (positions < ends.unsqueeze(-1))
    inside = inside.reshape(*inside.shape, *[1] * (data.dim() - axis - 1))
    neutral = _NEUTRAL[reduce]
    parts = torch.where(inside, data.unsqueeze(axis), neutral)
    first = neutral if initial is None else initial
    if reduce in ("max", "min"):
        reduced = (parts.amax if reduce == "max" else parts.amin)(axis + 1)
        return reduced.clamp(min=first) if reduce == "max" else reduced.clamp(max=first)
    if reduce == "prod":
        return parts.prod(axis + 1) * first
    total = parts.sum(axis + 1) + first
    if reduce == "sum":
        return total
    count = inside.sum(axis + 1)
    empty = math.nan if initial is None else initial
    return torch.where(count == 0, empty, total / count.clamp(min=1))


@registry.declines("aten.batch_norm.default")
def has_no_statistics(_, weight, bias, running_mean, running_var, training, *others):
    return training or running_mean is None


@decomposition("aten.batch_norm.default")
def batch_norm(*arguments):
    """With the statistics of the batch."""
    if not has_no_statistics(*arguments):
        return NotImplemented
    return _get_decomp_for_cia(torch.ops.aten.batch_norm.default)(*arguments)
