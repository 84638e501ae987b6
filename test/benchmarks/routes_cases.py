# ===- routes_cases.py - Routed models, their sizes and their routes -------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of `./x bench routes`: models of dyn.models with their published loads, and layers
of a mixture of 8 and 64 experts."""

import dataclasses
from typing import Callable

import routes_peers
import torch
from dyn.models import live_sr, make, routes
from dyn.models.replaying import Routed
from dyn.models.task_moe import Attention
from torch import nn

import dyn


class Mixture(Routed):
    """Two layers of attention and a mixture whose tokens go to one expert each."""

    @dataclasses.dataclass(frozen=True)
    class Config:
        width: int = 768
        hidden: int = 3072
        heads: int = 12
        layers: int = 2
        experts: int = 8

    class Layer(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.attention, self.attention_norm = Attention(c), nn.LayerNorm(c.width)
            self.experts = nn.ModuleList(
                nn.Sequential(nn.Linear(c.width, c.hidden), nn.GELU(), nn.Linear(c.hidden, c.width))
                for _ in range(c.experts)
            )
            self.experts_norm = nn.LayerNorm(c.width)
            self.router = dyn.routers.TopK(nn.Linear(c.width, c.experts), c.experts)

        def forward(self, x):
            x = x + self.attention(self.attention_norm(x))
            tokens = dyn.annotate(self.experts_norm(x), dims=(0, 1))
            return x + dyn.switch(self.router(tokens), tokens, self.experts).join()

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.layers = nn.Sequential(*(self.Layer(config) for _ in range(config.layers)))

    def forward(self, x):
        return self.layers(x)

    def routers(self, x):
        return [(tuple(x.shape[:2]), self.config.experts)] * self.config.layers

    def inputs(self, generator, batch, tokens):
        return (torch.randn(batch, tokens, self.config.width, generator=generator),)


class Branches(Routed):
    """A single convolution of eight channels per path, the smallest useful path."""

    def __init__(self, paths):
        super().__init__()
        self.router = dyn.routers.TopK(nn.Linear(8, paths), paths, weights=None)
        self.branches = nn.ModuleList(
            nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.ReLU()) for _ in range(paths)
        )

    def forward(self, x):
        return dyn.switch(self.router(x.mean((2, 3))), x, self.branches)

    def routers(self, x):
        return [((x.shape[0],), len(self.branches))]

    def inputs(self, generator, cells):
        return (torch.randn(cells, 8, 32, 32, generator=generator),)


@dataclasses.dataclass
class Case:
    """A model at some sizes. Cases with the same `model` share a compiled artifact."""

    name: str
    model: str  # a key of MODELS
    sizes: list  # of inputs
    # Choices for (routers, index of the sizes, seed).
    choices: Callable
    trace: dict  # sizes for the export
    axes: tuple = (0,)  # dynamic axes of inputs
    before: "Case | None" = None  # the case that an old profile was recorded with

    @property
    def file(self):
        return self.model.replace(" ", "-")

    def inputs(self, model, sizes, seed):
        return model.inputs(torch.Generator().manual_seed(seed), **sizes)

    def example(self, model):
        inputs = self.inputs(model, self.trace, 0)
        return inputs, routes.for_routers("uniform", model.routers(*inputs))

    def dynamic(self, tree):
        return routes_peers.dynamic_axes(self.axes, tree)

    def named_axes(self, name, x):
        return {axis: f"{name}_{axis}" for axis in self.axes if axis < x.dim()}

    def calls(self, model, seed):
        """Yields (sizes, inputs, choices)."""
        for number, sizes in enumerate(self.sizes):
            inputs = self.inputs(model, sizes, seed + number)
            yield sizes, inputs, self.choices(model.routers(*inputs), number, seed + number)


def drawn(draw, **options):
    """Draws the choices of each router with a function of dyn.models.routes."""
    return lambda routers, number, seed: [
        draw(layout, paths, seed + at, **options) for at, (layout, paths) in enumerate(routers)
    ]


def traffic(**options):
    """Draws choices as in the traffic of a service, layer after layer."""

    def draw(routers, number, seed):
        batch, *rest = routers[0][0]
        model = routes.Traffic(routers[0][1], len(routers), **options)
        choices = model.draw(batch, int(torch.Size(rest).numel()), seed)
        # Later layers may have fewer cells.
        return [
            choice.flatten()[: torch.Size(layout).numel()].reshape(layout)
            for choice, (layout, _) in zip(choices, routers)
        ]

    return draw


def equal_tasks(share):
    """Draws choices of whole sequences, of which a share has the same task."""

    def draw(routers, number, seed):
        generator = routes.generator_of(seed)
        (count,), paths = routers[0]
        task = torch.randint(64, (count,), generator=generator)
        task[torch.rand(count, generator=generator) < share] = 0
        tables = [torch.randperm(64, generator=routes.generator_of(at)) for at in range(9)]
        return [tables[at][task] % paths for at in range(len(routers))]

    return draw


TOKENS = [{"batch": b, "tokens": t} for b, t in ((1, 64), (2, 97), (4, 128), (8, 128))]
TRACE = {"batch": 3, "tokens": 7}


def mixtures():
    for experts in (8, 64):
        options = {"model": f"moe{experts}", "trace": TRACE, "axes": (0, 1)}
        hottest = 24.0 if experts == 64 else 5.0
        kinds = {"uniform": drawn(routes.uniform), "skewed": drawn(routes.skewed, hottest=hottest)}
        kinds["traffic"] = traffic(exponent=1.2)
        for kind, choices in kinds.items():
            yield Case(f"moe{experts} {kind}", sizes=TOKENS, choices=choices, **options)


def patches():
    for paths, channels in live_sr.PUBLISHED:
        loads = routes.LIVE_SR_MOST[paths]
        yield Case(
            f"live-sr {paths} x {channels}",
            f"live-sr {paths} x {channels}",
            [{"patches": sum(loads)}],
            loaded(loads),
            {"patches": 23},
        )


def loaded(loads):
    """Draws choices of one router with the given number of cells per path."""
    return lambda routers, number, seed: [routes.of_loads(loads, seed)]


def branches():
    """The workloads of many small branches: four cells each; and loads that have drifted
    from the profiled 4 or 27 cells to 8."""
    for count in (2, 16, 64, 256):
        name, sizes = f"branches {count}", [{"cells": 4 * count}]
        yield Case(name, name, sizes, loaded([4] * count), {"cells": 23})
    for old in (4, 27):
        before = None
        for share in (0, 25, 50, 75, 100):
            drifted = 16 * share // 100
            loads = [8] * drifted + [old] * (16 - drifted)
            # Each case has its own artifacts, as each has its own profile.
            model, sizes = f"branches 16 {old} {share}", [{"cells": sum(loads)}]
            case = Case(f"drift {old} {share}", model, sizes, loaded(loads), {"cells": 23})
            before = case.before = before or case
            yield case


def early_exits():
    """Ten calls of one image for each mix of exits."""
    for number, shares in enumerate(routes.MSDNET_EXITS):
        left = routes.exits(shares, 10)
        yield Case(
            f"msdnet mix {number}",
            "msdnet",
            [{"images": 1}] * 10,
            lambda routers, number, seed, left=left: [left[number : number + 1]],
            {"images": 3},
        )


def others():
    sequences = [{"batch": b, "tokens": t} for b, t in ((8, 64), (16, 64), (16, 37))]
    options = {"trace": {"batch": 3, "tokens": 7}, "axes": (0, 1)}
    yield Case("task-moe", "task-moe", sequences, equal_tasks(0.0), **options)
    yield Case("task-moe skewed", "task-moe", sequences, equal_tasks(0.6), **options)
    images = [{"images": 4}, {"images": 8}]
    yield Case("swin-moe", "swin-moe", images, traffic(), {"images": 3})
    doors = lambda routers, number, seed: routes.doors(len(routers), 1, seed)
    yield Case("dynamic-routing", "dynamic-routing", [{"images": 1}] * 2, doors, {"images": 3})


def small():
    """A case of each model that runs in a moment."""
    tokens = {"batch": 2, "tokens": 5}
    options = {"sizes": [tokens], "trace": {"batch": 3, "tokens": 7}, "axes": (0, 1)}
    yield Case("moe-small", "moe-small", choices=drawn(routes.uniform), **options)
    yield Case(
        "live-sr-small", "live-sr-small", [{"patches": 9}], drawn(routes.skewed), {"patches": 5}
    )


KINDS = (mixtures, patches, branches, early_exits, others)
CASES = {case.name: case for make_cases in KINDS for case in make_cases()}
SMALL = {case.name: case for case in small()}


def make_model(name):
    """Returns the model of a case, in evaluation mode."""
    if name.startswith("moe"):
        size = dict(width=32, hidden=64, heads=2, experts=4) if name == "moe-small" else {}
        experts = size.pop("experts", None) or int(name[3:])
        torch.manual_seed(0)
        return Mixture(Mixture.Config(experts=experts, **size)).eval()
    if name.startswith("branches "):
        torch.manual_seed(0)
        return Branches(int(name.split()[1])).eval()
    if name.startswith("live-sr "):
        paths, _, channels = name.split()[1:]
        return make("live-sr", paths=int(paths), channels=int(channels))
    return make(name)
