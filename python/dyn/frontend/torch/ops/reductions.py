# ===- reductions.py - Reductions ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, cumulative ones, and sorting."""

import math

import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.widening import widened


@op("aten.sum.default", "aten.sum.dim_IntList")
def sum_(b, self, dim=None, keepdim=False, dtype=None):
    """Integers and booleans are summed in i64."""
    return b.reduce("sum", b.promote(self), b.axes(dim, self.rank), keepdim)


@op("aten.prod.default", "aten.prod.dim_int")
def prod(b, self, dim=None, keepdim=False, dtype=None):
    return b.reduce("prod", b.promote(self), b.axes(dim, self.rank), keepdim)


@op("aten.mean.default", "aten.mean.dim")
def mean(b, self, dim=None, keepdim=False, dtype=None):
    return b.mean(b.promote(self), b.axes(dim, self.rank), keepdim)


def _extreme(kind, b, x, dim, keepdim):
    """Of booleans, the maximum is `or` and the minimum `and`."""
    axes = b.axes(dim, x.rank)
    if x.dtype is torch.bool:
        return b.reduce("or" if kind == "max" else "and", x, axes, keepdim)
    return b.reduce(kind, x, axes, keepdim)


@op("aten.amax.default")
def amax(b, self, dim=(), keepdim=False):
    return _extreme("max", b, self, list(dim), keepdim)


@op("aten.amin.default")
def amin(b, self, dim=(), keepdim=False):
    return _extreme("min", b, self, list(dim), keepdim)


@op("aten.max.default")
def max_(b, self):
    return _extreme("max", b, self, None, False)


@op("aten.min.default")
def min_(b, self):
    return _extreme("min", b, self, None, False)


def _arg(kind, b, x, dim, keepdim):
    if dim is None:
        flat = b.reshape(x, [b.count(x, range(x.rank))])
        return b.reshape(_arg(kind, b, flat, 0, False), b.out.sizes)
    if x.rank == 0:
        return b.full(0, (), torch.int64)
    axis = b.axis(dim, x.rank)
    x = b.convert(x, torch.uint8) if x.dtype is torch.bool else x
    sizes = x.sizes[:axis] + x.sizes[axis + 1 :]
    index = b.call(f"arg_reduce {kind} {x} axis = {axis}", [x], sizes, torch.int64)
    return b.unsqueeze(index, axis) if keepdim else index


@op("aten.argmax.default")
def argmax(b, self, dim=None, keepdim=False):
    """The first of equal elements."""
    return _arg("max", b, self, dim, keepdim)


@op("aten.argmin.default")
def argmin(b, self, dim=None, keepdim=False):
    return _arg("min", b, self, dim, keepdim)


@op("aten.max.dim")
def max_dim(b, self, dim, keepdim=False):
    return _extreme("max", b, self, dim, keepdim), _arg("max", b, self, dim, keepdim)


@op("aten.min.dim")
def min_dim(b, self, dim, keepdim=False):
    return _extreme("min", b, self, dim, keepdim), _arg("min", b, self, dim, keepdim)


def _quantified(kind, b, self, dim=None, keepdim=False):
    """The result for bytes is a byte. An empty list of axes means none here."""
    truth = b.convert(self, torch.bool)
    axes = [] if dim == [] else b.axes(dim, self.rank)
    return b.promote(b.reduce(kind, truth, axes, keepdim))


@op("aten.any.default", "aten.any.dim", "aten.any.dims")
def any_(b, self, dim=None, keepdim=False):
    return _quantified("or", b, self, dim, keepdim)


@op("aten.all.default", "aten.all.dim", "aten.all.dims")
def all_(b, self, dim=None, keepdim=False):
    return _quantified("and", b, self, dim, keepdim)


