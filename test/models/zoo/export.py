# ===- export.py - An entry's module as an ONNX file -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports by torch.export, or where that fails or fixes a size, by the older exporter, which
traces the module."""

import collections.abc
import os
import time

import numpy
import torch
from models.model import _quiet


class Flat(torch.nn.Module):
    """Returns the tensors in the outputs of a module, each once."""

    def __init__(self, module, keep=None):
        super().__init__()
        self.module, self.keep = module, keep

    def forward(self, *inputs):
        found = {id(tensor): tensor for tensor in _leaves(self.module(*inputs))}
        tensors = tuple(found.values())
        return tensors if self.keep is None else tensors[self.keep]


def _leaves(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, collections.abc.Mapping):
        yield from _leaves(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)


class Keywords(torch.nn.Module):
    """Passes inputs by name, with settings that are no inputs."""

    def __init__(self, module, names, **settings):
        super().__init__()
        self.module, self.names, self.settings = module, names, settings

    def forward(self, *inputs):
        return self.module(**dict(zip(self.names, inputs)), **self.settings)


def export(entry, path):
    """Writes the ONNX file of an entry, by the first exporter that is able to. Returns the
    facts of Entry.export_facts(); RuntimeError has the messages of all."""
    module = entry.make_module()
    arrays = entry.inputs(entry.example, numpy.random.default_rng(1))
    tensors = tuple(map(torch.from_numpy, arrays.values()))
    exporters = {"dynamo": _dynamo, "script": _script}
    if entry.exporter == "script":
        exporters = {"script": _script}
    tried, part = {}, path.with_suffix(f".{os.getpid()}.part")
    for name, exporter in exporters.items():
        start = time.perf_counter()
        try:
            with _quiet(), torch.no_grad():
                exporter(entry, module, tensors, part)
            os.replace(part, path)
            return {"exporter": name, "seconds": time.perf_counter() - start, "tried": tried}
        except Exception as error:
            tried[name] = f"{type(error).__name__}: {str(error).strip()[:1000]}"
        finally:
            part.unlink(missing_ok=True)
    raise RuntimeError("; ".join(f"{name}: {message}" for name, message in tried.items()))


def _dynamo(entry, module, tensors, path):
    # AUTO finds ranges and relations between sizes, which names would have to state.
    shapes = tuple(
        {axis: torch.export.Dim.AUTO for axis, size in enumerate(port.shape) if type(size) is str}
        for port in entry.ports
    )
    program = torch.export.export(module, tensors, dynamic_shapes=(shapes,), strict=False)
    _check_dynamic(entry, program)
    names = [port.name for port in entry.ports]
    torch.onnx.export(
        program, (), str(path), input_names=names, dynamo=True, external_data=False, verbose=False
    )


def _check_dynamic(entry, program):
    """Raises ValueError if a size that is to be dynamic has become a number."""
    inputs = program.graph_signature.user_inputs
    values = {node.name: node.meta["val"] for node in program.graph.nodes if node.name in inputs}
    for port, name in zip(entry.ports, inputs):
        for size, found in zip(port.shape, values[name].shape):
            if isinstance(size, str) and isinstance(found, int):
                raise ValueError(f"size '{size}' of '{port.name}' has become {found}")


def _script(entry, module, tensors, path):
    axes = {
        port.name: {axis: size for axis, size in enumerate(port.shape) if isinstance(size, str)}
        for port in entry.ports
    }
    names = [port.name for port in entry.ports]
    torch.onnx.export(
        module, tensors, str(path), input_names=names, dynamic_axes=axes, dynamo=False
    )
