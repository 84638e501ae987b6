# ===- activations.py - Activation functions -------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activation functions."""

import math

import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.ops.elementwise import clamp
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.widening import widened


@op("aten.relu.default")
def relu(b, self):
    return b.binary("maximum", self, 0)


@op("aten.gelu.default")
def gelu(b, self, approximate="none"):
    return b.unary("gelu tanh" if approximate == "tanh" else "gelu erf", self)


@op("aten.silu.default")
def silu(b, self):
    return b.binary("mul", self, b.unary("logistic", self))


@op("aten.mish.default")
@widened
def mish(b, self):
    return b.binary("mul", self, b.unary("tanh", softplus(b, self)))


@op("aten.softplus.default")
@widened
def softplus(b, self, beta=1, threshold=20):
    """log(1 + exp(beta x)) / beta; linear, x, where beta x is above the threshold. max(x,
    0) + log(1 + exp(-|x|)) does not overflow."""
    scaled = self if beta == 1 else b.binary("mul", self, beta)
    rest = b.unary("log1p", b.unary("exp", b.unary("neg", b.unary("abs", scaled))))
    smooth = b.binary("add", b.binary("maximum", scaled, 0), rest)
    smooth = smooth if beta == 1 else b.binary("div", smooth, beta)
    return b.select(b.compare("gt", scaled, threshold), self, smooth)


@op("aten.hardtanh.default")
def hardtanh(b, self, min_val=-1, max_val=1):
    return clamp(b, self, min_val, max_val)


@op("aten.relu6.default")
def relu6(b, self):
    return hardtanh(b, self, 0, 6)


@op("aten.hardsigmoid.default")
def hardsigmoid(b, self):
    return b.binary("div", hardtanh(b, b.binary("add", self, 3), 0, 6), 6)


@op("aten.hardswish.default")
def hardswish(b, self):
    return b.binary("mul", self, hardsigmoid(b, self))


@op("aten.leaky_relu.default")
@widened
def leaky_relu(b, self, negative_slope=0.01):
    return b.select(b.compare("gt", self, 0), self, b.binary("mul", self, negative_slope))


@op("aten.rrelu_with_noise_functional.default")
def rrelu(b, self, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    """The slope is the middle of the range from which training draws it."""
    if training:
        raise Refused("expected a model in evaluation mode: call the model's eval()")
    return leaky_relu(b, self, (lower + upper) / 2), None


@op("aten.elu.default")
@widened
def elu(b, self, alpha=1, scale=1, input_scale=1):
    below = b.unary("expm1", b.binary("mul", self, input_scale))
    below = b.binary("mul", below, alpha * scale)
    above = self if scale == 1 else b.binary("mul", self, scale)
    return b.select(b.compare("gt", self, 0), above, below)


@op("aten.log_sigmoid.default")
def log_sigmoid(b, self):
    """min(x, 0) - log(1 + exp(-|x|)), which does not overflow."""
    rest = b.unary("log1p", b.unary("exp", b.unary("neg", b.unary("abs", self))))
    return b.binary("sub", b.binary("minimum", self, 0), rest)


@op("aten.prelu.default")
def prelu(b, self, weight):
    """One slope, or one for each channel (axis 1)."""
    if self.rank != 1:
        sizes = [*weight.sizes, *[1] * (self.rank - 2)] if self.rank else []
        weight = b.reshape(weight, sizes)
    return b.select(b.compare("gt", self, 0), self, b.binary("mul", self, weight))


@op("aten.glu.default")
def glu(b, self, dim=-1):
    axis = b.axis(dim, self.rank)
    half = b.out.sizes[axis]
    gate = b.unary("logistic", b.slice(self, axis, half, half))
    return b.binary("mul", b.slice(self, axis, 0, half), gate)


def _softmax(b, self, dim, dtype, log):
    """With a type, the input is converted first."""
    x = self if dtype is None else b.convert(self, dtype)
    if not types.is_float(x.dtype):
        x = b.convert(x, torch.float32)
    return b.softmax(x, dim, log)


@op("aten.softmax.int")
def softmax(b, self, dim, dtype=None):
    return _softmax(b, self, dim, dtype, False)


@op("aten.log_softmax.int")
def log_softmax(b, self, dim, dtype=None):
    return _softmax(b, self, dim, dtype, True)


@op("aten._softmax.default")
def core_softmax(b, self, dim, half_to_float):
    return _softmax(b, self, dim, b.out.dtype, False)


@op("aten._log_softmax.default")
def core_log_softmax(b, self, dim, half_to_float):
    return _softmax(b, self, dim, b.out.dtype, True)


@op("aten._safe_softmax.default")
def safe_softmax(b, self, dim, dtype=None):
    """A row of minus infinities gives zeros instead of NaN."""
    result = _softmax(b, self, dim, dtype, False)
    axis = b.axis(dim, self.rank)
    empty = b.reduce("and", b.compare("eq", self, -math.inf), [axis], True)
    return b.select(empty, 0, result)


@op("aten.dropout.default")
def dropout(b, input, p, train):
    """The identity, except in training."""
    if train and p:
        raise Refused("expected no dropout: call the model's eval()")
    return input


@op("aten.native_dropout.default")
def native_dropout(b, input, p, train):
    return dropout(b, input, p, train), None
