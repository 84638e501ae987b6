# ===- elementwise.py - Elementwise operators ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators. Operands are promoted as PyTorch does: arithmetic to
the type of the result, comparisons to the type of both operands."""

import functools
import math

import sympy
import torch

from dyn.frontend.torch import types
from dyn.frontend.torch.builder import Value
from dyn.frontend.torch.registry import op
from dyn.frontend.torch.widening import widened

_FLOAT_UNARY = (
    "acos acosh asin asinh atan atanh cos cosh erf exp expm1 log log1p reciprocal rsqrt sin sinh "
    "sqrt tan tanh"
)


def _float_unary(name, b, self):
    """Integers are converted to floats."""
    return b.unary(name, b.promote(self))


for _name in _FLOAT_UNARY.split():
    op(f"aten.{_name}.default")(functools.partial(_float_unary, _name))
op("aten.sigmoid.default")(functools.partial(_float_unary, "logistic"))


def _number_unary(name, b, self):
    return b.unary(name, self)


for _name in ("abs", "neg"):
    op(f"aten.{_name}.default")(functools.partial(_number_unary, _name))
op("aten._neg_view.default")(functools.partial(_number_unary, "neg"))
for _name in ("logical_not", "bitwise_not"):
    op(f"aten.{_name}.default")(
        lambda b, self, _name=_name: b.unary(
            "not", b.convert(self, torch.bool) if _name == "logical_not" else self
        )
    )


@op("aten.sign.default")
def sign(b, self):
    """The sign of NaN is 0."""
    result = b.unary("sign", self)
    if not types.is_float(self.dtype):
        return result
    return b.select(b.predicate("is_nan", self), 0.0, result)


def _rounding(name, b, self):
    """Integers are unchanged."""
    return b.unary(name, self) if types.is_float(self.dtype) else self


for _name in ("floor", "ceil"):
    op(f"aten.{_name}.default")(functools.partial(_rounding, _name))


@op("aten.round.default")
def round_(b, self):
    """Ties are rounded to even."""
    return _rounding("round", b, self)


@op("aten.round.decimals")
def round_decimals(b, self, decimals):
    """Rounds to decimals, or to powers of 10 if `decimals` is negative."""
    if decimals == 0 or not types.is_float(self.dtype):
        return _rounding("round", b, self)
    to, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    scale = 10.0 ** abs(decimals)
    return b.binary(back, b.unary("round", b.binary(to, self, scale)), scale)


def truncate(b, x):
    """Rounds towards zero; -0.5 gives -0.0."""
    magnitude = b.unary("floor", b.unary("abs", x))
    return b.select(b.compare("lt", x, 0), b.unary("neg", magnitude), magnitude)


@op("aten.trunc.default")
def trunc(b, self):
    return truncate(b, self) if types.is_float(self.dtype) else self


@op("aten.frac.default")
def frac(b, self):
    return b.binary("sub", self, truncate(b, self))


@widened
def _log(b, self, base):
    """Exact for powers of the base: a result this close to an integer is rounded to it."""
    result = b.binary("mul", b.unary("log", b.promote(self)), 1 / math.log(base))
    whole = b.unary("round", result)
    apart = b.unary("abs", b.binary("sub", result, whole))
    rounding = b.binary("mul", b.unary("abs", whole), torch.finfo(result.dtype).eps)
    return b.select(b.compare("le", apart, rounding), whole, result)


for _name, _base in (("log2", 2), ("log10", 10)):
    op(f"aten.{_name}.default")(functools.partial(_log, base=_base))


@op("aten.exp2.default")
def exp2(b, self):
    """A power, which is exact for integers."""
    return b.binary("pow", 2.0, b.promote(self))


@op("aten.signbit.default")
def signbit(b, self):
    """True for -0.0, too, whose reciprocal is negative."""
    negative = b.compare("lt", self, 0)
    if not types.is_float(self.dtype):
        return negative
    return b.binary("or", negative, b.compare("lt", b.unary("reciprocal", self), 0))


@op("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(b, self, other):
    """The sign of a NaN is lost."""
    magnitude, other = b.unary("abs", b.promote(self)), b.promote(other)
    return b.select(signbit(b, other), b.unary("neg", magnitude), magnitude)


def length(b, x, y):
    """sqrt(x^2 + y^2), scaled by the larger one, because squares may overflow. Both may be
    zero, and an infinite operand outweighs a NaN."""
    infinite = b.binary("or", b.predicate("is_inf", x), b.predicate("is_inf", y))
    x, y = b.unary("abs", x), b.unary("abs", y)
    large, small = b.binary("maximum", x, y), b.binary("minimum", x, y)
    ratio = b.select(b.compare("eq", small, large), 1.0, b.binary("div", small, large))
    root = b.unary("sqrt", b.binary("add", b.binary("mul", ratio, ratio), 1.0))
    return b.select(infinite, float("inf"), b.binary("mul", large, root))


@op("aten.hypot.default")
def hypot(b, self, other):
    return length(b, b.promote(self), b.promote(other))


@op("aten.square.default")
def square(b, self):
    """The square of booleans is an integer."""
    self = b.promote(self)
    return b.binary("mul", self, self)


@op("aten.isnan.default")
def isnan(b, self):
    return _predicate(b, "is_nan", self)


@op("aten.isinf.default")
def isinf(b, self):
    return _predicate(b, "is_inf", self)


def _predicate(b, name, x):
    """False for all types but floats."""
    if not types.is_float(x.dtype):
        return b.full(False, x.sizes, torch.bool)
    return b.predicate(name, x)


@op("aten.isfinite.default")
def isfinite(b, self):
    return b.unary("not", b.binary("or", isnan(b, self), isinf(b, self)))


# ----------------------------------------------------------------------------
# Arithmetic
# ----------------------------------------------------------------------------


def _binary(name, b, self, other):
    if any(_is_finer(name, b.out.dtype, x) for x in (self, other)):
        return _binary_of_numbers(b, name, self, other)
    return b.binary(name, b.promote(self), b.promote(other))


@widened
def _binary_of_numbers(b, name, self, other):
    return b.binary(name, b.promote(self), b.promote(other))


def _is_finer(name, dtype, x):
    """Whether PyTorch multiplies or divides 16-bit floats by a number that their type does
    not represent: a scalar of another type, or a number that is too large or small. One
    that is merely rounded is rounded here, too: its error is that of a rounded result, and
    patterns of the compiler contain such numbers."""
    if types.computed_in(dtype) is dtype or name not in ("mul", "div"):
        return False
    if isinstance(x, Value):
        return x.rank == 0 and x.dtype is not dtype
    if not isinstance(x, (int, float)):
        return True
    rounded, info = torch.tensor(float(x), dtype=dtype).item(), torch.finfo(dtype)
    return rounded != x and not info.tiny <= abs(rounded) <= info.max


def _scaled(b, other, alpha):
    return other if alpha == 1 else b.binary("mul", b.promote(other), b.promote(alpha))


@op("aten.add.Tensor", "aten.add.Scalar")
def add(b, self, other, alpha=1):
    return _binary("add", b, self, _scaled(b, other, alpha))


@op("aten.sub.Tensor", "aten.sub.Scalar")
def sub(b, self, other, alpha=1):
    return _binary("sub", b, self, _scaled(b, other, alpha))


@op("aten.rsub.Tensor", "aten.rsub.Scalar")
def rsub(b, self, other, alpha=1):
    return _binary("sub", b, other, _scaled(b, self, alpha))


for _name, _names in {
    "mul": ("mul.Tensor", "mul.Scalar"),
    "maximum": ("maximum.default", "max.other"),
    "minimum": ("minimum.default", "min.other"),
    "atan2": ("atan2.default",),
    "rem": ("fmod.Tensor", "fmod.Scalar"),
}.items():
    op(*(f"aten.{n}" for n in _names))(functools.partial(_binary, _name))


def _extreme_number(name, b, self, other):
    """The larger or smaller one; of a number and a NaN the number."""
    x, y = b.promote(self), b.promote(other)
    if not types.is_float(b.out.dtype):
        return _binary(name, b, self, other)
    either = b.select(b.predicate("is_nan", y), x, b.binary(name, x, y))
    return b.select(b.predicate("is_nan", x), y, either)


op("aten.fmax.default")(functools.partial(_extreme_number, "maximum"))
op("aten.fmin.default")(functools.partial(_extreme_number, "minimum"))


@op("aten.div.Tensor", "aten.div.Scalar")
def div(b, self, other):
    """The quotient of integers is a float, too."""
    return _binary("div", b, self, other)


@op("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def div_mode(b, self, other, rounding_mode=None):
    """dhlo rounds integer quotients towards zero."""
    self, other = b.promote(self), b.promote(other)
    if rounding_mode == "floor":
        return floor_quotient(b, self, other)
    quotient = b.binary("div", self, other)
    if rounding_mode == "trunc" and types.is_float(quotient.dtype):
        return truncate(b, quotient)
    return quotient


@op("aten.floor_divide.default", "aten.floor_divide.Scalar")
def floor_divide(b, self, other):
    return floor_quotient(b, b.promote(self), b.promote(other))


def floor_quotient(b, x, y):
    """The quotient of two numbers rounded down, without an overflow."""
    quotient = b.binary("div", x, y)
    if not x.dtype.is_signed:
        return quotient
    if types.is_float(x.dtype):
        # PyTorch computes the remainder first, so that the result is consistent with it.
        rest = b.binary("rem", x, y)
        whole = b.unary("round", b.binary("div", b.binary("sub", x, rest), y))
    else:
        rest, whole = b.binary("sub", x, b.binary("mul", quotient, y)), quotient
    down = b.binary("and", b.compare("ne", rest, 0), _differ_in_sign(b, rest, y))
    whole = b.select(down, b.binary("sub", whole, 1), whole)
    return b.select(b.compare("eq", y, 0), quotient, whole) if types.is_float(x.dtype) else whole


@op("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def remainder(b, self, other):
    return remainder_of(b, b.promote(self), b.promote(other))


def remainder_of(b, x, y):
    """The remainder with the sign of the divisor, as in Python."""
    rest = b.binary("rem", x, y)
    if not x.dtype.is_signed:
        return rest
    wrong = b.binary("and", b.compare("ne", rest, 0), _differ_in_sign(b, rest, y))
    return b.select(wrong, b.binary("add", rest, y), rest)


def _differ_in_sign(b, x, y):
    return b.binary("xor", b.compare("lt", x, 0), b.compare("lt", y, 0))


@op("aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def power(b, self, exponent):
    """Small constant exponents are multiplications, which vectorise."""
    base = b.promote(self)
    if exponent == 2:
        return b.binary("mul", base, base)
    if exponent == 3:
        return b.binary("mul", b.binary("mul", base, base), base)
    if types.is_float(base.dtype) and isinstance(exponent, (int, float)):
        if exponent == 1:
            return base
        if exponent in (0.5, -0.5):
            return b.unary("sqrt" if exponent > 0 else "rsqrt", base)
        if exponent == -1:
            return b.unary("reciprocal", base)
    return b.binary("pow", base, b.promote(exponent))


@op("aten.addcmul.default")
@widened
def addcmul(b, self, tensor1, tensor2, value=1):
    scaled = b.binary("mul", b.promote(tensor1), b.promote(tensor2))
    return b.binary("add", b.promote(self), _scaled(b, scaled, value))


@op("aten.addcdiv.default")
@widened
def addcdiv(b, self, tensor1, tensor2, value=1):
    scaled = b.binary("div", b.promote(tensor1), b.promote(tensor2))
    return b.binary("add", b.promote(self), _scaled(b, scaled, value))


@op("aten.lerp.Scalar", "aten.lerp.Tensor")
@widened
def lerp(b, self, end, weight):
    """Interpolates from the nearer end."""
    if isinstance(weight, sympy.Basic) and not weight.is_number:
        weight = b.scalar(weight, b.out.dtype)
    if not isinstance(weight, Value):
        return (_from_start if abs(weight) < 0.5 else _from_end)(b, self, end, weight)
    is_near = b.compare("lt", b.unary("abs", weight), 0.5)
    return b.select(is_near, _from_start(b, self, end, weight), _from_end(b, self, end, weight))


def _from_start(b, start, end, weight):
    step = b.binary("mul", b.promote(weight), b.binary("sub", end, start))
    return b.binary("add", start, step)


def _from_end(b, start, end, weight):
    left = b.binary("sub", b.promote(1), b.promote(weight))
    return b.binary("sub", end, b.binary("mul", b.binary("sub", end, start), left))


# ----------------------------------------------------------------------------
# Comparison, logic, choice
# ----------------------------------------------------------------------------


def common(b, *operands):
    """Converts operands to the type that PyTorch computes in, not the result's."""
    dtype = b.common_dtype()
    return [b.typed(x, dtype) for x in operands]


