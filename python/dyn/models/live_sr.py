# ===- live_sr.py - Super-resolution with a network for each kind of patch -===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LiveSR: a frame is cut into patches, a classifier sends each to one of several networks
of the same structure, each trained for patches of a kind, and these upscale it four times
in height and width.

Structure and loads are those of the evaluation of Brainstorm (OSDI 2023).
"""

import dataclasses

import torch
from torch import nn

import dyn
from dyn.models.images import random_images
from dyn.models.replaying import Routed


@dataclasses.dataclass(frozen=True)
class Config:
    paths: int = 10
    channels: int = 8
    blocks: int = 80
    patch: int = 32
    classifier: int = 32  # channels of the classifier


SMALL = Config(paths=4, channels=4, blocks=2, patch=8, classifier=8)
# The published configurations, as (paths, channels).
PUBLISHED = ((10, 8), (10, 12), (10, 16), (10, 20), (8, 8), (6, 8), (4, 8))


def convolution(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1)


class Residual(nn.Module):
    def __init__(self, channels, depth):
        super().__init__()
        self.first, self.second = (convolution(channels, channels) for _ in range(2))
        # Keeps the variance of a sum of many blocks that of one.
        with torch.no_grad():
            self.second.weight /= depth**0.5

    def forward(self, x):
        return x + self.second(torch.relu(self.first(x)))


def upsampler(channels):
    return nn.Sequential(convolution(channels, 4 * channels), nn.PixelShuffle(2))


def enhancer(c):
    """The network of a path: [patches, 3, h, w] to [patches, 3, 4 h, 4 w]."""
    return nn.Sequential(
        convolution(3, c.channels),
        *(Residual(c.channels, c.blocks) for _ in range(c.blocks)),
        upsampler(c.channels),
        upsampler(c.channels),
        convolution(c.channels, 3),
    )


class Classifier(nn.Module):
    """Scores of the paths for each patch."""

    def __init__(self, c):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, c.classifier, 4, stride=4),
            nn.LeakyReLU(0.1),
            nn.Conv2d(c.classifier, c.classifier, 1),
            nn.LeakyReLU(0.1),
        )
        self.scores = nn.Linear(c.classifier, c.paths)
        # Without training, all patches would have the same scores but for these weights.
        nn.init.normal_(self.layers[0].weight)
        nn.init.zeros_(self.layers[0].bias)

    def forward(self, patches):
        return self.scores(self.layers(patches).mean((2, 3)))


class LiveSR(Routed):
    """Patches [patches, 3, 128, 128] for [patches, 3, 32, 32]."""

    def __init__(self, config=Config()):
        super().__init__()
        self.config = config
        self.classifier = Classifier(config)
        self.router = dyn.routers.TopK(self.classifier, config.paths, weights=None)
        self.enhancers = nn.ModuleList(enhancer(config) for _ in range(config.paths))

    def forward(self, patches):
        return dyn.switch(self.router(patches), patches, self.enhancers)

    def routers(self, patches):
        return [((patches.shape[0],), self.config.paths)]

    def inputs(self, generator, patches=88):
        side = self.config.patch
        return (random_images(generator, patches, side, side),)
