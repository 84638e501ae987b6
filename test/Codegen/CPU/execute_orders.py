# ===- execute_orders.py - Orders and sums of all element types ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Kernels that compare or sum the elements of an axis, for each element type, against numpy: the
# largest unsigned number is no -1, 64 bits are no f64, NaN is last in a sort and the extreme of
# a reduction, equal elements keep their order, integers wrap. Axes end in the middle of a vector
# and at its end, and have one element or none.

import itertools
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, cases, run_cases
from Interpreter.Inputs.elements import FLOATS, INTEGERS, drop_zero_signs, edges, same, widen

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
WIDTHS = [0, 1, 2, 15, 16, 17, 33, 100]
LONG = [129, 509]
rng = np.random.default_rng(0)
TYPES = {**INTEGERS, **FLOATS}


def draw(name, *shape):
    """Special elements, each of them several times."""
    return rng.choice(edges(name), shape)


def order(x, name, descending=False):
    """The indices of elements in order along the last axis, NaN as the largest."""
    values = widen(x, name).astype(np.float64) if name in FLOATS else x
    # Ranks of numbers, from which a descending order is that of their negation.
    ranks = np.unique(values, return_inverse=True, equal_nan=True)[1].reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, -1, kind="stable")


def types(name):
    x = f"tensor<?x?x{name}, #dhlo.dims<d0, d1>>"
    return x, "tensor<?x?xi64, #dhlo.dims<d0, d1>>", f"tensor<?x{name}, #dhlo.dims<d0>>"


def kernel(kind, name, least, body):
    x, _, _ = types(name)
    return Kernel(
        f"""
dlhlo.kernel @k {kind} {{
^bb0(%x: {x}):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [{least}, ?]
{body}
}}""",
        ISA,
    )


@cases(TYPES, ("", "descending "))
def sorts(name, word):
    x_type, i_type, _ = types(name)
    k = kernel(
        "single",
        name,
        0,
        f"""
  %v, %i = dhlo.sort %x axis = 1 {word}: {x_type}, {i_type}
  dlhlo.yield %v, %i : {x_type}, {i_type}""",
    )
    yield
    for width in WIDTHS + LONG:
        x = draw(name, 3, width)
        (v, i), _ = k([3, width], [x], [(x.shape, TYPES[name]), (x.shape, np.int64)])
        expected = order(x, name, bool(word))
        assert np.array_equal(i, expected), (name, word, width)
        assert v.tobytes() == np.take_along_axis(x, expected, -1).tobytes(), (name, word)


@cases(TYPES, ("", "largest "))
def first_elements(name, word):
    x_type, _, _ = types(name)
    v_type, i_type = f"tensor<?x2x{name}, #dhlo.dims<d0>>", "tensor<?x2xi64, #dhlo.dims<d0>>"
    k = kernel(
        "single",
        name,
        2,
        f"""
  %v, %i = dhlo.top_k %x axis = 1 {word}: ({x_type}) -> ({v_type}, {i_type})
  dlhlo.yield %v, %i : {v_type}, {i_type}""",
    )
    yield
    for width in WIDTHS[2:]:
        x = draw(name, 3, width)
        (v, i), _ = k([3, width], [x], [((3, 2), TYPES[name]), ((3, 2), np.int64)])
        expected = order(x, name, bool(word))[:, :2]
        assert np.array_equal(i, expected), (name, word, width)
        assert v.tobytes() == np.take_along_axis(x, expected, -1).tobytes(), (name, word)


