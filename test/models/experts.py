# ===- experts.py - Transformers with a mixture of experts -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers whose tokens each go to the one expert that a router chooses.

The number of an expert's tokens is data-dependent. A token's expert mostly depends on its
id, so the distribution of ids determines that of the routes.
"""

import functools

from models import draw
from models.model import Model, register


def experts_module(vocabulary, width, hidden, heads, experts, layers):
    import torch
    from torch import nn
    from torch.nn import functional

    class Experts(nn.Module):
        """A feed-forward layer of several experts, one for each token."""

        def __init__(self):
            super().__init__()
            self.router = nn.Linear(width, experts)
            self.experts = nn.ModuleList(
                nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
                for _ in range(experts)
            )

        def forward(self, x):
            rows = x.reshape(-1, width)
            gate, route = torch.softmax(self.router(rows), -1).max(-1)
            result = torch.zeros_like(rows)
            for number, expert in enumerate(self.experts):
                chosen = (route == number).nonzero().squeeze(1)
                result = result.index_add(0, chosen, expert(rows[chosen]))
            return (result * gate.unsqueeze(-1)).reshape(x.shape)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.before = nn.LayerNorm(width)
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
            self.between = nn.LayerNorm(width)
            self.experts = Experts()

        def forward(self, x):
            batch, tokens = x.shape[:2]
            parts = self.qkv(self.before(x)).reshape(batch, tokens, 3, heads, width // heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(query, key, value)
            x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
            return x + self.experts(self.between(x))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(vocabulary, width)
            self.layers = nn.Sequential(*(Layer() for _ in range(layers)))

        def forward(self, ids):
            return self.layers(self.embed(ids))

    return Model()


def experts_inputs(sizes, rng, vocabulary):
    """Ids; `hot` percent of them, if given, are equal."""
    shape = sizes["batch"], sizes["tokens"]
    ids = rng.integers(0, vocabulary, shape)
    ids[rng.random(shape) < sizes.get("hot", 0) / 100] = 1
    return {"ids": ids}


def experts_sizes(rng, longest, total):
    batch, tokens = draw.batch_and(rng, 1, longest, total)
    return {"batch": batch, "tokens": tokens}


def mixture(name, longest, total, vocabulary, **config):
    rows = {0: "batch", 1: "tokens"}
    register(
        Model(
            name=name,
            axes={"ids": rows, "y": rows},
            outputs=("y",),
            inputs=functools.partial(experts_inputs, vocabulary=vocabulary),
            sizes=functools.partial(experts_sizes, longest=longest, total=total),
            module=functools.partial(experts_module, vocabulary, **config),
            example={"batch": 2, "tokens": 7},
            dims={"tokens": (1, 1024)},
        )
    )


mixture("moe-small", 31, 64, 101, width=32, hidden=64, heads=2, experts=4, layers=2)
mixture("moe8", 1024, 1024, 5003, width=768, hidden=3072, heads=12, experts=8, layers=2)
