//===- LaunchSizes.cpp - What a launch needs of sizes
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchSizes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

LogicalResult dlhlo::visitSizeChecks(
    LaunchOp launch, const SymbolTable &symbols,
    llvm::function_ref<LogicalResult(Operation *, ArrayRef<dhlo::SizeCheck>)>
        visit) {
  // Sizes of a kernel are the launch's, or follow from them.
  auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
  SymbolicDims dims(kernel);
  llvm::DenseMap<StringAttr, dhlo::DimExpr> values;
  for (auto [dim, value] : llvm::zip_equal(
           kernel.getDims(), launch.getDims().getAsRange<dhlo::DimExpr>()))
    values[dim.getSymNameAttr()] = value;
  llvm::SmallDenseSet<StringAttr> found;
  for (auto bind : kernel.getBody().getOps<dhlo::BindOp>())
    found.insert(bind.getSymbolAttr().getAttr());
  auto isFound = [&](dhlo::DimExpr expr) {
    bool isFound = false;
    dhlo::walkSymbols(dims.expand(expr), [&](StringAttr name) {
      isFound |= found.contains(name);
    });
    return isFound;
  };
  auto toOuter = [&](dhlo::DimExpr &expr) {
    expr = dhlo::substitute(dims.expand(expr), [&](StringAttr name) {
      return values.lookup(name);
    });
  };
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    auto checks = dhlo::getUnprovenSizes(op, dims);
    llvm::erase_if(checks, [&](const dhlo::SizeCheck &check) {
      return isFound(check.lhs) || isFound(check.rhs);
    });
    for (dhlo::SizeCheck &check : checks) {
      toOuter(check.lhs);
      toOuter(check.rhs);
    }
    return WalkResult(visit(op, checks));
  });
  return failure(result.wasInterrupted());
}
