# ===- peers.py - Engines that compute a case ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engines: functions from (case, module, folders) to a function of the inputs. An engine that
does not support a case raises Refused."""

import functools
import lzma
import os
import shutil

import torch

import dynrt

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"


class Refused(Exception):
    """The reason why an engine does not run a case."""


def dyn(case, module, folders):
    """The artifact, on the device of `folders`."""
    path = folders.work / f"{case.name}.so"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}")
        with lzma.open(folders.folder / "artifacts" / f"{case.name}.so.xz") as packed:
            with open(part, "wb") as file:
                shutil.copyfileobj(packed, file, 1 << 20)
        part.rename(path)
    return dynrt.Artifact(folders.folder / "lib", path, folders.device)


def eager(case, module, folders):
    return module


def compiled(case, module, folders):
    """Compiled separately for each size, which gives the best times."""
    torch._dynamo.reset()
    return torch.compile(module, dynamic=False)


def cublaslt(case, module, folders):
    """PyTorch with cuBLASLt for the GEMMs that it may choose a library for."""
    if case.family not in ("linear", "model"):
        raise Refused("no dense GEMM")
    if folders.device != "cuda":
        raise Refused("CUDA's alone")

    def run(*inputs):
        old = torch.backends.cuda.preferred_blas_library()
        torch.backends.cuda.preferred_blas_library("cublaslt")
        try:
            return module(*inputs)
        finally:
            torch.backends.cuda.preferred_blas_library(old)

    return run


def triton(case, module, folders):
    import triton_kernels

    if case.family not in triton_kernels.KERNELS:
        raise Refused("no kernel in triton_kernels.py")
    multiplies = case.family in ("linear", "attention")
    if INTERPRETED and multiplies and case.dtype is torch.bfloat16:
        raise Refused("Triton's interpreter multiplies no bf16")
    return functools.partial(triton_kernels.KERNELS[case.family], module)


ENGINES = {
    "dyn": dyn,
    "eager": eager,
    "compile": compiled,
    "cublaslt": cublaslt,
    "triton": triton,
}
