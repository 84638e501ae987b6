# ===- admission.py - Which graphs and calls of torch.compile dyn accepts --===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Detects graphs and calls that only PyTorch can compute, before anything is compiled."""

import bisect
import itertools

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

from dyn.errors import UnsupportedError
from dyn.frontend.torch.source import source_of

_PLAIN = (torch.Tensor, torch.nn.Parameter, FakeTensor)


def check_graph(graph_module, example_inputs):
    """
    Raises:
      UnsupportedError: a graph has tensors other than plain dense ones in host memory;
        names each input and call that has.
    """
    problems = []
    nodes = graph_module.graph.nodes
    examples = iter(example_inputs)
    for node in nodes:
        is_input = node.op == "placeholder"
        values = [next(examples)] if is_input else pytree.tree_leaves(_value(node))
        for value in values:
            problem = isinstance(value, torch.Tensor) and _problem(value)
            if problem:
                what = f"input {node.name}" if is_input else describe(node)
                problems.append(f"{what}: {problem}")
        if _is_strided_view(node) and not _is_in_order(_value(node.args[0])):
            problems.append(
                f"{describe(node)}: expected a tensor that lies in memory in the order of its axes"
            )
    if problems:
        raise UnsupportedError("\n".join(dict.fromkeys(problems)))


def describe(node):
    """The name of a call of a graph of torch.compile in messages."""
    name = node.target if isinstance(node.target, str) else str(node.target)
    if not isinstance(node.target, (str, torch._ops.OpOverload)):
        name = getattr(node.target, "__name__", name)
    return f"{name} ({source_of(node)})"


def strided_inputs(graph_module):
    """Which inputs a graph reads by memory offsets."""
    inputs = {}
    for i, node in enumerate(graph_module.graph.find_nodes(op="placeholder")):
        if isinstance(_value(node), torch.Tensor):
            inputs.setdefault(_value(node).untyped_storage()._cdata, []).append(i)
    views = filter(_is_strided_view, graph_module.graph.nodes)
    storages = {_value(node.args[0]).untyped_storage()._cdata for node in views}
    return [i for storage in storages for i in inputs.get(storage, ())]


def fills_its_memory(tensor):
    """Whether a tensor is contiguous and alone in its storage."""
    return (
        tensor.is_contiguous()
        and tensor.storage_offset() == 0
        and tensor.untyped_storage().nbytes() == tensor.numel() * tensor.element_size()
    )


def problem_of_call():
    """The reason why PyTorch has to compute the call of this thread; None if there is
    none."""
    if forward_ad._current_level >= 0:
        return "derivatives are taken in forward mode"
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return "the call is in a transform of torch.func"
    if torch._C._len_torch_dispatch_stack() > 0:
        return "a mode of PyTorch watches the operators of the call"
    return None


class Memory:
    """The memory of tensors, to test whether others share it."""

    def __init__(self, tensors):
        spans = sorted(filter(None, map(_span, tensors)))
        self._begins = [begin for begin, _ in spans]
        self._ends = list(itertools.accumulate((end for _, end in spans), max))

    def overlaps(self, tensor):
        span = _span(tensor)
        if span is None:
            return False
        before = bisect.bisect_left(self._begins, span[1])
        return before > 0 and self._ends[before - 1] > span[0]


def shares_memory(tensors, changed, fixed):
    """Whether one of the `tensors` with the indices `changed`, which are changed in place,
    shares elements with another one or with a tensor of `fixed`, or overlaps itself."""
    for i in changed:
        others = Memory(x for j, x in enumerate(tensors) if j != i and isinstance(x, torch.Tensor))
        if others.overlaps(tensors[i]) or fixed.overlaps(tensors[i]):
            return True
        if torch._debug_has_internal_overlap(tensors[i]) == 1:
            return True
    return False


def _span(tensor):
    """The begin and the end of a tensor's elements in memory."""
    if tensor.numel() == 0:
        return None
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
    begin = tensor.data_ptr()
    return begin, begin + (last + 1) * tensor.element_size()


def _problem(tensor):
    if type(tensor) not in _PLAIN:
        return f"expected a plain tensor, found a {type(tensor).__name__}"
    if tensor.device.type != "cpu":
        return f"expected a tensor on the device 'cpu', found '{tensor.device}'"
    if tensor.layout != torch.strided or tensor.is_nested:
        return f"expected a dense tensor, found the layout {tensor.layout}"
    if tensor.is_quantized:
        return f"expected numbers that are not quantized, found {tensor.dtype}"
    return None


def _value(node):
    return node.meta.get("example_value")


def _is_strided_view(node):
    """Whether a call reads its tensor by memory offsets."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return (
        node.op in ("call_function", "call_method")
        and name.split(".")[0] in ("as_strided", "as_strided_")
        and isinstance(node.args[0], torch.fx.Node)
        and isinstance(_value(node.args[0]), torch.Tensor)
    )


def _is_in_order(value):
    stride = 1
    for n, s in zip(reversed(value.shape), reversed(value.stride())):
        if not (isinstance(n, int) and n == 1) and s is not stride and not _is_equal(s, stride):
            return False
        stride = stride * n
    return True


def _is_equal(a, b):
    """Whether two sizes are the same expression."""
    a, b = (x.node.expr if isinstance(x, torch.SymInt) else x for x in (a, b))
    return bool(a == b)
