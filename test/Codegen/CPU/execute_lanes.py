# ===- execute_lanes.py - Kernels whose lanes diverge ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Lanes in different operands of a concatenation, inside and outside of a pad, in different rows,
# with indices of their own. Interpolation and windows give the same bits along an axis of lanes
# as along another one, where an index is a scalar.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, cases, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
TYPES = {"f32": np.float32, "i8": np.int8, "f16": np.float16, "i64": np.int64}
WIDTHS = [1, 2, 3, 7, 13, 16, 17, 31, 50]


def some(dtype, *shape):
    return rng.integers(-100, 100, shape).astype(dtype)


def tensor(dims, element, names):
    return f"tensor<{dims}x{element}, #dhlo.dims<{names}>>"


def compile(arguments, lines, results, dims="d0 d1", low=0):
    """A kernel of values and types, with sizes of at least `low`."""
    text = "\n".join(
        [f"  dhlo.dim @{name} in [{low}, ?]" for name in dims.split()]
        + [f"  {line}" for line in lines]
    )
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in arguments)
    values = ", ".join(f"%{name}" for name, _ in results)
    types = ", ".join(type_ for _, type_ in results)
    return Kernel(
        f"dlhlo.kernel @k loop {{\n^bb0({arguments}):\n{text}\n  dlhlo.yield {values} : {types}\n}}",
        ISA,
    )


@cases(TYPES.items())
def concatenations(name, dtype):
    """Also of operands without elements, and behind other movements."""
    t = tensor("?x?", name, "d0, d1")
    whole = tensor("?x?", name, "d0, s")
    k = compile(
        [("x", t), ("y", tensor("?x?", name, "d0, d2")), ("z", tensor("?x3", name, "d0"))],
        [
            "dhlo.dim @s = @d1 + @d2 + 3",
            f"%0 = dhlo.concat %x, %y, %z axis = 1 : ({t}, {tensor('?x?', name, 'd0, d2')}, "
            f"{tensor('?x3', name, 'd0')}) -> {whole}",
            f"%1 = dhlo.reverse %0 axes = [1] : {whole}",
        ],
        [("0", whole), ("1", whole)],
        "d0 d1 d2",
    )
    yield
    for n in (0, 1, 5):
        for a in (0, *WIDTHS):
            for b in (0, 1, 20):
                operands = some(dtype, n, a), some(dtype, n, b), some(dtype, n, 3)
                e = np.concatenate(operands, 1)
                (u, v), _ = k([n, a, b], operands, [(e.shape, dtype)] * 2)
                assert np.array_equal(u, e) and np.array_equal(v, e[:, ::-1]), (name, n, a, b)


@cases(TYPES.items(), ("constant", "reflect", "edge", "wrap"))
def pads(name, dtype, mode):
    low, high = (5, 37) if mode == "constant" else (2, 3)
    least = 0 if mode == "constant" else 4
    t, p = tensor("?x?", name, "d0, d1"), tensor("?x?", name, "d0, p")
    three = "3.0" if dtype in (np.float32, np.float16) else "3"
    k = compile(
        [("x", t)],
        [
            f"dhlo.dim @p = @d1 + {low + high}",
            f"%c = dhlo.constant dense<{three}> : tensor<{name}>",
            f"%0 = dhlo.pad %x, %c {mode} low = [0, {low}] high = [0, {high}] : "
            f"({t}, tensor<{name}>) -> {p}",
        ],
        [("0", p)],
        low=least,
    )
    yield
    value = {"constant_values": 3} if mode == "constant" else {}
    for n in (4, 5):
        for w in [w for w in (0, *WIDTHS) if w >= least]:
            x = some(dtype, n, w)
            e = np.pad(x, ((0, 0), (low, high)), mode=mode, **value)
            (y,), _ = k([n, w], [x], [(e.shape, dtype)])
            assert np.array_equal(y, e), (name, mode, n, w)


