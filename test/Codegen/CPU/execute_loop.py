# ===- execute_loop.py - Loop kernels against numpy ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Loop kernels against numpy: sizes 0, 1, primes and others.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, cases, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
SIZES = [0, 1, 2, 5, 16, 17, 31, 64, 100, 509]


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@case
def bias():
    k = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x384xf32, #dhlo.dims<d0>>, %b: tensor<384xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.broadcast %b axes = [1] : (tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<d0>>
  %1 = dhlo.add %x, %0 : tensor<?x384xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?x384xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    for n in SIZES:
        x, b = floats(n, 384), floats(384)
        (y,), _ = k([n], [x, b], [((n, 384), np.float32)])
        assert np.array_equal(y, x + b)


@case
def flat():
    k = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.add %x, %y : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.gelu erf %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %2 = dhlo.tanh %1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1, %2 : tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xf32, #dhlo.dims<d0, d1>>
}""",
        ISA,
    )
    yield
    from math import erf

    for n in SIZES:
        for m in (1, 7, 33):
            x, y = floats(n, m), floats(n, m)
            s = (x + y).astype(np.float64)
            g = s * (1 + np.vectorize(erf, otypes=[float])(s / 2**0.5)) / 2
            (a, t), _ = k([n, m], [x, y], [((n, m), np.float32)] * 2)
            close(a, g, 1e-6)
            close(t, np.tanh(g), 1e-6)


@case
def heads():
    split = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x?x96xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.reshape %x : (tensor<?x?x96xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x3x32xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.transpose %0 permutation = [0, 2, 1, 3] : (tensor<?x?x3x32xf32, #dhlo.dims<d0, d1>>) -> tensor<?x3x?x32xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x3x?x32xf32, #dhlo.dims<d0, d1>>
}""",
        ISA,
    )
    merge = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x3x?x32xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 1, 3] : (tensor<?x3x?x32xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x3x32xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.reshape %0 : (tensor<?x?x3x32xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
}""",
        ISA,
    )
    last = Kernel(
        """
dlhlo.kernel @k transpose {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %1 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?xf32, #dhlo.dims<d1, d0>>
  dlhlo.yield %1 : tensor<?x?xf32, #dhlo.dims<d1, d0>>
}""",
        ISA,
    )
    yield
    for n in (0, 1, 3):
        for s in SIZES[:8]:
            x = floats(n, s, 96)
            expected = x.reshape(n, s, 3, 32).transpose(0, 2, 1, 3)
            (y,), _ = split([n, s], [x], [((n, 3, s, 32), np.float32)])
            assert np.array_equal(y, expected)
            (z,), _ = merge([n, s], [y], [((n, s, 96), np.float32)])
            assert np.array_equal(z, x)
    for n in SIZES:
        for m in SIZES[:8]:
            x = floats(n, m)
            (y,), _ = last([n, m], [x], [((m, n), np.float32)])
            assert np.array_equal(y, x.T)


@case
def maybe_one():
    k = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?x?xf32, #dhlo.dims<d2, d3>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  dhlo.dim @d3 in [0, ?]
  dhlo.dim @s0 = broadcast(@d0, @d2)
  dhlo.dim @s1 = broadcast(@d1, @d3)
  %0 = dhlo.broadcast %x axes = [0, 1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?xf32, #dhlo.dims<s0, s1>>
  %1 = dhlo.broadcast %y axes = [0, 1] : (tensor<?x?xf32, #dhlo.dims<d2, d3>>) -> tensor<?x?xf32, #dhlo.dims<s0, s1>>
  %2 = dhlo.sub %0, %1 : tensor<?x?xf32, #dhlo.dims<s0, s1>>
  dlhlo.yield %2 : tensor<?x?xf32, #dhlo.dims<s0, s1>>
}""",
        ISA,
    )
    yield
    for a, b in (
        ((3, 40), (3, 40)),
        ((1, 40), (5, 40)),
        ((5, 40), (5, 1)),
        ((1, 1), (4, 33)),
        ((4, 1), (1, 33)),
    ):
        x, y = floats(*a), floats(*b)
        expected = x - y
        (z,), _ = k([*a, *b], [x, y], [(expected.shape, np.float32)])
        assert np.array_equal(z, expected)


