# ===- execute_narrow.py - Products of 16-bit floats against f32 -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Factors of bf16 and f16 have the bits of the same product of f32, whether the second
# one is a packed constant, rows or columns: at every height, depths that end in the
# middle of a pair, widths that fill no panel. So a row's bits are those at all heights.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, narrow

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
HEIGHTS = [*range(20), 33, 64, 131]
rng = np.random.default_rng(0)


def pack(w, group):
    """Panels of 16 columns with rows in groups."""
    depth, columns = w.shape
    groups, panels = -(-depth // group), -(-columns // 16)
    padded = np.zeros((groups * group, panels * 16), w.dtype)
    padded[:depth, :columns] = w
    return np.ascontiguousarray(padded.reshape(groups, group, panels, 16).transpose(2, 0, 3, 1))


def kernel(depth, columns, dtype, form, result="f32"):
    order = "panels16x2" if dtype == "bf16" else "panels16"
    encoding = f", #dlhlo.packed<{order}, batch = 0, rows = 1>" if form == "packed" else ""
    sizes = f"{columns}x{depth}" if form == "columns" else f"{depth}x{columns}"
    x = f"tensor<?x{depth}x{dtype}, #dhlo.dims<d0>>"
    w = f"tensor<{sizes}x{dtype}{encoding}>"
    y = f"tensor<?x{columns}x{result}, #dhlo.dims<d0>>"
    axis = 1 if form == "columns" else 0
    return Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%x: {x}, %w: {w}):
  dhlo.dim @d0 in [0, 4096]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [{axis}] : ({x}, {w}) -> {y}
  dlhlo.yield %0 : {y}
}}""",
        ISA,
    )


def check(depth, columns, dtype, form):
    wide = kernel(depth, columns, "f32", form)
    k = kernel(depth, columns, dtype, form)
    rounded = kernel(depth, columns, dtype, form, dtype)
    x, xs = narrow(rng.standard_normal((max(HEIGHTS), depth), np.float32), dtype)
    w, ws = narrow(rng.standard_normal((depth, columns), np.float32), dtype)
    if form == "packed":
        w, ws = pack(w, 2 if dtype == "bf16" else 1), pack(ws, 1)
    elif form == "columns":
        w, ws = np.ascontiguousarray(w.T), np.ascontiguousarray(ws.T)
    for rows in HEIGHTS:
        shape = (rows, columns)
        (want,), _ = wide([rows], [xs[:rows], ws], [(shape, np.float32)])
        (got,), _ = k([rows], [x[:rows], w], [(shape, np.float32)])
        where = f"{dtype} {form} {rows} x {depth} x {columns}"
        assert got.tobytes() == want.tobytes(), where
        (short,), _ = rounded([rows], [x[:rows], w], [(shape, x.dtype)])
        values = short if dtype == "f16" else (short.astype(np.uint32) << 16).view(np.float32)
        error = np.abs(values.astype(np.float32) - want) - 2.0**-25
        assert (error <= np.abs(want) * 2.0 ** (-11 if dtype == "f16" else -8)).all(), where


for dtype in ("bf16", "f16"):
    for form in ("packed", "rows", "columns"):
        for depth, columns in ((37, 50), (64, 32), (1, 1), (2, 17)):
            check(depth, columns, dtype, form)

# What is behind a row of an odd depth is never a factor, even if it is no number.
k = kernel(3, 16, "bf16", "packed")
x = np.full((4, 3), 0x3F80, np.uint16)
x[1:] = 0x7FC0
(y,), _ = k([1], [x, pack(np.full((3, 16), 0x3F80, np.uint16), 2)], [((1, 16), np.float32)])
assert (y == 3).all()
