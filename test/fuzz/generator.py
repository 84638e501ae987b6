# ===- generator.py - Random programs of dhlo ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid programs over most operations and element types.

A `Program` is a list of statements in order, each with the values that it reads
and makes. Sizes are integers or names of symbols: `N` and `M` are bound by the
inputs, others are declared as expressions over them. Every program is legal for
all N, M >= 0 and meets no data error.

Discontinuous operations (rounding, comparing, sorting) only see *exact* values,
on which two right implementations agree bit for bit: small multiples of 1/8 that
were moved, added or compared.
"""

import dataclasses
import random
import re

FLOATS = ("f32", "f32", "f32", "f16", "bf16", "f64")
INTS = ("i64", "i32", "i8", "ui8", "i16")
UNARY = "abs neg sign exp expm1 sqrt tanh erf logistic sin cos atan asinh floor ceil round".split()
DISCONTINUOUS = {"sign", "floor", "ceil", "round"}
EXACT = {"abs", "neg", "sign", "floor", "ceil", "round", "maximum", "minimum", "add", "sub"}


@dataclasses.dataclass
class Value:
    """A tensor: its name, sizes, element type, and whether it is exact."""

    name: str
    sizes: tuple
    dtype: str
    exact: bool
    depth: int = 0  # of additions, which bounds exact values
    is_tensor = True

    def __str__(self):
        return self.name

    def type(self):
        return type_of(self.sizes, self.dtype)


@dataclasses.dataclass
class Statement:
    """A line of text and what it reads and makes."""

    text: str
    operands: list
    results: list


def type_of(sizes, dtype):
    """A tensor type as text."""
    shape = "".join(f"{size if isinstance(size, int) else '?'}x" for size in sizes)
    names = [size for size in sizes if not isinstance(size, int)]
    encoding = f", #dhlo.dims<{', '.join(names)}>" if names else ""
    return f"tensor<{shape}{dtype}{encoding}>"


def typed(value):
    return value.type()


def is_float(value):
    return value.dtype in FLOATS


@dataclasses.dataclass
class Program:
    """Inputs, statements and outputs, printable as a module."""

    inputs: list = dataclasses.field(default_factory=list)
    statements: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    # Name -> expression, or nothing for one that an operation binds.
    symbols: dict = dataclasses.field(default_factory=dict)

    def without_unused(self):
        """The program with only what the outputs need."""
        needed = {value.name for value in self.outputs}
        kept = []
        for statement in reversed(self.statements):
            if any(value.name in needed for value in statement.results):
                kept.append(statement)
                needed |= {value.name for value in statement.operands}
        used = [value for value in self.inputs if value.name in needed]
        return Program(used, kept[::-1], self.outputs, self.symbols)

    def dtypes(self):
        """Element types of inputs and outputs."""
        return {value.dtype for value in self.inputs + self.outputs}

    def text(self):
        """The module. Symbols that no input binds are bound by one more input."""
        body = "\n".join("  " + statement.text for statement in self.statements)
        free = {s for value in self.inputs for s in value.sizes if s in ("N", "M")}
        inputs = list(self.inputs)
        inputs += [Value(f"%bind{s}", (s,), "i8", True) for s in "NM" if s not in free]
        arguments = ", ".join(
            f'{v.name}: {typed(v)} {{dhlo.name = "{v.name[1:]}"}}' for v in inputs
        )
        results = ", ".join(
            f'{typed(v)} {{dhlo.name = "{v.name[1:].replace("#", "_")}"}}' for v in self.outputs
        )
        everything = body + arguments + results
        dims = "dhlo.dim @N in [0, ?]\ndhlo.dim @M in [0, ?]\n"
        symbol = re.compile(r"\b[dk]\d+\b")
        needed = set(symbol.findall(everything))
        for name in reversed(list(self.symbols)):
            if name in needed:
                needed |= set(symbol.findall(self.symbols[name]))
        dims += "".join(
            f"dhlo.dim @{name} = {expr}\n" if expr else f"dhlo.dim @{name}\n"
            for name, expr in self.symbols.items()
            if name in needed
        )
        returned = ", ".join(v.name for v in self.outputs)
        types = ", ".join(typed(v) for v in self.outputs)
        return (
            f"{dims}func.func @main({arguments}) -> ({results}) attributes {{dhlo.entry}} {{\n"
            f"{body}\n  return {returned} : {types}\n}}\n"
        )

    def input_shapes(self, sizes):
        """Name, shape and type of each input at the sizes {"N": n, "M": m}."""
        free = {s for value in self.inputs for s in value.sizes if s in ("N", "M")}
        inputs = list(self.inputs)
        inputs += [Value(f"%bind{s}", (s,), "i8", True) for s in "NM" if s not in free]
        return [
            (v.name[1:], tuple(sizes.get(size, size) for size in v.sizes), v.dtype) for v in inputs
        ]


class Generator:
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
        made = [v for s in self.program.statements for v in s.results if s.operands]
        return self.rng.sample(made, min(len(made), self.rng.randint(1, 3)))

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

    @staticmethod
    def expr(size):
        return str(size) if isinstance(size, int) else f"@{size}"

    def add_input(self):
        sizes = [self.size() for _ in range(self.rng.randint(1, 4))]
        dtype = self.rng.choice(FLOATS + INTS[:3])
        value = Value(f"%in{len(self.program.inputs)}", tuple(sizes), dtype, True)
        self.program.inputs.append(value)
        self.values.append(value)

    def pick(self, test=lambda v: True):
        values = [v for v in self.values if test(v)]
        return (
            self.rng.choice(values[-6:] if self.rng.random() < 0.7 else values) if values else None
        )

    def emit(self, text, operands, *results):
        self.program.statements.append(Statement(text, list(operands), list(results)))
        self.values.extend(value for value in results if value.is_tensor)

    def weight(self, sizes, dtype):
        """A constant of small multiples of 1/8, or of any bytes."""
        value = self.fresh(sizes, dtype, True)
        count = 1
        for size in sizes:
            count *= size
        if dtype in FLOATS:
            numbers = [self.rng.randint(-16, 16) / 8 for _ in range(count)]
        else:
            low = 0 if dtype == "ui8" else -128
            numbers = [low + self.rng.randrange(256) for _ in range(count)]

        def nest(at, axis):
            if axis == len(sizes):
                return str(numbers[at])
            parts = (nest(at * sizes[axis] + i, axis + 1) for i in range(sizes[axis]))
            return f"[{', '.join(parts)}]"

        self.emit(f"{value} = dhlo.constant dense<{nest(0, 0)}> : {typed(value)}", [], value)
        return value

    # Statements

    def add_statement(self):
        makers = [name for name in dir(Generator) if name.startswith("make_")]
        for _ in range(50):
            if getattr(self, self.rng.choice(makers))():
                return

    def unary(self, op, x, suffix=""):
        exact = x.exact and op in EXACT
        y = self.fresh(x.sizes, x.dtype, exact, x.depth)
        self.emit(f"{y} = dhlo.{op} {suffix}{x} : {typed(y)}", [x], y)
        return y

    def make_unary(self):
        op = self.rng.choice(UNARY)
        x = self.pick(lambda v: is_float(v) and (v.exact or op not in DISCONTINUOUS))
        return x and self.unary(op, x)

    def make_unary_int(self):
        x = self.pick(lambda v: v.dtype in INTS)
        return x and self.unary(self.rng.choice(["abs", "neg", "not", "sign"]), x)

    def make_gelu(self):
        x = self.pick(is_float)
        return x and self.unary("gelu", x, self.rng.choice(["erf ", "tanh "]))

    def make_binary(self):
        op = self.rng.choice(["add", "sub", "mul", "maximum", "minimum", "div", "and", "xor"])
        floats = op not in ("and", "xor")
        ints = op != "div"
        x = self.pick(lambda v: (is_float(v) and floats) or (v.dtype in INTS and ints))
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
        x = self.pick(lambda v: v.dtype != "i1")
        if not x:
            return None
        targets = FLOATS if not (x.exact and x.depth == 0) else FLOATS + ("i64", "i32", "i1")
        y = self.fresh(x.sizes, self.rng.choice(targets), False)
        if y.dtype == x.dtype:
            return None
        self.emit(f"{y} = dhlo.convert {x} : ({typed(x)}) -> {typed(y)}", [x], y)
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
        index = self.fresh((size,), "i64", True)
        iota = f"dhlo.iota axis = 0 start = [{self.rng.randint(0, 5)}] step = [1]"
        self.emit(f"{index} = {iota} : {typed(index)}", [], index)
        bound, splat = self.fresh((), "i64", True), self.fresh((size,), "i64", True)
        text = f"{bound} = dhlo.constant dense<{x.sizes[axis]}> : {typed(bound)}"
        self.emit(text, [], bound)
        text = f"{splat} = dhlo.broadcast {bound} axes = [] : ({typed(bound)}) -> {typed(splat)}"
        self.emit(text, [bound], splat)
        inside = self.fresh((size,), "i64", True)
        text = f"{inside} = dhlo.rem {index}, {splat} : {typed(inside)}"
        self.emit(text, [index, splat], inside)
        sizes = x.sizes[:axis] + (size,) + x.sizes[axis + 1 :]
        return self.moved(
            x, sizes, f"dhlo.gather {x}, {inside} axis = {axis} batch = 0", [x, inside]
        )

    def rows(self, x, axis, sizes):
        """Indices in the range of an axis, that grow along it and start again."""
        index = self.fresh(sizes, "i64", True)
        along = axis if len(sizes) > 1 else 0
        iota = f"dhlo.iota axis = {along} start = [{self.rng.randint(0, 5)}] step = [1]"
        self.emit(f"{index} = {iota} : {typed(index)}", [], index)
        bound, splat = self.fresh((), "i64", True), self.fresh(sizes, "i64", True)
        text = f"{bound} = dhlo.constant dense<{x.sizes[axis]}> : {typed(bound)}"
        self.emit(text, [], bound)
        text = f"{splat} = dhlo.broadcast {bound} axes = [] : ({typed(bound)}) -> {typed(splat)}"
        self.emit(text, [bound], splat)
        inside = self.fresh(sizes, "i64", True)
        text = f"{inside} = dhlo.rem {index}, {splat} : {typed(inside)}"
        self.emit(text, [index, splat], inside)
        return inside

    def make_scatter_elements(self):
        x = self.pick(
            lambda v: v.dtype != "i1" and any(isinstance(s, int) and s > 1 for s in v.sizes)
        )
        if not x:
            return None
        axis = self.rng.choice([i for i, s in enumerate(x.sizes) if isinstance(s, int) and s > 1])
        inside, u = self.rows(x, axis, x.sizes), self.same(x)
        kind = self.rng.choice(["replace", "add", "max", "min"])
        y = self.fresh(x.sizes, x.dtype, x.exact and u.exact and kind != "add", x.depth)
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
        kind = self.rng.choice(["replace", "add", "max", "min"])
        y = self.fresh(x.sizes, x.dtype, x.exact and kind != "add", x.depth)
        text = f"{y} = dhlo.scatter_nd {x}, {at}, {u} {kind}"
        types = f"({typed(x)}, {typed(at)}, {typed(u)}) -> {typed(y)}"
        self.emit(f"{text} : {types}", [x, at, u], y)
        return y

    def make_resize(self):
        x = self.pick(lambda v: v.dtype == "f32" and any(isinstance(s, int) for s in v.sizes))
        if not x:
            return None
        axis = self.rng.choice([i for i, s in enumerate(x.sizes) if isinstance(s, int)])
        sizes = x.sizes[:axis] + (2 * x.sizes[axis],) + x.sizes[axis + 1 :]
        scales = [2.0 if i == axis else 1.0 for i in range(len(sizes))]
        mode = self.rng.choice(["nearest asymmetric floor", "linear half_pixel floor"])
        y = self.moved(x, sizes, f"dhlo.resize {mode} {x} scales = {scales} coefficient = -0.75")
        y.exact = x.exact and "nearest" in mode
        return y

    def make_if(self):
        """A choice that depends on the sizes alone."""
        x = self.pick(lambda v: v.dtype in ("f32", "i64"))
        if not x:
            return None
        n, least = self.fresh((), "i64", True), self.fresh((), "i64", True)
        p = self.fresh((), "i1", True)
        self.emit(f"{n} = dhlo.from_dims [@N + @M] : {typed(n)}", [], n)
        text = f"{least} = dhlo.constant dense<{self.rng.randint(0, 8)}> : {typed(least)}"
        self.emit(text, [], least)
        text = f"{p} = dhlo.compare lt {n}, {least} : {typed(n)} -> {typed(p)}"
        self.emit(text, [n, least], p)
        y, inner = self.fresh(x.sizes, x.dtype, x.exact, x.depth), f"%b{self.count}"
        text = f"{y} = dhlo.if {p} -> ({typed(y)}) {{ {inner} = dhlo.neg {x} : {typed(x)}"
        text += f" dhlo.yield {inner} : {typed(x)} }} else {{ dhlo.yield {x} : {typed(x)} }}"
        self.emit(text, [p, x], y)
        return y

    def make_reduce(self):
        kind = self.rng.choice(["sum", "max", "min", "sum"])
        x = self.pick(lambda v: v.sizes and v.dtype != "i1")
        if not x:
            return None
        count = self.rng.randint(1, len(x.sizes))
        axes = sorted(self.rng.sample(range(len(x.sizes)), count))
        sizes = [s for i, s in enumerate(x.sizes) if i not in axes]
        y = self.moved(x, sizes, f"dhlo.reduce {kind} {x} axes = {axes}")
        # Extremes of no elements are infinite.
        y.exact = y.dtype in INTS
        return y

    def make_arg_reduce(self):
        x = self.pick(lambda v: v.sizes and v.exact and v.dtype != "i1")
        if not x:
            return None
        axis = self.rng.randrange(len(x.sizes))
        y = self.fresh(x.sizes[:axis] + x.sizes[axis + 1 :], "i64", True)
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
        text = f"{y} = dhlo.cumulative {self.rng.choice(['sum', 'max'])} {x}"
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
        """A product with a constant, or with another value."""
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

    def make_byte_product(self):
        """Bytes times constant bytes, as quantised models have them: in i32, less
        zero points that either side may have."""
        x = self.pick(
            lambda v: (
                v.dtype in ("i8", "ui8")
                and len(v.sizes) > 1
                and isinstance(v.sizes[-1], int)
                and v.sizes[-1] < 70
            )
        )
        if not x:
            return None
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
        """Bytes as i32, mostly less a zero point: of all, or of each column of a
        matrix whose rows are summed over."""

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

    def make_convolution(self):
        x = self.pick(lambda v: v.dtype == "f32" and len(v.sizes) == 4)
        if not x or not isinstance(x.sizes[1], int):
            return None
        window, groups = self.rng.choice([1, 3]), 1
        filters = self.rng.choice([1, 4, 16, 17])
        if self.rng.random() < 0.3:
            groups = filters = x.sizes[1]
        w = self.weight((filters, x.sizes[1] // groups, window, window), "f32")
        pad = window // 2
        text = f"dhlo.convolution {x}, {w} channels_first strides = [1, 1] low = [{pad}, {pad}]"
        text += f" high = [{pad}, {pad}] input_dilation = [1, 1] filter_dilation = [1, 1]"
        sizes = (x.sizes[0], filters) + x.sizes[2:]
        y = self.moved(x, sizes, f"{text} groups = {groups}", [x, w])
        y.exact = False
        return y

    def make_pool(self):
        x = self.pick(lambda v: is_float(v) and v.sizes)
        if not x:
            return None
        axis = self.rng.randrange(len(x.sizes))

        def ones(value, other):
            return [value if i == axis else other for i in range(len(x.sizes))]

        kind = self.rng.choice(["max", "sum"])
        text = f"dhlo.reduce_window {kind} {x} window = {ones(3, 1)} strides = {ones(1, 1)}"
        text += f" dilations = {ones(1, 1)} low = {ones(1, 0)} high = {ones(1, 0)}"
        y = self.moved(x, x.sizes, text)
        y.exact = False
        return y

    def make_attention(self):
        x = self.pick(lambda v: v.dtype == "f32" and len(v.sizes) == 4)
        if not x or not isinstance(x.sizes[1], int) or not isinstance(x.sizes[3], int):
            return None
        causal = self.rng.choice([" causal", ""])
        text = f"dhlo.attention {x}, {x}, {x} scale = 0.25{causal}"
        y = self.moved(x, x.sizes, text, [x, x, x])
        y.exact = False
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
