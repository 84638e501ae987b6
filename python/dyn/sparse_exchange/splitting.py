# ===- splitting.py - One rank's part of a pruned layer --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules for the ranks of a pruned layer, with the weights that a rank reads and no others.

They can be exported, and compiled, as other modules can.
"""

import dataclasses
import itertools

import torch

from dyn.errors import InvalidArgumentError
from dyn.sparse_exchange.features import block, find_layer


class _Select(torch.nn.Module):
    """The features that a rank sends to each rank, of those that it holds."""

    def __init__(self, columns):
        super().__init__()
        self.ranks = len(columns)
        for to, indices in enumerate(columns):
            self.register_buffer(f"columns{to}", torch.tensor(indices, dtype=torch.int64))

    def forward(self, own):
        return tuple(own.index_select(1, getattr(self, f"columns{to}")) for to in range(self.ranks))


class _Compute(torch.nn.Module):
    """A rank's outputs, of what it has received from each rank, itself included."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, *parts):
        return self.layer(torch.cat(parts, 1))


class _Finish(_Compute):
    """The same, where a part of the sum is known before."""

    def forward(self, begun, *parts):
        return begun + self.layer(torch.cat(parts, 1))


@dataclasses.dataclass
class RankLayer:
    """One rank's part of a layer, as modules between which ranks exchange features. Features are
    axis 1."""

    #: From the features of this rank to a tuple of what it sends to each rank.
    select: torch.nn.Module
    #: From what each rank has sent it, itself included, to its outputs.
    compute: torch.nn.Module
    #: Features that it sends to each rank, and receives from each.
    sends: list[int]
    receives: list[int]
    #: With `overlap`: from the features of this rank to the part of the sum that needs no others.
    #: `compute` reads it in front of what the other ranks have sent.
    begin: torch.nn.Module | None = None


def split(pruned, name, rank, *, overlap=False):
    """The part of layer `name` that a rank computes, a :class:`RankLayer`.

    With `overlap` it computes with its own features while it receives those of others. Each output
    is then the sum of two sums, whose bits are not those of one rank.
    """
    ranks = pruned.ranks
    if not 0 <= rank < ranks:
        raise InvalidArgumentError(f"rank: expected 0 to {ranks - 1}, got {rank}")
    layer = find_layer(pruned.model, name)
    outputs, features = layer.weight.shape[:2]
    own = block(features, ranks, rank)
    rows = block(outputs, ranks, rank)
    sent = [receiver[rank] for receiver in pruned.sent[name]]
    received = pruned.sent[name][rank]
    select = _Select([[j - own.start for j in to] for to in sent])
    counts = [len(to) for to in sent], [len(sender) for sender in received]
    if not overlap:
        return RankLayer(select, _Compute(_part(layer, rows, itertools.chain(*received))), *counts)
    others = itertools.chain(*received[:rank], *received[rank + 1 :])
    finish = _Finish(_part(layer, rows, others, bias=False))
    return RankLayer(select, finish, *counts, begin=_part(layer, rows, own))


def _part(layer, rows, columns, bias=True):
    """A layer with some rows and columns of the weights of another."""
    columns = list(columns)
    bias = bias and layer.bias is not None
    if isinstance(layer, torch.nn.Linear):
        options = {}
    else:
        kept = ("kernel_size", "stride", "padding", "dilation", "padding_mode")
        options = {name: getattr(layer, name) for name in kept}
    part = torch.nn.utils.skip_init(
        type(layer), len(columns), len(rows), bias=bias, dtype=layer.weight.dtype, **options
    )
    with torch.no_grad():
        part.weight.copy_(layer.weight[rows.start : rows.stop][:, columns])
        if bias:
            part.bias.copy_(layer.bias[rows.start : rows.stop])
    return part.requires_grad_(False).eval()
