//===- ElementwiseFold.cpp - Folders of elementwise operations ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Constants fold if they are splats or small. Only results that have the same
// bits in every evaluation are folded: correctly rounded arithmetic, but no
// NaN, no transcendental function, and no integer operation that is a data
// error.

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace dyn::dhlo;

namespace {
/// Larger constants stay operations, unless they are splats.
constexpr int64_t kMostElements = 64;

using MaybeInt = std::optional<APInt>;
using MaybeFloat = std::optional<APFloat>;

bool isFoldable(DenseElementsAttr attr) {
  return attr && (attr.isSplat() || attr.getNumElements() <= kMostElements);
}

/// Maps the elements of constants; `map` gets one element of each. Null if
/// `map` fails for an element.
template <typename T, typename Map>
Attribute mapElements(ArrayRef<DenseElementsAttr> operands,
                      RankedTensorType type, Map map) {
  using Result = std::decay_t<decltype(*map(std::declval<ArrayRef<T>>()))>;
  bool isSplat = llvm::all_of(
      operands, [](DenseElementsAttr attr) { return attr.isSplat(); });
  int64_t count = isSplat ? 1 : type.getNumElements();
  if (type.getNumElements() == 0)
    return {};
  SmallVector<SmallVector<T>> inputs;
  for (DenseElementsAttr attr : operands)
    inputs.push_back(attr.isSplat()
                         ? SmallVector<T>(count, attr.getSplatValue<T>())
                         : llvm::to_vector(attr.getValues<T>()));
  SmallVector<Result> results;
  for (int64_t i = 0; i != count; ++i) {
    SmallVector<T> elements;
    for (auto &input : inputs)
      elements.push_back(input[i]);
    auto result = map(ArrayRef<T>(elements));
    if (!result)
      return {};
    results.push_back(*result);
  }
  return DenseElementsAttr::get(type, results);
}

/// Folds an operation whose operands and result have one type.
template <typename IntMap, typename FloatMap>
Attribute foldConstants(ArrayRef<Attribute> operands, Type result,
                        IntMap intMap, FloatMap floatMap) {
  auto type = cast<RankedTensorType>(result);
  SmallVector<DenseElementsAttr> dense;
  for (Attribute operand : operands) {
    dense.push_back(dyn_cast_or_null<DenseElementsAttr>(operand));
    if (!isFoldable(dense.back()))
      return {};
  }
  if (isa<FloatType>(type.getElementType()))
    return mapElements<APFloat>(dense, type,
                                [&](ArrayRef<APFloat> x) -> MaybeFloat {
                                  MaybeFloat value = floatMap(x);
                                  if (value && value->isNaN())
                                    return std::nullopt;
                                  return value;
                                });
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  return mapElements<APInt>(dense, type, [&](ArrayRef<APInt> x) -> MaybeInt {
    return intMap(x, isUnsigned);
  });
}

MaybeFloat noFloat(ArrayRef<APFloat>) { return std::nullopt; }
MaybeInt noInt(ArrayRef<APInt>, bool) { return std::nullopt; }

/// Whether all elements of a constant are `value`: equal integers, or floats
/// with the same bits.
bool isAll(Attribute attr, int64_t value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!dense || !dense.isSplat() || !isa<IntegerType>(dense.getElementType()))
    return false;
  APInt splat = dense.getSplatValue<APInt>();
  return splat == APInt(splat.getBitWidth(), value, /*isSigned=*/true,
                        /*implicitTrunc=*/true);
}
bool isAllFloat(Attribute attr, double value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!dense || !dense.isSplat() || !isa<FloatType>(dense.getElementType()))
    return false;
  APFloat splat = dense.getSplatValue<APFloat>(), wanted(value);
  bool losesInfo;
  wanted.convert(splat.getSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return splat.bitwiseIsEqual(wanted);
}

