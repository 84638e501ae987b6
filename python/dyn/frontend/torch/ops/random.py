# ===- random.py - Random numbers ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of the distributions that PyTorch draws from. They come from the seed
of a call, not from PyTorch's generator, so that runs repeat with any number of threads."""

from dyn.frontend.torch.ops.reductions import topk
from dyn.frontend.torch.registry import Refused, op


def _draw(b, kind, sizes, dtype):
    return b.same(f"rng {kind} low = 0.0 high = 1.0 stream = {b.stream()}", sizes, dtype)


@op("aten.rand.default", "aten.rand_like.default")
def rand(b, like_or_size, **options):
    """Evenly from [0, 1)."""
    return _draw(b, "uniform", b.out.sizes, b.out.dtype)


@op("aten.randn.default", "aten.randn_like.default")
def randn(b, like_or_size, **options):
    """Normal, with mean 0 and deviation 1."""
    return _draw(b, "normal", b.out.sizes, b.out.dtype)


@op("aten.bernoulli.default")
def bernoulli(b, self, generator=None):
    """1 with the probability that an element says."""
    return b.convert(b.compare("lt", _draw(b, "uniform", self.sizes, self.dtype), self), self.dtype)


@op("aten.multinomial.default")
def multinomial(b, self, num_samples, replacement=False, generator=None):
    """A race: each element waits for the first event of a rate that is its probability. The
    first of all is a draw, the next one a draw of those that are left, and so on."""
    if replacement and num_samples != 1:
        raise Refused("expected samples without replacement, or a single one")
    uniform = _draw(b, "uniform", self.sizes, self.dtype)
    wait = b.unary("neg", b.unary("log1p", b.unary("neg", uniform)))
    possible = b.compare("gt", self, 0)
    wait = b.select(possible, b.binary("div", wait, self), float("inf"))
    return topk(b, wait, num_samples, largest=False)[1]
