# ===- sizes.py - Symbolic sizes of PyTorch as sizes of dhlo ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes: sympy expressions of PyTorch's shape environment, and their text in dhlo.

A size is a sympy expression over the symbols of PyTorch (``s72``). Two sizes that PyTorch
proved equal are one expression. :class:`Symbols` gives symbols the names of the inputs that
they come from and collects their declarations (``dhlo.dim``).
"""

import contextlib
import contextvars
import fractions
import functools
import math

import sympy
import torch
from torch.utils._sympy import functions as torch_sympy
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.printers import PythonPrinter
from torch.utils._sympy.symbol import SymT, symbol_is_type
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from dyn.errors import InvalidArgumentError, UnsupportedError

#: Sizes of PyTorch's programs are always below this: it means "no bound".
UNBOUNDED = 2**62


_substitution = contextvars.ContextVar("substitution", default=None)
_facts = contextvars.ContextVar("facts", default=None)


@contextlib.contextmanager
def knowing(facts):
    """Within a ``with`` block, :func:`to_expr` substitutes numbers for expressions, after
    the substitutions of :func:`substituting`."""
    token = _facts.set(facts)
    try:
        yield
    finally:
        _facts.reset(token)


@contextlib.contextmanager
def substituting(sizes):
    """Within a ``with`` block, :func:`to_expr` substitutes sizes for symbols."""
    token = _substitution.set(sizes)
    try:
        yield
    finally:
        _substitution.reset(token)


def to_expr(size):
    """A Python int, a SymInt or a sympy number or expression as an expression."""
    if isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        # This applies simplifications that became known after the SymInt was made.
        size = substituted(size.node.expr)
    size = sympy.sympify(size)
    if size.has(*_ROUNDINGS):
        size = size.replace(lambda e: type(e) in _ROUNDINGS, _without_rounding)
    if size.has(*_MAXIMA):
        size = size.replace(lambda e: isinstance(e, _MAXIMA) and 0 in e.args, _without_zero)
    return sympy.expand(size)


def substituted(expression):
    """An expression of PyTorch's symbols after substitutions."""
    return expression.xreplace(substitution()).xreplace(_facts.get() or {})


def substitution():
    """The substitutions of :func:`substituting`, by symbol."""
    return _substitution.get() or {}


def is_number(value):
    """Whether the value of a node is a number of PyTorch."""
    return isinstance(value, (int, float, torch.SymInt, torch.SymFloat, torch.SymBool))


def evaluator(symbols, sizes):
    """A function from the values of symbols to those of sizes, an expression or a list."""
    return sympy.lambdify(
        list(symbols), sizes, [{"math": math, "torch": torch}], printer=PythonPrinter()
    )


def to_exprs(sizes):
    return tuple(to_expr(size) for size in sizes)


def product(sizes):
    result = sympy.Integer(1)
    for size in sizes:
        result = result * size
    return sympy.expand(result)


#: Relations that order integers.
ORDERS = (sympy.Ge, sympy.Gt, sympy.Le, sympy.Lt)


def surplus(relation):
    """An expression that is at least 0 if an order of integers is true."""
    low, high = relation.lts, relation.gts
    strict = isinstance(relation, (sympy.Gt, sympy.Lt))
    return to_expr(high - low - (1 if strict else 0))


def truth(relation):
    """1 if a relation is true, else 0."""
    if isinstance(relation, (sympy.Eq, sympy.Ne)):
        difference = to_expr(relation.lhs - relation.rhs)
        differ = sympy.Min(1, sympy.Max(difference, -difference))
        return differ if isinstance(relation, sympy.Ne) else 1 - differ
    if isinstance(relation, ORDERS):
        return sympy.Min(1, sympy.Max(0, surplus(relation) + 1))
    if isinstance(relation, sympy.Or):
        return sympy.Max(*map(truth, relation.args))
    if isinstance(relation, sympy.And):
        return sympy.Min(*map(truth, relation.args))
    if isinstance(relation, sympy.Not):
        return 1 - truth(relation.args[0])
    if relation in (sympy.true, sympy.false):
        return sympy.Integer(bool(relation))
    raise UnsupportedError(f"a condition {relation} is not supported")


