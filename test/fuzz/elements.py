# ===- elements.py - Random elementwise operations -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are steep or undefined somewhere, predicates, booleans, integers."""

from program import INTS, is_float, typed

# Functions that keep inexact arguments away from where errors grow.
DOMAINS = {
    "log": "above_one",
    "log1p": "above_one",
    "rsqrt": "above_one",
    "reciprocal": "above_one",
    "acosh": "above_two",
    "acos": "small",
    "asin": "small",
    "atanh": "small",
    "tan": "small",
    "sinh": "small",
}
WIDTHS = {"i8": 8, "ui8": 8, "i16": 16, "ui16": 16, "i32": 32, "ui32": 32, "i64": 64, "ui64": 64}


class Elements:
    """The part of a generator that makes elementwise operations."""

    def above_one(self, x):
        return self.unary("cosh", self.unary("tanh", x))

    def above_two(self, x):
        return self.binary("add", self.above_one(x), self.splat(x, 1.0))

    def small(self, x):
        return self.binary("mul", self.unary("tanh", x), self.splat(x, 0.5))

    def make_steep(self):
        x = self.pick(is_float)
        if not x:
            return None
        op = self.rng.choice(list(DOMAINS))
        return self.unary(op, x if x.exact else getattr(self, DOMAINS[op])(x))

    def predicate(self, text, operands):
        """A boolean for each element of the first operand."""
        p = self.fresh(operands[0].sizes, "i1", True)
        self.emit(f"{p} = {text.format(p=typed(p))}", operands, p)
        return p

    def make_predicate(self):
        """Predicates of logarithms of numbers that may be negative, or of reciprocals of
        zeros."""
        x = self.pick(lambda v: is_float(v) and v.exact)
        if not x:
            return None
        op, test = self.rng.choice([("log", "is_nan"), ("reciprocal", "is_inf")])
        y = self.unary(op, x)
        return self.predicate(f"dhlo.{test} {y} : ({typed(y)}) -> {{p}}", [y])

    def make_compare(self):
        x = self.pick(lambda v: v.exact)
        other = x and self.same(x)
        if not x or not other.exact:
            return None
        direction = self.rng.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        text = f"dhlo.compare {direction} {x}, {other} : {typed(x)} -> {{p}}"
        return self.predicate(text, [x, other])

    def make_bool(self):
        x = self.pick(lambda v: v.dtype == "i1") or self.make_compare()
        if not x:
            return None
        op = self.rng.choice(["and", "or", "xor", "not"])
        return self.unary_exact("not", x) if op == "not" else self.exact(op, x, self.same(x))

    def exact(self, op, x, y):
        return self.binary(op, x, y, exact=True)

    def unary_exact(self, op, x):
        y = self.unary(op, x)
        y.exact = True
        return y

    def make_integers(self):
        """Bitwise operations and divisions of integers. Divisors are not zero, sometimes
        -1."""
        x = self.pick(lambda v: v.dtype in INTS)
        if not x:
            return None
        y = self.same(x)
        op = self.rng.choice("and or xor div rem pow shift_left shift_right".split())
        if op in ("div", "rem"):
            y = self.exact("or", y, self.splat(y, 1))
        elif op.startswith("shift"):
            y = self.exact("and", y, self.splat(y, WIDTHS[y.dtype] - 1))
        elif op == "pow":
            y = self.exact("and", y, self.splat(y, 7))
        return self.exact(op, x, y)

    def make_power(self):
        """With a base above one, or with exact numbers."""
        x = self.pick(is_float)
        if not x:
            return None
        y = self.same(x)
        if not (x.exact and y.exact and x.depth + y.depth == 0):
            x, y = self.above_one(x), self.small(y)
        return self.binary("pow", x, y)

    def make_angle(self):
        """For points off both axes, where angles are discontinuous."""
        x = self.pick(lambda v: is_float(v) and v.exact and v.depth == 0)
        y = x and self.same(x)
        if not x or not y.exact or y.depth:
            return None
        off = self.splat(x, 0.0625)
        return self.binary("atan2", self.binary("add", x, off), self.binary("add", y, off))

    def make_remainder(self):
        x = self.pick(lambda v: is_float(v) and v.exact)
        y = x and self.same(x)
        if not x or not y.exact:
            return None
        return self.binary("rem", x, y)
