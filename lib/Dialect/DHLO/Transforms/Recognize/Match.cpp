//===- Match.cpp - Matchers for patterns over dhlo ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The value that is repeated by broadcasts and reshapes.
static Value skipRepeats(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static std::optional<APFloat> getSplatFloat(Value value) {
  value = skipRepeats(value);
  DenseElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || !attr.isSplat() ||
      !isa<FloatType>(attr.getElementType()))
    return std::nullopt;
  return attr.getSplatValue<APFloat>();
}

double dhlo::toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// A function of one or two numbers.
using Function = double (*)(ArrayRef<double>);

/// The function that an operation computes, if canonicalization does not fold
/// it, as its last bit may differ from one evaluation to another; else null.
static Function getFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Function>(op)
      .Case([](PowOp) -> Function {
        return [](ArrayRef<double> x) { return std::pow(x[0], x[1]); };
      })
      .Case([](SqrtOp) -> Function {
        return [](ArrayRef<double> x) { return std::sqrt(x[0]); };
      })
      .Case([](RsqrtOp) -> Function {
        return [](ArrayRef<double> x) { return 1 / std::sqrt(x[0]); };
      })
      .Case([](DivOp) -> Function {
        return [](ArrayRef<double> x) { return x[0] / x[1]; };
      })
      .Case([](MulOp) -> Function {
        return [](ArrayRef<double> x) { return x[0] * x[1]; };
      })
      .Default(nullptr);
}

/// Evaluates such a function of constants.
static std::optional<double> evaluateNumber(Function function, Operation *op) {
  SmallVector<double> x;
  // One operand may be such a function: chains are followed, but not trees.
  bool isChained = false;
  for (Value operand : op->getOperands()) {
    std::optional<double> number;
    if (std::optional<APFloat> splat = getSplatFloat(operand))
      number = toDouble(*splat);
    else if (!std::exchange(isChained, true))
      number = getSplat(operand);
    if (!number)
      return std::nullopt;
    x.push_back(*number);
  }
  return function(x);
}

std::optional<double> dhlo::getSplat(Value value) {
  if (std::optional<APFloat> splat = getSplatFloat(value))
    return toDouble(*splat);
  value = skipRepeats(value);
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<FloatType>(getTensor(value).getElementType());
  Function function = op && type ? getFunction(op) : nullptr;
  if (!function)
    return std::nullopt;
  std::optional<double> number = evaluateNumber(function, op);
  if (!number)
    return std::nullopt;
  APFloat rounded(*number);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return toDouble(rounded);
}

