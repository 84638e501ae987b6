//===- Elementwise.cpp - Element by element -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include <cmath>

using namespace mlir;
using namespace dyn;

// Functions of floats that are not correctly rounded by the processor are
// evaluated in f64 and rounded, so that the reference is as good as exact.

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// result[i] = fn(operand[i]) for elements of type T; `fn` takes and returns
/// the computing type.
template <typename T, typename Fn>
static void mapElements(const Tensor &operand, Tensor &result, Fn fn) {
  using C = ComputeType<T>;
  ArrayRef<T> in = operand.getData<T>();
  MutableArrayRef<T> out = result.getMutableData<T>();
  for (size_t i = 0; i != in.size(); ++i)
    out[i] = T(C(fn(C(in[i]))));
}

template <typename T, typename Fn>
static void mapElements(const Tensor &lhs, const Tensor &rhs, Tensor &result,
                        Fn fn) {
  using C = ComputeType<T>;
  ArrayRef<T> x = lhs.getData<T>(), y = rhs.getData<T>();
  MutableArrayRef<T> out = result.getMutableData<T>();
  for (size_t i = 0; i != x.size(); ++i)
    out[i] = T(C(fn(C(x[i]), C(y[i]))));
}

/// Fails unless both tensors have the same sizes.
static LogicalResult checkSameSizes(Operation *op, const Tensor &lhs,
                                    const Tensor &rhs) {
  for (int64_t axis = 0; axis != lhs.getRank(); ++axis)
    if (lhs.getSize(axis) != rhs.getSize(axis))
      return emitSizeMismatch(op, "axis " + Twine(axis) + " of an operand",
                              lhs.getSize(axis), rhs.getSize(axis));
  return success();
}

/// Evaluates a function of one float, given for double.
template <typename Op>
static LogicalResult mapFloat(Op op, Evaluator &state, double (*fn)(double)) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  if (failed(result))
    return failure();
  dispatchFloat(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    // One rounding from double to f16 would differ from a processor, which
    // computes in f32.
    using C = ComputeType<T>;
    mapElements<T>(operand, *result, [&](C x) { return C(fn(double(x))); });
  });
  return state.set(op, op.getResult(), *result);
}

/// Evaluates a generic function of one operand. `dispatch` is one of the
/// functions of Element.h.
template <typename Op, typename Dispatch, typename Fn>
static LogicalResult mapUnary(Op op, Evaluator &state, Dispatch dispatch,
                              Fn fn) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  if (failed(result))
    return failure();
  dispatch(operand.getElementType(),
           [&](auto tag) { mapElements<decltype(tag)>(operand, *result, fn); });
  return state.set(op, op.getResult(), *result);
}

/// Likewise of two operands.
template <typename Op, typename Dispatch, typename Fn>
static LogicalResult mapBinary(Op op, Evaluator &state, Dispatch dispatch,
                               Fn fn) {
  const Tensor &lhs = state.get(op.getLhs()), &rhs = state.get(op.getRhs());
  FailureOr<Tensor> result =
      state.allocate(op, lhs.getElementType(), lhs.getSizes());
  if (failed(result) || failed(checkSameSizes(op, lhs, rhs)))
    return failure();
  dispatch(lhs.getElementType(), [&](auto tag) {
    mapElements<decltype(tag)>(lhs, rhs, *result, fn);
  });
  return state.set(op, op.getResult(), *result);
}

// The dispatchers as objects, to be passed to the functions above.
#define DYN_DISPATCHER(name, function)                                         \
  static constexpr auto name = [](Type type, auto fn) { function(type, fn); }
