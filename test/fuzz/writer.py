# ===- writer.py - Writing statements --------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values, sizes and statements of the program that a generator makes."""

import random
import re

from program import FLOATS, Program, Statement, Value, is_float, typed
from table import DTYPES, TABLE


class Writer:
    """The part of a generator that writes a program, statement by statement."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.program = Program()
        self.values = []
        self.count = 0

    def chance(self, probability):
        return self.rng.random() < probability

    def many(self, count, choices):
        return [self.rng.choice(choices) for _ in range(count)]

    # Sizes

    def size(self):
        return self.rng.choice(["N", "N", "M", 1, 2, 3, 4, 8, 16, 17])

    def symbol(self, expr):
        """The name of the size that has this expression."""
        match = re.fullmatch(r"@(\w+)|(\d+)", expr)
        if match:
            return match.group(1) or int(match.group(2))
        for name, known in self.program.symbols.items():
            if known == expr:
                return name
        name = f"d{len(self.program.symbols)}"
        self.program.symbols[name] = expr
        return name

    def bound(self):
        """The name of a size that an operation binds."""
        name = f"k{len(self.program.symbols)}"
        self.program.symbols[name] = ""
        return name

    @staticmethod
    def expr(size):
        return str(size) if isinstance(size, int) else f"@{size}"

    def times(self, size, factor):
        """The product of two sizes."""
        if isinstance(size, int) and isinstance(factor, int):
            return size * factor
        if 1 in (size, factor):
            return factor if size == 1 else size
        if isinstance(size, int) or isinstance(factor, int):
            number, name = (size, factor) if isinstance(size, int) else (factor, size)
            return self.symbol(f"{number} * @{name}") if number else 0
        return self.symbol(" * ".join(sorted((f"@{size}", f"@{factor}"))))

    def plus(self, size, amount):
        if isinstance(size, int):
            return size + amount
        return self.symbol(f"@{size} + {amount}") if amount else size

    # Values

    def fresh(self, sizes, dtype, exact, depth=0):
        """A new value. Only floats can be inexact."""
        self.count += 1
        return Value(f"%v{self.count}", tuple(sizes), dtype, exact or dtype not in FLOATS, depth)

    def given(self, sizes, dtype):
        """A new input. Its values are exact."""
        value = Value(f"%in{len(self.program.inputs)}", tuple(sizes), dtype, True)
        self.program.inputs.append(value)
        self.values.append(value)
        return value

    def add_input(self):
        sizes = [self.size() for _ in range(self.rng.randint(1, 4))]
        # Types that numpy lacks cannot be inputs.
        types = [t for t in (*FLOATS, *DTYPES[4:]) if t != "bf16"]
        self.given(sizes, self.rng.choice(types))

    def pick(self, test=lambda v: True):
        values = [v for v in self.values if test(v)]
        if not values:
            return None
        return self.rng.choice(values[-6:] if self.chance(0.7) else values)

    def like(self, sizes, dtype):
        """A value of this type, or a new input."""
        sizes = tuple(sizes)
        x = self.pick(lambda v: v.sizes == sizes and v.dtype == dtype)
        return x or self.convert(self.given(sizes, "f32" if dtype == "bf16" else dtype), dtype)

    def same(self, x):
        """A value of the same type, made by broadcasting a vector if there is none."""
        others = [v for v in self.values if v.sizes == x.sizes and v.dtype == x.dtype]
        if len(others) > 1 or not is_float(x) or not x.sizes:
            return self.rng.choice(others)
        last = x.sizes[-1] if isinstance(x.sizes[-1], int) and x.sizes[-1] < 20 else 1
        return self.across(self.weight((last,), x.dtype), x, [len(x.sizes) - 1])

    # Statements

    def emit(self, text, operands, *results):
        self.program.statements.append(Statement(text, list(operands), list(results)))
        self.values.extend(value for value in results if value.is_tensor)

    def add_statement(self):
        entries = list(TABLE.values())
        weights = [entry.weight for entry in entries]
        for _ in range(50):
            if self.make(self.rng.choices(entries, weights)[0]):
                return

    def make(self, entry):
        """Makes the operations of an entry of the table. Returns a result, or None."""
        x = self.pick(entry.accepts) if entry.types else None
        if entry.types and not x:
            return None
        y = entry.write(self, x) if entry.types else entry.write(self)
        if y and entry.inexact:
            y.exact = not is_float(y)
        return y

    def literal(self, numbers, sizes):
        """Numbers as the text of a constant with these sizes."""
        if not sizes:
            return str(numbers[0])
        step = len(numbers) // max(sizes[0], 1)
        rows = (numbers[i * step : (i + 1) * step] for i in range(sizes[0]))
        return f"[{', '.join(self.literal(row, sizes[1:]) for row in rows)}]"

    def weight(self, sizes, dtype, unit=8):
        """A constant of small multiples of 1 / unit, or of any bytes."""
        value = self.fresh(sizes, dtype, True)
        count = 1
        for size in sizes:
            count *= size
        if dtype in FLOATS:
            numbers = [self.rng.randint(-16, 16) / unit for _ in range(count)]
        else:
            low = 0 if dtype.startswith("u") else -128
            numbers = [low + self.rng.randrange(256) for _ in range(count)]
        if dtype == "i1":
            numbers = ["true" if number % 2 else "false" for number in numbers]
        text = f"{value} = dhlo.constant dense<{self.literal(numbers, sizes)}> : {typed(value)}"
        self.emit(text, [], value)
        return value

    def ramp(self, size, dtype):
        """A constant with the multiples of 1/8 from 0 on."""
        y = self.fresh((size,), dtype, True)
        numbers = [i / 8 for i in range(size)]
        self.emit(f"{y} = dhlo.constant dense<{numbers}> : {typed(y)}", [], y)
        return y

    def scalar(self, number, dtype="i64"):
        y = self.fresh((), dtype, True)
        self.emit(f"{y} = dhlo.constant dense<{number}> : {typed(y)}", [], y)
        return y

    def repeated(self, x, sizes):
        """A scalar, broadcast to each element."""
        y = self.fresh(sizes, x.dtype, x.exact)
        self.emit(f"{y} = dhlo.broadcast {x} axes = [] : ({typed(x)}) -> {typed(y)}", [x], y)
        return y

    def splat(self, like, number):
        """A number in each element of a tensor with the sizes and type of another."""
        return self.repeated(self.scalar(number, like.dtype), like.sizes)

    def across(self, x, like, axes):
        """A tensor, broadcast along some axes of another one."""
        y = self.fresh(like.sizes, x.dtype, x.exact)
        text = f"{y} = dhlo.broadcast {x} axes = {axes} : ({typed(x)}) -> {typed(y)}"
        self.emit(text, [x], y)
        return y

    def iota(self, sizes, dtype, axis=0, start=0, step=1):
        y = self.fresh(sizes, dtype, True)
        text = f"{y} = dhlo.iota axis = {axis} start = [{start}] step = [{step}]"
        self.emit(f"{text} : {typed(y)}", [], y)
        return y

    def length(self, size, dtype="i64"):
        """A size as a scalar."""
        y = self.fresh((), dtype, True)
        self.emit(f"{y} = dhlo.from_dims [{self.expr(size)}] : {typed(y)}", [], y)
        return y

    def convert(self, x, dtype):
        """Small multiples of 1/8, and booleans, are exact in every type of floats."""
        if x.dtype == dtype:
            return x
        small = x.dtype == "i1" or (is_float(x) and x.exact and x.depth == 0)
        y = self.fresh(x.sizes, dtype, small)
        self.emit(f"{y} = dhlo.convert {x} : ({typed(x)}) -> {typed(y)}", [x], y)
        return y

    def binary(self, op, x, y, exact=False):
        z = self.fresh(x.sizes, x.dtype, exact, max(x.depth, y.depth) + 1)
        self.emit(f"{z} = dhlo.{op} {x}, {y} : {typed(z)}", [x, y], z)
        return z

    def unary(self, op, x, suffix="", exact=False):
        y = self.fresh(x.sizes, x.dtype, exact, x.depth)
        self.emit(f"{y} = dhlo.{op} {suffix}{x} : {typed(y)}", [x], y)
        return y

    def predicate(self, text, operands):
        """A boolean for each element of the first operand."""
        p = self.fresh(operands[0].sizes, "i1", True)
        self.emit(f"{p} = {text.format(p=typed(p))}", operands, p)
        return p

    def compared(self, direction, x, y):
        return self.predicate(f"dhlo.compare {direction} {x}, {y} : {typed(x)} -> {{p}}", [x, y])

    def moved(self, x, sizes, text, operands=None):
        """A result with elements of the first operand's type, exact as these."""
        y = self.fresh(sizes, x.dtype, x.exact, x.depth)
        types = ", ".join(typed(v) for v in (operands or [x]))
        self.emit(f"{y} = {text} : ({types}) -> {typed(y)}", operands or [x], y)
        return y

    def computed(self, x, sizes, text, operands=None):
        """As `moved`, with an inexact result if elements are floats."""
        y = self.moved(x, sizes, text, operands)
        y.exact = not is_float(y)
        return y

    def transposed(self, x, order):
        text = f"dhlo.transpose {x} permutation = {order}"
        return self.moved(x, [x.sizes[i] for i in order], text)

    def reshaped(self, x, sizes):
        return self.moved(x, sizes, f"dhlo.reshape {x}")

    def sliced(self, x, sizes, starts, strides=None):
        starts, strides = list(starts), strides or [1] * len(starts)
        text = f"dhlo.slice {x} starts = [{', '.join(map(str, starts))}] strides = {strides}"
        return self.moved(x, sizes, text)

    def matmul(self, x, w, rhs=0):
        """A matmul with a matrix, whose axis `rhs` is contracted."""
        last = len(x.sizes) - 1
        text = f"dhlo.dot_general {x}, {w} batch = 0 lhs_contract = [{last}]"
        sizes = (*x.sizes[:-1], w.sizes[1 - rhs])
        return self.computed(x, sizes, f"{text} rhs_contract = [{rhs}]", [x, w])