bool dhlo::isSplat(Value value, double expected) {
  std::optional<APFloat> splat = getSplatFloat(value);
  if (!splat)
    return false;
  APFloat wanted(expected);
  bool losesInfo;
  wanted.convert(splat->getSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return *splat == wanted;
}

bool dhlo::isClose(double value, double expected, Type element) {
  unsigned bits =
      APFloat::semanticsPrecision(cast<FloatType>(element).getFloatSemantics());
  return std::abs(value - expected) <=
         std::ldexp(std::abs(expected), 3 - static_cast<int>(bits));
}

std::optional<Scaled> dhlo::matchScaled(Value value) {
  if (auto mul = value.getDefiningOp<MulOp>()) {
    if (std::optional<double> factor = getSplat(mul.getRhs()))
      return Scaled{mul.getLhs(), *factor};
    if (std::optional<double> factor = getSplat(mul.getLhs()))
      return Scaled{mul.getRhs(), *factor};
  }
  if (auto div = value.getDefiningOp<DivOp>())
    if (std::optional<double> divisor = getSplat(div.getRhs()))
      if (*divisor != 0)
        return Scaled{div.getLhs(), 1 / *divisor};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

Value dhlo::matchSpread(Value value, ArrayRef<int64_t> axes,
                        const SymbolicDims &dims) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  RankedTensorType to = broadcast.getType();
  RankedTensorType from = getTensor(broadcast.getOperand());
  SmallVector<bool> isCovered(to.getRank(), false);
  for (auto [axis, resultAxis] : llvm::enumerate(broadcast.getAxes())) {
    DimExpr size = getDim(from, axis);
    isCovered[resultAxis] = true;
    if (llvm::is_contained(axes, resultAxis)
            ? !size.isConst(1)
            : !dims.isEqual(size, getDim(to, resultAxis)))
      return {};
  }
  for (int64_t axis = 0; axis < to.getRank(); ++axis)
    if (!isCovered[axis] && !llvm::is_contained(axes, axis))
      return {};
  return broadcast.getOperand();
}

Value dhlo::dropUnitAxes(Value value, const SymbolicDims &dims) {
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    if (getUnitAxesMap(getTensor(reshape.getOperand()), reshape.getType(),
                       dims))
      return reshape.getOperand();
  return value;
}

//===----------------------------------------------------------------------===//
// Means
//===----------------------------------------------------------------------===//

/// Whether floats of this type represent every count up to `count`, or are so
/// wide that rounding does not matter.
static bool holdsCounts(FloatType type, DimExpr count,
                        const SymbolicDims &dims) {
  unsigned bits = APFloat::semanticsPrecision(type.getFloatSemantics());
  return type.getWidth() >= 32 || dims.isAtMost(count, int64_t(1) << bits);
}

/// Whether a value is the number of elements along the axes, broadcast.
static bool isCount(Value value, RankedTensorType type, ArrayRef<int64_t> axes,
                    const SymbolicDims &dims) {
  DimExpr count = getConstDim(type.getContext(), 1);
  for (int64_t axis : axes)
    count = mul(count, getDim(type, axis));
  count = dims.expand(count);
  if (std::optional<int64_t> number = getConstantValue(count)) {
    // A 16-bit float may be another number after rounding.
    bool isNarrow = getElementTypeOrSelf(value).getIntOrFloatBitWidth() < 32;
    return isNarrow ? getSplat(value) == static_cast<double>(*number)
                    : isSplat(value, static_cast<double>(*number));
  }
  while (Operation *op = value.getDefiningOp()) {
    // A narrow integer or float might have rounded or wrapped another number.
    Type to = getElementTypeOrSelf(op->getResult(0));
    auto toFloat = dyn_cast<FloatType>(to);
    bool keepsCounts =
        isa<ConvertOp>(op) && (toFloat ? holdsCounts(toFloat, count, dims)
                                       : to.getIntOrFloatBitWidth() >= 32);
    if (!keepsCounts && !isa<BroadcastOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  auto sizes = value.getDefiningOp<FromDimsOp>();
  return sizes && sizes.getExprs().size() == 1 &&
         dims.isEqual(cast<DimExprAttr>(sizes.getExprs()[0]), count);
}

/// The operand of a conversion to a wider float; null if there is no
/// conversion.
static Value matchWidened(Value value) {
  auto convert = value.getDefiningOp<ConvertOp>();
  if (!convert)
    return {};
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(convert.getOperand()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  bool isWider = from && to && from.getWidth() < to.getWidth();
  return isWider ? convert.getOperand() : Value();
}

std::optional<Mean> dhlo::matchMean(Value value, const SymbolicDims &dims) {
  value = dropUnitAxes(value, dims);
  Value quotient = value;
  if (auto rounded = value.getDefiningOp<ConvertOp>())
    quotient = dropUnitAxes(rounded.getOperand(), dims);
  auto div = quotient.getDefiningOp<DivOp>();
  if (!div)
    return std::nullopt;
  auto sum = dropUnitAxes(div.getLhs(), dims).getDefiningOp<ReduceOp>();
  if (!sum || sum.getKind() != ReduceKind::Sum ||
      !isCount(div.getRhs(), getTensor(sum.getOperand()), sum.getAxes(), dims))
    return std::nullopt;
  Value operand = sum.getOperand();
  if (quotient != value)
    operand = matchWidened(operand);
  if (!operand || getElementTypeOrSelf(operand) != getElementTypeOrSelf(value))
    return std::nullopt;
  Mean result{operand, sum, {}};
  for (Operation *op :
       {value.getDefiningOp(), div.getOperation(), sum.getOperation()})
    result.interior.add(op);
  return result;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value dhlo::createReshape(OpBuilder &builder, Location loc, Value value,
                          RankedTensorType type) {
  while (true) {
    if (value.getType() == type)
      return value;
    auto reshape = value.getDefiningOp<ReshapeOp>();
    if (!reshape)
      return ReshapeOp::create(builder, loc, type, value);
    value = reshape.getOperand();
  }
}

static RankedTensorType swapLastTwo(RankedTensorType type) {
  SmallVector<DimExpr> sizes = getDims(type);
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return getTensorType(sizes, type.getElementType());
}

bool dhlo::keepsLastTwo(ReshapeOp reshape, const SymbolicDims &dims) {
  RankedTensorType from = getTensor(reshape.getOperand());
  RankedTensorType to = reshape.getType();
  if (from.getRank() < 2 || to.getRank() < 2)
    return false;
  for (int64_t i = 1; i <= 2; ++i)
    if (!dims.isEqual(getDim(from, from.getRank() - i),
                      getDim(to, to.getRank() - i)))
      return false;
  return true;
}

Value dhlo::transposeLastTwo(OpBuilder &builder, Location loc, Value value,
                             const SymbolicDims &dims) {
  RankedTensorType type = getTensor(value);
  // Looks through a reshape of the leading axes if its producer is a transpose.
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    if (reshape.getOperand().getDefiningOp<TransposeOp>() &&
        keepsLastTwo(reshape, dims)) {
      Value swapped =
          transposeLastTwo(builder, loc, reshape.getOperand(), dims);
      return createReshape(builder, loc, swapped, swapLastTwo(type));
    }
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(permutation[type.getRank() - 1], permutation[type.getRank() - 2]);
  if (auto inner = value.getDefiningOp<TransposeOp>()) {
    for (int64_t &axis : permutation)
      axis = inner.getPermutation()[axis];
    value = inner.getOperand();
    if (llvm::is_sorted(permutation))
      return value;
  }
  return TransposeOp::create(builder, loc, swapLastTwo(type), value,
                             builder.getDenseI64ArrayAttr(permutation));
}

void dhlo::eraseDead(Operation *op) {
  llvm::SetVector<Operation *> worklist;
  worklist.insert(op);
  while (!worklist.empty()) {
    Operation *dead = worklist.pop_back_val();
    if (!isOpTriviallyDead(dead))
      continue;
    for (Value operand : dead->getOperands())
      if (Operation *source = operand.getDefiningOp())
        worklist.insert(source);
    dead->erase();
  }
}

bool Interior::isClosed(Operation *root) const {
  SmallVector<Operation *> worklist(ops.begin(), ops.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (op == root)
      continue;
    for (Operation *user : op->getUsers()) {
      if (user == root || ops.contains(user))
        continue;
      if (!isa<BroadcastOp, ReshapeOp>(user))
        return false;
      worklist.push_back(user);
    }
  }
  return true;
}
