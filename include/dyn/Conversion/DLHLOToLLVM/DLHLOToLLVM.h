//===- DLHLOToLLVM.h - Lowers entries to functions of the artifact --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_DLHLOTOLLVM_DLHLOTOLLVM_H
#define DYN_CONVERSION_DLHLOTOLLVM_DLHLOTOLLVM_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/DLHLOToLLVM/Passes.h.inc"

/// The indices of the constants that an entry reads, ascending: an array of the
/// `dlhlo.entry`, for its descriptor.
constexpr llvm::StringLiteral kEntryConstantsAttr = "dlhlo.constants";

} // namespace dyn

#endif // DYN_CONVERSION_DLHLOTOLLVM_DLHLOTOLLVM_H
