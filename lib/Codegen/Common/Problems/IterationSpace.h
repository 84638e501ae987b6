//===- IterationSpace.h - The iteration space of a kernel -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_ITERATIONSPACE_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_ITERATIONSPACE_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn {

/// The extents of the dimensions (see ElementEmitter.h) of an iteration space
/// for `results`, which all have the same number of elements. As few as
/// possible: axes are one dimension where every value that is read treats them
/// as one. As many as needed: an axis that a reshape splits is split where
/// something below the reshape moves the parts, so that no position is divided
/// at run time.
///
/// The last `trailing` axes of the first result become one dimension, the
/// innermost.
llvm::SmallVector<dhlo::DimExpr>
getIterationSpace(llvm::ArrayRef<mlir::Value> results, const SymbolicDims &dims,
                  int64_t trailing = 0);

/// Results of a kernel that are computed together, at the same positions.
struct ResultGroup {
  llvm::SmallVector<int64_t> results;
  /// Extents of the dimensions; at least one.
  llvm::SmallVector<dhlo::DimExpr> space;
};

/// The results of a kernel, grouped by their number of elements.
llvm::SmallVector<ResultGroup> getResultGroups(dlhlo::KernelOp kernel,
                                               const SymbolicDims &dims);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_ITERATIONSPACE_H
