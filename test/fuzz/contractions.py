# ===- contractions.py - Random matmuls and convolutions -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmuls of floats and bytes, contractions of any axes, convolutions."""

import dataclasses
import math

from dialect import operations
from program import FLOATS, Value, typed
from table import has_two_axes, makes

NUMBERS = operations()["dot_general"].types


@dataclasses.dataclass
class Convolution:
    """A convolution of an image: the spatial axes and what is chosen for each."""

    layout: str
    x: Value
    groups: int
    filters: int
    window: list
    strides: list
    spread: list
    low: list
    fill: list
    spatial: list
    channels: int

    @property
    def filter_sizes(self):
        channels = self.channels // self.groups
        if self.layout == "channels_last":
            return [*self.window, channels, self.filters]
        return [self.filters, channels, *self.window]

    def text(self, high):
        text = f" {self.layout} strides = {self.strides} low = {self.low} high = {high}"
        text += f" input_dilation = {self.fill} filter_dilation = {self.spread}"
        return f"{text} groups = {self.groups}"


class Contractions:
    """The part of a generator that contracts axes."""

    @makes("dot_general", types=FLOATS, where=has_two_axes)
    def make_matmul(self, x):
        """A matmul with a constant, or with another value."""
        rank = len(x.sizes)
        if isinstance(x.sizes[-1], int) and x.sizes[-1] < 40 and self.chance(0.6):
            n = self.rng.choice([1, 3, 8, 16, 17, 33])
            return self.matmul(x, self.weight((x.sizes[-1], n), x.dtype))
        text = f"dhlo.dot_general {x}, {x} batch = {rank - 2} lhs_contract = [{rank - 1}]"
        sizes = x.sizes[:-1] + (x.sizes[-2],)
        return self.computed(x, sizes, f"{text} rhs_contract = [{rank - 1}]", [x, x])

    @makes("dot_general", types=())
    def make_few_rows(self):
        """Of a few rows, or by one column, and matrices that are no constants."""
        dtype = self.rng.choice(["f32", "f32", "bf16", "f16"])
        rows, depth = self.rng.choice([1, 1, 3, 6, 9, "N"]), self.rng.choice([1, 5, 16, 29, "M"])
        columns = self.rng.choice([1, 16, 31, 70])
        left, right = self.rng.choice([1, 2, 2]), self.rng.choice([1, 2])
        x = self.like((2, rows, depth) if left == 2 else (2, depth, rows), dtype)
        w = self.like((2, columns, depth) if right == 2 else (2, depth, columns), dtype)
        y = self.fresh((2, rows, columns), dtype, False)
        text = f"{y} = dhlo.dot_general {x}, {w} batch = 1 lhs_contract = [{left}]"
        text += f" rhs_contract = [{right}] : ({typed(x)}, {typed(w)}) -> {typed(y)}"
        self.emit(text, [x, w], y)
        return y

    @makes("dot_general", types=())
    def make_contraction(self):
        """Of one or two axes anywhere, of any type, in a result that may be wider."""
        dtype = self.rng.choice(NUMBERS)
        result = self.rng.choice([dtype, {"i8": "i32", "ui8": "i32"}.get(dtype, dtype)])
        if dtype in ("f16", "bf16"):
            result = self.rng.choice([dtype, "f32"])
        batch = self.many(self.rng.choice([0, 0, 1]), ["N", 2])
        inner = self.many(self.rng.choice([1, 1, 2]), [1, 3, 8, "M"])
        sides = [self.side(batch, inner, dtype) for _ in range(2)]
        (x, left, free), (w, right, more) = sides
        y = self.fresh((*batch, *free, *more), result, False)
        text = f"{y} = dhlo.dot_general {x}, {w} batch = {len(batch)} lhs_contract = {left}"
        text += f" rhs_contract = {right} : ({typed(x)}, {typed(w)}) -> {typed(y)}"
        self.emit(text, [x, w], y)
        return y

    def side(self, batch, inner, dtype):
        """An operand, its contracted axes in order, and its free sizes."""
        free = self.many(self.rng.choice([0, 1, 1, 2][: 4 - len(inner)]), [1, 4, 17, "N"])
        order = list(range(len(inner) + len(free)))
        self.rng.shuffle(order)
        sizes = [(inner + free)[i] for i in order]
        axes = [len(batch) + order.index(i) for i in range(len(inner))]
        kept = [(inner + free)[i] for i in order if i >= len(inner)]
        return self.like((*batch, *sizes), dtype), axes, kept

    @makes("dot_general", types=(), weight=3)
    def make_byte_matmul(self):
        """Bytes times bytes, mostly constant, as in quantised models: in i32, less zero
        points, which either operand may have."""

        def suits(v):
            bytes_ = v.dtype in ("i8", "ui8") and has_two_axes(v)
            return bytes_ and isinstance(v.sizes[-1], int) and v.sizes[-1] < 70

        x = self.pick(suits)
        x = x or self.given((self.rng.choice(["N", 5]), 8), self.rng.choice(["i8", "ui8"]))
        make = self.rng.choice([self.weight, self.weight, self.given])
        w = make((x.sizes[-1], self.rng.choice([1, 8, 16, 17, 33])), self.rng.choice(["i8", "ui8"]))
        sizes, depth = x.sizes[:-1] + w.sizes[1:], len(x.sizes) - 1
        if self.chance(0.8):
            x, w = self.centred(x, depth), self.centred(w, 0)
        y = self.fresh(sizes, "i32", True)
        text = f"{y} = dhlo.dot_general {x}, {w} batch = 0 lhs_contract = [{depth}]"
        text += f" rhs_contract = [0] : ({typed(x)}, {typed(w)}) -> {typed(y)}"
        self.emit(text, [x, w], y)
        return y

    def centred(self, x, contracted):
        """Bytes as i32, mostly less a zero point: one for all, or one for each column of a
        matrix whose rows are contracted."""
        wide = self.convert(x, "i32")
        kind = self.rng.choice(["none", "all", "columns"])
        if kind == "none":
            return wide
        each = kind == "columns" and contracted == 0
        zero = self.convert(self.weight(x.sizes[1:] if each else (), x.dtype), "i32")
        return self.binary("sub", wide, self.across(zero, wide, [1] if each else []))

    @makes("convolution", "grouped_convolution", types=(), weight=4)
    def make_convolution(self):
        """With one to three spatial axes, in both layouts; sometimes with a filter per
        group."""
        c = self.image_and_filter()
        least = self.rng.choice([0, 0, -2])
        high, reach = self.windows(c.spatial, c.window, c.spread, c.low, c.fill, least)
        several = self.rng.choice([0, 0, 0, 2, 3])
        w = self.weight(([several] if several else []) + c.filter_sizes, c.x.dtype)
        operands, text = [c.x, w], f"dhlo.convolution {c.x}, {w}"
        if several:
            operands.append(self.offsets(several, c.x.sizes[0]))
            text = f"dhlo.grouped_convolution {c.x}, {w}, {operands[2]}"
        parts = zip(c.spatial, reach, c.strides, c.fill, strict=True)
        sizes = [self.windowed(*part) for part in parts]
        sizes.insert(0 if c.layout == "channels_first" else len(sizes), c.filters)
        return self.computed(c.x, [c.x.sizes[0], *sizes], text + c.text(high), operands)

    def image_and_filter(self):
        """The input of a convolution, and its parameters."""
        layout = self.rng.choice(["channels_first", "channels_first", "channels_last"])
        dtype = self.rng.choice(FLOATS)
        count = self.rng.choice([1, 2, 2, 2, 3])
        x = self.image(count, layout, dtype)
        at = 1 if layout == "channels_first" else count + 1
        channels, spatial = x.sizes[at], [s for i, s in enumerate(x.sizes) if i not in (0, at)]
        groups = self.rng.choice([1, 1, 1, channels, math.gcd(channels, 2), math.gcd(channels, 4)])
        return Convolution(
            layout=layout,
            x=x,
            groups=groups,
            filters=groups * self.rng.choice([1, 2, 3, 4, 8] if groups > 1 else [1, 4, 16, 17]),
            window=self.many(count, [1, 2, 3, 3, 4, 5]),
            strides=self.many(count, [1, 1, 2]),
            spread=self.many(count, [1, 1, 1, 2, 3]),
            low=self.many(count, [-1, 0, 0, 1, 1, 3]),
            fill=self.many(count, [1, 1, 1, 2, 2, 3, 4]),
            spatial=spatial,
            channels=channels,
        )

    def image(self, count, layout, dtype):
        """A value, or a new input, with channels and spatial axes."""
        at = 1 if layout == "channels_first" else count + 1

        def suits(v):
            return v.dtype == dtype and len(v.sizes) == count + 2 and isinstance(v.sizes[at], int)

        x = self.pick(suits)
        if x and 0 < x.sizes[at] < 40:
            return x
        sizes = ["N"] + self.many(count, ["M", 5, 8, "N"])
        sizes.insert(at, self.rng.choice([1, 3, 4, 8, 16]))
        return self.convert(self.given(sizes, "f32"), dtype)