def _finite(bound):
    """A bound of a range, None if there is none."""
    return int(bound) if bound.is_Integer and abs(bound) < UNBOUNDED else None


def floor_div(size, divisor):
    return to_expr(torch_sympy.FloorDiv(size, sympy.sympify(divisor)))


def solve(size, symbol, value):
    """The value of a symbol if a size of the form `a * symbol + b` has a value, rounded
    down; None if it has another form."""
    factor, rest = size.coeff(symbol, 1), size.coeff(symbol, 0)
    if not factor.is_Integer or to_expr(factor * symbol + rest - size) != 0:
        return None
    if factor < 0:
        factor, rest, value = -factor, -rest, -value
    return to_expr(torch_sympy.FloorDiv(to_expr(value - rest), factor))


def is_found(size):
    """Whether a size is data-dependent."""
    return any(symbol_is_type(s, (SymT.UNBACKED_INT, SymT.UNBACKED_FLOAT)) or
               isinstance(s, sympy.Dummy) for s in size.free_symbols)  # fmt: skip


def static_value(size):
    """The value of a static size, else None."""
    return int(size) if size.is_Integer else None


def _differ_by_divisor(lhs, rhs):
    """Whether sizes cannot be equal because all terms of their difference except the
    constant have a divisor that the constant lacks."""
    number, rest = (lhs - rhs).as_coeff_Add()
    factors = [term.as_coeff_Mul()[0] for term in sympy.Add.make_args(rest)]
    if not all(factor.is_Integer for factor in [number, *factors]):
        return False
    divisor = sympy.gcd(factors)
    return divisor != 0 and number % divisor != 0


