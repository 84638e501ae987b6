# ===- execute_contraction.py - Contraction kernels against numpy ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Contractions against numpy, and a row's bits against those of other heights:
# every M class, K and N that fill no vector, sizes 0.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def pack(w, rows):
    """The order of #dlhlo.packed<panels16, batch = 0, rows = rows>."""
    depth = int(np.prod(w.shape[:rows]))
    columns = int(np.prod(w.shape[rows:]))
    panels = -(-columns // 16)
    padded = np.zeros((depth, panels * 16), w.dtype)
    padded[:, :columns] = w.reshape(depth, columns)
    return np.ascontiguousarray(padded.reshape(depth, panels, 16).transpose(1, 0, 2))


@case
def packed(depth, columns, bias):
    encoding = "#dlhlo.packed<panels16, batch = 0, rows = 1>"
    x = f"tensor<?x{depth}xf32, #dhlo.dims<d0>>"
    w = f"tensor<{depth}x{columns}xf32, {encoding}>"
    y = f"tensor<?x{columns}xf32, #dhlo.dims<d0>>"
    then = (
        f"""
  %1 = dhlo.broadcast %b axes = [1] : (tensor<{columns}xf32>) -> {y}
  %2 = dhlo.add %0, %1 : {y}
  dlhlo.yield %2 : {y}"""
        if bias
        else f"\n  dlhlo.yield %0 : {y}"
    )
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%x: {x}, %w: {w}, %b: tensor<{columns}xf32>):
  dhlo.dim @d0 in [0, 4096]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : ({x}, {w}) -> {y}{then}
}}""",
        ISA,
    )
    yield
    w, b = floats(depth, columns), floats(columns)
    x = floats(200, depth)
    (whole,), _ = k([200], [x, pack(w, 1), b], [((200, columns), np.float32)])
    close(whole, x.astype(np.float64) @ w + (b if bias else 0), 1e-5)
    # From 128 rows on, some kernels pack them.
    for rows in (*range(71), 127, 128, 129, 135, 136, 137):
        (y,), _ = k([rows], [x[:rows], pack(w, 1), b], [((rows, columns), np.float32)])
        assert np.array_equal(y, whole[:rows]), f"{rows} rows"


@case
def computed(parts, columns):
    """Rows that the kernel computes: its own, one that many share, their sum, of a table."""
    depth, encoding = sum(parts), "#dlhlo.packed<panels16, batch = 0, rows = 1>"
    own, shared, both, found = parts

    def rows(width, dims="d0, d1"):
        return f"tensor<{'?x' * len(dims.split(','))}{width}xf32, #dhlo.dims<{dims}>>"

    t, w = f"tensor<7x{found}xf32>", f"tensor<{depth}x{columns}xf32, {encoding}>"
    i, x, y = "tensor<?x?xi32, #dhlo.dims<d0, d1>>", rows(depth), rows(columns)
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%a: {rows(own)}, %s: {rows(shared, "d0")}, %b: {rows(both)}, %c: {rows(both)},
     %t: {t}, %i: {i}, %w: {w}, %r: {y}):
  dhlo.dim @d0 in [0, 4096]
  dhlo.dim @d1 in [0, 4096]
  %0 = dhlo.broadcast %s axes = [0, 2] : ({rows(shared, "d0")}) -> {rows(shared)}
  %1 = dhlo.add %b, %c : {rows(both)}
  %2 = dhlo.gather %t, %i axis = 0 batch = 0 : ({t}, {i}) -> {rows(found)}
  %3 = dhlo.concat %a, %0, %1, %2 axis = 2 : ({rows(own)}, {rows(shared)}, {rows(both)}, {rows(found)}) -> {x}
  %4 = dhlo.dot_general %3, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : ({x}, {w}) -> {y}
  %5 = dhlo.add %4, %r : {y}
  dlhlo.yield %5 : {y}
}}""",
        ISA,
    )
    yield
    w, table = floats(depth, columns), floats(7, found)
    # One row, tiles of all heights, rows that are packed, some chunks of them, and none.
    for outer, inner in ((1, 1), (1, 5), (3, 7), (2, 67), (5, 131), (37, 61), (0, 3), (2, 0)):
        a, s = floats(outer, inner, own), floats(outer, shared)
        b, c = floats(outer, inner, both), floats(outer, inner, both)
        i = rng.integers(-7, 7, (outer, inner)).astype(np.int32)
        r = floats(outer, inner, columns)
        (y,), _ = k([outer, inner], [a, s, b, c, table, i, pack(w, 1), r], [(r.shape, np.float32)])
        repeated = np.broadcast_to(s[:, None], (outer, inner, shared))
        lhs = np.concatenate([a, repeated, b + c, table[i]], axis=2)
        close(y, lhs.astype(np.float64) @ w + r, 1e-5)


