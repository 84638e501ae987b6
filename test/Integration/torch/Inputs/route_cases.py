# ===- route_cases.py - Models that route ----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models, each with another use of routes, and inputs for them.

A case has a `model`, `inputs(*shape)`, the dynamic axes of the inputs, and the shapes to
run; the first one is traced. The others include no cells, one cell, and all cells on one
path.
"""

import dataclasses
import typing

import dyn
import torch
from torch import nn


@dataclasses.dataclass
class Case:
    model: typing.Callable
    inputs: typing.Callable
    shapes: list
    #: For each input its dynamic axes.
    dynamic: list


CASES = {}


def case(inputs, shapes, dynamic):
    def register(model):
        CASES[model.__name__] = Case(model, inputs, shapes, dynamic)
        return model

    return register


def _mlp(width, hidden):
    return nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))


def _tokens(batch, length, width=8):
    return (torch.randn(batch, length, width),)


TOKENS = [(2, 5), (3, 7), (1, 1), (0, 4), (2, 0), (4, 33)]


@case(_tokens, TOKENS, [(0, 1)])
class Mixture(nn.Module):
    """Two of four experts for each token."""

    def __init__(self, paths=4, k=2, **options):
        super().__init__()
        self.experts = nn.ModuleList(_mlp(8, 16) for _ in range(paths))
        self.router = dyn.routers.TopK(nn.Linear(8, paths), paths, k=k, **options)

    def forward(self, x):
        tokens = dyn.annotate(x, (0, 1))
        return x + dyn.switch(self.router(tokens), tokens, self.experts).join()


@case(_tokens, TOKENS, [(0, 1)])
class FirstCome(Mixture):
    """A capacity in rows, for the first tokens."""

    def __init__(self):
        super().__init__(k=1, weights="sigmoid", capacity=3)


@case(_tokens, TOKENS, [(0, 1)])
class Prioritized(Mixture):
    """A capacity as a share, for the tokens with the largest weights."""

    def __init__(self):
        super().__init__(capacity=0.75, priority=True, normalize=True, label="experts")


@case(_tokens, TOKENS, [(0, 1)])
class ShortCapacity(Mixture):
    """A capacity that is a function of the number of cells."""

    def __init__(self):
        super().__init__(k=1, weights=None, capacity=lambda cells: cells // 8)


@case(_tokens, TOKENS, [(0, 1)])
class Many(Mixture):
    """More paths than there are tokens in most shapes."""

    def __init__(self):
        super().__init__(paths=16, k=3)


@case(_tokens, TOKENS, [(0, 1)])
class Gates(nn.Module):
    """A mask: some tokens take several paths, some none."""

    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList([nn.Linear(8, 8), nn.Tanh(), nn.Identity()])
        self.router = dyn.routers.Threshold(nn.Linear(8, 3), 3, 0.3, weights=True)

    def forward(self, x):
        tokens = dyn.annotate(x, (0, 1))
        routes = self.router(tokens)
        return dyn.switch(routes, tokens, self.branches).join(), routes.counts()


def _labelled(count, kind):
    x = torch.randn(count, 6)
    if kind == "random":
        return x, torch.randint(-1, 4, (count,))
    return x, torch.full((count,), kind)


LABELLED = [(9, "random"), (40, "random"), (0, "random"), (1, "random"), (12, 0), (12, 3), (12, -1)]


@case(_labelled, LABELLED, [(0,), (0,)])
class Labels(nn.Module):
    """Paths as an input; tokens without a path are unchanged."""

    def __init__(self):
        super().__init__()
        self.router = dyn.routers.Label(4)
        self.branches = [
            torch.sin,
            lambda r: r * 2,
            lambda r: r - r.mean(-1, keepdim=True),
            torch.exp,
        ]

    def forward(self, x, labels):
        routes = self.router(x, labels)
        return dyn.switch(routes, x, self.branches, default=x)


@case(lambda n: (torch.randn(n, 6), torch.randint(-1, 4, (n, 3))), [(7,), (0,), (1,), (29,)],
      [(0,), (0,)])  # fmt: skip
class Combined(nn.Module):
    """All reductions of a cell from its rows."""

    def __init__(self):
        super().__init__()
        self.router = dyn.routers.Label(4)
        self.branches = [torch.sin, torch.cos, torch.tanh, torch.neg]

    def forward(self, x, labels):
        routes = self.router(x, labels)
        default = torch.ones_like(x)
        return [
            dyn.switch(routes, x, self.branches, combine=kind, default=d)
            for kind in ("sum", "last", "max")
            for d in (None, default)
        ]


@case(lambda b, s: (torch.randint(0, 100, (b, s)), torch.randint(-1, 9, (b,))),
      [(3, 4), (1, 1), (0, 5), (7, 9)], [(0, 1), (0,)])  # fmt: skip
class HashAndTask(nn.Module):
    """Tokens by hash, then whole sentences by their task."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 8)
        self.hash = dyn.routers.Hash(4)
        self.task = dyn.routers.Task(3, table=[0, 0, 1, 1, 2, 2, 0, 1, 2])
        self.words = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
        self.tasks = nn.ModuleList(_mlp(8, 8) for _ in range(3))

    def forward(self, ids, tasks):
        tokens = dyn.annotate(self.embed(ids), (0, 1))
        x = dyn.switch(self.hash(tokens, ids.flatten()), tokens, self.words).join()
        return dyn.switch(self.task(x, tasks), x, self.tasks)


