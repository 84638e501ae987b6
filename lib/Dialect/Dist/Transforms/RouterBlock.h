//===- RouterBlock.h - A router for a block of its cells ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_ROUTERBLOCK_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_ROUTERBLOCK_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

namespace dyn::dist {

/// The values of a router or a path that have a row for each of `size` cells,
/// or rows, along axis 0; nothing if a row that it ends with may depend on
/// others.
std::optional<llvm::DenseSet<mlir::Value>>
findRows(mlir::Block &block, dhlo::DimExpr size, const SymbolicDims &dims);

/// The choices of a router, and their weights or null.
struct Choices {
  mlir::Value ids, weights;
};

/// Computes the choices of some cells from these cells alone: `takeBlock` cuts
/// `size` of them out of an input. Nothing if an operation of the router does
/// not keep cells apart.
std::optional<Choices>
routeBlock(TensorBuilder &b, cell::RouteOp route, dhlo::DimExpr size,
           llvm::function_ref<mlir::Value(mlir::Value)> takeBlock);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_ROUTERBLOCK_H
