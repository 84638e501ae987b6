# ===- test_fast_path.py - Layers of PyTorch in evaluation mode ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without gradients, `nn.TransformerEncoderLayer` and `nn.MultiheadAttention` call one
operator for a layer, which torch.compile passes to backends as it is."""

import pytest

torch = pytest.importorskip("torch")
from torch import nn

from dyn.frontend.torch import statistics

WIDTH, HEADS = 16, 2
BATCH, LENGTH = 3, 7


@pytest.fixture
def check(compare):
    """Compares calls of a model that is compiled once. Returns the number of attention
    kernels."""

    def check(model, *calls):
        before = statistics().compilations
        compare(model, *calls, equal_nan=True)
        assert statistics().compilations == before + 1
        return sum(
            kernel["kind"] == "attention"
            for artifact in statistics().artifacts
            for kernel in artifact.stats["kernels"]
        )

    return check


def draw(batch=BATCH, length=LENGTH):
    return torch.randn(batch, length, WIDTH)


def padding(batch=BATCH, length=LENGTH, least=1):
    """Hides the last keys of each sequence but the first one; the last one has `least`."""
    lengths = torch.linspace(length, least, batch).long()
    return torch.arange(length) >= lengths[:, None]


def make_layer(**settings):
    return nn.TransformerEncoderLayer(WIDTH, HEADS, 24, batch_first=True, **settings).eval()


@pytest.mark.parametrize("norm_first,activation", [(False, "relu"), (True, "gelu")])
def test_layer(norm_first, activation, check):
    layer = make_layer(norm_first=norm_first, activation=activation)
    assert check(layer, (draw(),), (draw(5, 11),)) == 1


def call_with_padding(layer, x, hidden):
    return layer(x, src_key_padding_mask=hidden)


def call_with_mask(layer, x, hidden):
    return layer(x, src_mask=hidden)


def call_with_both(layer, x, hidden, keys):
    return layer(x, src_mask=hidden, src_key_padding_mask=keys)


class Calls(nn.Module):
    def __init__(self, function, module):
        super().__init__()
        self.function, self.module = function, module

    def forward(self, *inputs):
        return self.function(self.module, *inputs)


def test_masks(check):
    """A sequence without keys has NaNs."""
    layer, hidden = make_layer(), torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    check(
        Calls(call_with_padding, layer), (draw(), padding(least=0)), (draw(5, 11), padding(5, 11))
    )
    check(Calls(call_with_mask, layer), (draw(), hidden))
    check(Calls(call_with_both, layer), (draw(), hidden, padding()))


def attend(attention, x, need_weights, average, padding=None):
    return attention(
        x, x, x, need_weights=need_weights, average_attn_weights=average, key_padding_mask=padding
    )


@pytest.mark.parametrize("need_weights,average", [(False, True), (True, True), (True, False)])
def test_attention(need_weights, average, check):
    attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()

    def function(module, x, hidden=None):
        return attend(module, x, need_weights, average, hidden)

    check(Calls(function, attention), (draw(),), (draw(2, 9),))
    check(Calls(function, attention), (draw(), padding()))


def test_attention_of_others(check):
    """Projections of three tensors."""
    operator = torch.ops.aten._native_multi_head_attention
    weights = [torch.randn(3 * WIDTH, WIDTH) / WIDTH, torch.randn(3 * WIDTH)]
    weights += [torch.randn(WIDTH, WIDTH) / WIDTH, torch.randn(WIDTH)]

    def function(query, key, value):
        return operator(query, key, value, WIDTH, HEADS, *weights)

    check(function, (draw(), draw(), draw()))
