# ===- text.py - Encoders of text ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoders of transformers: all take ids, and most a mask of rows of several lengths."""

from models.zoo import draws
from models.zoo.stock import stock

SHAPES = (
    {"batch": 1, "sequence": 67},
    {"batch": 1, "sequence": 192},
    {"batch": 4, "sequence": 48},
)
#: Attention in blocks: lengths are multiples of a block.
BLOCKS = ({"batch": 1, "sequence": 64}, {"batch": 1, "sequence": 192}, {"batch": 4, "sequence": 64})
SMALL = dict(
    hidden_size=384, num_hidden_layers=3, num_attention_heads=6, intermediate_size=1536,
    vocab_size=1000,
)  # fmt: skip
IDS = draws.ids("input_ids", "batch", "sequence")
MASK = draws.padding("attention_mask", "batch", "sequence")
BOXES = draws.boxes("bbox", "batch", "sequence", 4)


def encoder(family, model, config=None, ports=(IDS, MASK), shapes=SHAPES, name=None, **settings):
    """Registers an encoder. A setting of None leaves the default of its configuration."""
    config = config or model.removesuffix("Model") + "Config"
    settings = {k: v for k, v in {**SMALL, **settings}.items() if v is not None}
    stock(name or family, family, model, config, ports, shapes, **settings)


encoder("bert", "BertModel")
encoder("albert", "AlbertModel", embedding_size=128)
encoder("bert-generation", "BertGenerationEncoder", "BertGenerationConfig")
encoder("big-bird", "BigBirdModel", attention_type="original_full")
encoder("camembert", "CamembertModel", max_position_embeddings=514)
encoder("canine", "CanineModel", shapes=BLOCKS, num_hash_buckets=1000)
encoder("convbert", "ConvBertModel", embedding_size=384)
encoder("data2vec-text", "Data2VecTextModel", max_position_embeddings=514)
encoder("deberta", "DebertaModel", relative_attention=True, pos_att_type=["p2c", "c2p"])
encoder("deberta-v2", "DebertaV2Model", relative_attention=True, pos_att_type=["p2c", "c2p"])
encoder("distilbert", "DistilBertModel", dim=384, hidden_dim=1536, n_heads=6, n_layers=3)
encoder("electra", "ElectraModel", embedding_size=128)
encoder("ernie", "ErnieModel", use_task_id=False)
encoder("esm", "EsmModel", pad_token_id=1, position_embedding_type="rotary", mask_token_id=2)
encoder("eurobert", "EuroBertModel", num_key_value_heads=6, pad_token_id=0, bos_token_id=1,
        eos_token_id=2)  # fmt: skip
encoder("flaubert", "FlaubertModel", emb_dim=384, n_layers=3, n_heads=6, n_words=1000)
encoder("fnet", "FNetModel", ports=(IDS,))
encoder("funnel", "FunnelModel", d_model=384, n_head=6, d_head=64, d_inner=1536,
        block_sizes=[1, 1, 1], hidden_size=None, num_attention_heads=None,
        num_hidden_layers=None)  # fmt: skip
encoder("ibert", "IBertModel", max_position_embeddings=514)
encoder("jina-v3", "JinaEmbeddingsV3Model", "JinaEmbeddingsV3Config")
encoder("layoutlm", "LayoutLMModel",
        ports=(IDS, BOXES, MASK))  # fmt: skip
encoder("lilt", "LiltModel", ports=(IDS, BOXES, MASK),
        max_position_embeddings=514)  # fmt: skip
encoder("longformer", "LongformerModel", shapes=BLOCKS, attention_window=[32] * 3,
        max_position_embeddings=514)  # fmt: skip
encoder("luke", "LukeModel", entity_vocab_size=100, max_position_embeddings=514)
encoder("markuplm", "MarkupLMModel", max_position_embeddings=514)
encoder("megatron-bert", "MegatronBertModel")
encoder("mobilebert", "MobileBertModel", hidden_size=512, embedding_size=128,
        num_attention_heads=4, intermediate_size=512, num_hidden_layers=6)  # fmt: skip
encoder("modernbert", "ModernBertModel", pad_token_id=0, cls_token_id=1, sep_token_id=2,
        bos_token_id=1, eos_token_id=2, intermediate_size=768, local_attention=32)  # fmt: skip
encoder("mpnet", "MPNetModel", max_position_embeddings=514)
encoder("mra", "MraModel", shapes=BLOCKS)
encoder("nomic-bert", "NomicBertModel")
# As many landmarks as tokens, as in its defaults: masks fit no other number.
encoder("nystromformer", "NystromformerModel",
        ports=(draws.ids("input_ids", "batch", 128), draws.padding("attention_mask", "batch", 128)),
        shapes=({"batch": 1}, {"batch": 2}, {"batch": 4}), num_landmarks=128,
        segment_means_seq_len=128)  # fmt: skip
encoder("rembert", "RemBertModel", input_embedding_size=128, output_embedding_size=128)
encoder("roberta", "RobertaModel", max_position_embeddings=514)
encoder("roberta-prelayernorm", "RobertaPreLayerNormModel", max_position_embeddings=514)
encoder("roc-bert", "RoCBertModel", enable_shape=False, enable_pronunciation=False)
encoder("roformer", "RoFormerModel", embedding_size=384)
encoder("splinter", "SplinterModel")
encoder("squeezebert", "SqueezeBertModel", embedding_size=384, q_groups=4, k_groups=4, v_groups=4,
        post_attention_groups=1, intermediate_groups=4, output_groups=4)  # fmt: skip
encoder("tapas", "TapasModel",
        ports=(IDS, MASK, draws.ids("token_type_ids", "batch", "sequence", 7, low=0, high=2)),
        type_vocab_sizes=[3, 256, 256, 2, 256, 256, 10])  # fmt: skip
encoder("xlm", "XLMModel", emb_dim=384, n_layers=3, n_heads=6, n_words=1000)
encoder("xlm-roberta", "XLMRobertaModel", max_position_embeddings=514)
encoder("xlm-roberta-xl", "XLMRobertaXLModel", max_position_embeddings=514)
encoder("xlnet", "XLNetModel", d_model=384, n_layer=3, n_head=6, d_inner=1536, Keep=slice(1))
encoder("xmod", "XmodModel", languages=["en"], default_language="en",
        max_position_embeddings=514)  # fmt: skip
encoder("yoso", "YosoModel", use_expectation=True)
encoder("perceiver", "PerceiverModel", ports=(draws.floats("inputs", "batch", "sequence", 384),),
        d_model=384, num_latents=64, d_latents=384, num_blocks=1, num_self_attends_per_block=3,
        num_self_attention_heads=6, num_cross_attention_heads=6, hidden_size=None,
        num_hidden_layers=None, num_attention_heads=None, intermediate_size=None)  # fmt: skip
encoder("visual-bert", "VisualBertModel", visual_embedding_dim=384,
        ports=(IDS, MASK, draws.floats("visual_embeds", "batch", "regions", 384)),
        shapes=[shape | {"regions": 36} for shape in SHAPES])  # fmt: skip
