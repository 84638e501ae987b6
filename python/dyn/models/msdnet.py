# ===- msdnet.py - Images that leave a network early -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MSDNet: a network of blocks on several scales at once, with a classifier after each
block. An image leaves at the first classifier that is confident.

Huang et al.: Multi-Scale Dense Networks for Resource Efficient Image Classification (2018).
Sizes are those for ImageNet with five blocks.
"""

import dataclasses
import functools

import torch
from torch import nn

import dyn
from dyn.models.images import random_images
from dyn.models.replaying import Routed, keep_variance


@dataclasses.dataclass(frozen=True)
class Config:
    side: int = 224
    classes: int = 1000
    channels: int = 32
    growth: int = 16
    blocks: int = 5
    steps: int = 4  # layers of a block
    factors: tuple = (1, 2, 4, 4)  # of channels and growth, for each scale
    # Probability of the most probable class from which on a classifier is confident.
    confidence: float = 0.5


SMALL = Config(side=32, classes=10, channels=8, growth=4, blocks=3, steps=2, factors=(1, 2),
               confidence=0.5)  # fmt: skip


def convolution(inputs, outputs, size=3, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


def bottleneck(inputs, outputs, width, stride=1):
    """A 1 x 1 convolution reduces the channels before the convolution, if there are
    many."""
    width = min(inputs, width * outputs)
    return nn.Sequential(convolution(inputs, width, 1), convolution(width, outputs, stride=stride))


class Stem(nn.Module):
    """The features of an image on each scale, each of half the size of the one before."""

    def __init__(self, c):
        super().__init__()
        widths = [c.channels * factor for factor in c.factors]
        first = nn.Sequential(convolution(3, widths[0], 7, 2), nn.MaxPool2d(3, 2, 1))
        rest = [convolution(a, b, stride=2) for a, b in zip(widths, widths[1:])]
        self.scales = nn.ModuleList([first, *rest])

    def forward(self, image):
        features = [image]
        for scale in self.scales:
            features.append(scale(features[-1]))
        return features[1:]


class Layer(nn.Module):
    """Adds channels to each scale, from itself and from the finer one. `drop` of the finest
    scales end here."""

    def __init__(self, widths, growths, factors, drop):
        super().__init__()
        self.drop = drop
        self.keep, self.down = nn.ModuleList(), nn.ModuleList()
        for scale, (width, growth, factor) in enumerate(zip(widths, growths, factors)):
            if scale < drop:
                continue
            both = growth if scale == 0 else growth // 2
            self.keep.append(bottleneck(width, both, factor))
            if scale > 0:
                self.down.append(bottleneck(widths[scale - 1], both, factors[scale - 1], 2))

    def forward(self, features):
        results = []
        # Only the network's finest scale has no finer one.
        below = len(features) - len(self.down)
        for scale, keep in enumerate(self.keep, self.drop):
            parts = [features[scale], keep(features[scale])]
            if scale >= below:
                parts.append(self.down[scale - below](features[scale - 1]))
            results.append(torch.cat(parts, 1))
        return results


class Block(nn.Module):
    """Layers. After the one at which the finest scale ends, the channels of each scale are
    halved. `widths` are the channels of the features before, and in the end after, the
    block."""

    def __init__(self, c, number, widths):
        super().__init__()
        self.layers = nn.ModuleList()
        period = -(-c.blocks * c.steps // len(c.factors))  # layers until a scale ends
        for layer in range(number * c.steps, (number + 1) * c.steps):
            drop = int(layer > 0 and layer % period == 0)
            factors = c.factors[len(c.factors) - len(widths) :]
            growths = [c.growth * factor for factor in factors]
            self.layers.append(Layer(widths, growths, factors, drop))
            # The finest scale has no finer one to be computed from.
            widths = [width + growth for width, growth in zip(widths, growths)][drop:]
            if drop:
                halves = [width // 2 for width in widths]
                self.layers.append(Squeeze(widths, halves))
                widths = halves
        self.widths = widths

    def forward(self, features):
        for layer in self.layers:
            features = layer(features)
        return features


class Squeeze(nn.Module):
    """Changes the number of channels of each scale by 1 x 1 convolutions."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.scales = nn.ModuleList(convolution(a, b, 1) for a, b in zip(inputs, outputs))

    def forward(self, features):
        return [scale(x) for scale, x in zip(self.scales, features)]


class Classifier(nn.Module):
    def __init__(self, c, width):
        super().__init__()
        self.layers = nn.Sequential(
            convolution(width, width, stride=2), convolution(width, width, stride=2)
        )
        self.scores = nn.Linear(width, c.classes)
        # Without training, no classifier would be confident but for these weights.
        nn.init.normal_(self.scores.weight, std=6 * width**-0.5)

    def forward(self, features):
        return self.scores(self.layers(features[-1]).mean((2, 3)))


class MSDNet(Routed):
    """Scores [images, classes] and the block at which each image left [images], for images
    [images, 3, side, side]. With `exits`, int64 [images], these are the blocks at which
    images leave, whatever the confidence."""

    def __init__(self, config=Config()):
        super().__init__()
        self.config = config
        self.stem = Stem(config)
        self.blocks, self.classifiers = nn.ModuleList(), nn.ModuleList()
        widths = [config.channels * factor for factor in config.factors]
        for number in range(config.blocks):
            self.blocks.append(Block(config, number, widths))
            widths = self.blocks[-1].widths
            self.classifiers.append(Classifier(config, widths[-1]))
        keep_variance(self)
        # Path 0: the image leaves. Path 1: the rest of the network.
        self.exits = nn.ModuleList(
            dyn.Router(functools.partial(self.goes_on, number), paths=2, label=f"exits.{number}")
            for number in range(config.blocks - 1)
        )

    def goes_on(self, number, scores, exits=None):
        if exits is not None:
            return (exits > number).long()
        sure = torch.softmax(scores, -1).amax(-1) >= self.config.confidence
        return torch.where(sure, 0, 1)

    def forward(self, images, exits=None):
        return self.run_from(0, self.stem(images), () if exits is None else (exits,))

    def run_from(self, number, features, exits):
        """The blocks from a number on, each except the first on a path of the one
        before."""
        features = self.blocks[number](features)
        scores = self.classifiers[number](features)
        here = scores.new_full(scores.shape[:1], number, dtype=torch.int64)
        if number + 1 == self.config.blocks:
            return scores, here

        def leave(scores, here, *rest):
            return scores, here

        def go_on(scores, here, *rest):
            count = len(features)
            return self.run_from(number + 1, rest[:count], rest[count:])

        routes = self.exits[number](scores, *exits)
        cells = (scores, here, *features, *exits)
        return dyn.switch(routes, cells, [leave, go_on], combine="last")

    def routers(self, images):
        return [((images.shape[0],), self.config.blocks)]

    def replayed(self, inputs, choices):
        return self(*inputs, exits=choices[0])

    def recorded(self, inputs):
        result = self(*inputs)
        return result, [result[1]]

    def inputs(self, generator, images=1):
        side = self.config.side
        return (random_images(generator, images, side, side),)
