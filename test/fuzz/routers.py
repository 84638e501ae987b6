# ===- routers.py - Random routers -----------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routers over exact features: scores, thresholds, ids, labels, one for all."""

import dataclasses

from program import Value, typed


@dataclasses.dataclass
class Routes(Value):
    """Which of `sizes[0]` cells take which of `paths`, in at most `rows` rows."""

    paths: int = 0
    rows: object = None
    is_tensor = False

    def type(self):
        cells, rows = (s if isinstance(s, int) else f"@{s}" for s in (self.sizes[0], self.rows))
        return f"!cell.routes<{cells}, {self.paths}, {rows}>"


class Routers:
    """The part of a generator that makes `cell.route`."""

    def router(self, features):
        """A new router, sometimes with a probe."""
        paths = self.rng.choice([1, 2, 2, 2, 3, 3, 4, 6])
        cells, argument = features.sizes[0], self.fresh(features.sizes, "f32", True)
        style = self.rng.choice(["top", "top", "argmax", "threshold", "ids", "ids", "one", "none"])

        def body():
            priorities = None
            chosen, weights = getattr(self, f"choose_{style}")(argument, paths)
            if self.chance(0.25):
                priorities = self.moved(
                    argument, (cells,), f"dhlo.reduce max {argument} axes = [1]"
                )
            return chosen, weights, priorities

        text, _, (chosen, weights, priorities) = self.region([argument], body)
        self.count += 1
        rows = self.times(cells, chosen.sizes[1])
        routes = Routes(f"%r{self.count}", (cells,), "routes", True, 0, paths, rows)
        capacity = self.expr(cells) if self.chance(0.2) else None
        if capacity:
            share = f"(2 * {capacity}) ceildiv {self.rng.choice([3, 5, 8])}"
            if isinstance(cells, int):
                share = str(cells)
            share = self.rng.choice([share, "2", "1", "0"])
            capacity = f" capacity = <{share}>"
        key = f' key = "router.{self.count}"' if self.chance(0.5) else ""
        end = f"cell.choose {chosen}"
        end += f" weights({weights} : {typed(weights)})" if weights else ""
        end += f" priorities({priorities} : {typed(priorities)})" if priorities else ""
        head = f"{routes} = cell.route({features}){capacity or ''}{key}"
        head += f" : ({typed(features)}) -> {typed(routes)}"
        text = f"{head} {{\n    {text}\n    {end} : {typed(chosen)}\n  }}"
        if self.chance(0.2):
            text += f'\n  cell.probe "probe.{self.count}" {routes} : {typed(routes)}'
        self.emit(text, [features], routes)
        self.routers.append(routes)
        return routes

    # Results of routers: choices, and weights or None.

    def scores(self, x, paths):
        """A matmul with a constant, which is exact."""
        w = self.weight((x.sizes[1], paths), "f32")
        y = self.fresh((x.sizes[0], paths), "f32", True)
        text = f"{y} = dhlo.dot_general {x}, {w} batch = 0 lhs_contract = [1] rhs_contract = [0]"
        self.emit(f"{text} : ({typed(x)}, {typed(w)}) -> {typed(y)}", [x, w], y)
        return y

    def softened(self, x):
        """Weights of choices: their scores, softmax or logistic; or None."""
        kind = self.rng.choice(["none", "scores", "softmax", "logistic"])
        if kind in ("none", "scores"):
            return x if kind == "scores" else None
        return self.unary(kind, x) if kind == "logistic" else self.softmax(x)

    def softmax(self, x):
        y = self.fresh(x.sizes, x.dtype, False)
        self.emit(f"{y} = dhlo.softmax {x} axis = 1 : {typed(y)}", [x], y)
        return y

    def choose_top(self, x, paths):
        scores, k = self.scores(x, paths), self.rng.randint(1, paths)
        if self.chance(0.5):
            k = 1
        best, ids = (
            self.fresh((x.sizes[0], k), "f32", True),
            self.fresh((x.sizes[0], k), "i64", True),
        )
        largest = self.rng.choice([" largest", " largest", ""])
        text = f"{best}, {ids} = dhlo.top_k {scores} axis = 1{largest}"
        types = f"({typed(scores)}) -> ({typed(best)}, {typed(ids)})"
        self.emit(f"{text} : {types}", [scores], best, ids)
        return ids, self.softened(best)

    def choose_argmax(self, x, paths):
        scores = self.scores(x, paths)
        y = self.fresh((x.sizes[0],), "i64", True)
        text = f"{y} = dhlo.arg_reduce max {scores} axis = 1 : ({typed(scores)}) -> {typed(y)}"
        self.emit(text, [scores], y)
        return self.moved(y, (x.sizes[0], 1), f"dhlo.reshape {y}"), None

    def choose_threshold(self, x, paths):
        """A mask: any number of paths for each cell."""
        scores = self.scores(x, paths)
        limit = self.splat(scores, self.rng.choice([-1.0, 0.0, 0.5, 4.0, 1000.0]))
        y = self.fresh(scores.sizes, "i1", True)
        text = f"{y} = dhlo.compare {self.rng.choice(['gt', 'ge', 'lt'])} {scores}, {limit}"
        self.emit(f"{text} : {typed(scores)} -> {typed(y)}", [scores, limit], y)
        return y, self.softened(scores)

    def choose_ids(self, x, paths):
        """Ids in the cells themselves; a cell may name a path twice, or none."""
        k = self.rng.choice([1, 1, 2, 3])
        text = f"dhlo.slice {x} starts = [0, 0] strides = [1, 1]"
        part = self.moved(x, (x.sizes[0], k), text)
        eighths = self.fresh(part.sizes, "f32", True)
        eight = self.splat(part, 8.0)
        text = f"{eighths} = dhlo.mul {part}, {eight} : {typed(part)}"
        self.emit(text, [part, eight], eighths)
        dtype = self.rng.choice(["i64", "i32"])
        ids = self.fresh(part.sizes, dtype, True)
        text = f"{ids} = dhlo.convert {eighths} : ({typed(eighths)}) -> {typed(ids)}"
        self.emit(text, [eighths], ids)
        if self.chance(0.4):
            ids = self.unary("abs", ids)
        for op, number in (("rem", paths), ("maximum", -1)):
            other, y = self.splat(ids, number), self.fresh(part.sizes, dtype, True)
            self.emit(f"{y} = dhlo.{op} {ids}, {other} : {typed(y)}", [ids, other], y)
            ids = y
        return ids, self.softened(part)

    def choose_one(self, x, paths):
        """One path for everything; the others are empty."""
        return self.all_to(x, self.rng.randrange(paths)), None

    def choose_none(self, x, paths):
        """No path for anything."""
        return self.all_to(x, -1), None

    def all_to(self, x, path):
        return self.splat(Value("", (x.sizes[0], self.rng.choice([1, 1, 2])), "i64", True), path)