@case
def moves():
    k = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?x5xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [1, ?]
  dhlo.dim @s = @d1 + 5
  dhlo.dim @p = @d1 + 9
  dhlo.dim @q = @d1 + 11
  %0 = dhlo.concat %x, %y axis = 1 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x5xf32, #dhlo.dims<d0>>) -> tensor<?x?xf32, #dhlo.dims<d0, s>>
  %c = dhlo.constant dense<7.0> : tensor<f32>
  %1 = dhlo.pad %0, %c constant low = [0, 4] high = [0, 0] : (tensor<?x?xf32, #dhlo.dims<d0, s>>, tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<d0, p>>
  %2 = dhlo.reverse %1 axes = [1] : tensor<?x?xf32, #dhlo.dims<d0, p>>
  %3 = dhlo.pad %2, %c reflect low = [0, 1] high = [0, 1] : (tensor<?x?xf32, #dhlo.dims<d0, p>>, tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<d0, q>>
  %4 = dhlo.slice %3 starts = [0, 2] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<d0, q>>) -> tensor<?x?xf32, #dhlo.dims<d0, p>>
  dlhlo.yield %3, %4 : tensor<?x?xf32, #dhlo.dims<d0, q>>, tensor<?x?xf32, #dhlo.dims<d0, p>>
}""",
        ISA,
    )
    yield
    for n in (0, 1, 3):
        for m in SIZES[1:]:
            x, y = floats(n, m), floats(n, 5)
            e = np.concatenate([np.full((n, 4), 7, np.float32), x, y], 1)[:, ::-1]
            e = (
                np.pad(e, ((0, 0), (1, 1)), mode="reflect")
                if n
                else np.zeros((0, m + 11), np.float32)
            )
            (a, b), _ = k([n, m], [x, y], [((n, m + 11), np.float32), ((n, m + 9), np.float32)])
            assert np.array_equal(a, e)
            assert np.array_equal(b, e[:, 2:])


@cases((1, 2))
def parts(rank):
    """Concatenations along the innermost axis, and of vectors, of operands of any size."""
    outer, axis = ("?x", 1) if rank == 2 else ("", 0)
    before = "d0, " if rank == 2 else ""
    x, y, z, r = (
        f"tensor<{outer}{size}xf32, #dhlo.dims<{before[:-2] if static else before + name}>>"
        if rank == 2 or not static
        else f"tensor<{size}xf32>"
        for size, name, static in (("?", "d1", 0), ("21", "", 1), ("?", "d2", 0), ("?", "s", 0))
    )
    k = Kernel(
        f"""