class Symbols:
    """The size symbols of a program: their names and declarations.

    `ranges` maps a sympy symbol to its :class:`ValueRanges`.
    """

    def __init__(self, ranges):
        self._ranges = dict(ranges)
        self._names = {}
        self._taken = set()
        self._derived = {}
        #: By name: minimum and maximum of a bound symbol.
        self._bounds = {}
        #: By name: the text after the name in a declaration.
        self._definitions = {}
        #: By symbol of a number that may be negative and has not been needed as a size yet:
        #: functions that make it a size, and that split it into two.
        self._offered = {}
        #: By symbol of such a number: its name in messages, and two symbols whose
        #: difference it is.
        self._hints, self._parts = {}, {}
        #: Conditions on sizes that no declaration states; see :meth:`require`.
        self.conditions = []

    def declarations(self):
        """Lines of dhlo, one for each symbol, in order."""
        return [f"dhlo.dim @{name} {self._facts(name)}" for name in self._definitions]

    def _facts(self, name):
        if name not in self._bounds:
            return self._definitions[name]
        low, high = self._bounds[name]
        return f"in [{low}, {'?' if high is None else high}]{self._definitions[name]}"

    # ------------------------------------------------------------------------
    # Facts
    # ------------------------------------------------------------------------

    def range(self, symbol):
        """PyTorch's assumptions on a symbol: minimum and maximum, None if there is none. A
        size is at least 0."""
        values = self._ranges.get(symbol)
        low, high = (0, None) if values is None else map(_finite, (values.lower, values.upper))
        if symbol not in self._offered:
            return max(low or 0, 0), None if high is None else max(high, 0)
        return (None, None) if values is None else (low, high)

    def bounds(self, symbol):
        """Minimum and maximum legal value.

        The minimum 2 is PyTorch's assumption at trace time that a dynamic size is neither 0
        nor 1. Its own exported programs do not check it, and the semantics of a dhlo
        program are the same at every size.
        """
        low, high = self.range(symbol)
        return (0 if low is not None and 0 < low <= 2 else low), high

    def copy_of(self, symbol):
        """A new symbol with the range of another."""
        copy = sympy.Dummy(symbol.name, **symbol.assumptions0)
        if symbol in self._ranges:
            self._ranges[copy] = self._ranges[symbol]
        return copy

    def bound(self):
        """The symbols that have a value so far."""
        return {*self._names, *self._offered}

    def is_bound(self, symbol):
        """Whether a symbol has a value, even if it has not been needed as a size yet."""
        return symbol in self._names or symbol in self._offered

    def is_known(self, size):
        """Whether all symbols of a size have values."""
        return all(map(self.is_bound, size.free_symbols))

    def is_declared(self, symbol):
        return symbol in self._names

    def is_natural(self, symbol):
        """Whether PyTorch knows that a number from data is at least 0."""
        return symbol in self._ranges and bool(self._ranges[symbol].lower >= 0)

    def offer(self, symbol, hint, declare, split):
        """Provides the binding of a number's symbol, which may be negative: `declare` if it
        is needed as a size, `split` to bind two sizes whose difference it is, and return
        them. `hint` is its name in messages."""
        self._offered[symbol] = declare, split
        self._hints[symbol] = hint

    def declare(self, symbol):
        """Declares a symbol as a size, if it is not one yet."""
        if symbol in self._offered:
            declare, _ = self._offered.pop(symbol)
            declare()

    def negative_part(self, number):
        """The negative part of an expression: 0 if it is at least 0."""
        number = to_expr(number)
        if self.is_at_least(number, 0):
            return sympy.Integer(0)
        if self.is_at_least(-number, 0):
            return -number
        return sympy.Max(0, -number)

    def _split(self, symbol):
        """A number as the difference of two sizes."""
        if symbol not in self._parts:
            _, split = self._offered[symbol]
            self._parts[symbol] = split()
        return self._parts[symbol]

    def is_at_least(self, size, bound):
        """Whether PyTorch knew this about a size. If it knew it only because it assumed
        that no size is 0 or 1, it becomes a condition of each call."""
        size = to_expr(size - bound)
        if not self._is_natural(size, self.range):
            return False
        if not self._is_natural(size, self._legal):
            self.require(sympy.Ge(size, 0, evaluate=False))
        return True

    def holds(self, relation):
        """Whether a relation between sizes is true for all legal sizes."""
        return self._holds(relation, self._legal)

    def assumes(self, relation):
        """Whether it is true for all sizes that PyTorch considers possible."""
        return self._holds(relation, self.range)

    def _holds(self, relation, bounds):
        """Whether a relation is true wherever symbols are within bounds."""
        if isinstance(relation, sympy.Or):
            return any(self._holds(part, bounds) for part in relation.args)
        if isinstance(relation, ORDERS):
            return self._is_natural(surplus(relation), bounds)
        if isinstance(relation, sympy.Ne):
            if _differ_by_divisor(relation.lhs, relation.rhs):
                return True
            above = to_expr(relation.lhs - relation.rhs - 1)
            return self._is_natural(above, bounds) or self._is_natural(-above - 2, bounds)
        return isinstance(relation, sympy.Eq) and to_expr(relation.lhs - relation.rhs) == 0

    def require(self, relation):
        """Adds a condition that calls must satisfy, if it is not known to be true."""
        if relation == sympy.true or self.holds(relation):
            return
        if isinstance(relation, sympy.Ge) and self._raise_bound(relation):
            return
        if relation not in self.conditions:
            self.conditions.append(relation)

    def demands(self):
        """The relations of symbols that calls must satisfy, those of declarations included."""
        names = ((s, n) for s, n in self._names.items() if n in self._bounds)
        lows = (sympy.Ge(s, self._bounds[n][0], evaluate=False) for s, n in names)
        return [*lows, *self.conditions]

    def take_conditions(self, first):
        """Removes the conditions from a number on, and returns them."""
        taken = self.conditions[first:]
        del self.conditions[first:]
        return taken

    def _raise_bound(self, relation):
        """Makes `symbol >= number` a fact of the symbol, if the relation has that form."""
        size = to_expr(relation.lhs - relation.rhs)
        symbol, *others = size.free_symbols or (None,)
        name = self._names.get(symbol)
        if others or name not in self._bounds:
            return False
        least = to_expr(symbol - size)
        if not least.is_Integer:
            return False
        low, high = self._bounds[name]
        self._bounds[name] = max(low, int(least)), high
        return True

    def _legal(self, symbol):
        return self._bounds.get(self._names.get(symbol)) or self.bounds(symbol)

    @staticmethod
    def _is_natural(size, bounds):
        """Whether a size is at least 0 wherever symbols are within bounds."""
        ranges = {}
        for symbol in size.free_symbols:
            low, high = bounds(symbol)
            low, high = -int_oo if low is None else low, UNBOUNDED if high is None else high
            ranges[symbol] = ValueRanges(low, high)
        return bool(bound_sympy(size, ranges).lower >= 0)

    # ------------------------------------------------------------------------
    # Names
    # ------------------------------------------------------------------------

    def bind(self, symbol, hint, bounds=None):
        """Declares a symbol that an input or an operation binds. Returns its name."""
        if symbol in self._names:
            raise UnsupportedError(f"{symbol} has a value already")
        name = self._names[symbol] = self._unique(hint)
        self._bounds[name] = bounds or self.bounds(symbol)
        self._definitions[name] = ""
        return name

    def define(self, symbol, size, hint):
        """Declares a symbol as an expression of others."""
        if symbol in self._names:
            raise UnsupportedError(f"{symbol} has a value already")
        text = self.text(to_expr(size))
        name = self._names[symbol] = self._unique(hint)
        self._definitions[name] = f"= {text}"

    def limit(self, dims):
        """Narrows sizes by name: to a number, or a minimum and a maximum."""
        for name, bounds in dims.items():
            if name not in self._bounds:
                known = ", ".join(f"'{n}'" for n in self._bounds)
                raise InvalidArgumentError(f"there is no size '{name}': expected one of {known}")
            minimum, maximum = (bounds, bounds) if isinstance(bounds, int) else bounds
            low, high = self._bounds[name]
            self._bounds[name] = max(low, minimum), min(maximum, high or maximum)

    def bind_linear(self, size, hint):
        """Declares the size of an input that is `a * s + b`, where no input has the size
        `s` itself: the size is bound, and s follows from it."""
        (symbol,) = size.free_symbols
        factor, rest = size.coeff(symbol, 1), size.coeff(symbol, 0)
        if to_expr(factor * symbol + rest - size) != 0 or not factor.is_Integer:
            raise UnsupportedError(
                f"{hint}: expected a size that is a multiple of one symbol plus a number, "
                f"found {size}"
            )
        low, high = self.bounds(symbol)
        whole = self._derived[size] = self._unique(hint)
        least = max(int(factor * low + rest), 0)
        self._bounds[whole] = least, high and int(factor * high + rest)
        self._definitions[whole] = f" multiple_of {factor}" if rest % factor == 0 else ""
        if rest % factor != 0:
            input = sympy.Dummy(whole, integer=True, nonnegative=True)
            self._names[input] = whole
            self.conditions.append(sympy.Eq(sympy.Mod(input - rest, factor), 0, evaluate=False))
        name = self._names[symbol] = self._unique(str(symbol))
        self._definitions[name] = f"= (@{whole} - {rest}) floordiv {factor}"

    def dim(self, size):
        """The name of a dynamic size; declares it if necessary."""
        if size.is_Symbol:
            return self._name(size)
        if size not in self._derived:
            text = self.text(size)
            name = self._derived[size] = self._unique(f"d{len(self._derived)}")
            self._definitions[name] = f"= {text}"
        return self._derived[size]

    def text(self, size):
        """The text of a size expression in dhlo."""
        return self._print(sympy.sympify(size))

    def texts(self, sizes):
        return "[" + ", ".join(self.text(size) for size in sizes) + "]"

    def describe(self, relation):
        """A relation between sizes, for a message."""
        names = {s: sympy.Symbol(n) for s, n in {**self._hints, **self._names}.items()}
        return str(relation.xreplace(names)).replace('"', "")

    def _unique(self, hint):
        hint = "".join(c if c.isalnum() or c == "_" else "_" for c in hint)
        if not hint or hint[0].isdigit():
            hint = "d" + hint
        name, count = hint, 0
        while name in self._taken:
            count += 1
            name = f"{hint}_{count}"
        self._taken.add(name)
        return name

    def _name(self, symbol):
        self.declare(symbol)
        if symbol not in self._names:
            raise UnsupportedError(
                f"{symbol} is neither a size of an input nor an integer found in data"
            )
        return self._names[symbol]

    def _print(self, e):
        if e.is_Integer:
            return str(int(e))
        if e.is_Symbol and e in self._offered:
            above, below = map(self._print, self._split(e))
            return f"({above} + -1 * {below})"
        if e.is_Symbol:
            return "@" + self._name(e)
        if type(e) in _ROUNDINGS:
            return self._print_rounded(e)
        simple = _simplified(e)
        if simple is None and isinstance(e, _DIVISIONS):
            simple = self._of_positive(e)
        if simple is not None:
            return self._print(to_expr(simple))
        operands = [self._print(a) for a in e.args]
        if isinstance(e, sympy.Add):
            return "(" + " + ".join(operands) + ")"
        if isinstance(e, sympy.Mul):
            return " * ".join(operands)
        if isinstance(e, sympy.Pow) and e.args[1].is_Integer and e.args[1] > 0:
            return " * ".join(operands[:1] * int(e.args[1]))
        if isinstance(e, (sympy.Max, torch_sympy.Max)):
            return _nest("max", operands)
        if isinstance(e, (sympy.Min, torch_sympy.Min)):
            return _nest("min", operands)
        if isinstance(e, (torch_sympy.FloorDiv, torch_sympy.CleanDiv)):
            return "(({}) floordiv ({}))".format(*operands)
        if isinstance(e, (torch_sympy.Mod, torch_sympy.PythonMod, sympy.Mod)):
            return "(({}) mod ({}))".format(*operands)
        if isinstance(e, torch_sympy.ModularIndexing):
            return "((({}) floordiv ({})) mod ({}))".format(*operands)
        raise self._refusal(e)

    def _of_positive(self, e):
        """A division by a number that may be negative as one by its magnitude, which dhlo
        requires; None if the divisor is never negative."""
        dividend, divisor = e.args
        if self._is_natural(divisor, self._legal):
            return None
        sign = truth(divisor > 0) - truth(divisor < 0)
        magnitude = sympy.Max(1, divisor, -divisor)
        quotient = torch_sympy.FloorDiv(to_expr(dividend * sign), magnitude)
        is_quotient = isinstance(e, torch_sympy.FloorDiv)
        return quotient if is_quotient else dividend - divisor * quotient

    def _print_rounded(self, e):
        """A rounded quotient, which PyTorch computes in floats: for sizes, the quotient of
        integers is the same."""
        quotient = _quotient(e.args[0])
        if quotient is None:
            raise self._refusal(e)
        numerator, denominator = map(self._print, map(sympy.sympify, quotient))
        return f"(({numerator}) {_ROUNDINGS[type(e)]} ({denominator}))"

    @staticmethod
    def _refusal(e):
        return UnsupportedError(f"a size {e} ({type(e).__name__}) is not supported")


