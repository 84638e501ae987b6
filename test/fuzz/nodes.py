# ===- nodes.py - Invalid nodes --------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damage to ONNX models of one or a few nodes: ranks, types and numbers that their
operators do not accept. Each change takes a generator of random numbers, a model, one of
its graphs and the node of another model."""

import contextlib

import numpy as np
from mutations import NUMBERS

SIZES = [0, 1, 2, 3, 4, 8]
TYPES = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16]
FLOATS = [0.0, 1.0, -1.0, 0.5, 1e30, float("inf"), float("nan")]
WORDS = [b"", b"linear", b"reflect", b"SAME_UPPER", b"sum", b"max", b"...,ij->", b"ii->i"]
WHOLE = [number for number in NUMBERS if -(2**63) <= number < 2**63]


def mutate_node(rng, data, other):
    import onnx

    model, donor = onnx.ModelProto.FromString(data), onnx.ModelProto.FromString(other)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change = rng.choice(CHANGES)
        # A model to which the change does not apply is unchanged.
        with contextlib.suppress(ValueError, IndexError, KeyError):
            change(rng, model, rng.choice(graphs_of(model.graph)), rng.choice(donor.graph.node))
    return model.SerializeToString()


def graphs_of(graph):
    """The graph and all graphs in it."""
    inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
    return [graph, *(found for one in inner for found in graphs_of(one))]


def change_rank(rng, model, graph, donor):
    sizes = rng.choice(graph.input).type.tensor_type.shape.dim
    for _ in range(rng.choice([1, 1, 2])):
        if sizes and rng.random() < 0.5:
            del sizes[rng.randrange(len(sizes))]
        else:
            sizes.add().dim_value = rng.choice(SIZES)


def change_size(rng, model, graph, donor):
    sizes = rng.choice(graph.input).type.tensor_type.shape.dim
    rng.choice(list(sizes)).dim_value = rng.choice(WHOLE)


def forget_sizes(rng, model, graph, donor):
    for value in graph.input:
        for size in value.type.tensor_type.shape.dim:
            if rng.random() < 0.7:
                size.Clear()
            if rng.random() < 0.2:
                size.dim_param = rng.choice("NM")


def change_type(rng, model, graph, donor):
    rng.choice(graph.input).type.tensor_type.elem_type = rng.choice(TYPES)


def make_constant(rng, model, graph, donor):
    """One of the inputs becomes a constant, perhaps with another size."""
    import onnx

    value = rng.choice(graph.input)
    shape = [size.dim_value for size in value.type.tensor_type.shape.dim]
    if shape and rng.random() < 0.3:
        shape[rng.randrange(len(shape))] = rng.choice(SIZES)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    count = min(int(np.prod(shape)), 4096)
    few = WHOLE if rng.random() < 0.5 else [0, 1, 2, 3, -1]
    numbers = few if np.issubdtype(dtype, np.integer) else FLOATS
    with np.errstate(all="ignore"):
        array = np.array([rng.choice(numbers) for _ in range(count)]).astype(dtype)
    model.graph.initializer.append(onnx.numpy_helper.from_array(array.reshape(shape), value.name))


def change_attribute(rng, model, graph, donor):
    node = rng.choice(graph.node)
    attribute = rng.choice(node.attribute)
    if rng.random() < 0.2:
        node.attribute.remove(attribute)
    elif attribute.type == attribute.INT:
        attribute.i = rng.choice(WHOLE)
    elif attribute.type == attribute.FLOAT:
        attribute.f = rng.choice(FLOATS)
    elif attribute.type == attribute.STRING:
        attribute.s = rng.choice(WORDS)
    elif attribute.type == attribute.TENSOR:
        attribute.t.dims.append(rng.choice(SIZES))
    elif attribute.type == attribute.INTS:
        numbers, at = list(attribute.ints), rng.randrange(len(attribute.ints) + 1)
        numbers[at : at + rng.randrange(2)] = [rng.choice(WHOLE)] * rng.randrange(2)
        del attribute.ints[:]
        attribute.ints.extend(numbers)


def change_inputs(rng, model, graph, donor):
    node = rng.choice(graph.node)
    names = ["", *(value.name for value in graph.input)]
    names += [name for other in graph.node for name in other.output]
    inputs = list(node.input)
    how = rng.choice(["other", "other", "order", "more", "fewer"])
    if how == "other":
        inputs[rng.randrange(len(inputs))] = rng.choice(names)
    elif how == "order":
        rng.shuffle(inputs)
    elif how == "more":
        inputs.append(rng.choice(names))
    else:
        inputs.pop()
    del node.input[:]
    node.input.extend(inputs)


def want_outputs(rng, model, graph, donor):
    """All outputs of a node, and one more, become outputs of the graph."""
    node = rng.choice(graph.node)
    node.output.append(f"more{len(node.output)}")
    known = {value.name for value in graph.output}
    for name in set(node.output) - known - {""}:
        graph.output.add().name = name


def change_operator(rng, model, graph, donor):
    node = rng.choice(graph.node)
    node.op_type, node.domain = donor.op_type, donor.domain
    if rng.random() < 0.5:
        del node.attribute[:]
        node.attribute.extend(donor.attribute)


CHANGES = [change_rank, change_rank, change_size, forget_sizes, change_type, make_constant]
CHANGES += [make_constant, change_attribute, change_attribute, change_inputs, want_outputs]
CHANGES += [change_operator]
