# ===- patterns.py - Random programs as exporters write them ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns that passes match, sometimes with a difference: decomposed composites, scales
after matmuls, broadcasts before them, matmuls with a common LHS."""

from program import FLOATS, typed
from table import TABLE, has_axes, has_fixed_last, has_two_axes, pattern


class Patterns:
    """The part of a generator that makes patterns that passes rewrite."""

    def enclosed(self, make):
        """A group of operations whose result alone is read by later statements and outputs,
        as passes require."""
        before = list(self.values)
        y = make()
        self.values = [*before, y]
        return y

    def reduced(self, kind, x, axis):
        """A reduction along an axis, broadcast along it again."""
        axes = [i for i in range(len(x.sizes)) if i != axis]
        text = f"dhlo.reduce {kind} {x} axes = [{axis}]"
        return self.across(self.computed(x, [x.sizes[i] for i in axes], text), x, axes)

    @pattern(types=["f32"])
    def make_gelu_parts(self, x):
        kind = self.rng.choice(["erf", "tanh", "logistic"])
        one, half = self.splat(x, 1.0), self.splat(x, 0.5)
        if kind == "erf":
            inner = self.binary("mul", x, self.splat(x, 0.70710678))
        else:
            cube = self.binary("mul", self.binary("mul", x, x), x)
            inner = self.binary("add", x, self.binary("mul", cube, self.splat(x, 0.044715)))
            scale = 0.7978845608 if kind == "tanh" else 1.5957691216
            inner = self.binary("mul", inner, self.splat(x, scale))
        curve = self.unary(kind, inner)
        if kind == "logistic":
            return self.binary("mul", x, curve)
        y = self.binary("mul", self.binary("mul", x, half), self.binary("add", curve, one))
        return self.unary("neg", y) if self.chance(0.1) else y

    @pattern(types=FLOATS, where=has_axes)
    def make_softmax_parts(self, x):
        axis = self.rng.randrange(len(x.sizes))
        less = self.binary("sub", x, self.reduced("max", x, axis))
        powers = self.unary("exp", less)
        total = self.reduced("sum", powers, axis)
        if self.chance(0.3):
            return self.binary("sub", less, self.unary("log", total))
        return self.binary("div", powers, total)

    @pattern(types=["f32"], where=lambda v: has_fixed_last(v) and v.sizes[-1] > 0)
    def make_norm_parts(self, x):
        axis, count = len(x.sizes) - 1, self.splat(x, float(x.sizes[-1]))
        if self.chance(0.5):
            # Constant rows less their mean would be rounding errors.
            x = self.binary("add", x, self.across(self.ramp(x.sizes[axis], "f32"), x, [axis]))
            x = self.binary("sub", x, self.binary("div", self.reduced("sum", x, axis), count))
        square = self.binary("div", self.reduced("sum", self.binary("mul", x, x), axis), count)
        y = self.binary("add", square, self.splat(x, 0.01))
        y = self.binary("mul", x, self.unary("rsqrt", y))
        y = self.binary("mul", y, self.across(self.weight((x.sizes[-1],), "f32"), x, [axis]))
        if self.chance(0.5):
            y = self.binary("add", y, self.across(self.weight((x.sizes[-1],), "f32"), x, [axis]))
        return y

    @pattern()
    def make_scaled(self):
        """A matmul or a convolution, then a scale and a bias of each channel."""
        if self.chance(0.5):
            y = self.make(TABLE["convolution"])
            axis = 1
            if y.dtype != "f32" or not isinstance(y.sizes[1], int):
                return y
        else:
            x = self.pick(lambda v: v.dtype == "f32" and has_two_axes(v) and v.sizes[-1] in (4, 8))
            x = x or self.given(("N", 8), "f32")
            y = self.matmul(x, self.weight((x.sizes[-1], self.rng.choice([4, 16, 17])), "f32"))
            axis = len(y.sizes) - 1
        for op in ("mul", "add"):
            y = self.binary(op, y, self.across(self.weight((y.sizes[axis],), "f32"), y, [axis]))
        return y

    @pattern()
    def make_repeats(self):
        """A matmul of rows that are concatenated from a shared and a separate part."""
        width = self.rng.choice([4, 8, 12, 16])
        own = self.like(("N", "M", width), "f32")
        shared = self.across(self.like(("N", width), "f32"), own, [0, 2])
        parts = self.rng.choice([[own, shared], [shared, own]])
        text = f"dhlo.concat {parts[0]}, {parts[1]} axis = 2"
        x = self.moved(own, ("N", "M", 2 * width), text, parts)
        return self.matmul(x, self.weight((2 * width, self.rng.choice([4, 17])), "f32"))

    @pattern()
    def make_sliced_matmul(self):
        """Some rows of a matmul and a chain of elementwise operations."""
        x = self.like((self.rng.choice(["N", "M"]), 8), "f32")
        y = self.matmul(x, self.weight((8, 17), "f32"))
        for op in self.many(self.rng.randint(0, 2), ["tanh", "exp", "neg"]):
            y = self.unary(op, y)
        size = self.symbol(f"max(@{x.sizes[0]} - 1, 0)")
        return self.sliced(y, (size, 17), [1, 0])

    @pattern()
    def make_column(self):
        x = self.like((self.size(), self.rng.choice([8, 33])), "f32")
        return self.matmul(x, self.weight((x.sizes[1], 1), "f32"))

    @pattern()
    def make_extreme_of_all(self):
        x = self.like(("N", self.rng.choice([33, 64])), "f32")
        kind = self.rng.choice(["max", "min"])
        return self.computed(x, (), f"dhlo.reduce {kind} {x} axes = [0, 1]")

    @pattern(weight=8)
    def make_triple(self):
        """Layers that differ in constants, each of which is a separate kernel."""
        return self.enclosed(self.triple)

    def triple(self):
        x = self.like((self.rng.choice(["N", "M"]), 8), "f32")
        w, curve = self.weight((8, 8), "f32"), self.rng.choice(["tanh", "logistic", "erf"])
        for number in self.rng.sample([0.25, 0.5, 0.75, 1.25], 3):
            x = self.binary("mul", self.unary(curve, x), self.splat(x, number))
            x = self.matmul(self.unary("sin", x), w)
        return x

    @pattern(weight=8)
    def make_projections(self):
        """Matmuls of one tensor with several matrices, split in heads."""
        return self.enclosed(self.projections) if self.chance(0.8) else self.projections()

    def projections(self):
        x = self.like(("N", "M", 8), "f32")
        ys = []
        for _ in range(self.rng.randint(2, 3)):
            y = self.matmul(x, self.weight((8, 8), "f32"))
            if self.chance(0.5):
                y = self.binary("add", y, self.across(self.weight((8,), "f32"), y, [2]))
            heads = self.reshaped(y, ("N", "M", 2, 4))
            ys.append(self.transposed(heads, [0, 2, 1, 3]))
        return self.attended(*ys[:2], ys[-1])

    @pattern(weight=8)
    def make_packed(self):
        """Attention on slices of one matmul, perhaps with rotary embeddings."""
        return self.enclosed(self.packed) if self.chance(0.8) else self.packed()

    def packed(self):
        # Finite: the result for an infinite value of a masked key is not specified.
        x = self.unary("tanh", self.like(("N", "M", 8), "f32"))
        y = self.matmul(x, self.weight((8, 24), "f32"))
        parts = []
        for start in (0, 8, 16):
            part = self.sliced(y, ("N", "M", 8), [0, 0, start])
            part = self.reshaped(part, ("N", "M", 2, 4))
            part = self.transposed(part, [0, 2, 1, 3])
            parts.append(self.rotated(part) if start < 16 and self.chance(0.7) else part)
        if self.chance(0.3):
            return self.attended(*parts)
        text = f"dhlo.attention {', '.join(map(str, parts))} scale = 0.5"
        text += f"{self.rng.choice(['', ' cap = 2.0'])}{self.rng.choice(['', ' causal'])}"
        return self.computed(parts[0], parts[0].sizes, text, parts)

    def rotated(self, x):
        """Rotary embeddings of pairs of elements of a head, half a head or one element
        apart."""
        step = self.rng.choice([1, 2])
        halves = []
        for start in (0, 2 // step):
            halves.append(self.sliced(x, (*x.sizes[:3], 2), [0, 0, 0, start], [1, 1, 1, step]))
        low, high = halves
        high = self.unary("neg", high)
        turned = self.moved(x, x.sizes, f"dhlo.concat {high}, {low} axis = 3", [high, low])
        parts = [
            self.binary("mul", y, self.across(self.weight((4,), "f32"), y, [3]))
            for y in (x, turned)
        ]
        return self.binary("add", *parts)

    @pattern(weight=8)
    def make_padded(self):
        """Sentences with a mask that excludes some tokens from attention, and drops
        them."""
        return self.enclosed(self.padded)

    def padded(self):
        x, mask = self.unary("tanh", self.like(("N", "M", 8), "f32")), self.given(("N", "M"), "i64")
        y = self.matmul(x, self.weight((8, 8), "f32"))
        heads = self.reshaped(y, ("N", "M", 2, 4))
        heads = self.transposed(heads, [0, 2, 1, 3])
        keys = self.convert(mask, "i1")
        keys = self.reshaped(keys, ("N", 1, 1, "M"))
        text = f"dhlo.attention {heads}, {heads}, {heads} mask {keys} scale = 0.5"
        z = self.moved(heads, heads.sizes, text, [heads, heads, heads, keys])
        z = self.transposed(z, [0, 2, 1, 3])
        z = self.reshaped(z, ("N", "M", 8))
        z = self.matmul(self.unary("tanh", z), self.weight((8, 64), "f32"))
        # So many operations that they take longer than moving rows.
        w = self.weight((64, 64), "f32", unit=64)
        for _ in range(4):
            z = self.matmul(z, w)
        z = self.matmul(z, self.weight((64, 8), "f32"))
        kept = self.convert(self.convert(mask, "i1"), "f32")
        z = self.binary("mul", z, self.across(kept, z, [0, 1]))
        # Bounded, for later operations.
        return self.unary("tanh", self.moved(z, ("N", 8), f"dhlo.reduce sum {z} axes = [1]"))

    def attended(self, q, k, v):
        """Decomposed attention, sometimes with a mask."""
        b, h, s, _ = q.sizes
        t = k.sizes[2]
        if self.chance(0.5):
            q = self.binary("mul", q, self.splat(q, 0.5))
        text = f"dhlo.dot_general {q}, {k} batch = 2 lhs_contract = [3] rhs_contract = [3]"
        scores = self.moved(q, (b, h, s, t), text, [q, k])
        if self.chance(0.5):
            scores = self.binary("mul", scores, self.splat(scores, 0.5))
        if self.chance(0.3):
            inner = self.binary("div", scores, self.splat(scores, 4.0))
            scores = self.binary("mul", self.unary("tanh", inner), self.splat(scores, 4.0))
        if self.chance(0.5):
            mask = self.like((b, t), "f32")
            scores = self.binary("add", scores, self.across(mask, scores, [0, 3]))
        p = self.fresh(scores.sizes, "f32", False)
        self.emit(f"{p} = dhlo.softmax {scores} axis = 3 : {typed(p)}", [scores], p)
        text = f"dhlo.dot_general {p}, {v} batch = 2 lhs_contract = [3] rhs_contract = [2]"
        return self.computed(p, (b, h, s, v.sizes[3]), text, [p, v])