@cases(TYPES.items())
def gathers(name, dtype):
    """By an index for each element, for each slice of a few, and for pairs."""
    t, i, r = (tensor("?x?", x, "d0, d1") for x in (name, "i64", name))
    line, index, slices = tensor("?", name, "d1"), tensor("?", "i32", "d2"), "d2, d1"
    k = compile(
        [("t", t), ("i", i), ("j", index), ("p", tensor("?x2", "i64", "d2")), ("h", i)],
        [
            f"%0 = dhlo.gather_elements %t, %i axis = 1 : ({t}, {i}) -> {r}",
            f"%1 = dhlo.gather %t, %j axis = 1 batch = 0 : ({t}, {index}) -> "
            + tensor("?x?", name, "d0, d2"),
            f"%2 = dhlo.gather %t, %j axis = 0 batch = 0 : ({t}, {index}) -> "
            + tensor("?x?", name, slices),
            "%3 = dhlo.gather_nd %t, %p batch = 0 : "
            f"({t}, {tensor('?x2', 'i64', 'd2')}) -> {tensor('?', name, 'd2')}",
            f"%4 = dhlo.gather_elements %t, %h axis = 0 : ({t}, {i}) -> {r}",
        ],
        [
            ("0", r),
            ("1", tensor("?x?", name, "d0, d2")),
            ("2", tensor("?x?", name, slices)),
            ("3", tensor("?", name, "d2")),
            ("4", r),
        ],
        "d0 d1 d2",
    )
    yield
    for n, w, m in [(60, w, m) for w in WIDTHS for m in (0, 1, 16, 40)] + [(0, 5, 20)]:
        x = some(dtype, n, w)
        i = rng.integers(-w, w, (n, w))
        least = min(n, w)
        j = rng.integers(-least, max(least, 1), m).astype(np.int32)
        p = np.stack([rng.integers(-n, max(n, 1), m), rng.integers(-w, w, m)], 1)
        h = rng.integers(-n, max(n, 1), (n, w))
        shapes = [(n, w), (n, m), (m, w), (m,), (n, w)]
        found, site = k([n, w, m], [x, i, j, p, h], [(shape, dtype) for shape in shapes])
        if n == 0:
            assert not any(y.any() for y in found) and site == 2
            continue
        expected = [np.take_along_axis(x, i, 1), x[:, j], x[j], x[p[:, 0], p[:, 1]]]
        expected.append(np.take_along_axis(x, h, 0))
        for y, e in zip(found, expected):
            assert np.array_equal(y, e), (name, n, w, m)
        assert site is None


@case
def errors():
    """Any lane may fail; it reads the nearest element."""
    t, i = tensor("?", "f32", "d0"), tensor("?", "i64", "d1")
    k = compile(
        [("t", t), ("i", i)],
        [f"%0 = dhlo.gather %t, %i axis = 0 batch = 0 : ({t}, {i}) -> {tensor('?', 'f32', 'd1')}"],
        [("0", tensor("?", "f32", "d1"))],
    )
    yield
    for lane in range(35):
        for wrong, read in ((11, 10), (-12, 0), (2**62, 10), (-(2**62), 0)):
            x, i = some(np.float32, 11), rng.integers(-11, 11, 35)
            e = x[i]
            i[lane], e[lane] = wrong, x[read]
            (y,), site = k([11, 35], [x, i], [((35,), np.float32)])
            assert site == 0 and np.array_equal(y, e), (lane, wrong)


