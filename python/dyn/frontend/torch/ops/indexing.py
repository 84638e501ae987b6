# ===- indexing.py - Operators with indices --------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers and scatters. An index that is out of range is an error of the call, with the
operator's line of Python."""

import torch

from dyn.frontend.torch import scalars, types
from dyn.frontend.torch.ops.elementwise import floor_quotient
from dyn.frontend.torch.ops.movement import clamped, from_front
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import to_expr


@op("aten.embedding.default")
def embedding(b, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return b.gather(weight, indices, 0)


@op("aten.index_select.default")
def index_select(b, self, dim, index):
    if self.rank == 0:
        return self
    axis = b.axis(dim, self.rank)
    return b.gather(self, b.reshape(index, [b.count(index, range(index.rank))]), axis)


@op("aten.gather.default")
def gather(b, self, dim, index, sparse_grad=False):
    if self.rank == 0:
        return b.broadcast_to(self, index.sizes)
    axis = b.axis(dim, self.rank)
    indices = _with_axes(b, b.indices(index))
    text = f"gather_elements {self}, {indices} axis = {axis}"
    result = b.call(text, [self, indices], indices.sizes, self.dtype)
    return b.reshape(result, index.sizes)


def _with_axes(b, x):
    """A scalar as a vector of one element."""
    return x if x.rank else b.reshape(x, [1])


# ----------------------------------------------------------------------------
# x[i, :, j]
# ----------------------------------------------------------------------------


def _position(indices):
    """Axes that are indexed, and the position of the indices' axes in the result: that of
    the first indexed axis if the indexed axes are adjacent, else 0."""
    indexed = [i for i, index in enumerate(indices) if index is not None]
    adjacent = indexed[-1] - indexed[0] + 1 == len(indexed)
    return indexed, indexed[0] if adjacent else 0


def _expand_masks(b, x, indices):
    """Replaces a mask by the index vectors of its true elements, one for each axis."""
    result = []
    for index in indices:
        if index is not None and index.dtype in (torch.bool, torch.uint8):
            result += _nonzero_columns(b, index)
        else:
            result.append(index)
    return result + [None] * (x.rank - len(result))


def _nonzero_columns(b, mask):
    rows = nonzero_indices(b, mask, _data_dependent(b))
    columns = [b.slice(rows, 1, i, 1) for i in range(mask.rank)]
    return [b.squeeze(column, [1]) for column in columns]


def _data_dependent(b):
    """The data-dependent size of the result, None if there is none."""
    return next((s for s in b.out.sizes if s.is_Symbol and not b.symbols.is_bound(s)), None)


def _vectors(b, indices):
    """Index tensors that broadcast, as one tensor of index vectors."""
    sizes = ()
    for index in indices:
        sizes = b.broadcast_sizes(sizes, index.sizes)
    columns = [b.convert(b.broadcast_to(i, sizes), torch.int64) for i in indices]
    return b.concat([b.unsqueeze(c, len(sizes)) for c in columns], len(sizes))


@op("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(b, self, indices):
    """One index is a gather along its axis; several are index vectors."""
    indices = _expand_masks(b, self, indices)
    indexed, position = _position(indices)
    if len(indexed) == 1:
        return b.gather(self, indices[indexed[0]], indexed[0])
    rest = [i for i in range(self.rank) if i not in indexed]
    front = b.transpose(self, [*indexed, *rest])
    vectors = _vectors(b, [indices[i] for i in indexed])
    outer = vectors.sizes[:-1]
    sizes = [*outer, *front.sizes[len(indexed) :]]
    text = f"gather_nd {front}, {vectors} batch = 0"
    result = b.call(text, [front, vectors], sizes, self.dtype)
    # [indices..., rest...]: axes of the rest that preceded the indices are moved to the
    # front.
    n = len(outer)
    order = [*range(n, n + position), *range(n), *range(n + position, result.rank)]
    return b.transpose(result, order)


@op("aten.index_put.default", "aten._unsafe_index_put.default")
def index_put(b, self, indices, values, accumulate=False):
    """Of equal index vectors, the value of the last one is kept."""
    indices = list(indices) + [None] * (self.rank - len(indices))
    if any(i is not None and i.dtype is torch.bool for i in indices):
        return _masked_put(b, self, indices, values, accumulate)
    indexed, position = _position(indices)
    rest = [i for i in range(self.rank) if i not in indexed]
    order = [*indexed, *rest]
    front = b.transpose(self, order)
    vectors = _vectors(b, [indices[i] for i in indexed])
    n = vectors.rank - 1
    inner = front.sizes[len(indexed) :]
    # The values have the axes of `self[indices]`: those of the indices move to the front.
    whole = [*inner[:position], *vectors.sizes[:-1], *inner[position:]]
    values = b.broadcast_to(b.convert(values, self.dtype), whole)
    moved = [*range(position, position + n), *range(position), *range(position + n, len(whole))]
    result = _scatter_nd(b, front, vectors, b.transpose(values, moved), accumulate)
    inverse = [order.index(i) for i in range(self.rank)]
    return b.transpose(result, inverse)


def _scatter_nd(b, x, vectors, updates, accumulate):
    return b.scatter_nd(x, vectors, updates, "add" if accumulate else "replace")


def _masked_put(b, x, indices, values, accumulate):
    """The true elements of a mask over some axes take the values in order, or all take the
    same. Another number of values is an error of the call."""
    position = next(i for i, index in enumerate(indices) if index is not None)
    if sum(index is not None for index in indices) != 1:
        raise Refused("expected one mask, or indices that are integers")
    mask = indices[position]
    masked = list(range(position, position + mask.rank))
    order = masked + [i for i in range(x.rank) if i not in masked]
    front = b.transpose(x, order)
    inner = front.sizes[mask.rank :]
    # The values have the axes of `self[indices]`.
    axis = values.rank - (x.rank - mask.rank + 1 - position)
    count = values.sizes[axis] if axis >= 0 else to_expr(1)
    whole = [*inner[:position], count, *inner[position:]]
    values = b.broadcast_to(b.convert(values, x.dtype), whole)
    values = b.transpose(values, [position, *[i for i in range(len(whole)) if i != position]])
    if count == 1:
        values = b.reshape(values, inner)
    else:
        values = b.reshape(_in_turn(b, mask, values, exact=True), front.sizes)
    mask = b.reshape(mask, [*mask.sizes, *[1] * len(inner)])
    values = b.binary("add", front, values) if accumulate else values
    return b.transpose(b.select(mask, values, front), [order.index(i) for i in range(x.rank)])


def _in_turn(b, mask, source, exact=False):
    """For each element of a flattened mask, a row of the source: the i-th true element
    takes the i-th row. Too few rows are an error of the call, and with `exact` too many."""
    flat = b.reshape(mask, [b.count(mask, range(mask.rank))])
    counted = b.convert(flat, torch.int64)
    if exact:
        rows = b.scalar(source.sizes[0], torch.int64)
        surplus = b.binary("sub", b.reduce("sum", counted, [0]), rows)
        b.check_zero(surplus, "as many values as true elements")
    # False elements, for which there may be no row, read a row of zeros.
    none = b.full(0, [1, *source.sizes[1:]], source.dtype)
    taken = b.select(flat, b.cumulative("sum", counted, 0), 0)
    return b.gather(b.concat([none, source], 0), taken, 0)


@op("aten.masked_select.default")
def masked_select(b, self, mask):
    sizes = b.broadcast_sizes(self.sizes, mask.sizes)
    self, mask = b.broadcast_to(self, sizes), b.broadcast_to(mask, sizes)
    if not sizes:
        self, mask = b.reshape(self, [1]), b.reshape(mask, [1])
    return index(b, self, [mask])


@op("aten.masked_scatter.default")
def masked_scatter(b, self, mask, source):
    """Too few elements of the source are an error of the call."""
    sizes = b.broadcast_sizes(self.sizes, mask.sizes)
    self, mask = b.broadcast_to(self, sizes), b.broadcast_to(mask, sizes)
    source = b.reshape(source, [b.count(source, range(source.rank))])
    return b.select(mask, b.reshape(_in_turn(b, mask, source), sizes), self)


# ----------------------------------------------------------------------------
# Scatters along an axis
# ----------------------------------------------------------------------------


def _scatter(b, x, dim, index, updates, kind):
    """Updates are sliced to the size of the indices."""
    axis, sizes = b.axis(dim, x.rank), x.sizes
    x, index, updates = (_with_axes(b, v) for v in (x, b.indices(index), updates))
    for i, size in enumerate(index.sizes):
        updates = b.slice(updates, i, 0, size)
    return b.reshape(b.scatter_elements(x, index, updates, kind, axis), sizes)


@op("aten.scatter.src")
def scatter_src(b, self, dim, index, src):
    return _scatter(b, self, dim, index, src, "replace")


@op("aten.scatter.value")
def scatter_value(b, self, dim, index, value):
    return _scatter(b, self, dim, index, b.broadcast_to(b.promote(value), index.sizes), "replace")


@op("aten.scatter_add.default")
def scatter_add(b, self, dim, index, src):
    return _scatter(b, self, dim, index, src, "add")


_REDUCTIONS = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}


@op("aten.scatter_reduce.two")
def scatter_reduce(b, self, dim, index, src, reduce, include_self=True):
    """The mean of integers is rounded down."""
    kind, total = _REDUCTIONS[reduce], self
    if not include_self:
        neutral = b.full(_neutral(kind, self.dtype), index.sizes, self.dtype)
        total = _scatter(b, total, dim, index, neutral, "replace")
    total = _scatter(b, total, dim, index, src, kind)
    if reduce != "mean":
        return total
    ones = b.full(1, index.sizes, self.dtype)
    counts = b.full(int(include_self), self.sizes, self.dtype)
    counts = b.binary("maximum", _scatter(b, counts, dim, index, ones, "add"), 1)
    if types.is_float(self.dtype):
        return b.binary("div", total, counts)
    return floor_quotient(b, total, counts)


def _neutral(kind, dtype):
    """The neutral element of a reduction."""
    if kind in ("add", "mul"):
        return int(kind == "mul")
    if dtype is torch.bool:
        return kind == "min"
    if types.is_float(dtype):
        return float("-inf") if kind == "max" else float("inf")
    return torch.iinfo(dtype).min if kind == "max" else torch.iinfo(dtype).max


def _along(b, x, axis, index):
    """A vector of indices along an axis, as index vectors of the axis in front."""
    axis = b.axis(axis, x.rank)
    order = [axis, *[i for i in range(x.rank) if i != axis]]
    inverse = [order.index(i) for i in range(x.rank)]
    vectors = b.unsqueeze(b.indices(b.reshape(index, [b.count(index, range(index.rank))])), 1)
    return order, inverse, vectors


def _index_update(b, x, dim, index, source, accumulate):
    if x.rank == 0:
        parts = (b.reshape(x, [1]), dim, index, b.reshape(source, [1]))
        return b.reshape(_index_update(b, *parts, accumulate), [])
    # A scalar source is a row of one element.
    source = source if source.rank else b.broadcast_to(source, [1] * x.rank)
    order, inverse, vectors = _along(b, x, dim, index)
    front, updates = b.transpose(x, order), b.transpose(source, order)
    return b.transpose(_scatter_nd(b, front, vectors, updates, accumulate), inverse)


@op("aten.index_copy.default")
def index_copy(b, self, dim, index, source):
    return _index_update(b, self, dim, index, source, False)


@op("aten.index_add.default")
def index_add(b, self, dim, index, source, alpha=1):
    source = source if alpha == 1 else b.binary("mul", source, alpha)
    return _index_update(b, self, dim, index, source, True)


def _range_update(b, x, dim, start, count, step, source):
    """Writes `count` slices from `start` on. Those with step 1 are concatenated with the
    elements before and after them."""
    if step == 1:
        size, behind = x.sizes[dim], start + count
        parts = [b.slice(x, dim, 0, start)] if start != 0 else []
        parts += [b.promote(source)]
        parts += [b.slice(x, dim, behind, size - behind)] if behind != size else []
        return b.concat(parts, dim)
    indices = b.iota(0, [count], torch.int64, start=start, step=step)
    return _index_update(b, x, dim, indices, source, False)


@op("aten.slice_scatter.default")
def slice_scatter(b, self, src, dim=0, start=None, end=None, step=1):
    axis = b.axis(dim, self.rank)
    first = 0 if start is None else clamped(b, start, self.sizes[axis])
    return _range_update(b, self, axis, first, src.sizes[axis], step, src)


@op("aten.select_scatter.default")
def select_scatter(b, self, src, dim, index):
    axis = b.axis(dim, self.rank)
    first = from_front(b, index, self.sizes[axis])
    return _range_update(b, self, axis, first, 1, 1, b.unsqueeze(src, axis))


# ----------------------------------------------------------------------------
# Data-dependent sizes
# ----------------------------------------------------------------------------


def nonzero_indices(b, x, size=None):
    """The indices of the nonzero elements, whose number is `size` in PyTorch. They are
    computed once, however often a mask is used."""
    if x not in b.nonzeros:
        symbol = b.found(size)
        name = b.symbols.bind(symbol, symbol.name)
        result = b.nonzeros[x] = b.value([symbol, x.rank], torch.int64)
        b.line(f"{result} = dhlo.nonzero {x} binds @{name} : {b.signature([x], [result])}")
    return b.nonzeros[x]


@op("aten.nonzero.default")
def nonzero(b, self):
    return nonzero_indices(b, self, b.out.sizes[0])


@op("aten.nonzero_static.default")
def nonzero_static(b, self, size, fill_value=-1):
    """Rows beyond the last are filled."""
    rows = nonzero_indices(b, self)
    fill = b.full(fill_value, [size, self.rank], torch.int64)
    return b.slice(b.concat([rows, fill], 0), 0, 0, size)


@op("aten._local_scalar_dense.default", "aten.item.default")
def item(b, self):
    """An integer or float becomes an expression where it is used, see scalars.py."""
    x = b.reshape(self, [])
    scalars.read(b, b.out, x)
    return to_expr(b.out) if isinstance(b.out, torch.SymInt) else x
