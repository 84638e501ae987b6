# ===- composites.py - Random composite operations -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations with many parameters, over most of what they allow."""

from program import FLOATS, INTS, is_float, typed


class Composites:
    """The part of a generator that makes windows, convolutions and composite operations."""

    def many(self, count, choices):
        return [self.rng.choice(choices) for _ in range(count)]

    def windowed(self, size, reach, stride, fill=1):
        """The number of windows: elements are `fill` apart, and `reach` is the window's
        extent less padding and one."""
        if isinstance(size, int):
            return ((size - 1) * fill - reach) // stride + 1
        moved = f"@{size} - {reach + 1}" if reach >= 0 else f"@{size} + {-reach - 1}"
        return self.symbol(f"({moved}) floordiv {stride} + 1")

    def windows(self, sizes, window, dilations, low, fill=None):
        """Padding at the end, so that no size is negative, and the `reach` of windows."""
        high, reach = [], []
        for i, size in enumerate(sizes):
            wide = dilations[i] * (window[i] - 1)
            length = (size - 1) * (fill or [1] * len(sizes))[i] if isinstance(size, int) else -1
            least = max(0, wide - low[i] - max(length, -1))
            high.append(least + self.rng.choice([0, 0, 1]))
            reach.append(wide - low[i] - high[i])
        return high, reach

    def make_window(self):
        x = self.pick(lambda v: v.sizes and v.dtype != "i1")
        if not x:
            return None
        rank = len(x.sizes)
        window, strides = self.many(rank, [1, 1, 2, 3]), self.many(rank, [1, 1, 2])
        dilations, low = self.many(rank, [1, 1, 2]), self.many(rank, [0, 0, 1])
        high, reach = self.windows(x.sizes, window, dilations, low)
        kind = self.rng.choice(["sum", "max", "min"] + ["prod"] * (x.dtype in INTS))
        text = f"dhlo.reduce_window {kind} {x} window = {window} strides = {strides}"
        text += f" dilations = {dilations} low = {low} high = {high}"
        sizes = [self.windowed(s, r, t) for s, r, t in zip(x.sizes, reach, strides)]
        y = self.moved(x, sizes, text)
        y.exact = y.dtype in INTS
        return y

    def make_convolution(self):
        """With one to three spatial axes, in both layouts; sometimes with a filter per
        group."""
        layout = self.rng.choice(["channels_first", "channels_first", "channels_last"])
        dtype = self.rng.choice(FLOATS)
        count = self.rng.choice([1, 2, 2, 2, 3])
        x = self.image(count, layout, dtype)
        at = 1 if layout == "channels_first" else count + 1
        channels, spatial = x.sizes[at], [s for i, s in enumerate(x.sizes) if i not in (0, at)]
        groups = self.rng.choice([1, 1, 1, channels])
        filters = groups * self.rng.choice([1, 1, 3] if groups > 1 else [1, 4, 16, 17])
        window, strides = self.many(count, [1, 2, 3, 3]), self.many(count, [1, 1, 2])
        spread, low = self.many(count, [1, 1, 1, 2]), self.many(count, [0, 1])
        fill = [self.rng.choice([1, 1, 1, 2]) if isinstance(s, int) else 1 for s in spatial]
        high, reach = self.windows(spatial, window, spread, low, fill)
        each = [filters, channels // groups, *window]
        if layout == "channels_last":
            each = [*window, channels // groups, filters]
        several = self.rng.choice([0, 0, 0, 2, 3])
        w = self.weight(([several] if several else []) + each, dtype)
        operands, text = [x, w], f"dhlo.convolution {x}, {w}"
        if several:
            operands.append(self.offsets(several, x.sizes[0]))
            text = f"dhlo.grouped_convolution {x}, {w}, {operands[2]}"
        text += f" {layout} strides = {strides} low = {low} high = {high}"
        text += f" input_dilation = {fill} filter_dilation = {spread} groups = {groups}"
        sizes = [self.windowed(*s) for s in zip(spatial, reach, strides, fill)]
        sizes.insert(at - 1, filters)
        y = self.moved(x, [x.sizes[0], *sizes], text, operands)
        y.exact = False
        return y

    def image(self, count, layout, dtype):
        """A value, or a new input, with channels and spatial axes."""
        at = 1 if layout == "channels_first" else count + 1
        x = self.pick(
            lambda v: (
                v.dtype == dtype and len(v.sizes) == count + 2 and isinstance(v.sizes[at], int)
            )
        )
        if x and 0 < x.sizes[at] < 40:
            return x
        sizes = ["N"] + self.many(count, ["M", 5, 8, "N"])
        sizes.insert(at, self.rng.choice([1, 3, 4, 8, 16]))
        return self.convert(self.given(sizes, "f32"), dtype)

    def make_resize(self):
        """To double or half sizes, where coordinates are exact."""
        x = self.pick(lambda v: is_float(v) and v.sizes)
        if not x:
            return None
        sizes, scales = [], []
        for size in x.sizes:
            scale = self.rng.choice([1.0, 1.0, 2.0, 0.5])
            half = size // 2 if isinstance(size, int) else f"@{size} floordiv 2"
            half = self.symbol(half) if isinstance(half, str) else half
            sizes.append({1.0: size, 2.0: self.times(size, 2), 0.5: half}[scale])
            scales.append(scale)
        mode = self.rng.choice(["nearest", "linear", "cubic"])
        ways = ["half_pixel", "asymmetric"]
        ways += ["pytorch_half_pixel", "align_corners"] if mode != "nearest" else []
        way = self.rng.choice(ways)
        turn = self.rng.choice(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
        text = f"dhlo.resize {mode} {way} {turn} {x} scales = {scales}"
        y = self.moved(x, sizes, f"{text} coefficient = -0.75")
        y.exact = x.exact and mode == "nearest"
        return y

    def make_attention(self):
        dtype, b = self.rng.choice(FLOATS), self.rng.choice(["N", 2])
        group, repeat = self.rng.choice([1, 2]), self.rng.choice([1, 1, 2])
        s, t = self.rng.choice(["N", "M", 5]), self.rng.choice(["N", "M", 5, 1])
        d, e = self.rng.choice([1, 4, 8, 16, 17]), self.rng.choice([1, 4, 8, 16, 17])
        shapes = ((b, group * repeat, s, d), (b, group, t, d), (b, group, t, e))
        operands = [self.like(shape, dtype) for shape in shapes]
        # Finite: the result for an infinite value of a masked key is not specified.
        operands[2] = self.unary("tanh", operands[2])
        text = f"dhlo.attention {', '.join(map(str, operands))}"
        if self.chance(0.5):
            sizes = [self.rng.choice([1, size]) for size in (b, group * repeat, s, t)]
            operands.append(self.like(sizes, self.rng.choice([dtype, "i1"])))
            text += f" mask {operands[3]}"
        text += f" scale = 0.25{self.rng.choice(['', '', ' cap = 1.5'])}"
        text += self.rng.choice([" causal", ""])
        y = self.moved(operands[0], shapes[0][:3] + (e,), text, operands)
        y.exact = False
        return y

    def like(self, sizes, dtype):
        """A value of this type, or a new input."""
        sizes = tuple(sizes)
        x = self.pick(lambda v: v.sizes == sizes and v.dtype == dtype)
        return x or self.convert(self.given(sizes, "f32" if dtype == "bf16" else dtype), dtype)

    def make_lstm(self):
        dtype, steps = self.rng.choice(FLOATS), self.rng.choice(["N", "M", 1, 4])
        batch, hidden = self.rng.choice(["N", "M", 1, 3]), self.rng.choice([1, 3, 8, 16])
        way = self.rng.choice(["forward", "reverse", "bidirectional"])
        ways = 2 if way == "bidirectional" else 1
        operands = [self.like((steps, batch, ways, 4 * hidden), dtype)]
        operands.append(self.weight((ways, hidden, 4 * hidden), dtype))
        text = f"dhlo.lstm {way} {operands[0]}, {operands[1]}"
        last = (ways, batch, hidden)
        for part in ("hidden", "cell"):
            if self.chance(0.4):
                operands.append(self.like(last, dtype))
                text += f" {part} {operands[-1]}"
        if self.chance(0.5):
            index = self.rng.choice(["i64", "i32"])
            most = self.repeated(self.length(steps, index), (batch,))
            operands.append(self.exact("minimum", self.iota((batch,), index), most))
            text += f" lengths {operands[-1]}"
        y = self.fresh((steps, ways, batch, hidden), dtype, False)
        h, c = self.fresh(last, dtype, False), self.fresh(last, dtype, False)
        types = f"({', '.join(map(typed, operands))}) -> ({typed(y)}, {typed(h)}, {typed(c)})"
        self.emit(f"{y}, {h}, {c} = {text} : {types}", operands, y, h, c)
        return self.rng.choice([y, h, c])