@case(lambda b, h, w: (torch.randn(b, 3, 8 * h, 8 * w),), [(2, 2, 3), (1, 1, 1), (3, 4, 2)],
      [(0, 2, 3)])  # fmt: skip
class Patches(nn.Module):
    """Patches of an image through networks of different widths, which enlarge them."""

    def __init__(self):
        super().__init__()
        self.classify = nn.Conv2d(3, 3, 8)
        self.router = dyn.Router(lambda rows: self.classify(rows).flatten(1).argmax(1), 3)
        self.paths = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(3, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, 12, 3, padding=1),
                nn.PixelShuffle(2),
            )
            for c in (4, 6, 8)
        )  # fmt: skip

    def forward(self, x):
        patches = dyn.annotate(x, (0, 2, 3), (1, 8, 8))
        return dyn.switch(self.router(patches), patches, self.paths).join()


@case(lambda b, h, w: (torch.randn(b, 3, h, w),), [(2, 5, 4), (1, 1, 1), (3, 0, 2), (1, 8, 9)],
      [(0, 2, 3)])  # fmt: skip
class Pixels(nn.Module):
    """Pixels as cells, and images as cells of another router."""

    def __init__(self):
        super().__init__()
        self.router = dyn.Router(lambda rows: (rows > 0).sum(1) - 1, 3)
        self.image = dyn.Router(lambda rows: (rows.sum((1, 2, 3)) > 0).long(), 2)
        self.heads = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

    def forward(self, x):
        pixels = dyn.annotate(x, (0, 2, 3))
        y = dyn.switch(self.router(pixels), pixels, self.heads, default=pixels).join()
        return dyn.switch(self.image(y), y, [torch.neg, torch.relu])


@case(lambda n: (torch.randn(n, 8) * 2,), [(9,), (50,), (0,), (1,)], [(0,)])
class EarlyExit(nn.Module):
    """Each stage is the second path of a switch in the previous one."""

    def __init__(self, stages=3):
        super().__init__()
        self.stages = nn.ModuleList(_mlp(8, 8) for _ in range(stages))
        self.heads = nn.ModuleList(nn.Linear(8, 4) for _ in range(stages))
        self.done = dyn.Router(lambda logits: (logits.softmax(-1).amax(-1) < 0.4).long(), 2)

    def forward(self, x, stage=0):
        x = x + self.stages[stage](x)
        logits = self.heads[stage](x)
        if stage + 1 == len(self.stages):
            return logits
        routes = self.done(logits)
        return dyn.switch(
            routes, (x, logits), [lambda x, logits: logits, lambda x, _: self(x, stage + 1)]
        )


@case(lambda n: (torch.randn(n, 4) * 3,), [(6,), (0,), (1,), (31,)], [(0,)])
class Loop(nn.Module):
    """The same router repeatedly: cells continue until they are small."""

    def __init__(self):
        super().__init__()
        self.router = dyn.Router(lambda rows: torch.where(rows.abs().amax(1) > 1, 0, -1), 1)

    def forward(self, x):
        for _ in range(3):
            x = dyn.switch(self.router(x), x, [lambda rows: rows / 2], default=x)
        return x


