# ===- features.py - Which rank holds which feature ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The division of axes among ranks, and of a layer's weights by it."""

import torch

from dyn.errors import InvalidArgumentError, UnsupportedError


def block(size, ranks, rank):
    """The indices of an axis that a rank holds: the division of RFC 17."""
    step = -(-size // ranks)
    return range(min(size, rank * step), min(size, (rank + 1) * step))


def find_layer(model, name):
    """The layer `name` of a model. Its weights are [outputs, features, ...]."""
    try:
        layer = model.get_submodule(name) if name else model
    except AttributeError:
        raise InvalidArgumentError(f"layer '{name}': the model has none of this name") from None
    if not isinstance(layer, (torch.nn.Linear, torch.nn.Conv2d)):
        raise UnsupportedError(
            f"layer '{name}': expected Linear or Conv2d, got {type(layer).__name__}"
        )
    if getattr(layer, "groups", 1) != 1:
        raise UnsupportedError(f"layer '{name}': expected one group, got {layer.groups}")
    return layer


def check_ranks(ranks, least=1):
    if ranks < least:
        raise InvalidArgumentError(f"ranks: expected at least {least}, got {ranks}")
