//===- StageSizes.cpp - The values and sizes that operations need ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Transforms/StageSizes.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace dyn;
using dyn::dhlo::DimExpr;

llvm::SetVector<Value> dist::getReadValues(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

llvm::SetVector<StringAttr> dist::findSizeNames(Operation *op,
                                                const SymbolicDims &dims) {
  llvm::SetVector<StringAttr> names;
  auto visit = [&](DimExpr expr) {
    dhlo::walkSymbols(dims.expand(expr),
                      [&](StringAttr name) { names.insert(name); });
  };
  AttrTypeWalker walker;
  walker.addWalk([&](dhlo::DimExprAttr expr) { visit(expr); });
  walker.addWalk([&](RankedTensorType type) {
    llvm::for_each(dhlo::getDims(type), visit);
  });
  op->walk([&](Operation *inner) {
    walker.walk(inner->getAttrDictionary());
    for (Type type : inner->getOperandTypes())
      walker.walk(type);
    for (Type type : inner->getResultTypes())
      walker.walk(type);
    for (Region &region : inner->getRegions())
      for (Type type : region.getArgumentTypes())
        walker.walk(type);
  });
  return names;
}
