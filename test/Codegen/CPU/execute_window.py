# ===- execute_window.py - Reductions over windows against numpy -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Reductions over windows against numpy: windows on each axis, strides,
# dilations, padding, lines shorter than a vector and without elements, NaN, and types.

import itertools
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
NUMPY = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
START = {"sum": 0, "max": -np.inf, "min": np.inf, "prod": 1}
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i64": np.int64, "i8": np.int8}


def expect(kind, x, window, strides, dilations, low, high):
    exact = x if x.dtype.kind == "i" else x.astype(np.float64)
    start = START[kind]
    if x.dtype.kind == "i" and kind in ("max", "min"):
        start = np.iinfo(x.dtype).min if kind == "max" else np.iinfo(x.dtype).max
    x = np.pad(exact, list(zip(low, high)), constant_values=start)
    sizes = [
        (n - d * (w - 1) - 1) // s + 1 for n, w, s, d in zip(x.shape, window, strides, dilations)
    ]
    y = np.full([max(0, n) for n in sizes], start, x.dtype)
    if not y.size:
        return y
    for tap in itertools.product(*map(range, window)):
        at = tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, dilations, sizes, strides)
        )
        y = NUMPY[kind](y, x[at])
    return y


@case
def reduce(kind, element, window, strides, low, high, shapes, dilations=None, nan=False):
    rank = len(window)
    dilations = dilations or [1] * rank
    x = f"tensor<{'?x' * rank}{element}, #dhlo.dims<{', '.join(f'd{i}' for i in range(rank))}>>"
    y = f"tensor<{'?x' * rank}{element}, #dhlo.dims<{', '.join(f'e{i}' for i in range(rank))}>>"
    declared = "".join(f"  dhlo.dim @d{i} in [0, ?]\n" for i in range(rank))
    for i in range(rank):
        reach = low[i] + high[i] - dilations[i] * (window[i] - 1) - 1
        declared += f"  dhlo.dim @e{i} = (@d{i} + {reach}) floordiv {strides[i]} + 1\n"
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: {x}):
{declared}
  %0 = dhlo.reduce_window {kind} %x window = {window} strides = {strides} dilations = {dilations}
      low = {low} high = {high} : ({x}) -> {y}
  dlhlo.yield %0 : {y}
}}""",
        ISA,
    )
    yield
    dtype = DTYPES[element]
    for shape in shapes:
        values = rng.standard_normal(shape) * (20 if element[0] == "i" else 1)
        values = values.astype(dtype)
        if nan and values.size:
            values.flat[rng.integers(0, values.size, values.size // 40 + 1)] = np.nan
        expected = expect(kind, values, window, strides, dilations, low, high)
        (result,), _ = k(list(shape), [values], [(expected.shape, dtype)])
        if element[0] == "i" or kind in ("max", "min"):
            same = np.array_equal(result, expected.astype(dtype), equal_nan=nan)
            assert same, (kind, element, window, shape)
        elif expected.size:
            close(result, expected, 2e-3 if element == "f16" else 1e-5)
        # A map has the same bits beside others, transposed with them or not.
        if window[0] == 1 and len(values) > 3:
            (few,), _ = k([3, *shape[1:]], [values[:3]], [((3, *expected.shape[1:]), dtype)])
            assert few.tobytes() == result[:3].tobytes(), (kind, element, window, shape)


IMAGES = [(1, 1, 1), (2, 5, 7), (1, 4, 33), (2, 9, 16), (0, 3, 5), (1, 3, 100)]
for kind in NUMPY:
    reduce(kind, "f32", [1, 3, 3], [1, 1, 1], [0, 1, 1], [0, 1, 1], IMAGES)
reduce("max", "f32", [1, 3, 3], [1, 2, 2], [0, 1, 1], [0, 1, 1], IMAGES)
reduce("sum", "f32", [1, 2, 3], [1, 1, 3], [0, 0, 2], [0, 1, 0], IMAGES)
reduce("sum", "f32", [1, 3, 2], [1, 2, 2], [0, 2, 0], [0, 2, 1], IMAGES, dilations=[1, 2, 1])
reduce("max", "f32", [1, 1, 12], [1, 1, 1], [0, 0, 6], [0, 0, 5], IMAGES)
reduce("sum", "f32", [5, 1, 11], [2, 1, 2], [2, 0, 5], [2, 0, 5], IMAGES)
for element in DTYPES:
    reduce("max", element, [1, 3, 3], [1, 2, 2], [0, 1, 1], [0, 1, 1], IMAGES)
    reduce("sum", element, [1, 2, 3], [1, 1, 1], [0, 0, 1], [0, 1, 1], IMAGES)

# Maps of short lines, which are transposed if there are enough of them.
MAPS = [(8, 1, 1), (16, 7, 7), (17, 14, 14), (33, 2, 15), (9, 5, 3), (40, 0, 4), (12, 30, 40)]
for kind in NUMPY:
    reduce(kind, "f32", [1, 3, 3], [1, 1, 1], [0, 1, 1], [0, 1, 1], MAPS)
    reduce(kind, "f32", [1, 3, 3], [1, 2, 2], [0, 1, 1], [0, 1, 1], MAPS)
    reduce(kind, "f32", [1, 40, 40], [1, 40, 40], [0, 0, 0], [0, 39, 39], MAPS)
for kind in ("max", "min"):
    reduce(kind, "f32", [1, 3, 3], [1, 1, 1], [0, 1, 1], [0, 1, 1], IMAGES + MAPS[:5], nan=True)
reduce("sum", "f32", [1, 3], [1, 2], [0, 1], [0, 1], [(20, 13), (8, 1), (7, 40)])
VOLUMES = [(3, 7, 2, 5, 7), (1, 17, 3, 3, 14), (2, 4, 1, 1, 1)]
ones = [1, 1, 1, 1, 1]
reduce("max", "f32", [1, 1, 2, 3, 3], ones, [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], VOLUMES)
reduce("sum", "f32", [1, 1, 1, 2, 3], ones, [0, 0, 0, 1, 0], [0, 0, 0, 0, 2], VOLUMES)

# Channels behind the line: as many as a vector, fewer, and none.
LAST = [(2, 5, 7, 16), (1, 4, 9, 3), (1, 1, 1, 40), (1, 3, 3, 0), (2, 1, 2, 1)]
reduce("max", "f32", [1, 3, 3, 1], [1, 1, 1, 1], [0, 1, 1, 0], [0, 1, 1, 0], LAST)
reduce("sum", "f32", [1, 3, 3, 1], [1, 2, 2, 1], [0, 1, 1, 0], [0, 1, 1, 0], LAST)
reduce("min", "f32", [1, 3, 1, 1], [1, 1, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0], LAST)
reduce("sum", "f32", [1, 2, 2, 1], [1, 2, 3, 1], [0, 0, 0, 0], [0, 1, 1, 0], LAST)
reduce("max", "f32", [2], [2], [0], [1], [(1,), (2,), (31,), (100,)])
reduce("sum", "f32", [2, 2, 2], [1, 2, 2], [1, 0, 1], [0, 1, 1], [(3, 4, 5), (1, 1, 1), (2, 7, 40)])

# Windows that reach far beyond the line, at both ends, and past it.
FAR = [(1, 1, 1), (2, 5, 7), (1, 4, 33), (1, 3, 70)]
for kind in NUMPY:
    reduce(kind, "f32", [1, 40, 40], [1, 40, 40], [0, 0, 0], [0, 39, 39], FAR)
reduce("sum", "f32", [1, 1, 64], [1, 1, 1], [0, 0, 70], [0, 0, 80], FAR)
reduce("max", "f32", [1, 2, 64], [1, 1, 3], [0, 1, 65], [0, 1, 64], FAR)
reduce("sum", "f32", [1, 1, 30], [1, 1, 2], [0, 0, 40], [0, 0, 60], FAR, dilations=[1, 1, 3])
LAST = [(1, 5, 7, 16), (2, 1, 1, 3), (1, 3, 33, 40)]
reduce("sum", "f32", [1, 40, 40, 1], [1, 40, 40, 1], [0, 0, 0, 0], [0, 39, 39, 0], LAST)
reduce("max", "f32", [1, 1, 40, 1], [1, 1, 1, 1], [0, 0, 45, 0], [0, 0, 45, 0], LAST)
reduce("sum", "f16", [1, 20, 20, 1], [1, 3, 7, 1], [0, 9, 25, 0], [0, 19, 30, 0], LAST)

# Lines that are read where they are, with windows that are unrolled and longer ones.
LINES = [(1, 1, 33), (2, 5, 70), (0, 3, 40), (1, 7, 48)]
for element in DTYPES:
    reduce("sum", element, [1, 1, 25], [1, 1, 1], [0, 0, 0], [0, 0, 0], LINES)
reduce("max", "f32", [1, 1, 33], [1, 1, 1], [0, 0, 0], [0, 0, 0], LINES)
reduce("min", "f32", [1, 1, 3], [1, 1, 1], [0, 0, 0], [0, 0, 0], LINES, dilations=[1, 1, 9])
LAST = [(2, 3, 40, 5), (1, 2, 47, 17)]
reduce("sum", "f32", [1, 1, 9, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0], LAST)
reduce("sum", "f32", [1, 1, 40, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0], LAST)

run_cases()
