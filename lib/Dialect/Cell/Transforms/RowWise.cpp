//===- RowWise.cpp - Operations that compute rows independently -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Transforms/RowWise.h"

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Dialect/DHLO/IR/Failure.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;

static constexpr const char *kMixes = "it mixes rows",
                            *kMoves = "it takes the rows from axis 0",
                            *kUnknown = "it is not known to keep rows apart";

const char *cell::whyNotRowWise(Operation *op, const SymbolicDims &dims,
                                llvm::function_ref<bool(Value)> isRows,
                                bool mayFail) {
  if (op->getNumRegions())
    return "it has regions";
  if (!mayFail && dhlo::mayFailForTypes(op))
    return "it may fail on rows that no cell has";
  if (op->hasTrait<dhlo::Elementwise>())
    return nullptr;
  if (auto reshape = dyn_cast<dhlo::ReshapeOp>(op))
    return dims.isEqual(dims.getDim(reshape.getOperand(), 0),
                        dims.getDim(reshape.getResult(), 0))
               ? nullptr
               : kMoves;
  if (auto iota = dyn_cast<dhlo::IotaOp>(op))
    return iota.getAxis() != 0 ? nullptr : kMixes;
  if (op->getNumOperands() == 0)
    return kUnknown;
  for (OpOperand &operand : op->getOpOperands()) {
    auto map = getIndexingMap(op, operand.getOperandNumber(), dims);
    if (!map)
      return kUnknown;
    bool hasRows = isRows(operand.get());
    for (auto [axis, index] : llvm::enumerate(*map)) {
      // A row is read for the same row of the result; what has no rows is the
      // same for all.
      if (hasRows && axis == 0) {
        if (!index.isSame())
          return kMixes;
        if (index.axis != 0)
          return kMoves;
      } else if (index.dependsOn(0)) {
        return kMixes;
      }
    }
  }
  return nullptr;
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
