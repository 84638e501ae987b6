# ===- execute_resize.py - Resizes against numpy ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Resizes against numpy: each mode and rule of coordinates, axes that change in front,
# behind and apart, lines shorter than a vector and without elements, and types.

import itertools
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "ui8": np.uint8}
F = np.float32


def coordinates(rule, scale, size, to):
    """In f32, as kernels compute them."""
    i = np.arange(to, dtype=F)
    step = F(1 / scale) if scale else F(size) / F(to)
    if rule == "asymmetric":
        return i * step
    if rule == "align_corners":
        return i * F(size - 1) / F(to - 1) if to != 1 else np.zeros(1, F)
    x = (i + F(0.5)) * step - F(0.5)
    return np.zeros_like(x) if rule == "pytorch_half_pixel" and to == 1 else x


def taps(mode, rounding, rule, scale, size, to):
    x = coordinates(rule, scale, size, to)
    if mode == "nearest":
        whole = {
            "floor": np.floor(x),
            "ceil": np.ceil(x),
            "round_prefer_floor": np.ceil(x - F(0.5)),
            "round_prefer_ceil": np.floor(x + F(0.5)),
        }[rounding]
        return [(whole, np.ones_like(x))]
    low = np.floor(x)
    part = x - low
    if mode == "linear":
        return [(low, 1 - part), (low + 1, part)]
    a, result = -0.75, []
    for k in range(-1, 3):
        d = abs(part - k).astype(np.float64)
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        result.append((low + k, near if k in (0, 1) else far))
    return result


def expect(x, mode, rounding, rule, scales, to):
    for axis, (scale, size) in enumerate(zip(scales, to)):
        if x.shape[axis] == size and scale in (0, 1):
            continue
        parts = []
        for index, weight in taps(mode, rounding, rule, scale, x.shape[axis], size):
            at = np.clip(index, 0, x.shape[axis] - 1).astype(np.int64)
            shape = [-1 if i == axis else 1 for i in range(x.ndim)]
            parts.append(np.take(x, at, axis) * (weight.reshape(shape) if mode != "nearest" else 1))
        x = sum(parts[1:], parts[0])
    return x


@case
def resize(mode, rounding, rule, element, scales, growth, shapes):
    """`growth`: of the sizes, where the scale is 0."""
    rank = len(scales)
    names = [f"d{i}" for i in range(rank)]
    x = f"tensor<{'?x' * rank}{element}, #dhlo.dims<{', '.join(names)}>>"
    y = f"tensor<{'?x' * rank}{element}, #dhlo.dims<{', '.join('e' + n for n in names)}>>"
    factors = [int(s * 2) if s else g for s, g in zip(scales, growth)]
    declared = "".join(f"  dhlo.dim @{n} in [0, ?]\n" for n in names)
    declared += "".join(
        f"  dhlo.dim @e{n} = ({f} * @{n}) floordiv 2\n" for n, f in zip(names, factors)
    )
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: {x}):
{declared}
  %0 = dhlo.resize {mode} {rule} {rounding} %x scales = {[float(s) for s in scales]} coefficient = -0.75
      : ({x}) -> {y}
  dlhlo.yield %0 : {y}
}}""",
        ISA,
    )
    yield
    dtype = DTYPES[element]
    for shape in shapes:
        values = rng.standard_normal(shape) * (1 if element[0] == "f" else 50)
        values = abs(values).astype(dtype) if element[0] == "u" else values.astype(dtype)
        to = [f * n // 2 for f, n in zip(factors, shape)]
        (result,), _ = k(list(shape), [values], [(tuple(to), dtype)])
        if not result.size:
            continue
        exact = values if mode == "nearest" else values.astype(np.float64)
        wanted = expect(exact, mode, rounding, rule, scales, to)
        if mode == "nearest":
            assert np.array_equal(result, wanted), (mode, rounding, rule, shape)
        elif element[0] == "f":
            close(result, wanted, 2e-3 if element == "f16" else 2e-5)
        else:
            # Rounded towards zero: a sum beside an integer may be on either side.
            low = 0 if element[0] == "u" else -np.inf
            assert (abs(result - np.clip(wanted, low, 255 if low == 0 else np.inf)) < 1.01).all()


IMAGES = [(1, 1, 1), (2, 5, 7), (1, 4, 33), (2, 3, 16), (0, 3, 5), (1, 2, 50)]
RULES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
for rule in RULES:
    resize("linear", "floor", rule, "f32", [1, 2, 2], [2, 0, 0], IMAGES)
    resize("cubic", "floor", rule, "f32", [1, 0, 0], [2, 3, 5], IMAGES)
    for rounding in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"):
        resize("nearest", rounding, rule, "f32", [1, 2, 1.5], [2, 0, 0], IMAGES)
        # Lines that repeat their elements.
        resize("nearest", rounding, rule, "f32", [1, 1.5, 2], [2, 0, 0], IMAGES)
for rounding, rule in (("floor", "asymmetric"), ("round_prefer_floor", "half_pixel")):
    resize("nearest", rounding, rule, "f32", [1, 0, 0], [2, 4, 8], IMAGES)
    resize("nearest", rounding, rule, "f32", [2, 1, 8], [0, 2, 0], IMAGES)
for element, mode in itertools.product(DTYPES, ("nearest", "linear")):
    resize(mode, "floor", "half_pixel", element, [1, 2, 3], [2, 0, 0], IMAGES)
    resize(mode, "floor", "half_pixel", element, [1, 1, 2], [2, 0, 0], IMAGES)
    resize(mode, "floor", "asymmetric", element, [1, 2, 2], [2, 0, 0], IMAGES)
# Channels last, a single axis in front, and one that gets smaller.
LAST = [(1, 3, 4, 16), (2, 2, 3, 5), (1, 1, 1, 40), (1, 3, 2, 0), (1, 2, 5, 1)]
resize("linear", "floor", "half_pixel", "f32", [1, 2, 2, 1], [2, 0, 0, 2], LAST)
resize("nearest", "floor", "asymmetric", "f32", [1, 2, 2, 1], [2, 0, 0, 2], LAST)
resize("cubic", "floor", "half_pixel", "f32", [1, 1.5, 1, 1], [2, 0, 2, 2], LAST)
resize("linear", "floor", "align_corners", "f32", [3, 1, 1, 1], [0, 2, 2, 2], LAST)
resize("linear", "floor", "half_pixel", "f32", [1, 0.5, 0.5], [2, 0, 0], IMAGES)
resize("linear", "floor", "half_pixel", "f32", [0], [3], [(1,), (40,), (7,)])

run_cases()
