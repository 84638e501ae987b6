# ===- search.py - Searches in sorted values and sets ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches in sorted values, elements by their rank, and members of sets. Comparisons with
all candidates are fused with the sum over them; no tensor of that size is stored."""

import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.builder import Value
from dyn.frontend.torch.ops.elementwise import common
from dyn.frontend.torch.ops.indexing import gather, nonzero_indices
from dyn.frontend.torch.ops.reductions import argmax, histogram, sort
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import floor_div, to_expr

# ----------------------------------------------------------------------------
# Searches in sorted values
# ----------------------------------------------------------------------------


def _insertion_points(b, values, ordered, right):
    """The number of elements of `ordered`, along its last axis, before each value: those
    below it, and with `right` its equals. NaNs are sorted last."""
    dtype = torch.promote_types(values.dtype, ordered.dtype)
    values, ordered = b.convert(values, dtype), b.convert(ordered, dtype)
    one_list = ordered.rank == 1
    at = values.rank
    candidates = ordered if one_list else b.unsqueeze(ordered, at - 1)
    later = b.compare("gt" if right else "ge", candidates, b.unsqueeze(values, at))
    return b.reduce("sum", b.convert(b.unary("not", later), b.out.dtype), [at])


@op("aten.bucketize.Tensor", "aten.bucketize.Scalar")
def bucketize(b, self, boundaries, out_int32=False, right=False):
    values = self if isinstance(self, Value) else b.scalar(self, boundaries.dtype)
    return _insertion_points(b, values, boundaries, right)


@op("aten.searchsorted.Tensor", "aten.searchsorted.Scalar")
def searchsorted(b, sorted_sequence, self, out_int32=False, right=False, side=None, sorter=None):
    values = self if isinstance(self, Value) else b.scalar(self, sorted_sequence.dtype)
    if sorter is not None:
        sorted_sequence = gather(b, sorted_sequence, -1, sorter)
    return _insertion_points(b, values, sorted_sequence, right or side == "right")


# ----------------------------------------------------------------------------
# Elements by their rank
# ----------------------------------------------------------------------------


def _ranked(b, x, axis, rank, keepdim):
    """The elements of a rank along an axis, from 0 on, and their indices."""
    parts = [b.slice(part, axis, rank, 1) for part in sort(b, x, axis)]
    return tuple(part if keepdim else b.squeeze(part, [axis]) for part in parts)


@op("aten.kthvalue.default")
def kthvalue(b, self, k, dim=-1, keepdim=False):
    """A NaN is greater than all numbers."""
    if self.rank == 0:
        return self, b.full(0, (), torch.int64)
    return _ranked(b, self, b.axis(dim, self.rank), k - 1, keepdim)


@op("aten.median.dim")
def median_dim(b, self, dim, keepdim=False):
    """The lower of two middle elements; a NaN if there is one."""
    if self.rank == 0:
        return self, b.full(0, (), torch.int64)
    axis = b.axis(dim, self.rank)
    value, index = _ranked(b, self, axis, floor_div(self.sizes[axis] - 1, 2), keepdim)
    if not types.is_float(self.dtype):
        return value, index
    is_nan = b.convert(b.predicate("is_nan", self), torch.int32)
    found = b.compare("ne", b.reduce("max", is_nan, [axis], keepdim), 0)
    nan = b.full(float("nan"), value.sizes, value.dtype)
    first = argmax(b, is_nan, axis, keepdim)
    return b.select(found, nan, value), b.select(found, first, index)


@op("aten.median.default")
def median(b, self):
    return median_dim(b, b.reshape(self, [b.count(self, range(self.rank))]), 0)[0]


# ----------------------------------------------------------------------------
# Sets
# ----------------------------------------------------------------------------


@op("aten.isin.Tensor_Tensor", "aten.isin.Tensor_Scalar", "aten.isin.Scalar_Tensor")
def isin(b, elements, test_elements, assume_unique=False, invert=False):
    """By position: PyTorch calls a number `element` or `test_element`."""
    elements, members = common(b, elements, test_elements)
    members = b.reshape(members, [b.count(members, range(members.rank))])
    equal = b.compare("eq", b.unsqueeze(elements, elements.rank), members)
    count = b.reduce("sum", b.convert(equal, torch.int64), [elements.rank])
    return b.compare("eq" if invert else "ne", count, 0)


@op("aten._unique2.default")
def unique(b, self, sorted=True, return_inverse=False, return_counts=False):
    """Sorted, whatever the arguments are; each NaN is unique."""
    ordered, order = sort(b, b.reshape(self, [b.count(self, range(self.rank))]))
    values, groups, counts = _groups(b, ordered, b.out[0].sizes[0])
    inverse = b.scatter_elements(groups, order, groups, "replace", 0)
    return values, b.reshape(inverse, self.sizes), counts


@op("aten.unique_consecutive.default")
def unique_consecutive(b, self, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        raise Refused("expected elements of the whole tensor, found an axis")
    flat = b.reshape(self, [b.count(self, range(self.rank))])
    values, groups, counts = _groups(b, flat, b.out[0].sizes[0])
    return values, b.reshape(groups, self.sizes), counts


def _groups(b, x, size):
    """Runs of equal elements of a vector: their values, the run of each element, and the
    lengths of runs. Their number is PyTorch's `size`."""
    at = b.iota(0, x.sizes, torch.int64)
    before = b.gather(x, b.binary("maximum", b.binary("sub", at, 1), 0), 0)
    begins = b.binary("or", b.compare("eq", at, 0), b.compare("ne", x, before))
    starts = b.squeeze(nonzero_indices(b, begins, size), [1])
    run = b.binary("sub", b.cumulative("sum", b.convert(begins, torch.int64), 0), 1)
    counts = histogram(b, run, b.full(1, x.sizes, torch.int64), starts.sizes[0])
    return b.gather(x, starts, 0), run, counts


@op("aten.bincount.default")
def bincount(b, self, weights=None, minlength=0):
    """The length is one more than the largest element, and at least `minlength`."""
    indices, symbol = b.convert(self, torch.int64), b.found(b.out.sizes[0], "bins")
    length = b.binary("add", b.reduce("max", b.pad(indices, [1], [0], -1), [0]), 1)
    count = b.binary("maximum", length, b.scalar(to_expr(minlength), torch.int64))
    b.bind(symbol, count)
    weights = b.full(1, indices.sizes, b.out.dtype) if weights is None else b.promote(weights)
    return histogram(b, indices, weights, symbol)
