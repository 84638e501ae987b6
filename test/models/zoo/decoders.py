# ===- decoders.py - Causal language models --------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal models of transformers at a prompt: dense, with experts, and recurrent ones."""

from models.zoo import draws
from models.zoo.stock import stock

SHAPES = (
    {"batch": 1, "sequence": 61},
    {"batch": 1, "sequence": 160},
    {"batch": 4, "sequence": 40},
)
SMALL = dict(
    hidden_size=384, num_hidden_layers=3, num_attention_heads=6, intermediate_size=1024,
    vocab_size=1000, pad_token_id=0, bos_token_id=1, eos_token_id=2,
)  # fmt: skip
IDS = draws.ids("input_ids", "batch", "sequence")
CALL = dict(use_cache=False)
KV = dict(num_key_value_heads=2)
EXPERTS = dict(num_experts_per_tok=2, **KV)


def causal(family, model, config=None, call=None, **settings):
    """Registers a causal model. A setting of None leaves the default."""
    config = config or model.removesuffix("ForCausalLM").removesuffix("LMHeadModel") + "Config"
    settings = {k: v for k, v in {**SMALL, **settings}.items() if v is not None}
    stock(family, family, model, config, (IDS,), SHAPES, CALL if call is None else call, **settings)


causal("gpt2", "GPT2LMHeadModel", n_embd=384, n_layer=3, n_head=6)
causal("gpt-bigcode", "GPTBigCodeForCausalLM", n_embd=384, n_layer=3, n_head=6)
causal("gpt-neo", "GPTNeoForCausalLM", num_layers=4, num_heads=6, window_size=32,
       attention_types=[[["global", "local"], 2]], num_hidden_layers=None)  # fmt: skip
causal("gpt-neox", "GPTNeoXForCausalLM")
causal("gpt-neox-japanese", "GPTNeoXJapaneseForCausalLM", intermediate_multiple_size=3)
causal("gptj", "GPTJForCausalLM", n_embd=384, n_layer=3, n_head=6, rotary_dim=32)
causal("codegen", "CodeGenForCausalLM", num_attention_heads=4, rotary_dim=32)
causal("openai-gpt", "OpenAIGPTLMHeadModel", call={}, n_embd=384, n_layer=3, n_head=6)
causal("opt", "OPTForCausalLM", ffn_dim=1536, word_embed_proj_dim=384)
causal("bloom", "BloomForCausalLM", n_layer=3, n_head=6)
causal("mpt", "MptForCausalLM", d_model=384, n_layers=3, n_heads=6)
causal("ctrl", "CTRLLMHeadModel", n_embd=384, n_layer=3, n_head=6, dff=1536)
causal("biogpt", "BioGptForCausalLM")
causal("xglm", "XGLMForCausalLM", d_model=384, num_layers=3, attention_heads=6, ffn_dim=1536)
causal("falcon", "FalconForCausalLM", new_decoder_architecture=False)
causal("llama", "LlamaForCausalLM", **KV)
causal("mistral", "MistralForCausalLM", sliding_window=32, **KV)
causal("ministral", "MinistralForCausalLM", head_dim=64, sliding_window=32, **KV)
causal("qwen2", "Qwen2ForCausalLM", **KV)
causal("qwen3", "Qwen3ForCausalLM", head_dim=64, **KV)
causal("gemma", "GemmaForCausalLM", head_dim=64, **KV)
causal("gemma2", "Gemma2ForCausalLM", head_dim=64, sliding_window=32, **KV)
causal("gemma3", "Gemma3ForCausalLM", "Gemma3TextConfig", head_dim=64, sliding_window=32, **KV)
causal("vaultgemma", "VaultGemmaForCausalLM", head_dim=64, sliding_window=32, **KV)
causal("phi", "PhiForCausalLM")
causal("phi3", "Phi3ForCausalLM", **KV)
causal("persimmon", "PersimmonForCausalLM")
causal("stablelm", "StableLmForCausalLM", **KV)
causal("starcoder2", "Starcoder2ForCausalLM", **KV)
causal("olmo", "OlmoForCausalLM", **KV)
causal("olmo2", "Olmo2ForCausalLM", **KV)
causal("olmo3", "Olmo3ForCausalLM", sliding_window=32, **KV)
causal("cohere", "CohereForCausalLM", **KV)
causal("cohere2", "Cohere2ForCausalLM", sliding_window=32, **KV)
causal("glm", "GlmForCausalLM", head_dim=64, **KV)
causal("glm4", "Glm4ForCausalLM", head_dim=64, **KV)
causal("granite", "GraniteForCausalLM", **KV)
causal("nemotron", "NemotronForCausalLM", **KV)
causal("helium", "HeliumForCausalLM", head_dim=64, **KV)
causal("arcee", "ArceeForCausalLM", **KV)
causal("apertus", "ApertusForCausalLM", **KV)
causal("bitnet", "BitNetForCausalLM", **KV)
causal("diffllama", "DiffLlamaForCausalLM", **KV)
causal("doge", "DogeForCausalLM", **KV)
causal("ernie4-5", "Ernie4_5ForCausalLM", head_dim=64, **KV)
causal("exaone4", "Exaone4ForCausalLM", sliding_window=32, **KV)
causal("hunyuan", "HunYuanDenseV1ForCausalLM", head_dim=64, **KV)
causal("lfm2", "Lfm2ForCausalLM", layer_types=["conv", "conv", "full_attention"], **KV)
causal("modernbert-decoder", "ModernBertDecoderForCausalLM", cls_token_id=1, sep_token_id=2,
       local_attention=32)  # fmt: skip
