# ===- attention.py - Attention --------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention: `scaled_dot_product_attention`."""

import math

import sympy
import torch

from dyn.frontend.torch.registry import Refused, op


@op("aten.scaled_dot_product_attention.default")
def attention(b, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
              enable_gqa=False):  # fmt: skip
    """dhlo's attention has exactly one batch axis and one axis of heads.

    A causal mask of PyTorch is aligned at the first query and key, that of dhlo at the
    last: they are equal if the lengths are.
    """
    if dropout_p != 0:
        raise Refused(f"expected no dropout, found {dropout_p}")
    depth = query.sizes[-1]
    if scale is None:
        if not depth.is_Integer:
            raise Refused(f"expected a head of static size, found {depth}")
        scale = 1 / math.sqrt(max(int(depth), 1))
    outer = b.out.sizes[:-2]
    if len(outer) > 2:
        raise Refused(f"expected at most two axes of batch and heads, found {len(outer)}")
    if not enable_gqa:
        query, key, value = (
            b.broadcast_to(x, [*outer, *x.sizes[-2:]]) for x in (query, key, value)
        )
    queries, keys = query.sizes[-2], key.sizes[-2]
    if is_causal and queries != keys:
        rows = b.iota(0, [queries, sympy.Integer(1)], torch.int64)
        columns = b.iota(1, [sympy.Integer(1), keys], torch.int64)
        attn_mask, is_causal = b.compare("le", columns, rows), False
    query, key, value = (_to_rank_4(b, x) for x in (query, key, value))
    if attn_mask is not None:
        attn_mask = _to_rank_4(b, attn_mask)
        if attn_mask.dtype is not torch.bool:
            attn_mask = b.convert(attn_mask, query.dtype)
    result = b.attention(query, key, value, attn_mask, scale, is_causal)
    return b.reshape(result, b.out.sizes)


def _to_rank_4(b, x):
    """Prepends axes of size 1 to [S, D] and [H, S, D]."""
    return b.reshape(x, [*[1] * (4 - x.rank), *x.sizes])
