# ===- traces.py - Sequences of input sizes that measurements run ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces: the shapes that a service receives, one call after another, from a seed.

`traces.make("minilm", seed)` returns a Trace: the model and the sizes of each call. Lengths
are log-normal as in logs of services; batches are mostly 1.
"""

import dataclasses
from typing import Dict, List

import numpy


@dataclasses.dataclass(frozen=True)
class Trace:
    """A model and the sizes of each call."""

    name: str
    model: str
    calls: List[Dict[str, int]]  # and `lengths` of rows, for some models


def lengths(rng, mu, sigma, low, high, count):
    """Log-normal lengths, clipped."""
    return numpy.clip(numpy.exp(rng.normal(mu, sigma, count)).astype(int), low, high).tolist()


def sentences(rng, count, mu, low, high, batches):
    drawn = lengths(rng, mu, 0.8, low, high, count)
    return [{"batch": int(rng.choice(batches)), "sequence": length} for length in drawn]


def minilm(rng):
    return "minilm", sentences(rng, 120, 3.8, 4, 384, (1, 1, 1, 2, 4, 8))


def bert_base(rng):
    return "bert-base", sentences(rng, 30, 3.8, 4, 384, (1, 1, 1, 2, 4, 8))


def bert_base_int8(rng):
    """As bert-base, quantised: the peer is the fastest at integer GEMMs."""
    return "bert-base-int8", bert_base(rng)[1]


def padded_calls(rng):
    """Eight rows of different lengths, padded to the longest with a mask: about 44 % of the
    tokens are valid."""
    rows = [tuple(lengths(rng, 3.8, 0.8, 4, 384, 8)) for _ in range(12)]
    return [{"batch": 8, "sequence": max(row), "lengths": row} for row in rows]


def padded(rng):
    """Compiled with --unpad: masked rows of the output become zeros."""
    return "bert-padded", padded_calls(rng)


def pooled(rng):
    """Sentence embeddings: the model drops masked rows itself."""
    return "minilm-pooled", padded_calls(rng)


def gpt2_prefill(rng):
    return "gpt2-prefill", sentences(rng, 30, 3.9, 4, 512, (1, 1, 1, 2))


def gpt2_decode(rng):
    """Four conversations, each with one token per step and a growing cache."""
    return "gpt2-decode", [
        {"batch": batch, "sequence": 1, "past": past + step}
        for batch, past, steps in ((1, 13, 40), (4, 60, 40), (1, 300, 40), (8, 120, 20))
        for step in range(steps)
    ]


def resnet50(rng):
    sides = (160, 173, 192, 201, 224, 243, 256, 288, 315, 320)
    return "resnet50", [
        {
            "batch": int(rng.choice((1, 1, 1, 2, 4))),
            "height": int(rng.choice(sides)),
            "width": int(rng.choice(sides)),
        }
        for _ in range(30)
    ]


def crnn(rng):
    widths = lengths(rng, 5.2, 0.7, 32, 1200, 40)
    return "crnn", [{"batch": int(rng.choice((1, 1, 2, 4, 6, 8))), "width": w} for w in widths]


def rec(rng):
    history = lengths(rng, 3, 1, 1, 300, 100)
    batches = (1, 4, 16, 33, 64, 100, 128, 256)
    return "rec", [{"batch": int(rng.choice(batches)), "history": h} for h in history]


def moe8(rng, hot=0):
    return "moe8", [
        {"batch": 1, "tokens": tokens, "hot": hot}
        for tokens in lengths(rng, 5.5, 0.8, 64, 1024, 20)
    ]


def moe8_skewed(rng):
    """The hottest of eight experts gets five times the mean."""
    return moe8(rng, hot=57)


def vit(rng):
    """Images resized to multiples of the patch size."""
    sides = numpy.arange(8, 25) * 16
    return "vit-any", [
        {
            "batch": int(rng.choice((1, 1, 1, 2, 4))),
            "height": int(rng.choice(sides)),
            "width": int(rng.choice(sides)),
        }
        for _ in range(20)
    ]


def ocr_det(rng):
    """Pages; the program rounds height and width to multiples of 32."""
    sides = numpy.arange(10, 31) * 32
    return "rapidocr-det", [
        {"batch": 1, "height": int(rng.choice(sides)), "width": int(rng.choice(sides))}
        for _ in range(20)
    ]


def ocr_cls(rng):
    return "rapidocr-cls", [
        {"batch": int(rng.integers(1, 7)), "height": 48, "width": 192} for _ in range(20)
    ]


def ocr_rec(rng):
    """Up to six lines together, padded to the widest."""
    widths = lengths(rng, 5.9, 0.5, 48, 1600, 20)
    return "rapidocr-rec", [
        {"batch": int(rng.integers(1, 7)), "height": 48, "width": w} for w in widths
    ]


MAKERS = {
    maker.__name__.replace("_", "-"): maker
    for maker in (
        minilm,
        bert_base,
        bert_base_int8,
        padded,
        pooled,
        gpt2_prefill,
        gpt2_decode,
        resnet50,
        crnn,
        rec,
        moe8,
        moe8_skewed,
        vit,
        ocr_det,
        ocr_cls,
        ocr_rec,
    )
}


def make(name, seed=0):
    """The trace with that name. The same seed gives the same calls."""
    model, calls = MAKERS[name](numpy.random.default_rng(seed))
    return Trace(name, model, calls)
