# ===- __init__.py - Operators in terms of others -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that PyTorch does not decompose, or not into what dyn builds, in terms of
PyTorch's others. Importing the files fills the table of registry.py."""

from dyn.frontend.torch.decompositions import (  # noqa: F401
    bessel,
    complex_numbers,
    elements,
    matrices,
    movement,
    reductions,
    sampling,
)
