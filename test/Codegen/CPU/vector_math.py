# ===- vector_math.py - Errors of the vector math in ulp -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Errors of the elementary functions in units in the last place, over random
# bit patterns and the ranges where functions bend, against float64.

import functools
import math
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

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
    "log1p": (np.log1p, (-1, 3e38), 2),
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


def is_same(x, y):
    return ((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))


@functools.cache
def compile_one(op, operands, attributes="", element="f32"):
    tensor = f"tensor<?x{element}, #dhlo.dims<d0>>"
    arguments = ", ".join(f"%{i}: {tensor}" for i in range(operands))
    return Kernel(
        f"""
dlhlo.kernel @k loop {{
^bb0({arguments}):
  dhlo.dim @d0 in [0, ?]
  %y = dhlo.{op} {", ".join(f"%{i}" for i in range(operands))} {attributes} : {tensor}
  dlhlo.yield %y : {tensor}
}}""",
        ISA,
    )


def compile_power(base=None, exponent=None):
    """The power of a constant, or with a constant exponent."""
    operands = "%c, %x" if exponent is None else "%x, %c"
    constant = base if exponent is None else exponent
    return Kernel(
        f"""
dlhlo.kernel @k loop {{
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %one = dhlo.constant dense<{constant:.9e}> : tensor<f32>
  %c = dhlo.broadcast %one axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<d0>>
  %y = dhlo.pow {operands} : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %y : tensor<?xf32, #dhlo.dims<d0>>
}}""",
        ISA,
    )


# Those that are used below, to be compiled together.
distances = compile_one("exp", 1, "{dyn.is_distance}")
BASES = [np.float32(base) for base in (2.0, 10.0, 0.5, 1e4, 1.0001, 1.0, 3e38, 1e-40)]
POWERS = {base: compile_power(base) for base in BASES}
EXPONENTS = (-1, 0.5, -0.5, 1.5, 3, 2.4, -0.75)
BY_EXPONENT = {exponent: compile_power(exponent=exponent) for exponent in EXPONENTS}
for name in UNARY:
    compile_one(name, 1)
for name in ("pow", "atan2", "rem"):
    compile_one(name, 2)
for name, operands in (("pow", 2), ("rem", 2), ("acosh", 1)):
    compile_one(name, operands, element="f64")

failures = []
np.seterr(all="ignore")
for name, (reference, (low, high), allowed) in UNARY.items():
    n = 2000 if name == "erf" else 50000
    uniform = rng.uniform(low, high, n)
    small = rng.uniform(max(low, -2), min(high, 2) if high > -2 else high, n)
    near = np.sign(rng.uniform(-1, 1, n)) * 10 ** rng.uniform(-30, 0, n)
    x = np.concatenate([uniform, small, near, SPECIAL]).astype(np.float32)
    (y,), _ = compile_one(name, 1)([len(x)], [x], [(x.shape, np.float32)], splits=(1, 3))
    try:
        check(name, x, y, reference(x.astype(np.float64)), allowed)
    except AssertionError as error:
        failures.append(str(error))
# Limits are exact: one less than them, or a multiple of them, may be 0.
LIMITS = {
    "exp": (0, np.inf),
    "expm1": (-1, np.inf),
    "tanh": (-1, 1),
    "erf": (-1, 1),
    "logistic": (0, 1),
}
far = np.repeat([-np.inf, -1e30, 1e30, np.inf], 17).astype(np.float32)
for name, (low, high) in LIMITS.items():
    (y,), _ = compile_one(name, 1)([len(far)], [far], [(far.shape, np.float32)], splits=(1, 3))
    assert np.array_equal(y, np.where(far < 0, low, high)), f"{name}: {y}"
# e^x of a softmax, which takes no x above 0 and gives 0 where e^x is subnormal.
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
    ("pow", np.power, 0.7),
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

# Powers of a constant: representable ones are exact.
for base, power in POWERS.items():
    limit = min(150 / max(abs(math.log2(base)), 1e-3), 1e5)
    x = rng.uniform(-limit, limit, 30000)
    x = np.concatenate([x, np.round(x[:9000]), np.arange(-150, 129), SPECIAL]).astype(np.float32)
    (y,), _ = power([len(x)], [x], [(x.shape, np.float32)], splits=(1, 3))
    expected = np.power(np.float64(base), x.astype(np.float64))
    try:
        check(f"{base}^", x, y, expected, 1)
    except AssertionError as error:
        failures.append(str(error))
    exact = expected.astype(np.float32) == expected
    assert np.array_equal(y[exact], expected[exact].astype(np.float32)), base

