# ===- reductions.py - Random reductions, sorts and windows ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations along axes: reductions of all kinds, sorts, windows."""

from program import INTS, typed
from table import fixed_axes, has_axes, has_room, makes, pattern


class Reductions:
    """The part of a generator that combines elements along axes."""

    def reduction(self, x):
        """A kind of reduction and suitable elements. Floats that are multiplied are above
        one, so that the result is infinite in any order or in none."""
        if x.dtype == "i1":
            return self.rng.choice(["and", "or"]), x
        products = x.dtype in (*INTS, "f32", "f64")
        kind = self.rng.choice(["sum", "max", "min"] + ["prod"] * products)
        return kind, self.over_one(x) if kind == "prod" and x.dtype not in INTS else x

    @makes("reduce", where=has_axes)
    def make_reduce(self, x):
        """Extrema of no elements are infinite, thus inexact."""
        kind, x = self.reduction(x)
        count = self.rng.randint(1, len(x.sizes))
        axes = sorted(self.rng.sample(range(len(x.sizes)), count))
        sizes = [s for i, s in enumerate(x.sizes) if i not in axes]
        return self.computed(x, sizes, f"dhlo.reduce {kind} {x} axes = {axes}")

    @makes("arg_reduce", exact=True, where=has_axes)
    def make_arg_reduce(self, x):
        axis = self.rng.randrange(len(x.sizes))
        dtype = self.rng.choice(["i64", "i32"])
        y = self.fresh(x.sizes[:axis] + x.sizes[axis + 1 :], dtype, True)
        kind, last = self.rng.choice(["max", "min"]), self.rng.choice(["", " last"])
        text = f"{y} = dhlo.arg_reduce {kind} {x} axis = {axis}{last}"
        self.emit(f"{text} : ({typed(x)}) -> {typed(y)}", [x], y)
        return y

    @makes("cumulative", where=has_axes)
    def make_cumulative(self, x):
        kind, x = self.reduction(x)
        y = self.fresh(x.sizes, x.dtype, False)
        flags = [flag for flag in (" exclusive", " reverse") if self.chance(0.5)]
        axis = self.rng.randrange(len(x.sizes))
        text = f"{y} = dhlo.cumulative {kind} {x} axis = {axis}{''.join(flags)}"
        self.emit(f"{text} : {typed(y)}", [x], y)
        return y

    @makes("sort", exact=True, where=has_axes)
    def make_sort(self, x):
        y, i = self.fresh(x.sizes, x.dtype, True, x.depth), self.fresh(x.sizes, "i64", True)
        axis, down = self.rng.randrange(len(x.sizes)), self.rng.choice([" descending", ""])
        text = f"{y}, {i} = dhlo.sort {x} axis = {axis}{down}"
        self.emit(f"{text} : {typed(y)}, {typed(i)}", [x], y, i)
        return y

    @makes("top_k", exact=True, where=fixed_axes)
    def make_top_k(self, x):
        axis = self.rng.choice(fixed_axes(x))
        k = self.rng.randint(1, x.sizes[axis])
        sizes = x.sizes[:axis] + (k,) + x.sizes[axis + 1 :]
        y, i = self.fresh(sizes, x.dtype, True, x.depth), self.fresh(sizes, "i64", True)
        largest = self.rng.choice([" largest", ""])
        text = f"{y}, {i} = dhlo.top_k {x} axis = {axis}{largest}"
        self.emit(f"{text} : ({typed(x)}) -> ({typed(y)}, {typed(i)})", [x], y, i)
        return y

    @pattern(types=["f32", "f64", *INTS], where=lambda v: v.exact and not v.depth and has_room(v))
    def make_long_order(self, x):
        """The order along an axis that is longer than others, of elements with ties."""
        sizes, last = (*x.sizes, self.rng.choice([130, 300, 700])), len(x.sizes)
        ramp = self.iota(sizes, "i64", last, step=self.rng.choice([1, 37]))
        ramp = self.binary("rem", ramp, self.splat(ramp, self.rng.choice([7, 101])))
        ramp = self.convert(ramp, x.dtype)
        y = self.binary("add", self.across(x, ramp, list(range(last))), ramp, exact=True)
        return self.make_top_k(y) if self.chance(0.7) else self.make_sort(y)

    # Windows

    def windowed(self, size, reach, stride, fill=1):
        """The number of windows: elements are `fill` apart, and `reach` is the window's
        extent less padding and one."""
        if isinstance(size, int):
            return ((size - 1) * fill - reach) // stride + 1
        more = reach + fill
        moved = f"{fill} * @{size}" if fill > 1 else f"@{size}"
        moved += f" - {more}" if more >= 0 else f" + {-more}"
        return self.symbol(f"({moved}) floordiv {stride} + 1")

    def windows(self, sizes, window, dilations, low, fill=None, least=0):
        """Padding at the end, at least `least` and so that no size is negative, and the
        `reach` of windows."""
        high, reach = [], []
        for i, size in enumerate(sizes):
            wide = dilations[i] * (window[i] - 1)
            elements = size if isinstance(size, int) else 0
            length = (elements - 1) * (fill[i] if fill else 1)
            high.append(max(least, wide - low[i] - length) + self.rng.choice([0, 0, 1]))
            reach.append(wide - low[i] - high[i])
        return high, reach

    @makes("reduce_window", where=has_axes)
    def make_window(self, x):
        rank = len(x.sizes)
        window, strides = self.many(rank, [1, 1, 2, 3]), self.many(rank, [1, 1, 2])
        dilations, low = self.many(rank, [1, 1, 2]), self.many(rank, [0, 0, 1])
        return self.reduce_windows(x, window, strides, dilations, low)

    @makes("reduce_window", types=())
    def make_pool(self):
        """Of the maps of some channels, in vectors of these if lines are short."""
        channels, width = self.rng.choice([7, 16, 17]), self.rng.choice([1, 5, 14, 40])
        x = self.like((channels, self.rng.choice([1, 4, "M"]), width), "f32")
        window, strides = [1, *self.many(2, [1, 2, 3])], [1, *self.many(2, [1, 2])]
        return self.reduce_windows(x, window, strides, [1, 1, 1], [0, *self.many(2, [0, 1])])

    def reduce_windows(self, x, window, strides, dilations, low):
        kind, x = self.reduction(x)
        high, reach = self.windows(x.sizes, window, dilations, low)
        text = f"dhlo.reduce_window {kind} {x} window = {window} strides = {strides}"
        text += f" dilations = {dilations} low = {low} high = {high}"
        parts = zip(x.sizes, reach, strides, strict=True)
        return self.computed(x, [self.windowed(*part) for part in parts], text)
