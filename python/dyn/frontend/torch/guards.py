# ===- guards.py - Guards on sizes -----------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Guards: relations between sizes that PyTorch relied on when it exported.

Ranges of symbols become facts of their declarations. Relations of several symbols are
checked by the program itself, before anything else: a number computed from the sizes is
bound to a symbol whose declared range is that of its legal values, so that a call that
violates it returns an error with the guard's text.
"""

import sympy
import torch
from torch.utils._sympy import functions as torch_sympy
from torch.utils._sympy.value_ranges import ValueRanges

from dyn.frontend.torch.sizes import ORDERS, Symbols, surplus, to_expr, truth

#: Functions of PyTorch that compare sizes only to choose strides. dhlo has none, so
#: inequalities and orders of such sizes are irrelevant. Equalities matter, because other
#: sizes were simplified by them, except those of strides themselves.
_STRIDES = {
    "check_contiguous_sizes_strides",
    "is_contiguous",
    "is_channels_last_contiguous_2d",
    "is_channels_last_contiguous_3d",
    "matmul",
    "_reshape_view_helper_core_alg",
    "ge",
    "__lt__",
}


def guards_of(program):
    """The guards of a program as relations of sympy, and the ranges of its symbols."""
    environment = _shape_environment(program.graph)
    if environment is None:
        return [], {}
    ranges = dict(environment.var_to_range)
    # The program's own constraints have been agreed between the user and PyTorch.
    ranges.update(program.range_constraints)
    guards = []
    for guard in environment.guards:
        if _is_about_strides(guard.sloc.framework_loc, guard.expr):
            continue
        for whole in sympy.And.make_args(environment.replace(guard.expr)):
            for relation in _of_factors(whole):
                if relation not in (sympy.true, *guards) and not _is_of_no_size(relation):
                    guards.append(relation)
    return guards + _stated_of_inputs(environment), _legal(environment, ranges)


def _legal(environment, ranges):
    """Ranges whose minima the model and its operators require. PyTorch raises others: that
    of an input's size where it compares sizes for strides, and that of a data-dependent
    size that is equal to others, which it assumes to be neither 0 nor 1."""
    stated = _stated(environment)
    bounded = {s for r in stated if _is_order(r) for s in _bounded_below(r)}
    equal = {s for r in stated if isinstance(r, sympy.Eq) for s in r.free_symbols}
    legal = dict(ranges)
    for symbol, values in ranges.items():
        if values.lower <= 2 or symbol in environment.unbacked_inputs:
            continue
        if symbol in environment.backed_var_to_val:
            relation = sympy.Ge(symbol, values.lower, evaluate=False)
            locations = environment.var_to_range_sloc.get(symbol)
            is_raised = locations and _is_about_strides(locations.lower.framework_loc, relation)
        else:
            is_raised = symbol in equal and symbol not in bounded
        if is_raised:
            legal[symbol] = ValueRanges(2, values.upper)
    return legal


def _bounded_below(relation):
    """The symbols to which an order gives a minimum, other than the 0 of every size."""
    if Symbols({}).holds(relation):
        return set()
    return {s for s in relation.free_symbols if surplus(relation).coeff(s, 1).is_positive}


def _stated(environment):
    """The assertions of the model and operators on data-dependent sizes. The range of such
    a size also contains PyTorch's assumptions on a size that it is equal to."""
    return [a.expr for found in environment.deferred_runtime_asserts.values() for a in found]


def _stated_of_inputs(environment):
    """Those of them that constrain only sizes of inputs."""
    given = environment.backed_var_to_val.keys()
    found = [r for r in _stated(environment) if not r.free_symbols <= given]
    found = [_order(environment, r) for r in found if _is_order(r)]
    return [relation for relation in dict.fromkeys(found) if relation.free_symbols <= given]


def _is_order(relation):
    """Whether a relation orders integers."""
    return isinstance(relation, ORDERS) and all(s.is_integer for s in relation.free_symbols)


def _order(environment, relation):
    """An order of sizes in a canonical form. It is not evaluated, because sympy assumes
    that sizes are at least 1."""
    return sympy.Ge(to_expr(environment.replace(surplus(relation))), 0, evaluate=False)


def assumptions(graph):
    """Assertions of a graph that state only PyTorch's assumption that no size is 0 or 1."""
    environment = _shape_environment(graph)
    if environment is None:
        return []
    stated = {_order(environment, r) for r in _stated(environment) if _is_order(r)}
    ranges = environment.var_to_range
    known, legal = Symbols(ranges), Symbols(_legal(environment, ranges))
    found = []
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten._assert_scalar.default):
        value = _value(node.args[0]) if isinstance(node.args[0], torch.fx.Node) else None
        if isinstance(value, torch.SymBool) and _is_order(value.node.expr):
            relation = _order(environment, value.node.expr)
            if relation in stated or legal.holds(relation):
                continue
            if known.assumes(relation):
                found.append(node)
    return found


