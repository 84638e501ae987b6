# ===- routed_cases.py - Small routed models and sizes of their inputs -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of dyn.models: sizes at which they are traced and run, and the dynamic axes of
their inputs."""

import dataclasses

import torch
from dyn.models import Recorded, Replayed, live_sr, make
from torch.export import Dim
from torch.utils import _pytree as pytree

import dyn


@dataclasses.dataclass
class Case:
    name: str
    # Sizes to trace with, different and at least 2, and sizes to run at.
    example: dict
    sizes: list
    # Dynamic axes of every input.
    axes: tuple = (0,)
    # Whether its own routes are tested in the long tier only: compiling takes a while.
    full: bool = False
    # As published: changes of the configuration, each with sizes to run at.
    published: list = dataclasses.field(default_factory=list)

    def make(self):
        return make(f"{self.name}-small")

    def inputs(self, model, seed=0, **sizes):
        return model.inputs(torch.Generator().manual_seed(seed), **(sizes or self.example))

    def _dynamic(self, tree):
        def axes(x):
            return {axis: Dim.AUTO for axis in self.axes if axis < x.dim()}

        return pytree.tree_map(axes, tree)

    def compile(self, model, output, free=False, **options):
        """The model with replayed routes, or with its own if `free`; options are
        dyn.compile's."""
        inputs = self.inputs(model)
        if free:
            shapes = {"inputs": self._dynamic(inputs)}
            args = (inputs,)
            return dyn.compile(Recorded(model), output, args=args, dynamic_shapes=shapes, **options)
        choices = [torch.zeros(layout, dtype=torch.int64) for layout, _ in model.routers(*inputs)]
        shapes = {"inputs": self._dynamic(inputs), "choices": self._dynamic(choices)}
        args = (inputs, choices)
        return dyn.compile(Replayed(model), output, args=args, dynamic_shapes=shapes, **options)


def _tokens(*triples):
    names = ("batch", "tokens", "decoder_tokens")
    return [dict(zip(names, triple)) for triple in triples]


CASES = {
    case.name: case
    for case in (
        Case(
            "switch-transformer",
            {"batch": 4, "tokens": 11, "decoder_tokens": 7},
            _tokens((3, 9, 8), (1, 17, 1), (2, 1, 13)),
            axes=(0, 1),
            published=[
                ({"experts": experts, "layers": layers}, _tokens((2, 33, 5))[0])
                for experts, layers in ((8, 12), (32, 12), (64, 2), (256, 2))
            ],
        ),
        Case(
            "live-sr",
            {"patches": 6},
            [{"patches": 22}, {"patches": 1}, {"patches": 13}],
            published=[
                ({"paths": paths, "channels": channels}, {"patches": 60})
                for paths, channels in live_sr.PUBLISHED
            ],
        ),
        Case(
            "msdnet",
            {"images": 5},
            [{"images": 9}, {"images": 1}, {"images": 2}],
            full=True,
            published=[({}, {"images": 6})],
        ),
        Case(
            "task-moe",
            {"batch": 5, "tokens": 9},
            [dict(batch=7, tokens=5), dict(batch=1, tokens=16), dict(batch=12, tokens=1)],
            axes=(0, 1),
            published=[({}, dict(batch=8, tokens=64))],
        ),
        Case(
            "swin-moe",
            {"images": 3},
            [{"images": 2}, {"images": 1}, {"images": 5}],
            full=True,
            published=[({}, {"images": 8})],
        ),
        Case(
            "dynamic-routing",
            {"images": 3},
            [{"images": 1}, {"images": 4}, {"images": 2}],
            full=True,
            published=[({}, {"images": 1})],
        ),
    )
}
