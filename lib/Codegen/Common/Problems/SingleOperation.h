//===- SingleOperation.h - Kernels of one operation -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_SINGLEOPERATION_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_SINGLEOPERATION_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn {

/// Whether the kernel of `op` yields only results of it.
bool isOnlyYielded(mlir::Operation *op);

/// Fails with a diagnostic unless `kernel` yields only results of `op`.
mlir::LogicalResult checkYieldsOnly(dlhlo::KernelOp kernel,
                                    mlir::Operation *op);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_SINGLEOPERATION_H
