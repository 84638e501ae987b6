# ===- compiling.py - PyTorch models to artifacts --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a PyTorch model to a compiled one."""

import contextlib
import os
import tempfile
import weakref

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from dyn.compiler.compile import compile_to_file, temporary_folder, with_source
from dyn.errors import InvalidArgumentError
from dyn.frontend.torch.exporting import export, normalize, size_names
from dyn.frontend.torch.model import Model
from dyn.frontend.torch.program import import_program
from dyn.runtime import load


def compile_torch(model, output=None, dims=None, *, args=(), kwargs=None, dynamic_shapes=None,
                  **options):  # fmt: skip
    """Compiles a module or an exported program. See :func:`dyn.compile`."""
    program, names = _program(model, args, kwargs, dynamic_shapes)
    return compile_program(normalize(program), output, dims, names=names, **options)


def compile_program(program, output=None, dims=None, *, names=None, isa=None, options=(),
                    **load_options):  # fmt: skip
    """Compiles a program in the form of :func:`~.registry.keep_form` to a :class:`Model`.

    `names` has names of input sizes: a dictionary from (input, axis).
    """
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=temporary_folder()))
        path = os.path.join(folder, "model.mlir")
        module = _write(program, path, names, dims)
        output = compile_to_file(path, output, isa=isa, options=options)
        load_options = with_source(load_options, path, isa=isa, options=options)
        artifact = load(output, **load_options)
        if load_options.get("source") == path:
            # Variants are compiled from it.
            weakref.finalize(artifact, stack.pop_all().close)
    spec = program.call_spec
    example = _flat_example(program)
    return Model(artifact, module, spec.in_spec, spec.out_spec, example)


def to_dhlo(model, path, dims=None, *, args=(), kwargs=None, dynamic_shapes=None):
    """Writes a model as dhlo to `path`, and its parameters beside it, with the ending
    .safetensors. The arguments are those of :func:`dyn.compile`."""
    program, names = _program(model, args, kwargs, dynamic_shapes)
    _write(normalize(program), os.fspath(path), names, dims)


def _program(model, args, kwargs, dynamic_shapes):
    """The ExportedProgram, and names of sizes."""
    if isinstance(model, ExportedProgram):
        if args or kwargs or dynamic_shapes:
            raise InvalidArgumentError(
                "an exported program has its arguments and sizes: expected no args, kwargs or "
                "dynamic_shapes"
            )
        return model, {}
    if not args and not kwargs:
        raise InvalidArgumentError("expected example arguments of the model: args, kwargs or both")
    program = export(model, args, kwargs, dynamic_shapes)
    return program, size_names(dynamic_shapes, program.graph_signature.user_inputs)


def _write(program, path, names, dims):
    """Writes a program in dhlo to `path` and its parameters beside it."""
    weights = os.path.splitext(path)[0] + ".safetensors"
    module = import_program(program, weights, names, dims)
    with open(path, "w", encoding="utf-8") as file:
        file.write(module.text)
    return module


def _flat_example(program):
    """The example inputs of the export, None for tensors and sizes."""
    if program.example_inputs is None:
        return [None] * program.call_spec.in_spec.num_leaves
    flat = pytree.tree_leaves(program.example_inputs)
    return [None if isinstance(x, torch.Tensor) else x for x in flat]
