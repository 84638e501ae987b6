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

std::optional<llvm::DenseSet<Value>> dist::findRows(Block &block, DimExpr size,
                                                    const SymbolicDims &dims) {
  llvm::DenseSet<Value> rows;
  auto isRows = [&](Value value) { return rows.contains(value); };
  auto hasRows = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getRank() > 0 && dims.isEqual(dhlo::getDim(type, 0), size);
  };
  for (Value argument : block.getArguments())
    if (hasRows(argument))
      rows.insert(argument);
  for (Operation &op : block.without_terminator()) {
    // The same for all rows, with any number of them.
    bool isRepeated =
        isa<dhlo::BroadcastOp, dhlo::IotaOp>(op) && hasRows(op.getResult(0));
    if (!isRepeated && llvm::none_of(op.getOperands(), isRows))
      continue;
    if (cell::whyNotRowWise(&op, dims, isRows, /*mayFail=*/true) ||
        !llvm::all_of(op.getResults(), hasRows))
      return std::nullopt;
    for (Value operand : op.getOperands())
      if (hasRows(operand) && !isRows(operand))
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
  Block &block = route.getRouter().front();
  auto rows =
      findRows(block, route.getRoutes().getType().getCells(), b.getDims());
  if (!rows)
    return std::nullopt;
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