DYN_DISPATCHER(floats, dispatchFloat);
DYN_DISPATCHER(ints, dispatchInt);
DYN_DISPATCHER(intsAndBools, dispatchIntOrBool);
DYN_DISPATCHER(numbers, dispatchNumber);
#undef DYN_DISPATCHER

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <> LogicalResult dyn::evaluate(dhlo::AbsOp op, Evaluator &state) {
  return mapUnary(op, state, numbers, [](auto x) {
    using C = decltype(x);
    if constexpr (std::is_floating_point_v<C>)
      return std::fabs(x);
    else
      return x < C(0) ? wrapSub(C(0), x) : x;
  });
}

template <> LogicalResult dyn::evaluate(dhlo::AcosOp op, Evaluator &state) {
  return mapFloat(op, state, std::acos);
}

template <> LogicalResult dyn::evaluate(dhlo::AcoshOp op, Evaluator &state) {
  return mapFloat(op, state, std::acosh);
}

template <> LogicalResult dyn::evaluate(dhlo::AddOp op, Evaluator &state) {
  return mapBinary(op, state, numbers,
                   [](auto x, auto y) { return wrapAdd(x, y); });
}

template <> LogicalResult dyn::evaluate(dhlo::AndOp op, Evaluator &state) {
  return mapBinary(op, state, intsAndBools,
                   [](auto x, auto y) { return decltype(x)(x & y); });
}

template <> LogicalResult dyn::evaluate(dhlo::AsinOp op, Evaluator &state) {
  return mapFloat(op, state, std::asin);
}

template <> LogicalResult dyn::evaluate(dhlo::AsinhOp op, Evaluator &state) {
  return mapFloat(op, state, std::asinh);
}

template <> LogicalResult dyn::evaluate(dhlo::AtanOp op, Evaluator &state) {
  return mapFloat(op, state, std::atan);
}

template <> LogicalResult dyn::evaluate(dhlo::Atan2Op op, Evaluator &state) {
  return mapBinary(op, state, floats, [](auto x, auto y) {
    return decltype(x)(std::atan2(double(x), double(y)));
  });
}

template <> LogicalResult dyn::evaluate(dhlo::AtanhOp op, Evaluator &state) {
  return mapFloat(op, state, std::atanh);
}

template <> LogicalResult dyn::evaluate(dhlo::CeilOp op, Evaluator &state) {
  return mapFloat(op, state, std::ceil);
}

template <typename C>
static bool compare(dhlo::CompareDirection direction, C x, C y) {
  switch (direction) {
  case dhlo::CompareDirection::EQ:
    return x == y;
  case dhlo::CompareDirection::NE:
    return x != y;
  case dhlo::CompareDirection::LT:
    return x < y;
  case dhlo::CompareDirection::LE:
    return x <= y;
  case dhlo::CompareDirection::GT:
    return x > y;
  case dhlo::CompareDirection::GE:
    return x >= y;
  }
  llvm_unreachable("all directions are covered");
}

template <> LogicalResult dyn::evaluate(dhlo::CompareOp op, Evaluator &state) {
  const Tensor &lhs = state.get(op.getLhs()), &rhs = state.get(op.getRhs());
  FailureOr<Tensor> result =
      state.allocate(op, op.getType().getElementType(), lhs.getSizes());
  if (failed(result) || failed(checkSameSizes(op, lhs, rhs)))
    return failure();
  MutableArrayRef<Bool> out = result->getMutableData<Bool>();
  dispatchElement(lhs.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> x = lhs.getData<T>(), y = rhs.getData<T>();
    for (size_t i = 0; i != x.size(); ++i)
      out[i] = Bool(compare<C>(op.getDirection(), x[i], y[i]));
  });
  return state.set(op, op.getResult(), *result);
}

