# ===- arithmetic.py - Formulas of values ----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators on values, to write long formulas."""

import dataclasses
import typing

from dyn.frontend.torch.builder import Value


def _binary(name):
    def build(self, other):
        return Formula(self.b, self.b.binary(name, self.value, _value(other)))

    def reflected(self, other):
        return Formula(self.b, self.b.binary(name, _value(other), self.value))

    return build, reflected


def _compare(direction):
    def build(self, other):
        return Formula(self.b, self.b.compare(direction, self.value, _value(other)))

    return build


def _value(x):
    return x.value if isinstance(x, Formula) else x


@dataclasses.dataclass(frozen=True, eq=False)
class Formula:
    """A value for Python's operators; numbers are converted to its element type."""

    b: typing.Any
    value: Value

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub")
    __mul__, __rmul__ = _binary("mul")
    __truediv__, __rtruediv__ = _binary("div")
    __mod__, __rmod__ = _binary("rem")
    __pow__, __rpow__ = _binary("pow")
    __and__, __rand__ = _binary("and")
    __or__, __ror__ = _binary("or")
    __lt__, __le__ = _compare("lt"), _compare("le")
    __gt__, __ge__ = _compare("gt"), _compare("ge")
    __eq__, __ne__ = _compare("eq"), _compare("ne")

    def __neg__(self):
        return self.unary("neg")

    def __abs__(self):
        return self.unary("abs")

    def __invert__(self):
        return self.unary("not")

    def unary(self, name):
        """A function of dhlo: "exp", "log"."""
        return Formula(self.b, self.b.unary(name, self.value))

    def is_inf(self):
        return Formula(self.b, self.b.predicate("is_inf", self.value))

    def is_nan(self):
        return Formula(self.b, self.b.predicate("is_nan", self.value))

    def to(self, dtype):
        return Formula(self.b, self.b.convert(self.value, dtype))

    def where(self, condition, other):
        """This value where a condition is true, else another one."""
        return Formula(self.b, self.b.select(condition.value, self.value, _value(other)))


def choose(b, x, *cases):
    """The number or value of the first case whose condition is true; a case is a pair of
    condition and value. Otherwise `x`."""
    for condition, value in reversed(cases):
        x = Formula(b, b.select(condition.value, _value(value), x.value))
    return x


def any_of(x):
    """A scalar: whether any element is true."""
    return Formula(x.b, x.b.reduce("or", x.value, range(x.value.rank)))
