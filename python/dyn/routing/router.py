# ===- router.py - Routers -------------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routers: modules that choose the paths of cells."""

import fractions

import torch

from dyn.routing import markers, meaning, replaying
from dyn.routing.cells import Cells, rows_of
from dyn.routing.routes import Routes


class Router(torch.nn.Module):
    """Chooses paths for cells.

    Args:
      fn: a function or module. It takes the rows of the cells, [N, ...], and the
        other arguments of the router, and returns the choices, or a tuple
        (choices, weights) or (choices, weights, priorities):

        - choices: ids of paths, [N] or [N, k], where -1 is none, or a boolean mask
          [N, P];
        - weights: floats of the same sizes as the choices, or a function that
          returns them for ids [N, k] (less than 0: any number), or None for 1;
        - priorities: floats [N]. If capacity is exceeded, cells of higher priority
          are kept; without priorities, the first cells are.
      paths: the number of paths, P.
      label: identifies the router in profiles.
      capacity: maximum number of rows of a path: None for no limit, a number, a
        function of the number of cells N, or, as a float, a multiple of the mean
        number of choices per path, rounded up.

    Capacity applies to all cells of a call together. A router that drops cells by other
    rules, such as by sequence, returns -1 for them.
    """

    def __init__(self, fn, paths, label="", capacity=None):
        super().__init__()
        if paths < 1:
            raise ValueError(f"expected at least one path, found {paths}")
        self.fn = fn
        self.paths = paths
        self.label = label
        self.capacity = capacity

    def choose(self, rows, *more):
        """The result of `fn`; standard routers compute it themselves."""
        return self.fn(rows, *more)

    def forward(self, x, *more):
        """The :class:`Routes` of Cells, or of a tensor with cells on axis 0."""
        inputs = [rows_of(a) if isinstance(a, Cells) else a for a in (x, *more)]
        tensors = [a for a in inputs if isinstance(a, torch.Tensor)]
        marked = markers.router(tensors)
        fresh = iter(marked)
        inputs = [next(fresh) if isinstance(a, torch.Tensor) else a for a in inputs]
        choices, weights, priorities = self._parse(self.choose(*inputs))
        choices, weights = self._replay(choices, weights)
        self._check(inputs[0].shape[0], choices, weights, priorities)
        capacity = self._rows(choices)
        offsets, order, seats = markers.route(
            marked, choices, weights, priorities, self.paths, capacity, self.label
        )
        if replaying.is_recording():
            replaying.recorded(meaning.kept_choices(choices, order))
        return Routes(self.paths, offsets, weights, order, seats)

    @staticmethod
    def _parse(result):
        """Choices, weights and priorities from a function's result."""
        parts = result if isinstance(result, tuple) else (result,)
        if not 1 <= len(parts) <= 3:
            raise ValueError(
                f"expected choices, weights and priorities of a router, found {len(parts)} results"
            )
        return tuple(parts) + (None,) * (3 - len(parts))

    @staticmethod
    def _replay(choices, weights):
        """The choices to use, of rank 2, and their weights."""
        own, replayed = choices, replaying.replayed()
        choices = own if replayed is None else replayed
        if choices.dim() == 1:
            choices = choices.unsqueeze(1)
        if weights is None:
            return choices, None
        if callable(weights):
            return choices, weights(meaning.ids_of(choices))
        return choices, weights.unsqueeze(1) if weights.dim() == 1 else weights

    def _check(self, cells, choices, weights, priorities):
        if choices.dim() != 2 or choices.dtype.is_floating_point:
            raise ValueError(
                f"expected ids [N] or [N, k] or a mask [N, P] of a router, found "
                f"{list(choices.shape)} {choices.dtype}"
            )
        if choices.dtype is torch.bool and choices.shape[1] != self.paths:
            raise ValueError(
                f"expected a mask of {self.paths} paths of a router, found {choices.shape[1]}"
            )
        torch._check(
            choices.shape[0] == cells, lambda: "expected choices of a router for each cell"
        )
        if weights is not None and weights.shape != choices.shape:
            raise ValueError(
                f"expected weights of {list(choices.shape)}, as choices, of a router, found "
                f"{list(weights.shape)}"
            )
        if priorities is not None and priorities.dim() != 1:
            raise ValueError(f"expected priorities [N] of a router, found {list(priorities.shape)}")

    def _rows(self, choices):
        """The capacity of a path in rows, or None."""
        capacity = self.capacity
        if capacity is None or isinstance(capacity, int):
            return capacity
        if callable(capacity):
            return capacity(choices.shape[0])
        share = fractions.Fraction(capacity).limit_denominator(1024)
        divisor = share.denominator * self.paths
        k = 1 if choices.dtype is torch.bool else choices.shape[1]
        return (share.numerator * k * choices.shape[0] + divisor - 1) // divisor

    def extra_repr(self):
        label = f", label={self.label!r}" if self.label else ""
        return f"paths={self.paths}, capacity={self.capacity}{label}"
