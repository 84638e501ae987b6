# ===- paths.py - Random paths ---------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers on rows: by structurally equal paths, by different paths, by nested routers.

Structurally equal paths are one list of *steps*, with other constants in each path; a step
is a function of the rows. In some lists one path differs by a step.
"""

from program import typed


class LikePaths:
    """Switches of structurally equal paths, and the same on all rows at once."""

    def step(self, keeps=False):
        """A step as a name and its parameters. `keeps`: the width is unchanged."""
        kinds = ["bias", "unary", "scale", "norm", "softmax", "shared", "residual"]
        kinds += [] if keeps else ["matmul"] * 4
        kind = self.rng.choice(kinds)
        options = {
            "matmul": [(n, turned) for n in (1, 3, 4, 8, 17) for turned in (False, True)],
            "unary": ["tanh", "gelu erf", "neg", "abs", "exp", "logistic", "sqrt"],
            "norm": ["layer_norm", "rms_norm"],
            "scale": [0.5, None],
        }.get(kind, [None])
        return kind, self.rng.choice(options)

    def steps(self, x, steps):
        """Applies steps, and a last one if necessary to restore the type of x."""
        first, y = x, x
        for kind, option in steps:
            y = getattr(self, f"step_{kind}")(y, option, first)
        if y.sizes != first.sizes:
            y = self.step_matmul(y, (first.sizes[-1], False), first)
        return y

    def repeat(self, x, like):
        """A vector, broadcast along the last axis."""
        y = self.fresh(like.sizes, like.dtype, True)
        axes = f"axes = [{len(like.sizes) - 1}]" if x.sizes else "axes = []"
        self.emit(f"{y} = dhlo.broadcast {x} {axes} : ({typed(x)}) -> {typed(y)}", [x], y)
        return y

    def step_matmul(self, x, option, first):
        width, turned = option
        last = len(x.sizes) - 1
        w = self.weight((width, x.sizes[-1]) if turned else (x.sizes[-1], width), x.dtype)
        text = f"dhlo.dot_general {x}, {w} batch = 0 lhs_contract = [{last}]"
        text += f" rhs_contract = [{int(turned)}]"
        y = self.moved(x, x.sizes[:-1] + (width,), text, [x, w])
        y.exact = False
        return y

    def step_bias(self, x, option, first):
        return self.binary("add", x, self.repeat(self.weight((x.sizes[-1],), x.dtype), x))

    def step_scale(self, x, option, first):
        """Scales by a constant that all paths share, or by one of each path."""
        return self.binary("mul", x, self.splat(x, option or self.rng.randint(1, 16) / 8))

    def step_unary(self, x, option, first):
        op, _, suffix = option.partition(" ")
        if op == "exp" and not x.exact:
            # The relative error of exp is the absolute error of the exponent.
            x = self.unary("tanh", x)
        if op == "sqrt" and not x.exact:
            # Rounding may turn zero into a negative number, whose root is NaN.
            x = self.unary("abs", x)
        exact = x.exact and op in ("neg", "abs")
        return self.unary(op, x, suffix and suffix + " ", exact)

    def step_norm(self, x, option, first):
        values = [x] + [self.weight((x.sizes[-1],), x.dtype) for _ in range(2)]
        values = values[: 2 if option == "rms_norm" else 3]
        text = f"dhlo.{option} {', '.join(map(str, values))}"
        text += f" axis = {len(x.sizes) - 1} eps = 1.0e-2"
        y = self.moved(x, x.sizes, text, values)
        y.exact = False
        return y

    def step_softmax(self, x, option, first):
        y = self.fresh(x.sizes, x.dtype, False)
        self.emit(f"{y} = dhlo.softmax {x} axis = {len(x.sizes) - 1} : {typed(y)}", [x], y)
        return y

    def step_shared(self, x, option, first):
        """A scalar that is the same in all paths."""
        return self.binary("maximum", x, self.splat(x, -0.25))

    def step_residual(self, x, option, first):
        return self.binary("add", x, first) if x.sizes == first.sizes else x

    def paths_like(self, rows, features, routes, depth):
        steps = [self.step() for _ in range(self.rng.randint(1, 3))]
        odd = self.rng.randrange(routes.paths) if self.chance(0.15) else None

        def path(number, x, f):
            return self.steps(x, steps[1:] if number == odd else steps)

        return self.switch(rows, None, routes, path)

    def paths_stacked(self, rows, features, routes, depth):
        """The stacked form of paths: a grouped GEMM with weights by the offsets, and a bias
        by the path."""
        x = self.flat(rows)
        offsets = self.fresh((routes.paths + 1,), "i64", True)
        text = f"{offsets} = cell.offsets {routes} : {typed(routes)} -> {typed(offsets)}"
        self.emit(text, [routes], offsets)
        w = self.weight((routes.paths, x.sizes[-1], x.sizes[-1]), x.dtype)
        y = self.moved(x, x.sizes, f"dhlo.grouped_dot {x}, {w}, {offsets}", [x, w, offsets])
        y.exact = False
        paths = self.fresh((routes.rows,), "i64", True)
        text = f"{paths} = cell.paths {routes} : {typed(routes)} -> {typed(paths)}"
        self.emit(text, [routes], paths)
        table = self.weight((routes.paths, x.sizes[-1]), x.dtype)
        text = f"dhlo.gather {table}, {paths} axis = 0 batch = 0"
        y = self.binary("add", y, self.moved(table, x.sizes, text, [table, paths]))
        return self.moved(y, rows.sizes, f"dhlo.reshape {y}") if y.sizes != rows.sizes else y

    def paths_rows(self, rows, features, routes, depth):
        """The same for all rows, without a path."""
        return self.steps(rows, [self.step() for _ in range(self.rng.randint(0, 2))])


class OtherPaths:
    """Switches of different paths."""

    def switch(self, rows, features, routes, path):
        """A switch whose path `number` computes `path(number, x, f)` from its rows of
        `rows` and of `features`, which may be None."""
        inputs = [rows] + ([self.dispatch(features, routes)] if features else [])
        counts, regions, read = [], [], []
        for number in range(routes.paths):
            count = self.bound()
            counts.append(count)
            arguments = [
                self.fresh((count,) + v.sizes[1:], v.dtype, v.exact, v.depth) for v in inputs
            ]
            x, f = (arguments + [None])[:2]
            text, outside, y = self.region(arguments, lambda: path(number, x, f))
            regions.append(f"{{\n    {text}\n    dhlo.yield {y} : {typed(y)}\n  }}")
            read += outside
        y = self.fresh(rows.sizes, rows.dtype, False)
        names = ", ".join(f"@{count}" for count in counts)
        head = f"{y} = cell.switch {routes} counts [{names}] ({', '.join(map(str, inputs))})"
        types = ", ".join(typed(v) for v in [routes] + inputs)
        text = f"{head} : ({types}) -> {typed(y)} {', '.join(regions)}"
        self.emit(text, [routes] + inputs + read, y)
        return y

    def paths_unlike(self, rows, features, routes, depth):
        def path(number, x, f):
            for _ in range(self.rng.choice([0, 1, 2, 3])):
                self.add_statement()
            same = [v for v in self.values if (v.sizes, v.dtype) == (x.sizes, x.dtype)]
            return same[-1]

        return self.switch(rows, features if self.chance(0.3) else None, routes, path)

    def paths_nested(self, rows, features, routes, depth):
        """Paths that route their rows again, or leave them unchanged."""

        def path(number, x, f):
            return self.layer(x, f, depth + 1) if self.chance(0.6) else x

        return self.switch(rows, features, routes, path)