/// Converts a value of a computing type to an element. Clears `isExact` where a
/// number has no integer.
template <typename To, typename C> static To convert(C x, bool &isExact) {
  using CTo = ComputeType<To>;
  if constexpr (std::is_same_v<To, Bool>) {
    return Bool(x != C(0));
  } else if constexpr (isFloatElement<To>) {
    // A 16-bit float is converted from f64 in one rounding, from integers via
    // f32.
    if constexpr (std::is_same_v<C, double> && sizeof(To) == 2)
      return To(x);
    else
      return To(CTo(x));
  } else if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(x)) {
      isExact = false;
      return To(0);
    }
    // Both bounds are exact in C: a power of two, and zero or its negation.
    const C end = std::ldexp(C(1), std::numeric_limits<To>::digits);
    C truncated = std::trunc(x);
    if (truncated >= end) {
      isExact &= std::isinf(x);
      return std::numeric_limits<To>::max();
    }
    if (truncated < (std::is_signed_v<To> ? -end : C(0))) {
      isExact &= std::isinf(x);
      return std::numeric_limits<To>::min();
    }
    return To(truncated);
  } else {
    return To(x);
  }
}

template <> LogicalResult dyn::evaluate(dhlo::ConvertOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result = state.allocate(
      op, state.getElementType(op.getType()), operand.getSizes());
  if (failed(result))
    return failure();
  bool isExact = true;
  dispatchElement(operand.getElementType(), [&](auto from) {
    dispatchElement(result->getElementType(), [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      ArrayRef<From> in = operand.getData<From>();
      MutableArrayRef<To> out = result->getMutableData<To>();
      for (size_t i = 0; i != in.size(); ++i)
        out[i] = convert<To>(ComputeType<From>(in[i]), isExact);
    });
  });
  if (!isExact)
    state.reportDataError(op, DataErrorKind::Conversion);
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::CosOp op, Evaluator &state) {
  return mapFloat(op, state, std::cos);
}

template <> LogicalResult dyn::evaluate(dhlo::CoshOp op, Evaluator &state) {
  return mapFloat(op, state, std::cosh);
}

template <> LogicalResult dyn::evaluate(dhlo::DivOp op, Evaluator &state) {
  return mapBinary(op, state, numbers, [&](auto x, auto y) {
    using C = decltype(x);
    if constexpr (std::is_integral_v<C>) {
      if (y == C(0)) {
        state.reportDataError(op, DataErrorKind::Division);
        return C(0);
      }
      // The minimum integer divided by -1 wraps.
      if (std::is_signed_v<C> && y == C(-1))
        return wrapSub(C(0), x);
    }
    return C(x / y);
  });
}

template <> LogicalResult dyn::evaluate(dhlo::ErfOp op, Evaluator &state) {
  return mapFloat(op, state, std::erf);
}

template <> LogicalResult dyn::evaluate(dhlo::ExpOp op, Evaluator &state) {
  return mapFloat(op, state, std::exp);
}

template <> LogicalResult dyn::evaluate(dhlo::Expm1Op op, Evaluator &state) {
  return mapFloat(op, state, std::expm1);
}

template <> LogicalResult dyn::evaluate(dhlo::FloorOp op, Evaluator &state) {
  return mapFloat(op, state, std::floor);
}

template <> LogicalResult dyn::evaluate(dhlo::GeluOp op, Evaluator &state) {
  if (op.getKind() == dhlo::GeluKind::Erf)
    return mapFloat(op, state, [](double x) {
      return x * (1 + std::erf(x * M_SQRT1_2)) / 2;
    });
  return mapFloat(op, state, [](double x) {
    double inner = M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x);
    return x * (1 + std::tanh(inner)) / 2;
  });
}

/// Whether `test` holds, for each element.
template <typename OpTy, typename Test>
static LogicalResult testFloat(OpTy op, Evaluator &state, Test test) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result =
      state.allocate(op, op.getType().getElementType(), operand.getSizes());
  if (failed(result))
    return failure();
  MutableArrayRef<Bool> out = result->template getMutableData<Bool>();
  dispatchFloat(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    ArrayRef<T> in = operand.getData<T>();
    for (size_t i = 0; i != in.size(); ++i)
      out[i] = Bool(test(ComputeType<T>(in[i])));
  });
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::IsInfOp op, Evaluator &state) {
  return testFloat(op, state, [](auto x) { return std::isinf(x); });
}

