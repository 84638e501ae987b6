//===- StageSizes.h - The values and sizes that operations need -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DIST_TRANSFORMS_STAGESIZES_H
#define DYN_DIALECT_DIST_TRANSFORMS_STAGESIZES_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "llvm/ADT/SetVector.h"

namespace dyn::dist {

/// The values that an operation of a function's block reads, in its regions,
/// too.
llvm::SetVector<mlir::Value> getReadValues(mlir::Operation *op);

/// The symbols that its types and attributes name, in its regions, too.
llvm::SetVector<mlir::StringAttr> findSizeNames(mlir::Operation *op,
                                                const SymbolicDims &dims);

} // namespace dyn::dist

#endif // DYN_DIALECT_DIST_TRANSFORMS_STAGESIZES_H