dlhlo.kernel @k loop {{
^bb0(%x: {x}, %y: {y}, %z: {z}, %w: {r}):
{"  dhlo.dim @d0 in [0, ?]" if rank == 2 else ""}
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  dhlo.dim @s = @d1 + @d2 + 21
  %0 = dhlo.concat %x, %y, %z axis = {axis} : ({x}, {y}, {z}) -> {r}
  %1 = dhlo.add %0, %w : {r}
  dlhlo.yield %1 : {r}
}}""",
        ISA,
    )
    yield
    for n in (0, 1, 3) if rank == 2 else (1,):
        for m, o in [(0, 0), (1, 0), (0, 5), (16, 16), (17, 3), (40, 1), (1000, 700)]:
            sizes = [(n, w) if rank == 2 else (w,) for w in (m, 21, o, m + 21 + o)]
            a, b, c, w = (floats(*size) for size in sizes)
            dims = [n, m, o] if rank == 2 else [m, o]
            (out,), _ = k(dims, [a, b, c, w], [(w.shape, np.float32)])
            assert np.array_equal(out, np.concatenate([a, b, c], axis) + w), (n, m, o)


@case
def gathers():
    k = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%t: tensor<11x40xf32>, %i: tensor<?xi64, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<11x40xf32>, tensor<?xi64, #dhlo.dims<d0>>) -> tensor<?x40xf32, #dhlo.dims<d0>>
  %1 = dhlo.gather %t, %i axis = 1 batch = 0 : (tensor<11x40xf32>, tensor<?xi64, #dhlo.dims<d0>>) -> tensor<11x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0, %1 : tensor<?x40xf32, #dhlo.dims<d0>>, tensor<11x?xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    for n in SIZES:
        t, i = floats(11, 40), rng.integers(-11, 11, n)
        (a, b), site = k([n], [t, i], [((n, 40), np.float32), ((11, n), np.float32)])
        assert np.array_equal(a, t[i]) and np.array_equal(b, t[:, i]) and site is None
    i = np.array([0, 11, 3])
    (a, b), site = k([3], [t, i], [((3, 40), np.float32), ((11, 3), np.float32)])
    assert site == 0 and np.array_equal(a[1], t[10])


@case
def empty_axis():
    k = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%t: tensor<?x40xf32, #dhlo.dims<d0>>, %i: tensor<3xi64>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<?x40xf32, #dhlo.dims<d0>>, tensor<3xi64>) -> tensor<3x40xf32>
  dlhlo.yield %0 : tensor<3x40xf32>
}""",
        ISA,
    )
    yield
    (a,), site = k([0], [floats(0, 40), np.array([0, 1, -1])], [((3, 40), np.float32)])
    assert not a.any() and site == 0


