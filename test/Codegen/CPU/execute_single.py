# ===- execute_single.py - Single kernels against numpy --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Operations with schedules of their own, against numpy.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, cases, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
SIZES = [1, 2, 3, 16, 17, 64, 100, 509]


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@case
def order():
    sort = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<?x?x3xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %v, %i = dhlo.sort %x axis = 1 : tensor<?x?x3xf32, #dhlo.dims<d0, d1>>, tensor<?x?x3xi64, #dhlo.dims<d0, d1>>
  dlhlo.yield %v, %i : tensor<?x?x3xf32, #dhlo.dims<d0, d1>>, tensor<?x?x3xi64, #dhlo.dims<d0, d1>>
}""",
        ISA,
    )
    top = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [5, ?]
  %v, %i = dhlo.top_k %x axis = 1 largest : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> (tensor<?x5xf32, #dhlo.dims<d0>>, tensor<?x5xi64, #dhlo.dims<d0>>)
  dlhlo.yield %v, %i : tensor<?x5xf32, #dhlo.dims<d0>>, tensor<?x5xi64, #dhlo.dims<d0>>
}""",
        ISA,
    )
    running = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<?x?x3xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %v = dhlo.cumulative sum %x axis = 1 exclusive reverse : tensor<?x?x3xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %v : tensor<?x?x3xf32, #dhlo.dims<d0, d1>>
}""",
        ISA,
    )
    yield
    for n in [0] + SIZES:
        x = floats(2, n, 3).round(1)
        if n > 3:
            x[0, 1, 0] = np.nan
        (v, i), _ = sort([2, n], [x], [(x.shape, np.float32), (x.shape, np.int64)])
        assert np.array_equal(i, np.argsort(x, 1, kind="stable"))
        assert np.array_equal(v, np.take_along_axis(x, i, 1), equal_nan=True)
        x = floats(2, n, 3)
        (v,), _ = running([2, n], [x], [(x.shape, np.float32)])
        if n:
            close(v, x.astype(float)[:, ::-1].cumsum(1)[:, ::-1] - x, 1e-5)
        if n >= 5:
            x = floats(4, n).round(1)
            (v, i), _ = top([4, n], [x], [((4, 5), np.float32), ((4, 5), np.int64)])
            expected = np.argsort(-x, 1, kind="stable")[:, :5]
            assert np.array_equal(i, expected) and np.array_equal(
                v, np.take_along_axis(x, expected, 1)
            )


@case
def scatters():
    nd = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<7x?xf32, #dhlo.dims<d0>>, %i: tensor<?x1xi64, #dhlo.dims<d1>>, %u: tensor<?x?xf32, #dhlo.dims<d1, d0>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<7x?xf32, #dhlo.dims<d0>>, tensor<?x1xi64, #dhlo.dims<d1>>, tensor<?x?xf32, #dhlo.dims<d1, d0>>) -> tensor<7x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<7x?xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    elements = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<?x8xf32, #dhlo.dims<d0>>, %i: tensor<?x2xi64, #dhlo.dims<d0>>, %u: tensor<?x2xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.scatter_elements %x, %i, %u replace axis = 1 : (tensor<?x8xf32, #dhlo.dims<d0>>, tensor<?x2xi64, #dhlo.dims<d0>>, tensor<?x2xf32, #dhlo.dims<d0>>) -> tensor<?x8xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    columns = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<9x?xf32, #dhlo.dims<d0>>, %i: tensor<?x?xi64, #dhlo.dims<d1, d2>>, %u: tensor<?x?xf32, #dhlo.dims<d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.scatter_elements %x, %i, %u add axis = 0 : (tensor<9x?xf32, #dhlo.dims<d0>>, tensor<?x?xi64, #dhlo.dims<d1, d2>>, tensor<?x?xf32, #dhlo.dims<d1, d2>>) -> tensor<9x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<9x?xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    for n in [0] + SIZES + [3000]:
        for m in (0, 1, 5):
            x, u, i = floats(7, n), floats(m, n), rng.integers(-7, 7, (m, 1))
            expected = x.copy()
            np.add.at(expected, i[:, 0], u)
            (y,), site = nd([n, m], [x, i, u], [(x.shape, np.float32)])
            assert np.array_equal(y, expected) and site is None
    i[1] = 7
    assert nd([n, m], [x, i, u], [(x.shape, np.float32)])[1] == 0
    for n in SIZES + [200]:
        x, u, i = floats(n, 8), floats(n, 2), rng.integers(-8, 8, (n, 2))
        expected = x.copy()
        for r in range(n):
            for c in range(2):
                expected[r, i[r, c]] = u[r, c]
        (y,), _ = elements([n], [x, i, u], [(x.shape, np.float32)])
        assert np.array_equal(y, expected)
    points = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<7x?xf32, #dhlo.dims<d0>>, %i: tensor<?x2xi64, #dhlo.dims<d1>>, %u: tensor<?xf32, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u max : (tensor<7x?xf32, #dhlo.dims<d0>>, tensor<?x2xi64, #dhlo.dims<d1>>, tensor<?xf32, #dhlo.dims<d1>>) -> tensor<7x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<7x?xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    for n, m in ((0, 0), (1, 3), (13, 0), (37, 20), (300, 41)):
        x, u = floats(7, n), floats(m)
        i = np.stack([rng.integers(-7, 7, m), rng.integers(0, max(n, 1), m)], axis=1)
        expected = x.copy()
        np.maximum.at(expected, (i[:, 0], i[:, 1]), u)
        (y,), site = points([n, m], [x, i, u], [(x.shape, np.float32)])
        assert np.array_equal(y, expected) and site is None
    # Parts of the columns, of which the last have no updates.
    for n, wide in ((1, 1), (64, 64), (65, 200), (130, 131), (0, 70)):
        x, u, i = floats(9, wide), floats(4, n), rng.integers(-9, 9, (4, n))
        expected = x.copy()
        for r in range(4):
            for c in range(n):
                expected[i[r, c], c] += u[r, c]
        (y,), site = columns([wide, 4, n], [x, i, u], [(x.shape, np.float32)])
        assert np.array_equal(y, expected) and site is None


@case
def resizes():
    nearest = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<?x3x?x?xf32, #dhlo.dims<d0, d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [1, ?]
  dhlo.dim @d2 in [1, ?]
  dhlo.dim @h = 2 * @d1
  dhlo.dim @w = 2 * @d2
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.0, 1.0, 2.0, 2.0] coefficient = -0.75 : (tensor<?x3x?x?xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x3x?x?xf32, #dhlo.dims<d0, h, w>>
  dlhlo.yield %0 : tensor<?x3x?x?xf32, #dhlo.dims<d0, h, w>>
}""",
        ISA,
    )
    linear = Kernel(
        """
dlhlo.kernel @k single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [1, ?]
  dhlo.dim @d1 in [1, ?]
  dhlo.dim @w = 3 * @d1
  %0 = dhlo.resize linear half_pixel floor %x scales = [1.0, 3.0] coefficient = -0.75 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, w>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, w>>
}""",
        ISA,
    )
    yield
    for n, h, w in ((1, 1, 1), (2, 5, 20), (1, 17, 33)):
        x = floats(n, 3, h, w)
        (y,), _ = nearest([n, h, w], [x], [((n, 3, 2 * h, 2 * w), np.float32)])
        assert np.array_equal(y, x.repeat(2, 2).repeat(2, 3))
        x = floats(h, w)
        at = (np.arange(3 * w) + 0.5) / 3 - 0.5
        (y,), _ = linear([h, w], [x], [((h, 3 * w), np.float32)])
        close(y, np.stack([np.interp(at, np.arange(w), row) for row in x]), 1e-5)


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [p1 >> 32 ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, p0 >> 32 ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


@case
def random():
    k = Kernel(
        """
dlhlo.kernel @k single {
^bb0:
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<?xf32, #dhlo.dims<d0>>
  %1 = dhlo.rng normal low = 2.0 high = 3.0 stream = 4 : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0, %1 : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xf32, #dhlo.dims<d0>>
}""",
        ISA,
    )
    yield
    seed = 0x123456789ABCDEF0
    for n in (1, 37, 4000):
        (u, z), _ = k([n], [], [((n,), np.float32)] * 2, seed=seed)
        words = [
            philox((i // 4, 0, 3, 0), (seed & 0xFFFFFFFF, seed >> 32))[i % 4] for i in range(n)
        ]
        assert np.array_equal(u, np.array([w >> 8 for w in words], np.float32) * np.float32(2**-24))
    assert abs(z.mean() - 2) < 0.2 and abs(z.std() - 3) < 0.2


@cases([(20, "f32", 0), (3, "f32", 0), (16, "f32", 1), (20, "f64", 0)])
def lstm(H, element, packed):
    """Hidden sizes that fill panels and that do not, and weights in the order of micro-kernels and
    as they are."""
    sigmoid = lambda x: 1 / (1 + np.exp(-x))
    dtype = np.float32 if element == "f32" else np.float64
    encoding = ", #dlhlo.packed<panels16, batch = 1, rows = 1>" if packed else ""
    gates = f"tensor<?x?x2x{4 * H}x{element}, #dhlo.dims<T, B>>"
    weights = f"tensor<2x{H}x{4 * H}x{element}{encoding}>"
    hiddens = f"tensor<?x2x?x{H}x{element}, #dhlo.dims<T, B>>"
    state = f"tensor<2x?x{H}x{element}, #dhlo.dims<B>>"
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%g: {gates}, %r: {weights}, %h0: {state}, %l: tensor<?xi32, #dhlo.dims<B>>):
  dhlo.dim @T in [0, ?]
  dhlo.dim @B in [0, ?]
  %y, %h, %c = dhlo.lstm bidirectional %g, %r hidden %h0 lengths %l
      : ({gates}, {weights}, {state}, tensor<?xi32, #dhlo.dims<B>>) -> ({hiddens}, {state}, {state})
  dlhlo.yield %y, %h, %c : {hiddens}, {state}, {state}
}}""",
        ISA,
    )
    yield
    for T, B in ((1, 1), (5, 3), (12, 2), (0, 2), (4, 31)):
        g, r = floats(T, B, 2, 4 * H).astype(dtype), floats(2, H, 4 * H).astype(dtype) / 4
        first = floats(2, B, H).astype(dtype)
        lengths = rng.integers(0, T + 1, B).astype(np.int32)
        ey, eh, ec = np.zeros((T, 2, B, H)), np.zeros((2, B, H)), np.zeros((2, B, H))
        for d in range(2):
            for n in range(B):
                h, c = first[d, n].astype(float), np.zeros(H)
                for s in range(lengths[n]):
                    t = lengths[n] - 1 - s if d else s
                    i, o, f, new = np.split(g[t, n, d] + h @ r[d].astype(float), 4)
                    c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
                    h = sigmoid(o) * np.tanh(c)
                    ey[t, d, n] = h
                eh[d, n], ec[d, n] = h, c
        given = r
        if packed:
            given = r.reshape(2, H, 4 * H // 16, 16).transpose(0, 2, 1, 3).copy()
        (y, h, c), _ = k(
            [T, B],
            [g, given, first, lengths],
            [(ey.shape, dtype), (eh.shape, dtype), (ec.shape, dtype)],
        )
        close(y, ey, 1e-5)
        close(h, eh, 1e-5)
        close(c, ec, 1e-5)
        # A row does not see the others.
        if B == 3:
            (alone, _, _), _ = k(
                [T, 1],
                [g[:, 1:2].copy(), given, first[:, 1:2].copy(), lengths[1:2]],
                [((T, 2, 1, H), dtype)] + [((2, 1, H), dtype)] * 2,
            )
            assert np.array_equal(alone[:, :, 0], y[:, :, 1])


def check_nonzero(x, dims, k):
    rows, rank = x.size, x.ndim
    (i, n), _ = k(dims, [x], [((rows, rank), np.int64), ((), np.int64)])
    expected = np.argwhere(x) if rank else np.zeros((int(x != 0), 0))
    assert n == len(expected), (x.shape, n)
    assert np.array_equal(i[: len(expected)], expected), x.shape


NONZERO = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i1": np.bool_,
    "i8": np.int8,
    "i64": np.int64,
    "ui16": np.uint16,
}


@cases(NONZERO.items())
def nonzero(name, dtype):
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: tensor<?x?x3x{name}, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @n = 3 * @d0 * @d1
  %i, %n = dlhlo.find_nonzero %x : (tensor<?x?x3x{name}, #dhlo.dims<d0, d1>>) -> (tensor<?x3xi64, #dhlo.dims<n>>, tensor<i64>)
  dlhlo.yield %i, %n : tensor<?x3xi64, #dhlo.dims<n>>, tensor<i64>
}}""",
        ISA,
    )
    yield
    for a, b in ((0, 4), (1, 0), (1, 1), (2, 5), (7, 100), (17, 509)):
        for share in (0, 0.01, 0.5, 1):
            check_nonzero((rng.random((a, b, 3)) < share).astype(dtype) * dtype(3), [a, b], k)


@cases((0, 1, 2, 4))
def nonzero_of_rank(rank):
    """Every rank; a value that another operation of the kernel computes."""
    size = 5**rank
    sizes = "5x" * rank
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: tensor<{sizes}f32>):
  %0 = dhlo.abs %x : tensor<{sizes}f32>
  %i, %n = dlhlo.find_nonzero %0 : (tensor<{sizes}f32>) -> (tensor<{size}x{rank}xi64>, tensor<i64>)
  dlhlo.yield %i, %n : tensor<{size}x{rank}xi64>, tensor<i64>
}}""",
        ISA,
    )
    yield
    for value in (0, -0.0, 1, np.nan, np.inf):
        check_nonzero(np.full((5,) * rank, value, np.float32), [], k)
    check_nonzero((floats(*(5,) * rank) > 0).astype(np.float32).reshape((5,) * rank), [], k)


for test in (order, scatters, nonzero, nonzero_of_rank, resizes, random, lstm):
    test()

run_cases()
