//===- DebugScopes.h - Debug information from locations -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_DEBUGSCOPES_H
#define DYN_TARGET_DEBUGSCOPES_H

#include "mlir/IR/BuiltinOps.h"

namespace dyn {

/// Adds debug information to the functions of a module in the LLVM dialect, so
/// that reports of sanitizers, debuggers and profilers name the operation of
/// the model that an instruction comes from. A file location is kept as its
/// line; an operation that the model names ("/encoder/MatMul") is represented
/// as a file of that name, line 1.
void attachDebugScopes(mlir::ModuleOp module);

} // namespace dyn

#endif // DYN_TARGET_DEBUGSCOPES_H
