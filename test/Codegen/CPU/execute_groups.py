# ===- execute_groups.py - Groups of rows against numpy --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# The counting sort of choices, and the GEMMs and convolutions of the groups that
# it makes: empty groups, everything in one group, rows in none, rows that are
# gathered on the way, factors of 16 bits, and the bits of a row, which depend on
# neither its group's size nor its index.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, cases, close, narrow, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def group(ids, groups, capacity):
    """The results of dhlo.group."""
    rows, per_row = ids.shape
    members = [[] for _ in range(groups)]
    for choice, id in enumerate(ids.reshape(-1)):
        if 0 <= id < groups and len(members[id]) < capacity:
            members[id].append(choice)
    offsets = np.cumsum([0] + [len(m) for m in members])
    order = np.full(ids.size, -1, np.int64)
    order[: offsets[-1]] = [choice for m in members for choice in m]
    seats = np.full(ids.shape, -1, np.int64)
    used = np.zeros(rows, np.int64)
    for seat, choice in enumerate(order[: offsets[-1]]):
        row = choice // per_row
        seats[row, used[row]] = seat
        used[row] += 1
    return offsets, order, seats


@cases((None, 3))
def sort(capacity):
    clause = "" if capacity is None else f"capacity = <{capacity}> "
    types = "tensor<6xi64>, tensor<?xi64, #dhlo.dims<d2>>, tensor<?x?xi64, #dhlo.dims<d0, d1>>"
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%i: tensor<?x?xi64, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0
  dhlo.dim @d1
  dhlo.dim @d2 = @d0 * @d1
  %o, %r, %p = dhlo.group %i {clause}: (tensor<?x?xi64, #dhlo.dims<d0, d1>>) -> ({types})
  dlhlo.yield %o, %r, %p : {types}
}}""",
        ISA,
    )
    yield
    for rows, per_row in ((0, 2), (3, 0), (1, 1), (17, 1), (40, 3)):
        for least, most in ((-1, 5), (0, 5), (2, 3), (-1, 0)):
            ids = rng.integers(least, most, (rows, per_row))
            outputs = [(6, np.int64), (ids.size, np.int64), (ids.shape, np.int64)]
            found, site = k([rows, per_row], [ids], outputs)
            assert site is None
            expected = group(ids, 5, capacity or ids.size)
            for f, e in zip(found, expected):
                assert np.array_equal(f, e), (ids, f, e)
    # Ids that are no group are an error, and no choice.
    ids = np.array([[5], [1], [-2], [1]])
    outputs = [(6, np.int64), (4, np.int64), ((4, 1), np.int64)]
    found, site = k([4, 1], [ids], outputs)
    assert site == 0
    for f, e in zip(found, group(ids, 5, 4)):
        assert np.array_equal(f, e)


def pack(w):
    """The order of #dlhlo.packed<panels16, batch = 1, rows = 1>."""
    groups, depth, columns = w.shape
    panels = -(-columns // 16)
    padded = np.zeros((groups, depth, panels * 16), w.dtype)
    padded[:, :, :columns] = w
    return np.ascontiguousarray(padded.reshape(groups, depth, panels, 16).transpose(0, 2, 1, 3))


@case
def gemms(groups, depth, columns, vectors, is_packed, bias):
    encoding = ", #dlhlo.packed<panels16, batch = 1, rows = 1>" if is_packed else ""
    each = "".join(f"{v}x" for v in vectors)
    x = f"tensor<?x{each}{depth}xf32, #dhlo.dims<d0>>"
    w = f"tensor<{groups}x{depth}x{columns}xf32{encoding}>"
    y = f"tensor<?x{each}{columns}xf32, #dhlo.dims<d0>>"
    then = (
        f"""
  %1 = dhlo.broadcast %b axes = [{1 + len(vectors)}] : (tensor<{columns}xf32>) -> {y}
  %2 = dhlo.add %0, %1 : {y}
  dlhlo.yield %2 : {y}"""
        if bias
        else f"\n  dlhlo.yield %0 : {y}"
    )
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%x: {x}, %w: {w}, %o: tensor<{groups + 1}xi64>, %b: tensor<{columns}xf32>):
  dhlo.dim @d0 in [0, 4096]
  %0 = dhlo.grouped_dot %x, %w, %o : ({x}, {w}, tensor<{groups + 1}xi64>) -> {y}{then}
}}""",
        ISA,
    )
    yield
    rows = 90
    data, matrices, b = (
        floats(rows, *vectors, depth),
        floats(groups, depth, columns),
        floats(columns),
    )
    weights = pack(matrices) if is_packed else matrices
    # Each row by each matrix: what it gives in any group.
    every = None

    def run(offsets, rows=rows):
        shape = (rows, *vectors, columns)
        (found,), site = k(
            [rows], [data[:rows], weights, np.array(offsets), b], [(shape, np.float32)]
        )
        return found, site

    every = np.stack([run([0] * (g + 1) + [rows] * (groups - g))[0] for g in range(groups)])
    exact = np.einsum("r...k,gkn->gr...n", data.astype(np.float64), matrices)
    close(every, exact + (b if bias else 0), 1e-5)
    none = np.zeros((*vectors, columns), np.float32) + (b if bias else 0)
    for _ in range(12):
        bounds = np.sort(rng.integers(0, rows + 1, groups + 1))
        found, site = run(bounds)
        assert site is None
        for row in range(rows):
            g = np.searchsorted(bounds, row, "right") - 1
            expected = every[g, row] if 0 <= g < groups else none
            assert np.array_equal(found[row], expected), (bounds, row)
    assert run([0] * (groups + 1), 0)[1] is None
    # Offsets that are not legal read as the nearest legal ones.
    bad = [-1, *[rows + 5] * groups]
    found, site = run(bad)
    assert site == 0 and np.array_equal(found, every[0])


def pack_pairs(w):
    """The order of #dlhlo.packed<panels16x2, batch = 1, rows = 1>."""
    groups, depth, columns = w.shape
    padded = np.zeros((groups, depth + depth % 2, columns), w.dtype)
    padded[:, :depth] = w
    pairs = pack(padded)
    return np.ascontiguousarray(pairs.reshape(groups, -1, (depth + 1) // 2, 2, 16).swapaxes(3, 4))


@case
def dispatched(depth, columns, dtype, is_packed, gathers=True):
    """Gathered rows, as a gather before the GEMM gives them, or rows as they are."""
    groups, cells = 3, 40
    order = "panels16x2" if dtype == "bf16" else "panels16"
    encoding = f", #dlhlo.packed<{order}, batch = 1, rows = 1>" if is_packed else ""
    x = f"tensor<{cells}x{depth}x{dtype}>"
    w = f"tensor<{groups}x{depth}x{columns}x{dtype}{encoding}>"
    rows = f"tensor<?x{depth}x{dtype}, #dhlo.dims<d0>>"
    y = f"tensor<?x{columns}xf32, #dhlo.dims<d0>>"
    i, o = "tensor<?xi64, #dhlo.dims<d0>>", f"tensor<{groups + 1}xi64>"
    gather = f"%0 = dhlo.gather %x, %i axis = 0 batch = 0 : ({x}, {i}) -> {rows}"
    if not gathers:
        x, gather = rows, ""
    k = Kernel(
        f"""
dlhlo.kernel @k contraction {{
^bb0(%x: {x}, %i: {i}, %w: {w}, %o: {o}):
  dhlo.dim @d0 in [0, 4096]
  {gather}
  %1 = dhlo.grouped_dot {"%0" if gathers else "%x"}, %w, %o : ({rows}, {w}, {o}) -> {y}
  dlhlo.yield %1 : {y}
}}""",
        ISA,
    )
    yield
    cell, matrices = floats(cells, depth), floats(groups, depth, columns)
    bits, weights = cell, matrices
    if dtype != "f32":
        (bits, cell), (weights, matrices) = narrow(cell, dtype), narrow(matrices, dtype)
    if is_packed:
        weights = pack_pairs(weights) if dtype == "bf16" else pack(weights)
    for count, bounds in ((90, (0, 20, 20, 85)), (7, (1, 2, 7, 7)), (0, (0, 0, 0, 0))):
        chosen = rng.integers(0, cells, count)

        def run(chosen, bounds):
            x = bits if gathers else bits[chosen]
            (found,), site = k(
                [len(chosen)],
                [x, chosen, weights, np.array(bounds)],
                [((len(chosen), columns), np.float32)],
            )
            assert site is None
            return found

        found = run(chosen, bounds)
        expected = np.zeros((count, columns))
        for g in range(groups):
            part = slice(bounds[g], bounds[g + 1])
            expected[part] = cell[chosen[part]].astype(np.float64) @ matrices[g]
            for row in range(bounds[g], bounds[g + 1], 9):
                alone = [0] * (g + 1) + [1] * (groups - g)
                assert run(chosen[row : row + 1], alone).tobytes() == found[row].tobytes()
        close(found, expected, 1e-5)


@case
def convolutions(channels, numbers, window, is_packed, last=True, strides=(1, 1), groups=1):
    """Each image by the filter of its group, plus the bias of its group."""
    filters, sides, pad = 3, (9, 12), window // 2
    out = [(side + 2 * pad - window) // s + 1 for side, s in zip(sides, strides)]
    encoding = ", #dlhlo.packed<panels16, batch = 1, rows = 3>" if is_packed else ""
    per_group = channels // groups
    if last:
        f, i, o = (window, window, per_group, numbers), (*sides, channels), (*out, numbers)
    else:
        f, i, o = (numbers, per_group, window, window), (channels, *sides), (numbers, *out)
    text = ["x".join(map(str, sizes)) for sizes in (f, i, o)]
    w = f"tensor<{filters}x{text[0]}xf32{encoding}>"
    x, y = (f"tensor<?x{each}xf32, #dhlo.dims<d0>>" for each in text[1:])
    types = f"tensor<{filters}x{numbers}xf32>", "tensor<?xi64, #dhlo.dims<d0>>"
    rows, at = f"tensor<?x{numbers}xf32, #dhlo.dims<d0>>", 3 if last else 1
    k = Kernel(
        f"""
dlhlo.kernel @k convolution {{
^bb0(%x: {x}, %w: {w}, %o: tensor<{filters + 1}xi64>, %b: {types[0]}, %p: {types[1]}):
  dhlo.dim @d0 in [0, 4096]
  %0 = dhlo.grouped_convolution %x, %w, %o channels_{"last" if last else "first"}
      strides = {list(strides)} low = [{pad}, {pad}] high = [{pad}, {pad}]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = {groups}
      : ({x}, {w}, tensor<{filters + 1}xi64>) -> {y}
  %1 = dhlo.gather %b, %p axis = 0 batch = 0 : ({types[0]}, {types[1]}) -> {rows}
  %2 = dhlo.broadcast %1 axes = [0, {at}] : ({rows}) -> {y}
  %3 = dhlo.add %0, %2 : {y}
  dlhlo.yield %3 : {y}
}}""",
        ISA,
    )
    yield
    count = 8
    data, weights = floats(count, *sides, channels), floats(filters, *f)
    bias = floats(filters, numbers)
    given = data if last else np.ascontiguousarray(data.transpose(0, 3, 1, 2))
    matrices = weights if last else weights.transpose(0, 3, 4, 2, 1)
    packed = pack(weights.reshape(filters, -1, numbers)) if is_packed else weights
    wide = np.pad(data.astype(np.float64), [(0, 0), (pad, pad), (pad, pad), (0, 0)])

    def run(bounds, paths, images=count):
        shape = (images, *o)
        inputs = [given[:images], packed, np.array(bounds), bias, np.array(paths, np.int64)]
        (found,), site = k([images], inputs, [(shape, np.float32)])
        return found if last else found.transpose(0, 2, 3, 1), site

    # All images by each filter.
    every = []
    for g in range(filters):
        found, site = run([0] * (g + 1) + [count] * (filters - g), [g] * count)
        assert site is None
        expected = np.zeros((count, *out, numbers)) + bias[g]
        each = numbers // groups
        for h in range(window):
            for v in range(window):
                part = wide[:, h :: strides[0], v :: strides[1]][:, : out[0], : out[1]]
                for n in range(groups):
                    expected[..., n * each : (n + 1) * each] += (
                        part[..., n * per_group : (n + 1) * per_group]
                        @ matrices[g, h, v][:, n * each : (n + 1) * each]
                    )
        close(found, expected, 1e-5)
        every.append(found)
    for bounds in ((0, 3, 3, 8), (1, 2, 6, 7), (0, 0, 0, 0), (8, 8, 8, 8), (0, 0, 8, 8)):
        groups_of = [np.searchsorted(bounds, n, "right") - 1 for n in range(count)]
        found, site = run(bounds, np.clip(groups_of, 0, filters - 1))
        assert site is None
        for image, g in enumerate(groups_of):
            none = np.broadcast_to(bias[np.clip(g, 0, filters - 1)], found[image].shape)
            assert np.array_equal(found[image], every[g][image] if 0 <= g < filters else none)
    # One that is not legal reads as the nearest that is.
    found, site = run([0, 3, 2, 9], [0] * 3 + [2] * 5)
    assert site == 0 and np.array_equal(found[:3], every[0][:3])
    assert np.array_equal(found[3:], every[2][3:])
    assert run([0] * (filters + 1), [], 0)[1] is None


sort()
gemms(1, 5, 7, (), is_packed=True, bias=True)
gemms(3, 37, 50, (), is_packed=True, bias=True)
gemms(4, 20, 64, (), is_packed=True, bias=False)
gemms(3, 24, 230, (2,), is_packed=True, bias=False)
gemms(3, 33, 200, (2, 3), is_packed=False, bias=True)
gemms(2, 16, 48, (), is_packed=False, bias=False)
for dtype in ("f32", "bf16", "f16"):
    for is_packed in (True, False):
        for depth, columns in ((37, 50), (16, 400), (96, 200)):
            dispatched(depth, columns, dtype, is_packed)
            dispatched(depth, columns, dtype, is_packed, gathers=False)
convolutions(8, 12, 3, is_packed=True)
convolutions(16, 48, 3, is_packed=True, strides=(2, 2))
convolutions(6, 20, 3, is_packed=False)
convolutions(5, 7, 1, is_packed=True)
convolutions(3, 4, 3, is_packed=False, last=False)
convolutions(3, 4, 3, is_packed=False, last=False, strides=(1, 2))
convolutions(6, 4, 3, is_packed=False, groups=2)

run_cases()