template <> LogicalResult dyn::evaluate(dhlo::IsNanOp op, Evaluator &state) {
  return testFloat(op, state, [](auto x) { return std::isnan(x); });
}

template <> LogicalResult dyn::evaluate(dhlo::LogOp op, Evaluator &state) {
  return mapFloat(op, state, std::log);
}

template <> LogicalResult dyn::evaluate(dhlo::Log1pOp op, Evaluator &state) {
  return mapFloat(op, state, std::log1p);
}

template <> LogicalResult dyn::evaluate(dhlo::LogisticOp op, Evaluator &state) {
  return mapFloat(op, state, [](double x) {
    // Of two equal formulas, the one whose exponential does not overflow.
    if (x >= 0)
      return 1 / (1 + std::exp(-x));
    double e = std::exp(x);
    return e / (1 + e);
  });
}

template <> LogicalResult dyn::evaluate(dhlo::MaximumOp op, Evaluator &state) {
  return mapBinary(op, state, numbers,
                   [](auto x, auto y) { return maximum(x, y); });
}

template <> LogicalResult dyn::evaluate(dhlo::MinimumOp op, Evaluator &state) {
  return mapBinary(op, state, numbers,
                   [](auto x, auto y) { return minimum(x, y); });
}

template <> LogicalResult dyn::evaluate(dhlo::MulOp op, Evaluator &state) {
  return mapBinary(op, state, numbers,
                   [](auto x, auto y) { return wrapMul(x, y); });
}

template <> LogicalResult dyn::evaluate(dhlo::NegOp op, Evaluator &state) {
  return mapUnary(op, state, numbers, [](auto x) {
    using C = decltype(x);
    if constexpr (std::is_floating_point_v<C>)
      return -x;
    else
      return wrapSub(C(0), x);
  });
}

template <> LogicalResult dyn::evaluate(dhlo::NotOp op, Evaluator &state) {
  return mapUnary(op, state, intsAndBools, [](auto x) {
    using C = decltype(x);
    if constexpr (std::is_same_v<C, bool>)
      return !x;
    else
      return C(~x);
  });
}

template <> LogicalResult dyn::evaluate(dhlo::OrOp op, Evaluator &state) {
  return mapBinary(op, state, intsAndBools,
                   [](auto x, auto y) { return decltype(x)(x | y); });
}

/// x to the power of y, wrapping.
template <typename C> static C powInt(C x, C y) {
  if (std::is_signed_v<C> && y < C(0)) {
    if (x == C(1))
      return C(1);
    if (x == C(-1))
      return y % C(2) == C(0) ? C(1) : C(-1);
    return C(0);
  }
  C result(1);
  for (auto rest = std::make_unsigned_t<C>(y); rest; rest >>= 1) {
    if (rest & 1)
      result = wrapMul(result, x);
    x = wrapMul(x, x);
  }
  return result;
}

template <> LogicalResult dyn::evaluate(dhlo::PowOp op, Evaluator &state) {
  return mapBinary(op, state, numbers, [](auto x, auto y) {
    using C = decltype(x);
    if constexpr (std::is_floating_point_v<C>)
      return C(std::pow(double(x), double(y)));
    else
      return powInt(x, y);
  });
}

template <>
LogicalResult dyn::evaluate(dhlo::ReciprocalOp op, Evaluator &state) {
  return mapUnary(op, state, floats, [](auto x) { return decltype(x)(1) / x; });
}

template <> LogicalResult dyn::evaluate(dhlo::RemOp op, Evaluator &state) {
  return mapBinary(op, state, numbers, [&](auto x, auto y) {
    using C = decltype(x);
    if constexpr (std::is_integral_v<C>) {
      if (y == C(0)) {
        state.reportDataError(op, DataErrorKind::Division);
        return C(0);
      }
      if (std::is_signed_v<C> && y == C(-1))
        return C(0);
      return C(x % y);
    } else {
      return std::fmod(x, y);
    }
  });
}