@case
def integers():
    k = Kernel(
        """
dlhlo.kernel @k loop {
^bb0(%x: tensor<?xi32, #dhlo.dims<d0>>, %y: tensor<?xi32, #dhlo.dims<d0>>, %f: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.div %x, %y : tensor<?xi32, #dhlo.dims<d0>>
  %1 = dhlo.rem %x, %y : tensor<?xi32, #dhlo.dims<d0>>
  %2 = dhlo.convert %f : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<?xi8, #dhlo.dims<d0>>
  %3 = dhlo.compare lt %x, %y : tensor<?xi32, #dhlo.dims<d0>> -> tensor<?xi1, #dhlo.dims<d0>>
  %4 = dhlo.iota axis = 0 start = [3] step = [2] : tensor<?xi64, #dhlo.dims<d0>>
  %5 = dhlo.convert %f : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<?xf16, #dhlo.dims<d0>>
  %6 = dhlo.maximum %f, %f : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0, %1, %2, %3, %4, %5 : tensor<?xi32, #dhlo.dims<d0>>, tensor<?xi32, #dhlo.dims<d0>>, tensor<?xi8, #dhlo.dims<d0>>, tensor<?xi1, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>, tensor<?xf16, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    least = np.iinfo(np.int32).min
    for n in SIZES[1:]:
        x = rng.integers(-100, 100, n).astype(np.int32)
        y = rng.integers(1, 9, n).astype(np.int32) * rng.choice([-1, 1], n).astype(np.int32)
        f = (rng.standard_normal(n) * 20).astype(np.float32)
        outs = [((n,), t) for t in (np.int32, np.int32, np.int8, np.int8, np.int64, np.float16)]
        (q, r, c, p, i, h), site = k([n], [x, y, f], outs)
        assert site is None
        assert np.array_equal(q, np.trunc(x / y).astype(np.int32)) and np.array_equal(
            r, np.fmod(x, y)
        )
        assert np.array_equal(c, f.astype(np.int8)) and np.array_equal(p, (x < y).astype(np.int8))
        assert np.array_equal(i, 3 + 2 * np.arange(n)) and np.array_equal(h, f.astype(np.float16))
    x, y = np.array([least, 5, 7], np.int32), np.array([-1, 0, 2], np.int32)
    f = np.array([np.nan, 1e9, -1e9], np.float32)
    (q, r, c, p, i, h), site = k([3], [x, y, f], [((3,), t) for _, t in outs])
    assert (
        site == 0
        and list(q) == [least, 0, 3]
        and list(r) == [0, 0, 1]
        and list(c) == [0, 127, -128]
    )


@cases((1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 20, 96), (False, True))
def transposes(channels, first):
    """Blocks in registers: square ones, short ones, what is left over; with
    operations before and behind, and a result in an operand's place."""
    x = f"tensor<?x{channels}x?x?xf32, #dhlo.dims<N, H, W>>"
    y = f"tensor<?x?x?x{channels}xf32, #dhlo.dims<N, H, W>>"
    order = "[0, 2, 3, 1]"
    if first:
        x, y, order = y, x, "[0, 3, 1, 2]"
    k = Kernel(
        f"""
dlhlo.kernel @k transpose {{
^bb0(%x: {x}, %y: {y}, %b: tensor<{channels}xf32>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.abs %x : {x}
  %1 = dhlo.transpose %0 permutation = {order} : ({x}) -> {y}
  %2 = dhlo.broadcast %b axes = [{1 if first else 3}] : (tensor<{channels}xf32>) -> {y}
  %3 = dhlo.add %1, %2 : {y}
  %4 = dhlo.sub %3, %y : {y}
  dlhlo.yield %4 : {y}
}}""",
        ISA,
    )
    yield
    for n, h, w in (
        (0, 3, 3),
        (1, 0, 4),
        (1, 1, 1),
        (2, 4, 4),
        (1, 5, 7),
        (2, 3, 11),
        (1, 37, 61),
    ):
        a, bias = floats(n, channels, h, w), floats(channels)
        c = floats(n, h, w, channels)
        if first:
            a, c = c, a
            expected = np.abs(a).transpose(0, 3, 1, 2) + bias[:, None, None] - c
        else:
            expected = np.abs(a).transpose(0, 2, 3, 1) + bias - c
        (out,), _ = k([n, h, w], [a, c, bias], [(c.shape, np.float32)])
        assert np.array_equal(out, expected), (channels, first, n, h, w)


@cases((5, 8, 16, 20))
def transposes_behind_a_row(channels):
    c = f"tensor<?x?x{channels}xf32, #dhlo.dims<N, P>>"
    k = Kernel(
        f"""
dlhlo.kernel @k transpose {{
^bb0(%x: tensor<?x{channels}x?xf32, #dhlo.dims<N, P>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @P in [0, ?]
  dhlo.dim @Q = @P + 1
  %0 = dhlo.transpose %x permutation = [0, 2, 1] : (tensor<?x{channels}x?xf32, #dhlo.dims<N, P>>) -> {c}
  %1 = dhlo.constant dense<1.0> : tensor<f32>
  %2 = dhlo.pad %0, %1 constant low = [0, 1, 0] high = [0, 0, 0] : ({c}, tensor<f32>) -> {c.replace("P", "Q")}
  dlhlo.yield %2 : {c.replace("P", "Q")}
}}""",
        ISA,
    )
    yield
    for n, p in ((1, 0), (2, 1), (1, 15), (2, 16), (3, 49)):
        a = floats(n, channels, p)
        expected = np.pad(a.transpose(0, 2, 1), ((0, 0), (1, 0), (0, 0)), constant_values=1)
        (out,), _ = k([n, p], [a], [(expected.shape, np.float32)])
        assert np.array_equal(out, expected), (channels, n, p)


@case
def transposes_of_integers():
    k = Kernel(
        """
dlhlo.kernel @k transpose {
^bb0(%x: tensor<?x?xi32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x?xi32, #dhlo.dims<d0, d1>>) -> tensor<?x?xi32, #dhlo.dims<d1, d0>>
  dlhlo.yield %0 : tensor<?x?xi32, #dhlo.dims<d1, d0>>
}""",
        ISA,
    )
    yield
    for n in SIZES:
        for m in (0, 1, 15, 16, 33, 1100):
            x = rng.integers(-9, 9, (n, m)).astype(np.int32)
            (out,), _ = k([n, m], [x], [((m, n), np.int32)])
            assert np.array_equal(out, x.T), (n, m)


for test in (
    transposes,
    transposes_behind_a_row,
    transposes_of_integers,
    bias,
    flat,
    heads,
    maybe_one,
    moves,
    parts,
    gathers,
    empty_axis,
    integers,
):
    test()

run_cases()
