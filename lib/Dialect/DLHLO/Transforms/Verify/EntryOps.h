//===- EntryOps.h - Operations between kernels ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_VERIFY_ENTRYOPS_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_VERIFY_ENTRYOPS_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Calls `check` for each operation of the entries that is in no fusion. Fails
/// if it does for one of them.
llvm::LogicalResult
checkEntryOps(mlir::ModuleOp module,
              llvm::function_ref<llvm::LogicalResult(mlir::Operation *)> check);

/// Whether an operation may occur between kernels at every level over tensors.
bool isBetweenKernels(mlir::Operation *op);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_VERIFY_ENTRYOPS_H
