# ===- exporting.py - Models to exported programs --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings programs of torch.export into the form that the importer reads."""

import contextlib
import copy
import dataclasses
import functools
import inspect
import operator
import threading

import torch
from torch._dynamo import convert_frame
from torch.export import Dim, _trace
from torch.fx import GraphModule
from torch.utils import _pytree as pytree
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from dyn.errors import UnsupportedError
from dyn.frontend.torch import (
    control,
    ops,  # noqa: F401 - keep_form reads the table
    recurrence,
)
from dyn.frontend.torch.complex import calls_complex
from dyn.frontend.torch.guards import assumptions
from dyn.frontend.torch.registry import is_declined, is_known, keep_form
from dyn.frontend.torch.sizes import is_number
from dyn.routing.likeness import tracing_once


#: For the argument `dynamic_shapes`: an integer of any sign that is not a size. PyTorch's
#: own Dim.AUTO means a size.
NUMBER = dataclasses.replace(Dim.AUTO, min=-int_oo, _factory=False)


def export(model, args=(), kwargs=None, dynamic_shapes=None):
    """The ExportedProgram of a module or function.

    By default every size of every tensor is dynamic if the model allows it; the inputs of
    the artifact show which are.

    Raises:
      UnsupportedError: PyTorch cannot export the model.
    """
    if not isinstance(model, torch.nn.Module):
        model = _Function(model)
    args, kwargs = pytree.tree_map(in_order, (tuple(args), dict(kwargs or {})))
    if dynamic_shapes is None:
        dynamic_shapes = _all_automatic(model, args, kwargs)
    try:
        with (_in_one_thread(), torch.no_grad(), tracing_once(), recurrence.whole(),
              _signed_numbers(), _autocast_inside(model)):  # fmt: skip
            return torch.export.export(
                model, args, kwargs, dynamic_shapes=dynamic_shapes, strict=False
            )
    except Exception as error:
        raise UnsupportedError(f"PyTorch cannot export the model: {error}") from error


def in_order(example):
    """An example whose tensors are contiguous: programs of dyn have no strides, and PyTorch
    makes symbols for strides."""
    if not isinstance(example, torch.Tensor) or example.layout != torch.strided:
        return example
    if example.is_contiguous() and example.storage_offset() == 0:
        return example
    return example.detach().clone(memory_format=torch.contiguous_format)


@contextlib.contextmanager
def _in_one_thread():
    """Within it, no other thread traces, and none takes part in the trace: PyTorch keeps in
    one flag for all threads that it exports, and a compiled graph that another thread runs
    meanwhile would annotate the nodes of this trace, and fail."""
    with convert_frame.compile_lock:
        thread, is_exporting = threading.get_ident(), torch.compiler.is_exporting
        torch.compiler.is_exporting = lambda: threading.get_ident() == thread and is_exporting()
        try:
            yield
        finally:
            torch.compiler.is_exporting = is_exporting


@contextlib.contextmanager
def _signed_numbers():
    """When PyTorch collects constraints, it treats each integer argument as a size, and
    fails for a negative one."""
    make_constraints = _trace.make_constraints

    @functools.wraps(make_constraints)
    def make(fake_mode, module, *args):
        numbers = module.meta.setdefault("inline_constraints", {})
        for node in module.graph.find_nodes(op="placeholder"):
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt):
                numbers.setdefault(value.node.expr, ValueRanges(-int_oo, int_oo))
        return make_constraints(fake_mode, module, *args)

    _trace.make_constraints = make
    try:
        yield
    finally:
        _trace.make_constraints = make_constraints


@contextlib.contextmanager
def _autocast_inside(model):
    """Makes the current autocast, if there is one, part of the model: PyTorch does not
    trace the casts of one outside of it. Graphs of torch.compile contain it already."""
    if not torch.is_autocast_enabled("cpu") or isinstance(model, GraphModule):
        with _no_autocast():
            yield
        return
    forward, dtype = model.forward, torch.get_autocast_dtype("cpu")

    @functools.wraps(forward)
    def inside(*args, **kwargs):
        with torch.autocast("cpu", dtype):
            return forward(*args, **kwargs)

    own = vars(model).get("forward")
    model.forward = inside
    try:
        with _no_autocast():
            yield
    finally:
        del model.forward
        if own is not None:
            model.forward = own


