# ===- regions.py - Random branches and loops ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops with statements of any kind in them, with conditions and sizes that
depend on sizes or data."""

from program import is_float, typed
from table import DTYPES, has_axes, makes


class Regions:
    """The part of a generator that makes control flow."""

    depth = 0  # of nested regions

    def region(self, arguments, build, visible=()):
        """The text of a block that takes arguments, the values that it reads from outside,
        and what `build` returned: the results, or None for some. Of values outside, the
        block may use the visible ones."""
        statements, values = self.program.statements, self.values
        self.program.statements, self.values = [], list(visible) + list(arguments)
        self.depth += 1
        result = build()
        self.depth -= 1
        made = result if isinstance(result, (list, tuple)) else [result]
        inner = self.program.needed_for([v for v in made if v], self.program.statements)
        self.program.statements, self.values = statements, values
        inside = {v.name for v in arguments} | {v.name for s in inner for v in s.results}
        outside = [v for s in inner for v in s.operands if v.name not in inside]
        header = ", ".join(f"{v}: {typed(v)}" for v in arguments)
        lines = [f"^bb0({header}):"] if arguments else []
        lines += [s.text for s in inner]
        return "\n    ".join(lines), list({v.name: v for v in outside}.values()), result

    def condition(self):
        """A boolean that depends on the sizes, or on the data."""
        if self.chance(0.5):
            n = self.length(self.symbol("@M + @N"))
        else:
            n = self.some_count(8)
        least = self.splat(n, self.rng.randint(0, 8))
        return self.compared("lt", n, least)

    def altered(self, x):
        """A value of the same type, after some statements."""
        for _ in range(self.rng.randint(0, 2)):
            self.add_statement()
        same = [v for v in self.values if (v.sizes, v.dtype) == (x.sizes, x.dtype)]
        return same[-1]

    @makes("if", types=DTYPES)
    def make_if(self, x):
        """Branches with one or two results."""
        if self.depth > 1:
            return None
        xs = [x] + [self.pick()] * self.chance(0.3)
        p, visible = self.condition(), self.values[-6:] + xs
        sides = [self.region([], lambda: [self.altered(v) for v in xs], visible) for _ in range(2)]
        ys, texts, read = [], [], [p, *xs]
        for x, *made in zip(xs, *(side[2] for side in sides), strict=True):
            exact, depth = all(v.exact for v in made), max(v.depth for v in made)
            ys.append(self.fresh(x.sizes, x.dtype, exact, depth))
        for text, outside, made in sides:
            types = ", ".join(map(typed, made))
            texts.append(
                f"{{\n    {text}\n    dhlo.yield {', '.join(map(str, made))} : {types}\n  }}"
            )
            read += [*outside, *made]
        head = f"{', '.join(map(str, ys))} = dhlo.if {p} -> ({', '.join(map(typed, ys))})"
        self.emit(f"{head} {texts[0]} else {texts[1]}", read, *ys)
        return ys[-1]

    @makes("if", "yield", types=DTYPES, where=has_axes)
    def make_if_of_sizes(self, x):
        """Branches that differ in their sizes."""
        if self.depth > 1:
            return None
        p, size = self.condition(), self.expr(x.sizes[0])
        twice = self.fresh((self.times(x.sizes[0], 2),) + x.sizes[1:], x.dtype, x.exact, x.depth)
        count = self.bound()
        y = self.fresh((count,) + x.sizes[1:], x.dtype, x.exact, x.depth)
        text = f"{y} = dhlo.if {p} binds [@{count}] then_dims [{size}] else_dims [2 * {size}]"
        text += f" -> ({typed(y)}) {{\n    dhlo.yield {x} : {typed(x)}\n  }} else {{\n"
        text += f"    {twice} = dhlo.concat {x}, {x} axis = 0 : ({typed(x)}, {typed(x)}) -> "
        text += f"{typed(twice)}\n    dhlo.yield {twice} : {typed(twice)}\n  }}"
        self.emit(text, [p, x], y)
        return y

    @makes("while", types=DTYPES)
    def make_while(self, x):
        """A loop of a few iterations, whose number is constant or data-dependent."""
        if self.depth > 1:
            return None
        zero, one = self.scalar(0), self.scalar(1)
        limit = self.some_count(3) if self.chance(0.5) else self.scalar(self.rng.randint(0, 3))
        go = self.compared("lt", zero, limit)
        i = self.fresh((), "i64", True)
        carried = self.fresh(x.sizes, x.dtype, not is_float(x))

        def body():
            following = self.binary("add", i, one)
            again, z = self.compared("lt", following, limit), self.altered(carried)
            # So that errors do not grow from iteration to iteration.
            return again, following, self.unary("tanh", z) if is_float(z) else z

        text, outside, results = self.region([i, carried], body, self.values[-4:])
        count, y = self.fresh((), "i64", True), self.fresh(x.sizes, x.dtype, carried.exact)
        head = f"{count}, {y} = dhlo.while {go} carries({zero}, {x})"
        head += f" : ({typed(zero)}, {typed(x)}) -> ({typed(count)}, {typed(y)})"
        tail = f"dhlo.yield {', '.join(map(str, results))} : {', '.join(map(typed, results))}"
        read = [go, zero, one, limit, x, *outside, *results]
        self.emit(f"{head} {{\n    {text}\n    {tail}\n  }}", read, count, y)
        return y

    @makes("while", "yield", types=DTYPES, where=has_axes)
    def make_growing_while(self, x):
        """Each iteration appends rows."""
        if self.depth > 1:
            return None
        zero, one, limit = self.scalar(0), self.scalar(1), self.some_count(3)
        go = self.compared("lt", zero, limit)
        size, result, i = self.bound(), self.bound(), self.fresh((), "i64", True)
        more = self.symbol(f"{self.expr(x.sizes[0])} + @{size}")
        c, y = (self.fresh((s,) + x.sizes[1:], x.dtype, x.exact, x.depth) for s in (size, result))
        longer = self.fresh((more,) + x.sizes[1:], x.dtype, x.exact)

        def body():
            following = self.binary("add", i, one)
            again = self.compared("lt", following, limit)
            text = f"{longer} = dhlo.concat {c}, {x} axis = 0 : ({typed(c)}, {typed(x)})"
            self.emit(f"{text} -> {typed(longer)}", [c, x], longer)
            return again, following, longer

        text, outside, results = self.region([i, c], body)
        count = self.fresh((), "i64", True)
        head = f"{count}, {y} = dhlo.while {go} carries({zero}, {x}) loop_dims [@{size}]"
        head += f" init_dims [{self.expr(x.sizes[0])}] next_dims [{self.expr(more)}]"
        head += f" result_dims [@{result}]"
        head += f" : ({typed(zero)}, {typed(x)}) -> ({typed(count)}, {typed(y)})"
        tail = f"dhlo.yield {', '.join(map(str, results))} : {', '.join(map(typed, results))}"
        read = [go, zero, one, limit, x, *outside]
        self.emit(f"{head} {{\n    {text}\n    {tail}\n  }}", read, count, y)
        return y
