# ===- adapters.py - Models of other libraries with routes -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routes for models whose own code cannot be exported.

Most mixtures of `transformers` do not need this: dyn compiles their code unchanged.
`SwitchTransformers` determines in Python which experts have tokens.
"""

import torch

from dyn.routing.cells import annotate
from dyn.routing.router import Router
from dyn.routing.switching import switch


def route_switch_transformers(model):
    """Sends the tokens of a SwitchTransformers model to its experts by a switch.

    Replaces each sparse layer, in place; parameters keep their names and are the same
    objects, and the model computes the same results. Returns the model.
    """
    from transformers.models.switch_transformers import modeling_switch_transformers

    sparse = modeling_switch_transformers.SwitchTransformersSparseMLP
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, sparse):
                setattr(module, name, _SparseLayer(child))
    return model


class _SparseLayer(torch.nn.Module):
    """Such a layer. Each expert takes the first tokens of each sequence, up to its
    capacity."""

    def __init__(self, layer):
        super().__init__()
        self.router, self.experts = layer.router, layer.experts
        self.choose = Router(self._choose, layer.router.num_experts, label="experts")

    def _choose(self, rows, hidden_states):
        router, classifier = self.router, self.router.classifier
        # The original code converts the classifier's parameters to this type.
        bias = None if classifier.bias is None else classifier.bias.to(router.dtype)
        scores = torch.nn.functional.linear(
            hidden_states.to(router.dtype), classifier.weight.to(router.dtype), bias
        )
        shares = scores.softmax(-1).to(hidden_states.dtype)
        ids = shares.argmax(-1, keepdim=True)
        chosen = (ids == torch.arange(router.num_experts, device=ids.device)).long()
        position = chosen.cumsum(-2).gather(-1, ids)
        ids = torch.where(position <= router.expert_capacity, ids, -1)
        shares = shares.flatten(0, 1)
        return ids.flatten(), lambda ids: shares.gather(1, ids.clamp(min=0))

    def forward(self, hidden_states):
        tokens = annotate(hidden_states, (0, 1))
        routes = self.choose(tokens, hidden_states)
        return switch(routes, tokens, self.experts.values()).join()
