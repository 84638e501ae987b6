# ===- model_cases.py - Small transformers of many architectures -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers with small configurations and random weights."""

import dataclasses
import typing

import torch
import transformers as T

DYNAMIC = torch.export.Dim.DYNAMIC
#: The dynamic axes batch and sequence.
TEXT = {0: DYNAMIC, 1: DYNAMIC}
IMAGE = {0: DYNAMIC, 2: DYNAMIC, 3: DYNAMIC}
BATCH = {0: DYNAMIC}

#: Legal for every model: batch and sequence, or the corresponding sizes.
SHAPES = [
    (2, 6), (3, 11), (5, 7), (1, 9), (4, 1), (1, 1), (8, 32), (2, 16), (16, 16), (7, 2),
    (1, 31), (3, 3), (11, 5), (2, 29), (6, 13), (1, 2), (13, 1), (4, 24), (9, 8), (5, 19),
]  # fmt: skip

SMALL = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, vocab_size=100
)
_MIXTURE = dict(num_key_value_heads=2, num_experts_per_tok=2, use_cache=False)


@dataclasses.dataclass
class Case:
    """Makes a model, and its inputs at a shape."""

    make: typing.Callable
    inputs: typing.Callable
    dynamic: dict[str, typing.Any]
    #: Whether it runs only in the long tier.
    full: bool = True


CASES = {}


def ids(batch, length):
    # The ids up to 2 have a special meaning in some models.
    return torch.randint(3, 100, (batch, length))


def text(batch, length):
    """Rows of several lengths, padded at the end."""
    mask = torch.ones(batch, length, dtype=torch.int64)
    for row in range(batch):
        mask[row, max(1, length - row % 3) :] = 0
    return {"input_ids": ids(batch, length), "attention_mask": mask}


