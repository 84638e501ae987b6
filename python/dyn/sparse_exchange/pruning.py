# ===- pruning.py - Which features ranks need not send ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes the weights with which ranks read features of others.

The weights of one feature on one rank go together: the group with the smallest norm first. Each rank
removes as many, so that no link has more to bring than others. With `tune`, the share of removed groups grows in steps, and the
weights that are left are trained after each.
"""

import copy
import dataclasses
import math

import torch
from torch.nn.utils import prune as masks

from dyn.errors import InvalidArgumentError
from dyn.sparse_exchange.features import block, check_ranks, find_layer


@dataclasses.dataclass
class Pruned:
    """A model without the weights of features that ranks do not send."""

    model: torch.nn.Module
    dense: torch.nn.Module  #: a copy of the model before
    ranks: int
    #: By layer, receiver and sender: the features that are sent, ascending.
    sent: dict[str, list[list[list[int]]]]

    def bytes_sent(self, name, rows=1, element_bytes=4):
        """Bytes that all ranks send together before layer `name`."""
        count = sum(
            len(features)
            for receiver, senders in enumerate(self.sent[name])
            for sender, features in enumerate(senders)
            if sender != receiver
        )
        return rows * count * element_bytes

    def bytes_dense(self, name, rows=1, element_bytes=4):
        """Bytes that they would send without pruning."""
        features = find_layer(self.model, name).weight.shape[1]
        return rows * features * (self.ranks - 1) * element_bytes

    def report(self, accuracy):
        """The bytes that are saved, and the accuracy before and after, as text. `accuracy` is a
        function of a model, which should use data that were not trained on."""
        lines = []
        for name in self.sent:
            sent, dense = self.bytes_sent(name), self.bytes_dense(name)
            share = 1 - sent / dense if dense else 0
            lines.append(f"layer {name}: {sent} of {dense} bytes a row are sent ({share:.1%} less)")
        before, after = accuracy(self.dense), accuracy(self.model)
        lines.append(f"accuracy on held-out data: {before:.2%} dense, {after:.2%} pruned")
        return "\n".join(lines)


def prune(model, layers, ranks, share, *, tune=None, steps=1):
    """Removes weights of `model` in place, so that ranks receive less.

    Args:
      model: a trained module.
      layers: names of layers, Linear or Conv2d, whose features other ranks hold.
      ranks: how many ranks divide the outputs and features of each layer.
      share: of the features of other ranks that a rank does not receive, 0 to 1; or a dictionary
        by layer.
      tune: a function that trains the model; the weights that have been removed stay zeros.
      steps: how often some weights are removed and the model is tuned.

    Returns:
      A :class:`Pruned`.
    """
    check_ranks(ranks)
    if steps < 1:
        raise InvalidArgumentError(f"steps: expected at least 1, got {steps}")
    shares = dict(share) if isinstance(share, dict) else dict.fromkeys(layers, share)
    for name in layers:
        if not 0 <= shares.get(name, -1) <= 1:
            raise InvalidArgumentError(
                f"share of layer '{name}': expected 0 to 1, got {shares.get(name)}"
            )
    found = {name: find_layer(model, name) for name in layers}
    dense = copy.deepcopy(model)
    kept = {}
    for step in range(1, steps + 1):
        for name, layer in found.items():
            kept[name] = _keep(layer.weight.detach(), ranks, shares[name] * step / steps)
            if step > 1:
                masks.remove(layer, "weight")
            masks.custom_from_mask(layer, "weight", _mask(layer.weight, kept[name]))
        if tune is not None:
            tune(model)
    for layer in found.values():
        masks.remove(layer, "weight")
    sent = {name: _list_features(rows, ranks) for name, rows in kept.items()}
    return Pruned(model, dense, ranks, sent)


def _keep(weight, ranks, share):
    """Whether each rank reads each feature, [ranks, features]."""
    outputs, features = weight.shape[:2]
    keep = torch.ones(ranks, features, dtype=torch.bool)
    for rank in range(ranks):
        rows = block(outputs, ranks, rank)
        squares = weight[rows.start : rows.stop].double() ** 2
        norms = squares.sum([axis for axis in range(weight.ndim) if axis != 1])
        own = block(features, ranks, rank)
        norms[own.start : own.stop] = math.inf
        removed = round(share * (features - len(own)))
        # A stable order, so that each run and machine removes the same ones.
        keep[rank, norms.sort(stable=True).indices[:removed]] = False
    return keep


def _mask(weight, keep):
    mask = torch.ones_like(weight)
    for rank, row in enumerate(keep):
        rows = block(weight.shape[0], len(keep), rank)
        mask[rows.start : rows.stop, ~row] = 0
    return mask


def _list_features(keep, ranks):
    """By receiver and sender, the features that are read."""
    blocks = [block(keep.shape[1], ranks, rank) for rank in range(ranks)]
    return [[[j for j in held if row[j]] for held in blocks] for row in keep]
