# ===- sorted_experts.py - Mixtures of experts that sort their rows --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recognises mixtures that sort rows by expert, as transformers does by default:

    experts, order = torch.sort(ids)                      # [S], of E experts
    ends = torch.histc(experts.float(), E, 0, E - 1).cumsum(0)
    rows = x[order // k]                                  # x [S / k, K]
    y = torch._grouped_mm(rows, weights, ends)
    inverse[order] = torch.arange(S)
    y = y[inverse]

Ids that an operator chose among E are routes of S cells, one path each, and each line is an
operation of routes: the ends are offsets, `x[order // k]` dispatches cells, `bias[experts]`
takes the path of each row, and `y[inverse]` combines. So a mixture has a router, which
profiles know. Both sorts are stable: a line that is not recognised reads the same rows.
"""

import functools

import torch
from dyn.frontend.torch.experts import in_cells, is_choice, remark, route_of, sizes_of
from dyn.frontend.torch.registry import Refused
from dyn.frontend.torch.sizes import to_expr

_SORTS = {"aten.sort.default", "aten.sort.stable"}
_PRODUCTS = {"aten._grouped_mm.default", "transformers.grouped_mm_fallback.default"}
_FLOORS = {"aten.floor_divide.default", "aten.div.Tensor_mode"}
_PUTS = {"aten.index_put_.default", "aten.index_put.default"}
#: Operators whose results have the elements and sizes of their operand.
_COPIES = {
    "aten._to_copy.default", "aten.alias.default", "aten.clone.default", "aten.to.dtype",
    "aten.to.dtype_layout",
}  # fmt: skip


class SortedRows:
    """The operations of such mixtures in a graph."""

    def __init__(self, graph):
        self._builders = {}
        for node in graph.nodes:
            if str(node.target) in _SORTS and _is_of_ids(node):
                self._match(node)

    def get(self, node):
        """A function that builds a node for an importer, else None."""
        return self._builders.get(node)

    def _match(self, sort):
        ids = sort.args[0]
        experts, order = (_part(sort, number) for number in range(2))
        for ends, paths in _ends(experts):
            products = [n for n in ends.users if _is_product(n, ends, paths)]
            if not products or order is None:
                continue
            if not is_choice(ids, paths):
                remark(sort, "expected indices of experts that a top-k or maximum chose")
                continue
            found = {node: functools.partial(_build_product, node) for node in products}
            for name, index in (("order", order), ("experts", experts)):
                for node in _reads(index):
                    if name == "order" and _size(node.args[0]) == _size(ids):
                        found[node] = functools.partial(_build_dispatch, node, 1)
                    elif name == "experts" and _size(node.args[0]) == paths:
                        found[node] = functools.partial(_build_by_path, node)
            for floor in order.users:
                times = _repeats(floor, order)
                for node in _reads(floor) if times else ():
                    if _size(node.args[0]) * times == _size(ids):
                        found[node] = functools.partial(_build_dispatch, node, times)
            for inverse in order.users:
                if _is_inverse(inverse, order):
                    for node in _reads(inverse):
                        found[node] = functools.partial(_build_combine, node)
            for node, build in found.items():
                self._builders[node] = functools.partial(_build, build, sort, paths)


# ----------------------------------------------------------------------------
# The pattern
# ----------------------------------------------------------------------------


def _size(node):
    return to_expr(sizes_of(node)[0]) if len(sizes_of(node)) else None


def _is_of_ids(sort):
    """Whether it sorts the one axis of a tensor upwards."""
    at = 2 if str(sort.target) == "aten.sort.stable" else 1
    given = dict(zip(("dim", "descending"), sort.args[at:])) | sort.kwargs
    return len(sizes_of(sort.args[0])) == 1 and not given.get("descending", False)


def _part(node, number):
    """A result of a node, if it is used."""
    return next((n for n in node.users if n.args[1] == number), None)


def _copies(node):
    """A node and its copies, of any element type."""
    found = [node] if node is not None else []
    for copy in found:
        found += [n for n in copy.users if str(n.target) in _COPIES]
    return found


def _ends(experts):
    """Yields the ends of the rows of each expert, and the number of experts."""
    for copy in _copies(experts):
        for histc in copy.users:
            if str(histc.target) != "aten.histc.default":
                continue
            _, bins, low, high = (*histc.args, *(None,) * 3)[:4]
            if low != 0 or high != bins - 1:
                continue
            for counts in _copies(histc):
                for sums in counts.users:
                    if str(sums.target) == "aten.cumsum.default":
                        yield from ((ends, bins) for ends in _copies(sums))


def _is_product(node, ends, paths):
    if str(node.target) not in _PRODUCTS:
        return False
    rows, matrices, offsets = (*node.args, node.kwargs.get("offs"))[:3]
    return (
        offsets is ends
        and len(node.args) <= 3
        and not any(value is not None for key, value in node.kwargs.items() if key != "offs")
        and len(sizes_of(rows)) == 2
        and len(sizes_of(matrices)) == 3
        and sizes_of(matrices)[0] == paths
    )


def _reads(index):
    """The nodes that take rows of a tensor by an index."""
    for node in index.users if index is not None else ():
        if str(node.target) == "aten.index.Tensor" and list(node.args[1]) == [index]:
            if node.args[0] is not index:
                yield node


def _repeats(node, order):
    """k of order // k, else None."""
    if str(node.target) not in _FLOORS or node.args[0] is not order:
        return None
    if str(node.target) == "aten.div.Tensor_mode" and node.kwargs.get("rounding_mode") != "floor":
        return None
    return node.args[1] if isinstance(node.args[1], int) and node.args[1] > 0 else None


def _is_inverse(node, order):
    """Whether it puts the numbers from 0 on at the positions of an order."""
    if str(node.target) not in _PUTS or list(node.args[1]) != [order]:
        return False
    target, _, numbers = node.args[:3]
    return (
        len(node.args) == 3
        and not node.kwargs
        and str(numbers.target) == "aten.arange.default"
        and _size(target) == _size(numbers) == _size(order)
    )


# ----------------------------------------------------------------------------
# Operations of routes
# ----------------------------------------------------------------------------


def _build(build, sort, paths, importer):
    ids = importer.values.get(sort.args[0])
    if ids is None or any(n not in importer.values for n in build.args[0].all_input_nodes[:1]):
        return None
    return build(importer, *route_of(importer, sort, ids, paths))


def _build_product(node, importer, routes, offsets):
    rows, matrices = (importer.values[n] for n in node.args[:2])
    if rows.dtype != matrices.dtype:
        raise Refused("expected rows and matrices of the same type")
    return importer.b.grouped_dot_at(rows, matrices, offsets)


def _build_dispatch(node, times, importer, routes, offsets):
    b, x = importer.b, importer.values[node.args[0]]
    if times > 1:
        rows, *rest = x.sizes
        axes = [0, *range(2, x.rank + 1)]
        x = b.reshape(b.broadcast(x, axes, [rows, times, *rest]), [rows * times, *rest])
    return in_cells(b, f"dispatch {x}, {routes}", [x, routes], x)


def _build_by_path(node, importer, routes, offsets):
    b, x = importer.b, importer.values[node.args[0]]
    paths = b.value([routes.rows], torch.int64)
    b.line(f"{paths} = cell.paths {routes} : {b.type_of(routes)} -> {b.type_of(paths)}")
    return b.gather(x, paths, 0)


def _build_combine(node, importer, routes, offsets):
    b, y = importer.b, importer.values[node.args[0]]
    return in_cells(b, f"combine {y}, {routes} last", [y, routes], y)
