//===- RouterBlock.cpp - A router for a block of its cells ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RouterBlock.h"

#include "dyn/Dialect/Cell/Transforms/RowWise.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dyn::dhlo::DimExpr;

/// The values of a router that have a row for each cell; nothing if a row may
/// depend on other cells.
static std::optional<llvm::DenseSet<Value>>
findCells(cell::RouteOp route, const SymbolicDims &dims) {
  Block &block = route.getRouter().front();
  DimExpr cells = route.getRoutes().getType().getCells();
  llvm::DenseSet<Value> rows;
  auto isRows = [&](Value value) { return rows.contains(value); };
  auto hasCells = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getRank() > 0 && dims.isEqual(dhlo::getDim(type, 0), cells);
  };
  for (Value argument : block.getArguments())
    if (hasCells(argument))
      rows.insert(argument);
  for (Operation &op : block.without_terminator()) {
    // The same for all cells, with any number of them.
    bool isRepeated =
        isa<dhlo::BroadcastOp, dhlo::IotaOp>(op) && hasCells(op.getResult(0));
    if (!isRepeated && llvm::none_of(op.getOperands(), isRows))
      continue;
    if (cell::whyNotRowWise(&op, dims, isRows, /*mayFail=*/true) ||
        !llvm::all_of(op.getResults(), hasCells))
      return std::nullopt;
    for (Value operand : op.getOperands())
      if (hasCells(operand) && !isRows(operand))
        return std::nullopt;
    rows.insert_range(op.getResults());
  }
  if (!llvm::all_of(block.getTerminator()->getOperands(), isRows))
    return std::nullopt;
  return rows;
}

std::optional<Choices>
dist::routeBlock(TensorBuilder &b, cell::RouteOp route, DimExpr size,
                 llvm::function_ref<Value(Value)> takeBlock) {
  auto rows = findCells(route, b.getDims());
  if (!rows)
    return std::nullopt;
  Block &block = route.getRouter().front();
  IRMapping map;
  for (auto [argument, input] :
       llvm::zip_equal(block.getArguments(), route.getInputs()))
    map.map(argument, rows->contains(argument) ? takeBlock(input) : input);
  for (Operation &op : block.without_terminator()) {
    Operation *copy = b.clone(op, map);
    for (auto [from, to] : llvm::zip_equal(op.getResults(), copy->getResults()))
      if (rows->contains(from)) {
        dhlo::Sizes sizes = b.sizesOf(from);
        sizes[0] = size;
        to.setType(b.getTensorType(sizes, b.typeOf(from).getElementType()));
      }
  }
  auto choose = cast<cell::ChooseOp>(block.getTerminator());
  return Choices{map.lookup(choose.getChoices()),
                 choose.getWeights() ? map.lookup(choose.getWeights())
                                     : Value()};
}
