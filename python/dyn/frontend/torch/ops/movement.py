# ===- movement.py - Operators that move data ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements without computing on them. If the result's sizes are
arguments, PyTorch's sizes of the result are used: they have no -1."""

import sympy
import torch

from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import UNBOUNDED, floor_div, is_found, product, to_expr, to_exprs


@op("aten.view.default", "aten._unsafe_view.default", "aten.reshape.default",
    "aten.unflatten.int", "aten.flatten.using_ints")  # fmt: skip
def view(b, self, *sizes, **named):
    return b.reshape(self, b.out.sizes)


@op("aten.unsqueeze.default")
def unsqueeze(b, self, dim):
    return b.unsqueeze(self, dim)


@op("aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze.default")
def squeeze(b, self, dim=None):
    """Only axes that PyTorch knew to have size 1 are removed; others must not have it."""
    dims = range(self.rank) if dim is None else dim if isinstance(dim, list) else [dim]
    for axis in {b.axis(d, self.rank) for d in dims if self.rank}:
        size = self.sizes[axis]
        is_static = isinstance(b.arguments[0].shape[axis], int)
        if not is_static and not b.symbols.holds(sympy.Ge(size, 2, evaluate=False)):
            is_kept = b.compare("ne", b.scalar(size, torch.int64), 1)
            b.check(is_kept, "squeeze of a size other than 1")
    return b.reshape(self, b.out.sizes)


@op("aten.permute.default")
def permute(b, self, dims):
    return b.transpose(self, dims)


@op("aten.transpose.int")
def transpose(b, self, dim0, dim1):
    return b.swap(self, dim0, dim1) if self.rank else self


@op("aten.t.default")
def t(b, self):
    return b.swap(self, 0, 1) if self.rank == 2 else self


@op("aten.expand.default")
def expand(b, self, size, implicit=False):
    return b.broadcast_to(self, b.out.sizes)


@op("aten.expand_as.default")
def expand_as(b, self, other):
    return b.broadcast_to(self, b.out.sizes)


@op("aten.repeat.default")
def repeat(b, self, repeats):
    """Each axis becomes a pair, the repetition first."""
    shift = len(repeats) - self.rank
    sizes = (sympy.Integer(1),) * shift + self.sizes
    wide = [s for pair in zip(repeats, sizes) for s in pair]
    axes = [2 * (i + shift) + 1 for i in range(self.rank)]
    return b.reshape(b.broadcast(self, axes, wide), b.out.sizes)


@op("aten.flip.default")
def flip(b, self, dims):
    return b.reverse(self, dims)


@op("aten.roll.default")
def roll(b, self, shifts, dims=()):
    """Elements that leave at the end enter at the begin."""
    if not dims:
        flat = b.reshape(self, [b.count(self, range(self.rank))])
        return b.reshape(_roll_axis(b, flat, 0, shifts[0]), self.sizes)
    for shift, dim in zip(shifts, dims):
        self = _roll_axis(b, self, b.axis(dim, self.rank), shift)
    return self


def _roll_axis(b, x, axis, shift):
    size, shift = x.sizes[axis], to_expr(shift)
    if size == 0 or shift == 0:
        return x
    is_back = b.symbols.holds(sympy.Le(shift, 0, evaluate=False))
    distance = -shift if is_back else shift
    if not b.symbols.holds(sympy.Ge(size, distance, evaluate=False)):
        # PyTorch considers its symbols positive, and a size of 0 is no divisor. A remainder
        # is at least 0, whatever the sign of the distance.
        distance = sympy.Mod(distance, sympy.Max(size, 1, evaluate=False), evaluate=False)
    first = distance if is_back else size - distance
    if first in (0, size):
        return x
    return b.concat([b.slice(x, axis, first, size - first), b.slice(x, axis, 0, first)], axis)


# ----------------------------------------------------------------------------
# Parts
# ----------------------------------------------------------------------------


def clamped(b, index, size):
    """A bound of a slice as an index in [0, size]: a negative one counts from the end, and
    one out of range is clamped."""
    index = to_expr(index)
    if index.is_Integer and abs(index) >= UNBOUNDED:
        return size if index > 0 else sympy.Integer(0)
    if index.is_Integer:
        if index < 0:
            return size + index if _at_least(b, size, -index) else sympy.Max(0, size + index)
        return index if _at_least(b, size, index) else sympy.Min(index, size)
    if b.symbols.is_at_least(-index, 1):
        return sympy.Max(0, size + index)
    if not _at_least(b, index, 0):
        return sympy.Min(sympy.Max(0, from_front(b, index, size)), size)
    return index if _at_least(b, size - index, 0) else sympy.Min(index, size)


