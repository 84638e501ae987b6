# ===- routes.py - Routers and switches in cell ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the operations of the dialect `cell` that have regions, `cell.route` and
`cell.switch`, from the nodes that regions.py found for them."""

import sympy
import torch

from dyn.frontend.torch.branches import branches_of
from dyn.frontend.torch.builder import Routes, Value
from dyn.frontend.torch.guards import end_region
from dyn.frontend.torch.regions import choice_of, operands
from dyn.frontend.torch.registry import Refused
from dyn.frontend.torch.sizes import substituting, to_expr


def build_region(importer, node):
    """Builds the operation of the region that a node ends. Returns its results, None if a
    node of the region could not be built, which has been reported."""
    if node in importer.regions.routers:
        return _build_router(importer, node)
    return _build_switch(importer, node) if node in importer.regions.switches else None


# ----------------------------------------------------------------------------
# Routers
# ----------------------------------------------------------------------------


def _build_router(importer, node):
    """A `cell.route`. Returns its offsets, and the routes instead of order and seats."""
    b, values, nodes = importer.b, importer.values, importer.regions.routers[node]
    captured = _captured(importer, nodes, node)
    operands = [values[n] for n in captured]
    # The region is isolated: all operands from outside are arguments.
    arguments = [b.value(x.sizes, x.dtype) for x in operands]
    outer, numbers = dict(values), b.numbers
    b.numbers = {
        to_expr(n.meta["val"]): x
        for n, x in zip(captured, arguments)
        if isinstance(n.meta["val"], torch.SymFloat)
    }
    with b.region() as lines:
        values.update(zip(captured, arguments))
        for inner in nodes:
            importer.visit(inner)
        b.location = importer.source(node).location()
        chosen = [n and values.get(n) for n in choice_of(node)]
        is_built = all((n is None) == (x is None) for n, x in zip(choice_of(node), chosen))
        if is_built:
            b.choose(*chosen)
    values.clear()
    values.update(outer)
    b.numbers = numbers
    if not is_built:
        return None
    *_, paths, capacity, label = node.args
    capacity = importer.argument(capacity)
    cells, k = chosen[0].sizes
    routes = Routes(b.value((), torch.int64).name, cells, paths, to_expr(cells * k))
    capacity = None if capacity is None else to_expr(capacity)
    key = importer.key(node, label)
    offsets = b.route(operands, arguments, lines, routes, key, capacity)
    return offsets, routes, routes


def _captured(importer, nodes, route):
    """The tensors from outside that a router uses, in order."""
    inside = set(nodes)
    used = [n for inner in (*nodes, route) for n in operands(inner)]
    used = [n for n in dict.fromkeys(used) if n not in inside and n in importer.values]
    used = [n for n in used if not isinstance(importer.values[n], sympy.Expr)]
    for n in used:
        if not isinstance(importer.values[n], Value):
            raise Refused("a router uses routes that another made")
    return used


# ----------------------------------------------------------------------------
# Switches
# ----------------------------------------------------------------------------


def _build_switch(importer, node):
    """A `cell.switch`; returns its results."""
    b, values, switch = importer.b, importer.values, importer.regions.switches[node]
    needed = (*switch.paths[0].args[0], node.args[2])
    if any(n not in values for n in needed):
        return None
    *inputs, routes = (values[n] for n in needed)
    branches = branches_of(importer, node, switch)
    counts = [_bind_count(importer, branch, i) for i, branch in enumerate(branches)]
    blocks = []
    for number, branch in enumerate(branches):
        with branch.entered(importer):
            built = _build_branch(importer, node, number, branch, inputs)
        if built is None:
            return None
        block, results = built
        blocks.append(block)
    return _write_switch(b, routes, counts, inputs, results, blocks)


def _build_branch(importer, node, number, branch, inputs):
    """The block of a path, and its results."""
    b, values = importer.b, importer.values
    count = to_expr(branch.path.meta["val"][0].shape[0])
    arguments = [b.value([count, *x.sizes[1:]], x.dtype) for x in inputs]
    conditions = len(b.symbols.conditions)
    with b.region() as lines:
        values[branch.path] = tuple(arguments)
        for inner in branch.nodes:
            if inner is not branch.path:
                importer.visit(inner)
        if any(n not in values for n in branch.yields):
            return None
        results = [values[n] for n in branch.yields]
        if any(x.sizes[:1] != (count,) for x in results):
            raise Refused(f"path {number}: expected a row of each result for each of its rows")
        b.location = importer.source(node).location()
        end_region(b, results, conditions)
    return b.block(arguments, lines), results


def _write_switch(b, routes, counts, inputs, parts, blocks):
    results = [b.value([routes.rows, *x.sizes[1:]], x.dtype) for x in parts]
    names = ", ".join(map(str, results))
    signature = b.signature([routes, *inputs], results)
    b.line(
        f"{names} = cell.switch {routes} counts [{', '.join('@' + c for c in counts)}] "
        f"({', '.join(map(str, inputs))}) : {signature} {{\n" + "  }, {\n".join(blocks) + "  }"
    )
    return tuple(results)


def _bind_count(importer, branch, number):
    """Declares the number of rows of a path."""
    b = importer.b
    with substituting(branch.sizes):
        count = to_expr(branch.path.meta["val"][0].shape[0])
    if not count.is_Symbol or b.symbols.is_bound(count):
        raise Refused(
            f"path {number}: expected a row of each result for each of its rows, found {count}"
        )
    return b.symbols.bind(count, f"rows_{number}")