# Powers with a constant exponent: multiplications and roots, or as with any other.
for exponent, power in BY_EXPONENT.items():
    x = np.concatenate([10 ** rng.uniform(-38, 38, 9000), rng.uniform(-2, 2, 9000), SPECIAL])
    x = x.astype(np.float32)
    (y,), _ = power([len(x)], [x], [(x.shape, np.float32)], splits=(1, 3))
    # An array of exponents: numpy takes the root of -inf for a single one.
    exponents = np.full(len(x), np.float32(exponent), np.float64)
    expected = np.power(x.astype(np.float64), exponents)
    try:
        check(f"^{exponent}", x, y, expected, 1.5)
    except AssertionError as error:
        failures.append(str(error))
    zeros = np.array([0.0, -0.0], np.float32)
    (y,), _ = power([2], [zeros], [(zeros.shape, np.float32)], splits=(1,))
    wanted = [math.inf if exponent < 0 else 0.0] * 2
    if exponent in (-1, 3):  # odd: the sign of zero counts
        wanted[1] = -wanted[0]
    assert is_same(y, np.array(wanted, np.float32)).all(), (exponent, y)

# Angles far out, some of them close to a multiple of pi / 2.
getcontext().prec = 90
QUARTER = Decimal("1.57079632679489661923132169163975144209858469968755291048747229615390820314310")


def reduce_angle(x):
    """Sine and cosine of an f32."""
    n = int((Decimal(float(x)) / QUARTER).to_integral_value())
    r = float(Decimal(float(x)) - n * QUARTER)
    sine, cosine = math.sin(r), math.cos(r)
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][n % 4]


x = np.concatenate(
    [
        rng.choice([-1, 1], 2000) * 2 ** rng.uniform(15, 128, 2000),
        rng.integers(2**19, 2**40, 500) * float(QUARTER),
        [2.0**20, 2.0**20 + 1, 16367173 * 2.0**72],
        np.full(20, 0.5),
    ]
).astype(np.float32)
sine, cosine = np.transpose([reduce_angle(v) for v in x])
for name, expected, allowed in (("sin", sine, 1), ("cos", cosine, 1), ("tan", sine / cosine, 2)):
    (y,), _ = compile_one(name, 1)([len(x)], [x], [(x.shape, np.float32)], splits=(1, 3))
    try:
        check(f"far {name}", x, y, expected, allowed)
    except AssertionError as error:
        failures.append(str(error))

# f64: what has an exact result gives it, all else is nearly rounded as it should be.
F64 = [0.0, 1.0, 2.0, 0.5, 3.0, 5e-324, 1e-308, 1.7e308, 2.0**53 + 2, np.inf, np.nan]
F64 += [-v for v in F64]
special = np.array([(v, w) for v in F64 for w in F64])


def in_f64(op, *operands):
    x = [np.asarray(v, np.float64) for v in operands]
    (y,), _ = compile_one(op, len(x), element="f64")(
        [len(x[0])], x, [(x[0].shape, np.float64)], splits=(1, 3)
    )
    return y


pairs = np.array([(v, w) for v in range(-12, 13) if v for w in range(-6, 13)], np.float64)
found = in_f64("pow", *pairs.T)
for (v, w), y in zip(pairs, found, strict=True):
    exact = Fraction(int(v)) ** int(w)
    assert Fraction(y) == exact or Fraction(float(exact)) != exact, (v, w, y)
base = np.concatenate([10 ** rng.uniform(-300, 300, 300), rng.uniform(0.5, 2, 300), [10, 1e-310]])
exponent = rng.uniform(-1, 1, len(base)) * 700 / np.abs(np.log(base))
exponent[-2:] = 300, 0.9
getcontext().prec = 40
for v, w, y in zip(base, exponent, in_f64("pow", base, exponent), strict=True):
    exact = Decimal(float(v)) ** Decimal(float(w))
    error = abs(Decimal(float(y)) - exact) / Decimal(float(np.spacing(float(exact))))
    assert error < 0.8, (v, w, y, error)
found, expected = in_f64("pow", *special.T), np.power(*special.T)
bad = ~is_same(found, expected) & ~(np.abs(found / expected - 1) < 3e-16)
assert not bad.any(), (special[bad][:4], found[bad][:4])
pairs = rng.choice([-1, 1], (3000, 2)) * 2 ** rng.uniform(-1074, 1024, (3000, 2))
multiples = np.array([(i * 0.1, 0.1) for i in range(1, 500)])
pairs = np.concatenate([pairs, multiples, special, [(1.79e308, 0.5)]])
found = in_f64("rem", *pairs.T)
bad = ~is_same(found, np.fmod(*pairs.T))
assert not bad.any(), (pairs[bad][:4], found[bad][:4])
below = -(10 ** rng.uniform(0, 308, 100))
assert np.isnan(in_f64("acosh", below)).all()
below = np.maximum(below, -3e38).astype(np.float32)
(y,), _ = compile_one("acosh", 1)([len(below)], [below], [(below.shape, np.float32)], splits=(1,))
assert np.isnan(y).all(), below[~np.isnan(y)]
assert not failures, "\n".join(failures)
