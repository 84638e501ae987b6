# ===- vector_math.py - Errors of the vector math in ulp -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Errors of the elementary functions in units in the last place, over random
# bit patterns and the ranges where functions bend, against float64.

import math
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
erf = np.vectorize(math.erf, otypes=[float])

# name: (reference, range, allowed error)
UNARY = {
    "exp": (np.exp, (-104, 89), 2),
    "expm1": (np.expm1, (-20, 88), 4),
    "log": (np.log, (0, 3e38), 2),
    "log1p": (np.log1p, (-1, 3e38), 4),
    "tanh": (np.tanh, (-20, 20), 5),
    "erf": (erf, (-5, 5), 5),
    "logistic": (lambda x: 1 / (1 + np.exp(-x)), (-80, 80), 4),
    "sin": (np.sin, (-1e4, 1e4), 2),
    "cos": (np.cos, (-1e4, 1e4), 2),
    "tan": (np.tan, (-1e4, 1e4), 4),
    "asin": (np.arcsin, (-1, 1), 4),
    "acos": (np.arccos, (-1, 1), 4),
    "atan": (np.arctan, (-100, 100), 4),
    "sinh": (np.sinh, (-88, 88), 6),
    "cosh": (np.cosh, (-88, 88), 6),
    "asinh": (np.arcsinh, (-1e6, 1e6), 5),
    "acosh": (np.arccosh, (1, 1e6), 5),
    "atanh": (np.arctanh, (-1, 1), 5),
    "sqrt": (np.sqrt, (0, 1e30), 1),
    "rsqrt": (lambda x: 1 / np.sqrt(x), (0, 1e30), 2),
}
SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1,
    -1,
    1e-45,
    -1e-45,
    1e-38,
    3e38,
    -3e38,
    0.5,
    2,
    88.8,
    -104,
]


def units(found, expected):
    """Errors in units in the last place of the expected value."""
    rounded = expected.astype(np.float32)
    unit = np.spacing(np.maximum(np.abs(rounded), np.float32(1.2e-38))).astype(np.float64)
    return np.abs(found.astype(np.float64) - expected) / unit


def check(name, x, found, expected, allowed):
    expected = np.asarray(expected, np.float64)
    rounded = expected.astype(np.float32)
    finite = np.isfinite(rounded)
    same = (np.isnan(found) & np.isnan(rounded)) | (found == rounded)
    # A value at the edge of the range may round either way.
    edge = np.abs(expected) > 3.4e38
    bad = ~finite & ~same & ~edge
    assert not bad.any(), f"{name}({x[bad][:4]}) is {found[bad][:4]}, not {rounded[bad][:4]}"
    error = units(found[finite], expected[finite])
    worst = np.argmax(error) if error.size else 0
    print(f"{name:10} {error.max():6.2f} at {x[finite][worst]!r}", flush=True)
    assert error.max() <= allowed, f"{name}: {error.max()} > {allowed} at {x[finite][worst]!r}"


def compile_one(op, operands, attributes=""):
    arguments = ", ".join(f"%{i}: tensor<?xf32, #dhlo.dims<d0>>" for i in range(operands))
    return Kernel(
        f"""
dlhlo.kernel @k loop {{
^bb0({arguments}):
  dhlo.dim @d0 in [0, ?]
  %y = dhlo.{op} {", ".join(f"%{i}" for i in range(operands))} {attributes} : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %y : tensor<?xf32, #dhlo.dims<d0>>
}}""",
        ISA,
    )


failures = []
np.seterr(all="ignore")
for name, (reference, (low, high), allowed) in UNARY.items():
    n = 2000 if name == "erf" else 50000
    uniform = rng.uniform(low, high, n)
    small = rng.uniform(max(low, -2), min(high, 2) if high > -2 else high, n)
    near = np.sign(rng.uniform(-1, 1, n)) * 10 ** rng.uniform(-30, 0, n)
    special = [x for x in SPECIAL if name not in ("sin", "cos", "tan") or abs(x) != 3e38]
    x = np.concatenate([uniform, small, near, special]).astype(np.float32)
    (y,), _ = compile_one(name, 1)([len(x)], [x], [(x.shape, np.float32)], splits=(1, 3))
    try:
        check(name, x, y, reference(x.astype(np.float64)), allowed)
    except AssertionError as error:
        failures.append(str(error))
# e^x of a softmax, which takes no x above 0 and gives 0 where e^x is subnormal.
distances = compile_one("exp", 1, "{dyn.is_distance}")
for low, high, allowed in ((-1, 0, 1.05), (-10, -1, 1.5), (-87, -10, 5 if ISA == "v4" else 1.5)):
    x = np.concatenate([rng.uniform(low, high, 300000), [low, high]]).astype(np.float32)
    (y,), _ = distances([len(x)], [x], [(x.shape, np.float32)], splits=(1, 3))
    try:
        check(f"distance {low}", x, y, np.exp(x.astype(np.float64)), allowed)
    except AssertionError as error:
        failures.append(str(error))
x = -np.concatenate([rng.uniform(87.4, 200, 9000), 10 ** rng.uniform(2, 38, 9000), [np.inf]])
(y,), _ = distances([len(x)], [x.astype(np.float32)], [(x.shape, np.float32)], splits=(1, 3))
assert (y == 0).all(), x[y != 0]
x = np.array([np.nan, 0, -0.0, -1e-45, *[np.nan] * 15], np.float32)
x.view(np.uint32)[9:] |= np.arange(10, dtype=np.uint32)
(y,), _ = distances([len(x)], [x], [(x.shape, np.float32)], splits=(1,))
assert np.array_equal(np.isnan(y), np.isnan(x)) and (y[1:4] == 1).all(), y
for name, reference, allowed in (
    ("pow", np.power, 1),
    ("atan2", np.arctan2, 4),
    ("rem", np.fmod, 0),
):
    a = np.concatenate([rng.uniform(-20, 20, 20000), rng.choice(SPECIAL, 3000)])
    b = np.concatenate(
        [
            rng.uniform(-20, 20, 10000),
            np.round(rng.uniform(-20, 20, 10000)),
            rng.choice(SPECIAL, 3000),
        ]
    )
    a, b = a.astype(np.float32), b.astype(np.float32)
    (y,), _ = compile_one(name, 2)([len(a)], [a, b], [(a.shape, np.float32)], splits=(1, 3))
    try:
        check(name, a, y, reference(a.astype(np.float64), b.astype(np.float64)), allowed)
    except AssertionError as error:
        failures.append(str(error))
assert not failures, "\n".join(failures)
