# ===- routes.py - Random programs with routers ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid programs of cell: cells, and layers that route them.

Routers choose by exact *features* of the cells (see generator.py), which are dispatched
together with the cells wherever nested routers need them; matmuls of features are exact as
well, since sums of a few multiples of 1/64 are.
"""

from generator import Generator
from paths import LikePaths, OtherPaths
from program import typed
from routers import Routers


class RouteGenerator(Routers, LikePaths, OtherPaths, Generator):
    """Makes one program with routers from a seed."""

    def build(self, length):
        self.routers = []  # of the current block and the enclosing ones
        cells, restore = self.cut_cells()
        features = self.flat(cells)
        first = features
        if self.chance(0.3):
            cells = features
        if self.chance(0.25):
            cells = self.convert(cells, self.rng.choice(["f16", "bf16", "f64"]))
        for _ in range(length or self.rng.choice([1, 1, 2, 2, 3])):
            cells = self.layer(cells, first, 0)
        if cells.dtype == "bf16":
            cells = self.convert(cells, "f32")
        outputs = [restore(cells)]
        if self.chance(0.3):
            made = [v for s in self.program.statements for v in s.results if s.operands]
            others = [v for v in made if v.is_tensor and v.dtype != "bf16" and v is not outputs[0]]
            outputs += self.rng.sample(others, min(len(others), 2))
        return outputs

    # Cells

    def cut_cells(self):
        """Cells, and a function that restores the tensor from such cells."""
        kind = self.rng.choice(["rows", "rows", "tokens", "pixels", "patches", "strips"])
        width = self.rng.choice([4, 4, 5, 8, 17])
        if kind == "rows":
            x = self.given(("N", width), "f32")
            return x, lambda cells: cells
        if kind == "tokens":
            whole, axes, block = ("N", "M", width), [0, 1], [1, 1]
        elif kind == "pixels":
            whole, axes, block = ("N", 4, 3, 5), [0, 2, 3], [1, 1, 1]
        elif kind == "patches":
            whole, axes, block = ("N", 2, 4, 6), [0, 2, 3], [1, 2, 3]
        else:
            whole, axes, block = ("N", 2, self.symbol("4 * @M")), [0, 2], [1, 2]
        if kind == "strips":
            x = self.given(("N", 2, "M", 4), "f32")
            x = self.moved(x, whole, f"dhlo.reshape {x}")
        else:
            x = self.given(whole, "f32")
        count = {"tokens": "@M * @N", "pixels": "15 * @N", "patches": "4 * @N"}
        count = self.symbol(count.get(kind, "2 * @M * @N"))
        rest = {"tokens": (width,), "pixels": (4,), "patches": (2, 2, 3), "strips": (2, 2)}[kind]
        where = f"axes = {axes} block = {block}"
        cells = self.moved(x, (count,) + rest, f"cell.split {x} {where}")

        def join(cells):
            if cells.sizes != (count,) + rest:
                return cells
            return self.moved(cells, whole, f"cell.join {cells} {where}")

        return cells, join

    def flat(self, cells):
        """Each cell as a vector."""
        if len(cells.sizes) == 2:
            return cells
        width = 1
        for size in cells.sizes[1:]:
            width *= size
        return self.moved(cells, (cells.sizes[0], width), f"dhlo.reshape {cells}")

    # Regions

    def region(self, arguments, build, visible=()):
        """Routers of the block are not visible after it."""
        routers = self.routers
        self.routers = list(routers)
        made = super().region(arguments, build, visible)
        self.routers = routers
        return made

    # Layers

    def layer(self, cells, features, depth):
        """A layer from cells to cells of the same type. Routers read the features."""
        kinds = ["routed"] * 8 + ["between"] * 2 + ["if", "while"] * (depth < 1)
        kind = self.rng.choice(kinds)
        return getattr(self, f"layer_{kind}")(cells, features, depth)

    def layer_between(self, cells, features, depth):
        """Operations that keep cells apart: the cells around may stay rows."""
        return self.steps(cells, [self.step(keeps=True) for _ in range(self.rng.randint(1, 3))])

    def layer_if(self, cells, features, depth):
        n, least, p = (self.fresh((), dtype, True) for dtype in ("i64", "i64", "i1"))
        self.emit(f"{n} = dhlo.from_dims [@N + @M] : {typed(n)}", [], n)
        text = f"{least} = dhlo.constant dense<{self.rng.randint(0, 20)}> : {typed(least)}"
        self.emit(text, [], least)
        text = f"{p} = dhlo.compare lt {n}, {least} : {typed(n)} -> {typed(p)}"
        self.emit(text, [n, least], p)
        y = self.fresh(cells.sizes, cells.dtype, False)
        sides, read = [], [p]
        for _ in range(2):
            text, outside, z = self.region([], lambda: self.layer(cells, features, depth + 1))
            sides.append(f"{{\n    {text}\n    dhlo.yield {z} : {typed(z)}\n  }}")
            read += outside + [cells]
        self.emit(f"{y} = dhlo.if {p} -> ({typed(y)}) {sides[0]} else {sides[1]}", read, y)
        return y

    def layer_while(self, cells, features, depth):
        """A loop that runs a few times, with routers in its body."""
        go, zero, one, limit = (self.fresh((), t, True) for t in ("i1", "i64", "i64", "i64"))
        self.emit(f"{go} = dhlo.constant dense<true> : {typed(go)}", [], go)
        for value, number in ((zero, 0), (one, 1), (limit, self.rng.randint(1, 3))):
            self.emit(f"{value} = dhlo.constant dense<{number}> : {typed(value)}", [], value)
        i, x = self.fresh((), "i64", True), self.fresh(cells.sizes, cells.dtype, False)
        following, again = self.fresh((), "i64", True), self.fresh((), "i1", True)

        def body():
            text = f"{following} = dhlo.add {i}, {one} : {typed(i)}"
            self.emit(text, [i, one], following)
            text = f"{again} = dhlo.compare lt {following}, {limit} : {typed(i)} -> {typed(again)}"
            self.emit(text, [following, limit], again)
            return again, following, self.layer(x, features, depth + 1)

        text, outside, (again, following, z) = self.region([i, x], body)
        count, y = self.fresh((), "i64", True), self.fresh(cells.sizes, cells.dtype, False)
        head = f"{count}, {y} = dhlo.while {go} carries({zero}, {cells})"
        head += f" : ({typed(zero)}, {typed(cells)}) -> ({typed(count)}, {typed(y)})"
        tail = f"dhlo.yield {again}, {following}, {z} : {typed(again)}, {typed(i)}, {typed(z)}"
        self.emit(f"{head} {{\n    {text}\n    {tail}\n  }}", [go, zero, cells] + outside, count, y)
        return y

    def layer_routed(self, cells, features, depth):
        known = [r for r in self.routers if r.sizes[0] == cells.sizes[0]]
        routes = self.rng.choice(known) if known and self.chance(0.5) else self.router(features)
        rows = self.dispatch(cells, routes)
        kinds = ["like"] * 4 + ["unlike"] * 2 + ["stacked", "rows"]
        kinds += ["nested"] * 2 * (depth < 1)
        kind = self.rng.choice(kinds)
        if kind == "stacked" and cells.dtype == "f64":
            kind = "like"  # grouped GEMMs do not support f64
        rows = getattr(self, f"paths_{kind}")(rows, features, routes, depth)
        # Speculation selects from others; from the same routes, it takes each row.
        if self.count % 5 == 0:
            rows = self.select(rows, routes)
        return self.combine(rows, routes, cells)

    def dispatch(self, cells, routes):
        rows = self.fresh((routes.rows,) + cells.sizes[1:], cells.dtype, cells.exact)
        text = f"{rows} = cell.dispatch {cells}, {routes}"
        types = f"({typed(cells)}, {typed(routes)}) -> {typed(rows)}"
        self.emit(f"{text} : {types}", [cells, routes], rows)
        return rows

    def select(self, rows, routes):
        y = self.fresh(rows.sizes, rows.dtype, rows.exact)
        text = f"{y} = cell.select {routes} from({routes}) rows({rows})"
        types = f"({typed(routes)}, {typed(routes)}, {typed(rows)}) -> {typed(y)}"
        self.emit(f"{text} : {types}", [routes, rows], y)
        return y

    def combine(self, rows, routes, cells):
        kind = self.rng.choice(["sum", "sum", "last", "max"])
        y = self.fresh(cells.sizes, cells.dtype, False)
        operands = [rows, routes] + [cells] * self.chance(0.4)
        text = f"{y} = cell.combine {', '.join(map(str, operands))} {kind}"
        types = ", ".join(typed(v) for v in operands)
        self.emit(f"{text} : ({types}) -> {typed(y)}", operands, y)
        return y


def generate_routed(seed, length=None):
    """The routed program of a seed."""
    return RouteGenerator(seed, length).program
