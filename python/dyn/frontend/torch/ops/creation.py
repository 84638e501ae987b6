# ===- creation.py - Operators that make tensors ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that make tensors of sizes and numbers. Arguments that define the memory layout
are ignored."""

import sympy
import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.builder import Value
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import to_expr
from dyn.frontend.torch.widening import widened


def _full(b, value):
    if isinstance(value, Value):
        return b.broadcast_to(b.promote(b.reshape(value, [])), b.out.sizes)
    return b.full(value, b.out.sizes, b.out.dtype)


@op("aten.full.default", "aten.full_like.default")
def full(b, like_or_size, fill_value, **options):
    return _full(b, fill_value)


@op("aten.new_full.default")
def new_full(b, self, size, fill_value, **options):
    return _full(b, fill_value)


@op("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default",
    "aten.empty.memory_format", "aten.empty_like.default", "aten.new_empty.default",
    "aten.empty_permuted.default", "aten.empty_strided.default",
    "aten.new_empty_strided.default")  # fmt: skip
def zeros(b, *like_or_size, **options):
    """Elements that PyTorch leaves uninitialised are zero here, so that runs repeat."""
    return _full(b, 0)


@op("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(b, *like_or_size, **options):
    return _full(b, 1)


@op("aten.scalar_tensor.default")
def scalar_tensor(b, s, dtype=None, layout=None, device=None, pin_memory=None):
    return b.promote(s)


@op("aten.arange.default")
def arange(b, end, **options):
    return _arange(b, 0, 1)


@op("aten.arange.start")
def arange_start(b, start, end, **options):
    return _arange(b, start, 1)


@op("aten.arange.start_step")
def arange_start_step(b, start, end, step=1, **options):
    return _arange(b, start, step)


def _arange(b, start, step):
    """start + i * step, computed in integers if both are integers."""
    if not types.is_float(b.out.dtype):
        start, step = (
            int(x) if isinstance(x, float) and x.is_integer() else x for x in (start, step)
        )
    exact = all(isinstance(x, (int, sympy.Basic)) and to_expr(x).is_integer for x in (start, step))
    if exact:
        # The element type does not bound a size, but it does bound an element of it.
        return b.iota(0, b.out.sizes, b.out.dtype, start=start, step=step)
    if not types.is_float(b.out.dtype):
        raise Refused(f"expected whole numbers for {b.out.dtype}, found {start} and {step}")
    steps = b.iota(0, b.out.sizes, b.out.dtype)
    return b.binary("add", b.binary("mul", steps, b.promote(step)), b.promote(start))


@op("aten.eye.default", "aten.eye.m")
def eye(b, *sizes, **options):
    return ones_of(b, b.out.dtype)


def ones_of(b, dtype):
    """A matrix with ones on its diagonal."""
    rows = b.iota(0, [b.out.sizes[0], 1], torch.int64)
    columns = b.iota(1, [1, b.out.sizes[1]], torch.int64)
    return b.convert(b.compare("eq", rows, columns), dtype)


@op("aten.linspace.default")
@widened
def linspace(b, start, end, steps, **options):
    """From both ends to the middle, as PyTorch does, so that both are exact. PyTorch fixes
    the number of steps; integers it computes in f64 and truncates."""
    count, dtype = int(b.out.sizes[0]), b.out.dtype
    if count < 2:
        return _full(b, start)
    if not types.is_float(dtype):
        dtype = torch.float64
        start, end = (int(x) if isinstance(x, float) else x for x in (start, end))
    if isinstance(start, sympy.Basic) or isinstance(end, sympy.Basic):
        start, end = (b.scalar(x, dtype) for x in (start, end))
        step = b.binary("div", b.binary("sub", end, start), float(count - 1))
    else:
        start, end, step = float(start), float(end), (end - start) / (count - 1)
    up = b.iota(0, [count], dtype)
    down = b.iota(0, [count], dtype, start=count - 1, step=-1)
    rising = b.binary("add", b.binary("mul", up, step), start)
    falling = b.binary("sub", end, b.binary("mul", down, step))
    return b.promote(b.select(b.compare("lt", up, float(count // 2)), rising, falling))
