# ===- movement.py - Random movements and generated tensors ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move elements, or make them from nothing, from sizes or from a file."""

from dialect import operations
from program import INTS, WEIGHTS_FILE, is_float, weight_range
from table import DTYPES, has_axes, has_room, has_two_axes, makes


class Movement:
    """The part of a generator that moves elements."""

    @makes("transpose", where=has_two_axes)
    def make_transpose(self, x):
        order = list(range(len(x.sizes)))
        self.rng.shuffle(order)
        return self.transposed(x, order)

    @makes("broadcast", where=has_room)
    def make_broadcast(self, x):
        at = self.rng.randint(0, len(x.sizes))
        sizes = [self.size() if s == 1 and self.chance(0.5) else s for s in x.sizes]
        axes = [i + (i >= at) for i in range(len(sizes))]
        sizes.insert(at, self.size())
        return self.moved(x, sizes, f"dhlo.broadcast {x} axes = {axes}")

    @makes("reshape", where=has_two_axes)
    def make_reshape(self, x):
        at = self.rng.randrange(len(x.sizes) - 1)
        merged = self.times(*x.sizes[at : at + 2])
        return self.reshaped(x, x.sizes[:at] + (merged,) + x.sizes[at + 2 :])

    @makes("slice", where=has_axes)
    def make_slice(self, x):
        parts = [self.part(size) for size in x.sizes]
        starts, strides, sizes = zip(*parts, strict=True)
        return self.sliced(x, sizes, starts, list(strides))

    def part(self, size):
        """A start, a stride and a size of a part of an axis."""
        how, e = self.rng.choice(["all", "all", "tail", "reverse", "even"]), self.expr(size)
        fixed = isinstance(size, int)
        if how == "tail":
            return "1", 1, max(size - 1, 0) if fixed else self.symbol(f"max({e} - 1, 0)")
        if how == "reverse":
            return size - 1 if fixed else f"{e} - 1", -1, size
        if how == "even":
            return "0", 2, (size + 1) // 2 if fixed else self.symbol(f"({e} + 1) floordiv 2")
        return "0", 1, size

    @makes("pad", where=has_axes)
    def make_pad(self, x):
        value = self.weight((), x.dtype)
        low, high = self.many(len(x.sizes), [0, 0, 1, 2]), self.many(len(x.sizes), [0, 0, 1])
        # Other modes need elements to repeat.
        fixed = all(isinstance(s, int) and s > 2 for s in x.sizes)
        mode = self.rng.choice(operations()["pad"].keywords if fixed else ["constant"])
        sizes = [self.plus(s, a + b) for s, a, b in zip(x.sizes, low, high, strict=True)]
        text = f"dhlo.pad {x}, {value} {mode} low = {low} high = {high}"
        return self.moved(x, sizes, text, [x, value])

    @makes("concat", where=has_axes)
    def make_concat(self, x):
        axis = self.rng.randrange(len(x.sizes))
        others = [v for v in self.values if v.sizes == x.sizes and v.dtype == x.dtype]
        operands = [x] + self.many(self.rng.choice([1, 1, 2]), others)
        sizes = list(x.sizes)
        sizes[axis] = self.times(sizes[axis], len(operands))
        text = f"dhlo.concat {', '.join(map(str, operands))} axis = {axis}"
        y = self.moved(x, sizes, text, operands)
        y.exact = all(v.exact for v in operands)
        y.depth = max(v.depth for v in operands)
        return y

    @makes("reverse", where=has_axes)
    def make_reverse(self, x):
        axes = sorted(self.rng.sample(range(len(x.sizes)), self.rng.choice([1, 1, len(x.sizes)])))
        y = self.fresh(x.sizes, x.dtype, x.exact, x.depth)
        self.emit(f"{y} = dhlo.reverse {x} axes = {axes} : {y.type()}", [x], y)
        return y

    # Tensors without operands

    @makes("iota", types=())
    def make_iota(self):
        dtype = self.rng.choice(operations()["iota"].types)
        sizes = [self.size() for _ in range(self.rng.randint(1, 3))]
        starts = ["0", "2", "@N", "@M + 1"] + ["-3", "2 - @N"] * (not dtype.startswith("u"))
        # Small enough for bytes.
        steps = ["1", "2", "@M"] + ["-1"] * (not dtype.startswith("u"))
        axis = self.rng.randrange(len(sizes))
        y = self.iota(sizes, dtype, axis, self.rng.choice(starts), self.rng.choice(steps))
        y.exact = not is_float(y)
        return y

    @makes("from_dims", types=())
    def make_sizes(self):
        """Some sizes as numbers, repeated for each row."""
        dtype, count = self.rng.choice(["i64", "i32", "f32"]), self.rng.randint(1, 3)
        exprs = self.many(count, ["@N", "@M + 1", "7", "@N * @M", "@N floordiv 2", "@N mod 3"])
        y = self.fresh((count,), dtype, True)
        self.emit(f"{y} = dhlo.from_dims [{', '.join(exprs)}] : {y.type()}", [], y)
        return self.moved(y, (self.size(), count), f"dhlo.broadcast {y} axes = [1]")

    @makes("constant", types=())
    def make_constant(self):
        """A constant, broadcast along one more axis."""
        dtype = self.rng.choice(DTYPES)
        x = self.weight(self.many(self.rng.randint(0, 2), [1, 2, 8, 17]), dtype)
        axes = list(range(1, len(x.sizes) + 1))
        return self.moved(x, (self.size(), *x.sizes), f"dhlo.broadcast {x} axes = {axes}")

    @makes("weight", types=())
    def make_weight(self):
        """A constant in a file, broadcast along one more axis."""
        dtype = self.rng.choice(DTYPES)
        sizes = tuple(self.many(self.rng.randint(1, 3), [1, 2, 8, 17]))
        x = self.fresh(sizes, dtype, True)
        offset, length = weight_range(dtype, sizes)
        text = f'{x} = dhlo.weight <"{WEIGHTS_FILE}", offset = {offset}, length = {length}, '
        self.emit(f'{text}key = "{x.name[1:]}"> : {x.type()}', [], x)
        axes = list(range(1, len(sizes) + 1))
        return self.moved(x, (self.size(), *sizes), f"dhlo.broadcast {x} axes = {axes}")

    @makes("rng")
    def make_rng(self, like):
        """Random numbers are those of a counter, so they repeat."""
        y = self.fresh(like.sizes, like.dtype, False)
        kind, seed = self.rng.choice(["uniform", "normal"]), self.rng.choice(["", " seed = 7"])
        text = f"{y} = dhlo.rng {kind} low = -1.0 high = 2.0 stream = {self.count}{seed}"
        self.emit(f"{text} : {y.type()}", [], y)
        return self.binary("add", y, like)

    @makes("bind", types=())
    def make_bind(self):
        """A data-dependent number of copies."""
        count, name = self.some_count(self.rng.choice([1, 5, 40])), self.bound()
        count = self.convert(count, self.rng.choice(["i64", "i64", "i32"]))
        x = self.pick(has_room)
        y = self.fresh((name, *x.sizes), x.dtype, x.exact, x.depth)
        axes = list(range(1, len(y.sizes)))
        text = f"dhlo.bind @{name} = {count} : {count.type()}\n  {y} = dhlo.broadcast {x} axes"
        self.emit(f"{text} = {axes} : ({x.type()}) -> {y.type()}", [count, x], y)
        return y

    def some_count(self, most):
        """A scalar from 0 to `most` that depends on the data."""
        x = self.pick(lambda v: v.dtype in INTS) or self.given(("N",), "i32")
        wide = self.convert(x, "i64")
        total = self.moved(wide, (), f"dhlo.reduce sum {wide} axes = {list(range(len(x.sizes)))}")
        total = self.binary("rem", total, self.splat(total, most + 1))
        return self.unary("abs", total)
