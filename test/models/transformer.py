# ===- transformer.py - BERT, GPT-2 and ViT as transformers has them -------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers of Hugging Face with random weights, exported by both exporters."""

import functools

from models import draw
from models.model import Model, register

BERT_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def bert_module(**config):
    import torch
    from transformers import BertConfig, BertModel

    class Bert(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = BertModel(BertConfig(**config))

        def forward(self, input_ids, attention_mask, token_type_ids):
            result = self.bert(
                input_ids=input_ids,
                attention_mask=attention_mask,
                token_type_ids=token_type_ids,
            )
            return result.last_hidden_state, result.pooler_output

    return Bert()


def bert_inputs(sizes, rng, vocabulary):
    """Ids, a mask with rows of different lengths, and two segments."""
    import numpy

    shape = sizes["batch"], sizes["sequence"]
    lengths = rng.integers(1, max(shape[1], 1) + 1, shape[0])
    # Most calls have full rows, as in a service without padding.
    if rng.integers(2):
        lengths[:] = shape[1]
    position = numpy.arange(shape[1])
    return {
        "input_ids": rng.integers(0, vocabulary, shape),
        "attention_mask": (position < lengths[:, None]).astype(numpy.int64),
        "token_type_ids": numpy.zeros(shape, numpy.int64) + (position > shape[1] // 2),
    }


def bert_sizes(rng, longest, tokens):
    batch, sequence = draw.batch_and(rng, 1, longest, tokens)
    return {"batch": batch, "sequence": sequence}


def bert(name, exporter, longest, tokens, **config):
    config.setdefault("vocab_size", 30522)
    rows = {0: "batch", 1: "sequence"}
    register(
        Model(
            name=name,
            axes={n: rows for n in (*BERT_INPUTS, "last_hidden_state")}
            | {"pooler_output": {0: "batch"}},
            outputs=("last_hidden_state", "pooler_output"),
            inputs=functools.partial(bert_inputs, vocabulary=config["vocab_size"]),
            sizes=functools.partial(bert_sizes, longest=longest, tokens=tokens),
            module=functools.partial(bert_module, **config),
            exporter=exporter,
            example={"batch": 2, "sequence": 7},
            dims={"sequence": (1, 512)},
        )
    )


SMALL_BERT = dict(
    vocab_size=499,
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
)
MINILM = dict(
    hidden_size=384,
    num_hidden_layers=6,
    num_attention_heads=12,
    intermediate_size=1536,
)
bert("bert-small", "script", 127, 128, **SMALL_BERT)
bert("bert-dynamo-small", "dynamo", 127, 128, **SMALL_BERT)
# Twelve layers whose kernels must be those of two.
bert("bert-deep-small", "script", 23, 24, **SMALL_BERT | {"num_hidden_layers": 12})
bert("bert-base", "script", 384, 512)
bert("minilm", "dynamo", 384, 1024, **MINILM)


def gpt2_module(cached, **config):
    import torch
    from transformers import DynamicCache, GPT2Config, GPT2LMHeadModel

    class Gpt2(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gpt2 = GPT2LMHeadModel(GPT2Config(**config))

        def run(self, input_ids, cache):
            result = self.gpt2(
                input_ids=input_ids,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            flat = [result.logits[:, -1]]
            for layer in result.past_key_values.layers:
                flat += [layer.keys, layer.values]
            return tuple(flat)

    class Prefill(Gpt2):
        def forward(self, input_ids):
            return self.run(input_ids, DynamicCache())

    class Decode(Gpt2):
        def forward(self, input_ids, *past):
            pairs = list(zip(past[::2], past[1::2]))
            return self.run(input_ids, DynamicCache(pairs))

    return Decode() if cached else Prefill()


def gpt2_inputs(sizes, rng, vocabulary, layers, heads, width, cached):
    inputs = {"input_ids": rng.integers(0, vocabulary, (sizes["batch"], sizes["sequence"]))}
    if cached:
        shape = sizes["batch"], heads, sizes["past"], width
        for layer in range(layers):
            for part in ("key", "value"):
                inputs[f"past.{layer}.{part}"] = rng.standard_normal(shape, "float32")
    return inputs


def gpt2_sizes(rng, cached, longest, tokens):
    if not cached:
        batch, sequence = draw.batch_and(rng, 1, longest, tokens)
        return {"batch": batch, "sequence": sequence}
    # A step usually takes one token, and some more for speculative decoding.
    batch, sequence = draw.batch_and(rng, 1, 1 if rng.integers(3) else 9, tokens, 8)
    past = draw.size(rng, 0, longest - sequence)
    return {"batch": batch, "sequence": sequence, "past": past}


def gpt2(name, cached, exporter, longest, tokens, **config):
    layers, heads = config.get("n_layer", 12), config.get("n_head", 12)
    width = config.get("n_embd", 768) // heads
    past = [f"past.{n}.{part}" for n in range(layers) for part in ("key", "value")]
    present = [text.replace("past", "present") for text in past]
    axes = {"input_ids": {0: "batch", 1: "sequence"}, "logits": {0: "batch"}}
    if cached:
        axes |= {n: {0: "batch", 2: "past"} for n in past}
    axes |= {n: {0: "batch", 2: "total" if cached else "sequence"} for n in present}
    register(
        Model(
            name=name,
            axes=axes,
            outputs=("logits", *present),
            inputs=functools.partial(
                gpt2_inputs,
                vocabulary=config.get("vocab_size", 50257),
                layers=layers,
                heads=heads,
                width=width,
                cached=cached,
            ),
            sizes=functools.partial(gpt2_sizes, cached=cached, longest=longest, tokens=tokens),
            module=functools.partial(gpt2_module, cached, **config),
            exporter=exporter,
            example={"batch": 2, "sequence": 3, "past": 5},
            dims={"sequence": (1, 512)} | ({"past": (0, 1023)} if cached else {}),
        )
    )


SMALL_GPT2 = dict(vocab_size=499, n_embd=48, n_layer=2, n_head=3)
gpt2("gpt2-prefill-small", False, "dynamo", 127, 128, **SMALL_GPT2)
gpt2("gpt2-decode-small", True, "dynamo", 127, 64, **SMALL_GPT2)
gpt2("gpt2-decode-script-small", True, "script", 127, 64, **SMALL_GPT2)
gpt2("gpt2-prefill", False, "dynamo", 512, 512)
gpt2("gpt2-decode", True, "dynamo", 512, 64)


def vit_module(**config):
    import torch
    from transformers import ViTConfig, ViTModel

    class Vit(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.vit = ViTModel(ViTConfig(**config), add_pooling_layer=False)

        def forward(self, pixels):
            return self.vit(pixels).last_hidden_state

    return Vit()


def vit_inputs(sizes, rng, side):
    return {"pixels": rng.standard_normal((sizes["batch"], 3, side, side), "float32")}


def vit(name, exporter, most, **config):
    register(
        Model(
            name=name,
            axes={"pixels": {0: "batch"}, "hidden": {0: "batch"}},
            outputs=("hidden",),
            inputs=functools.partial(vit_inputs, side=config.get("image_size", 224)),
            sizes=lambda rng: {"batch": draw.size(rng, 0 if rng.integers(9) == 0 else 1, most)},
            module=functools.partial(vit_module, **config),
            exporter=exporter,
            example={"batch": 2},
        )
    )


SMALL_VIT = dict(
    image_size=40,
    patch_size=8,
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=96,
)
vit("vit-small", "script", 5, **SMALL_VIT)
vit("vit-dynamo-small", "dynamo", 5, **SMALL_VIT)
vit("vit", "script", 4)
