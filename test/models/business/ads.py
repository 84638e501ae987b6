# ===- ads.py - Ranking of advertisements ----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ranking model: each advertisement has bags of ids, some empty and some long, whose
embeddings are combined in cross and deep layers, which two tasks share."""

import numpy
import torch
from torch import nn

from models.business.model import Business

BAGS, ROWS, WIDTH, NUMBERS = 6, 97, 8, 13
TOTAL = (BAGS + 2) * WIDTH


class Cross(nn.Module):
    """x0 * (U V x + b) + x, of low rank."""

    def __init__(self):
        super().__init__()
        self.down = nn.Linear(TOTAL, 16, bias=False)
        self.up = nn.Linear(16, TOTAL)

    def forward(self, first, x):
        return first * self.up(self.down(x)) + x


class Ads(nn.Module):
    def __init__(self):
        super().__init__()
        self.bags = nn.EmbeddingBag(BAGS * ROWS, WIDTH, mode="mean", include_last_offset=True)
        self.past = nn.EmbeddingBag(ROWS, WIDTH, mode="sum", include_last_offset=True)
        self.numbers = nn.Sequential(nn.Linear(NUMBERS, 32), nn.ReLU(), nn.Linear(32, WIDTH))
        self.cross = nn.ModuleList(Cross() for _ in range(3))
        self.deep = nn.Sequential(
            nn.Linear(TOTAL, 64), nn.ReLU(), nn.LayerNorm(64), nn.Linear(64, 32), nn.ReLU()
        )
        self.tasks = nn.Linear(TOTAL + 32, 2)

    def forward(self, numbers, ids, offsets, clicks, weights, past, bids):
        # Bags of one advertisement are consecutive.
        bags = self.bags(ids, offsets).unflatten(0, (numbers.shape[0], BAGS)).flatten(1)
        past = self.past(clicks, past, per_sample_weights=weights)
        first = torch.cat([self.numbers(numbers), bags, past], -1)
        x = first
        for cross in self.cross:
            x = cross(first, x)
        chances = torch.sigmoid(self.tasks(torch.cat([x, self.deep(first)], -1)))
        worth = chances.prod(-1) * bids
        return chances, worth, worth.argsort(descending=True)


def jagged(rng, bags, mean):
    """Offsets of bags, some of them empty."""
    lengths = rng.geometric(1 / (1 + mean), bags) - 1
    return numpy.concatenate([[0], lengths.cumsum()])


def request(rng):
    batch = rng.integers(1, 65)
    offsets, past = jagged(rng, batch * BAGS, 3), jagged(rng, batch, 20)
    kinds = numpy.repeat(numpy.arange(batch * BAGS) % BAGS, numpy.diff(offsets))
    return {
        "numbers": rng.standard_normal((batch, NUMBERS), "float32"),
        "ids": rng.integers(0, ROWS, offsets[-1]) + kinds * ROWS,
        "offsets": offsets,
        "clicks": rng.integers(0, ROWS, past[-1]),
        "weights": rng.uniform(0, 1, past[-1]).astype("float32"),
        "past": past,
        "bids": rng.uniform(0.1, 2, batch).astype("float32"),
    }


ADS = Business(
    name="ads",
    module=Ads,
    request=request,
    axes=dict.fromkeys(("numbers", "ids", "offsets", "clicks", "weights", "past", "bids"), (0,)),
    results=("chances", "worth", "order"),
    example=request(numpy.random.default_rng(3)),
)
