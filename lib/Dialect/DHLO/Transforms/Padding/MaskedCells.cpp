//===- MaskedCells.cpp - Values at cells where a mask is zero -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskedCells.h"

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/Analysis/AffineIndex.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

using Number = std::optional<double>;

/// The element of a splat constant. Broadcasts are not looked through; they are
/// evaluated like any operation.
static Number getNumber(ConstantOp op) {
  auto attr = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!attr || !attr.isSplat())
    return std::nullopt;
  Type element = attr.getElementType();
  if (isa<FloatType>(element)) {
    APFloat value = attr.getSplatValue<APFloat>();
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.convertToDouble();
  }
  APInt value = attr.getSplatValue<APInt>();
  // i1 is 0 or 1.
  bool isUnsigned = element.isUnsignedInteger() || value.getBitWidth() == 1;
  return isUnsigned ? static_cast<double>(value.getZExtValue())
                    : static_cast<double>(value.getSExtValue());
}

static bool compare(CompareDirection direction, double x, double y) {
  switch (direction) {
  case CompareDirection::EQ:
    return x == y;
  case CompareDirection::NE:
    return x != y;
  case CompareDirection::LT:
    return x < y;
  case CompareDirection::LE:
    return x <= y;
  case CompareDirection::GT:
    return x > y;
  case CompareDirection::GE:
    return x >= y;
  }
  llvm_unreachable("all directions are handled");
}

/// Rounds to the element type, so that comparisons with its constants are
/// right; nothing for integers that may not be exact.
static Number roundTo(Type element, double value) {
  if (element.isF32())
    return static_cast<float>(value);
  if (isa<IntegerType>(element) && std::abs(value) > std::ldexp(1.0, 31))
    return std::nullopt;
  return value;
}

MaskedCells::MaskedCells(Value mask, const SymbolicDims &dims)
    : mask(mask), dims(dims), flow(dims, getDims(getTensor(mask))) {}

std::optional<CellAxes> MaskedCells::find(RankedTensorType type) const {
  CellAxes axes;
  for (DimExpr size : flow.getSizes()) {
    int64_t axis = axes.empty() ? 0 : axes.back() + 1;
    while (axis < type.getRank() && !dims.isEqual(getDim(type, axis), size))
      ++axis;
    if (axis == type.getRank())
      return std::nullopt;
    axes.push_back(axis);
  }
  return axes;
}

Number MaskedCells::evaluate(Value value, ArrayRef<int64_t> axes) {
  if (value == mask)
    return axes == ArrayRef<int64_t>{0, 1} ? Number(0) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return std::nullopt;
  for (auto &[cellAxes, number] : known[value])
    if (axes == ArrayRef(cellAxes))
      return number;
  Number number = compute(op, axes);
  known[value].push_back({CellAxes(axes), number});
  return number;
}

Number MaskedCells::compute(Operation *op, ArrayRef<int64_t> axes) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return getNumber(constant);
  if (isa<GatherOp, GatherNdOp>(op))
    return computeGather(op, axes);
  if (op->hasTrait<dhlo::Elementwise>() && op->getNumResults() == 1)
    return computeElementwise(op, axes);
  // Slices and reversals may hold other cells.
  if (op->hasTrait<MovesOneOperand>() && !isa<SliceOp, ReverseOp>(op)) {
    // A scalar has no axes; a repeated value has the same elements everywhere.
    if (auto operand = flow.getOperandAxes(op, 0, axes))
      return evaluate(op->getOperand(0), *operand);
  }
  return std::nullopt;
}

