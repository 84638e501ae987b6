# ===- backend.py - The backend of torch.compile --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``torch.compile(model, backend="dyn")``: PyTorch's entry point for backends
(`torch_dynamo_backends`) finds :func:`dyn_backend`."""

import atexit
import dataclasses
import threading
import weakref

import torch

from dyn.frontend.torch.compiling import compile_program
from dyn.frontend.torch.exporting import export, normalize
from dyn.frontend.torch.graphs import prepare
from dyn.frontend.torch.sharing import Programs
from dyn.runtime import Artifact

#: By piece of Python and options.
_programs = {}

#: PyTorch never frees what it compiled, and an artifact that is still loaded when
#: the process ends is taken for a leak.
_variants = weakref.WeakSet()


class _Counts:
    """Sums over the process."""

    def __init__(self):
        self._lock = threading.Lock()
        self.graphs = self.compilations = self.calls = 0

    def add(self, graphs=0, compilations=0, calls=0):
        with self._lock:
            self.graphs += graphs
            self.compilations += compilations
            self.calls += calls


_counts = _Counts()


@dataclasses.dataclass(frozen=True)
class Statistics:
    """What torch.compile made with dyn."""

    #: Graphs that PyTorch made, and that dyn compiled or had an artifact for.
    graphs: int
    #: How often dyn compiled one.
    compilations: int
    #: Calls of all graphs.
    calls: int
    #: The artifacts that serve the graphs which are alive.
    artifacts: tuple[Artifact, ...]


def statistics():
    """The :class:`Statistics` of this process."""
    found = {id(a): a for a in (v.artifact for v in list(_variants)) if a is not None}
    return Statistics(_counts.graphs, _counts.compilations, _counts.calls, (*found.values(),))


@atexit.register
def _release_all():
    for variant in list(_variants):
        variant.release()


def dyn_backend(graph_module, example_inputs, options=None):
    """Compiles a graph of torch.compile; returns the function that runs it.

    Args:
      options: a dictionary from ``torch.compile(..., options=)`` with the
        arguments `isa`, `options` and `threads` of :func:`dyn.compile`.
    """
    options = options or {}
    key = (_python(), repr(sorted(options.items())))
    programs = _programs.setdefault(key, Programs())
    return _Compiled(graph_module, example_inputs, options, programs)


def _python():
    """Which piece of Python is being compiled: PyTorch's number for it."""
    compilation = torch._guards.CompileContext.current_compile_id()
    return compilation and compilation.frame_id


class _Compiled:
    """A graph of torch.compile, compiled for the parameters that it is called
    with: parameters are part of an artifact."""

    def __init__(self, graph_module, example_inputs, options, programs):
        self._graph_module = graph_module
        self._options = options
        self._programs = programs
        self._lock = threading.Lock()
        self._variants = [_Variant(graph_module, example_inputs, options, programs)]

    def __call__(self, *args):
        for variant in self._variants:
            if variant.serves(args):
                return variant(args)
        # The same code for another module, or for new values.
        with self._lock:
            variant = _Variant(self._graph_module, args, self._options, self._programs)
            if not variant.serves(args):
                variant = _Variant(self._graph_module, args, self._options, Programs())
            self._variants = [v for v in self._variants if v.is_current()] + [variant]
        return variant(args)


class _Variant:
    """An artifact, and the parameters and floats that are built into it."""

    def __init__(self, graph_module, args, options, programs):
        self._shared = None
        _variants.add(self)
        prepared = prepare(graph_module, args)
        self._kept = prepared.kept
        tensors = {i: x for i, x in prepared.frozen.items() if isinstance(x, torch.Tensor)}
        self._parameters = [(i, x, _version(x)) for i, x in tensors.items()]
        self._floats = [(i, x) for i, x in prepared.frozen.items() if i not in tensors]
        # PyTorch is in the middle of a trace of its own.
        with torch._guards.tracing(None):
            program = normalize(
                export(prepared.module, prepared.args, None, prepared.dynamic_shapes)
            )
            self._shared, self._equal = programs.find(program)
            if self._shared is None:
                self._shared = programs.add(program, compile_program(program, **options))
                _counts.add(compilations=1)
        _counts.add(graphs=1)

    def serves(self, args):
        """Whether these are the parameters that the artifact was made of, and
        the sizes are equal that it takes for such."""
        if not all(args[i] is x and _version(x) == v for i, x, v in self._parameters):
            return False
        if not all(args[i].item() == x for i, x in self._floats):
            return False
        if not self._equal:
            return True
        tensors = [args[i] for i in self._kept if isinstance(args[i], torch.Tensor)]
        return all(tensors[i].shape[a] == tensors[j].shape[b] for (i, a), (j, b) in self._equal)

    def is_current(self):
        """Whether no parameter has changed since."""
        return all(_version(x) == v for _, x, v in self._parameters)

    def release(self):
        self._shared = None

    @property
    def artifact(self):
        """The artifact that serves it, None after the process's end."""
        return self._shared and self._shared.model.artifact

    def __call__(self, args):
        _counts.add(calls=1)
        return tuple(self._shared.model.run_flat([args[i] for i in self._kept]))


def _version(tensor):
    """Counts changes in place; those of inference tensors are not counted."""
    return None if tensor.is_inference() else tensor._version
