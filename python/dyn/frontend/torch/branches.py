# ===- branches.py - One traced branch for several paths -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The branches of a switch, one of which may be traced for all that are structurally equal
(see dyn/routing/likeness.py).

Such a branch is built once for each path, from the same nodes, with these changes: the
path's own tensors instead of the first branch's; new symbols for data-dependent sizes
within the branch, such as the number of rows; and the name of the path's module in
locations and in keys of routers.
"""

import contextlib
import dataclasses
import itertools

import torch

from dyn.frontend.torch.registry import Refused
from dyn.frontend.torch.regions import operands
from dyn.frontend.torch.sizes import substituting, substitution


@dataclasses.dataclass
class Branch:
    """The branch that is built for a path."""

    path: torch.fx.Node
    nodes: list
    yields: list
    #: The nodes before the switch that compute on tensors of this branch.
    before: list
    #: By node of a tensor of the first branch: the node of the path's own.
    tensors: dict
    #: By symbol: its replacement.
    sizes: dict
    #: Paths of modules, (the first branch's, its own), None if it is the first.
    modules: tuple | None

    @contextlib.contextmanager
    def entered(self, importer):
        """Within a ``with`` block, nodes are built for the path."""
        if self.modules is None:
            yield
            return
        values, outer = importer.values, dict(importer.values)
        location = importer.b.location
        importer.renamed.append(self.modules)
        try:
            with substituting(self.sizes):
                values.update({old: outer[new] for old, new in self.tensors.items()})
                for node in self.before:
                    importer.visit(node)
                importer.b.location = location
                yield
        finally:
            importer.renamed.pop()
            values.clear()
            values.update(outer)


def branches_of(importer, merge, switch):
    """The :class:`Branch` of each path of a switch."""
    _, parts, _, stands, tensors, counts = merge.args
    of_paths, begin = [], 0
    for count in counts:
        of_paths.append(tensors[begin : begin + count])
        begin += count
    found, firsts = [], {}
    for number, traced in enumerate(stands):
        path, nodes = switch.paths[traced], switch.branches[traced]
        branch = Branch(
            path, nodes, parts[traced :: len(switch.paths)], [], {}, substitution(), None
        )
        first = firsts.setdefault(traced, number)
        if first != number:
            branch.tensors = dict(zip(of_paths[first], of_paths[number]))
            branch.before = _before(importer, path, branch.tensors, switch.reached[traced])
            branch.sizes = copied_symbols(importer.b, switch.reached[traced])
            branch.modules = _modules(importer, branch.tensors)
        found.append(branch)
    return found


def _before(importer, path, tensors, reached):
    """The nodes outside of a branch that compute values for it from these tensors. Those
    before its path are of other calls of the same modules, whose results stay."""
    if any(importer.name_of(n) is None for pair in tensors.items() for n in pair):
        raise Refused("expected parameters and buffers for the tensors of like branches")
    used, work = set(), list(reached)
    while work:
        for node in operands(work.pop()):
            if node not in used and node not in reached:
                used.add(node)
                work.append(node)
    dependent = set(tensors)
    found = []
    for node in itertools.dropwhile(lambda n: n is not path, path.graph.nodes):
        if node in used and node not in dependent and not dependent.isdisjoint(operands(node)):
            dependent.add(node)
            found.append(node)
    return found


def copied_symbols(b, reached):
    """The substitution of symbols: new ones for those that some nodes bind, because the
    nodes are built more than once."""
    outer = substitution()
    found = dict(outer)
    for node in reached:
        for symbol in _symbols(node.meta.get("val")):
            is_outer = b.symbols.is_bound(symbol) or symbol in b.numbers
            if symbol not in found and not is_outer:
                found[symbol] = b.symbols.copy_of(symbol)
    return found


def _symbols(value):
    """PyTorch's symbols in the value of a node, in order."""
    if isinstance(value, (list, tuple)):
        return [s for x in value for s in _symbols(x)]
    if isinstance(value, torch.Tensor):
        return [s for size in value.shape for s in _symbols(size)]
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return sorted(value.node.expr.free_symbols, key=str)
    return []


def _modules(importer, tensors):
    """The paths of two modules, by the names of their tensors."""
    old, new = next(iter(tensors.items()))
    old, new = (importer.name_of(n).split(".") for n in (old, new))
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return ".".join(old), ".".join(new)
