# ===- composites.py - Random composite operations -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations with many parameters, over most of what they allow."""

from dialect import enumerations
from program import FLOATS, is_float, typed
from table import has_axes, has_fixed_last, makes


class Composites:
    """The part of a generator that makes composite operations."""

    @makes("softmax", where=has_axes)
    def make_softmax(self, x):
        y = self.fresh(x.sizes, x.dtype, False)
        log = self.rng.choice([" log", "", ""])
        text = f"{y} = dhlo.softmax {x} axis = {self.rng.randrange(len(x.sizes))}{log}"
        self.emit(f"{text} : {typed(y)}", [x], y)
        return y

    @makes("layer_norm", "rms_norm", where=has_fixed_last, weight=4)
    def make_norm(self, x):
        """Over the last axes, as many as have static sizes, or fewer."""
        first = len(x.sizes) - 1
        while first and isinstance(x.sizes[first - 1], int) and self.chance(0.3):
            first -= 1
        operation, count = self.rng.choice([("rms_norm", 1), ("layer_norm", 1), ("layer_norm", 2)])
        operands = [x] + [self.weight(x.sizes[first:], x.dtype) for _ in range(count)]
        text = f"dhlo.{operation} {', '.join(map(str, operands))} axis = {first} eps = 1.0e-2"
        return self.computed(x, x.sizes, text, operands)

    @makes("resize", where=has_axes)
    def make_resize(self, x):
        """To double or half sizes, where coordinates are exact. A scale of 0 is the ratio
        of the sizes. Integers are not interpolated."""
        sizes, scales = [], []
        for size in x.sizes:
            scale = self.rng.choice([1.0, 1.0, 2.0, 0.5])
            half = size // 2 if isinstance(size, int) else self.symbol(f"@{size} floordiv 2")
            sizes.append({1.0: size, 2.0: self.times(size, 2), 0.5: half}[scale])
            scales.append(0.0 if scale == 2.0 and self.chance(0.2) else scale)
        mode = self.rng.choice(enumerations()["ResizeMode"] if is_float(x) else ["nearest"])
        ways = enumerations()["ResizeCoord"] if mode != "nearest" else ["half_pixel", "asymmetric"]
        turn = self.rng.choice(enumerations()["RoundMode"])
        text = f"dhlo.resize {mode} {self.rng.choice(ways)} {turn} {x} scales = {scales}"
        y = self.computed(x, sizes, f"{text} coefficient = -0.75")
        y.exact |= x.exact and mode == "nearest"
        return y

    @makes("attention", types=(), weight=4)
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
        text += self.rng.choice([" causal", ""]) + self.rng.choice([" nan_if_empty", ""])
        return self.computed(operands[0], shapes[0][:3] + (e,), text, operands)

    @makes("fft", types=())
    def make_fft(self):
        """A transform of each form. Lengths are few elements, multiples of small primes, some of
        them large enough for a matrix, and a large prime."""
        dtype = self.rng.choice(["f32", "f32", "f64"])
        n = self.rng.choice(["N", "N", "M", 1, 4, 30, 64, 131, 256])
        half = n // 2 + 1 if isinstance(n, int) else self.symbol(f"@{n} floordiv 2 + 1")
        form = self.rng.choice(["complex", "half", "all", "back"])
        others = self.rng.choice([(), (2,), ("M",), ("M", 20), (2, 17)])
        axis = self.rng.choice(range(len(others) + 1))
        whole, part = ((*others[:axis], size, *others[axis:]) for size in (n, half))
        if form == "complex":
            operands, sizes = [self.like(whole, dtype), self.like(whole, dtype)], [whole] * 2
        else:
            operands, sizes = [self.like(whole, dtype)], [part if form != "all" else whole] * 2
        results = self.fourier(operands, sizes, form in ("half", "back"), axis)
        if form == "back":
            results = self.fourier(results, [whole], True, axis)
        return self.rng.choice(results)

    def fourier(self, operands, sizes, is_half, axis):
        """The results, which have these sizes."""
        results = [self.fresh(shape, operands[0].dtype, False) for shape in sizes]
        text = f"dhlo.fft {self.rng.choice(['', 'inverse '])}{', '.join(map(str, operands))}"
        inputs, outputs = (", ".join(map(typed, values)) for values in (operands, results))
        types = f"({inputs}) -> {outputs if len(sizes) == 1 else f'({outputs})'}"
        text = f"{', '.join(map(str, results))} = {text}{' half' * is_half} axis = {axis} : {types}"
        self.emit(text, operands, *results)
        return results

    @makes("lstm", types=())
    def make_lstm(self):
        dtype, steps = self.rng.choice(FLOATS), self.rng.choice(["N", "M", 1, 4])
        batch, hidden = self.rng.choice(["N", "M", 1, 3]), self.rng.choice([1, 3, 8, 16])
        way = self.rng.choice(enumerations()["RnnDirection"])
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
            operands.append(self.binary("minimum", self.iota((batch,), index), most))
            text += f" lengths {operands[-1]}"
        y = self.fresh((steps, ways, batch, hidden), dtype, False)
        h, c = self.fresh(last, dtype, False), self.fresh(last, dtype, False)
        types = f"({', '.join(map(typed, operands))}) -> ({typed(y)}, {typed(h)}, {typed(c)})"
        self.emit(f"{y}, {h}, {c} = {text} : {types}", operands, y, h, c)
        return self.rng.choice([y, h, c])
