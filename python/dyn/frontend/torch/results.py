# ===- results.py - Results as PyTorch lays them out -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the results of a graph the memory layout that they have in PyTorch.

An artifact returns new, contiguous tensors. PyTorch's may be views of inputs and of each
other, and may have another order in memory, which the code after the graph can observe. So
a graph is rewritten to return the bases of views, with the axes in memory order, and views
are taken of them after the call.
"""

import dataclasses
import math
import typing

import sympy
import torch

from dyn.errors import UnsupportedError
from dyn.frontend.torch.sizes import evaluator
from dyn.frontend.torch.source import source_of

#: Gaps between elements are reproduced if memory is at most this many times the elements,
#: or at most so many elements: a row of a large tensor should not keep memory for all rows.
_MOST_MEMORY = 4
_FEW = 1 << 14


class Results:
    """How the results of PyTorch's graph are made of those of the graph that
    :func:`rewrite` leaves."""

    def __init__(self, takers, requires_grad, are_complex):
        self._takers = takers
        #: By index of the rewritten graph's results: whether they have gradients, and
        #: whether they are the parts of complex numbers.
        self.requires_grad = requires_grad
        self._are_complex = are_complex

    @property
    def have_gradients(self):
        return any(self.requires_grad)

    def take(self, args, found):
        """PyTorch's results, from a call's arguments and the graph's results."""
        if any(self._are_complex):
            pairs = zip(found, self._are_complex)
            found = [torch.view_as_complex(x) if parts else x for x, parts in pairs]
        return tuple(taker.take(args, found) for taker in self._takers)


def rewrite(graph):
    """Rewrites a graph of torch.compile to return only new tensors, with their axes in
    memory order. Returns the :class:`Results`.

    Raises:
      UnsupportedError: a result is a view that cannot be taken after the call.
    """
    return _Rewriter(graph).run()


@dataclasses.dataclass
class _Same:
    """An input itself, or a result of the graph, by index."""

    of_input: bool
    index: int

    def take(self, args, found):
        return args[self.index] if self.of_input else found[self.index]


@dataclasses.dataclass
class _View(_Same):
    """A view of it."""

    #: From arguments and results: sizes, strides, offset of the first element.
    read_layout: typing.Callable
    requires_grad: bool

    def take(self, args, found):
        base = super().take(args, found)
        sizes, strides, (distance,) = self.read_layout(args, found)
        view = base.as_strided(sizes, strides, base.storage_offset() + distance)
        return view if self.requires_grad or not view.requires_grad else view.detach()


@dataclasses.dataclass
class _Ordered(_Same):
    """A tensor whose axes were permuted to memory order in the graph's result."""

    inverse: list[int]

    def take(self, args, found):
        return super().take(args, found).permute(self.inverse)


@dataclasses.dataclass
class _Strided(_Ordered):
    """Such a tensor with gaps between its elements, axes of stride 0, or non-standard
    strides along axes of size 1."""

    read_layout: typing.Callable
    repeated: list[int]

    def take(self, args, found):
        tensor = super().take(args, found)
        sizes, strides, _ = self.read_layout(args, found)
        inner = [1 if axis in self.repeated else n for axis, n in enumerate(sizes)]
        if _has_other_gaps(tensor, inner, strides):
            apart = torch.empty_strided(inner, strides, dtype=tensor.dtype)
            tensor = apart.copy_(tensor)
        tensor = tensor.expand(sizes)
        if _differs_at_ones(tensor, strides):
            tensor = tensor.as_strided(sizes, strides)
        return tensor


def _has_other_gaps(tensor, sizes, strides):
    """Whether it must be copied to memory with these strides."""
    count = tensor.numel()
    wrong = any(n > 1 and a != b for n, a, b in zip(sizes, strides, tensor.stride()))
    return count > 0 and wrong and _span(sizes, strides) <= max(_MOST_MEMORY * count, _FEW)


def _differs_at_ones(tensor, strides):
    pairs = list(zip(tensor.shape, tensor.stride(), strides))
    return all(a == b for n, a, b in pairs if n > 1) and any(a != b for _, a, b in pairs)


def _span(sizes, strides):
    return 1 + sum((n - 1) * s for n, s in zip(sizes, strides))


