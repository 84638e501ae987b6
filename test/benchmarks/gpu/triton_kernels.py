# ===- triton_kernels.py - The cases in Triton -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels for the families of cases that a single kernel computes. Without a GPU
they run in Triton's interpreter (TRITON_INTERPRET=1)."""

import torch
import triton
import triton.language as tl


@triton.jit
def bias_gelu_kernel(x, bias, y, total, width, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < total
    v = tl.load(x + at, inside, other=0.0).to(tl.float32)
    v += tl.load(bias + at % width, inside, other=0.0).to(tl.float32)
    v = 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))
    tl.store(y + at, v.to(y.dtype.element_ty), inside)


@triton.jit
def softmax_kernel(x, y, width, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * width
    columns = tl.arange(0, BLOCK)
    v = tl.load(x + base + columns, columns < width, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 0))
    v = v / tl.sum(v, 0)
    tl.store(y + base + columns, v.to(y.dtype.element_ty), columns < width)


@triton.jit
def layer_norm_kernel(x, scale, shift, y, width, eps, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * width
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    v = tl.load(x + base + columns, inside, other=0.0).to(tl.float32)
    v = tl.where(inside, v - tl.sum(v, 0) / width, 0.0)
    v = v * tl.rsqrt(tl.sum(v * v, 0) / width + eps)
    v = v * tl.load(scale + columns, inside, other=0.0).to(tl.float32)
    v = v + tl.load(shift + columns, inside, other=0.0).to(tl.float32)
    tl.store(y + base + columns, v.to(y.dtype.element_ty), inside)


@triton.jit
def linear_kernel(x, w, bias, y, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rows = tl.program_id(0) * TM + tl.arange(0, TM)
    columns = tl.program_id(1) * TN + tl.arange(0, TN)
    steps = tl.arange(0, TK)
    sums = tl.zeros((TM, TN), tl.float32)
    for k in range(0, K, TK):
        inside = (k + steps) < K
        left = tl.load(x + rows[:, None] * K + (k + steps)[None, :],
                       (rows < M)[:, None] & inside[None, :], other=0.0)  # fmt: skip
        right = tl.load(w + columns[None, :] * K + (k + steps)[:, None],
                        (columns < N)[None, :] & inside[:, None], other=0.0)  # fmt: skip
        sums = tl.dot(left, right, sums, input_precision="ieee")
    sums += tl.load(bias + columns, columns < N, other=0.0).to(tl.float32)[None, :]
    addresses = y + rows[:, None].to(tl.int64) * N + columns[None, :]
    tl.store(addresses, sums.to(y.dtype.element_ty), (rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def attention_kernel(q, k, v, y, length, scale, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * length * WIDTH
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    lanes = tl.arange(0, WIDTH)
    offsets = base + rows[:, None] * WIDTH + lanes[None, :]
    query = tl.load(q + offsets, (rows < length)[:, None], other=0.0)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    sums = tl.zeros((BLOCK, WIDTH), tl.float32)
    for start in range(0, length, BLOCK):
        keys = start + tl.arange(0, BLOCK)
        other = base + keys[:, None] * WIDTH + lanes[None, :]
        key = tl.load(k + other, (keys < length)[:, None], other=0.0)
        scores = tl.dot(query, tl.trans(key), input_precision="ieee") * scale
        scores = tl.where((keys < length)[None, :], scores, -float("inf"))
        next_most = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp(scores - next_most[:, None])
        fade = tl.exp(most - next_most)
        total = total * fade + tl.sum(weights, 1)
        value = tl.load(v + other, (keys < length)[:, None], other=0.0)
        sums = sums * fade[:, None]
        sums = tl.dot(weights.to(value.dtype), value, sums, input_precision="ieee")
        most = next_most
    sums = sums / total[:, None]
    tl.store(y + offsets, sums.to(y.dtype.element_ty), (rows < length)[:, None])


def _bias_gelu(module, x):
    y = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)
    bias_gelu_kernel[grid](x, module.bias, y, x.numel(), x.shape[-1], BLOCK=1024)
    return y


def _softmax(module, x):
    y = torch.empty_like(x)
    rows, width = x.shape
    block = triton.next_power_of_2(width)
    softmax_kernel[(rows,)](x, y, width, BLOCK=block, num_warps=min(max(4, block // 1024), 32))
    return y


def _layer_norm(module, x):
    y = torch.empty_like(x)
    rows, width = x.shape
    block = triton.next_power_of_2(width)
    layer_norm_kernel[(rows,)](x, module.scale, module.shift, y, width, 1e-5, BLOCK=block)
    return y


def _linear(module, x):
    rows, depth = x.shape
    width = module.weight.shape[0]
    y = torch.empty(rows, width, dtype=x.dtype, device=x.device)
    tile = (16, 64, 64) if rows <= 16 else (64, 64, 32) if rows <= 256 else (128, 128, 32)
    grid = (triton.cdiv(rows, tile[0]), triton.cdiv(width, tile[1]))
    linear_kernel[grid](x, module.weight, module.bias, y, rows, width, depth, *tile)
    return y


def _attention(module, q, k, v):
    y = torch.empty_like(q)
    batch, heads, length, width = q.shape
    grid = (triton.cdiv(length, 64), batch * heads)
    attention_kernel[grid](q, k, v, y, length, width**-0.5, WIDTH=width, BLOCK=64)
    return y


#: Functions of a case's module and its inputs, by family.
KERNELS = {
    "bias-gelu": _bias_gelu,
    "softmax": _softmax,
    "layer-norm": _layer_norm,
    "linear": _linear,
    "attention": _attention,
}