def _compare(direction, b, self, other):
    return b.compare(direction, *common(b, self, other))


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    op(f"aten.{_name}.Tensor", f"aten.{_name}.Scalar")(functools.partial(_compare, _name))


def _bitwise(name, b, self, other):
    return b.binary(name, b.promote(self), b.promote(other))


for _name in ("and", "or", "xor"):
    op(
        f"aten.bitwise_{_name}.Tensor", f"aten.bitwise_{_name}.Scalar",
        f"aten.__{_name}__.Tensor", f"aten.__{_name}__.Scalar",
    )(functools.partial(_bitwise, _name))  # fmt: skip


def _logical(name, b, self, other):
    return b.binary(name, b.convert(self, torch.bool), b.convert(other, torch.bool))


for _name in ("and", "or", "xor"):
    op(f"aten.logical_{_name}.default")(functools.partial(_logical, _name))


@op("aten.where.self", "aten.where.Scalar", "aten.where.ScalarSelf", "aten.where.ScalarOther")
def where(b, condition, self, other):
    return b.select(b.convert(condition, torch.bool), b.promote(self), b.promote(other))


@op("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def masked_fill(b, self, mask, value):
    return b.select(mask, b.promote(value), self)


@op("aten.clamp.default", "aten.clamp.Tensor")
def clamp(b, self, min=None, max=None):
    """If min is above max, the result is max."""
    result = b.promote(self)
    if min is not None:
        result = b.binary("maximum", result, _bound(b, min))
    if max is not None:
        result = b.binary("minimum", result, _bound(b, max))
    return result


def _bound(b, x):
    """A bound outside of the range of an integer type is clamped to it."""
    if isinstance(x, int) and types.is_integer(b.out.dtype):
        info = torch.iinfo(b.out.dtype)
        x = sorted((info.min, x, info.max))[1]
    return b.promote(x)


@op("aten.clamp_min.default", "aten.clamp_min.Tensor")
def clamp_min(b, self, min):
    return clamp(b, self, min=min)


@op("aten.clamp_max.default", "aten.clamp_max.Tensor")
def clamp_max(b, self, max):
    return clamp(b, self, max=max)


# ----------------------------------------------------------------------------
# Types
# ----------------------------------------------------------------------------


@op("aten._to_copy.default")
def to_copy(b, self, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False,
            memory_format=None):  # fmt: skip
    """The memory layout is chosen by the compiler."""
    return _to(b, self)


@op("prims.convert_element_type.default")
def convert_element_type(b, a, dtype):
    return _to(b, a)


@op("aten.to.dtype")
def to_dtype(b, self, dtype, non_blocking=False, copy=False, memory_format=None):
    return _to(b, self)


@op("aten.to.device")
def to_device(b, self, device, dtype, non_blocking=False, copy=False, memory_format=None):
    return _to(b, self)


@op("aten.to.dtype_layout")
def to_dtype_layout(b, self, dtype=None, layout=None, device=None, pin_memory=None,
                    non_blocking=False, copy=False, memory_format=None):  # fmt: skip
    return _to(b, self)


@op("aten.copy.default")
def copy(b, self, src, non_blocking=False):
    """The elements of a tensor, or of a part of one, after an assignment."""
    return b.broadcast_to(_to(b, src), b.out.sizes)


def _to(b, self):
    if types.is_float(self.dtype) and types.is_integer(b.out.dtype):
        return to_integer(b, self, b.out.dtype)
    return b.promote(self)


def to_integer(b, x, dtype):
    """PyTorch leaves conversions of floats outside of the integer range undefined, and
    models discard such elements; dhlo treats them as errors. So they become the nearest
    integer, and NaN 0."""
    low, high = types.float_bounds(x.dtype, dtype)
    x = b.select(b.predicate("is_nan", x), 0.0, x)
    return b.convert(b.binary("minimum", b.binary("maximum", x, low), high), dtype)


@op("aten.clone.default", "aten.contiguous.default")
def clone(b, self, memory_format=None):
    return self


@op("aten.alias.default", "aten.detach.default", "aten.detach_.default",
    "aten.lift_fresh_copy.default")  # fmt: skip
def alias(b, self):
    return self


@op("aten.bitwise_left_shift.Tensor", "aten.bitwise_left_shift.Tensor_Scalar",
    "aten.__lshift__.Tensor", "aten.__lshift__.Scalar")  # fmt: skip
def shift_left(b, self, other):
    return _bitwise("shift_left", b, self, other)


@op("aten.bitwise_right_shift.Tensor", "aten.bitwise_right_shift.Tensor_Scalar",
    "aten.__rshift__.Tensor", "aten.__rshift__.Scalar")  # fmt: skip
def shift_right(b, self, other):
    return _bitwise("shift_right", b, self, other)
