# ===- movement.py - Scatters in terms of others ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters in terms of others."""

import torch

from dyn.frontend.torch.registry import decomposition

_KINDS = {"add": "sum", "multiply": "prod"}


@decomposition("aten.scatter.reduce")
def scatter_reduce(x, dim, index, src, *, reduce):
    return x.scatter_reduce(dim, index, src, _KINDS[reduce], include_self=True)


@decomposition("aten.scatter.value_reduce")
def scatter_value_reduce(x, dim, index, value, *, reduce):
    src = torch.full_like(index, value, dtype=x.dtype)
    return x.scatter_reduce(dim, index, src, _KINDS[reduce], include_self=True)


@decomposition("aten.index_reduce.default")
def index_reduce(x, dim, index, source, reduce, *, include_self=True):
    whole = x.reshape(-1) if x.dim() == 0 else x
    rows = source.reshape(-1) if source.dim() == 0 else source
    sizes = [1] * whole.dim()
    sizes[dim] = -1
    index = index.reshape(sizes).expand(rows.shape)
    return whole.scatter_reduce(dim, index, rows, reduce, include_self=include_self).view(x.shape)


@decomposition("aten.diagonal_scatter.default")
def diagonal_scatter(x, src, offset=0, dim1=0, dim2=1):
    indices = torch.arange(src.shape[-1], device=x.device)
    rows, columns = indices - min(offset, 0), indices + max(offset, 0)
    moved = x.movedim((dim1, dim2), (0, 1)).index_put((rows, columns), src.movedim(-1, 0))
    return moved.movedim((0, 1), (dim1, dim2))


@decomposition("aten.put.default")
def put(x, index, source, accumulate=False):
    flat = x.reshape(-1)
    index = index.reshape(-1)
    index = torch.where(index < 0, index + flat.shape[0], index)
    return flat.index_put((index,), source.reshape(-1), accumulate).reshape(x.shape)
