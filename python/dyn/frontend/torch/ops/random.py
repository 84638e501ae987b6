# ===- random.py - Random numbers ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of the distributions that PyTorch draws from. They are derived from the
seed of a call, not from PyTorch's generator, so that runs repeat with any number of
threads."""

import torch

from dyn.frontend.torch.ops.reductions import argsort, topk
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import to_expr


def _draw(b, kind, sizes, dtype):
    return b.same(f"rng {kind} low = 0.0 high = 1.0 stream = {b.stream()}", sizes, dtype)


@op("aten.rand.default", "aten.rand_like.default")
def rand(b, like_or_size, **options):
    """Uniform in [0, 1)."""
    return _draw(b, "uniform", b.out.sizes, b.out.dtype)


@op("aten.randn.default", "aten.randn_like.default")
def randn(b, like_or_size, **options):
    """Normal, with mean 0 and deviation 1."""
    return _draw(b, "normal", b.out.sizes, b.out.dtype)


@op("aten.randint.low")
def randint_low(b, low, high, size, **options):
    """Uniform integers in [low, high), exact for up to 2^53 different values."""
    numbers = b.scalar(to_expr(high - low), torch.float64)
    drawn = b.binary("mul", _draw(b, "uniform", b.out.sizes, torch.float64), numbers)
    drawn = b.convert(b.unary("floor", drawn), torch.int64)
    return b.promote(b.binary("add", drawn, b.scalar(to_expr(low), torch.int64)))


@op("aten.randint.default")
def randint(b, high, size, **options):
    return randint_low(b, 0, high, size)


@op("aten.randint_like.low_dtype")
def randint_like_low(b, self, low, high, **options):
    return randint_low(b, low, high, self.sizes)


@op("aten.randint_like.default")
def randint_like(b, self, high, **options):
    return randint_low(b, 0, high, self.sizes)


@op("aten.randperm.default")
def randperm(b, n, **options):
    """The order of as many random numbers."""
    return b.convert(argsort(b, _draw(b, "uniform", b.out.sizes, torch.float64)), b.out.dtype)


@op("aten.bernoulli.default")
def bernoulli(b, self, generator=None):
    """1 with the probability that is the element."""
    return b.convert(b.compare("lt", _draw(b, "uniform", self.sizes, self.dtype), self), self.dtype)


def _waits(b, sizes, dtype):
    """The waiting time for the first event of a process with rate 1."""
    uniform = _draw(b, "uniform", sizes, dtype)
    return b.unary("neg", b.unary("log1p", b.unary("neg", uniform)))


@op("aten.exponential.default")
def exponential(b, self, lambd=1.0, generator=None):
    """Never 0, as in PyTorch: models take the logarithm."""
    wait = b.binary("maximum", _waits(b, self.sizes, self.dtype), torch.finfo(self.dtype).eps / 2)
    return b.binary("div", wait, float(lambd))


@op("aten.multinomial.default")
def multinomial(b, self, num_samples, replacement=False, generator=None):
    """A race: each element waits for the first event of a process whose rate is its
    probability. The first of all is a draw, the next one a draw from the remaining
    elements, and so on."""
    if replacement and num_samples != 1:
        raise Refused("expected samples without replacement, or a single one")
    wait = _waits(b, self.sizes, self.dtype)
    possible = b.compare("gt", self, 0)
    wait = b.select(possible, b.binary("div", wait, self), float("inf"))
    return topk(b, wait, num_samples, largest=False)[1]
