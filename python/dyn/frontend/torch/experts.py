# ===- experts.py - Mixtures of experts as grouped GEMMs -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recognises mixtures that gather a matrix for each row:

    matrices = weights[ids]                       # [E, N, K] and [S]: [S, N, K]
    y = torch.bmm(matrices, x.unsqueeze(-1))      # and x [S, K]

which copies a matrix for each of S rows. It is equivalent to routes: the ids are choices of
a router among E paths, and all paths are structurally equal. So rows are sorted by path,
multiplied by a grouped GEMM, and combined to their cells. This is correct only if ids are
paths, so they must come from an operator that chooses among E.

Near misses are reported to the logger "dyn", with the reason and the line.
"""

import dataclasses
import logging
import operator

import torch

from dyn.frontend.torch.builder import Routes
from dyn.frontend.torch.source import source_of

_GATHERS = {"aten.index.Tensor", "aten.index_select.default"}
_CHOICES = {"aten.topk.default", "aten.max.dim", "aten.min.dim", "aten.sort.default"}
#: Element types that grouped GEMMs read.
_TYPES = {torch.float32, torch.float16, torch.bfloat16}
#: Operators whose elements are those of their first operand.
_MOVES = {
    "aten._to_copy.default", "aten.alias.default", "aten.clone.default", "aten.expand.default",
    "aten.contiguous.default", "aten.expand_as.default", "aten.to.device", "aten.to.dtype",
    "aten.to.dtype_layout", "aten.flatten.using_ints", "aten.permute.default",
    "aten.reshape.default", "aten.select.int", "aten.slice.Tensor", "aten.squeeze.dims",
    "aten.transpose.int", "aten.unsqueeze.default", "aten.view.default",
    "aten._unsafe_view.default",
}  # fmt: skip


@dataclasses.dataclass
class GatheredMatmul:
    """A batched matrix-vector multiplication with gathered matrices."""

    matrices: torch.fx.Node
    ids: torch.fx.Node
    vectors: torch.fx.Node
    #: Whether the vectors are rows, [S, 1, K], of matrices [E, K, N]; else columns, [S, K,
    #: 1], of matrices [E, N, K].
    are_rows: bool


class GatheredMatmuls:
    """All of them in a graph, by node."""

    def __init__(self, graph):
        self._found = {}
        #: Gathers without other users.
        self.replaced = set()
        for node in graph.nodes:
            if str(node.target) == "aten.bmm.default":
                self._match(node)
        for matmul in list(self._found):
            for gather in matmul.args[:2]:
                if _is_gather(gather) and all(user in self._found for user in gather.users):
                    self.replaced.add(gather)

    def get(self, node):
        """The :class:`GatheredMatmul` of a node, else None."""
        return self._found.get(node)

    def _match(self, node):
        left, right = node.args[:2]
        if not (_is_gather(left) or _is_gather(right)):
            return
        are_rows = _is_gather(right)
        gather, vectors = (right, left) if are_rows else (left, right)
        matrices, ids = _operands(gather)
        if sizes_of(vectors)[1 if are_rows else 2] != 1:
            remark(node, "expected one vector for each gathered matrix")
        elif node.meta["val"].dtype not in _TYPES:
            remark(node, "expected floats of 32 or 16 bits")
        elif not isinstance(sizes_of(matrices)[0], int):
            remark(node, "expected a static number of matrices")
        elif not is_choice(ids, sizes_of(matrices)[0]):
            remark(node, "expected indices of matrices that a top-k or maximum chose")
        else:
            self._found[node] = GatheredMatmul(matrices, ids, vectors, are_rows)


def _is_gather(node):
    """Whether it takes a matrix of [E, ., .] for each of [S] indices."""
    if str(node.target) not in _GATHERS or len(sizes_of(node)) != 3:
        return False
    if str(node.target) == "aten.index_select.default" and node.args[1] != 0:
        return False
    matrices, ids = _operands(node)
    return ids is not None and len(sizes_of(matrices)) == 3 and len(sizes_of(ids)) == 1


def _operands(gather):
    """The matrices and their indices."""
    if str(gather.target) == "aten.index_select.default":
        return gather.args[0], gather.args[2]
    ids = gather.args[1]
    is_first = len(ids) == 1 and ids[0] is not None and ids[0].meta["val"].dtype is not torch.bool
    return gather.args[0], ids[0] if is_first else None


def sizes_of(node):
    return node.meta["val"].shape


def is_choice(ids, paths):
    """Whether an operator chose the indices among `paths` elements."""
    while str(ids.target) in _MOVES:
        ids = ids.args[0]
    if ids.target is operator.getitem and ids.args[1] == 1:
        choice = ids.args[0]
        known = str(choice.target) in _CHOICES
        default = -1 if str(choice.target) == "aten.sort.default" else None
        position = 2 if str(choice.target) == "aten.topk.default" else 1
    else:
        choice, default, position = ids, None, 1
        known = str(choice.target) == "aten.argmax.default"
    if not known:
        return False
    axis = (
        choice.args[position] if len(choice.args) > position else choice.kwargs.get("dim", default)
    )
    axis = -1 if axis is None and str(choice.target) == "aten.topk.default" else axis
    return axis is not None and sizes_of(choice.args[0])[axis] == paths


def remark(node, reason):
    logging.getLogger("dyn").info(
        "%s: matrices are not taken for experts: %s", source_of(node), reason
    )


def build_matmul(importer, node, matmul):
    """A `dhlo.grouped_dot` of sorted rows. Returns the value of the node."""
    b, values = importer.b, importer.values
    needed = (matmul.matrices, matmul.ids, matmul.vectors)
    if any(n not in values for n in needed):
        return None
    matrices, ids, vectors = (values[n] for n in needed)
    if not matmul.are_rows:
        matrices = b.transpose(matrices, [0, 2, 1])
    routes, offsets = route_of(importer, node, ids, int(matrices.sizes[0]))
    rows = b.reshape(vectors, [ids.sizes[0], matrices.sizes[1]])
    rows = in_cells(b, f"dispatch {rows}, {routes}", [rows, routes], rows)
    y = b.grouped_dot_at(rows, matrices, offsets)
    y = in_cells(b, f"combine {y}, {routes} last", [y, routes], y)
    size = y.sizes[1]
    return b.reshape(y, [ids.sizes[0], 1, size] if matmul.are_rows else [*y.sizes, 1])


def in_cells(b, text, operands, like):
    """An operation of the dialect cell, whose result has the sizes and type of another."""
    return b.call(text, operands, like.sizes, like.dtype, "cell")


def route_of(importer, node, ids, paths):
    """Routes of these ids [S], one path each, and their offsets; one router for all
    multiplications with them."""
    b = importer.b
    key = ids.name, paths
    if key not in b.routes:
        choices = b.reshape(ids, [ids.sizes[0], 1])
        argument = b.value(choices.sizes, choices.dtype)
        routes = Routes(b.value((), torch.int64).name, ids.sizes[0], paths, ids.sizes[0])
        with b.region() as lines:
            b.choose(argument)
        name = importer.key(node, "experts")
        offsets = b.route([choices], [argument], lines, routes, name)
        b.routes[key] = routes, offsets
    return b.routes[key]
