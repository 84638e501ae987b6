# ===- generator.py - Random programs of dhlo ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid programs over all operations and element types, each legal for all N, M >= 0
and without a data error.

Discontinuous operations (rounding, comparing, sorting) only take *exact* values, on which
two correct implementations agree bit for bit: small multiples of 1/8 that were moved, added
or compared.
"""

import random
import re

from composites import Composites
from elements import Elements
from indices import Indices
from patterns import Patterns
from program import FLOATS, INTS, Program, Statement, Value, is_float, typed
from regions import Regions

UNARY = "abs neg sign exp expm1 sqrt tanh erf logistic sin cos atan asinh floor ceil round".split()
ANGLES = {"sin", "cos"}
DISCONTINUOUS = {"sign", "floor", "ceil", "round"}
EXACT = {"abs", "neg", "sign", "floor", "ceil", "round", "maximum", "minimum", "add", "sub"}
DTYPES = FLOATS + INTS + ("i1",)
# Makers that cover many operations are chosen more often, as are those of patterns that
# passes match.
OFTEN = {"make_unary": 18, "make_steep": 13, "make_binary": 3, "make_integers": 14}
OFTEN |= {"make_bool": 4, "make_predicate": 4, "make_angle": 2, "make_norm": 3, "make_group": 2}
OFTEN |= {name: 3 for name in dir(Patterns) if name.startswith("make_")}
OFTEN |= {"make_projections": 6, "make_packed": 6, "make_padded": 6, "make_triple": 6}
OFTEN |= {"make_attention": 3, "make_byte_matmul": 3, "make_convolution": 3}
OFTEN |= {"make_scatter_nd": 3, "make_resize": 2}


class Generator(Elements, Indices, Regions, Composites, Patterns):
    """Makes one program from a seed."""

    def __init__(self, seed, length=None):
        self.rng = random.Random(seed)
        self.program = Program()
        self.values = []
        self.count = 0
        self.program.outputs = self.build(length)
        self.program = self.program.without_unused()

    def build(self, length):
        """Makes inputs and statements. Returns the outputs."""
        for _ in range(self.rng.randint(1, 3)):
            self.add_input()
        for _ in range(length or self.rng.randint(1, 12)):
            self.add_statement()
        seen = {v.name for v in self.values}
        read = [s for s in self.program.statements if s.operands]
        made = [v for s in read for v in s.results if v.name in seen]
        chosen = self.rng.sample(made[:-1], min(len(made) - 1, self.rng.randint(0, 3))) + made[-1:]
        # Types that numpy lacks cannot be read.
        return [self.convert(v, "f32") if v.dtype == "bf16" else v for v in chosen]

    def chance(self, probability):
        return self.rng.random() < probability

    # Values and sizes

    def fresh(self, sizes, dtype, exact, depth=0):
        self.count += 1
        return Value(f"%v{self.count}", tuple(sizes), dtype, exact, depth)

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

    def given(self, sizes, dtype):
        """A new input. Its values are exact."""
        value = Value(f"%in{len(self.program.inputs)}", tuple(sizes), dtype, True)
        self.program.inputs.append(value)
        self.values.append(value)
        return value

    def add_input(self):
        sizes = [self.size() for _ in range(self.rng.randint(1, 4))]
        # Types that numpy lacks cannot be inputs.
        self.given(sizes, self.rng.choice([t for t in DTYPES if t != "bf16"]))

    def pick(self, test=lambda v: True):
        values = [v for v in self.values if test(v)]
        return (
            self.rng.choice(values[-6:] if self.rng.random() < 0.7 else values) if values else None
        )

    def emit(self, text, operands, *results):
        self.program.statements.append(Statement(text, list(operands), list(results)))
        self.values.extend(value for value in results if value.is_tensor)

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

        def nest(at, axis):
            if axis == len(sizes):
                return str(numbers[at])
            parts = (nest(at * sizes[axis] + i, axis + 1) for i in range(sizes[axis]))
            return f"[{', '.join(parts)}]"

        self.emit(f"{value} = dhlo.constant dense<{nest(0, 0)}> : {typed(value)}", [], value)
        return value

    def ramp(self, size, dtype):
        """A constant with the multiples of 1/8 from 0 on."""
        y = self.fresh((size,), dtype, True)
        numbers = [i / 8 for i in range(size)]
        self.emit(f"{y} = dhlo.constant dense<{numbers}> : {typed(y)}", [], y)
        return y

    # Statements

    def add_statement(self):
        makers = [name for name in dir(Generator) if name.startswith("make_")]
        weights = [OFTEN.get(name, 1) for name in makers]
        for _ in range(50):
            if getattr(self, self.rng.choices(makers, weights)[0])():
                return

    def splat(self, like, number):
        """A number in each element of a tensor with the sizes and type of another."""
        one, y = self.fresh((), like.dtype, True), self.fresh(like.sizes, like.dtype, True)
        self.emit(f"{one} = dhlo.constant dense<{number}> : {typed(one)}", [], one)
        text = f"{y} = dhlo.broadcast {one} axes = [] : ({typed(one)}) -> {typed(y)}"
        self.emit(text, [one], y)
        return y

    def convert(self, x, dtype):
        if x.dtype == dtype:
            return x
        y = self.fresh(x.sizes, dtype, False)
        self.emit(f"{y} = dhlo.convert {x} : ({typed(x)}) -> {typed(y)}", [x], y)
        return y

    def binary(self, op, x, y, exact=False):
        z = self.fresh(x.sizes, x.dtype, exact)
        self.emit(f"{z} = dhlo.{op} {x}, {y} : {typed(z)}", [x, y], z)
        return z

    def unary(self, op, x, suffix=""):
        exact = x.exact and op in EXACT
        y = self.fresh(x.sizes, x.dtype, exact, x.depth)
        self.emit(f"{y} = dhlo.{op} {suffix}{x} : {typed(y)}", [x], y)
        return y

    def make_unary(self):
        op = self.rng.choice(UNARY)
        x = self.pick(lambda v: is_float(v) and (v.exact or op not in DISCONTINUOUS))
        if x and op in ANGLES and not x.exact:
            # The error of a large angle is several turns.
            x = self.unary("tanh", x)
        if x and op == "sqrt" and not x.exact:
            x = self.unary("abs", x)
        return x and self.unary(op, x)

    def make_unary_int(self):
        x = self.pick(lambda v: v.dtype in INTS)
        return x and self.unary(self.rng.choice(["abs", "neg", "not", "sign"]), x)

    def make_gelu(self):
        x = self.pick(is_float)
        return x and self.unary("gelu", x, self.rng.choice(["erf ", "tanh "]))

    def make_binary(self):
        op = self.rng.choice(["add", "sub", "mul", "maximum", "minimum", "div"])
        ints = op != "div"
        x = self.pick(lambda v: is_float(v) or (v.dtype in INTS and ints))
        if not x:
            return None
        y = self.same(x)
        if op == "div":
            # Away from zero, so that errors of the divisor do not matter.
            y = self.unary("cosh", self.unary("tanh", y))
        depth = max(x.depth, y.depth) + 1
        exact = (x.exact and y.exact and op in EXACT and depth < 3) or x.dtype in INTS
        z = self.fresh(x.sizes, x.dtype, exact, depth)
        self.emit(f"{z} = dhlo.{op} {x}, {y} : {typed(z)}", [x, y], z)
        return z

    def same(self, x):
        """A value of the same type, made by broadcasting a vector if there is none."""
        others = [v for v in self.values if v.sizes == x.sizes and v.dtype == x.dtype]
        if len(others) > 1 or not is_float(x) or not x.sizes:
            return self.rng.choice(others)
        last = x.sizes[-1] if isinstance(x.sizes[-1], int) and x.sizes[-1] < 20 else 1
        w = self.weight((last,), x.dtype)
        y = self.fresh(x.sizes, x.dtype, True)
        axes = f"axes = [{len(x.sizes) - 1}]"
        self.emit(f"{y} = dhlo.broadcast {w} {axes} : ({typed(w)}) -> {typed(y)}", [w], y)
        return y

    def make_select(self):
        x = self.pick(lambda v: v.exact and v.dtype in FLOATS + INTS)
        if not x:
            return None
        other = self.same(x)
        if not other.exact:
            return None
        p = self.fresh(x.sizes, "i1", True)
        direction = self.rng.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        text = f"{p} = dhlo.compare {direction} {x}, {other} : {typed(x)} -> {typed(p)}"
        self.emit(text, [x, other], p)
        z = self.fresh(x.sizes, x.dtype, True, max(x.depth, other.depth))
        text = f"{z} = dhlo.select {p}, {x}, {other} : {typed(p)}, {typed(z)}"
        self.emit(text, [p, x, other], z)
        return z

    def make_convert(self):
        x = self.pick()
        targets = DTYPES if x.exact and x.depth == 0 else FLOATS
        dtype = self.rng.choice(targets)
        if dtype == x.dtype:
            return None
        if dtype.startswith("u") and is_float(x):
            x = self.unary("abs", x)
        y = self.convert(x, dtype)
        y.exact = not is_float(y)
        return y

    def moved(self, x, sizes, text, operands=None):
        y = self.fresh(sizes, x.dtype, x.exact, x.depth)
        types = ", ".join(typed(v) for v in (operands or [x]))
        self.emit(f"{y} = {text} : ({types}) -> {typed(y)}", operands or [x], y)
        return y

    def make_transpose(self):
        x = self.pick(lambda v: len(v.sizes) > 1)
        if not x:
            return None
        order = list(range(len(x.sizes)))
        self.rng.shuffle(order)
        return self.moved(
            x, [x.sizes[i] for i in order], f"dhlo.transpose {x} permutation = {order}"
        )

    def make_broadcast(self):
        x = self.pick(lambda v: len(v.sizes) < 4)
        if not x:
            return None
        at = self.rng.randint(0, len(x.sizes))
        sizes = list(x.sizes)
        sizes = [self.size() if s == 1 and self.rng.random() < 0.5 else s for s in sizes]
        axes = [i + (i >= at) for i in range(len(sizes))]
        sizes.insert(at, self.size())
        return self.moved(x, sizes, f"dhlo.broadcast {x} axes = {axes}")

    def make_reshape(self):
        x = self.pick(lambda v: len(v.sizes) > 1)
        if not x:
            return None
        at = self.rng.randrange(len(x.sizes) - 1)
        a, b = x.sizes[at : at + 2]
        if isinstance(a, int) and isinstance(b, int):
            merged = a * b
        else:
            parts = sorted([self.expr(a), self.expr(b)])
            merged = self.symbol(" * ".join(parts)) if 1 not in (a, b) else (b if a == 1 else a)
        return self.moved(x, x.sizes[:at] + (merged,) + x.sizes[at + 2 :], f"dhlo.reshape {x}")

    def make_slice(self):
        x = self.pick(lambda v: v.sizes)
        if not x:
            return None
        starts, strides, sizes = [], [], []
        for size in x.sizes:
            how = self.rng.choice(["all", "all", "tail", "reverse", "even"])
            e = self.expr(size)
            if how == "tail":
                start, stride, new = "1", 1, f"max({e} - 1, 0)"
            elif how == "reverse":
                start, stride, new = f"{e} - 1", -1, e
            elif how == "even":
                start, stride, new = "0", 2, f"({e} + 1) floordiv 2"
            else:
                start, stride, new = "0", 1, e
            if isinstance(size, int):
                start = str(size - 1) if how == "reverse" else start
                new = {"tail": max(size - 1, 0), "even": (size + 1) // 2}.get(how, size)
            starts.append(start)
            strides.append(stride)
            sizes.append(new if isinstance(new, int) else self.symbol(new))
        text = f"dhlo.slice {x} starts = [{', '.join(starts)}] strides = {strides}"
        return self.moved(x, sizes, text)

    def make_pad(self):
        x = self.pick(lambda v: is_float(v) and v.sizes)
        if not x:
            return None
        value = self.weight((), x.dtype)
        low = [self.rng.choice([0, 0, 1, 2]) for _ in x.sizes]
        high = [self.rng.choice([0, 0, 1]) for _ in x.sizes]
        fixed = all(isinstance(s, int) and s > 2 for s in x.sizes)
        mode = self.rng.choice(["reflect", "edge", "wrap"]) if fixed else "constant"
        sizes = [self.plus(s, a + b) for s, a, b in zip(x.sizes, low, high)]
        text = f"dhlo.pad {x}, {value} {mode} low = {low} high = {high}"
        return self.moved(x, sizes, text, [x, value])

    def plus(self, size, amount):
        if isinstance(size, int):
            return size + amount
        return self.symbol(f"@{size} + {amount}") if amount else size

    def make_concat(self):
        x = self.pick(lambda v: v.sizes)
        if not x:
            return None
        axis = self.rng.randrange(len(x.sizes))
        size = x.sizes[axis]
        total = 2 * size if isinstance(size, int) else self.symbol(f"2 * @{size}")
        sizes = x.sizes[:axis] + (total,) + x.sizes[axis + 1 :]
        others = [v for v in self.values if v.sizes == x.sizes and v.dtype == x.dtype]
        other = self.rng.choice(others)
        y = self.moved(x, sizes, f"dhlo.concat {x}, {other} axis = {axis}", [x, other])
        y.exact &= other.exact
        y.depth = max(y.depth, other.depth)
        return y

    def make_reverse(self):
        x = self.pick(lambda v: v.sizes)
        if not x:
            return None
        axis = self.rng.randrange(len(x.sizes))
        y = self.fresh(x.sizes, x.dtype, x.exact, x.depth)
        self.emit(f"{y} = dhlo.reverse {x} axes = [{axis}] : {typed(y)}", [x], y)
        return y

    def make_gather(self):
        x = self.pick(lambda v: any(isinstance(s, int) and s > 1 for s in v.sizes))
        if not x:
            return None
        axis = self.rng.choice([i for i, s in enumerate(x.sizes) if isinstance(s, int) and s > 1])
        size = self.size()
        inside = self.rows(x, axis, (size,))
        sizes = x.sizes[:axis] + (size,) + x.sizes[axis + 1 :]
        return self.moved(
            x, sizes, f"dhlo.gather {x}, {inside} axis = {axis} batch = 0", [x, inside]
        )

    def rows(self, x, axis, sizes):
        """Indices in the range of an axis, which increase along it and wrap around. Some
        count from the end."""
        index = self.fresh(sizes, self.rng.choice(["i64", "i64", "i32"]), True)
        along = axis if len(sizes) > 1 else 0
        iota = f"dhlo.iota axis = {along} start = [{self.rng.randint(0, 5)}] step = [1]"
        self.emit(f"{index} = {iota} : {typed(index)}", [], index)
        bound = self.splat(index, x.sizes[axis])
        inside = self.binary("rem", index, bound, exact=True)
        return self.binary("sub", inside, bound, exact=True) if self.chance(0.2) else inside

    def make_scatter_elements(self):
        x = self.pick(
            lambda v: v.dtype != "i1" and any(isinstance(s, int) and s > 1 for s in v.sizes)
        )
        if not x:
            return None
        axis = self.rng.choice([i for i, s in enumerate(x.sizes) if isinstance(s, int) and s > 1])
        inside, u = self.rows(x, axis, x.sizes), self.same(x)
        kind = self.rng.choice(["replace", "add", "mul", "max", "min"])
        moves = kind not in ("add", "mul") or x.dtype in INTS
        y = self.fresh(x.sizes, x.dtype, x.exact and u.exact and moves, x.depth)
        text = f"{y} = dhlo.scatter_elements {x}, {inside}, {u} {kind} axis = {axis}"
        types = f"({typed(x)}, {typed(inside)}, {typed(u)}) -> {typed(y)}"
        self.emit(f"{text} : {types}", [x, inside, u], y)
        return y

    def make_scatter_nd(self):
        x = self.pick(
            lambda v: v.dtype != "i1" and v.sizes and isinstance(v.sizes[0], int) and v.sizes[0] > 1
        )
        if not x:
            return None
        count = self.rng.choice([1, 3, x.sizes[0], "N"])
        rows = self.rows(x, 0, (count,))
        u = self.moved(
            x, (count,) + x.sizes[1:], f"dhlo.gather {x}, {rows} axis = 0 batch = 0", [x, rows]
        )
        at = self.moved(rows, (count, 1), f"dhlo.reshape {rows}")
        kind = self.rng.choice(["replace", "add", "mul", "max", "min"])
        moves = kind not in ("add", "mul") or x.dtype in INTS
        y = self.fresh(x.sizes, x.dtype, x.exact and moves, x.depth)
        text = f"{y} = dhlo.scatter_nd {x}, {at}, {u} {kind}"
        types = f"({typed(x)}, {typed(at)}, {typed(u)}) -> {typed(y)}"
        self.emit(f"{text} : {types}", [x, at, u], y)
        return y

    def make_reduce(self):
        x = self.pick(lambda v: v.sizes)
        if not x:
            return None
        kinds = ["and", "or"] if x.dtype == "i1" else ["sum", "max", "min", "sum"]
        kinds += ["prod"] if x.dtype in INTS else []
        kind = self.rng.choice(kinds)
        count = self.rng.randint(1, len(x.sizes))
        axes = sorted(self.rng.sample(range(len(x.sizes)), count))
        sizes = [s for i, s in enumerate(x.sizes) if i not in axes]
        y = self.moved(x, sizes, f"dhlo.reduce {kind} {x} axes = {axes}")
        # Extrema of no elements are infinite.
        y.exact = not is_float(y)
        return y

    def make_arg_reduce(self):
        x = self.pick(lambda v: v.sizes and v.exact and v.dtype != "i1")
        if not x:
            return None
        axis = self.rng.randrange(len(x.sizes))
        dtype = self.rng.choice(["i64", "i32"])
        y = self.fresh(x.sizes[:axis] + x.sizes[axis + 1 :], dtype, True)
        kind, last = self.rng.choice(["max", "min"]), self.rng.choice(["", " last"])
        text = f"{y} = dhlo.arg_reduce {kind} {x} axis = {axis}{last}"
        self.emit(f"{text} : ({typed(x)}) -> {typed(y)}", [x], y)
        return y

    def make_cumulative(self):
        x = self.pick(lambda v: v.sizes and v.dtype != "i1")
        if not x:
            return None
        y = self.fresh(x.sizes, x.dtype, x.dtype in INTS)
        flags = [flag for flag in (" exclusive", " reverse") if self.rng.randrange(2)]
        kind = self.rng.choice(["sum", "max", "min"] + ["prod"] * (x.dtype in INTS))
        text = f"{y} = dhlo.cumulative {kind} {x}"
        text += f" axis = {self.rng.randrange(len(x.sizes))}{''.join(flags)}"
        self.emit(f"{text} : {typed(y)}", [x], y)
        return y

    def make_softmax(self):
        x = self.pick(lambda v: is_float(v) and v.sizes)
        if not x:
            return None
        y = self.fresh(x.sizes, x.dtype, False)
        log = self.rng.choice([" log", "", ""])
        text = f"{y} = dhlo.softmax {x} axis = {self.rng.randrange(len(x.sizes))}{log}"
        self.emit(f"{text} : {typed(y)}", [x], y)
        return y

    def make_norm(self):
        x = self.pick(lambda v: is_float(v) and v.sizes and isinstance(v.sizes[-1], int))
        if not x:
            return None
        scale = self.weight((x.sizes[-1],), x.dtype)
        axis = f"axis = {len(x.sizes) - 1} eps = 1.0e-2"
        if self.rng.random() < 0.5:
            y = self.moved(x, x.sizes, f"dhlo.rms_norm {x}, {scale} {axis}", [x, scale])
        else:
            bias = self.weight((x.sizes[-1],), x.dtype)
            text = f"dhlo.layer_norm {x}, {scale}, {bias} {axis}"
            y = self.moved(x, x.sizes, text, [x, scale, bias])
        y.exact = False
        return y

    def make_matmul(self):
        """A matmul with a constant, or with another value."""
        x = self.pick(lambda v: is_float(v) and len(v.sizes) > 1)
        if not x:
            return None
        rank = len(x.sizes)
        if isinstance(x.sizes[-1], int) and x.sizes[-1] < 40 and self.rng.random() < 0.6:
            n = self.rng.choice([1, 3, 8, 16, 17, 33])
            w = self.weight((x.sizes[-1], n), x.dtype)
            batch, rhs, sizes = 0, [0], x.sizes[:-1] + (n,)
        else:
            w = x
            batch, rhs, sizes = rank - 2, [rank - 1], x.sizes[:-1] + (x.sizes[-2],)
        text = f"dhlo.dot_general {x}, {w} batch = {batch} lhs_contract = [{rank - 1}]"
        y = self.moved(x, sizes, f"{text} rhs_contract = {rhs}", [x, w])
        y.exact = False
        return y

    def make_byte_matmul(self):
        """Bytes times constant bytes, as in quantised models: in i32, less zero points,
        which either operand may have."""
        x = self.pick(
            lambda v: (
                v.dtype in ("i8", "ui8")
                and len(v.sizes) > 1
                and isinstance(v.sizes[-1], int)
                and v.sizes[-1] < 70
            )
        )
        x = x or self.given((self.rng.choice(["N", 5]), 8), self.rng.choice(["i8", "ui8"]))
        w = self.weight(
            (x.sizes[-1], self.rng.choice([1, 8, 16, 17, 33])), self.rng.choice(["i8", "ui8"])
        )
        sizes, depth = x.sizes[:-1] + w.sizes[1:], len(x.sizes) - 1
        if self.rng.random() < 0.8:
            x, w = self.centred(x, depth), self.centred(w, 0)
        y = self.fresh(sizes, "i32", True)
        text = f"{y} = dhlo.dot_general {x}, {w} batch = 0 lhs_contract = [{depth}]"
        text += f" rhs_contract = [0] : ({typed(x)}, {typed(w)}) -> {typed(y)}"
        self.emit(text, [x, w], y)
        return y

    def centred(self, x, contracted):
        """Bytes as i32, mostly less a zero point: one for all, or one for each column of a
        matrix whose rows are contracted."""

        def convert(value):
            wide = self.fresh(value.sizes, "i32", True)
            self.emit(
                f"{wide} = dhlo.convert {value} : ({typed(value)}) -> {typed(wide)}", [value], wide
            )
            return wide

        wide = convert(x)
        kind = self.rng.choice(["none", "all", "columns"])
        if kind == "none":
            return wide
        each = kind == "columns" and contracted == 0
        zero = convert(self.weight(x.sizes[1:] if each else (), x.dtype))
        repeated, y = self.fresh(x.sizes, "i32", True), self.fresh(x.sizes, "i32", True)
        axes = "axes = [1]" if each else "axes = []"
        text = f"{repeated} = dhlo.broadcast {zero} {axes} : ({typed(zero)}) -> {typed(repeated)}"
        self.emit(text, [zero], repeated)
        self.emit(f"{y} = dhlo.sub {wide}, {repeated} : {typed(y)}", [wide, repeated], y)
        return y

    def make_sort(self):
        x = self.pick(lambda v: v.sizes and v.exact and v.dtype != "i1")
        if not x:
            return None
        y, i = self.fresh(x.sizes, x.dtype, True, x.depth), self.fresh(x.sizes, "i64", True)
        axis, down = self.rng.randrange(len(x.sizes)), self.rng.choice([" descending", ""])
        text = f"{y}, {i} = dhlo.sort {x} axis = {axis}{down}"
        self.emit(f"{text} : {typed(y)}, {typed(i)}", [x], y, i)
        return y

    def make_top_k(self):
        x = self.pick(
            lambda v: (
                v.exact and v.dtype != "i1" and any(isinstance(s, int) and s > 1 for s in v.sizes)
            )
        )
        if not x:
            return None
        axis = self.rng.choice([i for i, s in enumerate(x.sizes) if isinstance(s, int) and s > 1])
        k = self.rng.randint(1, x.sizes[axis])
        sizes = x.sizes[:axis] + (k,) + x.sizes[axis + 1 :]
        y, i = self.fresh(sizes, x.dtype, True, x.depth), self.fresh(sizes, "i64", True)
        largest = self.rng.choice([" largest", ""])
        text = f"{y}, {i} = dhlo.top_k {x} axis = {axis}{largest}"
        self.emit(f"{text} : ({typed(x)}) -> ({typed(y)}, {typed(i)})", [x], y, i)
        return y


def generate(seed, length=None):
    """The program of a seed."""
    return Generator(seed, length).program