def pair(batch, length):
    return {"input_ids": ids(batch, length), "decoder_input_ids": ids(batch, length // 2 + 1)}


def image(batch, length):
    return {"pixel_values": torch.randn(batch, 3, 32 + length, 40 + length // 2)}


def fixed_image(batch, length):
    return {"pixel_values": torch.randn(batch, 3, 32, 32)}


def sound(batch, length):
    return {"input_values": torch.randn(batch, 400 + 20 * length)}


def _case(name, architecture, config, inputs, dynamic, full=True, **settings):
    def make(**others):
        torch.manual_seed(0)
        return getattr(T, architecture)(getattr(T, config)(**{**settings, **others})).eval()

    CASES[name] = Case(make, inputs, dynamic, full)


def _texts(name, architecture, config, full=True, **settings):
    dynamic = {"input_ids": TEXT, "attention_mask": TEXT}
    _case(name, architecture, config, text, dynamic, full, **{**SMALL, **settings})


_texts("bert", "BertModel", "BertConfig", full=False)
_texts("roberta", "RobertaModel", "RobertaConfig", max_position_embeddings=130)
_texts("distilbert", "DistilBertModel", "DistilBertConfig", dim=32, hidden_dim=64, n_heads=2,
       n_layers=2)  # fmt: skip
_texts("albert", "AlbertModel", "AlbertConfig", embedding_size=16)
_texts("electra", "ElectraModel", "ElectraConfig", embedding_size=16)
_texts("deberta", "DebertaV2Model", "DebertaV2Config", relative_attention=True,
       pos_att_type=["p2c", "c2p"])  # fmt: skip
_texts("mpnet", "MPNetModel", "MPNetConfig")
_texts("gpt2", "GPT2LMHeadModel", "GPT2Config", n_embd=32, n_layer=2, n_head=2, use_cache=False)
_texts("opt", "OPTForCausalLM", "OPTConfig", ffn_dim=64, word_embed_proj_dim=32, use_cache=False)
for _name, _extra in {
    "Llama": {}, "Qwen2": {}, "Mistral": {}, "Gemma": {"head_dim": 16}, "Gemma2": {"head_dim": 16},
    "Phi3": {"pad_token_id": 0},
}.items():  # fmt: skip
    _texts(_name.lower(), f"{_name}ForCausalLM", f"{_name}Config", full=_name != "Llama",
           num_key_value_heads=1 if _name != "Phi3" else 2, use_cache=False, **_extra)  # fmt: skip
_texts(
    "mixtral", "MixtralForCausalLM", "MixtralConfig", num_local_experts=4, full=False, **_MIXTURE
)
_texts("olmoe", "OlmoeForCausalLM", "OlmoeConfig", num_experts=4, **_MIXTURE)
_texts("qwen2moe", "Qwen2MoeForCausalLM", "Qwen2MoeConfig", num_experts=4, moe_intermediate_size=32,
       shared_expert_intermediate_size=64, **_MIXTURE)  # fmt: skip
_texts("granitemoe", "GraniteMoeForCausalLM", "GraniteMoeConfig", num_local_experts=4, **_MIXTURE)
_texts("qwen3moe", "Qwen3MoeForCausalLM", "Qwen3MoeConfig", num_experts=4, moe_intermediate_size=32,
       head_dim=16, **_MIXTURE)  # fmt: skip
# Latents that all heads share; experts in groups, and one shared by all tokens.
_texts("deepseek", "DeepseekV3ForCausalLM", "DeepseekV3Config", n_routed_experts=4, n_group=2,
       topk_group=1, moe_intermediate_size=16, first_k_dense_replace=1, q_lora_rank=16,
       kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=16,
       **_MIXTURE)  # fmt: skip
# Positions as complex numbers; chunks of the sequence; experts in every other layer.
_texts("llama4", "Llama4ForCausalLM", "Llama4TextConfig", intermediate_size_mlp=64, head_dim=16,
       num_local_experts=4, attention_chunk_size=8, num_key_value_heads=2, num_experts_per_tok=1,
       use_cache=False)  # fmt: skip
# A window of four tokens in every other layer, with sinks.
_texts("gptoss", "GptOssForCausalLM", "GptOssConfig", num_local_experts=4, head_dim=16,
       sliding_window=4, **_MIXTURE)  # fmt: skip
_case("fnet", "FNetModel", "FNetConfig", lambda b, s: {"input_ids": ids(b, s)},
      {"input_ids": TEXT}, **SMALL)  # fmt: skip
_case("t5", "T5ForConditionalGeneration", "T5Config", pair,
      {"input_ids": TEXT, "decoder_input_ids": TEXT}, full=False, d_model=32, d_kv=16, d_ff=64,
      num_layers=2, num_heads=2, vocab_size=100, use_cache=False)  # fmt: skip
SEQUENCES = dict(
    d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
    decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100,
    use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
)  # fmt: skip
_case("bart", "BartForConditionalGeneration", "BartConfig", pair,
      {"input_ids": TEXT, "decoder_input_ids": TEXT}, max_position_embeddings=64,
      **SEQUENCES)  # fmt: skip
_case("whisper", "WhisperForConditionalGeneration", "WhisperConfig",
      lambda b, s: {"input_features": torch.randn(b, 8, 100), "decoder_input_ids": ids(b, s)},
      {"input_features": BATCH, "decoder_input_ids": TEXT}, num_mel_bins=8,
      max_source_positions=50, max_target_positions=64, **SEQUENCES)  # fmt: skip
SOUND = dict(
    conv_dim=(8, 8, 8), conv_kernel=(10, 3, 2), conv_stride=(5, 2, 2), num_feat_extract_layers=3,
    num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2,
)  # fmt: skip
_case("wav2vec2", "Wav2Vec2Model", "Wav2Vec2Config", sound, {"input_values": TEXT}, **SMALL,
      **SOUND)  # fmt: skip
PATCHES = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=32,
    patch_size=8,
)  # fmt: skip
_case("vit", "ViTModel", "ViTConfig", fixed_image, {"pixel_values": BATCH}, full=False, **PATCHES)
_case("resnet", "ResNetModel", "ResNetConfig", image, {"pixel_values": IMAGE}, full=False,
      embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic")  # fmt: skip
_case("convnext", "ConvNextModel", "ConvNextConfig", image, {"pixel_values": IMAGE},
      hidden_sizes=[8, 16], depths=[1, 1], num_stages=2)  # fmt: skip
_case("segformer", "SegformerForSemanticSegmentation", "SegformerConfig", image,
      {"pixel_values": IMAGE}, num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1],
      hidden_sizes=[8, 16], patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2],
      mlp_ratios=[2, 2], decoder_hidden_size=16)  # fmt: skip
_case("clip", "CLIPModel", "CLIPConfig",
      lambda b, s: {**text(b, s), "pixel_values": torch.randn(b + 1, 3, 32, 32)},
      {"input_ids": TEXT, "attention_mask": TEXT, "pixel_values": BATCH}, projection_dim=16,
      text_config=dict(SMALL, max_position_embeddings=64, eos_token_id=99),
      vision_config=PATCHES)  # fmt: skip


class Decode(torch.nn.Module):
    """A step of a Llama with its cache as lists of tensors."""

    def __init__(self):
        super().__init__()
        config = T.LlamaConfig(num_key_value_heads=1, **SMALL)
        self.model = T.LlamaForCausalLM(config).eval()

    def forward(self, input_ids, keys, values):
        cache = T.DynamicCache(config=self.model.config)
        for layer, (key, value) in enumerate(zip(keys, values)):
            cache.update(key, value, layer)
        output = self.model(input_ids=input_ids, past_key_values=cache, use_cache=True)
        layers = output.past_key_values.layers
        return output.logits, [x.keys for x in layers], [x.values for x in layers]


def decode(batch, past):
    def states():
        return [torch.randn(batch, 1, past, 16) for _ in range(2)]

    return {"input_ids": ids(batch, 1), "keys": states(), "values": states()}


_PAST = [{0: DYNAMIC, 2: DYNAMIC}] * 2
CASES["llama-decode"] = Case(
    lambda: torch.manual_seed(0) and Decode(),
    decode,
    {"input_ids": BATCH, "keys": _PAST, "values": _PAST},
    full=False,
)