class _Rewriter:
    def __init__(self, graph):
        self.graph = graph
        self.placeholders = graph.find_nodes(op="placeholder")
        self.output = graph.output_node()
        #: The results of the rewritten graph: nodes, their sizes, whether they have
        #: gradients, and whether they are parts of complex numbers.
        self.returned, self.shapes, self.requires_grad, self.are_complex = [], [], [], []
        #: By node: the object that takes it.
        self.taken = {}

    def run(self):
        nodes = list(self.output.args[0])
        groups = {}
        for node in dict.fromkeys(n for n in nodes if _is_tensor(n)):
            groups.setdefault(_storage(node), []).append(node)
        with self.graph.inserting_before(self.output):
            for storage, members in groups.items():
                self._take_group(storage, members)
        takers = [self.taken.get(n) or _Same(False, self._return(n, ())) for n in nodes]
        self.output.args = (tuple(self.returned),)
        return Results(takers, self.requires_grad, self.are_complex)

    def _take_group(self, storage, members):
        """Results that share memory."""
        inputs = [n for n in self.placeholders if _is_tensor(n) and _storage(n) == storage]
        is_alone = len(members) == 1 and not _Layout.of(_value(members[0])).overlaps
        base = None if inputs or is_alone else self._base(storage, members)
        if base is not None:
            index = self._take_alone(base)
        for node in members:
            if inputs:
                origin = _origin(node, inputs)
                self._take_view(node, origin, self.placeholders.index(origin), True)
            elif base is None:
                self._take_alone(node)
            elif node is not base:
                self._take_view(node, base, index, False)

    def _base(self, storage, members):
        """The tensor that others are views of, if it fills their memory."""
        base = next(n for n in self.graph.nodes if _is_tensor(n) and _storage(n) == storage)
        value, layout = _value(base), _Layout.of(_value(base))
        if not layout.is_dense or value.storage_offset() != 0:
            return None
        ends = [_end(_value(node)) for node in members]
        return base if max(ends) <= _end(value) else None

    def _take_view(self, node, base, index, of_input):
        value, whole = _value(node), _value(base)
        if node is base:
            self.taken[node] = _Same(of_input, index)
            return
        read_layout = self._layout_reader(value, value.storage_offset() - whole.storage_offset())
        if value.dtype == whole.dtype and read_layout is not None:
            self.taken[node] = _View(of_input, index, read_layout, value.requires_grad)
        elif of_input:
            raise UnsupportedError(
                f"{node.name} ({source_of(node)}): expected a result of a view that keeps the "
                f"type, and sizes that inputs tell, found {tuple(value.shape)} of {value.dtype}"
            )
        else:
            self._take_alone(node)

    def _take_alone(self, node):
        """A tensor with memory of its own; returns its index in the graph's results."""
        value, layout = _value(node), _Layout.of(_value(node))
        inner, shape, order = node, list(value.shape), layout.order
        if value.is_complex():
            inner = self._call(torch.view_as_real, self._call(torch.resolve_conj, inner))
        for axis in layout.repeated:
            inner = self._call(torch.ops.aten.slice.Tensor, inner, axis, 0, 1)
            shape[axis] = 1
        if not layout.is_ordered:
            last = [len(order)] if value.is_complex() else []
            inner = self._call(torch.ops.aten.permute.default, inner, order + last)
        index = self._return(
            inner, [shape[axis] for axis in order], value.requires_grad, value.is_complex()
        )
        inverse = [order.index(axis) for axis in range(len(order))]
        read_layout = None if layout.is_exact or layout.overlaps else self._layout_reader(value, 0)
        if read_layout is not None:
            self.taken[node] = _Strided(False, index, inverse, read_layout, layout.repeated)
        elif layout.repeated:
            raise UnsupportedError(
                f"{node.name} ({source_of(node)}): expected a repeated result of sizes that "
                f"are known, found {tuple(value.shape)}"
            )
        elif not layout.is_ordered:
            self.taken[node] = _Ordered(False, index, inverse)
        else:
            self.taken[node] = _Same(False, index)
        return index

    def _call(self, target, node, *arguments):
        return self.graph.call_function(target, (node, *arguments))

    def _return(self, node, shape, requires_grad=False, is_complex=False):
        self.returned.append(node)
        self.shapes.append(shape)
        self.requires_grad.append(requires_grad)
        self.are_complex.append(is_complex)
        return len(self.returned) - 1

    def _layout_reader(self, value, distance):
        """A function from arguments and results to sizes, strides and offset; None if they
        have a symbol that neither determines."""
        readers = {}
        for i, node in enumerate(self.placeholders):
            for number, read in _numbers(_value(node)):
                _note(readers, number, lambda args, found, i=i, read=read: read(args[i]))
        for i, shape in enumerate(self.shapes):
            for axis, size in enumerate(shape):
                _note(readers, size, lambda args, found, i=i, a=axis: found[i].shape[a])
        numbers = [sympy.sympify(_expression(n)) for n in (*value.shape, *value.stride(), distance)]
        symbols = list({s: None for n in numbers for s in n.free_symbols})
        if any(s not in readers for s in symbols):
            return None
        rank = value.dim()
        function = evaluator(symbols, [numbers[:rank], numbers[rank:-1], numbers[-1:]])
        readers = [readers[s] for s in symbols]
        return lambda args, found: function(*(reader(args, found) for reader in readers))


