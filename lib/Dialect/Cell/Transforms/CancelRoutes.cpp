//===- CancelRoutes.cpp - Cancels routes between equal routers ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With one row for each cell, dispatch(combine(rows)) by the same routes is
// rows, and dispatch(f(x)) is f(dispatch(x)) if f keeps cells apart. So a
// dispatch is hoisted over such operations as long as it is their only user.
// This pays if it reaches a combine along some operand.

#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/Cell/Transforms/RowWise.h"

#include "dyn/Dialect/DHLO/Analysis/CellFlow.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace dyn::cell {
#define GEN_PASS_DEF_CANCELROUTESPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

namespace {

class Canceller {
public:
  Canceller(DispatchOp dispatch, const SymbolicDims &dims)
      : dispatch(dispatch), routes(dispatch.getRoutes()), dims(dims),
        flow(dims, {routes.getType().getCells()}) {}

  /// Whether hoisting reaches a combine by the same routes, which may be
  /// dropped.
  bool match();
  /// Builds the rows that replace the dispatch.
  Value build() { return build(dispatch.getCells()); }
  unsigned getNumMoved() const { return numMoved; }

private:
  bool hasOneRowAtMost();
  bool isCancelled(Value cells);
  bool canMove(Operation *op);
  bool reachesCombine(Value cells);
  Value build(Value cells);

  DispatchOp dispatch;
  TypedValue<RoutesType> routes;
  const SymbolicDims &dims;
  CellFlow flow;
  unsigned numMoved = 0;
};

} // namespace

bool Canceller::hasOneRowAtMost() {
  RoutesType type = routes.getType();
  auto route = routes.getDefiningOp<RouteOp>();
  if (!route || !dims.isEqual(type.getCells(), type.getRows()))
    return false;
  auto choose = cast<ChooseOp>(route.getRouter().front().getTerminator());
  // A mask of one path also has one choice for each cell.
  return cast<RankedTensorType>(choose.getChoices().getType()).getDimSize(1) ==
             1 &&
         !choose.getWeights();
}

bool Canceller::isCancelled(Value cells) {
  auto combine = cells.getDefiningOp<CombineOp>();
  return combine && combine.getRoutes() == routes;
}

bool Canceller::canMove(Operation *op) {
  if (!op || op->getBlock() != dispatch->getBlock() ||
      op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->getNumOperands() == 0 || !isMemoryEffectFree(op) ||
      !(op->hasTrait<dhlo::Elementwise>() || isa<dhlo::NormalizesRows>(op) ||
        isa<dhlo::DotGeneralOp, dhlo::BroadcastOp>(op)))
    return false;
  // Another user of the cells would make them be computed twice.
  if (!llvm::all_of(op->getUsers(),
                    [&](Operation *user) { return user == *op->user_begin(); }))
    return false;
  bool hasCells = false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto axes = flow.getOperandAxes(op, i, {0});
    if (!axes || (*axes != CellAxes{0} && *axes != CellAxes{-1}))
      return false;
    hasCells |= *axes == CellAxes{0};
  }
  return hasCells || isa<dhlo::BroadcastOp>(op);
}

bool Canceller::reachesCombine(Value cells) {
  if (isCancelled(cells))
    return true;
  Operation *op = cells.getDefiningOp();
  if (!canMove(op))
    return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (*flow.getOperandAxes(op, i, {0}) == CellAxes{0} &&
        reachesCombine(operand))
      return true;
  return false;
}

bool Canceller::match() {
  return hasOneRowAtMost() && reachesCombine(dispatch.getCells()) &&
         areOnlyRowsRead(dispatch.getResult(), routes, dims);
}

Value Canceller::build(Value cells) {
  OpBuilder b(dispatch);
  if (isCancelled(cells))
    return cells.getDefiningOp<CombineOp>().getRows();
  auto toRows = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<dhlo::DimExpr> sizes = dhlo::getDims(type);
    sizes.front() = dhlo::getDim(dispatch.getType(), 0);
    return dhlo::getTensorType(sizes, type.getElementType());
  };
  Operation *op = cells.getDefiningOp();
  auto repeated = isa_and_present<dhlo::BroadcastOp>(op)
                      ? flow.getOperandAxes(op, 0, {0})
                      : std::nullopt;
  bool isRepeated = repeated && *repeated == CellAxes{-1};
  if (!isRepeated && !reachesCombine(cells))
    return DispatchOp::create(b, op ? op->getLoc() : dispatch.getLoc(),
                              toRows(cells), cells, routes);
  IRMapping map;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (*flow.getOperandAxes(op, i, {0}) == CellAxes{0})
      map.map(operand, build(operand));
  b.setInsertionPoint(dispatch);
  Operation *copy = b.clone(*op, map);
  copy->getResult(0).setType(toRows(cells));
  ++numMoved;
  return copy->getResult(0);
}

namespace {
struct CancelRoutesPass : cell::impl::CancelRoutesPassBase<CancelRoutesPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    SmallVector<DispatchOp> dispatches;
    getOperation()->walk([&](DispatchOp op) { dispatches.push_back(op); });
    for (DispatchOp op : dispatches) {
      Canceller canceller(op, dims);
      if (!canceller.match())
        continue;
      // The producers are dead now; the canonicalizer erases them.
      op.replaceAllUsesWith(canceller.build());
      op.erase();
      ++numCancelled;
      numMoved += canceller.getNumMoved();
    }
    if (numCancelled == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
