//===- KeptItems.h - Items that share data in scratch ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Items of one block are consecutive and need the same copy, panel or transform
// in scratch. A thread gets its items in several ranges, so the numbers that
// identify the data in scratch outlive a range: they are in dyn_worker_t::kept.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_KEPTITEMS_H
#define DYN_LIB_CODEGEN_CPU_GEMM_KEPTITEMS_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// Loops over the items of a body with `count` carried numbers, at most
/// DYN_WORKER_KEPT. They are -1 before a thread's first item of a launch.
void forEachItemKeeping(KernelBuilder &b, unsigned count,
                        llvm::function_ref<llvm::SmallVector<mlir::Value>(
                            mlir::Value item, mlir::ValueRange kept)>
                            body);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_KEPTITEMS_H
