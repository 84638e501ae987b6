# ===- __init__.py - Operators in terms of others --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions, into other operators of PyTorch, of operators that PyTorch does not
decompose, or not into operators that dyn builds. Importing the files fills the table of
registry.py."""

from dyn.frontend.torch.decompositions import (  # noqa: F401
    attention,
    bessel,
    complex_numbers,
    convolution,
    creation,
    elements,
    matrices,
    movement,
    reductions,
    sampling,
    vision,
)
