# ===- __init__.py - Many architectures, for comparison with peers ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures with random weights, of middle sizes: 5 to 50 ms a call on one thread.

`zoo.entries()` lists them and `zoo.get(NAME)` returns one. Each has three shapes, whose
named sizes are dynamic, and is exported to ONNX on demand, into build/models/zoo. Some need
packages that are not those of the tests: utils/x/requirements-zoo.txt.
"""

from models.zoo.entry import Entry, Input, entries, get

# Each of these registers its entries. torch is imported only when a module is made.
from models.zoo import decoders, dense, graphs, images, local, pairs, ranking  # noqa: F401
from models.zoo import series, shelves, speech, tables, text, volumes  # noqa: F401, I001

__all__ = ["Entry", "Input", "entries", "get"]
