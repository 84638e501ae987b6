//===- SlowKernels.h - Kernels far from what the machine can do -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The rule on slow kernels: one whose code computes most of its elements one by
// one, or reaches less than a third of the roofline at large sizes, is
// reported, with the operation that is to blame, its location in the model and
// the reason. The code is counted, not run (CodeCount.h).

#ifndef DYN_CODEGEN_CPU_SLOWKERNELS_H
#define DYN_CODEGEN_CPU_SLOWKERNELS_H

#include "dyn/Codegen/CodegenOptions.h"
#include "dyn/Dialect/DLHLO/Analysis/SlowKernel.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include <optional>

namespace dyn {

/// Asks whether a kernel is slow. Not at sizes that the kernel may have if it
/// has little to do at any of them, nor if no schedule computes it. `kernel` is
/// not changed.
std::optional<SlowKernel> findSlowKernel(dlhlo::KernelOp kernel,
                                         const CodegenOptions &options);

} // namespace dyn

#endif // DYN_CODEGEN_CPU_SLOWKERNELS_H
