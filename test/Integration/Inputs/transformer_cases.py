# ===- transformer_cases.py - Architectures that PyTorch exports to ONNX ----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers with small configurations and random weights, other than those
of torch/Inputs/model_cases.py."""

import torch
import transformers as T
from model_cases import SMALL, TEXT, Case, pair, text

_PAIR = dict(
    d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
    decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100,
    use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
    max_position_embeddings=64,
)  # fmt: skip

CASES = {}


def _case(name, architecture, inputs, dynamic, **settings):
    model = getattr(T, architecture)

    def make():
        torch.manual_seed(0)
        return model(model.config_class(**settings)).eval()

    CASES[name] = Case(make, inputs, dynamic)


def _words(name, architecture, **settings):
    dynamic = {"input_ids": TEXT, "attention_mask": TEXT}
    _case(name, architecture, text, dynamic, **{**SMALL, **settings})


# Encoders and decoders.
for _name, _model in {
    "marian": "MarianMTModel",
    "m2m100": "M2M100ForConditionalGeneration",
}.items():
    _case(_name, _model, pair, {"input_ids": TEXT, "decoder_input_ids": TEXT}, **_PAIR)
# Decoders.
_words("bloom", "BloomForCausalLM", n_layer=2, n_head=2, use_cache=False)
_words("gpt-neox", "GPTNeoXForCausalLM", use_cache=False)
