//===- ProgramFile.h - Programs of MLIR in files ----------------*- C++ -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_PROGRAMFILE_H
#define DYN_SUPPORT_PROGRAMFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dyn {

/// Reads a program as text or as bytecode; `-` is standard input.
///
/// MLIR's reader of bytecode trusts its input: damaged bytes can end the
/// process or keep it for ever. So another process reads bytecode first, with a
/// limit of time, and what does not let it live is refused. So are tensors
/// whose known sizes are negative or too large to count.
///
/// Returns null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> readProgram(llvm::StringRef path,
                                              mlir::MLIRContext &context);

} // namespace dyn

#endif // DYN_SUPPORT_PROGRAMFILE_H