#: Divisions of integers, which round down.
_DIVISIONS = (torch_sympy.FloorDiv, torch_sympy.Mod, torch_sympy.PythonMod, sympy.Mod)

#: Roundings in dhlo of a quotient of sizes, which are not negative.
_ROUNDINGS = {
    torch_sympy.TruncToInt: "floordiv",
    torch_sympy.FloorToInt: "floordiv",
    torch_sympy.CeilToInt: "ceildiv",
}


def _simplified(e):
    """A size in terms that dhlo has; None if it cannot be simplified."""
    if isinstance(e, (sympy.Rel, sympy.And, sympy.Or, sympy.Not)):
        return truth(e)
    if isinstance(e, sympy.Abs):
        return sympy.Max(e.args[0], -e.args[0], evaluate=False)
    if isinstance(e, torch_sympy.Where):
        condition, yes, no = e.args
        return no + truth(condition) * (yes - no)
    if isinstance(e, sympy.Piecewise):
        *cases, (result, _) = e.args
        for case, condition in reversed(cases):
            result = result + truth(condition) * (case - result)
        return result
    if isinstance(e, torch_sympy.Identity):
        return e.args[0]
    if isinstance(e, torch_sympy.PowByNatural) and e.args[1].is_Integer:
        return product([e.args[0]] * int(e.args[1]))
    return None


