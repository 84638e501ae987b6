//===- Passes.h - Passes that interpret -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INTERPRETER_PASSES_H
#define DYN_INTERPRETER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dyn/Interpreter/Passes.h.inc"
} // namespace dyn

#endif // DYN_INTERPRETER_PASSES_H
