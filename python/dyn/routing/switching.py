# ===- switching.py - Paths that differ ------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The switch: each path on its own rows."""

import torch
from torch.utils import _pytree as pytree

from dyn.routing import markers
from dyn.routing.cells import like
from dyn.routing.likeness import Representatives
from dyn.routing.routes import combine as combine_rows
from dyn.routing.routes import dispatch
from dyn.routing.rowwise import RowWise


def switch(routes, x, branches, combine="sum", default=None):
    """Sends each cell through its paths.

    Args:
      routes: the routes of these cells.
      x: Cells or a tensor [N, ...], or a tuple of such: all arguments of the
        branches.
      branches: a function or module for each path, in a list or ModuleList. It
        takes the rows of its path, [R_p, ...], and returns as many. R_p may be 0.
        It may use other tensors of the model directly. It may return a tuple; all
        branches return the same structure.
      combine: how a cell is reduced from its rows: "sum", weighted by the router's
        weights, "last", the row of the last path, or "max".
      default: the result for cells without a row; by default zeros.

    Returns:
      Cells if `x` is (or begins with) such, else a tensor [N, ...].

    The number of rows of a path is a data-dependent size: a branch cannot choose its Python
    code by it.
    """
    branches = list(branches)
    if len(branches) != routes.paths:
        raise ValueError(f"expected {routes.paths} branches, found {len(branches)}")
    operands = x if isinstance(x, tuple) else (x,)
    rows = [dispatch(routes, operand) for operand in operands]
    results, spec = _run(routes, rows, branches)
    defaults = [None] * len(results) if default is None else _leaves(default)
    if len(defaults) != len(results):
        raise ValueError(f"default: expected {len(results)} tensors, found {len(defaults)}")
    results = [combine_rows(routes, r, combine, d) for r, d in zip(results, defaults)]
    return pytree.tree_unflatten([like(operands[0], r) for r in results], spec)


def _leaves(tree):
    """Leaves are Cells and tensors."""
    return list(tree) if isinstance(tree, (tuple, list)) else [tree]


def _run(routes, rows, branches):
    """The rows that the branches return, flat, and their structure."""
    taken = range(len(branches))
    if not torch.compiler.is_compiling():
        # A branch without rows is not run, if another one determines the sizes.
        counts = routes.counts().tolist()
        taken = [path for path, count in enumerate(counts) if count] or [0]
    inputs, parts, spec = [], [], None
    shared = Representatives(branches)
    for number in taken:
        if shared.has(number):
            continue
        own = markers.path(rows, routes.offsets, number)
        flat, found = pytree.tree_flatten(_call(branches[number], own))
        spec = found if spec is None else spec
        _check(number, flat, found, own[0], parts, spec)
        inputs.append(own[0])
        parts.append(flat)
        shared.add(number, flat)
    columns = [part for column in zip(*parts) for part in column]
    tensors = [x for found in shared.tensors for x in found]
    counts = [len(found) for found in shared.tensors]
    return markers.merge(inputs, columns, routes.order, shared.stands, tensors, counts), spec


def _call(branch, rows):
    if not torch.compiler.is_compiling():
        return branch(*rows)
    with RowWise():
        return branch(*rows)


def _check(number, flat, found, rows, parts, spec):
    if found != spec:
        raise ValueError(f"path {number}: expected results {spec}, found {found}")
    for i, x in enumerate(flat):
        first = parts[0][i] if parts else x
        if x.shape[1:] != first.shape[1:] or x.dtype != first.dtype:
            raise ValueError(
                f"path {number}: expected rows of {list(first.shape[1:])} {first.dtype}, "
                f"found {list(x.shape[1:])} {x.dtype}"
            )
        torch._check(x.shape[0] == rows.shape[0], lambda: "expected a row for each row of the path")