@cases((2, 3, 5, 7, 12, 16, 17, 20, None))
def axes(inner):
    """Vectors that cross axes of any size: a gather by the same numbers of rows is behind a
    reshape, with other axes than the result's."""
    size = inner or "?"
    t = tensor(f"?x?x{size}", "f32", "d0, d1" + ("" if inner else ", d2"))
    turned = tensor(f"?x?x{size}", "f32", "d1, d0" + ("" if inner else ", d2"))
    k = compile(
        [("x", t), ("y", tensor("?", "f32", "n"))],
        [
            f"dhlo.dim @n = @d0 * @d1 * {inner or '@d2'}",
            f"%0 = dhlo.transpose %x permutation = [1, 0, 2] : ({t}) -> {turned}",
            f"%1 = dhlo.reshape %0 : ({turned}) -> {tensor('?', 'f32', 'n')}",
            f"%2 = dhlo.reverse %1 axes = [0] : {tensor('?', 'f32', 'n')}",
            f"%3 = dhlo.slice %1 starts = [0] strides = [1] : ({tensor('?', 'f32', 'n')}) -> "
            + tensor("?", "f32", "n"),
            f"%4 = dhlo.sub %2, %3 : {tensor('?', 'f32', 'n')}",
            f"%5 = dhlo.add %4, %y : {tensor('?', 'f32', 'n')}",
        ],
        [("5", tensor("?", "f32", "n"))],
        "d0 d1" + ("" if inner else " d2"),
    )
    yield
    for a, b in ((3, 5), (1, 40), (40, 1), (7, 11), (0, 3), (16, 16)):
        for c in (inner,) if inner else (1, 2, 6, 15, 16, 30):
            x, y = some(np.float32, a, b, c), some(np.float32, a * b * c)
            flat = x.transpose(1, 0, 2).ravel()
            (z,), _ = k([a, b] + ([] if inner else [c]), [x, y], [(y.shape, np.float32)])
            assert np.array_equal(z, flat[::-1] - flat + y), (inner, a, b, c)


MODES = [f"linear {coord} floor" for coord in ("half_pixel", "align_corners", "asymmetric")]
MODES += ["cubic pytorch_half_pixel floor"]
ROUNDS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
MODES += [f"nearest half_pixel {rounding}" for rounding in ROUNDS]


@cases(MODES, (("f32", np.float32), ("i8", np.int8), ("f64", np.float64)))
def resizes(mode, name, dtype):
    along, across = (
        compile(
            [("x", tensor("?x?", name, before))],
            [
                f"dhlo.dim @s = {size}",
                f"%0 = dhlo.resize {mode} %x scales = {scales} coefficient = -0.75 : "
                f"({tensor('?x?', name, before)}) -> {tensor('?x?', name, behind)}",
            ],
            [("0", tensor("?x?", name, behind))],
        )
        for before, behind, scales, size in (
            ("d0, d1", "d0, s", "[1.0, 0.0]", "3 * @d1 + 1"),
            ("d1, d0", "s, d0", "[0.0, 1.0]", "3 * @d1 + 1"),
        )
    )
    yield
    for n, w in ((1, 1), (4, 1), (3, 5), (17, 40)):
        x = (rng.standard_normal((n, w)) * 50).astype(dtype)
        (y,), _ = along([n, w], [x], [((n, 3 * w + 1), dtype)])
        (z,), _ = across([n, w], [x.T], [((3 * w + 1, n), dtype)])
        assert y.tobytes() == z.T.tobytes(), (mode, name, n, w)


@cases(("sum", "max"), ((1, 1), (2, 1), (3, 2), (5, 1)))
def windows(kind, stride, dilation):
    reach = 2 * dilation + 1
    along, across = (
        compile(
            [("x", tensor("?x?", "f32", before))],
            [
                f"dhlo.dim @s = (@d1 + 2 - {reach}) floordiv {stride} + 1",
                f"%0 = dhlo.reduce_window {kind} %x window = {window} "
                f"strides = {strides} dilations = {dilations} low = {pad} high = {pad} : "
                f"({tensor('?x?', 'f32', before)}) -> {tensor('?x?', 'f32', behind)}",
            ],
            [("0", tensor("?x?", "f32", behind))],
            low=8,
        )
        for before, behind, window, strides, dilations, pad in (
            ("d0, d1", "d0, s", "[1, 3]", f"[1, {stride}]", f"[1, {dilation}]", "[0, 1]"),
            ("d1, d0", "s, d0", "[3, 1]", f"[{stride}, 1]", f"[{dilation}, 1]", "[1, 0]"),
        )
    )
    yield
    for n, w in ((8, 8), (9, 17), (17, 33), (8, 100)):
        x = rng.standard_normal((n, w)).astype(np.float32)
        size = (w + 2 - reach) // stride + 1
        (y,), _ = along([n, w], [x], [((n, size), np.float32)])
        (z,), _ = across([n, w], [x.T], [((size, n), np.float32)])
        assert y.tobytes() == z.T.tobytes(), (kind, stride, dilation, n, w)