causal("nanochat", "NanoChatForCausalLM", **KV)
causal("seed-oss", "SeedOssForCausalLM", head_dim=64, **KV)
causal("smollm3", "SmolLM3ForCausalLM", **KV)
# Experts.
causal("mixtral", "MixtralForCausalLM", num_local_experts=4, intermediate_size=512, **EXPERTS)
causal("qwen2-moe", "Qwen2MoeForCausalLM", num_experts=4, moe_intermediate_size=256,
       shared_expert_intermediate_size=256, **EXPERTS)  # fmt: skip
causal("qwen3-moe", "Qwen3MoeForCausalLM", num_experts=4, moe_intermediate_size=256, head_dim=64,
       **EXPERTS)  # fmt: skip
causal("olmoe", "OlmoeForCausalLM", num_experts=4, intermediate_size=512, **EXPERTS)
causal("flex-olmo", "FlexOlmoForCausalLM", num_experts=4, intermediate_size=512, **EXPERTS)
causal("phimoe", "PhimoeForCausalLM", num_local_experts=4, intermediate_size=512, **EXPERTS)
causal("granitemoe", "GraniteMoeForCausalLM", num_local_experts=4, intermediate_size=512,
       **EXPERTS)  # fmt: skip
causal("granitemoeshared", "GraniteMoeSharedForCausalLM", num_local_experts=4,
       intermediate_size=512, shared_intermediate_size=512, **EXPERTS)  # fmt: skip
causal("jetmoe", "JetMoeForCausalLM", num_local_experts=4, kv_channels=64, intermediate_size=512,
       num_key_value_heads=3, num_attention_heads=None, num_experts_per_tok=2)  # fmt: skip
LATENT = dict(
    n_routed_experts=4, n_group=2, topk_group=1, moe_intermediate_size=256,
    first_k_dense_replace=1, q_lora_rank=128, kv_lora_rank=128, qk_rope_head_dim=32,
    qk_nope_head_dim=32, v_head_dim=64, num_experts_per_tok=2, num_key_value_heads=6,
)  # fmt: skip
causal("deepseek-v2", "DeepseekV2ForCausalLM", **LATENT)
causal("deepseek-v3", "DeepseekV3ForCausalLM", **LATENT)
causal("dots1", "Dots1ForCausalLM", n_routed_experts=4, n_group=1, topk_group=1,
       moe_intermediate_size=256, first_k_dense_replace=1, n_shared_experts=1,
       **EXPERTS)  # fmt: skip
causal("glm4-moe", "Glm4MoeForCausalLM", n_routed_experts=4, moe_intermediate_size=256,
       first_k_dense_replace=1, head_dim=64, **EXPERTS)  # fmt: skip
causal("ernie4-5-moe", "Ernie4_5_MoeForCausalLM", moe_num_experts=4, moe_k=2,
       moe_intermediate_size=256, moe_layer_start_index=1, moe_layer_end_index=2, **KV)  # fmt: skip
causal("gpt-oss", "GptOssForCausalLM", num_local_experts=4, head_dim=64, sliding_window=32,
       intermediate_size=512, **EXPERTS)  # fmt: skip
causal("llama4", "Llama4ForCausalLM", "Llama4TextConfig", intermediate_size_mlp=1024, head_dim=64,
       num_local_experts=4, attention_chunk_size=32, num_key_value_heads=2, num_experts_per_tok=1,
       intermediate_size=512)  # fmt: skip
causal("minimax", "MiniMaxForCausalLM", num_local_experts=4, intermediate_size=512, block_size=32,
       head_dim=64, **EXPERTS)  # fmt: skip
# States instead of attention.
causal("mamba", "MambaForCausalLM", num_attention_heads=None)
causal("mamba2", "Mamba2ForCausalLM", num_heads=12, head_dim=64, n_groups=1, chunk_size=32,
       state_size=64, num_attention_heads=None)  # fmt: skip
causal("falcon-mamba", "FalconMambaForCausalLM", num_attention_heads=None)
causal("rwkv", "RwkvForCausalLM", attention_hidden_size=384, num_attention_heads=None)
causal("recurrent-gemma", "RecurrentGemmaForCausalLM", attention_window_size=32, lru_width=384,
       num_key_value_heads=1)  # fmt: skip
causal("bamba", "BambaForCausalLM", mamba_n_heads=12, mamba_d_state=64, mamba_chunk_size=32,
       attn_layer_indices=[1], **KV)  # fmt: skip
causal("jamba", "JambaForCausalLM", num_experts=4, attn_layer_offset=1, attn_layer_period=2,
       expert_layer_period=2, expert_layer_offset=1, use_mamba_kernels=False,
       **EXPERTS)  # fmt: skip
causal("falcon-h1", "FalconH1ForCausalLM", mamba_d_ssm=384, mamba_n_heads=6, mamba_d_head=64,
       mamba_d_state=64, mamba_chunk_size=32, **KV)  # fmt: skip
causal("qwen3-next", "Qwen3NextForCausalLM", num_experts=4, moe_intermediate_size=256,
       shared_expert_intermediate_size=256, head_dim=64, linear_num_value_heads=4,
       linear_num_key_heads=2, linear_key_head_dim=64, linear_value_head_dim=64,
       layer_types=["linear_attention", "full_attention", "linear_attention"],
       **EXPERTS)  # fmt: skip