def variance(b, x, axes, correction, keepdim):
    """The mean square of deviations, over `count - correction`; the divisor is at least 0,
    so that too few elements give NaN or infinity."""
    centred = b.binary("sub", x, b.mean(x, axes, True))
    total = b.reduce("sum", b.binary("mul", centred, centred), axes, keepdim)
    count = b.scalar(b.count(x, axes), x.dtype)
    less = b.scalar(correction, x.dtype)
    divisor = b.binary("maximum", b.binary("sub", count, less), 0)
    return b.binary("div", total, divisor)


@op("aten.var.correction")
@widened
def var(b, self, dim=None, correction=None, keepdim=False):
    correction = 1 if correction is None else correction
    return variance(b, self, b.axes(dim, self.rank), correction, keepdim)


@op("aten.std.correction")
@widened
def std(b, self, dim=None, correction=None, keepdim=False):
    return b.unary("sqrt", var(b, self, dim, correction, keepdim))


@op("aten.var_mean.correction")
@widened
def var_mean(b, self, dim=None, correction=None, keepdim=False):
    axes = b.axes(dim, self.rank)
    return var(b, self, dim, correction, keepdim), b.mean(self, axes, keepdim)


@op("aten.linalg_vector_norm.default")
@widened
def vector_norm(b, self, ord=2, dim=None, keepdim=False, dtype=None):
    axes = b.axes(dim, self.rank)
    x = b.promote(self)
    if ord == 2:
        return b.unary("sqrt", b.reduce("sum", b.binary("mul", x, x), axes, keepdim))
    magnitude = b.unary("abs", x)
    if ord in (math.inf, -math.inf):
        return b.reduce("max" if ord > 0 else "min", magnitude, axes, keepdim)
    if ord == 0:
        present = b.convert(b.compare("ne", x, 0), x.dtype)
        return b.reduce("sum", present, axes, keepdim)
    if ord == 1:
        return b.reduce("sum", magnitude, axes, keepdim)
    total = b.reduce("sum", b.binary("pow", magnitude, float(ord)), axes, keepdim)
    return b.binary("pow", total, 1 / float(ord))


@op("aten.logsumexp.default")
@widened
def logsumexp(b, self, dim, keepdim=False):
    """Relative to the maximum, if that is finite."""
    axes = b.axes(dim, self.rank)
    maximum = b.reduce("max", b.promote(self), axes, True)
    infinite = b.predicate("is_inf", maximum)
    maximum = b.select(infinite, 0, maximum)
    powers = b.unary("exp", b.binary("sub", b.promote(self), maximum))
    total = b.unary("log", b.reduce("sum", powers, axes, True))
    result = b.binary("add", total, maximum)
    return result if keepdim else b.squeeze(result, axes)


# ----------------------------------------------------------------------------
# Cumulative reductions
# ----------------------------------------------------------------------------


def _cumulative(kind, b, self, dim, dtype=None):
    """Integers are accumulated in i64, unless the type is given."""
    x = b.promote(self)
    if x.rank == 0:
        return x
    return b.cumulative(kind, x, b.axis(dim, x.rank))


@op("aten.cumsum.default")
def cumsum(b, self, dim, dtype=None):
    return _cumulative("sum", b, self, dim, dtype)


@op("aten.cumprod.default")
def cumprod(b, self, dim, dtype=None):
    return _cumulative("prod", b, self, dim, dtype)


@op("aten.logcumsumexp.default")
@widened
def logcumsumexp(b, self, dim):
    """Each relative to the maximum so far, if that is finite: a sum over all elements,
    whose terms are not stored."""
    if self.rank == 0:
        return self
    axis = b.axis(dim, self.rank)
    size, behind = self.sizes[axis], [1] * (self.rank - 1 - axis)
    maximum = b.cumulative("max", self, axis)
    maximum = b.select(b.predicate("is_inf", maximum), 0, maximum)
    here, before = b.iota(0, [size, 1], torch.int64), b.iota(1, [1, size], torch.int64)
    counts = b.reshape(b.compare("le", before, here), [size, size, *behind])
    terms = b.binary("sub", b.unsqueeze(self, axis), b.unsqueeze(maximum, axis + 1))
    total = b.reduce("sum", b.select(counts, b.unary("exp", terms), 0), [axis + 1])
    return b.binary("add", b.unary("log", total), maximum)