template <> LogicalResult dyn::evaluate(dhlo::RoundOp op, Evaluator &state) {
  return mapFloat(op, state, std::nearbyint);
}

template <> LogicalResult dyn::evaluate(dhlo::RsqrtOp op, Evaluator &state) {
  return mapUnary(op, state, floats,
                  [](auto x) { return decltype(x)(1) / std::sqrt(x); });
}

template <> LogicalResult dyn::evaluate(dhlo::SelectOp op, Evaluator &state) {
  const Tensor &predicate = state.get(op.getPredicate());
  const Tensor &onTrue = state.get(op.getOnTrue());
  const Tensor &onFalse = state.get(op.getOnFalse());
  FailureOr<Tensor> result =
      state.allocate(op, onTrue.getElementType(), onTrue.getSizes());
  if (failed(result) || failed(checkSameSizes(op, onTrue, onFalse)) ||
      failed(checkSameSizes(op, onTrue, predicate)))
    return failure();
  ArrayRef<Bool> choices = predicate.getData<Bool>();
  dispatchElement(onTrue.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    ArrayRef<T> x = onTrue.getData<T>(), y = onFalse.getData<T>();
    MutableArrayRef<T> out = result->getMutableData<T>();
    for (size_t i = 0; i != x.size(); ++i)
      out[i] = choices[i] ? x[i] : y[i];
  });
  return state.set(op, op.getResult(), *result);
}

template <>
LogicalResult dyn::evaluate(dhlo::ShiftLeftOp op, Evaluator &state) {
  return mapBinary(op, state, ints, [&](auto x, auto y) {
    using C = decltype(x);
    if (y < C(0) || uint64_t(y) >= 8 * sizeof(C)) {
      state.reportDataError(op, DataErrorKind::Shift);
      return C(0);
    }
    return C(std::make_unsigned_t<C>(x) << y);
  });
}

template <>
LogicalResult dyn::evaluate(dhlo::ShiftRightOp op, Evaluator &state) {
  return mapBinary(op, state, ints, [&](auto x, auto y) {
    using C = decltype(x);
    if (y < C(0) || uint64_t(y) >= 8 * sizeof(C)) {
      state.reportDataError(op, DataErrorKind::Shift);
      return C(0);
    }
    return C(x >> y);
  });
}

template <> LogicalResult dyn::evaluate(dhlo::SignOp op, Evaluator &state) {
  return mapUnary(op, state, numbers, [](auto x) {
    using C = decltype(x);
    if (x == C(0) || x != x)
      return x;
    return x < C(0) ? C(-1) : C(1);
  });
}

template <> LogicalResult dyn::evaluate(dhlo::SinOp op, Evaluator &state) {
  return mapFloat(op, state, std::sin);
}

template <> LogicalResult dyn::evaluate(dhlo::SinhOp op, Evaluator &state) {
  return mapFloat(op, state, std::sinh);
}

template <> LogicalResult dyn::evaluate(dhlo::SqrtOp op, Evaluator &state) {
  return mapUnary(op, state, floats, [](auto x) { return std::sqrt(x); });
}

template <> LogicalResult dyn::evaluate(dhlo::SubOp op, Evaluator &state) {
  return mapBinary(op, state, numbers,
                   [](auto x, auto y) { return wrapSub(x, y); });
}

template <> LogicalResult dyn::evaluate(dhlo::TanOp op, Evaluator &state) {
  return mapFloat(op, state, std::tan);
}

template <> LogicalResult dyn::evaluate(dhlo::TanhOp op, Evaluator &state) {
  return mapFloat(op, state, std::tanh);
}

template <> LogicalResult dyn::evaluate(dhlo::XorOp op, Evaluator &state) {
  return mapBinary(op, state, intsAndBools,
                   [](auto x, auto y) { return decltype(x)(x ^ y); });
}
