# ===- __init__.py - Models that route -------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Six models that choose at run time which of their parts run, with random weights.

    model = dyn.models.make("live-sr", seed=0)          # as published
    model = dyn.models.make("live-sr-small")            # at most 20 MFLOP per call

They are examples of models ported to dyn.annotate, dyn.Router and dyn.switch, and are run
by tests and `./x bench routes`. `dyn.models.routes` draws routes with the statistics of
production.
"""

import dataclasses

import torch

from dyn.models import (
    dynamic_routing,
    live_sr,
    msdnet,
    routes,
    swin_moe,
    switch_transformer,
    task_moe,
)
from dyn.models.replaying import Recorded, Replayed, Routed

_MODELS = {
    "switch-transformer": (switch_transformer.SwitchTransformer, switch_transformer),
    "live-sr": (live_sr.LiveSR, live_sr),
    "msdnet": (msdnet.MSDNet, msdnet),
    "task-moe": (task_moe.TaskMoE, task_moe),
    "swin-moe": (swin_moe.SwinMoE, swin_moe),
    "dynamic-routing": (dynamic_routing.DynamicRouting, dynamic_routing),
}


def names():
    """Names of all models; each also exists with the ending `-small`."""
    return list(_MODELS)


def make(name, seed=0, **changes):
    """A model in evaluation mode, with the same weights for the same seed. `changes`
    replace fields of its configuration."""
    small = name.endswith("-small")
    kind, module = _MODELS[name.removesuffix("-small")]
    config = dataclasses.replace(module.SMALL if small else module.Config(), **changes)
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        return kind(config).eval()


__all__ = ["Recorded", "Replayed", "Routed", "make", "names", "routes"]