def is_printable(e):
    """Whether each rounded float in a size is a quotient of sizes."""
    return all(_quotient(part.args[0]) for part in e.atoms(*_ROUNDINGS))


def _quotient(e):
    """A float expression of sizes as numerator and denominator, or None."""
    if e.is_Float or e.is_Integer:
        fraction = fractions.Fraction(float(e)).limit_denominator(1024)
        parts = tuple(map(sympy.Integer, fraction.as_integer_ratio()))
        return parts if fraction == float(e) else None
    if isinstance(e, torch_sympy.ToFloat):
        return e.args[0], sympy.Integer(1)
    if isinstance(e, torch_sympy.IntTrueDiv):
        return e.args
    combine = _ARITHMETIC.get(type(e))
    parts = [_quotient(part) for part in e.args]
    if combine is None or None in parts:
        return None
    numerator, denominator = functools.reduce(combine, parts)
    return (-numerator, -denominator) if denominator.is_negative else (numerator, denominator)


#: Arithmetic on two quotients.
_ARITHMETIC = {
    sympy.Add: lambda x, y: (x[0] * y[1] + y[0] * x[1], x[1] * y[1]),
    sympy.Mul: lambda x, y: (x[0] * y[0], x[1] * y[1]),
    torch_sympy.FloatTrueDiv: lambda x, y: (x[0] * y[1], x[1] * y[0]),
}