@case
def general(
    lhs, rhs, result, batch, lhs_contract, rhs_contract, formula, names, values, types=None
):
    dtype, element, result_dtype, result_element = types or (np.float32, "f32", np.float32, "f32")

    def tensor(sizes, element):
        dims = [s for s in sizes if isinstance(s, str)]
        shape = "".join(("?" if isinstance(s, str) else str(s)) + "x" for s in sizes)
        return f"tensor<{shape}{element}{f', #dhlo.dims<{chr(44).join(dims)}>' if dims else ''}>"

    a, b, y = tensor(lhs, element), tensor(rhs, element), tensor(result, result_element)
    declared = "\n".join(f"  dhlo.dim @{name} in [0, 1000]" for name in names)
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%a: {a}, %b: {b}):
{declared}
  %0 = dhlo.dot_general %a, %b batch = {batch} lhs_contract = {lhs_contract} rhs_contract = {rhs_contract} : ({a}, {b}) -> {y}
  dlhlo.yield %0 : {y}
}}""",
        ISA,
    )
    yield
    for chosen in values:
        sizes = dict(zip(names, chosen))
        shape = lambda s: [sizes.get(x, x) for x in s]
        make = lambda s: (floats(*shape(s)) * 4).astype(dtype)
        x, w = make(lhs), make(rhs)
        (y,), _ = k(list(chosen), [x, w], [(shape(result), result_dtype)])
        close(y, formula(x.astype(np.float64), w.astype(np.float64)), 1e-5)


def narrowed(values, element):
    """Values in memory, and as the compiler computes with them."""
    if element == "f32":
        return values, values
    if element == "f16":
        stored = values.astype(np.float16)
        return stored, stored.astype(np.float32)
    stored = (values.view(np.uint32) >> 16).astype(np.uint16)
    return stored, (stored.astype(np.uint32) << 16).view(np.float32)


@case
def few_rows(element, order, lhs_order, static=None, heights=(1, 2, 3, 4, 5, 7, 8, 9)):
    """Few rows by a matrix that is no constant, with the bits of many rows."""
    depth, limit = static or "d3", "[0, 1100]"
    names = ["d0", "d1", "d2"] + ([] if static else ["d3"])

    def tensor(sizes, element):
        shape = "".join(f"{'?' if isinstance(s, str) else s}x" for s in sizes)
        return f"tensor<{shape}{element}, #dhlo.dims<{', '.join(s for s in sizes if s in names)}>>"

    lhs = ["d1", depth] if lhs_order == "rows" else [depth, "d1"]
    rhs = [depth, "d2"] if order == "rows of n" else ["d2", depth]
    a, b = tensor(["d0", *lhs], element), tensor(["d0", *rhs], element)
    y, bias = tensor(["d0", "d1", "d2"], "f32"), tensor(["d2"], "f32")
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%a: {a}, %b: {b}, %c: {bias}):
{chr(10).join(f"  dhlo.dim @{name} in {limit}" for name in names)}
  %0 = dhlo.dot_general %a, %b batch = 1 lhs_contract = [{1 + lhs.index(depth)}] rhs_contract = [{1 + rhs.index(depth)}] : ({a}, {b}) -> {y}
  %1 = dhlo.broadcast %c axes = [2] : ({bias}) -> {y}
  %2 = dhlo.add %0, %1 : {y}
  dlhlo.yield %2 : {y}
}}""",
        ISA,
    )
    yield
    many = 23
    for columns in (0, 1, 5, 15, 16, 17, 31, 33, 64, 67, 1061):
        for deep in [static] if static else (0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 61):
            x, w, c = floats(2, many, deep), floats(2, deep, columns), floats(columns)
            (x, wide_x), (w, wide_w) = narrowed(x, element), narrowed(w, element)

            def run(x):
                rows = x.shape[1]
                lhs = x if lhs_order == "rows" else x.swapaxes(1, 2)
                rhs = w if order == "rows of n" else w.swapaxes(1, 2)
                dims = [2, rows, columns] + ([] if static else [deep])
                operands = [np.ascontiguousarray(v) for v in (lhs, rhs, c)]
                return k(dims, operands, [((2, rows, columns), np.float32)])[0][0]

            whole = run(x)
            close(whole, wide_x.astype(np.float64) @ wide_w + c, 1e-5)
            for rows in heights:
                case = (element, order, lhs_order, rows, deep, columns)
                assert np.array_equal(run(x[:, :rows]), whole[:, :rows]), case


for depth, columns in ((37, 50), (64, 96), (5, 1), (33, 16), (20, 530), (35, 200)):
    packed(depth, columns, bias=True)
