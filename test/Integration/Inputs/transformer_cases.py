# ===- transformer_cases.py - Architectures that PyTorch exports to ONNX ---===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers with small configurations and random weights, other than those
of torch/Inputs/model_cases.py."""

import torch
import transformers as T
from model_cases import (
    BATCH,
    IMAGE,
    PATCHES,
    SEQUENCES,
    SMALL,
    SOUND,
    TEXT,
    Case,
    fixed_image,
    ids,
    image,
    pair,
    sound,
    text,
)

CASES = {}


def _case(name, architecture, inputs, dynamic, **settings):
    model = getattr(T, architecture)

    def make(**others):
        torch.manual_seed(0)
        return model(model.config_class(**{**settings, **others})).eval()

    CASES[name] = Case(make, inputs, dynamic)


def _words(name, architecture, **settings):
    dynamic = {"input_ids": TEXT, "attention_mask": TEXT}
    _case(name, architecture, text, dynamic, **{**SMALL, **settings})


def _image(name, architecture, inputs=image, dynamic=IMAGE, **settings):
    _case(name, architecture, inputs, {"pixel_values": dynamic}, **settings)


# Encoders and decoders.
for _name, _model in {
    "marian": "MarianMTModel",
    "m2m100": "M2M100ForConditionalGeneration",
}.items():
    _case(_name, _model, pair, {"input_ids": TEXT, "decoder_input_ids": TEXT},
          max_position_embeddings=64, **SEQUENCES)  # fmt: skip
# Decoders.
_words("bloom", "BloomForCausalLM", n_layer=2, n_head=2, use_cache=False)
_words("gpt-neox", "GPTNeoXForCausalLM", use_cache=False)
_words("phi", "PhiForCausalLM", use_cache=False)
_words("cohere", "CohereForCausalLM", num_key_value_heads=1, use_cache=False)
# A mixture of experts: PyTorch exports no grouped GEMM to ONNX.
_words("granite-moe", "GraniteMoeForCausalLM", num_key_value_heads=2, num_local_experts=4,
       num_experts_per_tok=2, use_cache=False, experts_implementation="batched_mm")  # fmt: skip
# A state space model: PyTorch unrolls its loop for one length.
_case("mamba", "MambaForCausalLM", lambda b, s: {"input_ids": ids(b, 12)}, {"input_ids": BATCH},
      state_size=4, use_cache=False, **SMALL)  # fmt: skip
# Encoders.
_words("squeezebert", "SqueezeBertModel", embedding_size=32, q_groups=2, k_groups=2, v_groups=2,
       post_attention_groups=1, intermediate_groups=2, output_groups=2)  # fmt: skip
_case("fnet", "FNetModel", lambda b, s: {"input_ids": ids(b, s)}, {"input_ids": TEXT}, **SMALL)
# Images.
_image("dinov2", "Dinov2Model", **PATCHES)
_image("beit", "BeitModel", fixed_image, BATCH, **PATCHES)
_image("mobilenet", "MobileNetV2Model", depth_multiplier=0.25, min_depth=8, tf_padding=False)
_image("regnet", "RegNetModel", embedding_size=8, hidden_sizes=[8, 16, 16, 16],
         depths=[1, 1, 1, 1], groups_width=4)  # fmt: skip
_image("poolformer", "PoolFormerModel", hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])
# Sounds. Lengths follow from lengths: unrolled, each has up to 600 000 characters. The
# exports are for even numbers of frames.
_case("sew-d", "SEWDModel", lambda b, s: {"input_values": torch.randn(b, 420 + 40 * s)},
      {"input_values": TEXT}, **SMALL, **SOUND)  # fmt: skip
_case("hubert", "HubertModel", sound, {"input_values": TEXT}, **SMALL, **SOUND)
_case("spectrogram", "ASTModel", lambda b, s: {"input_values": torch.randn(b, 48, 16)},
      {"input_values": BATCH}, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
      intermediate_size=64, max_length=48, num_mel_bins=16, patch_size=8, frequency_stride=8,
      time_stride=8)  # fmt: skip
_case("speech-to-text", "Speech2TextForConditionalGeneration",
      lambda b, s: {"input_features": torch.randn(b, 20 + 4 * s, 8),
                    "decoder_input_ids": ids(b, s)},
      {"input_features": TEXT, "decoder_input_ids": TEXT}, input_feat_per_channel=8,
      conv_channels=16, max_source_positions=256, max_target_positions=64,
      **SEQUENCES)  # fmt: skip
_case("moonshine", "MoonshineForConditionalGeneration",
      lambda b, s: {"input_values": torch.randn(b, 1600 + 64 * s), "decoder_input_ids": ids(b, s)},
      {"input_values": TEXT, "decoder_input_ids": TEXT}, hidden_size=32, intermediate_size=64,
      vocab_size=100, encoder_num_hidden_layers=2, decoder_num_hidden_layers=2,
      encoder_num_attention_heads=2, decoder_num_attention_heads=2, use_cache=False)  # fmt: skip
