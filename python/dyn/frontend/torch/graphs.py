# ===- graphs.py - Graphs of torch.compile as modules to export ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prepares the graphs that torch.compile passes to a backend.

Such a graph takes everything as an input: sizes (SymInts), parameters, and even the floats
of modules. Here sizes are read from the tensors that have them, and parameters and floats
are built in, so that the rest can be exported like any module.
"""

import copy
import dataclasses
import operator
import typing

import torch
from torch.export import Dim

from dyn.frontend.torch.exporting import NUMBER, export, normalize
from dyn.frontend.torch.guards import assumptions
from dyn.frontend.torch.program import positions_of
from dyn.frontend.torch.registry import UnknownError


@dataclasses.dataclass
class Prepared:
    """A graph whose inputs are only tensors and integers of the user."""

    module: torch.fx.GraphModule
    #: Which inputs of the original graph are left.
    kept: list[int]
    #: By index: parameters that are built in.
    parameters: dict[int, torch.Tensor]
    #: By index: floats that are built in.
    floats: dict[int, typing.Any]
    #: Which of the remaining inputs are complex, and are passed as their parts.
    are_complex: set[int]
    args: tuple[typing.Any, ...]
    dynamic_shapes: dict[str, typing.Any]


def floats_of(graph_module):
    """Which inputs are floats of modules, which are passed as tensors. PyTorch provides
    this only while it compiles a graph."""
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    return {i for i, node in enumerate(placeholders) if _is_float(node)}


def is_same_number(x, y):
    """Whether a program is the same with either number: zeros have signs, and a NaN is
    equal to itself."""
    return repr(x) == repr(y)


def prepare(graph_module, example_inputs, floats, fixed=()):
    """The :class:`Prepared` form of a graph with these inputs, of which `floats` are those
    that :func:`floats_of` found. The sizes and integers `fixed` are those of the example:
    pairs of an input and an axis, None for an integer."""
    graph_module = torch.fx.GraphModule(graph_module, copy.deepcopy(graph_module.graph))
    placeholders = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    sizes = {size: positions[0] for size, positions in _sizes_of_tensors(placeholders).items()}
    _drop_gradient_modes(graph_module.graph)
    for node in assumptions(graph_module.graph):
        graph_module.graph.erase_node(node)
    numbers = {i: example_inputs[i].item() for i in floats}
    for i, number in numbers.items():
        _replace_float(placeholders[i], number)
    first = next(n for n in graph_module.graph.nodes if n.op != "placeholder")
    kept, parameters, args, dynamic_shapes, are_complex = [], {}, [], {}, set()
    for i, (node, example) in enumerate(zip(placeholders, example_inputs)):
        if i in numbers:
            continue
        if _is_parameter(node, example):
            parameters[i] = example
            _replace_parameter(graph_module, node, example, first)
        elif not node.users and not isinstance(example, torch.Tensor):
            graph_module.graph.erase_node(node)  # a stride, which dyn does not need
        elif (i, None) in fixed:
            _replace(node, int(example))
        elif _size(node) in sizes:
            _replace_size(graph_module.graph, node, *sizes[_size(node)], first)
        else:
            kept.append(i)
            args.append(_example(example))
            dynamic_shapes[node.target] = _dynamic_shape(node, {a for j, a in fixed if j == i})
            if isinstance(example, torch.Tensor) and example.is_complex():
                are_complex.add(i)
                _take_parts(node, first)
    _assert_equal_sizes(graph_module.graph, placeholders, first)
    _add_autocast(graph_module.graph, first)
    graph_module.recompile()
    return Prepared(
        graph_module, kept, parameters, numbers, are_complex, tuple(args), dynamic_shapes
    )


def exported(graph_module, example_inputs, floats, use):
    """Exports a graph for `use`, a function of the program. Sizes and integers that must be
    static, such as strides of convolutions, are built in.

    Returns the :class:`Prepared` form and the positions of these, pairs of an input and an
    axis.
    """
    fixed = set()
    while True:
        prepared = prepare(graph_module, example_inputs, floats, fixed)
        program = normalize(export(prepared.module, prepared.args, None, prepared.dynamic_shapes))
        try:
            use(program)
            return prepared, fixed
        except UnknownError as error:
            found = positions_of(program, error.symbols)
            unknown = {(prepared.kept[i], axis) for i, axis in found} - fixed
            if not unknown:
                raise
            fixed |= unknown


def _drop_gradient_modes(graph):
    """Results have no gradients. A call that disables them for a part of a model would be
    followed by one that enables them."""
    for node in list(graph.nodes):
        if node.target is torch._C._set_grad_enabled:
            graph.erase_node(node)


def _is_float(node):
    argument = node.meta.get("grapharg")
    return argument is not None and argument.pass_arg_as_tensor and all(
        user.op == "call_method" and user.target == "item" for user in node.users
    )  # fmt: skip


def _is_parameter(node, example):
    kind = (node.meta.get("tensor_dict") or {}).get("_dynamo_static_input_type")
    return isinstance(example, torch.nn.Parameter) or kind is not None


def _size(node):
    """The expression of an input that is a size, else None."""
    value = node.meta.get("example_value")
    return value.node.expr if isinstance(value, torch.SymInt) else None


def _sizes_of_tensors(placeholders):
    """Sizes of the tensors among the inputs: positions, (tensor, axis), by expression."""
    sizes = {}
    for node in placeholders:
        value = node.meta.get("example_value")
        if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
            for axis, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt):
                    sizes.setdefault(size.node.expr, []).append((node, axis))
    return sizes


def _replace(node, replacement):
    node.replace_all_uses_with(replacement)
    node.graph.erase_node(node)


def _replace_float(node, value):
    for user in list(node.users):
        _replace(user, value)
    node.graph.erase_node(node)


def _replace_parameter(graph_module, node, example, first):
    """Registers it under the name that it has in the model."""
    name = _attribute_name(node)
    if isinstance(example, torch.nn.Parameter):
        graph_module.register_parameter(name, example)
    else:
        graph_module.register_buffer(name, example)
    with node.graph.inserting_before(first):
        _replace(node, node.graph.get_attr(name))


def _attribute_name(node):
    """`l_self_modules_a_parameters_weight_` without the parts that all names share."""
    name = node.name.removeprefix("l_self_").removesuffix("_")
    return name.replace("modules_", "").replace("parameters_", "").replace("buffers_", "")


def _replace_size(graph, node, tensor, axis, first):
    with graph.inserting_before(first):
        _replace(node, graph.call_function(torch.ops.aten.sym_size.int, (tensor, axis)))


def parts(tensor):
    """The real and imaginary parts of a complex tensor, along a new axis."""
    return torch.view_as_real(tensor.resolve_conj())


def _take_parts(node, first):
    """Replaces a complex input by its parts."""
    with node.graph.inserting_before(first):
        whole = node.graph.call_function(torch.view_as_complex, (node,))
    sizes = torch.ops.aten.sym_size.int
    node.replace_all_uses_with(whole, lambda user: user is not whole and user.target is not sizes)


def _assert_equal_sizes(graph, placeholders, first):
    """Sizes that torch.compile found equal, and guards, are asserted equal in the
    export."""
    alive = set(graph.nodes)
    placeholders = [n for n in placeholders if n in alive]
    with graph.inserting_before(first):
        for (tensor, axis), *others in _sizes_of_tensors(placeholders).values():
            for other, other_axis in others:
                sizes = [
                    graph.call_function(torch.ops.aten.sym_size.int, position)
                    for position in ((tensor, axis), (other, other_axis))
                ]
                equal = graph.call_function(operator.eq, tuple(sizes))
                graph.call_function(torch._check, (equal,))


def _add_autocast(graph, first):
    """Makes the autocast of the call, if there is one, part of the graph."""
    if not torch.is_autocast_enabled("cpu"):
        return
    state = ("cpu", torch.get_autocast_dtype("cpu"), True, torch.is_autocast_cache_enabled())
    with graph.inserting_before(first):
        mode = graph.call_function(torch.amp._enter_autocast, state)
    with graph.inserting_before(graph.output_node()):
        graph.call_function(torch.amp._exit_autocast, (mode,))


def _example(example):
    """A size as a number, a complex tensor as its parts."""
    if isinstance(example, torch.SymInt):
        # As an `int` it would be a guard of PyTorch on this one number.
        return example.node.hint
    if not isinstance(example, torch.Tensor):
        return int(example)
    return parts(example.detach()) if example.is_complex() else example.detach()


def _dynamic_shape(node, fixed):
    """torch.compile passes sizes as dynamic even if its trace has fixed them, under guards
    of its own. Those of the axes `fixed` are static."""
    value = node.meta.get("example_value")
    if isinstance(value, torch.SymInt):
        return NUMBER
    if not isinstance(value, torch.Tensor):
        return None
    sizes = enumerate(value.shape)
    return {i: Dim.AUTO for i, s in sizes if isinstance(s, torch.SymInt) and i not in fixed}
