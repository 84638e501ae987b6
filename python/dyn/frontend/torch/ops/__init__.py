# ===- __init__.py - Operators of ATen in dhlo -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of ATen, in files by family. Importing them fills the table of
registry.py."""

from dyn.frontend.torch.ops import (  # noqa: F401
    activations,
    attention,
    checks,
    convolution,
    creation,
    elementwise,
    divisors,
    factors,
    gamma,
    indexing,
    linalg,
    movement,
    normalization,
    polynomials,
    pooling,
    contractions,
    ragged,
    random,
    recurrent,
    reductions,
    resize,
    routes,
    search,
    special,
)

# These use operators of the files above.
from dyn.frontend.torch.ops import complex, complex_matrices, fourier  # noqa: E402, F401 # isort: skip
from dyn.frontend.torch import decompositions  # noqa: E402, F401 # isort: skip
