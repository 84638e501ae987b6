# ===- execute_column.py - Column kernels against numpy --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Column kernels against numpy in float64: columns of one element and of many, fewer
# columns than a vector and several items of them, and split work.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, close

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
SIZES = [(1, 1, 1), (2, 7, 5), (3, 16, 16), (1, 33, 17), (2, 5, 64), (1, 3, 131), (0, 4, 9),
         (2, 0, 9), (2, 4, 0), (1, 5000, 3), (1, 2100, 70)]  # fmt: skip


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def exact_softmax(x, axis, log=False):
    z = x.astype(np.float64)
    z = z - z.max(axis, keepdims=True)
    total = np.exp(z).sum(axis, keepdims=True)
    return z - np.log(total) if log else np.exp(z) / total


def softmax(log):
    k = Kernel(
        f"""
dlhlo.kernel @k column {{
^bb0(%x: tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>, %s: tensor<?xf32, #dhlo.dims<d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.broadcast %s axes = [2] : (tensor<?xf32, #dhlo.dims<d2>>) -> tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  %1 = dhlo.mul %x, %0 : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  %2 = dhlo.softmax %1 axis = 1 {"log" if log else ""} : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  dlhlo.yield %2 : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
}}""",
        ISA,
    )
    for sizes in SIZES:
        x, s = floats(*sizes), floats(sizes[2])
        (y,), _ = k(list(sizes), [x, s], [(sizes, np.float32)])
        if y.size:
            close(y, exact_softmax(x * s, 1, log), 4e-6)


def several_axes():
    """Columns along two axes, behind which are two that are read apart."""
    k = Kernel(
        """
dlhlo.kernel @k column {
^bb0(%x: tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>, %s: tensor<?x4xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.broadcast %s axes = [0, 3] : (tensor<?x4xf32, #dhlo.dims<d0>>) -> tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>
  %1 = dhlo.mul %x, %0 : tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>
  %2 = dhlo.reduce sum %1 axes = [1, 2] : (tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x4x?xf32, #dhlo.dims<d0, d2>>
  %3 = dhlo.broadcast %2 axes = [0, 3, 4] : (tensor<?x4x?xf32, #dhlo.dims<d0, d2>>) -> tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>
  %4 = dhlo.sub %1, %3 : tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>
  %5 = dhlo.exp %4 : tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>
  %6 = dhlo.reduce max %5 axes = [1, 2] : (tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x4x?xf32, #dhlo.dims<d0, d2>>
  %7 = dhlo.broadcast %6 axes = [0, 3, 4] : (tensor<?x4x?xf32, #dhlo.dims<d0, d2>>) -> tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>
  %8 = dhlo.sub %5, %7 : tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>
  dlhlo.yield %8, %6 : tensor<?x3x?x4x?xf32, #dhlo.dims<d0, d1, d2>>, tensor<?x4x?xf32, #dhlo.dims<d0, d2>>
}""",
        ISA,
    )
    for n, a, c in [(1, 1, 1), (2, 5, 7), (2, 3, 16), (1, 2, 67), (0, 2, 3), (2, 2, 0)]:
        x, s = floats(n, 3, a, 4, c), floats(n, 4)
        shapes = [(x.shape, np.float32), ((n, 4, c), np.float32)]
        (y, top), _ = k([n, a, c], [x, s], shapes)
        if not y.size:
            continue
        z = x.astype(np.float64) * s[:, None, None, :, None]
        z = np.exp(z - z.sum((1, 2), keepdims=True))
        close(top, z.max((1, 2)), 1e-5)
        close(y, z - z.max((1, 2), keepdims=True), 1e-5)


softmax(log=False)
softmax(log=True)
several_axes()
