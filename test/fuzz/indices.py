# ===- indices.py - Random gathers, scatters and groups --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that read or make indices, all of them in range."""

from dialect import operations
from program import typed
from table import has_axes, makes


class Indices:
    """The part of a generator that makes indices."""

    def rows(self, x, axis, sizes, dtype=None):
        """Indices in the range of an axis, which increase along an axis and wrap around.
        Some count from the end. With a symbolic size, there must be no index if it is 0."""
        dtype, sizes = dtype or self.rng.choice(["i64", "i64", "i32"]), tuple(sizes)
        first = self.rng.randint(0, 5)
        if sizes:
            index = self.iota(sizes, dtype, axis if axis < len(sizes) else 0, first)
        else:
            index = self.scalar(first, dtype)
        size = x.sizes[axis]
        if isinstance(size, int):
            bound = self.splat(index, size)
        else:
            bound = self.repeated(self.length(size, dtype), sizes)
        inside = self.binary("rem", index, bound)
        return self.binary("sub", inside, bound) if self.chance(0.2) else inside

    def offsets(self, count, rows, dtype="i64"):
        """Offsets of `count` ranges of rows, some of them empty."""
        sizes = (count + 1 if isinstance(count, int) else self.symbol(f"@{count} + 1"),)
        start, step = self.rng.choice([0, 0, 1]), self.rng.choice([0, 1, 2, 3])
        index = self.iota(sizes, dtype, 0, start, step)
        return self.binary("minimum", index, self.repeated(self.length(rows, dtype), sizes))

    def indexable(self, x, first=0):
        """An axis from `first` on, and the sizes of indices into it."""
        axis = self.rng.randrange(first, len(x.sizes))
        if not isinstance(x.sizes[axis], int):
            return axis, [x.sizes[axis]]
        return axis, [self.size()] if x.sizes[axis] else [0]

    def window_indices(self, x):
        """Windows along an axis: indices that step within a window, and from one to the next.
        Returns the axis, the indices and their sizes."""
        axis = self.rng.choice([i for i, size in enumerate(x.sizes) if self.has_window(size)])
        size = x.sizes[axis]
        if isinstance(size, int):
            taps, own, stride = self.rng.randint(1, min(size, 5)), 1, self.rng.choice([1, 1, 2])
            while self.chance(0.7) and taps + own * stride <= size:
                own += 1
        else:
            taps, own, stride = 1, size, 1
        sizes, dtype = (taps, own), self.rng.choice(["i64", "i64", "i32"])
        within = self.iota(sizes, dtype, 0, 0, 1)
        return axis, self.binary("add", within, self.iota(sizes, dtype, 1, 0, stride)), sizes

    @staticmethod
    def has_window(size):
        return not isinstance(size, int) or size > 0

    @makes("gather", where=has_axes)
    def make_gather(self, x):
        if len(x.sizes) < 4 and any(map(self.has_window, x.sizes)) and self.chance(0.25):
            axis, inside, own = self.window_indices(x)
            sizes = (*x.sizes[:axis], *own, *x.sizes[axis + 1 :])
            text = f"dhlo.gather {x}, {inside} axis = {axis} batch = 0"
            return self.moved(x, sizes, text, [x, inside])
        batch = int(len(x.sizes) > 1 and self.chance(0.3))
        axis, own = self.indexable(x, batch)
        more = self.rng.choice(["one", "one", "none", "two"])
        if more == "none" and own != [0] and isinstance(x.sizes[axis], int):
            own = []
        elif more == "two" and len(x.sizes) < 4:
            own.append(self.rng.choice([1, 2, "M"]))
        inside = self.rows(x, axis, (*x.sizes[:batch], *own))
        sizes = (*x.sizes[:axis], *own, *x.sizes[axis + 1 :])
        text = f"dhlo.gather {x}, {inside} axis = {axis} batch = {batch}"
        return self.moved(x, sizes, text, [x, inside])

    @makes("gather_elements", where=has_axes)
    def make_gather_elements(self, x):
        axis, own = self.indexable(x)
        inside = self.rows(x, axis, (*x.sizes[:axis], *own, *x.sizes[axis + 1 :]))
        text = f"dhlo.gather_elements {x}, {inside} axis = {axis}"
        return self.moved(x, inside.sizes, text, [x, inside])

    def vectors(self, x, batch, columns, sizes):
        """Vectors of indices into the axes from `batch` on, as many as `sizes` say."""
        dtype, parts = self.rng.choice(["i64", "i32"]), []
        for column in range(columns):
            part = self.rows(x, batch + column, sizes, dtype)
            parts.append(self.reshaped(part, (*sizes, 1)))
        if columns == 1:
            return parts[0]
        text = f"dhlo.concat {', '.join(map(str, parts))} axis = {len(sizes)}"
        return self.moved(parts[0], (*sizes, columns), text, parts)

    def columns(self, x, batch):
        """The number of axes from `batch` on with a static size that is not 0."""
        fixed = [isinstance(s, int) and s > 0 for s in x.sizes[batch:]]
        return (fixed + [False]).index(False)

    @makes("gather_nd", where=has_axes)
    def make_gather_nd(self, x):
        """With vectors of some indices, sometimes for each of a batch."""
        batch = self.rng.choice([0, 0, 1])
        most = self.columns(x, batch)
        if not most:
            return None
        columns, sizes = self.rng.randint(1, most), (*x.sizes[:batch], self.size())
        inside = self.vectors(x, batch, columns, sizes)
        text = f"dhlo.gather_nd {x}, {inside} batch = {batch}"
        return self.moved(x, sizes + x.sizes[batch + columns :], text, [x, inside])

    def scattering(self, x):
        """How updates combine, and whether they stay exact. Booleans are not combined."""
        kinds = operations()["scatter_nd"].keywords
        kind = "replace" if x.dtype == "i1" else self.rng.choice(kinds)
        return kind, kind not in ("add", "mul")

    @makes("scatter_elements", where=has_axes)
    def make_scatter_elements(self, x):
        axis, own = self.indexable(x)
        sizes = (*x.sizes[:axis], *own, *x.sizes[axis + 1 :])
        inside = self.rows(x, axis, sizes)
        u = self.same(x)
        if sizes != x.sizes:
            text = f"dhlo.gather_elements {u}, {inside} axis = {axis}"
            u = self.moved(u, sizes, text, [u, inside])
        kind, moves = self.scattering(x)
        text = f"dhlo.scatter_elements {x}, {inside}, {u} {kind} axis = {axis}"
        y = self.computed(x, x.sizes, text, [x, inside, u])
        y.exact |= x.exact and u.exact and moves
        return y

    @makes("scatter_nd", where=has_axes, weight=5)
    def make_scatter_nd(self, x):
        most = self.columns(x, 0)
        if not most:
            return None
        columns, count = self.rng.randint(1, most), self.rng.choice([1, 3, x.sizes[0], "N"])
        at = self.vectors(x, 0, columns, (count,))
        text = f"dhlo.gather_nd {x}, {at} batch = 0"
        u = self.moved(x, (count, *x.sizes[columns:]), text, [x, at])
        kind, moves = self.scattering(x)
        y = self.computed(x, x.sizes, f"dhlo.scatter_nd {x}, {at}, {u} {kind}", [x, at, u])
        y.exact |= x.exact and moves
        return y

    @makes("nonzero", exact=True, where=has_axes)
    def make_nonzero(self, x):
        """A data-dependent number of indices; then the elements at these."""
        count = self.bound()
        at = self.fresh((count, len(x.sizes)), "i64", True)
        text = f"{at} = dhlo.nonzero {x} binds @{count} : ({typed(x)}) -> {typed(at)}"
        self.emit(text, [x], at)
        return self.moved(x, (count,), f"dhlo.gather_nd {x}, {at} batch = 0", [x, at])

    @makes("segment_reduce", where=has_axes)
    def make_segment_reduce(self, x):
        kind, x = self.reduction(x)
        count = self.rng.choice([1, 2, 5, "N", "M"])
        at = self.offsets(count, x.sizes[0], self.rng.choice(["i64", "i32"]))
        text = f"dhlo.segment_reduce {kind} {x}, {at}"
        return self.computed(x, (count, *x.sizes[1:]), text, [x, at])

    @makes("suppress", types=())
    def make_suppress(self):
        """Boxes of the sides 0 to 2 between 0 and 3, from numbers that are exact."""
        sizes = (*self.rng.choice([(), ("N",), (2,)]), self.rng.choice([1, 5, 20, "M"]))
        dtype = self.rng.choice(["f32", "f32", "f64"])
        x = self.given((*sizes, 2), "i64")
        low = self.convert(self.binary("rem", x, self.splat(x, 4)), dtype)
        side = self.convert(self.binary("rem", self.given(x.sizes, "i64"), self.splat(x, 3)), dtype)
        high = self.binary("add", low, side)
        text = f"dhlo.concat {low}, {high} axis = {len(sizes)}"
        boxes = self.moved(low, (*sizes, 4), text, [low, high])
        candidates = self.like(sizes, "i1")
        threshold = self.scalar(self.rng.choice(["0.0", "0.25", "0.5"]), dtype)
        most = self.scalar(self.rng.choice([0, 1, 3, 100]))
        operands = [boxes, candidates, threshold, most]
        kept = self.fresh(sizes, "i1", True)
        text = f"{kept} = dhlo.suppress {', '.join(map(str, operands))}"
        self.emit(f"{text} : ({', '.join(map(typed, operands))}) -> {typed(kept)}", operands, kept)
        return kept

    @makes("group", "probe", "grouped_dot", types=())
    def make_group(self):
        """Choices sorted by groups; passed to a probe, or used in a grouped GEMM."""
        x = self.pick(lambda v: v.dtype in ("i64", "i32") and len(v.sizes) == 2)
        sizes = self.rng.choice(["N", "M", 3]), self.rng.choice([1, 2, 3])
        x = x or self.given(sizes, self.rng.choice(["i64", "i64", "i32"]))
        groups = self.rng.choice([1, 2, 3, 5])
        ids = self.binary("rem", x, self.splat(x, groups))
        ids = self.binary("maximum", ids, self.splat(x, -1))
        rows = self.times(*x.sizes)
        offsets, order = self.fresh((groups + 1,), "i64", True), self.fresh((rows,), "i64", True)
        seats = self.fresh(x.sizes, "i64", True)
        capacity = self.rng.choice(["", "", " capacity = <2>", " capacity = <(@N + 1) floordiv 2>"])
        text = f"{offsets}, {order}, {seats} = dhlo.group {ids}{capacity} : ({typed(ids)})"
        text += f" -> ({typed(offsets)}, {typed(order)}, {typed(seats)})"
        cells = self.iota(x.sizes[:1], "i64") if self.chance(0.2) else None
        operands = [offsets, seats] + [cells] * bool(cells)
        if self.chance(0.6):
            names, types = ", ".join(map(str, operands)), ", ".join(map(typed, operands))
            text += f'\n  dhlo.probe "group.{self.count}" ({names}) {{cell = "row"}} : {types}'
        self.emit(text, [ids] + [cells] * bool(cells), offsets, order, seats)
        return self.grouped(order, offsets, groups) if self.chance(0.6) else seats

    def grouped(self, order, offsets, groups):
        """Rows of a table, multiplied by the matrix of their group."""
        dtype, width = self.rng.choice(["f32", "f32", "f16", "bf16"]), self.rng.choice([1, 4, 17])
        table = self.weight((7, width), dtype)
        at = self.binary("maximum", order, self.splat(order, 0))
        at = self.binary("rem", at, self.splat(order, 7))
        text = f"dhlo.gather {table}, {at} axis = 0 batch = 0"
        rows = self.moved(table, at.sizes + (width,), text, [table, at])
        w = self.weight((groups, width, self.rng.choice([1, 8, 17])), dtype)
        text = f"dhlo.grouped_dot {rows}, {w}, {offsets}"
        return self.computed(rows, at.sizes + w.sizes[2:], text, [rows, w, offsets])
