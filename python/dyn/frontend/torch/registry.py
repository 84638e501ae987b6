# ===- registry.py - The table of ATen operators ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table from operators of ATen to the functions that build them in dhlo.

    @op("aten.neg.default")
    def neg(b, self):
        return b.unary("neg", self)

A function takes the :class:`~.builder.Builder` and the operator's arguments, by the names
of its schema: tensors as :class:`~.builder.Value`, sizes as sympy expressions, the rest
unchanged. It returns a value, or a tuple of them.

:func:`keep_form` does not decompose operators that have a function here; the others are
decomposed, by PyTorch or by decompositions.py.
"""

import functools

import torch
from torch._decomp import decomposition_table
from torch.utils import _pytree as pytree

from dyn.errors import UnsupportedError

_OPS = {}
#: The same for calls that take or return complex numbers.
_COMPLEX_OPS = {}
#: Decompositions of operators into others of PyTorch.
_DECOMPOSITIONS = {}
_DECLINED = {}

#: Calls without a result: sizes and types already imply their checks.
CHECKS = {
    "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
}
#: The call that checks a number.
CONDITION = "aten._assert_scalar.default"
#: Calls whose only effect is a possible failure.
ASSERTIONS = {CONDITION, "aten._assert_async.default", "aten._assert_async.msg"}

#: Operators that return complex numbers for real ones.
MAKERS = {
    "aten._fft_r2c.default",
    "aten.complex.default",
    "aten.polar.default",
    "aten.stft.default",
    "aten.view_as_complex.default",
}


class Refused(Exception):
    """Raised by a function that cannot build its operator, with the reason; it could if
    `sizes` were static."""

    def __init__(self, message, sizes=()):
        super().__init__(message)
        self.sizes = tuple(sizes)


class Split(Refused):
    """Raised where routes do not come from the graph that uses them."""


class SplitError(UnsupportedError):
    """A program that uses routes of another one: torch.compile ended its graph in between."""


class UnknownError(UnsupportedError):
    """A program that could be imported if some sizes and numbers, `symbols`, were
    static."""

    def __init__(self, message, symbols):
        super().__init__(message)
        self.symbols = frozenset(symbols)


def op(*names):
    """Registers a function for operators, such as "aten.add.Tensor"."""
    return _registering(_OPS, names)


def complex_op(*names):
    """The same if operands or results are complex: they are :class:`~.complex.Complex`."""
    return _registering(_COMPLEX_OPS, names)


def decomposition(*names):
    """The same, in terms of PyTorch: the function takes the operator's tensors and returns
    its results. NotImplemented keeps the operator."""
    return _registering(_DECOMPOSITIONS, names)


def declines(*names):
    """Registers a function of an operator's arguments that decides whether it is decomposed
    although it could be built."""
    return _registering(_DECLINED, names)


def is_declined(name, args):
    return name in _DECLINED and _DECLINED[name](*args)


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


def is_known(target, is_complex=False):
    """Whether the importer can handle a call."""
    name = str(target)
    return lookup(target, is_complex) is not None or name in CHECKS or name == CONDITION


def supported():
    """Names of all operators in the tables, sorted."""
    return sorted({*_OPS, *_COMPLEX_OPS})


def overload(name):
    """The operator of PyTorch with a name of the table, None if there is none: the library
    that defines it may not be loaded."""
    namespace, operator, which = name.split(".")
    packet = getattr(getattr(torch.ops, namespace, None), operator, None)
    return getattr(packet, which, None)


def keep_form():
    """PyTorch's table of decompositions, with those of dyn and without the operators that
    dyn builds."""
    table = dict(torch.export.default_decompositions().materialize())
    for operator, function in decomposition_table.items():
        if isinstance(operator, torch._ops.OpOverload) and not _is_composite(operator):
            table.setdefault(operator, function)
    for operator in filter(None, map(overload, supported())):
        if operator in table:
            table[operator] = functools.partial(_where_unknown, operator, table[operator])
    for name, function in _DECOMPOSITIONS.items():
        operator = overload(name)
        if operator is not None:
            others = [f for f in (table.get(operator),) if f is not None]
            table[operator] = functools.partial(_first_of, [function, *others])
    return table


def _first_of(functions, *args, **kwargs):
    """The result of the first decomposition that accepts the call."""
    for function in functions:
        result = function(*args, **kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _is_composite(operator):
    """Whether PyTorch decomposes it by default."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(
        operator.name(), torch._C.DispatchKey.CompositeImplicitAutograd
    )


def _where_unknown(operator, function, *args, **kwargs):
    """A decomposition for those calls, complex or not, that have no function here."""
    if is_known(operator, str(operator) in MAKERS or takes_complex(args, kwargs)):
        return NotImplemented
    return function(*args, **kwargs)


def takes_complex(*arguments):
    """Whether there is a complex tensor or number among arguments."""
    return any(
        x.is_complex() if isinstance(x, torch.Tensor) else isinstance(x, complex)
        for x in pytree.tree_leaves(arguments)
    )
