# ===- execute_narrow.py - GEMM of 16-bit floats against f32 ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Factors of bf16 and f16 have the bits of the same GEMM of f32, whether the second
# one is a packed constant, rows or columns: at every height, depths that end in the
# middle of a pair, widths that fill no panel. So a row's bits are those at all heights.
# With an instruction for pairs of bf16 they are still that, though other bits.

import functools
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, narrow, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
# Whether there is such an instruction.
HAS_PAIRS = ISA in ("v4-bf16", "v4-amx")
HEIGHTS = [*range(20), 33, 64, 131]
rng = np.random.default_rng(0)


def pairs(dtype, depth):
    """Whether factors go to such an instruction: one of tiles takes full steps alone."""
    return dtype == "bf16" and (ISA == "v4-bf16" or (ISA == "v4-amx" and depth % 32 == 0))


def pack(w, group):
    """Panels of 16 columns with rows in groups."""
    depth, columns = w.shape
    groups, panels = -(-depth // group), -(-columns // 16)
    padded = np.zeros((groups * group, panels * 16), w.dtype)
    padded[:depth, :columns] = w
    return np.ascontiguousarray(padded.reshape(groups, group, panels, 16).transpose(2, 0, 3, 1))


@functools.cache
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


@case
def check(depth, columns, dtype, form):
    wide = kernel(depth, columns, "f32", form)
    k = kernel(depth, columns, dtype, form)
    rounded = kernel(depth, columns, dtype, form, dtype)
    yield
    x, xs = narrow(rng.standard_normal((max(HEIGHTS), depth), np.float32), dtype)
    w, ws = narrow(rng.standard_normal((depth, columns), np.float32), dtype)
    exact = ws.astype(np.float64)
    if form == "packed":
        w, ws = pack(w, 2 if dtype == "bf16" else 1), pack(ws, 1)
    elif form == "columns":
        w, ws = np.ascontiguousarray(w.T), np.ascontiguousarray(ws.T)
    every = None
    for rows in reversed(HEIGHTS):
        shape = (rows, columns)
        (want,), _ = wide([rows], [xs[:rows], ws], [(shape, np.float32)])
        (got,), _ = k([rows], [x[:rows], w], [(shape, np.float32)])
        where = f"{dtype} {form} {rows} x {depth} x {columns}"
        if dtype == "bf16" and HAS_PAIRS:
            every = got if every is None else every
            assert got.tobytes() == every[:rows].tobytes(), where
            if rows:
                close(got, xs[:rows].astype(np.float64) @ exact, 1e-6)
        else:
            assert got.tobytes() == want.tobytes(), where
        (short,), _ = rounded([rows], [x[:rows], w], [(shape, x.dtype)])
        values = short if dtype == "f16" else (short.astype(np.uint32) << 16).view(np.float32)
        error = np.abs(values.astype(np.float32) - got) - 2.0**-25
        assert (error <= np.abs(got) * 2.0 ** (-11 if dtype == "f16" else -8)).all(), where


@case
def row_after_nan():
    """Memory after a row of odd K is never an operand, even if it is NaN."""
    k = kernel(3, 16, "bf16", "packed")
    yield
    x = np.full((4, 3), 0x3F80, np.uint16)
    x[1:] = 0x7FC0
    w = pack(np.full((3, 16), 0x3F80, np.uint16), 2)
    (y,), _ = k([1], [x, w], [((1, 16), np.float32)])
    assert (y == 3).all()


@case
def infinities(depth):
    """Infinite factors are no NaN, whatever fills up the last step, and zeros of A are."""
    kernels = [kernel(depth, 17, "bf16", form) for form in ("packed", "rows", "columns")]
    yield
    w = rng.standard_normal((depth, 17)).astype(np.float32)
    w[rng.integers(0, depth, 17), np.arange(17)] = np.inf
    w[-1, 3] = -np.inf
    x = np.abs(rng.standard_normal((20, depth)).astype(np.float32)) + 1
    x[7] = 0
    (x, xs), (w, ws) = narrow(x, "bf16"), narrow(w, "bf16")
    with np.errstate(invalid="ignore"):
        want = xs.astype(np.float64) @ ws
    for k, given in zip(kernels, (pack(w, 2), w, w.T)):
        (y,), _ = k([20], [x, given], [((20, 17), np.float32)])
        assert np.array_equal(y, want, equal_nan=True), depth
        assert np.isnan(y[7]).all() and np.isinf(np.delete(y, 7, 0)[:, :3]).all()


@case
def denormals(depth):
    """They are zeros where the instruction takes them for such, and factors elsewhere."""
    k = kernel(depth, 16, "bf16", "packed")
    yield
    x, w = np.full((2, depth), 0x4E80, np.uint16), np.full((depth, 16), 0x4000, np.uint16)
    x[1] = 0x0040  # 2^-127
    (y,), _ = k([2], [x, pack(w, 2)], [((2, 16), np.float32)])
    assert (y[0] == depth * 2.0**31).all()
    assert (y[1] == (0 if pairs("bf16", depth) else depth * 2.0**-126)).all()


@case
def computed_rows(dtype, depth):
    """Rows that the kernel computes have the bits of the same rows of f32 in memory: they are
    rounded for an instruction for pairs alone."""
    order = "panels16x2" if dtype == "bf16" else "panels16"
    x = f"tensor<?x{depth // 2}x{dtype}, #dhlo.dims<d0>>"
    c = f"tensor<?x{depth}x{dtype}, #dhlo.dims<d0>>"
    w = f"tensor<{depth}x50x{dtype}, #dlhlo.packed<{order}, batch = 0, rows = 1>>"
    y = "tensor<?x50xf32, #dhlo.dims<d0>>"
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%x: {x}, %z: {x}, %w: {w}):
  dhlo.dim @d0 in [0, 4096]
  %0 = dhlo.add %x, %z : {x}
  %1 = dhlo.concat %z, %0 axis = 1 : ({x}, {x}) -> {c}
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : ({c}, {w}) -> {y}
  dlhlo.yield %2 : {y}
}}""",
        ISA,
    )
    rounds = pairs(dtype, depth)
    plain = kernel(depth, 50, dtype if rounds else "f32", "packed")
    yield
    halves = rng.standard_normal((2, 140, depth // 2), np.float32)
    (x, xs), (z, zs) = (narrow(half, dtype) for half in halves)
    both = np.concatenate([zs, xs + zs], axis=1)
    w, ws = narrow(rng.standard_normal((depth, 50), np.float32), dtype)
    w = pack(w, 2 if dtype == "bf16" else 1)
    given = [narrow(both, dtype)[0], w] if rounds else [both, pack(ws, 1)]
    for rows in (0, 1, 3, 17, 140):
        shape = [((rows, 50), np.float32)]
        (got,), _ = k([rows], [x[:rows], z[:rows], w], shape)
        (want,), _ = plain([rows], [given[0][:rows], given[1]], shape)
        assert got.tobytes() == want.tobytes(), f"{dtype} {rows} x {depth} computed rows"


for dtype in ("bf16", "f16"):
    for form in ("packed", "rows", "columns"):
        for depth, columns in ((37, 50), (64, 32), (1, 1), (2, 17), (160, 70)):
            check(depth, columns, dtype, form)
row_after_nan()
for depth in (32, 33, 40, 64, 90):
    infinities(depth)
for depth in (32, 33):
    denormals(depth)
for dtype, depth in (("bf16", 40), ("bf16", 64), ("f16", 40)):
    computed_rows(dtype, depth)
run_cases()
