# ===- regions.py - Regions of routes in a graph ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the regions of routers and of switches between their markers.

A graph of PyTorch is flat. The branch of a path consists of the nodes that depend on the
rows that `dyn.path` returns for it, up to the `dyn.merge` of its switch; its other operands
precede the switch. A router consists of the nodes between `dyn.router` and `dyn.route`.
Regions nest: the nodes of an inner one belong to it alone.
"""

import dataclasses

import torch

from dyn.frontend.torch.registry import ASSERTIONS

_ROUTER = "dyn.router.default"
_ROUTE = "dyn.route.default"
_MERGE = "dyn.merge.default"
_COMBINE = "dyn.combine.default"


@dataclasses.dataclass
class Switch:
    """The branches of a `dyn.merge` that were traced: their `dyn.path`, and the nodes of
    each in the order of the graph. `reached` also has the nodes of inner regions."""

    paths: list
    branches: list
    reached: list


class Regions:
    """The regions of a graph, by the node that ends them."""

    def __init__(self, graph):
        self._nodes = list(graph.nodes)
        self._position = {node: i for i, node in enumerate(self._nodes)}
        self._hidden = set()
        #: By `dyn.merge`.
        self.switches = {}
        #: By `dyn.route`: nodes of the router.
        self.routers = {}
        #: Errors: (node, message).
        self.errors = []
        #: Nodes that end a region.
        self.ends = [n for n in self._nodes if str(n.target) in (_ROUTE, _MERGE)]
        self._live = self._find_live() if self.ends else set()
        # Inner regions end before their outer ones.
        for end in self.ends:
            try:
                if str(end.target) == _MERGE:
                    self.switches[end] = self._find_switch(end)
                else:
                    self.routers[end] = self._find_router(end)
            except _Misplaced as error:
                self.errors.append((error.node, error.message))
                self._hidden |= set().union(*(self._reach(p, end) for p in _paths(end)))

    def outermost(self):
        """The nodes that are in no region."""
        return self._outside(self._nodes)

    def _outside(self, nodes):
        return [node for node in nodes if node not in self._hidden]

    def _sorted(self, nodes):
        return sorted(nodes, key=self._position.__getitem__)

    def _find_live(self):
        """The nodes that the program's results depend on."""
        live, work = set(), [n for n in self._nodes if n.op == "output"]
        while work:
            node = work.pop()
            if node not in live:
                live.add(node)
                work += operands(node)
        return live

    # ------------------------------------------------------------------------
    # Switches
    # ------------------------------------------------------------------------

    def _find_switch(self, merge):
        paths = _paths(merge)
        regions = [self._reach(path, merge) for path in paths]
        for region in regions:
            self._check_ends(region, merge)
        seen = {}
        for number, region in enumerate(regions):
            for node in self._sorted(region & self._live):
                if node in seen:
                    raise _Misplaced(node, f"combines rows of the paths {seen[node]} and {number}")
                seen[node] = number
        branches = []
        for region in regions:
            nodes = self._sorted(region)
            nodes = [n for n in nodes if n in self._live or str(n.target) in ASSERTIONS]
            branches.append(self._outside(nodes))
            self._hidden |= region
        return Switch(paths, branches, regions)

    def _reach(self, path, merge):
        """The nodes that depend on the rows of a path, without the end of its switch."""
        reached, work = set(), [path]
        while work:
            node = work.pop()
            if node in reached or node is merge:
                continue
            reached.add(node)
            work += _users(node)
        return reached

    def _check_ends(self, reached, merge):
        if any(node.op == "output" for node in reached):
            inside = _ancestors(merge)
            first = self._sorted((reached & self._live) - inside)[0]
            if first.op == "output":
                first = self._sorted(set(first.all_input_nodes) & reached)[-1]
            raise _Misplaced(first, "uses the rows of a path outside of its branch")

    # ------------------------------------------------------------------------
    # Routers
    # ------------------------------------------------------------------------

    def _find_router(self, route):
        """The nodes between the cells and the choices. Nodes that the rest of the program
        needs, too, are built twice."""
        markers = {cell.args[0] for cell in route.args[0]}
        needed = _ancestors(*operands(route)) | set(operands(route))
        region, work = set(), list(markers)
        while work:
            node = work.pop()
            if node in region or (node not in needed and node not in markers):
                continue
            region.add(node)
            work += [user for user in _users(node) if user is not route]
        nodes = self._outside(self._sorted(region))
        self._hidden |= region - self._needed_outside(region, route)
        return nodes

    def _needed_outside(self, region, route):
        needed = set()
        for node in reversed(self._sorted(region)):
            for user in _users(node):
                inside = user in region and user not in needed
                if user is not route and not inside and user in self._live and not _is_size(user):
                    needed.add(node)
        return needed


class _Misplaced(Exception):
    def __init__(self, node, message):
        super().__init__(message)
        self.node, self.message = node, message


def _paths(merge):
    """The `dyn.path` of each branch."""
    return [row.args[0] for row in merge.args[0]]


def choice_of(route):
    """The choices, weights and priorities of a `dyn.route`; None for a missing one."""
    return route.args[1:4]


def operands(node):
    """The operands of a node in dhlo: routes include their weights."""
    if str(node.target) == _ROUTE:
        return [n for n in (*choice_of(node), node.args[5]) if isinstance(n, torch.fx.Node)]
    if str(node.target) == _COMBINE:
        return [n for i, n in enumerate(node.args) if i != 3 and isinstance(n, torch.fx.Node)]
    return node.all_input_nodes


def _users(node):
    return [user for user in node.users if node in operands(user) or str(user.target) == _MERGE]


def _ancestors(*nodes):
    found, work = set(), list(nodes)
    while work:
        for operand in operands(work.pop()):
            if operand not in found:
                found.add(operand)
                work.append(operand)
    return found


def _is_size(node):
    return isinstance(node.meta.get("val"), (int, torch.SymInt, torch.SymBool))
