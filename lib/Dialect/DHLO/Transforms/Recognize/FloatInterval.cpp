//===- FloatInterval.cpp - Ranges of the elements of float tensors --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatInterval.h"
#include "Match.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// Masks are computed in a few steps from their constants and conditions.
constexpr unsigned kMaxDepth = 8;

double dhlo::getLargest(FloatType type) {
  return toDouble(APFloat::getLargest(type.getFloatSemantics()));
}

/// The minimum and the maximum of a constant's elements.
static std::optional<Interval> getRange(ConstantOp op) {
  if (std::optional<double> splat = getSplat(op))
    return Interval{*splat, *splat};
  auto floats = dyn_cast<DenseFPElementsAttr>(op.getValue());
  if (!floats || floats.empty())
    return std::nullopt;
  Interval range = {INFINITY, -INFINITY};
  for (const APFloat &element : floats) {
    double number = toDouble(element);
    // Also excludes NaN.
    if (!std::isfinite(number))
      return std::nullopt;
    range.low = std::min(range.low, number);
    range.high = std::max(range.high, number);
  }
  return range;
}

static std::optional<Interval> getInterval(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return std::nullopt;
  auto of = [&](Value v) { return getInterval(v, depth + 1); };
  auto join = [](std::optional<Interval> x,
                 std::optional<Interval> y) -> std::optional<Interval> {
    if (!x || !y)
      return std::nullopt;
    return Interval{std::min(x->low, y->low), std::max(x->high, y->high)};
  };
  if (op->hasTrait<MovesOneOperand>() || op->hasTrait<Gathers>())
    return of(op->getOperand(0));
  std::optional<Interval> result =
      llvm::TypeSwitch<Operation *, std::optional<Interval>>(op)
          .Case([&](ConstantOp op) { return getRange(op); })
          .Case([&](IotaOp op) -> std::optional<Interval> {
            double bound = std::ldexp(1.0, 63);
            auto isNegative = [](Attribute attr) {
              return getConstantValue(cast<DimExprAttr>(attr)).value_or(-1) < 0;
            };
            return Interval{isNegative(op.getStart()[0]) ||
                                    isNegative(op.getStep()[0])
                                ? -bound
                                : 0,
                            bound};
          })
          .Case([&](ConcatOp op) -> std::optional<Interval> {
            std::optional<Interval> all = of(op.getOperands().front());
            for (Value operand : op.getOperands().drop_front())
              all = join(all, of(operand));
            return all;
          })
          .Case([&](PowOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y || !(x->low > 0))
              return std::nullopt;
            // Monotone in each operand if the other one is fixed.
            double ends[] = {
                std::pow(x->low, y->low), std::pow(x->low, y->high),
                std::pow(x->high, y->low), std::pow(x->high, y->high)};
            return Interval{*std::min_element(ends, ends + 4),
                            *std::max_element(ends, ends + 4)};
          })
          .Case([&](ConvertOp op) -> std::optional<Interval> {
            Type from = getTensor(op.getOperand()).getElementType();
            auto integer = dyn_cast<IntegerType>(from);
            if (!integer)
              return of(op.getOperand());
            if (integer.getWidth() == 1)
              return Interval{0, 1};
            double bound = std::ldexp(1.0, integer.getWidth());
            return Interval{-bound, bound};
          })
          .Case([&](SelectOp op) {
            return join(of(op.getOnTrue()), of(op.getOnFalse()));
          })
          .Case([&](AddOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y)
              return std::nullopt;
            return Interval{x->low + y->low, x->high + y->high};
          })
          .Case([&](SubOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y)
              return std::nullopt;
            return Interval{x->low - y->high, x->high - y->low};
          })
          .Case([&](MulOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y)
              return std::nullopt;
            double ends[] = {x->low * y->low, x->low * y->high,
                             x->high * y->low, x->high * y->high};
            return Interval{*std::min_element(ends, ends + 4),
                            *std::max_element(ends, ends + 4)};
          })
          .Default([](Operation *) { return std::nullopt; });
  auto type = dyn_cast<FloatType>(getTensor(value).getElementType());
  if (!result || !type)
    return std::nullopt;
  double bound = getLargest(type);
  // Also false for NaN.
  if (!(result->low >= -bound && result->high <= bound))
    return std::nullopt;
  return result;
}

std::optional<Interval> dhlo::getInterval(Value value) {
  return ::getInterval(value, 0);
}
