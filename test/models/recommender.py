# ===- recommender.py - Embedding bags, attention over a history, MLP ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A recommendation model with jagged inputs: 32 bags of ids and a history."""

import functools

from models import draw
from models.model import Model, register


def recommender_module(tables, rows, width):
    import torch
    from torch import nn

    class Recommender(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.Parameter(0.1 * torch.randn(tables * rows, width))
            self.items = nn.Embedding(rows, width)
            self.score = nn.Sequential(nn.Linear(4 * width, 64), nn.ReLU(), nn.Linear(64, 1))
            total = (tables + 2) * width
            self.mlp = nn.Sequential(
                nn.Linear(total, 512),
                nn.ReLU(),
                nn.Linear(512, 256),
                nn.ReLU(),
                nn.Linear(256, 1),
            )

        def forward(self, ids, bags, history, mask, candidate):
            # ids are offset by table; bags numbers each id's (row, table).
            batch = candidate.shape[0]
            sums = torch.zeros(batch * tables, width, dtype=self.tables.dtype)
            sums = sums.index_add(0, bags, self.tables[ids])
            target = self.items(candidate)
            past = self.items(history)
            pair = target.unsqueeze(1).expand_as(past)
            weight = self.score(torch.cat([pair, past, pair - past, pair * past], -1))
            interest = (weight * mask.unsqueeze(-1) * past).sum(1)
            features = [sums.reshape(batch, tables * width), interest, target]
            return torch.sigmoid(self.mlp(torch.cat(features, -1)))

    return Recommender()


def recommender_inputs(sizes, rng, tables, rows):
    import numpy

    batch, longest = sizes["batch"], sizes["history"]
    # Geometric lengths with mean 5, empty bags among them.
    lengths = rng.geometric(1 / 6, batch * tables) - 1
    bags = numpy.repeat(numpy.arange(batch * tables), lengths)
    own = numpy.minimum(numpy.exp(rng.normal(3, 1, batch)).astype(int) + 1, longest)
    return {
        "ids": rng.integers(0, rows, bags.size) + bags % tables * rows,
        "bags": bags,
        "history": rng.integers(0, rows, (batch, longest)),
        "mask": (numpy.arange(longest) < own[:, None]).astype("float32"),
        "candidate": rng.integers(0, rows, batch),
    }


def recommender(name, tables, rows, width, batch, history):
    register(
        Model(
            name=name,
            axes={
                "ids": {0: "ids"},
                "bags": {0: "ids"},
                "history": {0: "batch", 1: "history"},
                "mask": {0: "batch", 1: "history"},
                "candidate": {0: "batch"},
                "score": {0: "batch"},
            },
            outputs=("score",),
            inputs=functools.partial(recommender_inputs, tables=tables, rows=rows),
            sizes=lambda rng: {
                "batch": draw.size(rng, 1, batch),
                "history": draw.size(rng, 1, history),
            },
            module=functools.partial(recommender_module, tables, rows, width),
            exporter="dynamo",
            example={"batch": 3, "history": 5},
            # The jagged inputs are not rows along axis 0.
            batch=None,
        )
    )


recommender("rec-small", tables=4, rows=101, width=8, batch=17, history=31)
recommender("rec", tables=32, rows=20000, width=32, batch=256, history=300)
