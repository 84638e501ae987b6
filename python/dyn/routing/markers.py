# ===- markers.py - Routes in programs of PyTorch --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators `dyn::...` that represent routes in traced programs.

Eager models run meaning.py directly, with gradients. While PyTorch traces, for torch.export
or torch.compile, the same functions are opaque operators instead: the importer
(frontend/torch/ops/routes.py) converts them to `cell` operations, and other backends of
torch.compile run them, without gradients.

The branches of a switch are traced in place. `dyn::path` returns the rows of one path,
whose number is a data-dependent size; `dyn::merge` takes the results of all branches. The
nodes in between are the path's region. `dyn::router` and `dyn::route` delimit a router in
the same way.
"""

from collections.abc import Sequence
from typing import Optional

import torch
from torch._library.fake_impl import allocate_size

from dyn.routing import layout, meaning


def _operator(function):
    """Registers an operator with the name of the function, without its underscore."""
    name = "dyn::" + function.__name__.strip("_")
    return torch.library.custom_op(name, function, mutates_args=())


def _traced(operator, function):
    """Calls the operator while PyTorch traces, else the function."""

    def call(*args):
        return operator(*args) if torch.compiler.is_compiling() else function(*args)

    call.__doc__ = function.__doc__
    return call


def _merge_all(rows, parts, order, stands, tensors, counts):
    """The rows of each result, from the parts that the branches returned. `rows` has the
    rows of each branch, for the importer.

    If one of several structurally equal branches was traced (see likeness.py), `stands` has
    for each path the index in `rows` of the branch that represents it, and `tensors` has
    the tensors of each such path, `counts` of them, in the same order.
    """
    paths = len(rows)
    if len(stands) != paths:
        raise RuntimeError("a program with one branch for several paths is for dyn alone")
    return [meaning.merge(parts[i : i + paths], order) for i in range(0, len(parts), paths)]


@_operator
def _split(x: torch.Tensor, axes: Sequence[int], block: Sequence[int]) -> torch.Tensor:
    return layout.split(x, axes, block).clone()


@_split.register_fake
def _(x, axes, block):
    return x.new_empty(layout.cell_sizes(x.shape, axes, block))


@_operator
def _join(
    rows: torch.Tensor, sizes: Sequence[int], axes: Sequence[int], block: Sequence[int]
) -> torch.Tensor:
    return layout.join(rows, sizes, axes, block).clone()


@_join.register_fake
def _(rows, sizes, axes, block):
    return rows.new_empty(sizes)


@_operator
def _router(inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [x.clone() for x in inputs]


@_router.register_fake
def _(inputs):
    return [torch.empty_like(x) for x in inputs]


@_operator
def _route(
    inputs: Sequence[torch.Tensor],
    choices: torch.Tensor,
    weights: Optional[torch.Tensor],
    priorities: Optional[torch.Tensor],
    paths: int,
    capacity: Optional[int],
    label: str,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return meaning.route(choices, priorities, paths, capacity)


@_route.register_fake
def _(inputs, choices, weights, priorities, paths, capacity, label):
    cells, k = choices.shape
    longs = {"dtype": torch.long}
    return (
        choices.new_empty(paths + 1, **longs),
        choices.new_empty(cells * k, **longs),
        choices.new_empty(cells, k, **longs),
    )


@_operator
def _dispatch(cells: torch.Tensor, order: torch.Tensor, seats: torch.Tensor) -> torch.Tensor:
    return meaning.dispatch(cells, order, seats)


@_dispatch.register_fake
def _(cells, order, seats):
    return cells.new_empty(order.shape[0], *cells.shape[1:])


@_operator
def _row_paths(offsets: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    return meaning.row_paths(offsets, order)


@_row_paths.register_fake
def _(offsets, order):
    return torch.empty_like(order)


@_operator
def _path(rows: Sequence[torch.Tensor], offsets: torch.Tensor, number: int) -> list[torch.Tensor]:
    return [x.clone() for x in meaning.path(rows, offsets, number)]


@_path.register_fake
def _(rows, offsets, number):
    # Allowed whatever torch.compile's setting of dynamic output shapes is: branches must
    # not be split between graphs. Therefore not by `new_dynamic_size`.
    count = allocate_size(torch.library.get_ctx()._shape_env)
    return [x.new_empty(count, *x.shape[1:]) for x in rows]


@_operator
def _merge(
    rows: Sequence[torch.Tensor],
    parts: Sequence[torch.Tensor],
    order: torch.Tensor,
    stands: Sequence[int],
    tensors: Sequence[torch.Tensor],
    counts: Sequence[int],
) -> list[torch.Tensor]:
    return _merge_all(rows, parts, order, stands, tensors, counts)


@_merge.register_fake
def _(rows, parts, order, stands, tensors, counts):
    return [x.new_empty(order.shape[0], *x.shape[1:]) for x in parts[:: len(rows)]]


@_operator
def _combine(
    rows: torch.Tensor,
    order: torch.Tensor,
    seats: torch.Tensor,
    weights: Optional[torch.Tensor],
    otherwise: Optional[torch.Tensor],
    kind: str,
) -> torch.Tensor:
    return meaning.combine(rows, order, seats, weights, otherwise, kind)


@_combine.register_fake
def _(rows, order, seats, weights, otherwise, kind):
    return rows.new_empty(seats.shape[0], *rows.shape[1:])


def _route_eagerly(inputs, choices, weights, priorities, paths, capacity, label):
    return meaning.route(choices, priorities, paths, capacity)


split = _traced(_split, layout.split)
join = _traced(_join, layout.join)
router = _traced(_router, list)
route = _traced(_route, _route_eagerly)
dispatch = _traced(_dispatch, meaning.dispatch)
row_paths = _traced(_row_paths, meaning.row_paths)
path = _traced(_path, meaning.path)
merge = _traced(_merge, _merge_all)
combine = _traced(_combine, meaning.combine)
