# ===- cells.py - Cells: tokens, images, patches ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cells of a tensor: cell.split and cell.join of the dialect."""

import dataclasses

import torch

from dyn.routing import markers
from dyn.routing.layout import whole_sizes


@dataclasses.dataclass(frozen=True)
class Cells:
    """A tensor as its cells.

    Attributes:
      rows: the cells on axis 0, counted in row-major order of their blocks. The
        axes of a cell follow in the order of the tensor, without those of
        blocks of 1.
      axes: the axes that are cut into blocks, ascending.
      block: the size of a block along each of them.
      sizes: the sizes of the tensor that is cut.
    """

    rows: torch.Tensor
    axes: tuple
    block: tuple
    sizes: tuple

    def with_rows(self, rows):
        """Cells at the same positions with other contents."""
        return dataclasses.replace(self, rows=rows)

    def join(self, rows=None):
        """The tensor of these cells, or of `rows` at their positions; see :func:`join`."""
        rows = self.rows if rows is None else rows
        sizes, block = whole_sizes(rows.shape, self.axes, self.block, self.sizes)
        return markers.join(rows, sizes, list(self.axes), block)


def annotate(x, dims=(0,), shape=None):
    """The cells of a tensor.

    Args:
      dims: the axes along which cells lie: (0, 1) for the tokens of a batch of
        sentences, (0, 2, 3) for patches or pixels of images with channels.
      shape: the size of a cell along each of them; by default 1. A size of the
        tensor must be a multiple of it.

    Returns:
      :class:`Cells`. Elements are copied only if necessary.
    """
    shape = (1,) * len(dims) if shape is None else tuple(shape)
    if len(shape) != len(dims):
        raise ValueError(f"expected a size of cells for each of the axes {dims}, found {shape}")
    named = {_axis(d, x.dim()): int(b) for d, b in zip(dims, shape)}
    if len(named) != len(dims) or not named or min(named.values()) < 1:
        raise ValueError(f"expected different axes and sizes of at least 1: {dims}, {shape}")
    axes = tuple(sorted(named))
    block = tuple(named[axis] for axis in axes)
    for axis, size in zip(axes, block):
        if size > 1:
            torch._check(x.shape[axis] % size == 0, lambda: "expected whole cells along each axis")
    return Cells(markers.split(x, list(axes), list(block)), axes, block, tuple(x.shape))


def _axis(axis, rank):
    if not -rank <= axis < rank:
        raise ValueError(f"expected an axis in [{-rank}, {rank - 1}], found {axis}")
    return axis % rank


def join(cells, rows=None):
    """The tensor of some cells, or of `rows` at their positions.

    Rows may differ in size from the cells: larger patches make a larger image. They may
    differ in rank if the cells are single elements along the first axes: logits at the
    positions of tokens.
    """
    return cells.join(rows)


def rows_of(x):
    """The rows of cells; tensors have their cells on axis 0 already."""
    return x.rows if isinstance(x, Cells) else x


def like(x, rows):
    """`rows` in the form of `x`: as cells, or as a tensor."""
    return x.with_rows(rows) if isinstance(x, Cells) else rows