def top(name, count, word):
    """A kernel of the first elements, whose number may be dynamic."""
    x_type, _, _ = types(name)
    size, dims = ("?", ", d2") if count is None else (count, "")
    v_type = f"tensor<?x{size}x{name}, #dhlo.dims<d0{dims}>>"
    i_type = f"tensor<?x{size}xi64, #dhlo.dims<d0{dims}>>"
    return Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: {x_type}):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [{count or 0}, ?]
  {"dhlo.dim @d2 in [0, ?]" if count is None else ""}
  %v, %i = dhlo.top_k %x axis = 1 {word}: ({x_type}) -> ({v_type}, {i_type})
  dlhlo.yield %v, %i : {v_type}, {i_type}
}}""",
        ISA,
    )


def rows(name, width):
    """Rows with few and with many different elements, sorted both ways, and all equal."""
    special = draw(name, width)
    ascending = special[order(special, name)]
    many = rng.integers(0, 1 << 16, width).astype(TYPES[name])
    return np.stack([special, ascending, ascending[::-1], many, np.repeat(special[:1], width)])


#: By insertion, by rank, by digits, and any of the last two.
COUNTS = [("f32", count) for count in (7, 40, 90)] + [(name, None) for name in TYPES]


@cases(COUNTS, ("", "largest "))
def long_segments(name, count, word):
    """Segments of which few elements are kept in scratch, some of these often, and segments
    that are sorted by digits."""
    k = top(name, count, word)
    yield
    for width in (97, 128, 129, 700, 1021):
        x = rows(name, width)
        wanted = (0, 1, 64, 65, width - 3, width) if count is None else (count,)
        for n in wanted:
            dims = [5, width, n] if count is None else [5, width]
            results = [((5, n), TYPES[name]), ((5, n), np.int64)]
            (v, i), _ = k(dims, [x], results)
            expected = order(x, name, bool(word))[:, :n]
            where = (name, word, count, width, n)
            assert np.array_equal(i, expected), where
            assert v.tobytes() == np.take_along_axis(x, expected, -1).tobytes(), where


#: Numbers of elements, columns and sizes of segments, dynamic or not: of a size that is known,
#: indices have 32 bits.
COLUMN_TOPS = [(name, 3, "d2", "d1") for name in TYPES]
COLUMN_TOPS += [("f32", 1, 20, 33), ("f64", 16, 64, 50), ("f32", "d3", "d2", "d1")]


def tensor(element, *sizes):
    """A type with dynamic sizes of these names."""
    text = "x".join("?" if isinstance(n, str) else str(n) for n in sizes)
    dims = ", ".join(n for n in sizes if isinstance(n, str))
    return f"tensor<{text}x{element}, #dhlo.dims<{dims}>>"


@cases(COLUMN_TOPS, ("", "largest "))
def first_of_columns(name, count, columns, size, word):
    """The first elements along an axis before others."""
    dims = {
        "d0": "[0, ?]",
        "d1": f"[{3 if count == 3 else 16}, ?]",
        "d2": "[0, ?]",
        "d3": "[0, 16]",
    }
    names = [dim for dim in dims if dim in ("d0", size, columns, count)]
    x_type = tensor(name, "d0", size, columns)
    v_type, i_type = (tensor(element, "d0", count, columns) for element in (name, "i64"))
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: {x_type}):
  {"".join(f"dhlo.dim @{dim} in {dims[dim]}" + chr(10) for dim in names)}
  %v, %i = dhlo.top_k %x axis = 1 {word}: ({x_type}) -> ({v_type}, {i_type})
  dlhlo.yield %v, %i : {v_type}, {i_type}
}}""",
        ISA,
    )
    yield
    for n, m, width in (
        (3, 17, 0),
        (1, 16, 1),
        (3, 37, 7),
        (0, 101, 16),
        (13, 101, 67),
        (16, 16, 130),
    ):
        given = {"d0": 2, "d1": m, "d2": width, "d3": n}
        m, width, n = (given.get(part, part) for part in (size, columns, count))
        x = draw(name, 2, width, m)
        expected = order(x, name, bool(word))[:, :, :n]
        wanted = np.take_along_axis(x, expected, -1).swapaxes(1, 2)
        results = [(wanted.shape, TYPES[name]), (wanted.shape, np.int64)]
        x = np.ascontiguousarray(x.swapaxes(1, 2))
        (v, i), _ = k([given[dim] for dim in names], [x], results)
        where = (name, word, n, m, width)
        assert np.array_equal(i, expected.swapaxes(1, 2)), where
        assert v.tobytes() == wanted.tobytes(), where


