# ===- routes.py - Routes as they are in production ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws choices for routers: int64 tensors, -1 for no path, from a seed.

Users have skewed routes. In production the hottest expert of a layer gets a median of 24
and at most 39 times the mean (coefficient of variation 2.9), layers differ, tokens of a
sequence are similar, and the choices of a layer correlate with those of the next. `Traffic`
draws such routes; `uniform`, which benchmarks mostly use, does not occur in practice. The loads
at the end are those published for the models here.
"""

import dataclasses
import functools

import torch


def generator_of(seed):
    """A generator for a seed; a generator is returned unchanged."""
    if isinstance(seed, torch.Generator):
        return seed
    return torch.Generator().manual_seed(seed)


def _pick(logits, k, generator):
    """`k` different paths for each row of logits [N, P], by their probabilities: the
    largest of the logits plus Gumbel noise. [N, k]."""
    noise = torch.rand(logits.shape, generator=generator).clamp(min=1e-12)
    return (logits - torch.log(-torch.log(noise))).topk(k, -1).indices


def _layout(ids, layout):
    """Choices [N, k] in a layout, without the axis of k if it is 1."""
    k = ids.shape[1]
    return ids.reshape(*layout) if k == 1 else ids.reshape(*layout, k)


def _count(layout):
    return int(torch.Size(layout).numel())


# ===----------------------------------------------------------------------===#
# One router, no structure
# ===----------------------------------------------------------------------===#


def uniform(layout, paths, seed=0, k=1):
    """All paths equally likely. Choices of the layout, and [..., k] for k above 1."""
    logits = torch.zeros(_count(layout), paths)
    return _layout(_pick(logits, k, generator_of(seed)), layout)


def skewed(layout, paths, seed=0, k=1, hottest=None):
    """One path, drawn, gets `hottest` times the mean load, the others share the rest
    evenly. By default 24 from 32 paths on, as measured in production, and 5 below, but
    never more than half of all cells."""
    generator = generator_of(seed)
    hottest = hottest or (24.0 if paths >= 32 else 5.0)
    share = min(hottest / paths, 0.5 if paths > 1 else 1.0)
    loads = torch.full((paths,), (1 - share) / max(1, paths - 1))
    loads[torch.randint(paths, (), generator=generator)] = share
    logits = loads.clamp(min=1e-30).log().expand(_count(layout), -1)
    return _layout(_pick(logits, k, generator), layout)


def one_path(layout, paths, seed=0, path=None):
    """All cells on one path, drawn unless it is given."""
    path = torch.randint(paths, (), generator=generator_of(seed)) if path is None else path
    return torch.full(tuple(layout), int(path), dtype=torch.int64)


def some_empty(layout, paths, seed=0, share=0.5):
    """A share of the paths, at least one, gets nothing, the others are equally likely. With
    one path, no cell gets it."""
    generator = generator_of(seed)
    empty = max(1, round(paths * share))
    if empty == paths:
        return torch.full(tuple(layout), -1, dtype=torch.int64)
    logits = torch.zeros(paths)
    logits[torch.randperm(paths, generator=generator)[:empty]] = -torch.inf
    return _layout(_pick(logits.expand(_count(layout), -1), 1, generator), layout)


#: The cases that tests of a routed model run, by name.
CASES = {"uniform": uniform, "skewed": skewed, "one path": one_path, "empty paths": some_empty}


def for_routers(case, routers, seed=0):
    """Choices for [(layout, paths)], as `Routed.routers` returns them, each drawn
    separately by a function of CASES."""
    generator = generator_of(seed)
    draw = CASES[case] if isinstance(case, str) else case
    return [draw(layout, paths, generator) for layout, paths in routers]


# ===----------------------------------------------------------------------===#
# Layers of a transformer
# ===----------------------------------------------------------------------===#


@dataclasses.dataclass(frozen=True)
class Traffic:
    """Routes of the layers of a mixture of experts, as a service observes them.

    - Popularity: in each layer the load of paths falls as rank to the power of
      minus `exponent` (0.8 to 1.4 are realistic), in an order of the layer's own.
    - Topics: each sequence has one of `topics`, which multiplies the popularity of
      each path by a random factor exp(`tilt` z), with z from the normal distribution.
    - Blocks: the paths of each layer are divided into `blocks` groups of equal size.
      A token stays in its group from layer to layer with probability `stay`; else it
      goes to any path, by popularity.
    - Drift: after a time of 1, popularity has moved on by `drift` ranks: hot paths
      become less popular, the next ones more.

    Shares of the groups follow the popularity of the paths in the first layer.
    """

    paths: int
    layers: int
    k: int = 1
    exponent: float = 1.0
    topics: int = 16
    tilt: float = 0.5
    blocks: int = 4
    stay: float = 0.8
    drift: float = 0.0
    seed: int = 0

    def __post_init__(self):
        if self.paths % self.blocks or self.k > self.paths // self.blocks:
            raise ValueError(
                f"expected {self.blocks} equal blocks of at least {self.k} of {self.paths} paths"
            )

    @functools.cached_property
    def _fixed(self):
        """The state that does not change from call to call: the order of paths by
        popularity and the block of each path, [layers, paths], and log factors of topics,
        [topics, layers, paths]."""
        generator = generator_of(self.seed)

        def orders():
            draw = [torch.randperm(self.paths, generator=generator) for _ in range(self.layers)]
            return torch.stack(draw)

        blocks = orders() % self.blocks
        sizes = self.topics, self.layers, self.paths
        return orders(), blocks, self.tilt * torch.randn(sizes, generator=generator)

    def popularity(self, layer, time=0.0):
        """The share of each path in a layer, [paths], before topics and blocks."""
        ranks = 1.0 + torch.arange(self.paths)
        shares = ranks**-self.exponent
        moved = self.drift * time
        whole = int(moved // 1)
        # Between two integral ranks, the interpolation of both.
        near, far = torch.roll(shares, whole), torch.roll(shares, whole + 1)
        shares = near + (moved - whole) * (far - near)
        result = torch.empty(self.paths)
        result[self._fixed[0][layer]] = shares / shares.sum()
        return result

    def draw(self, batch, tokens, seed=0, time=0.0):
        """Choices of each layer for `batch` sequences: a list of [batch, tokens], or
        [batch, tokens, k] for k above 1."""
        generator = generator_of(seed)
        _, blocks, factors = self._fixed
        topic = torch.randint(self.topics, (batch,), generator=generator)
        topic = topic.repeat_interleave(tokens)
        block, results = None, []
        for layer in range(self.layers):
            logits = self.popularity(layer, time).clamp(min=1e-30).log() + factors[topic, layer]
            if block is not None:
                stays = torch.rand(len(topic), generator=generator) < self.stay
                outside = blocks[layer][None, :] != block[:, None]
                logits = logits.masked_fill(outside & stays[:, None], -torch.inf)
            ids = _pick(logits, self.k, generator)
            block = blocks[layer][ids[:, 0]]
            results.append(_layout(ids, (batch, tokens)))
        return results

    def block_of(self, layer):
        """The block of each path of a layer, [paths]."""
        return self._fixed[1][layer]


def loads(choices, paths):
    """The number of rows of each path, [paths]."""
    return torch.bincount(choices.flatten()[choices.flatten() >= 0], minlength=paths)


def hottest_over_mean(choices, paths):
    counts = loads(choices, paths).double()
    return float(counts.max() / counts.mean())


def transitions(before, after, paths):
    """The number of cells that went from each path to each in two layers, [paths, paths],
    for choices of one path per cell."""
    pairs = before.flatten() * paths + after.flatten()
    return torch.bincount(pairs, minlength=paths**2).reshape(paths, paths)


# ===----------------------------------------------------------------------===#
# Published loads
# ===----------------------------------------------------------------------===#

#: LiveSR: patches of each path, by the number of paths: the maxima and the minima that were
#: measured over frames.
LIVE_SR_MOST = {
    10: (6, 7, 12, 27, 8, 8, 8, 12, 12, 4),
    8: (21, 8, 16, 11, 20, 8, 7, 15),
    6: (9, 32, 18, 16, 18, 7),
    4: (19, 25, 18, 36),
}
LIVE_SR_LEAST = {10: (1, 3, 3, 4, 5, 3, 2, 6, 3, 1), 4: (6, 3, 3, 7)}

#: MSDNet: shares of the images that leave after each of five blocks.
MSDNET_EXITS = (
    (0, 0, 0, 0, 1),
    (0, 0, 0, 0.4, 0.6),
    (0, 0, 0.3, 0.3, 0.4),
    (0.1, 0.1, 0.2, 0.3, 0.3),
    (0.5, 0.2, 0.2, 0.1, 0),
    (0.5, 0.3, 0.2, 0, 0),
    (0.5, 0.5, 0, 0, 0),
    (1, 0, 0, 0, 0),
)

#: DynamicRouting: in how many of 500 images each of some gates was open.
DYNAMIC_ROUTING_OPEN = (277, 286, 491, 497, 65, 66, 479, 478, 84, 182, 56, 462, 487, 3, 484)


def of_loads(counts, seed=0):
    """Choices [sum of counts] in random order in which path p has counts[p] cells."""
    ids = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    return ids[torch.randperm(len(ids), generator=generator_of(seed))]


def exits(shares, images, seed=0):
    """The block at which each image leaves, [images], in random order. Numbers of images
    approximate the shares as closely as possible: 5 calls of one image and one call of 5
    have the same work."""
    edges = torch.tensor(shares, dtype=torch.float64).cumsum(0)
    at = (torch.arange(images, dtype=torch.float64) + 0.5) / images
    ids = torch.searchsorted(edges, at).clamp(max=len(shares) - 1)
    return ids[torch.randperm(images, generator=generator_of(seed))]


def doors(count, images, seed=0, model=0):
    """Choices of `count` gates, each [images], 0 for open and -1. Each gate of a model is
    open as often as one of DYNAMIC_ROUTING_OPEN, drawn by `model`: most are nearly always
    open or nearly always closed."""
    often = torch.tensor(DYNAMIC_ROUTING_OPEN) / 500
    drawn = torch.randint(len(often), (count,), generator=generator_of(model))
    random = torch.rand(count, images, generator=generator_of(seed))
    return list(torch.where(random < often[drawn, None], 0, -1))
