# ===- recurrence.py - Recurrent networks in traces ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operator `dyn::recurrence`: a recurrent network with any number of steps.

PyTorch traces its own operators step by step, which fixes the number of steps. So
:func:`whole` replaces them by this one while a model is exported. Outside of traces they
are PyTorch's.
"""

import contextlib
from collections.abc import Sequence

import torch

#: The functions that torch.nn calls.
_KINDS = ("lstm", "gru", "rnn_tanh", "rnn_relu")


@contextlib.contextmanager
def whole():
    """Within a ``with`` block recurrent networks are traced as one operator each."""
    for kind in _KINDS:
        setattr(torch._VF, kind, _traced(kind))
    try:
        yield
    finally:
        for kind in _KINDS:
            delattr(torch._VF, kind)


def _traced(kind):
    function = getattr(torch, kind)

    def call(input, second, *others):
        # The batch sizes of a packed sequence, a tensor, precede the states. So a tensor is the
        # second argument of an LSTM, and the states are the third of others, before the
        # parameters.
        is_packed = isinstance(second if kind == "lstm" else others[0], torch.Tensor)
        if is_packed or not torch.compiler.is_compiling():
            return function(input, second, *others)
        states = list(second) if kind == "lstm" else [second]
        return tuple(torch.ops.dyn.recurrence(kind, input, states, *others))

    return call


@torch.library.custom_op("dyn::recurrence", mutates_args=())
def _recurrence(
    kind: str,
    input: torch.Tensor,
    hx: Sequence[torch.Tensor],
    params: Sequence[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> list[torch.Tensor]:
    """The hidden states of all steps, and the last states."""
    states = hx if kind == "lstm" else hx[0]
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return list(getattr(torch, kind)(input, states, params, *options))


@_recurrence.register_fake
def _(kind, input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
      batch_first):  # fmt: skip
    width = hx[0].shape[2] * (2 if bidirectional else 1)
    states = input.new_empty(input.shape[0], input.shape[1], width)
    return [states, *map(torch.empty_like, hx)]
