# ===- execute_row.py - Row kernels against numpy --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Row kernels against numpy in float64.

import ctypes
import mmap
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, cases, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
WIDTHS = [1, 2, 7, 16, 17, 64, 100, 130, 384, 509]


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@case
def softmax():
    k = Kernel(
        """
dlhlo.kernel @k row {
^bb0(%x: tensor<?x12x?x?xf32, #dhlo.dims<d0, d1, d2>>, %m: tensor<?x1x1x?xf32, #dhlo.dims<d0, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.broadcast %m axes = [0, 1, 2, 3] : (tensor<?x1x1x?xf32, #dhlo.dims<d0, d2>>) -> tensor<?x12x?x?xf32, #dhlo.dims<d0, d1, d2>>
  %1 = dhlo.add %x, %0 : tensor<?x12x?x?xf32, #dhlo.dims<d0, d1, d2>>
  %2 = dhlo.softmax %1 axis = 3 : tensor<?x12x?x?xf32, #dhlo.dims<d0, d1, d2>>
  dlhlo.yield %2 : tensor<?x12x?x?xf32, #dhlo.dims<d0, d1, d2>>
}""",
        ISA,
    )
    yield
    for w in [0] + WIDTHS:
        x, m = floats(2, 12, 3, w), floats(2, 1, 1, w)
        (y,), _ = k([2, 3, w], [x, m], [((2, 12, 3, w), np.float32)])
        if not w:
            continue
        z = x.astype(np.float64) + m
        e = np.exp(z - z.max(-1, keepdims=True))
        close(y, e / e.sum(-1, keepdims=True), 2e-6)


@case
def joined():
    """Rows that are joined and padded, whose elements conditions find, and a sum that is kept of them."""
    k = Kernel(
        """
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?x?xf32, #dhlo.dims<d0, d2>>, %z: tensor<?x?xf32, #dhlo.dims<d0, d3>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  dhlo.dim @d3 = @d1 + @d2 + 3
  dhlo.dim @d4 = @d1 + @d2
  %v = dhlo.constant dense<2.0> : tensor<f32>
  %0 = dhlo.concat %x, %y axis = 1 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xf32, #dhlo.dims<d0, d2>>) -> tensor<?x?xf32, #dhlo.dims<d0, d4>>
  %1 = dhlo.pad %0, %v constant low = [0, 1] high = [0, 2] : (tensor<?x?xf32, #dhlo.dims<d0, d4>>, tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<d0, d3>>
  %2 = dhlo.add %1, %z : tensor<?x?xf32, #dhlo.dims<d0, d3>>
  %3 = dhlo.softmax %2 axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d3>>
  dlhlo.yield %2, %3 : tensor<?x?xf32, #dhlo.dims<d0, d3>>, tensor<?x?xf32, #dhlo.dims<d0, d3>>
}""",
        ISA,
    )
    yield
    for m, n in [(0, 0), (1, 0), (0, 7), (5, 11), (16, 45), (31, 97), (200, 181)]:
        x, y, z = floats(5, m), floats(5, n), floats(5, m + n + 3)
        shape = (5, m + n + 3)
        (s, p), _ = k([5, m, n], [x, y, z], [(shape, np.float32), (shape, np.float32)])
        a = np.pad(np.concatenate([x, y], 1), ((0, 0), (1, 2)), constant_values=2) + z
        assert (s == a).all()
        e = np.exp(a.astype(np.float64) - a.max(1, keepdims=True))
        close(p, e / e.sum(1, keepdims=True), 2e-6)


