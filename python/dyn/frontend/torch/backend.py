# ===- backend.py - The backend of torch.compile --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``torch.compile(model, backend="dyn")``: PyTorch's entry point for backends
(`torch_dynamo_backends`) finds :func:`dyn_backend`."""

import atexit
import dataclasses
import functools
import threading
import weakref

import torch

from dyn.frontend.torch.compiling import compile_program
from dyn.frontend.torch.exporting import export, normalize
from dyn.frontend.torch.graphs import floats_of, is_same_number, prepare
from dyn.frontend.torch.sharing import Programs
from dyn.frontend.torch.snapshot import Snapshot
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
        # PyTorch forgets them when this returns.
        self._floats = floats_of(graph_module)
        self._options = options
        self._programs = programs
        self._lock = threading.Lock()
        self._variants = [self._variant(example_inputs, programs)]

    def _variant(self, args, programs):
        return _Variant(self._graph_module, args, self._floats, self._options, programs)

    def __call__(self, *args):
        for variant in tuple(self._variants):
            if variant.serves(args):
                return variant(args)
        # The same code for another module, or for new values.
        with self._lock:
            variant = self._variant(args, self._programs)
            if not variant.serves(args):
                variant = self._variant(args, Programs())
            # PyTorch keeps the list too, as an attribute of what it wraps around this.
            self._variants[:] = [v for v in self._variants if v.is_current()] + [variant]
        return variant(args)


class _Variant:
    """An artifact, and the parameters and floats that are built into it."""

    def __init__(self, graph_module, args, floats, options, programs):
        self._shared = None
        _variants.add(self)
        prepared = prepare(graph_module, args, floats)
        self._kept = prepared.kept
        self._parameters = prepared.parameters
        self._snapshot = Snapshot(prepared.parameters.values())
        self._floats = prepared.floats
        # PyTorch is in the middle of a trace of its own.
        with torch._guards.tracing(None):
            program = normalize(
                export(prepared.module, prepared.args, None, prepared.dynamic_shapes)
            )
            self._shared, self._equal = programs.find(program)
            if self._shared is None:
                self._shared = programs.add(program, functools.partial(compile_program, **options))
                _counts.add(compilations=1)
        _counts.add(graphs=1)

    def serves(self, args):
        """Whether these are the parameters that the artifact was made of, and
        the sizes are equal that it takes for such."""
        if not all(args[i] is x for i, x in self._parameters.items()) or not self.is_current():
            return False
        if not all(is_same_number(args[i].item(), x) for i, x in self._floats.items()):
            return False
        if not self._equal:
            return True
        tensors = [args[i] for i in self._kept if isinstance(args[i], torch.Tensor)]
        return all(tensors[i].shape[a] == tensors[j].shape[b] for (i, a), (j, b) in self._equal)

    def is_current(self):
        """Whether no parameter has changed since."""
        return self._snapshot.is_current()

    def release(self):
        self._shared = None

    @property
    def artifact(self):
        """The artifact that serves it, None after the process's end."""
        return self._shared and self._shared.model.artifact

    def __call__(self, args):
        _counts.add(calls=1)
        return tuple(self._shared.model.run_flat([args[i] for i in self._kept]))
