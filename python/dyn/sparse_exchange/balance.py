# ===- balance.py - How many features are worth sending --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of a layer on several ranks by the share of features that is not sent.

Formulas of DISCO, where S is the share of the other ranks' features that a rank does not receive:

    communication   F (1 - S) / B              F bytes of features, B bytes a second of a link
    computation     C (1 - S') / (N R)         C operations of the layer, R a second of a rank
    weights left    S' = S (N - 1) / N         of each N features, a rank holds one itself
    time            the larger one, as a rank computes with its own features meanwhile
    balance         S = (A N - N) / (A N - N + 1), where A = N R F / (C B)

A is the quotient of both times if all features are sent. If it is below 1, communication is hidden
already.
"""

import dataclasses
import math

from dyn.errors import InvalidArgumentError
from dyn.sparse_exchange.features import block, check_ranks, find_layer


@dataclasses.dataclass(frozen=True)
class Layer:
    """The costs of a layer if all features are sent."""

    bytes: int  #: that the busiest link of a rank brings
    flops: int  #: on all ranks together


@dataclasses.dataclass(frozen=True)
class Machine:
    """Ranks, and the links between each two of them."""

    ranks: int
    flops: float  #: a second, of a rank
    link: float  #: bytes a second

    def __post_init__(self):
        check_ranks(self.ranks, least=2)
        for name in ("flops", "link"):
            rate = getattr(self, name)
            if not 0 < rate < math.inf:
                raise InvalidArgumentError(f"{name}: expected a positive rate, got {rate}")

    def communication(self, layer, share):
        """Seconds until a rank has the features of the others."""
        return layer.bytes * (1 - share) / self.link

    def computation(self, layer, share):
        """Seconds that a rank computes."""
        left = 1 - share * (self.ranks - 1) / self.ranks
        return layer.flops * left / (self.ranks * self.flops)

    def time(self, layer, share):
        """Seconds of a layer whose ranks compute while they receive."""
        return max(self.communication(layer, share), self.computation(layer, share))

    def balance(self, layer):
        """The share of features from which on communication is hidden."""
        excess = self.communication(layer, 0) / self.computation(layer, 0) - 1
        return max(0.0, self.ranks * excess / (self.ranks * excess + 1)) if excess > 0 else 0.0


def layer_of(model, name, machine, batch, positions=1, element_bytes=4):
    """The costs of layer `name` of a model for `batch` rows. A convolution has as many
    `positions`, in its input and in its output."""
    weight = find_layer(model, name).weight
    rows = batch * positions
    held = len(block(weight.shape[1], machine.ranks, 0))
    return Layer(bytes=rows * held * element_bytes, flops=2 * rows * weight.numel())
