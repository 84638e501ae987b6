# ===- elements.py - Elementwise operations at their edges -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The descriptions of elementwise operations in numpy and Python's own integers: for each
# element type the values at which implementations differ, and the results of all pairs of them.
# The interpreter and compiled kernels are both held against it, so neither is its own reference.

import numpy as np

INTEGERS = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
}
#: The types of memory: bf16 is its bits.
FLOATS = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
TYPES = {**INTEGERS, **FLOATS, "i1": np.bool_}

# The powers of two at the ends of the integer types, with what lies at most one beyond them.
_ENDS = [2.0**bits for bits in (7, 8, 15, 16, 31, 32, 63, 64)]
_NUMBERS = [0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 7, 100.75, 1e-3, 2049, 2051, 65519, 65520, 1e30]
_NUMBERS += [*_ENDS, *(end - 0.1 for end in _ENDS), *(end + 1 for end in _ENDS)]
# Between two consecutive f16 or bf16, by less than f32 shows.
_NUMBERS += [1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11, 1 + 2.0**-8]
_LIMITS = {
    "f16": (2.0**-24, 2.0**-14, 65504.0),
    "bf16": (2.0**-133, 2.0**-126, (2 - 2.0**-7) * 2.0**127),
    "f32": (2.0**-149, 2.0**-126, (2 - 2.0**-23) * 2.0**127),
    "f64": (5e-324, 2.0**-1022, (2 - 2.0**-52) * 2.0**1023),
}


def round_to(values, name):
    """Elements of a float type from numbers of 64 bits, rounded once to nearest even."""
    values = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        if name != "bf16":
            return values.astype(FLOATS[name])
        near = values.astype(np.float32)
        # Towards zero, and odd where it is not exact: then a second rounding has no tie.
        too_large = np.abs(near.astype(np.float64)) > np.abs(values)
        near = np.where(too_large, np.nextafter(near, np.float32(0)), near)
        odd = (near.astype(np.float64) != values) & ~np.isnan(values)
        bits = near.view(np.uint32) | odd.astype(np.uint32)
        rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def widen(elements, name):
    """The numbers of elements of a float type, of the type that operations compute in."""
    if name == "bf16":
        return (elements.astype(np.uint32) << 16).view(np.float32)
    return elements.astype(np.float32) if name == "f16" else elements