@cases([*((name, 9) for name in TYPES), ("f32", 64), ("f32", "d2")], ("", "descending "))
def sorted_columns(name, size, word):
    """A few elements along an axis before others."""
    x_type, i_type = (tensor(element, "d0", size, "d1") for element in (name, "i64"))
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: {x_type}):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  {"dhlo.dim @d2 in [0, 64]" if size == "d2" else ""}
  %v, %i = dhlo.sort %x axis = 1 {word}: {x_type}, {i_type}
  dlhlo.yield %v, %i : {x_type}, {i_type}
}}""",
        ISA,
    )
    yield
    for m, width in ((0, 7), (1, 1), (9, 0), (17, 16), (37, 67)):
        m, dims = (m, [2, width, m]) if size == "d2" else (size, [2, width])
        x = draw(name, 2, width, m)
        expected = order(x, name, bool(word))
        wanted = np.take_along_axis(x, expected, -1).swapaxes(1, 2)
        results = [(wanted.shape, TYPES[name]), (wanted.shape, np.int64)]
        (v, i), _ = k(dims, [np.ascontiguousarray(x.swapaxes(1, 2))], results)
        assert np.array_equal(i, expected.swapaxes(1, 2)), (name, word, m, width)
        assert v.tobytes() == wanted.tobytes(), (name, word, m, width)


def neutral(kind, name):
    """The extreme of no elements."""
    if name in FLOATS:
        infinite = np.array([np.inf if kind == "min" else -np.inf])
        return infinite.astype(np.float32) if name != "f64" else infinite
    info = np.iinfo(TYPES[name])
    return np.array([info.max if kind == "min" else info.min], TYPES[name])


@cases(TYPES)
def extremes(name):
    x_type, _, y_type = types(name)
    k = kernel(
        "row",
        name,
        0,
        f"""
  %0 = dhlo.reduce max %x axes = [1] : ({x_type}) -> {y_type}
  %1 = dhlo.reduce min %x axes = [1] : ({x_type}) -> {y_type}
  dlhlo.yield %0, %1 : {y_type}, {y_type}""",
    )
    yield
    for width in WIDTHS:
        # The first rows have NaN, the last ones do not.
        x = draw(name, 6, width)
        if name in FLOATS:
            x[3:][np.isnan(widen(x[3:], name))] = TYPES[name](0)
        found, _ = k([6, width], [x], [((6,), TYPES[name])] * 2)
        for kind, got in zip(("max", "min"), found):
            wide = widen(x, name) if name in FLOATS else x
            reduce = np.max if kind == "max" else np.min
            wide = np.concatenate([wide, np.repeat(neutral(kind, name)[None], 6, 0)], 1)
            expected = reduce(wide, 1)
            if name in FLOATS:
                got = widen(drop_zero_signs(got, name), name)
                equal = np.array_equal(got, expected, equal_nan=True)
            else:
                equal = np.array_equal(got, expected)
            assert equal, (name, kind, width, got, expected)


@cases(TYPES)
def positions(name):
    x_type, _, _ = types(name)
    i_type = "tensor<?xi64, #dhlo.dims<d0>>"
    words = [(kind, last) for kind in ("max", "min") for last in ("", "last ")]
    lines = [
        f"  %{i} = dhlo.arg_reduce {kind} %x axis = 1 {last}: ({x_type}) -> {i_type}"
        for i, (kind, last) in enumerate(words)
    ]
    values, yielded = ", ".join(f"%{i}" for i in range(4)), ", ".join([i_type] * 4)
    body = "\n".join([*lines, f"  dlhlo.yield {values} : {yielded}"])
    k = kernel("row", name, 1, body)
    yield
    # Results of 19 rows are a vector of them, and some.
    for rows, width in itertools.product((6, 19), WIDTHS[1:]):
        x = draw(name, rows, width)
        if name in FLOATS:
            x[3:][np.isnan(widen(x[3:], name))] = TYPES[name](0)
        found, site = k([rows, width], [x], [((rows,), np.int64)] * 4)
        assert site is None
        wide = widen(x, name) if name in FLOATS else x
        for (kind, last), got in zip(words, found):
            # NaN is the extreme of both kinds, as for numpy.
            find = np.argmax if kind == "max" else np.argmin
            expected = width - 1 - find(wide[:, ::-1], 1) if last else find(wide, 1)
            assert np.array_equal(got, expected), (name, kind, last, rows, width)


@cases(INTEGERS)
def sums_of_integers(name):
    """Reductions by sum and by prod wrap, in any order of the elements."""
    x_type, _, y_type = types(name)
    k = kernel(
        "row",
        name,
        0,
        f"""
  %0 = dhlo.reduce sum %x axes = [1] : ({x_type}) -> {y_type}
  %1 = dhlo.reduce prod %x axes = [1] : ({x_type}) -> {y_type}
  dlhlo.yield %0, %1 : {y_type}, {y_type}""",
    )
    yield
    for width in WIDTHS:
        x = draw(name, 4, width)
        x[2:][x[2:] % 2 == 0] = 3  # an even factor soon makes all of it zero
        (total, factors), _ = k([4, width], [x], [((4,), TYPES[name])] * 2)
        assert np.array_equal(total, x.sum(1, dtype=TYPES[name])), (name, width)
        assert np.array_equal(factors, x.prod(1, dtype=TYPES[name])), (name, width)


@cases(
    ("i8", "ui16", "i64", "ui64"),
    ("", "exclusive ", "reverse ", "exclusive reverse "),
    (("sum", np.add), ("max", np.maximum)),
)
def running(name, words, kind, accumulate):
    """Running sums and extremes, from both ends, with and without the element itself."""
    x_type, _, _ = types(name)
    k = kernel(
        "single",
        name,
        0,
        f"""
  %v = dhlo.cumulative {kind} %x axis = 1 {words}: {x_type}
  dlhlo.yield %v : {x_type}""",
    )
    yield
    for width in (0, 1, 7, 16, 17, 53):
        x = draw(name, 3, width)
        (v,), _ = k([3, width], [x], [(x.shape, TYPES[name])])
        y = x[:, ::-1] if "reverse" in words else x
        y = accumulate.accumulate(y, 1, dtype=TYPES[name])
        if "exclusive" in words and width:
            least = 0 if kind == "sum" else np.iinfo(TYPES[name]).min
            first = np.full((3, 1), least, TYPES[name])
            y = np.concatenate([first, y[:, :-1]], 1)
        y = y[:, ::-1] if "reverse" in words else y
        assert same(v, np.ascontiguousarray(y), name), (name, kind, words, width)


COLUMNS = [
    *itertools.product(("f32",), (1, 3, 8, 20, 64, 65, None), ("", "exclusive ", "reverse ")),
    *itertools.product(("bf16", "f64", "i8", "i64"), (1, 20, None), ("",)),
]


@cases(COLUMNS)
def running_columns(name, columns, words):
    """The same along an axis before others: columns in registers, in blocks, both with a
    remainder, and one. The running value of 16-bit floats is f32."""
    size, dims = ("?", ", d2") if columns is None else (columns, "")
    x_type = f"tensor<?x?x{size}x{name}, #dhlo.dims<d0, d1{dims}>>"
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: {x_type}):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  {"dhlo.dim @d2 in [0, ?]" if columns is None else ""}
  %v = dhlo.cumulative sum %x axis = 1 {words}: {x_type}
  dlhlo.yield %v : {x_type}
}}""",
        ISA,
    )
    yield
    for size in (0, 1, 7, 16, 33, 513, 1040) if columns is None else (columns,):
        for length in (0, 1, 7, *((16, 37) if columns == 1 else ())):
            check_columns(k, name, words, columns, (6, length, size))


def check_columns(k, name, words, columns, shape):
    x = rng.integers(-3, 4, shape) / 2
    x = x.astype(np.float32).view(np.uint32) >> 16 if name == "bf16" else x
    x = x.astype(TYPES[name])
    dims = shape if columns is None else shape[:2]
    (v,), _ = k(list(dims), [x], [(shape, TYPES[name])])
    wide = widen(x, name) if name in FLOATS else x
    y = wide[:, ::-1] if "reverse" in words else wide
    total = y.cumsum(1, dtype=wide.dtype)
    total = total - y if "exclusive" in words else total
    total = total[:, ::-1] if "reverse" in words else total
    found = widen(v, name) if name in FLOATS else v
    assert np.array_equal(found, total), (name, words, shape)


TESTS = (
    sorts,
    first_elements,
    long_segments,
    extremes,
    positions,
    sums_of_integers,
    running,
    running_columns,
)

for test in TESTS:
    test()

run_cases()