@case(_tokens, TOKENS, [(0, 1)])
class Nested(nn.Module):
    """A router for groups, and in each group one for its experts."""

    def __init__(self):
        super().__init__()
        self.groups = dyn.routers.TopK(nn.Linear(8, 2), 2)
        self.inner = nn.ModuleList(dyn.routers.TopK(nn.Linear(8, 3), 3, k=2) for _ in range(2))
        self.experts = nn.ModuleList(
            nn.ModuleList(nn.Linear(8, 8) for _ in range(3)) for _ in range(2)
        )

    def _group(self, number):
        return lambda rows: dyn.switch(self.inner[number](rows), rows, self.experts[number])

    def forward(self, x):
        tokens = dyn.annotate(x, (0, 1))
        return dyn.switch(self.groups(tokens), tokens, [self._group(0), self._group(1)]).join()


@case(lambda n: (torch.randn(n, 6), torch.randn(n, 2)), [(8,), (0,), (1,), (21,)], [(0,), (0,)])
class Several(nn.Module):
    """Several operands and results, weights of the model that all paths share, scores that
    are also a result, and a branch that reads its number of rows."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(6, 2)
        self.shared = nn.Linear(8, 5)

    def forward(self, x, y):
        scores = self.gate(x).softmax(-1)
        router = dyn.Router(lambda rows: self._choose(rows), 2)
        routes = router(x)

        def first(a, b):
            whole = self.shared(torch.cat([a, b], 1))
            return whole, torch.arange(a.shape[0]).float().unsqueeze(1) * 0 + b.sum(1, keepdim=True)

        def second(a, b):
            return self.shared(torch.cat([a, -b], 1)).relu(), torch.zeros(a.shape[0], 1)

        return dyn.switch(routes, (x, y), [first, second]), scores

    def _choose(self, rows):
        scores = self.gate(rows).softmax(-1)
        weight, ids = scores.max(-1)
        return ids, weight


@case(_tokens, TOKENS, [(0, 1)])
class Uniform(nn.Module):
    """All rows at once, with weights by path."""

    def __init__(self):
        super().__init__()
        self.router = dyn.routers.TopK(nn.Linear(8, 4), 4, k=2)
        self.scale = nn.Parameter(torch.randn(4, 8))

    def forward(self, x):
        tokens = dyn.annotate(x, (0, 1))
        routes = self.router(tokens)
        rows = dyn.dispatch(routes, tokens) * self.scale[routes.row_paths()]
        return tokens.join(dyn.combine(routes, rows))


@case(lambda b, s: (*_tokens(b, s), torch.rand(b * s, 4).argsort(1)[:, :2]), TOKENS,
      [(0, 1), (0,)])  # fmt: skip
class Replayed(nn.Module):
    """Choices that are an input of the program."""

    def __init__(self):
        super().__init__()
        self.mixture = Mixture()

    def forward(self, x, choices):
        with dyn.replay([choices]):
            return self.mixture(x)


@case(lambda n: (torch.randn(n, 8).bfloat16(),), [(9,), (0,), (33,)], [(0,)])
class Narrow(nn.Module):
    """Rows of 16 bits, weights of 32."""

    def __init__(self):
        super().__init__()
        self.router = dyn.routers.TopK(lambda rows: rows.float()[:, :3], 3, k=2)
        self.paths = nn.ModuleList(nn.Linear(8, 8) for _ in range(3)).bfloat16()

    def forward(self, x):
        return dyn.switch(self.router(x), x, self.paths)


@case(lambda n, h, w: (torch.randn(n, 4, h, w),), [(7, 5, 6), (2, 9, 7), (0, 4, 4), (1, 3, 9), (12, 8, 8)],
      [(0, 2, 3)])  # fmt: skip
class Blocks(nn.Module):
    """Convolutions and normalisations of images in branches."""

    def __init__(self):
        super().__init__()
        self.router = dyn.Router(lambda rows: (rows.mean((1, 2, 3)) > 0).long(), 2)
        self.paths = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(4, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(), nn.MaxPool2d(2),
                nn.GroupNorm(2, c), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(c),
                nn.Linear(c, 3), nn.Softmax(-1),
            )
            for c in (4, 6)
        )  # fmt: skip

    def forward(self, x):
        return dyn.switch(self.router(x), x, self.paths)