def from_front(b, index, size):
    """An index that counts from the end if it is negative, as one from the begin."""
    index = to_expr(index)
    if b.symbols.is_at_least(-index, 1):
        return size + index
    below = b.symbols.negative_part(index)
    return index + sympy.Min(1, below) * size


def _at_least(b, size, bound):
    return b.symbols.is_at_least(size, bound)


@op("aten.slice.Tensor")
def slice_(b, self, dim=0, start=None, end=None, step=1):
    """The number of elements is the result's size; if it or a bound is data-dependent, it
    is computed from the bounds."""
    axis = b.axis(dim, self.rank)
    count, size = b.out.sizes[axis], self.sizes[axis]
    if count == size and step == 1:
        return self
    first = sympy.Integer(0) if start is None else clamped(b, start, size)
    last = size if end is None else clamped(b, end, size)
    if any(map(is_found, (count, first, last))):
        count = sympy.Max(0, -floor_div(first - last, step))
    else:
        # PyTorch may know it only from its assumption that no size is 0 or 1.
        b.symbols.require(sympy.Ge(count, 0, evaluate=False))
    return b.slice(self, axis, first, count, step)


@op("aten.select.int")
def select(b, self, dim, index):
    axis = b.axis(dim, self.rank)
    first = from_front(b, index, self.sizes[axis])
    return b.squeeze(b.slice(self, axis, first, 1), [axis])


@op("aten.narrow.default")
def narrow(b, self, dim, start, length):
    axis = b.axis(dim, self.rank)
    return b.slice(self, axis, clamped(b, start, self.sizes[axis]), length)


@op("aten.split_with_sizes.default")
def split_with_sizes(b, self, split_sizes, dim=0):
    axis, start, parts = b.axis(dim, self.rank), sympy.Integer(0), []
    for size in split_sizes:
        parts.append(b.slice(self, axis, start, size))
        start = to_expr(start + size)
    return tuple(parts)


@op("aten.split.Tensor", "aten.chunk.default")
def split(b, self, split_size, dim=0):
    """PyTorch's results have the sizes of the parts."""
    axis = b.axis(dim, self.rank)
    return split_with_sizes(b, self, [part.sizes[axis] for part in b.out], dim)


@op("aten.unbind.int")
def unbind(b, self, dim=0):
    return tuple(select(b, self, dim, i) for i in range(len(b.out)))


@op("aten.unfold.default")
def unfold(b, self, dimension, size, step):
    """Windows along an axis, as a new last axis."""
    if self.rank == 0:
        return b.reshape(self, b.out.sizes)
    axis = b.axis(dimension, self.rank)
    count = b.out.sizes[axis]
    parts = []
    for i in range(int(size)):
        parts.append(b.unsqueeze(b.slice(self, axis, i, count, step), self.rank))
    return b.concat(parts, self.rank)


@op("aten.diagonal.default")
def diagonal(b, self, offset=0, dim1=0, dim2=1):
    """The elements (i, i + offset) of the two axes: gathered along the second."""
    first, second = b.axis(dim1, self.rank), b.axis(dim2, self.rank)
    rest = [i for i in range(self.rank) if i not in (first, second)]
    x = b.transpose(self, [first, second, *rest])
    count = b.out.sizes[-1]
    if offset < 0:
        x, offset = b.slice(x, 0, -offset, count), 0
    rows = b.slice(x, 0, 0, count)
    columns = b.iota(0, [count], torch.int64, start=offset)
    chosen = b.gather(b.reshape(rows, rows.sizes), b.unsqueeze(columns, 1), 1, batch=1)
    chosen = b.squeeze(chosen, [1])
    return b.transpose(chosen, [*range(1, chosen.rank), 0])


@op("aten.as_strided.default")
def as_strided(b, self, size, stride, storage_offset=None):
    """Elements by their memory offsets, for a tensor in row-major order."""
    offsets = _strided_offsets(b, self, b.out.sizes, stride, storage_offset)
    return b.gather(b.reshape(self, [b.count(self, range(self.rank))]), offsets, 0)


@op("aten.as_strided_scatter.default")
def as_strided_scatter(b, self, src, size, stride, storage_offset=None):
    sizes = to_exprs(size)
    offsets = b.reshape(
        _strided_offsets(b, self, sizes, stride, storage_offset), [product(sizes), 1]
    )
    flat = b.reshape(self, [b.count(self, range(self.rank))])
    updates = b.reshape(b.convert(src, self.dtype), [product(sizes)])
    return b.reshape(b.scatter_nd(flat, offsets, updates, "replace"), self.sizes)


