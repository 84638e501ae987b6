# ===- compile.py - The function dyn.compile -------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models of any library. Those of PyTorch are given to its front end."""

import os
import sys

from dyn.compiler.compile import compile_to_file, with_source
from dyn.runtime import load


def compile(model, output=None, dims=None, *, args=(), kwargs=None, dynamic_shapes=None,
            isa=None, unpad=None, profile=None, options=(), **load_options):  # fmt: skip
    """Compiles a model and loads the artifact.

    Args:
      model: path of an .onnx or .mlir file, the bytes of an ONNX model, an
        object that serializes to them, such as onnx.ModelProto, or a model of
        PyTorch: a torch.nn.Module or a torch.export.ExportedProgram.
      output: the artifact to write; by default a temporary file that is deleted
        when the process ends.
      dims: facts about symbolic sizes: a dictionary from a name to a pair
        (minimum, maximum) or a number, such as ``{"batch": (1, 64)}``.
      args, kwargs: arguments to export a module with. Their sizes are examples;
        a size that is to be dynamic should not be 0 or 1.
      dynamic_shapes: which sizes of a module's arguments are dynamic, as for
        torch.export.export; by default all sizes that the module allows.
      isa: instruction sets to compile for, "v3" or ("v3", "v4"); by default the
        compiler's choice.
      unpad: name of an input, a mask [batch, sequence]: rows of outputs where it
        is zero become zeros and are not computed. Padding that no output depends
        on is removed without it.
      profile: path of a file that :class:`dyn.Profile` wrote, by which the
        compiler chooses what to do at routers (docs/Profiles.md); results are
        bit-identical. A router whose profile does not match is left out with a
        warning.
      options: more arguments of dyn-compile.
      load_options: arguments of :func:`dyn.load`. With `reoptimise` or `mode`, `source` is the
        model and `compile_options` are those given here.

    Returns:
      The :class:`dyn.Artifact`; for a PyTorch model a
      :class:`dyn.frontend.torch.Model`, which is called like the model.

    Warns:
      CompileWarning: a warning of the compiler.

    Raises:
      CompileError: the compiler refused the model; the message is the compiler's.
      NotFoundError: there is no such model or no compiler.
      UnsupportedError: a PyTorch model uses operators that dyn does not support;
        the message names each of them with its line of Python.
    """
    if unpad:
        options = (f"--unpad={unpad}", *options)
    if profile:
        options = (f"--profile={os.fspath(profile)}", *options)
    if _is_torch(model):
        from dyn.frontend.torch import compile_torch

        return compile_torch(
            model, output, dims, args=args, kwargs=kwargs, dynamic_shapes=dynamic_shapes,
            isa=isa, options=options, **load_options,
        )  # fmt: skip
    if args or kwargs or dynamic_shapes:
        raise TypeError("args, kwargs and dynamic_shapes are for models of PyTorch")
    output = compile_to_file(model, output, dims, isa=isa, options=options)
    return load(output, **with_source(load_options, model, dims, isa, options))


def _is_torch(model):
    """Whether it is a model of PyTorch, without importing torch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    if isinstance(model, torch.nn.Module):
        return True
    export = sys.modules.get("torch.export")
    return export is not None and isinstance(model, export.ExportedProgram)
