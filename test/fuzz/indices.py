# ===- indices.py - Random gathers, groups, segments and sizes from data ---===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that read or make indices, and data-dependent sizes."""

from program import INTS, WEIGHTS_FILE, is_float, typed, weight_range


class Indices:
    """The part of a generator that makes indices."""

    def iota(self, sizes, dtype, start=0, step=1):
        y = self.fresh(sizes, dtype, True)
        text = f"{y} = dhlo.iota axis = 0 start = [{start}] step = [{step}]"
        self.emit(f"{text} : {typed(y)}", [], y)
        return y

    def length(self, size, dtype="i64"):
        """A size as a scalar."""
        y = self.fresh((), dtype, True)
        self.emit(f"{y} = dhlo.from_dims [{self.expr(size)}] : {typed(y)}", [], y)
        return y

    def repeated(self, x, sizes):
        """A scalar, broadcast to each element."""
        y = self.fresh(sizes, x.dtype, x.exact)
        self.emit(f"{y} = dhlo.broadcast {x} axes = [] : ({typed(x)}) -> {typed(y)}", [x], y)
        return y

    def offsets(self, count, rows, dtype="i64"):
        """Offsets of `count` ranges of rows, some of them empty."""
        sizes = (count + 1 if isinstance(count, int) else self.symbol(f"@{count} + 1"),)
        index = self.iota(sizes, dtype, self.rng.choice([0, 0, 1]), self.rng.choice([0, 1, 2, 3]))
        return self.exact("minimum", index, self.repeated(self.length(rows, dtype), sizes))

    def make_gather_elements(self):
        x = self.pick(lambda v: any(isinstance(s, int) and s > 1 for s in v.sizes))
        if not x:
            return None
        axis = self.rng.choice([i for i, s in enumerate(x.sizes) if isinstance(s, int) and s > 1])
        inside = self.rows(x, axis, x.sizes[:axis] + (self.size(),) + x.sizes[axis + 1 :])
        text = f"dhlo.gather_elements {x}, {inside} axis = {axis}"
        return self.moved(x, inside.sizes, text, [x, inside])

    def make_gather_nd(self):
        """With vectors of one or two indices, sometimes for each of a batch."""
        batch = self.rng.choice([0, 0, 1])
        x = self.pick(
            lambda v: len(v.sizes) > batch and isinstance(v.sizes[batch], int) and v.sizes[batch]
        )
        if not x:
            return None
        sizes = x.sizes[:batch] + (self.size(),)
        columns = 1
        if len(x.sizes) > batch + 1 and x.sizes[batch + 1] == x.sizes[batch]:
            columns = 2
        inside = self.rows(x, batch, sizes + (columns,))
        text = f"dhlo.gather_nd {x}, {inside} batch = {batch}"
        return self.moved(x, sizes + x.sizes[batch + columns :], text, [x, inside])

    def make_nonzero(self):
        """A data-dependent number of indices; then the elements at these."""
        x = self.pick(lambda v: v.exact and v.sizes)
        if not x:
            return None
        count = self.bound()
        at = self.fresh((count, len(x.sizes)), "i64", True)
        text = f"{at} = dhlo.nonzero {x} binds @{count} : ({typed(x)}) -> {typed(at)}"
        self.emit(text, [x], at)
        return self.moved(x, (count,), f"dhlo.gather_nd {x}, {at} batch = 0", [x, at])

    def some_count(self, most):
        """A scalar from 0 to `most` that depends on the data."""
        x = self.pick(lambda v: v.exact and v.dtype in INTS) or self.given(("N",), "i32")
        wide = self.convert(x, "i64")
        total = self.moved(wide, (), f"dhlo.reduce sum {wide} axes = {list(range(len(x.sizes)))}")
        total = self.exact("rem", total, self.splat(total, most + 1))
        return self.unary_exact("abs", total)

    def make_bind(self):
        """A data-dependent number of copies."""
        count, name = self.some_count(self.rng.choice([1, 5, 40])), self.bound()
        x = self.pick(lambda v: len(v.sizes) < 4)
        y = self.fresh((name,) + x.sizes, x.dtype, x.exact, x.depth)
        axes = list(range(1, len(y.sizes)))
        text = f"dhlo.bind @{name} = {count} : {typed(count)}\n  {y} = dhlo.broadcast {x} axes"
        self.emit(f"{text} = {axes} : ({typed(x)}) -> {typed(y)}", [count, x], y)
        return y

    def make_segment_reduce(self):
        x = self.pick(lambda v: v.sizes and v.dtype != "i1")
        if not x:
            return None
        count = self.rng.choice([1, 2, 5, "N", "M"])
        at = self.offsets(count, x.sizes[0], self.rng.choice(["i64", "i32"]))
        kind = self.rng.choice(["sum", "max", "min"] + ["prod"] * (x.dtype in INTS))
        text = f"dhlo.segment_reduce {kind} {x}, {at}"
        y = self.moved(x, (count,) + x.sizes[1:], text, [x, at])
        y.exact = y.dtype in INTS
        return y

    def make_group(self):
        """Choices sorted by groups; passed to a probe, or used in a grouped GEMM."""
        x = self.pick(lambda v: v.dtype in ("i64", "i32") and len(v.sizes) == 2)
        x = x or self.given((self.rng.choice(["N", "M", 3]), self.rng.choice([1, 2, 3])), "i64")
        groups = self.rng.choice([1, 2, 3, 5])
        ids = self.exact("rem", x, self.splat(x, groups))
        ids = self.exact("maximum", ids, self.splat(x, -1))
        rows = self.times(*x.sizes)
        offsets, order = self.fresh((groups + 1,), "i64", True), self.fresh((rows,), "i64", True)
        seats = self.fresh(x.sizes, "i64", True)
        capacity = self.rng.choice(["", "", " capacity = <2>", " capacity = <(@N + 1) floordiv 2>"])
        text = f"{offsets}, {order}, {seats} = dhlo.group {ids}{capacity} : ({typed(ids)})"
        text += f" -> ({typed(offsets)}, {typed(order)}, {typed(seats)})"
        if self.chance(0.4):
            text += f'\n  dhlo.probe "group.{self.count}" ({offsets}, {seats}) '
            text += f'{{cell = "row"}} : {typed(offsets)}, {typed(seats)}'
        self.emit(text, [ids], offsets, order, seats)
        return self.grouped(order, offsets, groups) if self.chance(0.6) else seats

    def grouped(self, order, offsets, groups):
        """Rows of a table, multiplied by the matrix of their group."""
        dtype, width = self.rng.choice(["f32", "f32", "f16", "bf16"]), self.rng.choice([1, 4, 17])
        table = self.weight((7, width), dtype)
        at = self.exact("maximum", order, self.splat(order, 0))
        at = self.exact("rem", at, self.splat(order, 7))
        text = f"dhlo.gather {table}, {at} axis = 0 batch = 0"
        rows = self.moved(table, at.sizes + (width,), text, [table, at])
        w = self.weight((groups, width, self.rng.choice([1, 8, 17])), dtype)
        text = f"dhlo.grouped_dot {rows}, {w}, {offsets}"
        y = self.moved(rows, at.sizes + w.sizes[2:], text, [rows, w, offsets])
        y.exact = False
        return y

    def make_rng(self):
        like = self.pick(is_float)
        if not like:
            return None
        y = self.fresh(like.sizes, like.dtype, False)
        kind, seed = self.rng.choice(["uniform", "normal"]), self.rng.choice(["", " seed = 7"])
        text = f"{y} = dhlo.rng {kind} low = -1.0 high = 2.0 stream = {self.count}{seed}"
        self.emit(f"{text} : {typed(y)}", [], y)
        return self.binary("add", y, like)

    def make_weight(self):
        """A constant in a file, broadcast along one more axis."""
        dtype = self.rng.choice([t for t in INTS + ("f32", "f64", "f16", "bf16", "i1")])
        sizes = tuple(self.rng.choice([1, 2, 8, 17]) for _ in range(self.rng.randint(1, 3)))
        x = self.fresh(sizes, dtype, True)
        offset, length = weight_range(dtype, sizes)
        text = f'{x} = dhlo.weight <"{WEIGHTS_FILE}", offset = {offset}, length = {length}, '
        self.emit(f'{text}key = "{x.name[1:]}"> : {typed(x)}', [], x)
        axes = list(range(1, len(sizes) + 1))
        return self.moved(x, (self.size(),) + sizes, f"dhlo.broadcast {x} axes = {axes}")