@cases(TYPES.items(), (2, 3, 4, 5))
def strides(name, dtype, step):
    """Elements that are a few apart, of every type."""
    t, r = tensor("?", name, "n"), tensor("?", name, "d0")
    k = compile(
        [("x", t)],
        [
            f"dhlo.dim @n = {step} * @d0",
            f"%0 = dhlo.slice %x starts = [{step - 1}] strides = [{step}] : ({t}) -> {r}",
        ],
        [("0", r)],
        "d0",
    )
    yield
    for n in (0, *WIDTHS):
        x = some(dtype, step * n)
        (y,), _ = k([n], [x], [((n,), dtype)])
        assert np.array_equal(y, x[step - 1 :: step]), (name, step, n)


@cases(TYPES.items())
def windows_of_gathers(name, dtype):
    """Indices that are computed in place: windows of a line, with the lanes along the window or
    along the line, in both directions, and lines that are shifted by their number."""
    t, i = tensor("?x?", name, "d0, w"), tensor("3x?", "i64", "d1")
    out = tensor("?x3x?", name, "d0, d1")
    j, turned = tensor("?x3", "i32", "d1"), tensor("?x?x3", name, "d0, d1")
    p, square = tensor("?x?", "i64", "d0, d1"), tensor("?x?", name, "d0, d1")
    q = tensor("?x?", name, "d0, v")
    k = compile(
        [("t", t), ("q", q)],
        [
            "dhlo.dim @w = 2 * @d1 + 4",
            "dhlo.dim @v = @d0 + @d1",
            f"%i0 = dhlo.iota axis = 0 start = [1] step = [2] : {i}",
            f"%i1 = dhlo.iota axis = 1 start = [0] step = [1] : {i}",
            f"%i = dhlo.add %i0, %i1 : {i}",
            f"%0 = dhlo.gather %t, %i axis = 1 batch = 0 : ({t}, {i}) -> {out}",
            f"%j0 = dhlo.iota axis = 0 start = [2 * @d1 - 1] step = [-2] : {j}",
            f"%j1 = dhlo.iota axis = 1 start = [0] step = [1] : {j}",
            f"%j = dhlo.add %j0, %j1 : {j}",
            f"%1 = dhlo.gather %t, %j axis = 1 batch = 0 : ({t}, {j}) -> {turned}",
            f"%p0 = dhlo.iota axis = 0 start = [@d0 - 1] step = [-1] : {p}",
            f"%p1 = dhlo.iota axis = 1 start = [0] step = [1] : {p}",
            f"%p = dhlo.add %p0, %p1 : {p}",
            f"%2 = dhlo.gather_elements %q, %p axis = 1 : ({q}, {p}) -> {square}",
            f"%r = dhlo.reverse %0 axes = [2] : {out}",
        ],
        [("0", out), ("1", turned), ("2", square), ("r", out)],
    )
    yield
    for n in (0, 1, 3, 17):
        for w in (0, *WIDTHS):
            x, y = some(dtype, n, 2 * w + 4), some(dtype, n, n + w)
            i = 1 + 2 * np.arange(3)[:, None] + np.arange(w)
            j = 2 * w - 1 - 2 * np.arange(w)[:, None] + np.arange(3)
            p = n - 1 - np.arange(n)[:, None] + np.arange(w)
            expected = [x[:, i], x[:, j], np.take_along_axis(y, p, 1), x[:, i][..., ::-1]]
            got, _ = k([n, w], [x, y], [(e.shape, dtype) for e in expected])
            for e, g in zip(expected, got):
                assert np.array_equal(g, e), (name, n, w)


for test in (
    concatenations,
    pads,
    gathers,
    windows_of_gathers,
    errors,
    axes,
    resizes,
    windows,
    strides,
):
    test()

run_cases()
