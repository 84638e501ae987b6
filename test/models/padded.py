# ===- padded.py - Batches of sentences of different lengths ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT on batches that are padded to their longest row, as in services.

`bert-padded` is the file of bert-base, compiled with --unpad, and `bert-pooled` computes
the mean of the valid rows itself.
"""

import dataclasses
import functools

from models import transformer
from models.model import Model, get, register


@dataclasses.dataclass(frozen=True)
class Padded(Model):
    """A model that shares its file with another one."""

    shares: str = ""
    # Further arguments of dyn-compile.
    options: tuple = ()

    def path(self):
        return get(self.shares).path() if self.shares else super().path()


def padded_inputs(sizes, rng, vocabulary):
    """As for other BERTs, with rows of the lengths in the sizes."""
    import numpy

    inputs = transformer.bert_inputs(sizes, rng, vocabulary)
    lengths = sizes.get("lengths")
    if lengths:
        position = numpy.arange(sizes["sequence"])
        mask = position < numpy.array(lengths)[:, None]
        inputs["attention_mask"] = mask.astype(numpy.int64)
    return inputs


def share(name, of):
    """Registers a model that is compiled with --unpad."""
    fields = {f.name: getattr(get(of), f.name) for f in dataclasses.fields(Model)}
    vocabulary = fields["inputs"].keywords["vocabulary"]
    fields |= {
        "name": name,
        "inputs": functools.partial(padded_inputs, vocabulary=vocabulary),
    }
    register(Padded(**fields, shares=of, options=("--unpad=attention_mask",)))


def pooled_module(**config):
    import torch

    class Pooled(torch.nn.Module):
        """The mean of the valid rows, as sentence embeddings use it."""

        def __init__(self):
            super().__init__()
            self.bert = transformer.bert_module(**config).bert

        def forward(self, input_ids, attention_mask, token_type_ids):
            rows = self.bert(
                input_ids=input_ids,
                attention_mask=attention_mask,
                token_type_ids=token_type_ids,
            ).last_hidden_state
            factors = attention_mask.unsqueeze(-1).expand(rows.size()).float()
            return (rows * factors).sum(1) / torch.clamp(factors.sum(1), min=1e-9)

    return Pooled()


def pooled(name, exporter, longest, tokens, **config):
    rows = {0: "batch", 1: "sequence"}
    vocabulary = config.setdefault("vocab_size", 30522)
    register(
        Padded(
            name=name,
            axes={n: rows for n in transformer.BERT_INPUTS} | {"mean": {0: "batch"}},
            outputs=("mean",),
            inputs=functools.partial(padded_inputs, vocabulary=vocabulary),
            sizes=functools.partial(transformer.bert_sizes, longest=longest, tokens=tokens),
            module=functools.partial(pooled_module, **config),
            exporter=exporter,
            example={"batch": 2, "sequence": 7},
            dims={"sequence": (1, 512)},
        )
    )


# Wide enough that dropping rows is profitable.
SMALL = transformer.SMALL_BERT | dict(hidden_size=192, num_hidden_layers=1, intermediate_size=768)
share("bert-padded", "bert-base")
pooled("bert-pooled-small", "script", 17, 20, **SMALL)
pooled("bert-pooled-dynamo-small", "dynamo", 17, 20, **SMALL)
pooled("minilm-pooled", "dynamo", 384, 1024, **transformer.MINILM)
