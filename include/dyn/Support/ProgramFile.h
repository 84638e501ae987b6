//===- ProgramFile.h - Programs of MLIR in files --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_PROGRAMFILE_H
#define DYN_SUPPORT_PROGRAMFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace dyn {

/// Rejects, with a diagnostic, bytecode on which MLIR's reader crashes, does
/// not terminate or fails without a message: it trusts its input, so another
/// process reads it first, with a time limit. Bytes that are not bytecode are
/// text, which any reader survives.
mlir::LogicalResult checkBytecode(llvm::MemoryBufferRef bytes,
                                  mlir::MLIRContext &context);

/// Reads a program as text or as bytecode; `-` is standard input. Bytecode is
/// checked. Tensors whose static sizes are negative or too large to count are
/// rejected.
///
/// Returns null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> readProgram(llvm::StringRef path,
                                              mlir::MLIRContext &context);

} // namespace dyn

#endif // DYN_SUPPORT_PROGRAMFILE_H