def are_broken(relations, sizes):
    """Whether sizes, expressions by symbol, break one of some relations, or it has none of
    them for operands."""
    try:
        return any(relation.xreplace(sizes).doit() == sympy.false for relation in relations)
    except ZeroDivisionError:
        return True


def facts_of(program):
    """Expressions of sizes that have only one legal value in a program, with that value."""
    guards, _ = guards_of(program)
    return {g.lhs: g.rhs for g in guards if isinstance(g, sympy.Eq) and g.rhs.is_Integer}


def example_sizes(program):
    """The sizes that a program was exported with, by symbol."""
    environment = _shape_environment(program.graph)
    return dict(environment.backed_var_to_val) if environment else {}


def have_same_guards(program, other):
    """Whether PyTorch has the same requirements on the sizes of two programs of one
    graph."""
    return _texts(program) == _texts(other)


def _texts(program):
    guards, ranges = guards_of(program)
    return {str(g) for g in guards}, {str(s): str(r) for s, r in ranges.items()}


def _is_about_strides(frame, relation):
    """Whether a function of PyTorch compares sizes only for strides. A convolution chooses
    the layout of its result by the backend that would compute it, and C++ code compares
    sizes for inequality, and multiples of sizes for order, to lay out views; it compares a
    size to 0 or 1 for its semantics as well, as squeeze does."""
    if not hasattr(frame, "filename"):
        return False
    if isinstance(relation, sympy.Eq):
        return frame.name in _STRIDES and any(map(_is_stride_of_some, relation.args))
    if frame.name in _STRIDES or (
        frame.name == "conv" and frame.filename.endswith("fake_impls.py")
    ):
        return True
    if frame.name != "__call__" or not frame.filename.endswith("torch/_ops.py"):
        return False
    if isinstance(relation, sympy.Ne):
        return not {0, 1}.intersection(relation.args)
    return isinstance(relation, ORDERS) and any(map(_is_stride, relation.args))


def _of_factors(relation):
    """The relation, or, if it is that a multiplication is not 0, one for each of its
    factors."""
    if isinstance(relation, sympy.Ne) and relation.rhs == 0 and relation.lhs.is_Mul:
        return [sympy.Ne(factor, 0) for factor in relation.lhs.args]
    return [relation]


def _is_of_no_size(relation):
    """Whether it states that a size, or a product of sizes, is not negative: -1 is a size
    that is inferred. A negative size is an error wherever it is used."""
    if isinstance(relation, sympy.Ne):
        return any(side.is_Integer and side < 0 for side in relation.args)
    if not isinstance(relation, ORDERS):
        return False
    number, product = surplus(relation).as_coeff_Add()
    return number.is_nonnegative and _is_stride(product) and product.as_coeff_Mul()[0] > 0


def _is_stride_of_some(e):
    """Whether an expression is a stride as PyTorch computes it, where a size of 0 counts as
    1."""
    return (
        e.is_Mul
        and any(map(_is_stride_of_some, e.args))
        or (isinstance(e, (sympy.Max, torch_sympy.Max)) and 1 in e.args)
    )


def _is_stride(e):
    """Whether an expression is a product of sizes: no operator requires such an order."""
    return e.is_Mul and sum(bool(factor.free_symbols) for factor in e.args) > 1


def _value(node):
    """The value of a node in a graph of torch.export or torch.compile."""
    return node.meta.get("val", node.meta.get("example_value"))


def _shape_environment(graph):
    for node in graph.nodes:
        value = _value(node)
        if isinstance(value, torch.Tensor) and getattr(value, "fake_mode", None):
            return value.fake_mode.shape_env
    return None


def emit_conditions(symbols, inputs):
    """Operations that check the conditions of `symbols`: those at the begin of a program,
    on the symbols `inputs`, and those at its end, on data-dependent sizes."""
    first = [c for c in symbols.conditions if c.free_symbols <= inputs]
    last = [c for c in symbols.conditions if c not in first]
    return emit_checks(symbols, first), emit_checks(symbols, last)


def emit_checks(symbols, conditions):
    """Operations that check conditions."""
    lines = []
    for relation in conditions:
        number, low, high = _range(relation)
        location = f'loc("{symbols.describe(relation)}")'
        name = symbols.bind(sympy.Dummy("condition"), "condition_0", (low, high))
        text = symbols.texts([number])
        lines.append(f"  %{name} = dhlo.from_dims {text} : tensor<i64> {location}")
        lines.append(f"  dhlo.bind @{name} = %{name} : tensor<i64> {location}")
    return lines


def end_region(b, values, first):
    """Ends a region with these values. Conditions from the number `first` on concern its
    sizes, which have no value outside."""
    b.lines += emit_checks(b.symbols, b.symbols.take_conditions(first))
    names, types = ", ".join(map(str, values)), ", ".join(map(b.type_of, values))
    b.line(f"dhlo.yield {names} : {types}")


def _range(relation):
    """A number, and its bounds if the relation is true."""
    if isinstance(relation, sympy.Eq):
        return to_expr(relation.lhs - relation.rhs), 0, 0
    if isinstance(relation, ORDERS):
        return surplus(relation), 0, None
    return truth(relation), 1, 1
