//===- KernelToLLVM.h - Lowers loops over vectors to LLVM -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
#define DYN_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H

#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/KernelToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/KernelToLLVM/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
