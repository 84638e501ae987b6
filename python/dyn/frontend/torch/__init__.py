# ===- __init__.py - PyTorch models on dyn ---------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles PyTorch models.

    model = dyn.compile(module, args=(ids,), dynamic_shapes={"ids": {0: batch, 1: sequence}})
    logits = model(ids)                       # torch tensors, any legal shape

    fast = torch.compile(module, backend="dyn", dynamic=True)

Programs of torch.export are translated to dhlo, in Python, and compiled by
dyn-compile. See docs/PyTorch.md.
"""

import torch._dynamo

from dyn.frontend.torch.backend import Statistics, dyn_backend, statistics
from dyn.frontend.torch.compiling import compile_torch, to_dhlo
from dyn.frontend.torch.model import Model
from dyn.frontend.torch.registry import supported

# If the package is installed, PyTorch has found the backend by its entry point.
if "dyn" not in torch._dynamo.list_backends():
    torch._dynamo.register_backend(dyn_backend, name="dyn")

__all__ = [
    "Model",
    "Statistics",
    "compile_torch",
    "dyn_backend",
    "statistics",
    "supported",
    "to_dhlo",
]
