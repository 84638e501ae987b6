# ===- dynamic_routing.py - A grid with gates ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DynamicRouting: segmentation by a grid of nodes, layers by scales. A node has a gate for
each of its outputs: to the finer scale, to its own, to the coarser one. A gate of zero
closes an output, and a node without an open output is not run. The cell is an image.

Li et al.: Learning Dynamic Routing for Semantic Segmentation (2020).
"""

import dataclasses

import torch
from torch import nn
from torch.nn import functional

import dyn
from dyn.models.images import random_images
from dyn.models.replaying import Routed, keep_variance


@dataclasses.dataclass(frozen=True)
class Config:
    height: int = 1024
    width: int = 2048
    channels: int = 64  # of the finest scale, a quarter of the image in height and width
    layers: int = 16
    scales: int = 4
    classes: int = 19


SMALL = Config(height=64, width=128, channels=8, layers=2, scales=3, classes=5)

UP, KEEP, DOWN = -1, 0, 1


def convolution(inputs, outputs, size=3, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    )


def separable(channels):
    return nn.Sequential(
        nn.ReLU(),
        convolution(channels, channels, groups=channels),
        convolution(channels, channels, 1),
    )


class Gate(nn.Module):
    """Weights of the outputs for each image, [images, outputs], in [0, 1)."""

    def __init__(self, channels, ways):
        super().__init__()
        self.layer = nn.Conv2d(channels, channels // 4, 3, padding=1)
        self.scores = nn.Linear(channels // 4, ways)
        # Without training, most outputs are open and some are not.
        nn.init.normal_(self.scores.weight)
        nn.init.normal_(self.scores.bias, mean=1.0)

    def forward(self, x):
        small = functional.adaptive_avg_pool2d(x, 4)
        scores = self.scores(torch.relu(self.layer(small)).mean((2, 3)))
        return torch.tanh(scores).clamp(min=0)


def way_out(channels, to):
    if to == UP:
        return nn.Sequential(
            convolution(channels, channels // 2, 1),
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
        )
    return nn.Identity() if to == KEEP else convolution(channels, 2 * channels, stride=2)


def open_only(weights):
    """The choice of a router with one path: path 0 if the weight is not zero, else none."""
    return torch.where(weights > 0, 0, -1)


def some_open(weights):
    return open_only(weights.amax(1))


def with_weight(weights):
    return open_only(weights), weights


class Node(nn.Module):
    """A node of the grid, whose result is {output: features}."""

    def __init__(self, channels, ways):
        super().__init__()
        self.ways = ways
        self.gate = Gate(channels, len(ways))
        self.body = nn.Sequential(separable(channels), separable(channels))
        self.out = nn.ModuleList(way_out(channels, to) for to in ways)
        self.runs = dyn.Router(some_open, paths=1)
        self.doors = nn.ModuleList(dyn.Router(with_weight, paths=1) for _ in ways)

    def forward(self, x):
        weights = self.gate(x)
        x = x + dyn.switch(self.runs(weights), x, [self.body])
        results = {}
        for number, (way, door, out) in enumerate(zip(self.ways, self.doors, self.out)):
            results[way] = dyn.switch(door(weights[:, number]), x, [out])
        return results


class Head(nn.Module):
    """Class scores of the pixels at the finest scale, from all scales."""

    def __init__(self, c):
        super().__init__()
        widths = [c.channels * 2**scale for scale in range(c.scales)]
        self.ups = nn.ModuleList(way_out(width, UP) for width in widths[1:])
        self.scores = nn.Conv2d(c.channels, c.classes, 1)

    def forward(self, features):
        x = features[-1]
        for finer, up in zip(features[-2::-1], reversed(self.ups)):
            x = finer + up(x)
        return self.scores(x)


class DynamicRouting(Routed):
    """Scores [images, classes, height / 4, width / 4] for images [images, 3, height,
    width]."""

    def __init__(self, config=Config()):
        super().__init__()
        self.config = c = config
        self.stem = nn.Sequential(
            convolution(3, c.channels, stride=2),
            nn.ReLU(),
            convolution(c.channels, c.channels, stride=2),
        )
        self.first = Node(c.channels, (KEEP, DOWN))
        self.grid = nn.ModuleList()
        for layer in range(c.layers):
            last, scales = layer + 1 == c.layers, min(layer + 2, c.scales)
            ways = [(KEEP,) if last else self.ways_from(scale) for scale in range(scales)]
            nodes = (Node(c.channels * 2**scale, ways[scale]) for scale in range(scales))
            self.grid.append(nn.ModuleList(nodes))
        self.head = Head(c)
        keep_variance(self)

    def ways_from(self, scale):
        ways = (UP, KEEP, DOWN)
        return ways[0 if scale else 1 : 2 if scale + 1 == self.config.scales else 3]

    def forward(self, images):
        results = [self.first(self.stem(images))]
        for nodes in self.grid:
            features = []
            for scale in range(len(nodes)):
                # The results of the previous layer that lead to this scale.
                sources = enumerate(results)
                parts = [found[scale - at] for at, found in sources if scale - at in found]
                features.append(sum(parts[1:], parts[0]))
            results = [node(x) for node, x in zip(nodes, features)]
        return self.head([found[KEEP] for found in results])

    def routers(self, images):
        nodes = [self.first, *(node for nodes in self.grid for node in nodes)]
        return [((images.shape[0],), 1) for node in nodes for _ in range(1 + len(node.ways))]

    def inputs(self, generator, images=1):
        return (random_images(generator, images, self.config.height, self.config.width),)
