# ===- replaying.py - Models that take or give their routes ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of the models, and wrappers that make routes inputs or outputs.

A replayed model takes the choices of its routers as inputs, also when it is exported: two
programs can be compared, or timed, on the same routes.
"""

import torch

import dyn


def keep_variance(model):
    """Draws the weights of convolutions such that the results of ReLUs keep their variance
    in a model of any depth: without training its routers would see nothing else."""
    for module in model.modules():
        if isinstance(module, torch.nn.Conv2d):
            torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")


def choice_of(routes):
    """The path of each cell [N], or -1. Unlike dyn.record it is part of exported
    programs."""
    # Cells without a row become zeros.
    rows = routes.row_paths().unsqueeze(1) + 1
    return dyn.combine(routes, rows, combine="last").flatten() - 1


class Routed(torch.nn.Module):
    """A model that routes.

    A subclass implements `routers`, the inputs of its routers in the order in which they
    are called, and draws its inputs in `inputs`.
    """

    def routers(self, *inputs):
        """[(layout, paths)] of the routers for inputs: the sizes of the axes that count
        cells, such as (batch, tokens), and the number of paths."""
        raise NotImplementedError

    def inputs(self, generator, **sizes):
        """A tuple of inputs of given sizes."""
        raise NotImplementedError

    def replayed(self, inputs, choices):
        """The model on inputs, with the given choices instead of those of the routers:
        int64 tensors with the layouts of `routers`, -1 for no path."""
        with dyn.replay([choice.flatten() for choice in choices]):
            return self(*inputs)

    def recorded(self, inputs):
        """The result on inputs, and the choices of its routers, which can be replayed;
        -1 where capacity dropped a cell."""
        choices, hooks = [], []

        def keep(router, args, routes):
            choices.append(choice_of(routes))

        for module in self.modules():
            if isinstance(module, dyn.Router):
                hooks.append(module.register_forward_hook(keep))
        try:
            result = self(*inputs)
        finally:
            for hook in hooks:
                hook.remove()
        layouts = (layout for layout, _ in self.routers(*inputs))
        return result, [choice.reshape(layout) for choice, layout in zip(choices, layouts)]


class Replayed(torch.nn.Module):
    """A model whose inputs are (its inputs, its choices)."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs, choices):
        return self.model.replayed(inputs, choices)


class Recorded(torch.nn.Module):
    """A model whose outputs are (its output, its choices)."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs):
        return self.model.recorded(inputs)
