# ===- routes.py - Operators on routes -------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The markers of dyn.routing (see markers.py there) as operations of the dialect `cell`.
Those with regions are built by frontend/torch/routes.py."""

import torch

from dyn.frontend.torch.builder import Routes
from dyn.frontend.torch.registry import Refused, Split, op
from dyn.routing import markers  # noqa: F401 - defines the operators


@op("dyn.split.default")
def split(b, x, axes, block):
    text = f"split {x} axes = {_list(axes)} block = {_list(block)}"
    return b.call(text, [x], b.out.sizes, x.dtype, "cell")


@op("dyn.join.default")
def join(b, rows, sizes, axes, block):
    text = f"join {rows} axes = {_list(axes)} block = {_list(block)}"
    return b.call(text, [rows], sizes, rows.dtype, "cell")


def _list(numbers):
    return [int(number) for number in numbers]


@op("dyn.router.default")
def router(b, inputs):
    """The begin of a router, whose region is built at its end."""
    return tuple(inputs)


@op("dyn.dispatch.default")
def dispatch(b, cells, order, seats):
    routes = _routes(seats)
    sizes = [routes.rows, *cells.sizes[1:]]
    return b.call(f"dispatch {cells}, {routes}", [cells, routes], sizes, cells.dtype, "cell")


@op("dyn.row_paths.default")
def row_paths(b, offsets, order):
    routes = _routes(order)
    result = b.value([routes.rows], torch.int64)
    b.line(f"{result} = cell.paths {routes} : {b.type_of(routes)} -> {b.type_of(result)}")
    return result


@op("dyn.combine.default")
def combine(b, rows, order, seats, weights, otherwise, kind):
    routes = _routes(seats)
    operands = [rows, routes] + ([] if otherwise is None else [otherwise])
    sizes = [routes.cells, *rows.sizes[1:]]
    text = f"combine {', '.join(map(str, operands))} {kind}"
    return b.call(text, operands, sizes, rows.dtype, "cell")


@op("dyn.route.default", "dyn.path.default", "dyn.merge.default")
def misplaced(b, *arguments, **keywords):
    """Ends of regions that do not belong to any."""
    raise Refused("expected routes as dyn.Router and dyn.switch make them")


def _routes(value):
    if not isinstance(value, Routes):
        raise Split("expected routes that dyn.Router made in the same graph")
    return value
