# ===- __init__.py - Compile once, run at every shape ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles machine-learning models once and runs them at every shape.

    import dyn

    model = dyn.compile("model.onnx", output="model.so", dims={"batch": (1, 64)})
    logits = model(input_ids=ids)             # any legal shape

    model = dyn.load("model.so")              # later, in another process

    session = dyn.InferenceSession("model.onnx")  # instead of ONNX Runtime's
    logits, = session.run(None, {"input_ids": ids})

Compiling needs the program `dyn-compile`; loading and running need nothing.
Models of PyTorch say how they route with `dyn.annotate`, `dyn.Router` and
`dyn.switch` (docs/Routes.md), which import torch where they are used.
"""

import importlib

from dyn.comm import Communicator
from dyn.errors import (
    BadArtifactError,
    BusyError,
    CancelledError,
    CompileError,
    CompileWarning,
    DataError,
    DeadlineExceededError,
    DeviceError,
    Error,
    FallbackWarning,
    InputOutputError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OutOfMemoryError,
    RankFailedError,
    UnsupportedError,
)
from dyn.frontend.compile import compile
from dyn.frontend.onnxruntime import InferenceSession
from dyn.runtime import Artifact, Dim, Outputs, Port, Profile, Report, load

__version__ = "0.1.0"

__all__ = [
    "Artifact",
    "BadArtifactError",
    "BusyError",
    "CancelledError",
    "Communicator",
    "CompileError",
    "CompileWarning",
    "DataError",
    "DeadlineExceededError",
    "DeviceError",
    "Dim",
    "Error",
    "FallbackWarning",
    "InferenceSession",
    "InputOutputError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OutOfMemoryError",
    "Outputs",
    "Port",
    "Profile",
    "RankFailedError",
    "Report",
    "UnsupportedError",
    "compile",
    "load",
]

#: Names that need torch and are imported at their first use, with their module of dyn.routing.
_ROUTING = {
    "Cells": "cells",
    "Router": "router",
    "Routes": "routes",
    "annotate": "cells",
    "combine": "routes",
    "dispatch": "routes",
    "join": "cells",
    "record": "replaying",
    "replay": "replaying",
    "routers": "routers",
    "switch": "switching",
}


def __getattr__(name):
    if name not in _ROUTING:
        raise AttributeError(f"module 'dyn' has no attribute '{name}'")
    module = importlib.import_module(f"dyn.routing.{_ROUTING[name]}")
    value = globals()[name] = module if name == _ROUTING[name] else getattr(module, name)
    return value


def __dir__():
    return sorted([*globals(), *_ROUTING])
