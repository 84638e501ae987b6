//===- PathRows.cpp - Operations on the rows of paths ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Transforms/PathRows.h"

#include "dyn/Dialect/Cell/Transforms/RowWise.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

bool dist::choosesApart(cell::RouteOp route) {
  auto choose = cast<cell::ChooseOp>(route.getRouter().front().getTerminator());
  return !route.getCapacity() && !choose.getPriorities();
}

LogicalResult dist::verifyPlacement(cell::RouteOp route,
                                    DenseI64ArrayAttr placement,
                                    int64_t ranks) {
  int64_t paths = route.getRoutes().getType().getPaths();
  if (placement.size() == paths &&
      llvm::all_of(placement.asArrayRef(),
                   [&](int64_t rank) { return rank < ranks; }))
    return success();
  return route.emitOpError("expected one of ")
         << ranks << " ranks for each of " << paths << " paths, found "
         << placement;
}

bool PathRows::isOffsets(Value value) {
  auto op = value.getDefiningOp<cell::OffsetsOp>();
  return op && op.getRoutes() == route.getRoutes();
}

bool PathRows::isPaths(Value value) {
  auto op = value.getDefiningOp<cell::PathsOp>();
  return op && op.getRoutes() == route.getRoutes();
}

bool PathRows::isUniform(Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_if_present<dhlo::BroadcastOp>(op))
    return !llvm::is_contained(broadcast.getAxes(), 0);
  if (auto constant = dyn_cast_if_present<dhlo::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return op && op->hasTrait<dhlo::Elementwise>() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isUniform(operand); });
}

std::string PathRows::visitOther(Operation *op) {
  for (Value operand : op->getOperands())
    if (isOffsets(operand))
      return "it reads where rows of paths are";
  if (const char *reason =
          cell::whyNotRowWise(op, dims, [&](Value v) { return isRows(v); }))
    return reason;
  if (op->hasTrait<dhlo::Elementwise>() &&
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return isRows(operand) || isUniform(operand);
      }))
    return "it reads other rows than those of cells";
  return "";
}

std::string PathRows::visit(Operation *op) {
  if (auto branch = dyn_cast<cell::SwitchOp>(op)) {
    if (branch.getRoutes() != route.getRoutes() ||
        !llvm::all_of(branch.getInputs(), [&](Value v) { return isRows(v); }))
      return "it takes other rows than those of cells";
    return "";
  }
  if (isa<dhlo::GroupedDotOp, dhlo::GroupedConvolutionOp>(op) &&
      isRows(op->getOperand(0)) && !isRows(op->getOperand(1)) &&
      isOffsets(op->getOperand(2))) {
    stacked.push_back(&op->getOpOperand(1));
    return "";
  }
  if (auto gather = dyn_cast<dhlo::GatherOp>(op);
      gather && isPaths(gather.getIndices()) && !isRows(gather.getOperand()) &&
      gather.getAxis() == 0 && gather.getBatch() == 0) {
    stacked.push_back(&gather.getOperandMutable());
    return "";
  }
  return visitOther(op);
}

std::optional<PathRows::Obstacle> PathRows::find() {
  Block *block = route->getBlock();
  SmallVector<Value> values = {route.getRoutes()};
  for (Operation &op :
       llvm::make_range(std::next(route->getIterator()), block->end())) {
    bool usesRoutes = llvm::is_contained(op.getOperands(), route.getRoutes());
    bool usesRows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return isRows(operand) || isOffsets(operand);
    });
    if (!usesRoutes && !usesRows)
      continue;
    operations.push_back(&op);
    auto combine = dyn_cast<cell::CombineOp>(op);
    if (auto dispatch = dyn_cast<cell::DispatchOp>(op);
        dispatch && !isRows(dispatch.getCells())) {
      rows.insert(dispatch.getRows());
    } else if (usesRoutes && combine) {
      if (!isRows(combine.getRows()) || isRows(combine.getOtherwise()))
        return Obstacle{&op, "it combines other rows than those of cells"};
    } else if (isa<cell::PathsOp>(op)) {
      rows.insert(op.getResult(0));
    } else if (isa<cell::OffsetsOp>(op)) {
      values.push_back(op.getResult(0));
    } else if (usesRoutes && !isa<cell::SwitchOp, cell::ProbeOp>(op)) {
      return Obstacle{&op, "it reads the routes"};
    } else if (!isa<cell::ProbeOp>(op)) {
      if (std::string reason = visit(&op); !reason.empty())
        return Obstacle{&op, reason};
      rows.insert_range(op.getResults());
    }
  }
  llvm::append_range(values, rows);
  for (Value value : values)
    for (Operation *user : value.getUsers())
      if (user->getBlock() != block)
        return Obstacle{user, "it is in a region"};
  return std::nullopt;
}
