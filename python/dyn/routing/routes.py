# ===- routes.py - Routes: which cells take which paths --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routes, dispatch and combine."""

import dataclasses
from typing import Optional

import torch

from dyn.routing import markers
from dyn.routing.cells import rows_of


@dataclasses.dataclass(frozen=True)
class Routes:
    """The relation of cells and paths that a router chose in one call.

    A cell on several paths has a *row* for each. Rows are ordered by path, and within one
    by cell, or by descending priority if the router returns priorities.

    Attributes:
      paths: the number of paths, P.
      offsets: the rows of path p are offsets[p] up to offsets[p + 1]; [P + 1].
      weights: of the choices, as the router returned them, [N, k] or [N, P] for a
        mask; None if all are 1.
      order: for each row the flat index, `cell * k + slot`, of its choice; -1 past
        the last row; [R], where R is N k, or N P for a mask.
      seats: the rows of each cell, ascending; -1 after the last.

    In an exported program only functions of dyn may use `order` and `seats`.
    """

    paths: int
    offsets: torch.Tensor
    weights: Optional[torch.Tensor]
    order: torch.Tensor
    seats: torch.Tensor

    def counts(self):
        """The number of rows of each path, [P]."""
        return self.offsets[1:] - self.offsets[:-1]

    def row_paths(self):
        """The path of each row, [R]; 0 past the last row."""
        return markers.row_paths(self.offsets, self.order)


def dispatch(routes, x):
    """The rows of all paths, [R, ...], from cells or a tensor of such; zeros past the last
    row. For computations that are the same on all rows: see :func:`combine`."""
    return markers.dispatch(rows_of(x), routes.order, routes.seats)


def combine(routes, rows, combine="sum", default=None):
    """The cells of rows, [N, ...].

    Args:
      combine: "sum", weighted by the routes' weights, "last" for the row of the
        last path, or "max".
      default: the result for cells without rows, by default zeros.
    """
    if combine not in ("sum", "last", "max"):
        raise ValueError(f"expected 'sum', 'last' or 'max', found {combine!r}")
    if combine == "sum" and not rows.dtype.is_floating_point:
        raise TypeError(f"expected floats to sum, found {rows.dtype}")
    otherwise = None if default is None else rows_of(default).to(rows.dtype)
    if otherwise is not None and otherwise.shape[1:] != rows.shape[1:]:
        raise ValueError(
            f"default: expected cells of {list(rows.shape[1:])}, found {list(otherwise.shape[1:])}"
        )
    weights = routes.weights if combine == "sum" else None
    return markers.combine(rows, routes.order, routes.seats, weights, otherwise, combine)
