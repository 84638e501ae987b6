# ===- __init__.py - Layers on ranks that exchange few features ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes weights of a trained model, so that ranks send each other fewer features.

Each of N ranks computes a part of a layer's outputs. It holds a part of the features that the
layer reads, and other ranks send it the rest. A feature that no weight of a rank reads need not
be sent, so removing communication is pruning, in groups: the weights of one feature on one rank.
The method and its formulas are those of DISCO (Qin et al., 2023).

    layers = ["0", "2"]                                  # nn.Linear or nn.Conv2d
    machine = Machine(ranks=2, flops=60e9, link=100e6)   # a second
    share = machine.balance(layer_of(model, "0", machine, batch=32))
    pruned = prune(model, layers, ranks=2, share=share, tune=train, steps=4)
    print(pruned.report(accuracy))                       # on data held out
    parts = [split(pruned, "0", rank) for rank in range(2)]

A :class:`RankLayer` that :func:`split` makes computes the bits that the pruned layer has on one
rank, if its inputs are finite: the weights that are left out are zeros there.
"""

from dyn.sparse_exchange.balance import Layer, Machine, layer_of
from dyn.sparse_exchange.program import write_program
from dyn.sparse_exchange.pruning import Pruned, prune
from dyn.sparse_exchange.splitting import RankLayer, split

__all__ = [
    "Layer",
    "Machine",
    "Pruned",
    "RankLayer",
    "layer_of",
    "prune",
    "split",
    "write_program",
]
