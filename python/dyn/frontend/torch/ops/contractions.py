# ===- contractions.py - Matrix multiplication -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplication."""

import torch

from dyn.frontend.torch.registry import Refused, op


@op("aten.linear.default")
def linear(b, input, weight, bias=None):
    """x W^T + bias over the last axis."""
    result = b.dot(input, weight, 0, [input.rank - 1], [weight.rank - 1])
    return result if bias is None else b.binary("add", result, bias)


@op("aten.mm.default")
def mm(b, self, mat2):
    return b.dot(self, mat2, 0, [1], [0])


@op("aten._int_mm.default")
def int_mm(b, self, mat2):
    return b.dot(self, mat2, 0, [1], [0], torch.int32)


@op("aten.bmm.default")
def bmm(b, self, mat2):
    return b.dot(self, mat2, 1, [2], [1])


@op("aten.mv.default", "aten.dot.default")
def mv(b, self, other):
    """By position: PyTorch calls the second operand `vec` or `tensor`."""
    return b.dot(self, other, 0, [self.rank - 1], [0])


@op("aten.addmm.default", "aten.addmv.default")
def addmm(b, self, mat1, mat2, beta=1, alpha=1):
    return _plus(b, self, b.dot(mat1, mat2, 0, [1], [0]), beta, alpha)


@op("aten.baddbmm.default")
def baddbmm(b, self, batch1, batch2, beta=1, alpha=1):
    return _plus(b, self, b.dot(batch1, batch2, 1, [2], [1]), beta, alpha)


@op("aten.addbmm.default")
def addbmm(b, self, batch1, batch2, beta=1, alpha=1):
    """One sum over the batch and the inner axis."""
    return _plus(b, self, b.dot(batch1, batch2, 0, [0, 2], [0, 1]), beta, alpha)


def _plus(b, term, matmul, beta, alpha):
    """`beta * term + alpha * matmul`; with beta 0, NaNs of the term are ignored."""
    matmul = matmul if alpha == 1 else b.binary("mul", matmul, b.typed(alpha, matmul.dtype))
    if isinstance(beta, (int, float)) and beta == 0:
        return b.broadcast_to(matmul, b.out.sizes)
    if not (isinstance(beta, (int, float)) and beta == 1):
        beta = b.typed(beta, term.dtype)
        term = b.select(b.compare("eq", beta, 0), 0, b.binary("mul", term, beta))
    return b.binary("add", matmul, term)


@op("aten.matmul.default")
def matmul(b, self, other):
    """As in numpy: vectors are rows and columns, further axes are batch axes that
    broadcast."""
    if other.rank == 1:
        return b.dot(self, other, 0, [self.rank - 1], [0])
    if self.rank == 1:
        row = matmul(b, b.unsqueeze(self, 0), other)
        return b.squeeze(row, [row.rank - 2])
    if other.rank == 2:
        return b.dot(self, other, 0, [self.rank - 1], [0])
    batch = b.broadcast_sizes(self.sizes[:-2], other.sizes[:-2])
    left = b.broadcast_to(self, [*batch, *self.sizes[-2:]])
    right = b.broadcast_to(other, [*batch, *other.sizes[-2:]])
    n = len(batch)
    return b.dot(left, right, n, [n + 1], [n])


@op("aten._trilinear.default")
def trilinear(b, i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    """Multiplies three tensors, after adding axes of size 1, and sums over some axes."""
    parts = []
    for x, axes in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for axis in axes:
            x = b.unsqueeze(x, axis)
        parts.append(x)
    first, second, third = parts
    return b.reduce("sum", b.binary("mul", b.binary("mul", first, third), second), sumdim)


@op("aten._cdist_forward.default")
def cdist(b, x1, x2, p, compute_mode=None):
    """Distances of rows, by differences: PyTorch's matmuls for large inputs lose digits."""
    rows, others = b.unsqueeze(x1, x1.rank - 1), b.unsqueeze(x2, x2.rank - 2)
    apart = b.unary("abs", b.binary("sub", rows, others))
    axis = [apart.rank - 1]
    if p == 0:
        return b.reduce("sum", b.convert(b.compare("ne", apart, 0), x1.dtype), axis)
    if p == 1:
        return b.reduce("sum", apart, axis)
    if p == 2:
        return b.unary("sqrt", b.reduce("sum", b.binary("mul", apart, apart), axis))
    if p == float("inf"):
        return b.reduce("max", apart, axis)
    return b.binary("pow", b.reduce("sum", b.binary("pow", apart, p), axis), 1 / p)


@op("aten._grouped_mm.default", "transformers.grouped_mm_fallback.default")
def grouped_mm(b, input, weight, offs=None, bias=None, out_dtype=None):
    """Row i of [T, K] times the matrix of its group in [E, K, N]: that of the first group
    whose end, in `offs`, is above i."""
    if input.rank != 2 or weight.rank != 3 or offs is None or bias is not None:
        raise Refused("expected rows, a matrix for each group and offsets, without a bias")
    return b.grouped_dot(input, weight, offs)
