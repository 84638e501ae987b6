//===- RowWise.cpp - Operations that compute rows independently -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Transforms/RowWise.h"

#include "dyn/Dialect/Cell/IR/Cell.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;

static constexpr const char *kMixes = "it mixes rows";

static const char *require(bool holds, const char *reason = kMixes) {
  return holds ? nullptr : reason;
}

static bool isZero(ArrayAttr exprs, int64_t axis) {
  return cast<dhlo::DimExprAttr>(exprs[axis]).isConst(0);
}

static bool hasNoRowAxis(ArrayRef<int64_t> axes) {
  return !llvm::is_contained(axes, 0);
}

/// Whether the operation may set the error word for these element types.
static bool mayFailOnRows(Operation *op) {
  if (!dhlo::mayFail(op))
    return false;
  Type from = getElementTypeOrSelf(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0));
  if (isa<dhlo::ConvertOp>(op))
    return isa<FloatType>(from) && !isa<FloatType>(to);
  if (isa<dhlo::DivOp, dhlo::RemOp>(op))
    return !isa<FloatType>(from);
  return true;
}

const char *cell::whyNotRowWise(Operation *op, const SymbolicDims &dims,
                                llvm::function_ref<bool(Value)> isRows) {
  if (op->getNumRegions())
    return "it has regions";
  if (mayFailOnRows(op))
    return "it may fail on rows that no cell has";
  if (op->hasTrait<dhlo::Elementwise>())
    return nullptr;
  auto keepsFirst = [&](Value operand) {
    return dims.isEqual(dims.getDim(operand, 0),
                        dims.getDim(op->getResult(0), 0));
  };
  return llvm::TypeSwitch<Operation *, const char *>(op)
      .Case([&](dhlo::BroadcastOp op) {
        // An operand without rows is repeated along them.
        if (!isRows(op.getOperand()))
          return require(hasNoRowAxis(op.getAxes()));
        return require(op.getAxes()[0] == 0);
      })
      .Case([&](dhlo::ReshapeOp op) {
        return require(keepsFirst(op.getOperand()),
                       "it takes the rows from axis 0");
      })
      .Case([&](dhlo::TransposeOp op) {
        return require(op.getPermutation()[0] == 0,
                       "it takes the rows from axis 0");
      })
      .Case([&](dhlo::SliceOp op) {
        return require(isZero(op.getStarts(), 0) && op.getStrides()[0] == 1 &&
                       keepsFirst(op.getOperand()));
      })
      .Case([&](dhlo::PadOp op) {
        return require(isZero(op.getLow(), 0) && isZero(op.getHigh(), 0) &&
                       !isRows(op.getValue()));
      })
      .Case([&](dhlo::ConcatOp op) {
        return require(op.getAxis() != 0 &&
                       llvm::all_of(op.getOperands(), isRows));
      })
      .Case<dhlo::ReverseOp, dhlo::ReduceOp>(
          [&](auto op) { return require(hasNoRowAxis(op.getAxes())); })
      .Case<dhlo::SoftmaxOp, dhlo::ArgReduceOp, dhlo::CumulativeOp,
            dhlo::SortOp, dhlo::TopKOp, dhlo::LayerNormOp, dhlo::RmsNormOp,
            dhlo::IotaOp>([&](auto op) { return require(op.getAxis() != 0); })
      .Case([&](dhlo::ReduceWindowOp op) {
        return require(op.getWindow()[0] == 1 && op.getStrides()[0] == 1 &&
                       isZero(op.getLow(), 0) && isZero(op.getHigh(), 0));
      })
      .Case([&](dhlo::DotGeneralOp op) {
        if (isRows(op.getLhs()) && isRows(op.getRhs()))
          return require(op.getBatch() > 0);
        return require(isRows(op.getLhs()) && op.getBatch() == 0 &&
                       hasNoRowAxis(op.getLhsContract()));
      })
      .Case([&](dhlo::ConvolutionOp op) {
        return require(isRows(op.getInput()) && !isRows(op.getFilter()));
      })
      .Case([&](dhlo::AttentionOp op) {
        return require(llvm::all_of(op->getOperands(), isRows));
      })
      .Case([&](dhlo::ResizeOp op) {
        return require(keepsFirst(op.getOperand()));
      })
      .Default(
          [](Operation *) { return "it is not known to keep rows apart"; });
}

/// The routes by which an operation groups the rows of its first operand.
static Value getGroupingRoutes(Operation *op) {
  auto dot = dyn_cast<dhlo::GroupedDotOp>(op);
  auto source = dot ? dot.getOffsets().getDefiningOp<OffsetsOp>() : nullptr;
  return source ? source.getRoutes() : Value();
}

bool cell::areOnlyRowsRead(Value rows, Value routes, const SymbolicDims &dims) {
  DimExpr count = cast<RoutesType>(routes.getType()).getRows();
  auto hasRows = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getRank() > 0 && dims.isEqual(dhlo::getDim(type, 0), count);
  };
  return llvm::all_of(rows.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto combine = dyn_cast<CombineOp>(user))
      return combine.getRoutes() == routes && combine.getOtherwise() != rows;
    if (auto branch = dyn_cast<SwitchOp>(user))
      return branch.getRoutes() == routes;
    if (getGroupingRoutes(user) == routes && use.getOperandNumber() == 0)
      return true;
    return isa<dhlo::DHLODialect>(user->getDialect()) &&
           user->getNumResults() > 0 && !isa<dhlo::BindsDims>(user) &&
           llvm::all_of(user->getResults(), hasRows) &&
           !whyNotRowWise(user, dims, hasRows) &&
           llvm::all_of(user->getResults(), [&](Value result) {
             return areOnlyRowsRead(result, routes, dims);
           });
  });
}
