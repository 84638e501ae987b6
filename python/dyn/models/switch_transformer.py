# ===- switch_transformer.py - An encoder and decoder with experts ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Switch Transformer: a T5 in which every second feed-forward layer is a mixture of
experts. Each token goes to the one expert with the highest score.

Fedus, Zoph, Shazeer: Switch Transformers (2021). Sizes are those of `base`.
"""

import dataclasses
import math
from typing import Union

import torch
from torch import nn
from torch.nn import functional

import dyn
from dyn.models.replaying import Routed


@dataclasses.dataclass(frozen=True)
class Config:
    vocabulary: int = 32128
    width: int = 768
    hidden: int = 3072
    heads: int = 12
    layers: int = 12  # of the encoder, and as many of the decoder
    experts: int = 8
    # Tokens of an expert's capacity in a call, as for dyn.Router.
    capacity: Union[int, float, None] = None
    buckets: int = 32
    longest_distance: int = 128


SMALL = Config(vocabulary=101, width=32, hidden=64, heads=2, layers=2, experts=4, buckets=8,
               longest_distance=16)  # fmt: skip


def linear(inputs, outputs, scale=1.0):
    """A linear layer without a bias; its results have the variance of its inputs, times the
    square of the scale."""
    layer = nn.Linear(inputs, outputs, bias=False)
    nn.init.normal_(layer.weight, std=scale * inputs**-0.5)
    return layer


class FeedForward(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.wide = linear(c.width, c.hidden)
        self.narrow = linear(c.hidden, c.width)

    def forward(self, x):
        return self.narrow(functional.relu(self.wide(x)))


class Experts(nn.Module):
    """One feed-forward layer per expert; a token's result is that of its expert, times the
    probability that the router gives it."""

    def __init__(self, c):
        super().__init__()
        self.scores = linear(c.width, c.experts)
        self.experts = nn.ModuleList(FeedForward(c) for _ in range(c.experts))
        self.router = dyn.routers.TopK(self.scores, paths=c.experts, capacity=c.capacity)

    def forward(self, x):
        tokens = dyn.annotate(x, dims=(0, 1))
        return dyn.switch(self.router(tokens), tokens, self.experts).join()


class Distances(nn.Module):
    """A bias of attention by the distance of two tokens. Each short distance has its own
    bucket, longer ones share buckets that grow logarithmically."""

    def __init__(self, c, both_ways):
        super().__init__()
        count = c.buckets // 2 if both_ways else c.buckets
        exact, longest = count // 2, c.longest_distance
        buckets = list(range(exact))
        for distance in range(exact, longest + 1):
            share = math.log(distance / exact) / math.log(longest / exact)
            buckets.append(min(count - 1, exact + int(share * (count - exact))))
        self.both_ways, self.count, self.longest = both_ways, count, longest
        self.register_buffer("buckets", torch.tensor(buckets), persistent=False)
        self.biases = nn.Embedding(c.buckets, c.heads)

    def forward(self, queries, keys):
        ahead = torch.arange(keys)[None, :] - torch.arange(queries)[:, None]
        back = ahead.abs() if self.both_ways else (-ahead).clamp(min=0)
        bucket = self.buckets[back.clamp(max=self.longest)]
        if self.both_ways:
            bucket = bucket + self.count * (ahead > 0)
        bias = self.biases(bucket).permute(2, 0, 1)[None]
        return bias if self.both_ways else bias.masked_fill(ahead > 0, -math.inf)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c.heads
        # Scores are not divided by the root of a head's width: it is in the weights.
        self.query = linear(c.width, c.width, (c.width // c.heads) ** -0.5)
        self.key, self.value, self.out = (linear(c.width, c.width) for _ in range(3))

    def forward(self, x, memory, bias=None):
        def heads(rows):
            return rows.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        parts = heads(self.query(x)), heads(self.key(memory)), heads(self.value(memory))
        mixed = functional.scaled_dot_product_attention(*parts, attn_mask=bias, scale=1.0)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, c, sparse, decodes):
        super().__init__()
        self.attention, self.attention_norm = Attention(c), nn.RMSNorm(c.width, 1e-6)
        if decodes:
            self.cross, self.cross_norm = Attention(c), nn.RMSNorm(c.width, 1e-6)
        self.feed_forward = Experts(c) if sparse else FeedForward(c)
        self.feed_forward_norm = nn.RMSNorm(c.width, 1e-6)

    def forward(self, x, bias, memory=None):
        rows = self.attention_norm(x)
        x = x + self.attention(rows, rows, bias)
        if memory is not None:
            x = x + self.cross(self.cross_norm(x), memory)
        return x + self.feed_forward(self.feed_forward_norm(x))


class Stack(nn.Module):
    """The encoder or the decoder."""

    def __init__(self, c, decodes):
        super().__init__()
        self.distances = Distances(c, both_ways=not decodes)
        self.layers = nn.ModuleList(Layer(c, n % 2 == 1, decodes) for n in range(c.layers))
        self.norm = nn.RMSNorm(c.width, 1e-6)

    def forward(self, x, memory=None):
        bias = self.distances(x.shape[1], x.shape[1])
        for layer in self.layers:
            x = layer(x, bias, memory)
        return self.norm(x)


class SwitchTransformer(Routed):
    """Logits of the decoder's tokens, for ids [batch, tokens] of both sides."""

    def __init__(self, config=Config()):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.encoder = Stack(config, decodes=False)
        self.decoder = Stack(config, decodes=True)

    def forward(self, ids, decoder_ids):
        memory = self.encoder(self.embed(ids))
        x = self.decoder(self.embed(decoder_ids), memory)
        # The embedding table is the last linear layer, too, scaled like its rows.
        return functional.linear(x * self.config.width**-0.5, self.embed.weight)

    def routers(self, ids, decoder_ids):
        sparse, paths = self.config.layers // 2, self.config.experts
        sides = [tuple(ids.shape)] * sparse + [tuple(decoder_ids.shape)] * sparse
        return [(side, paths) for side in sides]

    def inputs(self, generator, batch=8, tokens=128, decoder_tokens=128):
        shapes = (batch, tokens), (batch, decoder_tokens)
        most = self.config.vocabulary
        return tuple(torch.randint(most, shape, generator=generator) for shape in shapes)
