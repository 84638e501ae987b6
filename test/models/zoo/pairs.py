# ===- pairs.py - Encoders with decoders of text ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers from one sequence to another: a source and the target so far."""

from models.zoo import draws
from models.zoo.stock import stock

SHAPES = (
    {"batch": 1, "source": 67, "target": 13},
    {"batch": 1, "source": 160, "target": 40},
    {"batch": 4, "source": 48, "target": 17},
)
BLOCKS = (
    {"batch": 1, "source": 64, "target": 13},
    {"batch": 1, "source": 192, "target": 40},
    {"batch": 4, "source": 64, "target": 17},
)
BART = dict(
    d_model=384, encoder_layers=2, decoder_layers=2, encoder_attention_heads=6,
    decoder_attention_heads=6, encoder_ffn_dim=1536, decoder_ffn_dim=1536, vocab_size=1000,
    pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
    max_position_embeddings=512,
)  # fmt: skip
T5 = dict(
    d_model=384, d_kv=64, d_ff=1536, num_layers=2, num_decoder_layers=2, num_heads=6,
    vocab_size=1000, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
)  # fmt: skip
PORTS = (
    draws.ids("input_ids", "batch", "source"),
    draws.padding("attention_mask", "batch", "source"),
    draws.ids("decoder_input_ids", "batch", "target"),
)


def pair(family, model, base=BART, shapes=SHAPES, **settings):
    """Registers a model with an encoder and a decoder."""
    config = model.replace("ForConditionalGeneration", "").removesuffix("MTModel") + "Config"
    settings = {k: v for k, v in {**base, **settings}.items() if v is not None}
    stock(family, family, model, config, PORTS, shapes, dict(use_cache=False), **settings)


pair("bart", "BartForConditionalGeneration")
pair("bigbird-pegasus", "BigBirdPegasusForConditionalGeneration", attention_type="original_full")
pair("blenderbot", "BlenderbotForConditionalGeneration")
pair("blenderbot-small", "BlenderbotSmallForConditionalGeneration")
pair("led", "LEDForConditionalGeneration", shapes=BLOCKS, attention_window=[32, 32],
     max_encoder_position_embeddings=512, max_decoder_position_embeddings=512,
     max_position_embeddings=None)  # fmt: skip
pair("m2m-100", "M2M100ForConditionalGeneration")
pair("marian", "MarianMTModel")
pair("mbart", "MBartForConditionalGeneration")
pair("mvp", "MvpForConditionalGeneration")
pair("nllb-moe", "NllbMoeForConditionalGeneration", num_experts=4, encoder_sparse_step=2,
     decoder_sparse_step=2)  # fmt: skip
pair("pegasus", "PegasusForConditionalGeneration")
pair("pegasus-x", "PegasusXForConditionalGeneration", shapes=BLOCKS, block_size=32,
     num_global_tokens=16)  # fmt: skip
pair("plbart", "PLBartForConditionalGeneration")
pair("prophetnet", "ProphetNetForConditionalGeneration", hidden_size=384, d_model=None,
     num_encoder_layers=2, num_decoder_layers=2, num_encoder_attention_heads=6,
     num_decoder_attention_heads=6, encoder_layers=None, decoder_layers=None,
     encoder_attention_heads=None, decoder_attention_heads=None)  # fmt: skip
pair("t5", "T5ForConditionalGeneration", T5)
pair("mt5", "MT5ForConditionalGeneration", T5)
pair("umt5", "UMT5ForConditionalGeneration", T5)
pair("longt5", "LongT5ForConditionalGeneration", T5, local_radius=31)
pair("switch-transformers", "SwitchTransformersForConditionalGeneration", T5, num_experts=4,
     num_sparse_encoder_layers=1, num_sparse_decoder_layers=1)  # fmt: skip
