//===- CodegenGPU.h - Code of kernels for a GPU ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_GPU_CODEGENGPU_H
#define DYN_CODEGEN_GPU_CODEGENGPU_H

#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Codegen/GPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Codegen/GPU/Passes.h.inc"

} // namespace dyn

#endif // DYN_CODEGEN_GPU_CODEGENGPU_H
