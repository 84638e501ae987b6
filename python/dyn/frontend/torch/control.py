# ===- control.py - Branches and loops of PyTorch --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds `torch.cond`, `while_loop`, `scan` and `map` as `dhlo.if` and `dhlo.while`.

Their bodies are separate graphs, whose inputs represent operands of the call and whose
symbols are those of the program. A failure in a body is reported there, and the result here
is None.
"""

import contextlib

import sympy
import torch

from dyn.frontend.torch import scalars
from dyn.frontend.torch.branches import copied_symbols
from dyn.frontend.torch.builder import Value
from dyn.frontend.torch.experts import GatheredMatmuls
from dyn.frontend.torch.guards import end_region
from dyn.frontend.torch.regions import Regions
from dyn.frontend.torch.registry import Refused
from dyn.frontend.torch.sizes import (
    is_number,
    substituted,
    substituting,
    to_expr,
    to_exprs,
)
from dyn.frontend.torch.sorted_experts import SortedRows


def lookup(target):
    """The function that builds a call, or None. It takes the importer and the node."""
    if not isinstance(target, torch._ops.HigherOrderOperator):
        return None
    return _BUILDERS.get(target.name())


class _Failed(Exception):
    """A node of a body could not be built, which has been reported."""


def _build(function):
    def build(importer, node):
        try:
            return function(importer, node)
        except _Failed:
            return None

    return build


# ----------------------------------------------------------------------------
# Bodies
# ----------------------------------------------------------------------------


def _graph(importer, node):
    return getattr(importer.module, node.target)


@contextlib.contextmanager
def _inside(importer, module):
    """Within a ``with`` block the importer visits nodes of this graph."""
    outer = (
        importer.module,
        importer.regions,
        importer.gathered_matmuls,
        importer.sorted_rows,
    )
    importer.module = module
    importer.regions = Regions(module.graph)
    importer.gathered_matmuls = GatheredMatmuls(module.graph)
    importer.sorted_rows = SortedRows(module.graph)
    try:
        yield importer.regions
    finally:
        (
            importer.module,
            importer.regions,
            importer.gathered_matmuls,
            importer.sorted_rows,
        ) = outer


def _call(importer, module, arguments):
    """The results of a graph for these arguments."""
    nodes = iter(module.graph.find_nodes(op="placeholder"))
    for node, argument in zip(nodes, arguments, strict=True):
        if argument is not None:
            importer.values[node] = argument
    with _inside(importer, module) as regions:
        if regions.errors:
            raise Refused(regions.errors[0][1])
        for node in regions.outermost():
            if node.op != "placeholder":
                importer.visit(node)
    (end,) = module.graph.find_nodes(op="output")
    return [_result(importer, r) for r in _flat(end.args[0])]


def _flat(results):
    return results if isinstance(results, (list, tuple)) else [results]


def _result(importer, result):
    """A tensor that a graph returns, or an integer as one."""
    if isinstance(result, int):
        return importer.b.scalar(result, torch.int64)
    if not isinstance(result, torch.fx.Node):
        raise Refused(f"expected tensors as results of a body, found {result}")
    value = importer.values.get(result)
    if isinstance(value, Value):
        return value
    if isinstance(result.meta.get("val"), (torch.SymInt, torch.SymBool)):
        return scalars.number(importer.b, result.meta["val"])
    raise _Failed if value is None else Refused("expected tensors as results of a body")


def _operands(importer, nodes):
    """The values of nodes in a body: None for numbers, which are expressions there."""
    found = []
    for node in nodes:
        value = importer.values.get(node) if isinstance(node, torch.fx.Node) else None
        meta = node.meta.get("val") if isinstance(node, torch.fx.Node) else node
        if value is None and isinstance(meta, torch.Tensor):
            raise _Failed
        if isinstance(meta, torch.Tensor) and not isinstance(value, Value):
            raise Refused("complex numbers do not go into branches and loops")
        found.append(value)
    return found


def _tensors(importer, nodes):
    """The same if all are tensors."""
    operands = _operands(importer, nodes)
    if None in operands:
        raise Refused("expected tensors, found a number: make it a tensor")
    return operands


def boolean_of(b, value):
    """A scalar boolean."""
    return b.reshape(b.convert(value, torch.bool), [])


# ----------------------------------------------------------------------------
# Branches
# ----------------------------------------------------------------------------


def _cond(importer, node):
    """`cond(predicate, true_graph, false_graph, operands)`."""
    b = importer.b
    predicate, *graphs, operands = node.args
    operands = _operands(importer, operands)
    graphs = [_graph(importer, graph) for graph in graphs]
    meta = predicate.meta["val"] if isinstance(predicate, torch.fx.Node) else predicate
    if isinstance(meta, torch.SymBool):
        relation = substituted(meta.node.expr)
        if not scalars.is_of_numbers(b, relation) and b.symbols.holds(relation):
            meta = True
    if isinstance(meta, bool):
        return tuple(_call(importer, graphs[not meta], operands))
    known = importer.values.get(predicate)
    condition = scalars.number(b, meta) if known is None else boolean_of(b, known)
    bodies, yielded = [], []
    for graph in graphs:
        first = len(b.symbols.conditions)
        with b.region() as lines:
            yielded.append(_call(importer, graph, operands))
            b.location = importer.source(node).location()
            end_region(b, yielded[-1], first)
        bodies.append(b.block([], lines))
    values = node.meta["val"]
    metas = [() if is_number(v) else to_exprs(v.shape) for v in values]
    binds = _bind_sizes(b, metas, *yielded)
    results = [b.value(sizes, x.dtype) for sizes, x in zip(metas, yielded[0])]
    names, types = ", ".join(map(str, results)), ", ".join(map(b.type_of, results))
    b.line(
        f"{names} = dhlo.if {condition}{binds} -> ({types}) {{\n{bodies[0]}  }} else "
        f"{{\n{bodies[1]}  }}"
    )
    return tuple(_known(b, *pair) for pair in zip(values, results))


def _known(b, value, result):
    """The value of a result: for an integer its expression, after it is bound to the
    scalar."""
    if not isinstance(value, torch.SymInt):
        return result
    scalars.read(b, value, result)
    return to_expr(value)


def _bind_sizes(b, metas, *branches):
    """Declares sizes of results that depend on the branch. Returns the attributes of
    `dhlo.if` that define them."""
    names, sizes = [], ([], [])
    for sizes_of, *values in zip(metas, *branches):
        for axis, size in enumerate(sizes_of):
            if all(map(b.symbols.is_bound, size.free_symbols)):
                continue
            if not size.is_Symbol:
                raise Refused(f"expected a size that the branches give, found {size}")
            names.append("@" + b.symbols.bind(size, "chosen"))
            for branch, value in zip(sizes, values):
                branch.append(value.sizes[axis])
    if not names:
        return ""
    then_dims, else_dims = map(b.symbols.texts, sizes)
    return f" binds [{', '.join(names)}] then_dims {then_dims} else_dims {else_dims}"


# ----------------------------------------------------------------------------
# Loops
# ----------------------------------------------------------------------------


def loop(b, enter, inits, body):
    """A `dhlo.while`; `body` computes, from the carried values, whether to continue and
    their next values. Returns the last ones."""
    arguments = [b.value(x.sizes, x.dtype) for x in inits]
    location, first = b.location, len(b.symbols.conditions)
    with b.region() as lines:
        again, following = body(arguments)
        for number, (x, y) in enumerate(zip(inits, following)):
            if (x.sizes, x.dtype) != (y.sizes, y.dtype):
                raise Refused(
                    f"expected a carried value {number} of type {b.type_of(x)}, found "
                    f"{b.type_of(y)}"
                )
        b.location = location
        end_region(b, [again, *following], first)
    results = [b.value(x.sizes, x.dtype) for x in inits]
    names = ", ".join(map(str, results))
    b.line(
        f"{names} = dhlo.while {enter} carries({', '.join(map(str, inits))}) : "
        f"{b.signature(inits, results)} {{\n{b.block(arguments, lines)}  }}"
    )
    return results


def _while_loop(importer, node):
    """`while_loop(condition_graph, body_graph, carried, others)`."""
    b = importer.b
    condition, body, carried, others = node.args
    inits, others = _tensors(importer, carried), _operands(importer, others)
    condition, body = _graph(importer, condition), _graph(importer, body)

    def is_going_on(values):
        with substituting(copied_symbols(b, condition.graph.nodes)):
            return boolean_of(b, _call(importer, condition, [*values, *others])[0])

    def step(values):
        following = _call(importer, body, [*values, *others])
        return is_going_on(following), following

    return tuple(loop(b, is_going_on(inits), inits, step))


def _scan(importer, node):
    """`scan(graph, states, rows, others)`: the graph takes states, a row of each tensor and
    the others, and returns states and rows of the results."""
    graph, states, rows, others = node.args
    return _scan_rows(importer, node, graph, states, rows, others)


def _map(importer, node):
    """`map(graph, rows, others)`."""
    graph, rows, others = node.args
    return _scan_rows(importer, node, graph, [], rows, others)


def _scan_rows(importer, node, graph, states, rows, others):
    b, graph = importer.b, _graph(importer, graph)
    states, rows = _tensors(importer, states), _tensors(importer, rows)
    others = _operands(importer, others)
    metas = node.meta["val"][len(states) :]
    made = [(to_exprs(m.shape), m.dtype) for m in metas]

    def step(at, before):
        row = [b.gather(x, at, 0) for x in rows]
        results = _call(importer, graph, [*before, *row, *others])
        return results[: len(states)], results[len(states) :]

    last, filled = loop_over_rows(b, rows[0].sizes[0], states, made, step)
    return (*last, *filled)


def loop_over_rows(b, count, states, made, step, is_reverse=False):
    """A loop from row 0 on, or from the last. `step` computes, from the index of a row and
    the states, the next states and a row of each result; `made` has the sizes and types of
    the results. Returns the last states and the results."""
    inits = [b.full(0, sizes, dtype) for sizes, dtype in made]
    steps = b.scalar(count, torch.int64)

    def body(values):
        number, *before = values
        at = b.binary("sub", b.binary("sub", steps, 1), number) if is_reverse else number
        following, rows = step(at, before[: len(states)])
        filled = [_with_row(b, *pair, at) for pair in zip(before[len(states) :], rows)]
        number = b.binary("add", number, 1)
        return b.compare("lt", number, steps), [number, *following, *filled]

    start = b.scalar(sympy.Integer(0), torch.int64)
    results = loop(b, b.compare("gt", steps, 0), [start, *states, *inits], body)[1:]
    return results[: len(states)], results[len(states) :]


def _with_row(b, buffer, row, at):
    where = b.reshape(at, [1, 1])
    update = b.reshape(row, [1, *buffer.sizes[1:]])
    return b.scatter_nd(buffer, where, update, "replace")


def _with_effects(importer, node):
    """`with_effects(token, operator, ...)`: a check that a factorisation has succeeded."""
    b = importer.b
    _, operator, info, *_ = node.args
    if str(operator) != "aten._linalg_check_errors.default":
        raise Refused(f"{operator} is not supported: it has an effect")
    value = importer.values.get(info)
    if value is None:
        raise _Failed
    good = b.compare("eq", value, 0)
    good = b.reduce("and", good, range(good.rank))
    b.check(good, "a matrix that has an inverse or factors")
    token = node.meta["val"][0]
    return (b.full(0, to_exprs(token.shape), token.dtype),)


_BUILDERS = {
    "with_effects": _build(_with_effects),
    "cond": _build(_cond),
    "while_loop": _build(_while_loop),
    "scan": _build(_scan),
    "map_impl": _build(_map),
}
