# ===- layout.py - Where cells lie in a tensor -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes and axes of tensors that are cut into cells.

Each axis that is cut becomes two: the number of blocks, and the elements of one. The
numbers of blocks are moved to the front, in order, and become one axis."""

import math


def _split(sizes, axes, block):
    """Sizes with the axes cut in two, and the permutation that moves numbers of blocks to
    the front."""
    by_axis = dict(zip(axes, block))
    split, counts, inner = [], [], []
    for axis, size in enumerate(sizes):
        if axis in by_axis:
            counts.append(len(split))
            inner.append(len(split) + 1)
            split += [size // by_axis[axis] if by_axis[axis] > 1 else size, by_axis[axis]]
        else:
            inner.append(len(split))
            split.append(size)
    return split, counts + inner


def cell_sizes(sizes, axes, block):
    """Sizes of the tensor of cells."""
    by_axis = dict(zip(axes, block))
    count = math.prod(
        size // by_axis[axis] if by_axis[axis] > 1 else size
        for axis, size in enumerate(sizes)
        if axis in by_axis
    )
    rest = [by_axis.get(axis, size) for axis, size in enumerate(sizes)]
    kept = [size for axis, size in enumerate(rest) if by_axis.get(axis) != 1]
    return [count, *kept]


def whole_sizes(rows, axes, block, sizes):
    """Sizes and blocks of the tensor whose cells have the sizes `rows`, at the positions of
    cells of a tensor of `sizes`."""
    counts = [sizes[a] // b if b > 1 else sizes[a] for a, b in zip(axes, block)]
    content = list(rows[1:])
    leading = list(axes) == list(range(len(axes))) and all(b == 1 for b in block)
    if leading:
        return [*counts, *content], list(block)
    by_axis = dict(zip(axes, zip(counts, block)))
    kept = sum(by_axis.get(axis, (0, 0))[1] != 1 for axis in range(len(sizes)))
    if len(content) != kept:
        raise ValueError(
            f"expected cells of {kept} axes, found {len(content)}: only cells of one element "
            "along the first axes may have contents of another rank"
        )
    whole, blocks, content = [], [], iter(content)
    for axis in range(len(sizes)):
        count, size = by_axis.get(axis, (None, None))
        if count is None:
            whole.append(next(content))
            continue
        size = 1 if size == 1 else int(next(content))
        whole.append(count * size)
        blocks.append(size)
    return whole, blocks


def split(x, axes, block):
    """The cells of a tensor."""
    sizes, order = _split(x.shape, axes, block)
    return x.reshape(sizes).permute(order).reshape(cell_sizes(x.shape, axes, block))


def join(rows, sizes, axes, block):
    """The tensor of `sizes` whose cells are `rows`."""
    split_sizes, order = _split(sizes, axes, block)
    inverse = [order.index(i) for i in range(len(order))]
    return rows.reshape([split_sizes[i] for i in order]).permute(inverse).reshape(list(sizes))
