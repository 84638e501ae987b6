# ===- ragged.py - Rows in groups of different lengths ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bags of embeddings, and rows that are repeated by data-dependent counts."""

import sympy

from dyn.frontend.torch.registry import Refused, op

_SUM, _MEAN, _MAX = 0, 1, 2


@op("aten._embedding_bag_forward_only.default", "aten._embedding_bag.default")
def embedding_bag(b, weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=-1):  # fmt: skip
    """The other results of PyTorch are for training."""
    if padding_idx >= 0:
        raise Refused("expected bags without a padding index")
    offsets = b.indices(offsets)
    if not include_last_offset:
        end = b.reshape(b.scalar(indices.sizes[0], offsets.dtype), [1])
        offsets = b.concat([offsets, end], 0)
    bags = offsets.sizes[0] - 1
    rows = b.gather(weight, indices, 0)
    if per_sample_weights is not None:
        rows = b.binary("mul", rows, b.unsqueeze(per_sample_weights, 1))
    kind = "max" if mode == _MAX else "sum"
    text = f"segment_reduce {kind} {rows}, {offsets}"
    result = b.call(text, [rows, offsets], [bags, rows.sizes[1]], rows.dtype)
    if mode != _SUM:
        starts, ends = b.slice(offsets, 0, 0, bags), b.slice(offsets, 0, 1, bags)
        counts = b.unsqueeze(b.binary("sub", ends, starts), 1)
        if mode == _MEAN:
            counts = b.convert(b.binary("maximum", counts, 1), result.dtype)
            result = b.binary("div", result, counts)
        else:
            result = b.select(b.compare("eq", counts, 0), b.full(0, (), result.dtype), result)
    return result, None, None, None


@op("aten.repeat_interleave.Tensor")
def repeat_interleave(b, repeats, output_size=None):
    """The source row of each row of the result: the number of rows that have ended
    before."""
    repeats = b.indices(repeats)
    total = b.found(b.out.sizes[0], "repeated")
    b.bind(total, b.reduce("sum", repeats, [0]))
    least = sympy.Dummy("repeats", integer=True, nonnegative=True)
    b.bind(least, b.reduce("min", repeats, [0]))
    ends = b.cumulative("sum", repeats, 0)
    none = b.full(0, [total + 1], repeats.dtype)
    ones = b.full(1, repeats.sizes, repeats.dtype)
    ends = b.unsqueeze(ends, 1)
    ended = b.cumulative("sum", b.scatter_nd(none, ends, ones, "add"), 0)
    return b.convert(b.slice(ended, 0, 0, total), b.out.dtype)