constexpr auto kNearest = APFloat::rmNearestTiesToEven;
} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + -0.0 is x for every x; x + 0.0 is not, for -0.0.
  if (isAll(adaptor.getRhs(), 0) || isAllFloat(adaptor.getRhs(), -0.0))
    return getLhs();
  if (isAll(adaptor.getLhs(), 0) || isAllFloat(adaptor.getLhs(), -0.0))
    return getRhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return x[0] + x[1]; },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return x[0] + x[1]; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0) || isAllFloat(adaptor.getRhs(), 0.0))
    return getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return x[0] - x[1]; },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return x[0] - x[1]; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 1) || isAllFloat(adaptor.getRhs(), 1.0))
    return getLhs();
  if (isAll(adaptor.getLhs(), 1) || isAllFloat(adaptor.getLhs(), 1.0))
    return getRhs();
  // Integers only: 0 times NaN is not 0.
  if (isAll(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  if (isAll(adaptor.getLhs(), 0))
    return adaptor.getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return x[0] * x[1]; },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return x[0] * x[1]; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 1) || isAllFloat(adaptor.getRhs(), 1.0))
    return getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool isUnsigned) -> MaybeInt {
        if (x[1].isZero())
          return std::nullopt;
        return isUnsigned ? x[0].udiv(x[1]) : x[0].sdiv(x[1]);
      },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return x[0] / x[1]; });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool isUnsigned) -> MaybeInt {
        if (x[1].isZero())
          return std::nullopt;
        return isUnsigned ? x[0].urem(x[1]) : x[0].srem(x[1]);
      },
      noFloat);
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool isUnsigned) -> MaybeInt {
        return isUnsigned ? llvm::APIntOps::umax(x[0], x[1])
                          : llvm::APIntOps::smax(x[0], x[1]);
      },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return maximum(x[0], x[1]); });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool isUnsigned) -> MaybeInt {
        return isUnsigned ? llvm::APIntOps::umin(x[0], x[1])
                          : llvm::APIntOps::smin(x[0], x[1]);
      },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return minimum(x[0], x[1]); });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  return foldConstants(
      {adaptor.getOperand()}, getType(),
      [](ArrayRef<APInt> x, bool isUnsigned) -> MaybeInt {
        return isUnsigned ? x[0] : x[0].abs();
      },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return abs(x[0]); });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return inner.getOperand();
  return foldConstants(
      {adaptor.getOperand()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return -x[0]; },
      [](ArrayRef<APFloat> x) -> MaybeFloat { return neg(x[0]); });
}

/// Rounds a float constant to an integer.
static Attribute foldRounding(Attribute operand, Type type,
                              APFloat::roundingMode mode) {
  return foldConstants({operand}, type, noInt,
                       [&](ArrayRef<APFloat> x) -> MaybeFloat {
                         APFloat value = x[0];
                         value.roundToIntegral(mode);
                         return value;
                       });
}

/// Rounding a rounded value changes nothing.
template <typename Op> static Value foldRoundedOperand(Op op) {
  Operation *inner = op.getOperand().getDefiningOp();
  return inner && inner->hasTrait<Rounding>() ? op.getOperand() : Value();
}

OpFoldResult FloorOp::fold(FoldAdaptor adaptor) {
  if (Value rounded = foldRoundedOperand(*this))
    return rounded;
  return foldRounding(adaptor.getOperand(), getType(),
                      APFloat::rmTowardNegative);
}

OpFoldResult CeilOp::fold(FoldAdaptor adaptor) {
  if (Value rounded = foldRoundedOperand(*this))
    return rounded;
  return foldRounding(adaptor.getOperand(), getType(),
                      APFloat::rmTowardPositive);
}

OpFoldResult RoundOp::fold(FoldAdaptor adaptor) {
  if (Value rounded = foldRoundedOperand(*this))
    return rounded;
  return foldRounding(adaptor.getOperand(), getType(), kNearest);
}

OpFoldResult ReciprocalOp::fold(FoldAdaptor adaptor) {
  return foldConstants({adaptor.getOperand()}, getType(), noInt,
                       [](ArrayRef<APFloat> x) -> MaybeFloat {
                         return APFloat::getOne(x[0].getSemantics()) / x[0];
                       });
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return inner.getOperand();
  return foldConstants(
      {adaptor.getOperand()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return ~x[0]; }, noFloat);
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAll(adaptor.getRhs(), -1))
    return getLhs();
  if (isAll(adaptor.getLhs(), -1))
    return getRhs();
  if (isAll(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  if (isAll(adaptor.getLhs(), 0))
    return adaptor.getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return x[0] & x[1]; }, noFloat);
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAll(adaptor.getRhs(), 0))
    return getLhs();
  if (isAll(adaptor.getLhs(), 0))
    return getRhs();
  if (isAll(adaptor.getRhs(), -1))
    return adaptor.getRhs();
  if (isAll(adaptor.getLhs(), -1))
    return adaptor.getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return x[0] | x[1]; }, noFloat);
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0))
    return getLhs();
  if (isAll(adaptor.getLhs(), 0))
    return getRhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt { return x[0] ^ x[1]; }, noFloat);
}

OpFoldResult ShiftLeftOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0))
    return getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool) -> MaybeInt {
        if (x[1].uge(x[0].getBitWidth()))
          return std::nullopt;
        return x[0].shl(x[1]);
      },
      noFloat);
}