Number MaskedCells::computeElementwise(Operation *op, ArrayRef<int64_t> axes) {
  SmallVector<Number> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand, axes));
  auto isZero = [&](unsigned i) { return operands[i] && *operands[i] == 0; };
  // Cases in which one operand suffices.
  if (isa<MulOp, AndOp>(op) && (isZero(0) || isZero(1)))
    return 0;
  if (isa<SelectOp>(op)) {
    if (operands[0])
      return operands[*operands[0] != 0 ? 1 : 2];
    return operands[1] && operands[2] && *operands[1] == *operands[2]
               ? operands[1]
               : Number();
  }
  Type element = getTensor(op->getResult(0)).getElementType();
  bool isBool = element.isInteger(1);
  if (isa<OrOp>(op) && isBool)
    for (const Number &operand : operands)
      if (operand && *operand != 0)
        return 1;
  if (llvm::any_of(operands, [](const Number &n) { return !n; }))
    return std::nullopt;
  double x = operands.empty() ? 0 : *operands[0];
  double y = operands.size() < 2 ? 0 : *operands[1];
  Number result =
      llvm::TypeSwitch<Operation *, Number>(op)
          .Case<AddOp>([&](auto) { return x + y; })
          .Case<SubOp>([&](auto) { return x - y; })
          .Case<MulOp>([&](auto) { return x * y; })
          .Case<DivOp>([&](auto) -> Number {
            if (y == 0 || !isa<FloatType>(element))
              return std::nullopt;
            return x / y;
          })
          .Case<NegOp>([&](auto) { return -x; })
          .Case<AbsOp>([&](auto) { return std::abs(x); })
          .Case<MaximumOp>([&](auto) { return std::max(x, y); })
          .Case<MinimumOp>([&](auto) { return std::min(x, y); })
          .Case<NotOp>(
              [&](auto) { return isBool ? Number(x == 0) : std::nullopt; })
          .Case<OrOp, AndOp>([&](auto op) -> Number {
            if (!isBool)
              return std::nullopt;
            return isa<OrOp>(op) ? x != 0 || y != 0 : x != 0 && y != 0;
          })
          .Case<XorOp>([&](auto) {
            return isBool ? Number((x != 0) != (y != 0)) : std::nullopt;
          })
          .Case<CompareOp>([&](CompareOp op) {
            return static_cast<double>(compare(op.getDirection(), x, y));
          })
          .Case<ConvertOp>([&](auto) -> Number {
            if (isBool)
              return x != 0;
            return isa<FloatType>(element) || x == std::floor(x) ? Number(x)
                                                                 : std::nullopt;
          })
          .Default([](Operation *) { return std::nullopt; });
  return result ? roundTo(element, *result) : std::nullopt;
}

Number MaskedCells::computeGather(Operation *op, ArrayRef<int64_t> axes) {
  Value operand = op->getOperand(0), indices = op->getOperand(1);
  RankedTensorType from = getTensor(operand);
  if (axes.size() != 2 || axes[0] < 0 || axes[1] < 0)
    return std::nullopt;
  // The index tensors, one for each indexed axis, with axes as in the result.
  SmallVector<AffineIndex> parts;
  int64_t indexRank = getTensor(indices).getRank();
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto index = getAffineIndex(indices, dims);
    if (!index || gather.getAxis() != 0 || gather.getBatch() != 0)
      return std::nullopt;
    parts.push_back(*index);
  } else {
    auto concat = indices.getDefiningOp<ConcatOp>();
    --indexRank;
    if (!concat || cast<GatherNdOp>(op).getBatch() != 0 ||
        static_cast<int64_t>(concat.getAxis()) != indexRank)
      return std::nullopt;
    for (Value part : concat.getOperands()) {
      auto index = getAffineIndex(part, dims);
      if (!index || getTensor(part).getDimSize(indexRank) != 1)
        return std::nullopt;
      index->steps.pop_back();
      parts.push_back(*index);
    }
  }
  // All other axes must have size 1.
  for (int64_t axis = parts.size(); axis < from.getRank(); ++axis)
    if (from.getDimSize(axis) != 1)
      return std::nullopt;
  if (llvm::any_of(axes, [&](int64_t axis) { return axis >= indexRank; }))
    return std::nullopt;
  DimExpr zero = getConstDim(op->getContext(), 0);
  DimExpr one = getConstDim(op->getContext(), 1);
  // Whether a part is steps[0] * b + steps[1] * s.
  auto isPosition = [&](const AffineIndex &part, ArrayRef<DimExpr> steps) {
    if (!dims.isEqual(part.offset, zero))
      return false;
    for (auto [axis, step] : llvm::enumerate(part.steps)) {
      DimExpr wanted = static_cast<int64_t>(axis) == axes[0]   ? steps[0]
                       : static_cast<int64_t>(axis) == axes[1] ? steps[1]
                                                               : zero;
      if (!dims.isEqual(step, wanted))
        return false;
    }
    return true;
  };
  ArrayRef<DimExpr> sizes = flow.getSizes();
  if (parts.size() == 1 && isPosition(parts[0], {sizes[1], one}) &&
      dims.isEqual(getDim(from, 0), mul(sizes[0], sizes[1])))
    return evaluate(operand, {0});
  if (parts.size() == 2 && isPosition(parts[0], {one, zero}) &&
      isPosition(parts[1], {zero, one}) &&
      dims.isEqual(getDim(from, 0), sizes[0]) &&
      dims.isEqual(getDim(from, 1), sizes[1]))
    return evaluate(operand, {0, 1});
  return std::nullopt;
}