def edges(name):
    """The elements of a type at which results are special."""
    if name == "i1":
        return np.array([False, True])
    if name in FLOATS:
        numbers = np.array([*_NUMBERS, *_LIMITS[name], np.inf, np.nan])
        return np.concatenate([round_to(numbers, name), round_to(-numbers, name)])
    info = np.iinfo(INTEGERS[name])
    numbers = [info.min, info.min + 1, -info.bits, -7, -3, -2, -1, 0, 1, 2, 3, 7]
    numbers += [info.bits - 1, info.bits, info.max // 2 + 1, info.max - 1, info.max]
    return np.array([n for n in numbers if n >= info.min], INTEGERS[name])


def pairs(name, count=17):
    """All pairs of some edges: for floats without those between and beyond integers."""
    values = edges(name)
    if name in FLOATS:
        last = len(values) // 2
        some = [*range(count - 5), *range(last - 5, last)]
        values = values[[*some, *(i + last for i in some)]]
    x, y = np.meshgrid(values, values, indexing="ij")
    return x.ravel(), y.ravel()


def _wrap(numbers, name):
    info = np.iinfo(INTEGERS[name])
    return np.array([(n - info.min) % 2**info.bits + info.min for n in numbers], INTEGERS[name])


def _divide(x, y):
    """The quotient of Python's integers, rounded towards zero; 0 of a division by zero."""
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _power(x, y, bits):
    if y >= 0:
        return pow(x, y, 2**bits)
    return x ** (-y % 2) if abs(x) == 1 else 0


def _shift(shift):
    """A shift of Python's integers; 0 of an amount that is out of range."""
    return lambda x, y, bits: shift(x, y) if 0 <= y < bits else 0


#: Results of two integers and the width of their type, before they wrap.
BINARY_INTEGERS = {
    "add": lambda x, y, bits: x + y,
    "sub": lambda x, y, bits: x - y,
    "mul": lambda x, y, bits: x * y,
    "maximum": lambda x, y, bits: max(x, y),
    "minimum": lambda x, y, bits: min(x, y),
    "and": lambda x, y, bits: x & y,
    "or": lambda x, y, bits: x | y,
    "xor": lambda x, y, bits: x ^ y,
    "pow": _power,
}
#: The same of those that have data errors.
FAILING_INTEGERS = {
    "div": lambda x, y, bits: _divide(x, y),
    "rem": lambda x, y, bits: 0 if y == 0 else x - _divide(x, y) * y,
    "shift_left": _shift(lambda x, y: x << y),
    "shift_right": _shift(lambda x, y: x >> y),
}
UNARY_INTEGERS = {
    "abs": abs,
    "neg": lambda x: -x,
    "not": lambda x: ~x,
    "sign": lambda x: (x > 0) - (x < 0),
}


def may_fail(op, y, name):
    """For each second operand, whether the operation is a data error."""
    if op in ("div", "rem"):
        return y == 0
    numbers = [int(n) for n in y]
    return np.array([not 0 <= n < np.iinfo(INTEGERS[name]).bits for n in numbers])


def _extreme(larger):
    """The maximum or the minimum: NaN is the result of NaN, and +0 is larger than -0."""

    def choose(x, y):
        first = (x > y) | ((x == y) & ~np.signbit(x))
        result = np.where(first == larger, x, y)
        return np.where(np.isnan(x) | np.isnan(y), x.dtype.type(np.nan), result)

    return choose


BINARY_FLOATS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rem": np.fmod,
    "maximum": _extreme(True),
    "minimum": _extreme(False),
}
UNARY_FLOATS = {
    "abs": np.abs,
    "neg": np.negative,
    "sign": lambda x: np.where((x == 0) | np.isnan(x), x, np.copysign(x.dtype.type(1), x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: x.dtype.type(1) / np.sqrt(x),
    "reciprocal": lambda x: x.dtype.type(1) / x,
}
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def evaluate(op, name, *operands):
    """The elements of a result."""
    if name == "i1":
        functions = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
        return {**functions, "not": np.logical_not}[op](*operands)
    if name in FLOATS:
        with np.errstate(all="ignore"):
            wide = [widen(x, name) for x in operands]
            return round_to({**BINARY_FLOATS, **UNARY_FLOATS}[op](*wide), name)
    numbers = [[int(n) for n in x] for x in operands]
    if len(operands) == 1:
        return _wrap([UNARY_INTEGERS[op](n) for n in numbers[0]], name)
    function = {**BINARY_INTEGERS, **FAILING_INTEGERS}[op]
    bits = np.iinfo(INTEGERS[name]).bits
    return _wrap([function(x, y, bits) for x, y in zip(*numbers)], name)


def compare(direction, name, x, y):
    if name in FLOATS:
        x, y = widen(x, name), widen(y, name)
    return COMPARISONS[direction](x, y)


def convert(values, source, target):
    """Converted elements, and which of them are a data error."""
    exact = np.zeros(len(values), bool)
    if source in FLOATS:
        values = widen(values, source).astype(np.float64)
        if target in FLOATS:
            return round_to(values, target), exact
        if target == "i1":
            return values != 0, exact
        info = np.iinfo(INTEGERS[target])
        result, fails = [], []
        for value in values.tolist():
            number = 0
            if np.isinf(value):
                number = info.max if value > 0 else info.min
            elif value == value:
                number = int(value)
            result.append(min(max(number, info.min), info.max))
            fails.append(value != value or (np.isfinite(value) and number != result[-1]))
        return np.array(result, INTEGERS[target]), np.array(fails)
    if target == "i1":
        return values != 0, exact
    if target in INTEGERS:
        return _wrap([int(n) for n in values], target), exact
    if target in ("f16", "bf16"):
        return round_to(values.astype(np.float32), target), exact
    return values.astype(FLOATS[target]), exact


def drop_zero_signs(elements, name):
    """Elements of a float type with +0 for -0."""
    zero = widen(elements, name) == 0
    return np.where(zero, elements.dtype.type(0), elements)


def same(found, expected, name):
    """Whether elements have the same bits; all NaN are the same."""
    found, expected = np.asarray(found), np.asarray(expected)
    if name in FLOATS:
        number = ~np.isnan(widen(expected, name))
        if not np.array_equal(np.isnan(widen(found, name)), ~number):
            return False
        found, expected = found[number], expected[number]
    return found.tobytes() == expected.astype(found.dtype).tobytes()


def check(found, expected, name, what, *operands):
    """Fails with the first elements that differ."""
    if same(found, expected, name):
        return
    wrong = [i for i in range(len(expected)) if not same(found[i], expected[i], name)][:4]
    shown = [(*(x[i] for x in operands), "found", found[i], "expected", expected[i]) for i in wrong]
    raise AssertionError(f"{what} of {name}: {shown}")


def programs(name):
    """Operations that cannot fail on %x and %y of a type: name, text of the operation, element
    type of the result and expected elements of all pairs."""
    x, y = pairs(name)
    t = f"tensor<?x{name}, #dhlo.dims<N>>"
    p = "tensor<?xi1, #dhlo.dims<N>>"
    if name == "i1":
        binary, unary = ("and", "or", "xor"), ("not",)
    elif name in FLOATS:
        binary, unary = BINARY_FLOATS, UNARY_FLOATS
    else:
        binary, unary = BINARY_INTEGERS, UNARY_INTEGERS
    for op in binary:
        yield op, f"dhlo.{op} %x, %y : {t}", name, evaluate(op, name, x, y)
    for op in unary:
        yield op, f"dhlo.{op} %x : {t}", name, evaluate(op, name, x)
    for direction in COMPARISONS:
        text = f"dhlo.compare {direction} %x, %y : {t} -> {p}"
        yield direction, text, "i1", compare(direction, name, x, y)
    if name in FLOATS:
        wide = widen(x, name)
        yield "is_nan", f"dhlo.is_nan %x : ({t}) -> {p}", "i1", np.isnan(wide)
        yield "is_inf", f"dhlo.is_inf %x : ({t}) -> {p}", "i1", np.isinf(wide)
