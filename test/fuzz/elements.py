# ===- elements.py - Random elementwise operations -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations: all those of the dialect with one or two operands of one type, by
a rule for each exception; then those with a form of their own."""

import dataclasses

from dialect import operations
from program import FLOATS, is_float, typed
from table import DTYPES, Entry, add_entry, makes

WIDTHS = {"i8": 8, "ui8": 8, "i16": 16, "ui16": 16, "i32": 32, "ui32": 32, "i64": 64, "ui64": 64}
DIRECTIONS = operations()["compare"].keywords


@dataclasses.dataclass(frozen=True)
class Rule:
    """The exceptions of an operation. `floats` and `ints` are names of functions from
    the operands to suitable ones, or to None."""

    exact: bool = False  # whether exact floats have an exact result
    discontinuous: bool = False  # takes exact floats only
    floats: str = "unchanged"
    ints: str = "unchanged"
    weight: int = 2


# A smooth operation, which may be steep only where numbers are large, needs no rule.
RULES = {name: Rule(exact=True) for name in ("abs", "neg", "add", "sub", "maximum", "minimum")}
RULES |= {
    name: Rule(exact=True, discontinuous=True, weight=3)
    for name in ("sign", "floor", "ceil", "round")
}
RULES |= {name: Rule(floats="above_one") for name in ("log", "log1p", "rsqrt", "reciprocal")}
RULES |= {name: Rule(floats="small") for name in "acos asin atanh tan sinh cosh".split()}
RULES |= {name: Rule(floats="bounded") for name in ("sin", "cos")}
RULES |= {name: Rule(weight=3) for name in ("not", "and", "or", "xor")}
RULES |= {name: Rule(ints="shifted", weight=4) for name in ("shift_left", "shift_right")}
RULES |= {
    "acosh": Rule(floats="above_two"),
    "sqrt": Rule(floats="positive"),
    "is_nan": Rule(discontinuous=True, floats="maybe_nan", weight=4),
    "is_inf": Rule(discontinuous=True, floats="maybe_infinite", weight=4),
    "div": Rule(floats="divided", ints="divided_ints"),
    "rem": Rule(discontinuous=True, floats="exact_pair", ints="divided_ints"),
    "pow": Rule(floats="powers", ints="powers_of_ints"),
    "atan2": Rule(discontinuous=True, floats="off_axes", weight=4),
}


class Elements:
    """The part of a generator that makes elementwise operations."""

    def elementwise(self, operation, x):
        """An operation of the dialect, by its rule."""
        rule = RULES.get(operation.name, Rule())
        operands = [x] + [self.same(x)] * (operation.form == "Binary")
        operands = getattr(self, rule.floats if is_float(x) else rule.ints)(*operands)
        if not operands:
            return None
        if operation.form == "Predicate":
            (x,) = operands
            return self.predicate(f"dhlo.{operation.name} {x} : ({typed(x)}) -> {{p}}", [x])
        exact = rule.exact and all(v.exact for v in operands)
        if operation.form == "Unary":
            return self.unary(operation.name, *operands, exact=exact)
        exact = exact and max(v.depth for v in operands) < 2
        return self.binary(operation.name, *operands, exact=exact)

    # Numbers in the domain of a function, where errors do not grow.

    def over_one(self, x):
        return self.unary("cosh", self.unary("tanh", x))

    def halved(self, x):
        return self.binary("mul", self.unary("tanh", x), self.splat(x, 0.5))

    def with_plus_zero(self, x):
        """+0 for -0: which one an extreme of both is, is unspecified, but a reciprocal shows."""
        return self.binary("add", x, self.splat(x, 0.0), exact=x.exact)

    # Suitable operands. Where a function is steep or undefined, exact ones are suitable.

    def unchanged(self, *operands):
        return operands

    def above_one(self, x):
        return [self.with_plus_zero(x) if x.exact else self.over_one(x)]

    def above_two(self, x):
        return [x if x.exact else self.binary("add", self.over_one(x), self.splat(x, 1.0))]

    def small(self, x):
        return [x if x.exact else self.halved(x)]

    def bounded(self, x):
        """The error of a large angle is several turns."""
        return [x if x.exact else self.unary("tanh", x)]

    def positive(self, x):
        """Rounding may turn zero into a negative number, whose root is NaN."""
        return [x if x.exact else self.unary("abs", x)]

    def maybe_nan(self, x):
        """Logarithms of numbers that may be negative."""
        return [self.unary("log", x)]

    def maybe_infinite(self, x):
        """Reciprocals of numbers that may be zero."""
        return [self.unary("reciprocal", self.with_plus_zero(x))]

    def divided(self, x, y):
        """Divisors away from zero, so that their errors do not matter."""
        return x, self.over_one(y)

    def exact_pair(self, x, y):
        return (x, y) if y.exact else None

    def powers(self, x, y):
        """Of exact numbers, or with a base above one."""
        if x.exact and y.exact and x.depth + y.depth == 0:
            return x, y
        return self.over_one(x), self.halved(y)

    def off_axes(self, x, y):
        """Points off both axes, where angles are discontinuous."""
        if not y.exact or x.depth + y.depth > 0:
            return None
        off = self.splat(x, 0.0625)
        return self.binary("add", x, off), self.binary("add", y, off)

    def divided_ints(self, x, y):
        """Divisors that are not zero, sometimes -1."""
        return x, self.binary("or", y, self.splat(y, 1))

    def powers_of_ints(self, x, y):
        return x, self.binary("and", y, self.splat(y, 7))

    def shifted(self, x, y):
        return x, self.binary("and", y, self.splat(y, WIDTHS[y.dtype] - 1))

    # Operations with a form of their own

    @makes("gelu")
    def make_gelu(self, x):
        return self.unary("gelu", x, self.rng.choice(["erf ", "tanh "]))

    @makes("compare", exact=True, weight=3)
    def make_compare(self, x):
        other = self.same(x)
        return self.compared(self.rng.choice(DIRECTIONS), x, other) if other.exact else None

    @makes("select", types=DTYPES, exact=True)
    def make_select(self, x):
        other = self.same(x)
        if not other.exact:
            return None
        p = self.compared(self.rng.choice(DIRECTIONS), x, other)
        z = self.fresh(x.sizes, x.dtype, True, max(x.depth, other.depth))
        text = f"{z} = dhlo.select {p}, {x}, {other} : {typed(p)}, {typed(z)}"
        self.emit(text, [p, x, other], z)
        return z

    @makes("convert")
    def make_convert(self, x):
        small = x.exact and (x.depth == 0 or not is_float(x))
        targets = (*FLOATS, *DTYPES[4:]) if small else FLOATS
        dtype = self.rng.choice(targets)
        if dtype == x.dtype:
            return None
        if dtype.startswith("u") and is_float(x):
            x = self.unary("abs", x)
        return self.convert(x, dtype)


def add_elementwise():
    """Entries for the operations of the dialect that share a form."""

    def writer(operation):
        return lambda generator, x: generator.elementwise(operation, x)

    for operation in operations().values():
        if operation.form:
            rule = RULES.get(operation.name, Rule())
            more = {"exact": rule.discontinuous, "weight": rule.weight}
            name = operation.name
            add_entry(Entry(name, (name,), writer(operation), operation.types, **more))


add_elementwise()
