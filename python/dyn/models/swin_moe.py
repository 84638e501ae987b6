# ===- swin_moe.py - Windows of an image with experts ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SwinV2-MoE: a hierarchical vision transformer with attention in windows, in which some
layers are mixtures of experts. An expert takes a limited share of the tokens, those with
the highest scores in the whole batch; the others skip the layer.

Liu et al.: Swin Transformer V2 (2022); Hwang et al.: Tutel (2023) for the mixture.
"""

import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional

import dyn
from dyn.models.images import random_images
from dyn.models.replaying import Routed


@dataclasses.dataclass(frozen=True)
class Config:
    side: int = 192
    patch: int = 4
    width: int = 96
    depths: tuple = (2, 2, 18, 2)
    heads: tuple = (3, 6, 12, 24)
    window: int = 12
    experts: int = 16
    # (stage, block) of the mixtures.
    sparse: tuple = (*((2, block) for block in range(1, 18, 2)), (3, 1))
    # Tokens of an expert's capacity, relative to an even distribution.
    capacity: float = 1.25
    classes: int = 1000


SMALL = Config(side=32, width=16, depths=(2, 2), heads=(2, 4), window=4, experts=4,
               sparse=((0, 1), (1, 1)), classes=10)  # fmt: skip


class Attention(nn.Module):
    """Attention within windows [n, tokens, width] by cosine similarity of queries and keys,
    with a bias that a small network computes from the distance of two tokens."""

    def __init__(self, width, heads, window):
        super().__init__()
        self.heads = heads
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.sharpness = nn.Parameter(torch.full((heads, 1, 1), math.log(10)))
        self.bias = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, heads, bias=False))
        at = torch.arange(window)
        positions = torch.stack(torch.meshgrid(at, at, indexing="ij"), -1).reshape(-1, 2)
        apart = (positions[:, None] - positions[None, :]) * 8 / max(1, window - 1)
        distances = apart.sign() * torch.log2(apart.abs() + 1) / 3
        self.register_buffer("distances", distances, persistent=False)

    def forward(self, x, mask=None):
        parts = self.parts(x).unflatten(-1, (3, self.heads, -1))
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        query, key = functional.normalize(query, dim=-1), functional.normalize(key, dim=-1)
        query = query * self.sharpness.clamp(max=math.log(100)).exp()
        bias = 16 * torch.sigmoid(self.bias(self.distances).permute(2, 0, 1))
        if mask is not None:
            # Windows of an image have different masks, which repeat for each image.
            bias = bias + mask[:, None]
            bias = bias.repeat(x.shape[0] // mask.shape[0], 1, 1, 1)
        mixed = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=bias, scale=1.0
        )
        return self.out(mixed.transpose(1, 2).flatten(2))


def windows_of(x, size):
    """[batch * windows, size * size, width] of [batch, side, side, width]."""
    x = x.unflatten(1, (-1, size)).unflatten(3, (-1, size))
    return x.transpose(2, 3).flatten(0, 2).flatten(1, 2)


def image_of(windows, size, count):
    """The inverse, for `count` windows in each direction."""
    x = windows.unflatten(0, (-1, count, count)).unflatten(3, (size, size))
    return x.transpose(2, 3).flatten(3, 4).flatten(1, 2)


def seams(side, window, shift):
    """The mask that separates tokens that are in one window only because the image is
    rolled: [windows, tokens, tokens], -100 between them."""
    at = torch.arange(side)
    zone = (at >= side - window).long() + (at >= side - shift)
    zones = 3 * zone[:, None] + zone[None, :]
    ids = windows_of(zones[None, :, :, None], window).squeeze(-1)
    return -100.0 * (ids[:, :, None] != ids[:, None, :])


class FeedForward(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class Experts(nn.Module):
    def __init__(self, c, width):
        super().__init__()
        self.scores = nn.Linear(width, c.experts, bias=False)
        self.experts = nn.ModuleList(FeedForward(width) for _ in range(c.experts))
        self.router = dyn.routers.TopK(
            self.scores, paths=c.experts, capacity=c.capacity, priority=True
        )

    def forward(self, x):
        tokens = dyn.annotate(x, dims=(0, 1, 2))
        return dyn.switch(self.router(tokens), tokens, self.experts).join()


class Block(nn.Module):
    def __init__(self, c, stage, number, side):
        super().__init__()
        width = c.width * 2**stage
        self.window = min(c.window, side)
        self.count = side // self.window
        self.shift = self.window // 2 if number % 2 and self.count > 1 else 0
        mask = seams(side, self.window, self.shift) if self.shift else None
        self.register_buffer("mask", mask, persistent=False)
        self.attention = Attention(width, c.heads[stage], self.window)
        sparse = (stage, number) in c.sparse
        self.feed_forward = Experts(c, width) if sparse else FeedForward(width)
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)

    def attend(self, x):
        shift = self.shift
        rolled = torch.roll(x, (-shift, -shift), (1, 2)) if shift else x
        windows = self.attention(windows_of(rolled, self.window), self.mask)
        image = image_of(windows, self.window, self.count)
        return torch.roll(image, (shift, shift), (1, 2)) if shift else image

    def forward(self, x):
        # Version 2 normalises the result of a branch, not its input.
        x = x + self.attention_norm(self.attend(x))
        return x + self.feed_forward_norm(self.feed_forward(x))


class Merge(nn.Module):
    """Merges four adjacent tokens to one of twice the width."""

    def __init__(self, width):
        super().__init__()
        self.reduce = nn.Linear(4 * width, 2 * width, bias=False)
        self.norm = nn.LayerNorm(2 * width)

    def forward(self, x):
        x = x.unflatten(1, (-1, 2)).unflatten(3, (-1, 2)).transpose(2, 3)
        return self.norm(self.reduce(x.flatten(3)))


class SwinMoE(Routed):
    """Scores [images, classes] for [images, 3, side, side]."""

    def __init__(self, config=Config()):
        super().__init__()
        self.config = config
        self.embed = nn.Conv2d(3, config.width, config.patch, config.patch)
        self.norm = nn.LayerNorm(config.width)
        self.blocks = nn.Sequential()
        side = config.side // config.patch
        for stage, depth in enumerate(config.depths):
            if stage:
                self.blocks.append(Merge(config.width * 2 ** (stage - 1)))
                side //= 2
            for number in range(depth):
                self.blocks.append(Block(config, stage, number, side))
        width = config.width * 2 ** (len(config.depths) - 1)
        self.last_norm, self.head = nn.LayerNorm(width), nn.Linear(width, config.classes)

    def forward(self, images):
        x = self.norm(self.embed(images).permute(0, 2, 3, 1))
        x = self.last_norm(self.blocks(x))
        return self.head(x.mean((1, 2)))

    def routers(self, images):
        c, batch = self.config, images.shape[0]
        sides = [c.side // c.patch // 2**stage for stage, _ in c.sparse]
        return [((batch, side, side), c.experts) for side in sides]

    def inputs(self, generator, images=8):
        side = self.config.side
        return (random_images(generator, images, side, side),)