def _without_rounding(e):
    """A rounded quotient with the denominator 1 is its numerator."""
    quotient = _quotient(e.args[0])
    return sympy.sympify(quotient[0]) if quotient and quotient[1] == 1 else e


_MAXIMA = (sympy.Max, torch_sympy.Max)


def _without_zero(e):
    """The maximum of 0 and a number that is never negative is the number. The padding of
    layers that divide a size by their strides and round up has this form, and layers
    nest."""
    numbers = [arg for arg in e.args if arg != 0]
    if len(numbers) != 1:
        return e
    number = least = sympy.expand(numbers[0])
    for part in number.atoms(torch_sympy.FloorDiv, *_ROUNDINGS):
        rounds_up = isinstance(part, torch_sympy.CeilToInt)
        is_whole = isinstance(part, torch_sympy.FloorDiv)
        numerator, divisor = (part.args if is_whole else _quotient(part.args[0])) or (None, None)
        factor = number.coeff(part) / divisor if divisor and divisor.is_Integer else None
        if factor is None or not factor.is_Integer:
            continue
        # A quotient times its divisor differs from its numerator by less than the divisor.
        lost = 0 if rounds_up == (factor > 0) else divisor - 1
        least += factor * numerator - abs(factor) * lost - number.coeff(part) * part
    least = sympy.expand(least)
    return number if least.is_Integer and least >= 0 else e


def _nest(function, operands):
    result = operands[0]
    for operand in operands[1:]:
        result = f"{function}({result}, {operand})"
    return result