@case
def unit_axes():
    """Axes of size 1 behind a row, as those of an attention's scores over a sequence."""
    k = Kernel(
        """
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?x1x1xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?x1x1xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.reduce max %x axes = [1] : (tensor<?x?x1x1xf32, #dhlo.dims<d0, d1>>) -> tensor<?x1x1xf32, #dhlo.dims<d0>>
  dlhlo.yield %0, %1 : tensor<?x?x1x1xf32, #dhlo.dims<d0, d1>>, tensor<?x1x1xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    for w in WIDTHS:
        x = floats(5, w, 1, 1)
        (y, m), _ = k([5, w], [x], [(x.shape, np.float32), ((5, 1, 1), np.float32)])
        e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        close(y, e / e.sum(1, keepdims=True), 2e-6)
        assert np.array_equal(m, x.max(1))


def before_a_hole(x):
    """The same array at the end of a page that no page follows."""
    page = mmap.PAGESIZE
    whole = -(-x.nbytes // page) * page
    memory = np.frombuffer(mmap.mmap(-1, whole + page), np.uint8)
    libc = ctypes.CDLL(None, use_errno=True)
    address = ctypes.c_void_p(memory.ctypes.data + whole)
    assert libc.mprotect(address, ctypes.c_size_t(page), 0) == 0
    copy = memory[whole - x.nbytes : whole].view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy


@case
def every_width():
    """Widths about those where code changes, of any number of rows: a row's bits
    do not depend on the rows beside it, and nothing is read behind the last."""
    text = """
dlhlo.kernel @k row {{
^bb0(%x: tensor<?x{0}x{2}{1}>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x{0}x{2}{1}>
  dlhlo.yield %0 : tensor<?x{0}x{2}{1}>
}}"""

    def kernel(width, element="f32"):
        dims = ", #dhlo.dims<d0>" if width else ", #dhlo.dims<d0, d1>"
        return Kernel(text.format(width or "?", dims, element), ISA)

    any_width = kernel(None)
    known = {w: kernel(w) for w in (5, 17, 40, 300)}
    types = [
        (kind, kernel(None, name)) for name, kind in (("f16", np.float16), ("f64", np.float64))
    ]
    yield
    for w in [*range(1, 71), 100, 127, 128, 129, 256, 257, 384, 512, 1000, 2048, 2049, 2064]:
        x = floats(33, w) * 4
        x[3, w // 2] = -np.inf
        x[7] = -10000 - x[7]
        x[9, 0] = np.nan
        x[11] = np.float32(-3.4e38)
        x[13] = -np.inf
        z = x.astype(np.float64)
        with np.errstate(invalid="ignore"):
            e = np.exp(z - z.max(-1, keepdims=True))
        expected = e / e.sum(-1, keepdims=True)
        for k in filter(None, (any_width, known.get(w))):
            whole = None
            for n in (33, 17, 16, 15, 2, 1, 0):
                (y,), _ = k(
                    [n, w], [before_a_hole(x[:n])] if n else [x[:0]], [((n, w), np.float32)]
                )
                if whole is None:
                    whole = y
                    close(y, expected, 2e-6)
                    assert w == 1 or y[3, w // 2] == 0
                assert y.tobytes() == whole[:n].tobytes(), f"{n} rows of {w} give other bits"
    for kind, k in types:
        for w in (1, 3, 15, 16, 17, 31):
            x = (floats(5, w) * 4).astype(kind)
            (y,), _ = k([5, w], [before_a_hole(x)], [((5, w), kind)])
            e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True).astype(np.float64))
            close(y, e / e.sum(-1, keepdims=True), 1e-3 if kind is np.float16 else 1e-14)


@case
def short_rows():
    """Operands that are not contiguous, and errors, in rows shorter than a vector."""
    k = Kernel(
        """
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d1, d0>>, %i: tensor<?xi32, #dhlo.dims<d1>>, %t: tensor<7xf32>, %a: tensor<?x?xi32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x?xf32, #dhlo.dims<d1, d0>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.reverse %0 axes = [1] : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %2 = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<7xf32>, tensor<?xi32, #dhlo.dims<d1>>) -> tensor<?xf32, #dhlo.dims<d1>>
  %3 = dhlo.broadcast %2 axes = [1] : (tensor<?xf32, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %4 = dhlo.add %1, %3 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %5 = dhlo.reduce sum %4 axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  %6 = dhlo.div %a, %a : tensor<?x?xi32, #dhlo.dims<d0, d1>>
  %7 = dhlo.reduce sum %6 axes = [1] : (tensor<?x?xi32, #dhlo.dims<d0, d1>>) -> tensor<?xi32, #dhlo.dims<d0>>
  dlhlo.yield %4, %5, %7 : tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    for w in (1, 2, 5, 15, 16, 17, 20):
        x, t = floats(w, 9), floats(7)
        i = rng.integers(0, 7, w).astype(np.int32)
        a = rng.integers(1, 9, (9, w)).astype(np.int32)
        shapes = [((9, w), np.float32), ((9,), np.float32), ((9,), np.int32)]
        inputs = [before_a_hole(v) for v in (x, i, t, a)]
        (y, total, ones), site = k([9, w], inputs, shapes)
        assert site is None
        assert np.array_equal(y, x.T[:, ::-1] + t[i])
        close(total, y.astype(np.float64).sum(1), 1e-6)
        assert np.array_equal(ones, np.full(9, w))
        inputs[3][4, w - 1] = 0
        assert k([9, w], inputs, shapes, splits=(1,))[1] is not None


@cases([("f32", np.float32, 1e-6), ("f16", np.float16, 2e-3)])
def backwards(element, kind, tolerance):
    """Rows that are read from their end, in one type as computed and one that is not."""
    k = Kernel(
        f"""
dlhlo.kernel @k row {{
^bb0(%x: tensor<?x?x{element}, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.reverse %x axes = [1] : tensor<?x?x{element}, #dhlo.dims<d0, d1>>
  %1 = dhlo.softmax %0 axis = 1 : tensor<?x?x{element}, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x?x{element}, #dhlo.dims<d0, d1>>
}}""",
        ISA,
    )
    yield
    for w in (1, 4, 12, 15, 16, 17, 31, 32, 65, 300):
        x = floats(3, w).astype(kind)
        (y,), _ = k([3, w], [before_a_hole(x)], [((3, w), kind)])
        e = np.exp(x[:, ::-1].astype(np.float64))
        close(y, e / e.sum(-1, keepdims=True), tolerance)


@cases((("f32", np.float32), ("f16", np.float16)))
def runs(element, kind):
    """Groups of narrow rows that are computed as one run of memory: operands of rows, of
    columns and of neither, values of other rows, 16-bit floats, and results with an
    element a row. A row of a group has the bits that it has alone, and a NaN or an
    infinity stays in its row."""
    text = """
dlhlo.kernel @k row {{
^bb0(%x: tensor<?x?x{0}, #dhlo.dims<d0, d1>>, %g: tensor<?xf32, #dhlo.dims<d1>>, %a: tensor<?xf32, #dhlo.dims<d0>>, %c: tensor<f32>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [1, ?]
  %w = dhlo.convert %x : (tensor<?x?x{0}, #dhlo.dims<d0, d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %0 = dhlo.broadcast %a axes = [0] : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %2 = dhlo.mul %w, %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %3 = dhlo.add %2, %1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %4 = dhlo.layer_norm %3, %g, %g axis = 1 eps = 1.0e-5 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?xf32, #dhlo.dims<d1>>, tensor<?xf32, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %5 = dhlo.softmax %3 axis = 1 log : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %6 = dhlo.rms_norm %w, %g axis = 1 eps = 1.0e-5 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?xf32, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %7 = dhlo.convert %6 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x{0}, #dhlo.dims<d0, d1>>
  %8 = dhlo.reduce max %w axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  %9 = dhlo.reduce sum %3 axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %4, %5, %7, %8, %9 : tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?x{0}, #dhlo.dims<d0, d1>>, tensor<?xf32, #dhlo.dims<d0>>, tensor<?xf32, #dhlo.dims<d0>>
}}"""
    k = Kernel(text.format(element), ISA)
    yield
    for w in [*range(1, 71), 100] if kind is np.float32 else (1, 15, 17, 33, 64):
        rows = 40
        x, g, a, c = floats(rows, w).astype(kind), floats(w), floats(rows), floats()
        x[3, w // 2] = np.nan
        x[18, 0] = np.inf
        x[20, w - 1] = -np.inf

        def run(begin, end):
            inputs = [x[begin:end].copy(), g, a[begin:end].copy(), c]
            full, part = (end - begin, w), (end - begin,)
            shapes = [(full, np.float32)] * 2 + [(full, kind)] + [(part, np.float32)] * 2
            return k([end - begin, w], [before_a_hole(i) for i in inputs], shapes)[0]

        whole = run(0, rows)
        ends = (1, 15, 16, 17, 32, 39) if w in (5, 17, 40) else (16,)
        for begin, end in [(0, n) for n in ends] + [(i, i + 1) for i in (3, 4, 18, 19, 20)]:
            for one, other in zip(run(begin, end), whole):
                same = one.tobytes() == other[begin:end].tobytes()
                assert same, f"rows {begin} to {end} of {w} columns"
        fine = np.ones(rows, bool)
        fine[[3, 18, 20]] = False
        z = x.astype(np.float64)[fine]
        y = z * a[fine, None] + c
        norm = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
        top = y.max(-1, keepdims=True)
        log = y - top - np.log(np.exp(y - top).sum(-1, keepdims=True))
        root = np.sqrt((z * z).mean(-1, keepdims=True) + 1e-5)
        expected = norm * g + g, log, z / root * g, z.max(-1), y.sum(-1)
        for got, want, limit in zip(whole, expected, (2e-3, 1e-5, 1e-3, 0, 1e-4)):
            close(got[fine], want, 1e-2 if kind is np.float16 else max(limit, 1e-7))
        assert np.isnan(whole[1][3]).all() and whole[3][18] == np.inf


@case
def other_rows():
    """Reduced values that are asked for at other rows."""
    k = Kernel(
        """
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [1, ?]
  %0 = dhlo.reduce max %x axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  %1 = dhlo.reverse %0 axes = [0] : tensor<?xf32, #dhlo.dims<d0>>
  %2 = dhlo.broadcast %1 axes = [0] : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %3 = dhlo.sub %x, %2 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %4 = dhlo.reduce max %3 axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %3, %4 : tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    for w in (1, 7, 17, 33):
        x = floats(37, w)
        (y, top), _ = k([37, w], [x], [((37, w), np.float32), ((37,), np.float32)])
        assert np.array_equal(y, x - x.max(1)[::-1, None])
        assert np.array_equal(top, y.max(1))


@case
def norms():
    k = Kernel(
        """
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>, %r: tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>, %g: tensor<?xf32, #dhlo.dims<d2>>, %b: tensor<?xf32, #dhlo.dims<d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [1, ?]
  %0 = dhlo.add %x, %r : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  %1 = dhlo.layer_norm %0, %g, %b axis = 2 eps = 1.0e-5 : (tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>, tensor<?xf32, #dhlo.dims<d2>>, tensor<?xf32, #dhlo.dims<d2>>) -> tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  %2 = dhlo.rms_norm %0, %g axis = 2 eps = 1.0e-5 : (tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>, tensor<?xf32, #dhlo.dims<d2>>) -> tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  dlhlo.yield %0, %1, %2 : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>, tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>, tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
}""",
        ISA,
    )
    yield
    for w in WIDTHS:
        x, r, g, b = floats(2, 5, w), floats(2, 5, w), floats(w), floats(w)
        (s, y, z), _ = k([2, 5, w], [x, r, g, b], [((2, 5, w), np.float32)] * 3)
        assert np.array_equal(s, x + r)
        t = s.astype(np.float64)
        n = (t - t.mean(-1, keepdims=True)) / np.sqrt(t.var(-1, keepdims=True) + 1e-5)
        close(y, n * g + b, 1e-5)
        close(z, t / np.sqrt((t * t).mean(-1, keepdims=True) + 1e-5) * g, 1e-5)


@case
def reductions():
    k = Kernel(
        """
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  %1 = dhlo.reduce max %x axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  %2 = dhlo.abs %0 : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %1, %2 : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    columns = Kernel(
        """
dlhlo.kernel @k column {
^bb0(%x: tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x?xf32, #dhlo.dims<d0, d2>>
  %1 = dhlo.arg_reduce max %x axis = 1 : (tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x?xi64, #dhlo.dims<d0, d2>>
  dlhlo.yield %0, %1 : tensor<?x?xf32, #dhlo.dims<d0, d2>>, tensor<?x?xi64, #dhlo.dims<d0, d2>>
}""",
        ISA,
    )
    yield
    for w in [0] + WIDTHS:
        x = floats(9, w)
        (a, b), _ = k([9, w], [x], [((9,), np.float32)] * 2)
        close(b, np.abs(x.astype(np.float64).sum(1)), 2e-6)
        assert np.array_equal(a, x.max(1) if w else np.full(9, -np.inf, np.float32))
        x = floats(2, w, 33)
        (a, i), _ = columns([2, w, 33], [x], [((2, 33), np.float32), ((2, 33), np.int64)])
        close(a, x.astype(np.float64).sum(1), 2e-6)
        assert np.array_equal(i, x.argmax(1) if w else np.zeros((2, 33)))


@case
def pools():
    k = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<?x3x?x?xf32, #dhlo.dims<d0, d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [1, ?]
  dhlo.dim @d2 in [1, ?]
  dhlo.dim @h = (@d1 - 1) floordiv 2 + 1
  dhlo.dim @w = (@d2 - 1) floordiv 2 + 1
  %0 = dhlo.reduce_window max %x window = [1, 1, 3, 3] strides = [1, 1, 2, 2] dilations = [1, 1, 1, 1] low = [0, 0, 1, 1] high = [0, 0, 1, 1]
      : (tensor<?x3x?x?xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x3x?x?xf32, #dhlo.dims<d0, h, w>>
  dlhlo.yield %0 : tensor<?x3x?x?xf32, #dhlo.dims<d0, h, w>>
}""",
        ISA,
    )
    yield
    for n, h, w in ((1, 1, 1), (2, 7, 9), (1, 20, 77), (1, 64, 40)):
        x = floats(n, 3, h, w)
        p = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
        view = np.lib.stride_tricks.sliding_window_view(p, (3, 3), (2, 3))[:, :, ::2, ::2]
        expected = view.max((-1, -2))
        (y,), _ = k([n, h, w], [x], [(expected.shape, np.float32)])
        assert np.array_equal(y, expected)


for test in (
    softmax,
    unit_axes,
    every_width,
    short_rows,
    backwards,
    runs,
    other_rows,
    norms,
    reductions,
    pools,
):
    test()

run_cases()
