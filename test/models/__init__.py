# ===- __init__.py - Models that tests and benchmarks run ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with random weights from a seed, written as ONNX files on demand.

`models.get("bert-small")` returns a Model: the path of its ONNX file (made at the first use
and kept in build/models), its legal sizes, and inputs of given sizes. Names that end in
`-small` have the structure of the full-size model and take at most 20 MFLOP per call.

On the command line, `python -m models [NAME...]` writes the files and prints their paths;
without names it lists all.
"""

from models.model import Model, get, names

# Each of these registers its models. torch is imported only when a model is made.
from models import convolutional, experts, images, plain, rapidocr  # noqa: F401
from models import recommender, transformer  # noqa: F401
from models import padded, quantized  # noqa: F401, I001

__all__ = ["Model", "get", "names"]
