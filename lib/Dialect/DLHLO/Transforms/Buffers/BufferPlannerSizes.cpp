//===- BufferPlannerSizes.cpp - Sizes that a segment needs ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferPlanner.h"

#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"
#include "Readers.h"
#include "Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

//===----------------------------------------------------------------------===//
// Sizes that follow from others
//===----------------------------------------------------------------------===//

LogicalResult BufferPlanner::computeSizes(Segment segment) {
  for (Operation *op : segment) {
    if (failed(checkSizes(op)))
      return failure();
    SmallVector<Value> sizes;
    if (llvm::isa<LaunchOp, dhlo::FromDimsOp>(op))
      for (Type type : op->getResultTypes())
        if (failed(shape.getSizes(builder, llvm::cast<RankedTensorType>(type),
                                  op, sizes)))
          return failure();
    ArrayAttr exprs;
    if (auto launch = llvm::dyn_cast<LaunchOp>(op))
      exprs = launch.getDims();
    else if (auto fromDims = llvm::dyn_cast<dhlo::FromDimsOp>(op))
      exprs = fromDims.getExprs();
    else if (auto loop = llvm::dyn_cast<dhlo::WhileOp>(op))
      exprs = loop.getInitDims();
    if (auto probe = llvm::dyn_cast<dhlo::ProbeOp>(op))
      if (failed(shape.getSizes(
              builder, llvm::cast<RankedTensorType>(probe.getSeats().getType()),
              op, sizes)))
        return failure();
    if (auto start = llvm::dyn_cast<dist::ExchangeStartOp>(op))
      for (Value value :
           {Value(start.getRows()), Value(dist::getWait(start).getResult())})
        if (failed(shape.getSizes(builder,
                                  llvm::cast<RankedTensorType>(value.getType()),
                                  op, sizes)))
          return failure();
    if (exprs)
      for (auto expr : exprs.getAsRange<dhlo::DimExpr>())
        if (!shape.get(builder, expr, op))
          return failure();
  }
  return success();
}

LogicalResult BufferPlanner::checkSizes(Operation *op) {
  if (isView(op))
    return shape.check(builder, op, dhlo::getUnprovenSizes(op, dims), op);
  auto launch = llvm::dyn_cast<LaunchOp>(op);
  if (!launch)
    return success();
  for (auto [size, maker] : launchSizes.getSizes(launch))
    if (!shape.getSize(builder, size, maker, launch))
      return failure();
  return launchSizes.visitChecks(
      launch, [&](Operation *inner, ArrayRef<dhlo::SizeCheck> checks) {
        return shape.check(builder, inner, checks, launch);
      });
}

//===----------------------------------------------------------------------===//
// Sizes that operations bind
//===----------------------------------------------------------------------===//

LogicalResult BufferPlanner::planBind(dhlo::BindOp bind) {
  Location loc = bind.getLoc();
  Value value;
  if (auto sizes =
          getViewSource(bind.getValue()).getDefiningOp<dhlo::FromDimsOp>()) {
    // The host computes this value from sizes and need not read it.
    value = shape.get(builder, llvm::cast<dhlo::DimExpr>(sizes.getExprs()[0]),
                      bind);
  } else {
    Type type = llvm::cast<RankedTensorType>(bind.getValue().getType())
                    .getElementType();
    value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                       loadScalar(loc, bind.getValue(), type));
  }
  if (!value)
    return failure();
  return bindSize(bind, bind.getSymbolAttr().getAttr(), value);
}

LogicalResult BufferPlanner::bindSize(Operation *op, StringAttr symbol,
                                      Value value,
                                      ArrayRef<dhlo::DimExpr> exprs) {
  Location loc = op->getLoc();
  auto dim = symbols.lookup<dhlo::DimOp>(symbol);
  shape.bind(symbol, value);
  bool isPromise = dim.getMin().value_or(0) > 0 || dim.getMax() ||
                   dim.getAtMostAttr() || dim.getMultipleOf();
  auto isNegative = [&](dhlo::DimExpr expr) {
    return mayBeNegative(expr, dims);
  };
  if (!exprs.empty() && !isPromise && llvm::none_of(exprs, isNegative))
    return success();
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs,
                     int64_t rhs) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, lhs,
                                 getIndex(loc, rhs));
  };
  Value illegal =
      compare(arith::CmpIPredicate::slt, value, dim.getMin().value_or(0));
  auto orIf = [&](Value other) {
    illegal = arith::OrIOp::create(builder, loc, illegal, other);
  };
  if (std::optional<uint64_t> max = dim.getMax())
    orIf(compare(arith::CmpIPredicate::sgt, value, *max));
  if (dhlo::DimExpr bound = dim.getAtMostAttr()) {
    Value most = shape.get(builder, bound, op);
    if (!most)
      return failure();
    orIf(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, value,
                               most));
  }
  if (std::optional<uint64_t> multiple = dim.getMultipleOf())
    orIf(compare(
        arith::CmpIPredicate::ne,
        arith::RemSIOp::create(builder, loc, value, getIndex(loc, *multiple)),
        0));
  FailIfOp::create(builder, loc, illegal, value, sites.add(getSite(op)));
  return success();
}
