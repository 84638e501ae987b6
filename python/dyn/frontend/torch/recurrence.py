# ===- recurrence.py - Recurrent networks in traces ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators `dyn::lstm`, `dyn::gru` and `dyn::rnn` for any number of steps.

PyTorch traces its own operators step by step, which fixes how many there are. So
:func:`whole` puts these in their place while a model is exported. Outside of traces
they are PyTorch's.
"""

import contextlib
from collections.abc import Sequence

import torch

#: By the name that torch.nn calls: the operator here, and its last arguments.
_REPLACED = {
    "lstm": ("lstm", ()),
    "gru": ("gru", ()),
    "rnn_tanh": ("rnn", (False,)),
    "rnn_relu": ("rnn", (True,)),
}


@contextlib.contextmanager
def whole():
    """Within a ``with`` block recurrent networks are traced as one operator each."""
    for name, (operator, last) in _REPLACED.items():
        setattr(torch._VF, name, _traced(name, operator, last))
    try:
        yield
    finally:
        for name in _REPLACED:
            delattr(torch._VF, name)


def _traced(name, operator, last):
    function = getattr(torch, name)

    def call(input, second, *others):
        # Packed sequences have their lengths, a tensor, before the states of an LSTM,
        # and one argument more than the others.
        is_packed = len(others) == 7 and isinstance(others[0], torch.Tensor)
        is_packed |= name == "lstm" and isinstance(second, torch.Tensor)
        if is_packed or not torch.compiler.is_compiling():
            return function(input, second, *others)
        states = list(second) if name == "lstm" else [second]
        traced = getattr(torch.ops.dyn, operator)
        return tuple(traced(input, states, *others, *last))

    return call


def _output(input, hx, bidirectional):
    """[T, B, D H], or the first two exchanged."""
    width = hx[0].shape[2] * (2 if bidirectional else 1)
    return input.new_empty(input.shape[0], input.shape[1], width)


@torch.library.custom_op("dyn::lstm", mutates_args=())
def _lstm(
    input: torch.Tensor,
    hx: Sequence[torch.Tensor],
    params: Sequence[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return torch.lstm(input, hx, params, *options)


@_lstm.register_fake
def _(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    y = _output(input, hx, bidirectional)
    return y, torch.empty_like(hx[0]), torch.empty_like(hx[1])


@torch.library.custom_op("dyn::gru", mutates_args=())
def _gru(
    input: torch.Tensor,
    hx: Sequence[torch.Tensor],
    params: Sequence[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return torch.gru(input, hx[0], params, *options)


@_gru.register_fake
def _(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return _output(input, hx, bidirectional), torch.empty_like(hx[0])


@torch.library.custom_op("dyn::rnn", mutates_args=())
def _rnn(
    input: torch.Tensor,
    hx: Sequence[torch.Tensor],
    params: Sequence[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    is_relu: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    function = torch.rnn_relu if is_relu else torch.rnn_tanh
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return function(input, hx[0], params, *options)


@_rnn.register_fake
def _(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first,
      is_relu):  # fmt: skip
    return _output(input, hx, bidirectional), torch.empty_like(hx[0])