def _no_autocast():
    return torch.autocast("cpu", enabled=False)


def normalize(program):
    """A program in the form of :func:`~.registry.keep_form`. PyTorch traces a program again
    to decompose it, which takes as long as the export, so one in that form is returned
    unchanged.

    Raises:
      UnsupportedError: PyTorch cannot decompose the program.
    """
    program = _without_assumptions(program)
    if _is_normal(program):
        return program
    try:
        with _in_one_thread(), torch.no_grad(), _without_guard_code(program), _no_autocast():
            return _without_assumptions(program.run_decompositions(keep_form()))
    except Exception as error:
        raise UnsupportedError(f"PyTorch cannot decompose the model: {error}") from error


def _without_assumptions(program):
    """A program without assertions that are only PyTorch's assumptions: in another trace
    they would become assertions of the model."""
    if not assumptions(program.graph):
        return program
    module = GraphModule(program.graph_module, copy.deepcopy(program.graph))
    for node in assumptions(module.graph):
        module.graph.erase_node(node)
    module.meta.update(program.graph_module.meta)
    module.recompile()
    return program._update(module, program.graph_signature)


def _is_normal(program):
    """Whether each call has a function here, and none changes a tensor in place."""
    graphs = (m.graph for m in program.graph_module.modules() if isinstance(m, GraphModule))
    return all(_is_normal_call(node) for graph in graphs for node in graph.nodes)


def _is_normal_call(node):
    is_part = node.target is operator.getitem
    if node.op != "call_function" or is_part or is_number(node.meta.get("val")):
        return True
    if isinstance(node.target, torch._ops.OpOverload):
        # PyTorch detaches constants of branches in place, which changes no element.
        changes = node.target._schema.is_mutable and str(node.target) != "aten.detach_.default"
        known = is_known(node.target, calls_complex(node))
        return not changes and known and not is_declined(str(node.target), node.args)
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return control.lookup(node.target) is not None
    return False


@contextlib.contextmanager
def _without_guard_code(program):
    """Guards are read from the shape environment. As code, PyTorch would run them while it
    decomposes, which fails for inputs given as ``**kwargs``."""
    code = getattr(program, "_guards_code", None)
    program._guards_code = []
    try:
        yield
    finally:
        program._guards_code = code


class _Function(torch.nn.Module):
    """Wraps a function in a module, for torch.export."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def forward(self, *args, **kwargs):
        return self._function(*args, **kwargs)


def _all_automatic(model, args, kwargs):
    """The argument `dynamic_shapes` that leaves each size to PyTorch."""

    def automatic(x):
        return {i: Dim.AUTO for i in range(x.dim())} if isinstance(x, torch.Tensor) else None

    if isinstance(model, _Function):
        # By name, but only those that exist.
        given = {"args": args, "kwargs": kwargs} if kwargs else {"args": args}
        return pytree.tree_map(automatic, given)
    bound = inspect.signature(model.forward).bind(*args, **kwargs)
    return {name: pytree.tree_map(automatic, x) for name, x in bound.arguments.items()}


def size_names(dynamic_shapes, inputs):
    """The user's names of sizes: a dictionary from (input, axis), for the inputs in
    `dynamic_shapes` that are single tensors."""
    names = {}
    items = dynamic_shapes.items() if isinstance(dynamic_shapes, dict) else ()
    if isinstance(dynamic_shapes, (list, tuple)):
        items = zip(inputs, dynamic_shapes)
    for name, sizes in items:
        if isinstance(sizes, (list, tuple)):
            sizes = dict(enumerate(sizes))
        if not isinstance(sizes, dict):
            continue  # a number, or no entry
        for axis, size in sizes.items():
            if isinstance(axis, int) and hasattr(size, "__name__"):
                names[name, axis] = size.__name__
    return names
