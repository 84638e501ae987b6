//===- FusionRules.cpp - Which operations run as one kernel, and how ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionRules.h"

#include "dyn/Dialect/DHLO/Analysis/SumOfRows.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

bool dlhlo::isView(Operation *op) {
  if (llvm::isa<dhlo::ReshapeOp>(op))
    return true;
  auto slice = llvm::dyn_cast<dhlo::SliceOp>(op);
  if (!slice)
    return false;
  auto from = llvm::cast<RankedTensorType>(slice.getOperand().getType());
  auto to = llvm::cast<RankedTensorType>(slice.getType());
  for (auto [axis, start] :
       llvm::enumerate(slice.getStarts().getAsRange<dhlo::DimExprAttr>())) {
    if (!start.isConst(0) || slice.getStrides()[axis] != 1)
      return false;
    if (axis > 0 && dhlo::getDim(from, axis) != dhlo::getDim(to, axis))
      return false;
  }
  return true;
}

bool dlhlo::isStored(Operation *op) {
  return llvm::isa<dhlo::ConstantOp, dhlo::WeightOp>(op);
}

bool dlhlo::staysOutside(Operation *op) {
  if (llvm::isa<FindNonzeroOp>(op))
    return false;
  return !llvm::isa<dhlo::DHLODialect>(op->getDialect()) ||
         op->getNumResults() == 0 || llvm::isa<dhlo::BindsDims>(op) ||
         isStored(op) || llvm::isa<dhlo::FromDimsOp>(op) || isView(op);
}

Value dlhlo::skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<dhlo::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

/// The kind of a reduction of a tensor over these axes. Axes of size 1 behind
/// them do not keep the elements of a row apart.
static FusionKind getReductionKind(ArrayRef<int64_t> axes,
                                   RankedTensorType type) {
  int64_t end = type.getRank();
  while (end > 0 && !llvm::is_contained(axes, end - 1) &&
         type.getDimSize(end - 1) == 1)
    --end;
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != end - int64_t(axes.size()) + int64_t(i))
      return FusionKind::Column;
  return FusionKind::Row;
}

FusionKind dlhlo::getKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, FusionKind>(op)
      .Case([](dhlo::DotGeneralOp dot) {
        return isSumOfRows(dot) ? FusionKind::Loop : FusionKind::Contraction;
      })
      .Case<dhlo::GroupedDotOp>([](auto) { return FusionKind::Contraction; })
      .Case<dhlo::Convolves>([](auto) { return FusionKind::Convolution; })
      .Case<dhlo::AttentionOp>([](auto) { return FusionKind::Attention; })
      .Case<dhlo::LayerNormOp, dhlo::RmsNormOp>(
          [](auto) { return FusionKind::Row; })
      .Case([](dhlo::SoftmaxOp softmax) {
        return getReductionKind({int64_t(softmax.getAxis())},
                                softmax.getType());
      })
      .Case([](dhlo::ReduceOp reduce) {
        return getReductionKind(reduce.getAxes(),
                                reduce.getOperand().getType());
      })
      .Case([](dhlo::TransposeOp transpose) {
        int64_t last = transpose.getType().getRank() - 1;
        return last >= 0 && transpose.getPermutation()[last] != last
                   ? FusionKind::Transpose
                   : FusionKind::Loop;
      })
      .Default([](Operation *op) {
        return isElementwise(op) || op->hasTrait<dhlo::Movement>() ||
                       op->hasTrait<dhlo::Gathers>() ||
                       llvm::isa<dhlo::IotaOp>(op)
                   ? FusionKind::Loop
                   : FusionKind::Single;
      });
}

bool dlhlo::isElementwise(Operation *op) {
  return op->hasTrait<dhlo::Elementwise>();
}

bool dlhlo::isLoopOp(Operation *op) {
  if (!llvm::isa<dhlo::DHLODialect>(op->getDialect()) ||
      llvm::isa<dhlo::ConstantOp>(op))
    return false;
  if (llvm::isa<dhlo::ReshapeOp>(op))
    return true;
  if (staysOutside(op))
    return false;
  FusionKind kind = getKind(op);
  return kind == FusionKind::Loop || kind == FusionKind::Transpose;
}