def _strided_offsets(b, self, sizes, stride, storage_offset):
    """Offsets of elements in a tensor in row-major order."""
    tensor = b.arguments[0]
    dense = tuple(product(self.sizes[axis + 1 :]) for axis in range(self.rank))
    if to_exprs(tensor.stride()) != dense:
        raise Refused("expected a tensor that lies in memory in the order of its axes")
    begin = to_expr(tensor.storage_offset())
    first = sympy.Integer(0) if storage_offset is None else to_expr(storage_offset) - begin
    if not b.symbols.is_at_least(first, 0):
        raise Refused(f"expected elements from {begin} on, found {storage_offset}")
    offsets = b.scalar(first, torch.int64)
    for axis, distance in enumerate(to_exprs(stride)):
        extents = [s if i == axis else 1 for i, s in enumerate(sizes)]
        along = b.iota(axis, extents, torch.int64, step=distance)
        offsets = b.binary("add", offsets, along)
    return b.broadcast_to(offsets, sizes)


# ----------------------------------------------------------------------------
# Concatenation and padding
# ----------------------------------------------------------------------------


@op("aten.cat.default")
def cat(b, tensors, dim=0):
    """Empty vectors among the tensors are ignored, for old models."""
    tensors = [t for t in tensors if not (t.rank == 1 and t.sizes[0] == 0)] or tensors[:1]
    parts = [b.promote(t) for t in tensors]
    return b.concat(parts, b.axis(dim, parts[0].rank))


@op("aten.stack.default")
def stack(b, tensors, dim=0):
    axis = b.axis(dim, tensors[0].rank + 1)
    return b.concat([b.unsqueeze(b.promote(t), axis) for t in tensors], axis)


def _widths(rank, pad):
    """Padding before and after each axis, from PyTorch's order: the last axis first."""
    low, high = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return low, high


_PAD_MODES = {"reflect": "reflect", "replicate": "edge"}


@op("aten.pad.default")
def pad(b, self, pad, mode="constant", value=None):
    """Padding repeats elements that negative widths cut off, except in the mode
    "circular"."""
    low, high = _widths(self.rank, pad)
    if mode == "constant":
        return b.pad(self, low, high, value or 0)
    cuts = [[b.symbols.negative_part(w) for w in pair] for pair in zip(low, high)]
    low = [width + first for width, (first, _) in zip(low, cuts)]
    high = [width + last for width, (_, last) in zip(high, cuts)]
    if mode == "circular":
        return b.pad(_cut(b, self, cuts), low, high, 0, "wrap")
    return _cut(b, b.pad(self, low, high, 0, _PAD_MODES[mode]), cuts)


def _cut(b, x, cuts):
    """Removes some elements at both ends of each axis."""
    for axis, (first, last) in enumerate(cuts):
        count = to_expr(x.sizes[axis] - first - last)
        if count.is_negative:
            raise Refused(f"expected widths that cut at most {x.sizes[axis]} elements")
        x = b.slice(x, axis, first, count)
    return x


@op("aten.constant_pad_nd.default")
def constant_pad_nd(b, self, pad, value=0):
    return b.pad(self, *_widths(self.rank, pad), value)


@op("aten.pixel_shuffle.default")
def pixel_shuffle(b, self, upscale_factor):
    """[..., C r r, H, W] to [..., C, H r, W r]."""
    r = int(upscale_factor)
    *outer, channels, height, width = self.sizes
    n = len(outer)
    wide = b.reshape(self, [*outer, floor_div(channels, r * r), r, r, height, width])
    moved = b.transpose(wide, [*range(n), n, n + 3, n + 1, n + 4, n + 2])
    return b.reshape(moved, b.out.sizes)


@op("aten.tril.default")
def tril(b, self, diagonal=0):
    return _triangle(b, self, "le", diagonal)


@op("aten.triu.default")
def triu(b, self, diagonal=0):
    return _triangle(b, self, "ge", diagonal)


def _triangle(b, x, direction, diagonal):
    """Keeps element (i, j) where `j - i <= diagonal`, or `>=`."""
    rows = b.iota(0, [x.sizes[-2], 1], torch.int64, start=diagonal)
    columns = b.iota(1, [1, x.sizes[-1]], torch.int64)
    keep = b.compare(direction, columns, rows)
    return b.select(keep, x, b.scalar(0, x.dtype))
