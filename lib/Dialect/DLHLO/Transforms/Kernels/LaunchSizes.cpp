//===- LaunchSizes.cpp - Sizes that a launch needs ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchSizes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {
/// The sizes of a kernel, which are given by its launch or derived from these.
class KernelSizes {
public:
  KernelSizes(LaunchOp launch, KernelOp kernel) : dims(kernel) {
    for (auto [dim, value] : llvm::zip_equal(
             kernel.getDims(), launch.getDims().getAsRange<dhlo::DimExpr>()))
      values[dim.getSymNameAttr()] = value;
    for (auto bind : kernel.getBody().getOps<dhlo::BindOp>())
      values[bind.getSymbolAttr().getAttr()] = {};
  }

  /// A size of the kernel over those of the entry; null if the kernel reads it
  /// from its data.
  dhlo::DimExpr toOuter(dhlo::DimExpr expr) const {
    expr = dims.expand(expr);
    bool isFound = false;
    dhlo::walkSymbols(
        expr, [&](StringAttr name) { isFound |= !values.lookup(name); });
    if (isFound)
      return {};
    return dhlo::substitute(
        expr, [&](StringAttr name) { return values.lookup(name); });
  }

  /// Checks of sizes that an operation needs and the kernel's facts do not
  /// prove.
  SmallVector<dhlo::SizeCheck> getChecks(Operation *op) const {
    SmallVector<dhlo::SizeCheck> checks;
    for (dhlo::SizeCheck check : dhlo::getUnprovenSizes(op, dims)) {
      check.lhs = toOuter(check.lhs);
      check.rhs = toOuter(check.rhs);
      for (dhlo::DimExpr *told : {&check.toldLhs, &check.toldRhs})
        *told = *told ? toOuter(*told) : dhlo::DimExpr();
      if (check.lhs && check.rhs)
        checks.push_back(check);
    }
    return checks;
  }

private:
  SymbolicDims dims;
  llvm::DenseMap<StringAttr, dhlo::DimExpr> values;
};
} // namespace

bool dlhlo::mayBeNegative(dhlo::DimExpr size, const SymbolicDims &dims) {
  return !dims.isAtLeast(dims.expand(size), 0);
}

SmallVector<std::pair<dhlo::DimExpr, Operation *>>
dlhlo::getKernelSizes(LaunchOp launch, const SymbolTable &symbols) {
  auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
  llvm::DenseMap<dhlo::DimExpr, Operation *> makers;
  kernel.getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      for (dhlo::DimExpr size :
           dhlo::getDims(llvm::cast<RankedTensorType>(type)))
        makers.try_emplace(size, op);
  });
  KernelSizes sizes(launch, kernel);
  SmallVector<std::pair<dhlo::DimExpr, Operation *>> result;
  for (auto dim : kernel.getBody().getOps<dhlo::DimOp>()) {
    auto symbol = dhlo::getSymbolDim(dim.getSymNameAttr());
    Operation *maker = makers.lookup(symbol);
    if (dhlo::DimExpr size = sizes.toOuter(symbol))
      result.push_back({size, maker ? maker : launch});
  }
  return result;
}

LogicalResult dlhlo::visitSizeChecks(
    LaunchOp launch, const SymbolTable &symbols,
    llvm::function_ref<LogicalResult(Operation *, ArrayRef<dhlo::SizeCheck>)>
        visit) {
  auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
  KernelSizes sizes(launch, kernel);
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    return WalkResult(visit(op, sizes.getChecks(op)));
  });
  return failure(result.wasInterrupted());
}