bool dlhlo::isFree(Operation *op) {
  // A judgement of this cost model: indices of other movements cost more. Sums
  // of iotas are indices of gathers, which are computed with those of loads.
  return llvm::isa<dhlo::BroadcastOp, dhlo::IotaOp, dhlo::ReshapeOp>(op) ||
         (llvm::isa<dhlo::AddOp>(op) &&
          llvm::all_of(op->getOperands(), [](Value operand) {
            Operation *source = operand.getDefiningOp();
            return llvm::isa_and_present<dhlo::AddOp, dhlo::IotaOp>(source) &&
                   isFree(source);
          }));
}

bool dlhlo::isExpensive(Operation *op) {
  return op->hasTrait<dhlo::Expensive>();
}

bool dlhlo::movesData(Operation *user) {
  return !isElementwise(user) && !llvm::isa<dhlo::ReshapeOp>(user);
}

bool dlhlo::isNearMovement(Operation *op) {
  if (llvm::isa<dhlo::TransposeOp>(op))
    return getKind(op) != FusionKind::Transpose;
  return op->hasTrait<dhlo::Movement>() &&
         !llvm::isa<dhlo::PadOp, dhlo::ReverseOp>(op);
}

bool dlhlo::isRowGather(Operation *op) {
  auto gather = llvm::dyn_cast_if_present<dhlo::GatherOp>(op);
  return gather && gather.getAxis() == 0 && gather.getBatch() == 0 &&
         gather.getOperand().getType().getRank() > 1;
}

/// The number of element positions that an operation visits.
static dhlo::DimExpr getNumVisits(Operation *op, const SymbolicDims &dims) {
  Value visited =
      llvm::isa<dhlo::ReduceOp>(op) ? op->getOperand(0) : op->getResult(0);
  return dims.getNumElements(llvm::cast<RankedTensorType>(visited.getType()));
}

bool dlhlo::readsOnce(Operation *user, dhlo::DimExpr numElements,
                      const SymbolicDims &dims) {
  return dims.isAtMost(getNumVisits(user, dims), numElements);
}

static dhlo::DimExpr getProduct(RankedTensorType type, int64_t begin,
                                int64_t end) {
  dhlo::DimExpr product = dhlo::getConstDim(type.getContext(), 1);
  for (int64_t axis = begin; axis < end; ++axis)
    product = dhlo::mul(product, dhlo::getDim(type, axis));
  return product;
}

std::optional<RowSpace> dlhlo::getRowSpace(Operation *op) {
  if (getKind(op) != FusionKind::Row)
    return std::nullopt;
  auto type = llvm::cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t first =
      llvm::TypeSwitch<Operation *, int64_t>(op)
          .Case([](dhlo::NormalizesRows op) { return op.getAxis(); })
          .Case([&](dhlo::ReduceOp reduce) {
            return type.getRank() - int64_t(reduce.getAxes().size());
          });
  return RowSpace{getProduct(type, 0, first),
                  getProduct(type, first, type.getRank())};
}

bool dlhlo::isRowBroadcast(Operation *op, const RowSpace &space,
                           const SymbolicDims &dims) {
  auto broadcast = llvm::dyn_cast<dhlo::BroadcastOp>(op);
  if (!broadcast)
    return false;
  auto from = llvm::cast<RankedTensorType>(broadcast.getOperand().getType());
  auto to = llvm::cast<RankedTensorType>(broadcast.getType());
  if (!dims.isEqual(dims.getNumElements(from), space.rows))
    return false;
  // Axes of rows come first, unmoved; the others have size 1.
  int64_t next = 0;
  for (auto [axis, resultAxis] : llvm::enumerate(broadcast.getAxes())) {
    dhlo::DimExpr size = dhlo::getDim(from, axis);
    if (size.isConst(1))
      continue;
    if (resultAxis != next || !dims.isEqual(size, dhlo::getDim(to, resultAxis)))
      return false;
    ++next;
  }
  return dims.isEqual(getProduct(to, 0, next), space.rows) &&
         dims.isEqual(getProduct(to, next, to.getRank()), space.columns);
}