@dataclasses.dataclass
class _Layout:
    """The memory layout of a tensor."""

    #: Its axes by descending stride.
    order: list[int]
    #: Axes of stride 0.
    repeated: list[int]
    #: Whether it has neither axes of stride 0 nor gaps, and whether strides along axes of
    #: size 1 are those of a new tensor with the axes in this order.
    is_dense: bool
    is_exact: bool
    overlaps: bool = False

    @property
    def is_ordered(self):
        return self.order == sorted(self.order)

    @staticmethod
    def of(value):
        rank = value.dim()
        plain = _Layout(list(range(rank)), [], True, True)
        sizes, strides = _hints(value.shape), _hints(value.stride())
        if sizes is None or strides is None or 0 in sizes:
            return plain
        repeated = [i for i in range(rank) if strides[i] == 0 and sizes[i] != 1]
        long = [i for i in range(rank) if sizes[i] != 1 and i not in repeated]
        order = sorted(long, key=lambda axis: -strides[axis])
        # The order of the other axes is irrelevant.
        if order != long:
            order = [i for i in range(rank) if i not in long] + order
        else:
            order = plain.order
        inner, is_dense = 1, not repeated
        for axis in reversed([i for i in order if i in long]):
            if strides[axis] < inner:
                return _Layout(plain.order, [], False, False, True)
            is_dense = is_dense and strides[axis] == inner
            inner = strides[axis] * sizes[axis]
        made = {axis: math.prod(sizes[a] for a in order[i + 1 :]) for i, axis in enumerate(order)}
        is_exact = is_dense and all(strides[axis] == made[axis] for axis in order)
        return _Layout(order, repeated, is_dense, is_exact)


def _value(node):
    return node.meta.get("example_value")


def _is_tensor(node):
    return isinstance(node, torch.fx.Node) and isinstance(_value(node), torch.Tensor)


def _storage(node):
    return _value(node).untyped_storage()._cdata


def _end(value):
    """Where a tensor ends in its memory, at the sizes of the example; 0 if they are
    data-dependent."""
    sizes, strides = _hints(value.shape), _hints(value.stride())
    offset = _hints([value.storage_offset()])
    if None in (sizes, strides, offset):
        return 0
    return offset[0] + (_span(sizes, strides) if 0 not in sizes else 0)


def _origin(node, inputs):
    """The input that a node is a view of."""
    found, seen, pending = set(), set(), [node]
    while pending:
        n = pending.pop()
        if n in seen:
            continue
        seen.add(n)
        if n in inputs:
            found.add(n)
        else:
            pending += [a for a in n.all_input_nodes if _value(a) is not None and not (
                _is_tensor(a) and _storage(a) != _storage(node))]  # fmt: skip
    if len(found) != 1:
        raise UnsupportedError(
            f"{node.name} ({source_of(node)}): expected a view of one input, found "
            f"{', '.join(sorted(n.name for n in found))}, which share memory"
        )
    return found.pop()


def _hints(numbers):
    """Examples of sizes or strides, None if one is data-dependent."""
    hints = [n.node.hint if isinstance(n, torch.SymInt) else n for n in numbers]
    return None if None in hints else [int(n) for n in hints]


def _expression(number):
    return number.node.expr if isinstance(number, torch.SymInt) else number


def _numbers(given):
    """The numbers that an argument determines, with functions that read them."""
    if not isinstance(given, torch.Tensor):
        return [(given, lambda x: x)]
    axes = range(given.dim())
    sizes = [(given.shape[axis], lambda x, axis=axis: x.shape[axis]) for axis in axes]
    strides = [(given.stride(axis), lambda x, axis=axis: x.stride(axis)) for axis in axes]
    return [*sizes, *strides, (given.storage_offset(), torch.Tensor.storage_offset)]


def _note(readers, number, reader):
    """Records the position of a symbol, as a function of arguments and results."""
    if isinstance(number, torch.SymInt) and number.node.expr.is_Symbol:
        readers.setdefault(number.node.expr, reader)
