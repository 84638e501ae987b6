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
using dhlo::DimExpr;

bool dlhlo::mayBeNegative(DimExpr size, const SymbolicDims &dims) {
  return !dims.isAtLeast(dims.expand(size), 0);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The declared sizes of a kernel, over those that its launches pass, each with
/// the operation that uses it.
static SmallVector<std::pair<DimExpr, Operation *>>
getDeclaredSizes(KernelOp kernel, llvm::function_ref<DimExpr(DimExpr)> expand) {
  llvm::DenseMap<DimExpr, Operation *> makers;
  kernel.getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      for (DimExpr size : dhlo::getDims(llvm::cast<RankedTensorType>(type)))
        makers.try_emplace(size, op);
  });
  SmallVector<std::pair<DimExpr, Operation *>> sizes;
  for (auto dim : kernel.getBody().getOps<dhlo::DimOp>()) {
    auto symbol = dhlo::getSymbolDim(dim.getSymNameAttr());
    if (DimExpr size = expand(symbol))
      sizes.push_back({size, makers.lookup(symbol)});
  }
  return sizes;
}

const LaunchSizes::Kernel &LaunchSizes::analyze(KernelOp op) {
  auto [known, isNew] = kernels.try_emplace(op);
  Kernel &kernel = known->second;
  if (!isNew)
    return kernel;
  SymbolicDims dims(op);
  llvm::DenseSet<StringAttr> found;
  for (auto bind : op.getBody().getOps<dhlo::BindOp>())
    found.insert(bind.getSymbolAttr().getAttr());
  // Null if the kernel reads the size from its data.
  auto expand = [&](DimExpr expr) {
    expr = dims.expand(expr);
    bool isFound = false;
    dhlo::walkSymbols(
        expr, [&](StringAttr name) { isFound |= found.contains(name); });
    return isFound ? DimExpr() : expr;
  };
  kernel.sizes = getDeclaredSizes(op, expand);
  op.getBody().walk([&](Operation *inner) {
    SmallVector<dhlo::SizeCheck> checks;
    for (dhlo::SizeCheck check : dhlo::getUnprovenSizes(inner, dims)) {
      check.lhs = expand(check.lhs);
      check.rhs = expand(check.rhs);
      for (DimExpr *told : {&check.toldLhs, &check.toldRhs})
        *told = *told ? expand(*told) : DimExpr();
      if (check.lhs && check.rhs)
        checks.push_back(check);
    }
    if (!checks.empty())
      kernel.checks.push_back({inner, std::move(checks)});
  });
  return kernel;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// Replaces the sizes of a kernel by what a launch passes.
class Passed {
public:
  Passed(LaunchOp launch, KernelOp kernel) {
    for (auto [dim, value] : llvm::zip_equal(
             kernel.getDims(), launch.getDims().getAsRange<DimExpr>()))
      values[dim.getSymNameAttr()] = value;
  }

  DimExpr operator()(DimExpr expr) const {
    return dhlo::substitute(
        expr, [&](StringAttr name) { return values.lookup(name); });
  }

private:
  llvm::DenseMap<StringAttr, DimExpr> values;
};
} // namespace

SmallVector<std::pair<DimExpr, Operation *>>
LaunchSizes::getSizes(LaunchOp launch) {
  auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
  Passed passed(launch, kernel);
  SmallVector<std::pair<DimExpr, Operation *>> sizes;
  for (auto [size, maker] : analyze(kernel).sizes)
    sizes.push_back({passed(size), maker ? maker : launch});
  return sizes;
}

LogicalResult LaunchSizes::visitChecks(
    LaunchOp launch,
    llvm::function_ref<LogicalResult(Operation *, ArrayRef<dhlo::SizeCheck>)>
        visit) {
  auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
  Passed passed(launch, kernel);
  for (auto &[op, checks] : analyze(kernel).checks) {
    SmallVector<dhlo::SizeCheck> outer(checks);
    for (dhlo::SizeCheck &check : outer)
      for (DimExpr *size :
           {&check.lhs, &check.rhs, &check.toldLhs, &check.toldRhs})
        *size = *size ? passed(*size) : DimExpr();
    if (failed(visit(op, outer)))
      return failure();
  }
  return success();
}
