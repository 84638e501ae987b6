# ===- known.py - Models that dyn does not run yet -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models marked as expected failures, each with the diagnostic that it stops at.

A model leaves this list with the change that makes it run. Until then its tests
do not run, since code that is wrong may end the process; DYN_TEST_TRY=1 runs
them all the same.
"""

import os

import pytest

import models

NOT_TRIED = "not verified against ONNX Runtime yet"
TRY = bool(os.environ.get("DYN_TEST_TRY"))

VERIFIED = (
    "bert-base",
    "bert-deep-small",
    "bert-dynamo-small",
    "bert-small",
    "crnn",
    "crnn-small",
    "gpt2-decode",
    "gpt2-decode-script-small",
    "gpt2-decode-small",
    "gpt2-prefill",
    "gpt2-prefill-small",
    "minilm",
    "mlp-small",
    "moe-small",
    "ocr-rec-small",
    "rapidocr-cls",
    "rapidocr-det",
    "rapidocr-rec",
    "rec",
    "rec-small",
    "resnet-dynamo-small",
    "resnet-small",
    "resnet50",
    "tiny-100-small",
    "vit",
    "vit-dynamo-small",
    "vit-small",
)

UNSUPPORTED = {name: NOT_TRIED for name in models.names() if name not in VERIFIED}


def unsupported(name):
    """The mark of a test that stands on an unsupported model."""
    return pytest.mark.xfail(reason=f"{name}: {UNSUPPORTED[name]}", strict=False, run=TRY)


def needs(*names):
    """Marks a test as an expected failure while one of the models is."""
    for name in names:
        if name in UNSUPPORTED:
            return unsupported(name)
    return lambda test: test
