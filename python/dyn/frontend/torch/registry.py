# ===- registry.py - The table of ATen operators --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table from operators of ATen to the functions that build them in dhlo.

    @op("aten.neg.default")
    def neg(b, self):
        return b.unary("neg", self)

A function takes the :class:`~.builder.Builder` and the operator's arguments, by
the names of its schema: tensors as :class:`~.builder.Value`, sizes as sympy
expressions, the rest as it is. It returns a value, or a tuple of them.

What has a function here is kept whole by :func:`keep_form`; PyTorch decomposes
the rest into operators of its core set.
"""

import torch
from torch._decomp import decomposition_table

_OPS = {}
#: The same for calls that take complex numbers or make them.
_COMPLEX_OPS = {}

#: Calls that make nothing: what they check, sizes and types say already.
CHECKS = {
    "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
}
#: The call that checks a number.
CONDITION = "aten._assert_scalar.default"
#: Calls whose only effect is that a call may fail.
ASSERTIONS = {CONDITION, "aten._assert_async.default", "aten._assert_async.msg"}

#: Operators of PyTorch's core set, and others that it keeps, that are taken apart all the
#: same.
DECOMPOSED = (
    "aten.grid_sampler_2d.default",
    "aten.ldexp.Tensor",
    "aten.tril_indices.default",
    "aten.triu_indices.default",
)


class Refused(Exception):
    """Raised by a function that cannot build its operator, with the reason."""


def op(*names):
    """Registers a function for operators, such as "aten.add.Tensor"."""
    return _registering(_OPS, names)


def complex_op(*names):
    """The same, where operands or results are complex: those are
    :class:`~.complex.Complex`."""
    return _registering(_COMPLEX_OPS, names)


def _registering(table, names):
    def register(function):
        for name in names:
            if name in table:
                raise ValueError(f"operator {name} has two functions")
            table[name] = function
        return function

    return register


def lookup(target, is_complex=False):
    """The function of a call's target, or None."""
    return (_COMPLEX_OPS if is_complex else _OPS).get(str(target))


def is_known(target):
    """Whether the importer knows what to do with a call."""
    name = str(target)
    return name in _OPS or name in _COMPLEX_OPS or name in CHECKS or name == CONDITION


def supported():
    """Names of all operators in the tables, sorted."""
    return sorted({*_OPS, *_COMPLEX_OPS})


def overload(name):
    """The operator of PyTorch with a name of the table, None if it has none:
    a library that defines it may not be loaded."""
    namespace, operator, which = name.split(".")
    packet = getattr(getattr(torch.ops, namespace, None), operator, None)
    return getattr(packet, which, None)


def keep_form():
    """PyTorch's table of decompositions without what dyn builds itself."""
    table = torch.export.default_decompositions()
    for operator in filter(None, map(overload, DECOMPOSED)):
        table[operator] = decomposition_table[operator]
    for operator in filter(None, map(overload, supported())):
        table.pop(operator, None)
    return table