OpFoldResult ShiftRightOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0))
    return getLhs();
  return foldConstants(
      {adaptor.getLhs(), adaptor.getRhs()}, getType(),
      [](ArrayRef<APInt> x, bool isUnsigned) -> MaybeInt {
        if (x[1].uge(x[0].getBitWidth()))
          return std::nullopt;
        return isUnsigned ? x[0].lshr(x[1]) : x[0].ashr(x[1]);
      },
      noFloat);
}

//===----------------------------------------------------------------------===//
// Comparison, choice, conversion
//===----------------------------------------------------------------------===//

/// Whether a direction holds, given the order of two values.
static bool holds(CompareDirection direction, bool isLess, bool isEqual) {
  switch (direction) {
  case CompareDirection::EQ:
    return isEqual;
  case CompareDirection::NE:
    return !isEqual;
  case CompareDirection::LT:
    return isLess;
  case CompareDirection::LE:
    return isLess || isEqual;
  case CompareDirection::GT:
    return !isLess && !isEqual;
  case CompareDirection::GE:
    return !isLess;
  }
  llvm_unreachable("unknown comparison");
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  Type element = getLhs().getType().getElementType();
  // Integers only: a NaN is not equal to itself.
  if (getLhs() == getRhs() && isa<IntegerType>(element) &&
      type.hasStaticShape())
    return DenseElementsAttr::get(type, holds(getDirection(), false, true));
  auto lhs = dyn_cast_or_null<DenseElementsAttr>(adaptor.getLhs());
  auto rhs = dyn_cast_or_null<DenseElementsAttr>(adaptor.getRhs());
  if (!isFoldable(lhs) || !isFoldable(rhs))
    return {};
  if (isa<FloatType>(element))
    return mapElements<APFloat>(
        {lhs, rhs}, type, [&](ArrayRef<APFloat> x) -> MaybeInt {
          if (x[0].isNaN() || x[1].isNaN())
            return APInt(1, getDirection() == CompareDirection::NE);
          return APInt(1, holds(getDirection(), x[0] < x[1], x[0] == x[1]));
        });
  // Booleans compare as 0 and 1.
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return mapElements<APInt>(
      {lhs, rhs}, type, [&](ArrayRef<APInt> x) -> MaybeInt {
        bool isLess = isUnsigned ? x[0].ult(x[1]) : x[0].slt(x[1]);
        return APInt(1, holds(getDirection(), isLess, x[0] == x[1]));
      });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  auto predicate = dyn_cast_or_null<DenseElementsAttr>(adaptor.getPredicate());
  if (predicate && predicate.isSplat())
    return predicate.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto operand = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (!isFoldable(operand))
    return {};
  RankedTensorType type = getType();
  Type from = operand.getElementType(), to = type.getElementType();
  bool isFromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return mapElements<APInt>({operand}, type,
                              [&](ArrayRef<APInt> x) -> MaybeInt {
                                if (to.isInteger(1))
                                  return APInt(1, !x[0].isZero());
                                unsigned width = to.getIntOrFloatBitWidth();
                                return isFromUnsigned ? x[0].zextOrTrunc(width)
                                                      : x[0].sextOrTrunc(width);
                              });
  if (isa<IntegerType>(from))
    return mapElements<APInt>(
        {operand}, type, [&](ArrayRef<APInt> x) -> MaybeFloat {
          APFloat value(cast<FloatType>(to).getFloatSemantics());
          // Exact conversions only: an intermediate type would round twice.
          if (value.convertFromAPInt(x[0], !isFromUnsigned, kNearest) !=
              APFloat::opOK)
            return std::nullopt;
          return value;
        });
  if (isa<FloatType>(to))
    return mapElements<APFloat>(
        {operand}, type, [&](ArrayRef<APFloat> x) -> MaybeFloat {
          APFloat value = x[0];
          bool losesInfo;
          value.convert(cast<FloatType>(to).getFloatSemantics(), kNearest,
                        &losesInfo);
          if (value.isNaN())
            return std::nullopt;
          return value;
        });
  return mapElements<APFloat>(
      {operand}, type, [&](ArrayRef<APFloat> x) -> MaybeInt {
        if (to.isInteger(1))
          return APInt(1, !x[0].isZero());
        llvm::APSInt value(to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
        bool isExact;
        // A value that does not fit is a data error; infinities saturate.
        if (x[0].convertToInteger(value, APFloat::rmTowardZero, &isExact) ==
                APFloat::opInvalidOp &&
            !x[0].isInfinity())
          return std::nullopt;
        return APInt(value);
      });
}
