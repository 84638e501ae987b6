//===- AffineIndex.cpp - Integer tensors that are functions of the index --===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/AffineIndex.h"

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// Chains of operations from an iota to a comparison are short.
constexpr unsigned kMaxDepth = 16;
/// Larger constants are not read.
constexpr int64_t kMaxElements = 1 << 16;
constexpr int64_t kMostPosition = int64_t(1) << 40;

class Analysis {
public:
  explicit Analysis(const SymbolicDims &dims) : dims(dims) {}

  std::optional<AffineIndex> get(Value value, unsigned depth = 0) {
    // Positions do not overflow in these types.
    Operation *op = value.getDefiningOp();
    Type element = getTensor(value).getElementType();
    if (!op || depth > kMaxDepth ||
        !(element.isSignlessInteger(32) || element.isSignlessInteger(64)))
      return std::nullopt;
    if (op->hasTrait<MovesOneOperand>()) {
      std::optional<AffineIndex> index = get(op->getOperand(0), depth + 1);
      return index ? move(op, *index) : std::nullopt;
    }
    return llvm::TypeSwitch<Operation *, std::optional<AffineIndex>>(op)
        .Case([&](ConstantOp op) { return leaf(op); })
        .Case([&](FromDimsOp op) { return leaf(op); })
        .Case([&](IotaOp op) { return leaf(op); })
        .Case([&](ConvertOp op) -> std::optional<AffineIndex> {
          Type from = getTensor(op.getOperand()).getElementType();
          if (from.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
            return std::nullopt;
          return get(op.getOperand(), depth + 1);
        })
        .Case<AddOp, SubOp>([&](auto op) -> std::optional<AffineIndex> {
          auto lhs = get(op.getLhs(), depth + 1);
          auto rhs = get(op.getRhs(), depth + 1);
          if (!lhs || !rhs)
            return std::nullopt;
          return combine(*lhs, *rhs, isa<SubOp>(op));
        })
        .Case([&](MulOp op) -> std::optional<AffineIndex> {
          auto lhs = get(op.getLhs(), depth + 1);
          auto rhs = get(op.getRhs(), depth + 1);
          if (!lhs || !rhs)
            return std::nullopt;
          return isUniform(*rhs)   ? scale(*lhs, rhs->offset)
                 : isUniform(*lhs) ? scale(*rhs, lhs->offset)
                                   : std::optional<AffineIndex>();
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  static bool isUniform(const AffineIndex &index) {
    return llvm::all_of(index.steps,
                        [](DimExpr step) { return step.isConst(0); });
  }
  static AffineIndex scale(AffineIndex index, DimExpr factor) {
    index.offset = mul(index.offset, factor);
    for (DimExpr &step : index.steps)
      step = mul(step, factor);
    return index;
  }
  static AffineIndex combine(AffineIndex lhs, const AffineIndex &rhs,
                             bool subtract) {
    auto apply = [&](DimExpr &x, DimExpr y) {
      x = subtract ? sub(x, y) : add(x, y);
    };
    apply(lhs.offset, rhs.offset);
    for (auto [x, y] : llvm::zip_equal(lhs.steps, rhs.steps))
      apply(x, y);
    return lhs;
  }

private:
  DimExpr constant(Operation *op, int64_t value) {
    return getConstDim(op->getContext(), value);
  }
  AffineIndex uniform(Operation *op, DimExpr offset) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return {offset, SmallVector<DimExpr>(type.getRank(), constant(op, 0))};
  }

  std::optional<AffineIndex> leaf(ConstantOp op) {
    auto attr = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!attr || attr.empty() || attr.getNumElements() > kMaxElements)
      return std::nullopt;
    SmallVector<int64_t> values =
        llvm::map_to_vector(attr.getValues<APInt>(), [](const APInt &value) {
          return value.getSExtValue();
        });
    // Larger ones are no positions, and differences might overflow.
    if (llvm::any_of(values, [](int64_t value) {
          return value < -kMostPosition || value > kMostPosition;
        }))
      return std::nullopt;
    // The steps are those from the first element to the next on each axis.
    AffineIndex index = uniform(op, constant(op, values.front()));
    ArrayRef<int64_t> shape = op.getType().getShape();
    SmallVector<int64_t> steps(shape.size());
    for (int64_t axis = shape.size(), apart = 1; axis-- > 0;
         apart *= shape[axis])
      if (shape[axis] > 1) {
        steps[axis] = values[apart] - values.front();
        index.steps[axis] = constant(op, steps[axis]);
      }
    for (auto [number, value] : llvm::enumerate(values)) {
      int64_t expected = values.front(), rest = number;
      for (int64_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
        expected += steps[axis] * (rest % shape[axis]);
      if (value != expected)
        return std::nullopt;
    }
    return index;
  }
  std::optional<AffineIndex> leaf(FromDimsOp op) {
    if (op.getExprs().size() != 1)
      return std::nullopt;
    return uniform(op, cast<DimExprAttr>(op.getExprs()[0]));
  }
  std::optional<AffineIndex> leaf(IotaOp op) {
    AffineIndex index = uniform(op, cast<DimExprAttr>(op.getStart()[0]));
    index.steps[op.getAxis()] = cast<DimExprAttr>(op.getStep()[0]);
    return index;
  }

  std::optional<AffineIndex> move(Operation *op, const AffineIndex &index) {
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      return move(reshape, index);
    std::optional<IndexingMap> map = getIndexingMap(op, 0);
    if (!map)
      return std::nullopt;
    AffineIndex result = uniform(op, index.offset);
    for (auto [axis, read] : llvm::enumerate(*map)) {
      DimExpr step = index.steps[axis];
      DimExpr size = getDim(getTensor(op->getOperand(0)), axis);
      switch (read.kind) {
      case AxisIndex::Kind::Same:
        result.steps[read.axis] = step;
        break;
      case AxisIndex::Kind::Broadcast:
        if (step.isConst(0) || size.isConst(1))
          break;
        // A size that may be 1 might repeat the element.
        if (!dims.isEqual(size, getDim(getTensor(op->getResult(0)), read.axis)))
          return std::nullopt;
        result.steps[read.axis] = step;
        break;
      case AxisIndex::Kind::Strided:
        result.offset = add(result.offset, mul(read.start, step));
        result.steps[read.axis] = mul(step, read.stride);
        break;
      default:
        return std::nullopt;
      }
    }
    return result;
  }
  std::optional<AffineIndex> move(ReshapeOp op, const AffineIndex &index) {
    auto map = getUnitAxesMap(getTensor(op.getOperand()), op.getType(), dims);
    if (!map)
      return std::nullopt;
    AffineIndex result = uniform(op, index.offset);
    for (auto [axis, resultAxis] : llvm::enumerate(*map))
      if (resultAxis >= 0)
        result.steps[resultAxis] = index.steps[axis];
    return result;
  }

  const SymbolicDims &dims;
};

} // namespace

std::optional<SmallVector<int64_t>>
dhlo::getUnitAxesMap(RankedTensorType from, RankedTensorType to,
                     const SymbolicDims &dims) {
  SmallVector<int64_t> result(from.getRank(), -1);
  int64_t next = 0;
  for (int64_t axis = 0; axis < from.getRank(); ++axis) {
    if (from.getDimSize(axis) == 1)
      continue;
    while (next < to.getRank() && to.getDimSize(next) == 1)
      ++next;
    if (next == to.getRank() ||
        !dims.isEqual(getDim(from, axis), getDim(to, next)))
      return std::nullopt;
    result[axis] = next++;
  }
  for (; next < to.getRank(); ++next)
    if (to.getDimSize(next) != 1)
      return std::nullopt;
  return result;
}

std::optional<AffineIndex> dhlo::getAffineIndex(Value value,
                                                const SymbolicDims &dims) {
  return Analysis(dims).get(value);
}

std::optional<AffineIndex> dhlo::getCondition(CompareOp op,
                                              const SymbolicDims &dims) {
  auto lhs = getAffineIndex(op.getLhs(), dims);
  auto rhs = getAffineIndex(op.getRhs(), dims);
  if (!lhs || !rhs)
    return std::nullopt;
  CompareDirection direction = op.getDirection();
  if (direction == CompareDirection::EQ || direction == CompareDirection::NE)
    return std::nullopt;
  bool isLess =
      direction == CompareDirection::LE || direction == CompareDirection::LT;
  AffineIndex condition =
      isLess ? Analysis::combine(*rhs, *lhs, /*subtract=*/true)
             : Analysis::combine(*lhs, *rhs, /*subtract=*/true);
  if (direction == CompareDirection::LT || direction == CompareDirection::GT)
    condition.offset = add(condition.offset, -1);
  return condition;
}

AffineIndex dhlo::negateCondition(const AffineIndex &condition) {
  AffineIndex result = condition;
  result.offset = add(mul(result.offset, -1), -1);
  for (DimExpr &step : result.steps)
    step = mul(step, -1);
  return result;
}

bool dhlo::isWithin(const AffineIndex &index, ArrayRef<DimExpr> sizes,
                    DimExpr extent, const SymbolicDims &dims) {
  // extent - 1 - index >= 0
  AffineIndex rest = negateCondition(index);
  rest.offset = add(rest.offset, extent);
  return isAlwaysTrue(index, sizes, dims) && isAlwaysTrue(rest, sizes, dims);
}

bool dhlo::isAlwaysTrue(const AffineIndex &condition, ArrayRef<DimExpr> sizes,
                        const SymbolicDims &dims) {
  DimExpr least = condition.offset;
  for (auto [step, size] : llvm::zip_equal(condition.steps, sizes)) {
    if (dims.isAtLeast(step, 0))
      continue;
    if (!dims.isAtMost(step, 0))
      return false;
    least = add(least, mul(step, add(size, -1)));
  }
  return dims.isAtLeast(dims.expand(least), 0);
}
