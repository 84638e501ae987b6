# ===- guards.py - What PyTorch demands of sizes --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Guards: relations between sizes that PyTorch relied on when it exported.

Ranges of symbols become facts of their declarations. What relates several
symbols is checked by the program itself, before anything else: a number
computed from the sizes is bound to a symbol whose declared range says what it
must be, so that a call that breaks it returns an error with the guard's text.
"""

import sympy
import torch

from dyn.frontend.torch.sizes import ORDERS, surplus, to_expr, truth

#: Functions of PyTorch that compare sizes to choose strides alone. dhlo has
#: none, so it matters not whether such sizes differ, or which is less. What is
#: equal matters: other sizes were simplified by it.
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
    """The guards of a program as relations of sympy, and the ranges of its
    symbols."""
    environment = _shape_environment(program)
    if environment is None:
        return [], {}
    ranges = dict(environment.var_to_range)
    # The program's own constraints are what the user and PyTorch agreed on.
    ranges.update(program.range_constraints)
    guards = []
    for guard in environment.guards:
        if _is_about_strides(guard.sloc.framework_loc, guard.expr):
            continue
        for relation in sympy.And.make_args(environment.replace(guard.expr)):
            if relation not in (sympy.true, *guards):
                guards.append(relation)
    return guards, ranges


def breaks_guards(program, sizes):
    """Whether sizes, expressions by symbol, break a guard of a program, or it has none of
    them for operands."""
    guards, _ = guards_of(program)
    try:
        return any(guard.xreplace(sizes).doit() == sympy.false for guard in guards)
    except ZeroDivisionError:
        return True


def example_sizes(program):
    """The sizes that a program was exported with, by symbol."""
    environment = _shape_environment(program)
    return dict(environment.backed_var_to_val) if environment else {}


def have_same_guards(program, other):
    """Whether PyTorch demands the same of the sizes of two programs of one graph."""
    return _texts(program) == _texts(other)


def _texts(program):
    guards, ranges = guards_of(program)
    return {str(g) for g in guards}, {str(s): str(r) for s, r in ranges.items()}


def _is_about_strides(frame, relation):
    """Whether a function of PyTorch compares sizes for strides alone. A
    convolution lays out its result by what would compute it, and what is
    written in C++ asks whether sizes differ to lay out views, and which product
    of them is less; of a size that is 0 or 1 it asks for the meaning as well, as
    squeeze does."""
    if frame is None or isinstance(relation, sympy.Eq):
        return False
    if frame.name in _STRIDES or (
        frame.name == "conv" and frame.filename.endswith("fake_impls.py")
    ):
        return True
    if frame.name != "__call__" or not frame.filename.endswith("torch/_ops.py"):
        return False
    if isinstance(relation, sympy.Ne):
        return not {0, 1}.intersection(relation.args)
    return isinstance(relation, ORDERS) and any(map(_is_stride, relation.args))


def _is_stride(e):
    """Whether an expression is a product of sizes: no operator takes such an order."""
    return e.is_Mul and sum(bool(factor.free_symbols) for factor in e.args) > 1


def _shape_environment(program):
    for node in program.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and getattr(value, "fake_mode", None):
            return value.fake_mode.shape_env
    return None


def emit_conditions(symbols, inputs):
    """Operations that check the conditions of `symbols`: those that stand first
    in a program, about the symbols `inputs`, and those that stand last, about
    sizes found in data."""
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
    """Ends a region with these values. Conditions from the number `first` on are about
    its sizes, which have no value outside."""
    b.lines += emit_checks(b.symbols, b.symbols.take_conditions(first))
    names, types = ", ".join(map(str, values)), ", ".join(map(b.type_of, values))
    b.line(f"dhlo.yield {names} : {types}")


def _range(relation):
    """A number, and from where to where it lies if the relation holds."""
    if isinstance(relation, sympy.Eq):
        return to_expr(relation.lhs - relation.rhs), 0, 0
    if isinstance(relation, ORDERS):
        return surplus(relation), 0, None
    return truth(relation), 1, 1
