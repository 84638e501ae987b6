# ===- tables.py - Rows of tables ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks on rows of numbers, which choose among the columns."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, register

COLUMNS = 120


def table(name, build, *arguments, columns=COLUMNS, shapes):
    ports = (draws.floats("x", "batch", columns),)
    register(Entry(name, name, functools.partial(build, *arguments), ports, shapes))


def sparsemax(scores):
    """The nearest point to the scores whose coordinates are at least 0 and sum to 1."""
    import torch

    ordered = scores.sort(-1, descending=True)[0]
    number = torch.arange(1, scores.shape[-1] + 1)
    above = (1 + number * ordered > ordered.cumsum(-1)).to(scores.dtype)
    limit = ((ordered * above).sum(-1, keepdim=True) - 1) / above.sum(-1, keepdim=True)
    return torch.relu(scores - limit)


def tabnet(width, steps):
    """TabNet: steps that each look at a few columns, chosen by sparsemax."""
    import torch
    from torch import nn

    half = width // 2

    class Tabnet(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.shared = nn.BatchNorm1d(COLUMNS), nn.Linear(COLUMNS, 2 * width)
            self.own = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(steps + 1))
            self.choose = nn.ModuleList(nn.Linear(half, COLUMNS) for _ in range(steps))
            self.head = nn.Linear(half, 7)

        def features(self, x, step):
            return nn.functional.glu(self.own[step](nn.functional.glu(self.shared(x))))

        def forward(self, x):
            x, total = self.norm(x), 0
            prior, state = torch.ones_like(x), self.features(x, 0)[:, half:]
            for step, choose in enumerate(self.choose):
                mask = sparsemax(choose(state) * prior)
                prior = prior * (1.3 - mask)
                y = self.features(x * mask, step + 1)
                total, state = total + torch.relu(y[:, :half]), y[:, half:]
            return self.head(total)

    return Tabnet()


def feature_transformer(columns, width):
    """FT-Transformer: each column is a token."""
    import torch
    from torch import nn

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.randn(columns, width))
            self.shift = nn.Parameter(torch.randn(columns, width))
            self.first = nn.Parameter(torch.randn(1, 1, width))
            layer = nn.TransformerEncoderLayer(
                width, 4, 2 * width, 0.0, batch_first=True, norm_first=True
            )
            self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
            self.head = nn.Linear(width, 2)

        def forward(self, x):
            x = x[:, :, None] * self.scale + self.shift
            x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1)
            return self.head(self.layers(x)[:, 0])

    return Transformer()


def splines(widths, cells, degree):
    """KAN: sums of splines of each input, by the recursion of their bases."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            knots = torch.arange(-degree, cells + degree + 1) * (2 / cells) - 1
            self.register_buffer("knots", knots.expand(inputs, -1).contiguous())
            self.weight = nn.Parameter(torch.randn(outputs, inputs * (cells + degree)) / inputs)
            self.base = nn.Linear(inputs, outputs)

        def forward(self, x):
            knots, y = self.knots, x[..., None]
            bases = ((y >= knots[:, :-1]) & (y < knots[:, 1:])).to(x.dtype)
            for k in range(1, degree + 1):
                rising = (y - knots[:, : -k - 1]) / (knots[:, k:-1] - knots[:, : -k - 1])
                falling = (knots[:, k + 1 :] - y) / (knots[:, k + 1 :] - knots[:, 1:-k])
                bases = rising * bases[..., :-1] + falling * bases[..., 1:]
            return self.base(nn.functional.silu(x)) + bases.flatten(1) @ self.weight.T

    return nn.Sequential(*map(Layer, widths, widths[1:]))


table("tabnet", tabnet, 64, 4, shapes=({"batch": 64}, {"batch": 500}, {"batch": 1024}))
table("ft-transformer", feature_transformer, 40, 64, columns=40,
      shapes=({"batch": 8}, {"batch": 33}, {"batch": 64}))  # fmt: skip
table("kan", splines, (64, 128, 64, 10), 5, 3, columns=64,
      shapes=({"batch": 16}, {"batch": 100}, {"batch": 256}))  # fmt: skip
