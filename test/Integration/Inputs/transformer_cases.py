# ===- transformer_cases.py - Architectures that PyTorch exports to ONNX ----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers with small configurations and random weights, other than those
of torch/Inputs/model_cases.py."""

import dataclasses
import typing

import torch
import transformers as T

DYNAMIC = torch.export.Dim.DYNAMIC
TEXT = {0: DYNAMIC, 1: DYNAMIC}

_SMALL = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, vocab_size=100
)
_PAIR = dict(
    d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
    decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100,
    use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
    max_position_embeddings=64,
)  # fmt: skip


@dataclasses.dataclass
class Case:
    """How to make a model, its inputs at a shape, and which of their axes change."""

    make: typing.Callable
    inputs: typing.Callable
    dynamic: typing.Dict[str, typing.Dict[int, typing.Any]]


CASES = {}


def ids(batch, length):
    # The ids above 2 mean nothing to any model.
    return torch.randint(3, 100, (batch, length))


def _text(batch, length):
    """Rows of several lengths, padded at the end."""
    mask = torch.ones(batch, length, dtype=torch.int64)
    for row in range(batch):
        mask[row, max(1, length - row % 3) :] = 0
    return {"input_ids": ids(batch, length), "attention_mask": mask}


def _pair(batch, length):
    return {"input_ids": ids(batch, length), "decoder_input_ids": ids(batch, length // 2 + 1)}


def _case(name, architecture, inputs, dynamic, **settings):
    model = getattr(T, architecture)

    def make():
        torch.manual_seed(0)
        return model(model.config_class(**settings)).eval()

    CASES[name] = Case(make, inputs, dynamic)


def _words(name, architecture, **settings):
    dynamic = {"input_ids": TEXT, "attention_mask": TEXT}
    _case(name, architecture, _text, dynamic, **{**_SMALL, **settings})


# Encoders and decoders.
for _name, _model in {
    "marian": "MarianMTModel",
    "m2m100": "M2M100ForConditionalGeneration",
}.items():
    _case(_name, _model, _pair, {"input_ids": TEXT, "decoder_input_ids": TEXT}, **_PAIR)
# Decoders.
_words("bloom", "BloomForCausalLM", n_layer=2, n_head=2, use_cache=False)
_words("gpt-neox", "GPTNeoXForCausalLM", use_cache=False)
