# ===- attention.py - The layers of PyTorch's fast path --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that `nn.MultiheadAttention` and `nn.TransformerEncoderLayer` call in evaluation
mode where no gradients are computed."""

import math

import torch
from torch.nn import functional

from dyn.frontend.torch.registry import decomposition

#: PyTorch's numbers of masks: [query, key], [batch, key], or [batch, head, query, key].
_OF_ALL, _OF_KEYS = 0, 1


@decomposition("aten._native_multi_head_attention.default")
def multi_head_attention(
    query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias,
    mask=None, need_weights=True, average_attn_weights=True, mask_type=None,
):  # fmt: skip
    """Inputs are [batch, element, feature]. A query that may see no key has a NaN, as
    PyTorch's has."""
    if query is key and key is value:
        parts = functional.linear(query, qkv_weight, qkv_bias).chunk(3, -1)
    else:
        weights, biases = qkv_weight.chunk(3), qkv_bias.chunk(3)
        parts = map(functional.linear, (query, key, value), weights, biases)
    depth = embed_dim // num_head
    query, key, value = (x.unflatten(-1, (num_head, depth)).transpose(1, 2) for x in parts)
    scores = query * (1 / math.sqrt(depth)) @ key.mT
    if mask is not None:
        hidden = mask.to(torch.bool)
        if mask_type == _OF_ALL:
            hidden = hidden[None, None]
        elif mask_type == _OF_KEYS:
            hidden = hidden[:, None, None]
        scores = scores.masked_fill(hidden, -math.inf)
    weights = scores.softmax(-1)
    result = (weights @ value).transpose(1, 2).flatten(2)
    result = functional.linear(result, proj_weight, proj_bias)
    if not need_weights:
        return result, None
    return result, weights.mean(1) if average_attn_weights else weights


@decomposition("aten._transformer_encoder_layer_fwd.default")
def transformer_encoder_layer(
    src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first,
    eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1,
    ffn_weight_2, ffn_bias_2, mask=None, mask_type=None,
):  # fmt: skip
    def attend(x):
        return multi_head_attention(
            x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias,
            mask, False, True, mask_type,
        )[0]  # fmt: skip

    def feed_forward(x):
        x = functional.linear(x, ffn_weight_1, ffn_bias_1)
        x = functional.gelu(x) if use_gelu else functional.relu(x)
        return functional.linear(x, ffn_weight_2, ffn_bias_2)

    def norm(x, weight, bias):
        return functional.layer_norm(x, (embed_dim,), weight, bias, eps)

    if norm_first:
        x = src + attend(norm(src, norm_weight_1, norm_bias_1))
        return x + feed_forward(norm(x, norm_weight_2, norm_bias_2))
    x = norm(src + attend(src), norm_weight_1, norm_bias_1)
    return norm(x + feed_forward(x), norm_weight_2, norm_bias_2)
