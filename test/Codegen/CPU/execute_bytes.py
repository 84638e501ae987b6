# ===- execute_bytes.py - GEMM of bytes against numpy ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# ui8 by i8, packed or not, to i32 is exact at every instruction set: heights that take
# each micro-kernel, depths that fill no group and widths that fill no panel, sums
# that instructions which saturate would get wrong.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)


def pack(w):
    """The order of #dlhlo.packed<panels16x4, batch = 0, rows = 1>."""
    depth, columns = w.shape
    groups, panels = -(-depth // 4), -(-columns // 16)
    padded = np.zeros((groups * 4, panels * 16), w.dtype)
    padded[:depth, :columns] = w
    return np.ascontiguousarray(padded.reshape(groups, 4, panels, 16).transpose(2, 0, 3, 1))


def kernel(depth, columns, then=None):
    x = f"tensor<?x{depth}xui8, #dhlo.dims<d0>>"
    w = f"tensor<{depth}x{columns}xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>"
    y = f"tensor<?x{columns}xi32, #dhlo.dims<d0>>"
    z = then or "dlhlo.yield %0 : {y}"
    return Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%x: {x}, %w: {w}, %b: tensor<{columns}xf32>):
  dhlo.dim @d0 in [0, 4096]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : ({x}, {w}) -> {y}
  {z.format(y=y, f=y.replace("i32", "f32"), b=f"tensor<{columns}xf32>")}
}}""",
        ISA,
    )


def bytes_of(rows, depth, columns):
    """Random bytes; the first row and column are the extremes."""
    x = rng.integers(0, 256, (rows, depth)).astype(np.uint8)
    w = rng.integers(-128, 128, (depth, columns)).astype(np.int8)
    if rows:
        x[0] = 255
    if columns:
        w[:, 0] = -128
        w[:, -1] = 127
    return x, w


@case
def check(depth, columns, heights):
    k = kernel(depth, columns)
    yield
    x, w = bytes_of(max(heights), depth, columns)
    want = x.astype(np.int64) @ w.astype(np.int64)
    bias = np.zeros(columns, np.float32)
    for rows in heights:
        (y,), _ = k([rows], [x[:rows], pack(w), bias], [((rows, columns), np.int32)])
        assert np.array_equal(y, want[:rows]), f"{rows} x {depth} x {columns}"


for depth, columns in ((37, 50), (64, 96), (5, 1), (1, 17), (130, 33), (66, 80), (512, 64)):
    check(depth, columns, list(range(71)) + [200])


@case
def check_unpacked(left, right, extents):
    """Batches of an RHS that is no constant, in any order of axes and of any size."""
    x = f"tensor<2x?x?xui8, #dhlo.dims<{'d0, d1' if left == 2 else 'd1, d0'}>>"
    w = f"tensor<2x?x?xi8, #dhlo.dims<{'d1, d2' if right == 1 else 'd2, d1'}>>"
    y = "tensor<2x?x?xi32, #dhlo.dims<d0, d2>>"
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%x: {x}, %w: {w}):
  dhlo.dim @d0 in [0, 4096]
  dhlo.dim @d1 in [0, 4096]
  dhlo.dim @d2 in [0, 4096]
  %0 = dhlo.dot_general %x, %w batch = 1 lhs_contract = [{left}] rhs_contract = [{right}]
      : ({x}, {w}) -> {y}
  dlhlo.yield %0 : {y}
}}""",
        ISA,
    )
    yield
    for rows, depth, columns in extents:
        xs, ws = zip(*(bytes_of(rows, depth, columns) for _ in range(2)), strict=True)
        want = np.matmul(np.int32(xs), np.int32(ws))
        a = np.ascontiguousarray(xs if left == 2 else np.swapaxes(xs, 1, 2))
        b = np.ascontiguousarray(ws if right == 1 else np.swapaxes(ws, 1, 2))
        (got,), _ = k([rows, depth, columns], [a, b], [((2, rows, columns), np.int32)])
        assert np.array_equal(got, want), f"{rows} x {depth} x {columns}, {left} {right}"


SIZES = [(1, 1, 1), (3, 7, 16), (17, 4, 31), (5, 66, 1), (13, 37, 50), (40, 130, 33)]
SIZES += [(0, 5, 3), (2, 0, 5), (2, 5, 0)]
for left in (1, 2):
    for right in (1, 2):
        check_unpacked(left, right, SIZES)

# The epilogue works on results in registers.
k = kernel(
    24,
    40,
    """%1 = dhlo.convert %0 : ({y}) -> {f}
  %2 = dhlo.broadcast %b axes = [1] : ({b}) -> {f}
  %3 = dhlo.mul %1, %2 : {f}
  dlhlo.yield %3 : {f}""",
)
x, w = bytes_of(33, 24, 40)
scale = rng.standard_normal(40).astype(np.float32)
for rows in (1, 5, 33):
    (y,), _ = k([rows], [x[:rows], pack(w), scale], [((rows, 40), np.float32)])
    want = (x[:rows].astype(np.int32) @ w.astype(np.int32)).astype(np.float32) * scale
    assert np.array_equal(y, want), f"{rows} rows"

# Sums wrap.
k = kernel(70000, 16)
x, w = np.full((3, 70000), 255, np.uint8), np.full((70000, 16), -128, np.int8)
(y,), _ = k([3], [x, pack(w), np.zeros(16, np.float32)], [((3, 16), np.int32)], splits=(1,))
assert (y == np.int64(-255 * 128 * 70000).astype(np.int32)).all()

run_cases()
