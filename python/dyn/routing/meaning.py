# ===- meaning.py - Routes in plain PyTorch --------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of the dialect `cell` in plain PyTorch, as eager models run them, with
gradients. See CellOps.td for their definition.

    offsets [P + 1]  the rows of path p are offsets[p] up to offsets[p + 1]
    order   [R]      for each row the flat index of its choice; -1 past the last
    seats   [N, k]   the rows of each cell, ascending; -1 after the last
"""

import torch


def ids_of(choices):
    """Choices as ids [N, k]: of a mask, the column where it is true, else -1."""
    if choices.dtype is not torch.bool:
        return choices.long()
    columns = torch.arange(choices.shape[1], device=choices.device)
    return torch.where(choices, columns, -1)


def route(choices, priorities, paths, capacity):
    """Offsets, order and seats: a stable counting sort of choices by path."""
    ids = ids_of(choices)
    if ids.numel() and not (int(ids.min()) >= -1 and int(ids.max()) < paths):
        raise IndexError(f"expected paths in [-1, {paths - 1}], found {ids.min()} to {ids.max()}")
    cells, k = ids.shape
    numbers = torch.arange(cells * k, device=ids.device)
    if priorities is not None:
        # Cells of higher priority are sorted before others.
        ranked = priorities.detach().argsort(descending=True, stable=True)
        numbers = numbers.reshape(cells, k)[ranked].reshape(-1)
    key = ids.reshape(-1)[numbers]
    key, by = torch.where(key < 0, paths, key).sort(stable=True)
    counts = torch.bincount(key, minlength=paths + 1)[:paths]
    kept = key < paths
    if capacity is not None:
        begins = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        rank = torch.arange(cells * k, device=ids.device) - begins[key]
        kept = kept & (rank < capacity)
        counts = counts.clamp(max=capacity)
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    chosen = numbers[by][kept]
    order = torch.full((cells * k,), -1, dtype=torch.long, device=ids.device)
    order[: chosen.numel()] = chosen
    return offsets, order, _seats(chosen, cells, k)


def _seats(chosen, cells, k):
    last = cells * k
    rows = torch.full((last,), last, dtype=torch.long, device=chosen.device)
    rows[chosen] = torch.arange(chosen.numel(), device=chosen.device)
    seats = rows.reshape(cells, k).sort(1).values
    return torch.where(seats == last, -1, seats)


def kept_choices(choices, order):
    """Choices, as recorded in `order`, without those that exceed the capacity."""
    kept = torch.zeros(choices.numel(), dtype=torch.bool, device=choices.device)
    kept[order[order >= 0]] = True
    kept = kept.reshape(choices.shape)
    return choices & kept if choices.dtype is torch.bool else torch.where(kept, choices, -1)


def row_paths(offsets, order):
    """The path of each row; 0 past the last."""
    rows = torch.arange(order.numel(), device=order.device)
    paths = torch.searchsorted(offsets[1:].contiguous(), rows, right=True)
    return torch.where(order < 0, 0, paths)


def _over_rows(flags, like):
    return flags.reshape(flags.shape + (1,) * (like.dim() - flags.dim()))


def dispatch(cells, order, seats):
    """Each row is its cell's part of `cells`; zeros past the last."""
    rows = cells.index_select(0, order.clamp(min=0) // max(seats.shape[1], 1))
    return torch.where(_over_rows(order >= 0, rows), rows, torch.zeros((), dtype=rows.dtype))


def path(rows, offsets, number):
    """The rows of one path, of each tensor."""
    begin, end = offsets[number : number + 2].tolist()
    return [x[begin:end] for x in rows]


def merge(parts, order):
    """The rows of all paths, from those of each; zeros past the last."""
    rows = torch.cat(parts)
    missing = order.numel() - rows.shape[0]
    return torch.cat([rows, rows.new_zeros((missing, *rows.shape[1:]))]) if missing else rows


def combine(rows, order, seats, weights, otherwise, kind):
    """Each cell is reduced from its rows, in ascending order of paths."""
    if weights is not None:
        weights = weights.reshape(-1)[order.clamp(min=0)]
    sizes = (seats.shape[0], *rows.shape[1:])
    result = rows.new_zeros(sizes)
    total = _sum_dtype(rows, weights)
    accumulator = result.to(total) if kind == "sum" else result
    for slot in range(seats.shape[1]):
        seat = seats[:, slot]
        found = rows.index_select(0, seat.clamp(min=0))
        valid = _over_rows(seat >= 0, rows)
        if kind == "sum":
            weight = 1 if weights is None else _over_rows(weights[seat.clamp(min=0)], rows)
            term = torch.where(valid, found.to(total) * weight, 0)
            accumulator = accumulator + term.to(total)
        elif kind == "last" or slot == 0:
            accumulator = torch.where(valid, found, accumulator)
        else:
            accumulator = torch.where(valid, torch.maximum(accumulator, found), accumulator)
    result = accumulator.to(rows.dtype)
    if otherwise is None or not seats.shape[1]:
        return result if otherwise is None else otherwise.clone()
    return torch.where(_over_rows(seats[:, 0] >= 0, rows), result, otherwise)


def _sum_dtype(rows, weights):
    """Weights of another type than the rows are multiplied in f32."""
    if weights is None or weights.dtype == rows.dtype or rows.dtype is torch.float64:
        return rows.dtype
    return torch.float32
