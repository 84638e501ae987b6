//===- ConstantTable.cpp - The constants of a module ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantTable.h"

#include "Dialect/DLHLO/Transforms/Kernels/RegionHash.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

ConstantTable::ConstantTable(ModuleOp module)
    : module(module), symbols(module) {
  for (auto constant : module.getOps<ConstantOp>())
    byHash[hashRegion(constant.getRecipe())].push_back(constant);
}

/// A name for a constant: that of the first weight in its recipe.
static StringRef getHint(Region &recipe) {
  for (auto weight : recipe.getOps<dhlo::WeightOp>())
    if (StringRef key = weight.getSource().getKey(); !key.empty())
      return key;
  return "constant";
}

Value ConstantTable::get(OpBuilder &builder, Value value) {
  Operation *root = value.getDefiningOp();
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  (void)getBackwardSlice(root, &slice, options);
  slice = topologicalSort(slice);

  OpBuilder outside(module.getContext());
  auto firstFunction = module.getOps<func::FuncOp>().begin();
  outside.setInsertionPoint(*firstFunction);
  auto constant = ConstantOp::create(outside, root->getLoc(),
                                     outside.getStringAttr("constant"),
                                     TypeAttr::get(value.getType()));
  outside.createBlock(&constant.getRecipe());
  IRMapping mapping;
  for (Operation *op : slice) {
    auto get = llvm::dyn_cast<GetConstantOp>(op);
    if (!get) {
      outside.clone(*op, mapping);
      continue;
    }
    auto source = symbols.lookup<ConstantOp>(get.getConstant());
    IRMapping inner;
    for (Operation &step : source.getRecipe().front().without_terminator())
      outside.clone(step, inner);
    Value yielded = source.getRecipe().front().getTerminator()->getOperand(0);
    mapping.map(get.getResult(), inner.lookup(yielded));
  }
  dlhlo::YieldOp::create(outside, root->getLoc(), mapping.lookup(value));

  auto &equal = byHash[hashRegion(constant.getRecipe())];
  for (ConstantOp other : equal)
    if (other.getType() == constant.getType() &&
        areEqual(other.getRecipe(), constant.getRecipe())) {
      constant.erase();
      ++merged;
      return GetConstantOp::create(builder, root->getLoc(), value.getType(),
                                   other.getSymName());
    }
  ++created;
  constant.setSymName(getHint(constant.getRecipe()));
  constant->remove();
  symbols.insert(constant, Block::iterator(*firstFunction));
  equal.push_back(constant);
  return GetConstantOp::create(builder, root->getLoc(), value.getType(),
                               constant.getSymName());
}