def _running_extreme(kind, b, self, dim):
    """With the last index of the extremum. After the first NaN, each NaN counts as one."""
    if self.rank == 0:
        return self, b.full(0, (), torch.int64)
    axis = b.axis(dim, self.rank)
    x = b.convert(self, torch.uint8) if self.dtype is torch.bool else self
    values = b.cumulative(kind, x, axis)
    met = b.compare("eq", x, values)
    if types.is_float(x.dtype):
        met = b.binary("or", met, b.predicate("is_nan", x))
    indices = b.select(met, b.iota(axis, x.sizes, torch.int64), 0)
    return b.convert(values, self.dtype), b.cumulative("max", indices, axis)


@op("aten.cummax.default")
def cummax(b, self, dim):
    return _running_extreme("max", b, self, dim)


@op("aten.cummin.default")
def cummin(b, self, dim):
    return _running_extreme("min", b, self, dim)


# ----------------------------------------------------------------------------
# Sorting
# ----------------------------------------------------------------------------


@op("aten.sort.default")
def sort(b, self, dim=-1, descending=False):
    """Stable, as PyTorch's on CPUs."""
    if self.rank == 0:
        return self, b.full(0, (), torch.int64)
    axis = b.axis(dim, self.rank)
    values = b.value(self.sizes, self.dtype)
    indices = b.value(self.sizes, torch.int64)
    text = f"sort {self} axis = {axis}{' descending' if descending else ''}"
    b.line(f"{values}, {indices} = dhlo.{text} : {b.type_of(values)}, {b.type_of(indices)}")
    return values, indices


@op("aten.sort.stable")
def sort_stable(b, self, stable=None, dim=-1, descending=False):
    return sort(b, self, dim, descending)


@op("aten.argsort.default")
def argsort(b, self, dim=-1, descending=False):
    return sort(b, self, dim, descending)[1]


@op("aten.topk.default")
def topk(b, self, k, dim=-1, largest=True, sorted=True):
    """In order; equal elements by ascending index."""
    if self.rank == 0:
        return self, b.full(0, (), torch.int64)
    axis = b.axis(dim, self.rank)
    sizes = list(self.sizes)
    sizes[axis] = k
    values, indices = b.value(sizes, self.dtype), b.value(sizes, torch.int64)
    text = f"top_k {self} axis = {axis}{' largest' if largest else ''}"
    b.line(f"{values}, {indices} = dhlo.{text} : {b.signature([self], [values, indices])}")
    return values, indices


@op("aten.histc.default")
def histc(b, self, bins=100, min=0, max=0):
    """The number of elements in each of equal parts of [min, max]; the last part includes
    its end, and elements outside and NaNs are not counted."""
    if min == max:
        raise Refused("expected bounds that differ: bounds from the data are not supported")
    bins = int(bins)
    x = b.reshape(self, [b.count(self, range(self.rank))])
    x = x if types.is_float(x.dtype) else b.convert(x, torch.float32)
    inside = b.binary("and", b.compare("ge", x, min), b.compare("le", x, max))
    index = b.binary("mul", b.binary("sub", x, min), bins / (max - min))
    index = b.select(inside, index, 0)
    index = b.binary("minimum", b.convert(b.unary("floor", index), torch.int64), bins - 1)
    counts = b.convert(inside, b.out.dtype)
    return histogram(b, index, counts, bins)


def histogram(b, indices, weights, size):
    """The sum of the weights at each index below a size."""
    empty = b.full(0, [size], weights.dtype)
    return b.scatter_elements(empty, indices, weights, "add", 0)