packed(20, 64, bias=False)
packed(16, 240, bias=False)
packed(16, 224, bias=False)
# Blocks along k of packed rows, of unequal depth.
packed(1030, 80, bias=False)
packed(2100, 232, bias=True)

# Seams within vectors and between them; few panels, many, and blocks along k.
computed((32, 16, 48, 32), 64)
computed((5, 3, 20, 1), 33)
computed((16, 8, 24, 40), 208)
computed((300, 301, 400, 99), 232)

D = ["d0", "d1", "d2"]
SIZES = [(1, 1, 1), (2, 7, 5), (3, 33, 17), (1, 70, 130), (0, 3, 4), (2, 0, 3), (2, 3, 0)]
general(["d0", "d1", 64], ["d0", 64, "d2"], D, 1, [2], [1], lambda a, b: a @ b, D, SIZES)
general(
    ["d0", "d1", 24], ["d0", "d2", 24], D, 1, [2], [2], lambda a, b: a @ b.swapaxes(1, 2), D, SIZES
)
general(
    ["d0", 20, "d1"],
    ["d0", "d1", "d2"],
    ["d0", 20, "d2"],
    1,
    [2],
    [1],
    lambda a, b: a @ b,
    D,
    SIZES,
)
general(
    ["d0", 20, "d1"], ["d0", 20, "d2"], D, 1, [1], [1], lambda a, b: a.swapaxes(1, 2) @ b, D, SIZES
)
# Both are copied: chunks and groups of all sizes, squares that overlap, and none.
for right, formula in (
    (["d2", "d1"], lambda a, b: a.swapaxes(1, 2) @ b),
    (["d1", "d2"], lambda a, b: a.swapaxes(1, 2) @ b.swapaxes(1, 2)),
):
    general(
        [2, "d2", "d0"],
        [2, *right],
        [2, "d0", "d1"],
        1,
        [1],
        [1 + right.index("d2")],
        formula,
        D,
        [(m, n, k) for m, n in ((9, 5), (16, 33), (97, 50), (601, 37)) for k in (0, 1, 8, 16, 37)],
    )
general(
    ["d0", "d1", 20],
    ["d2", 20, "d0"],
    ["d1", "d2"],
    0,
    [0, 2],
    [2, 1],
    lambda a, b: np.einsum("amk,nka->mn", a, b),
    D,
    SIZES,
)
for order in ("rows of n", "rows of k"):
    for element in ("f32", "bf16", "f16"):
        few_rows(element, order, "rows")
    few_rows("f32", order, "columns")
    # Rows that share sets of a cache.
    few_rows("f32", order, "rows", static=1024, heights=(1, 4))
# One column.
for sizes in (["d0", "d1", 40], ["d0", 40, "d1"]):
    summed = sizes.index(40)
    general(
        sizes,
        ["d0", 40, 1],
        ["d0", "d1", 1],
        1,
        [summed],
        [1],
        lambda a, b, summed=summed: (a if summed == 2 else a.swapaxes(1, 2)) @ b,
        D[:2],
        [size[:2] for size in SIZES] + [(2, 16), (1, 97)],
    )

for types in (
    (np.float64, "f64", np.float64, "f64"),
    (np.int64, "i64", np.int64, "i64"),
    (np.int8, "i8", np.int32, "i32"),
):
    general(
        ["d0", 5],
        [5, "d1"],
        ["d0", "d1"],
        0,
        [1],
        [0],
        lambda a, b: a @ b,
        ["d0", "d1"],
        [(3, 4), (17, 1), (8, 16), (0, 3), (9, 85)],
        types,
    )
# By vectors without a GEMM: batches, rows of K, an axis between others, and columns of the LHS.
for name, dtype in (("f64", np.float64), ("i64", np.int64), ("f32", np.float32)):
    types = (dtype, name, dtype, name)
    if name != "f32":
        general(
            ["d0", 6, 5],
            ["d0", "d1", 5],
            ["d0", 6, "d1"],
            1,
            [2],
            [2],
            lambda a, b: a @ b.swapaxes(1, 2),
            ["d0", "d1"],
            [(3, 1), (2, 37), (0, 16)],
            types,
        )
    general(
        ["d0", 5, 7],
        [5, "d1"],
        ["d0", 7, "d1"],
        0,
        [1],
        [0],
        lambda a, b: a.swapaxes(1, 2) @ b,
        ["d0", "d1"],
        [(3, 1), (2, 37), (1, 64)],
        types,
    )
    general(
        ["d0", 5, "d1"],
        [5],
        ["d0", "d1"],
        0,
        [1],
        [0],
        lambda a, b: b @ a,
        ["d0", "d1"],
        [(3, 1), (2, 37), (4, 0)],
        types,
    )

run_cases()
