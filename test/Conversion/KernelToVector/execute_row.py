# ===- execute_row.py - Row kernels against numpy --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Row kernels against numpy in float64.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, close

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
WIDTHS = [1, 2, 7, 16, 17, 64, 100, 130, 384, 509]


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


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
    for w in [0] + WIDTHS:
        x, m = floats(2, 12, 3, w), floats(2, 1, 1, w)
        (y,), _ = k([2, 3, w], [x, m], [((2, 12, 3, w), np.float32)])
        if not w:
            continue
        z = x.astype(np.float64) + m
        e = np.exp(z - z.max(-1, keepdims=True))
        close(y, e / e.sum(-1, keepdims=True), 2e-6)


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
    for w in WIDTHS:
        x, r, g, b = floats(2, 5, w), floats(2, 5, w), floats(w), floats(w)
        (s, y, z), _ = k([2, 5, w], [x, r, g, b], [((2, 5, w), np.float32)] * 3)
        assert np.array_equal(s, x + r)
        t = s.astype(np.float64)
        n = (t - t.mean(-1, keepdims=True)) / np.sqrt(t.var(-1, keepdims=True) + 1e-5)
        close(y, n * g + b, 1e-5)
        close(z, t / np.sqrt((t * t).mean(-1, keepdims=True) + 1e-5) * g, 1e-5)


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
    for w in [0] + WIDTHS:
        x = floats(9, w)
        (a, b), _ = k([9, w], [x], [((9,), np.float32)] * 2)
        close(b, np.abs(x.astype(np.float64).sum(1)), 2e-6)
        assert np.array_equal(a, x.max(1) if w else np.full(9, -np.inf, np.float32))
        x = floats(2, w, 33)
        (a, i), _ = columns([2, w, 33], [x], [((2, 33), np.float32), ((2, 33), np.int64)])
        close(a, x.astype(np.float64).sum(1), 2e-6)
        assert np.array_equal(i, x.argmax(1) if w else np.zeros((2, 33)))


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
    for n, h, w in ((1, 1, 1), (2, 7, 9), (1, 20, 77), (1, 64, 40)):
        x = floats(n, 3, h, w)
        p = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
        view = np.lib.stride_tricks.sliding_window_view(p, (3, 3), (2, 3))[:, :, ::2, ::2]
        expected = view.max((-1, -2))
        (y,), _ = k([n, h, w], [x], [(expected.shape, np.float32)])
        assert np.array_equal(y, expected)


for test in (softmax, norms, reductions, pools):
    test()
    print(test.__name__, "ok", flush=True)
