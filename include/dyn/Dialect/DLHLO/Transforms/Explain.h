//===- Explain.h - What the compiler has made of a model
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_H
#define DYN_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "llvm/Support/JSON.h"

namespace dyn::dlhlo {

/// Discardable attribute of fusions and kernels: a sentence that says why they
/// are what they are.
inline constexpr llvm::StringLiteral kReasonAttr = "dlhlo.reason";
/// Discardable attribute of dlhlo.reserve: its bytes as a size expression.
inline constexpr llvm::StringLiteral kFormulaAttr = "dlhlo.formula";

/// Describes a module after dlhlo-plan-buffers:
///
///   {"entries": [{"name", "inputs": [{"name", "type"}], "outputs": ...,
///                 "launches": number of launches in the program text,
///                 "memory": [formula of an arena's bytes, ...]}],
///    "sizes": [{"name", "definition" or "min", "max", "multiple_of",
///               "likely"}],
///    "kernels": [{"name", "kind", "reason", "operations": [name, ...],
///                 "launches", "facts": [as "sizes"], "operands": [type],
///                 "results": [type]}],
///    "constants": [{"name", "type", "bytes", "recipe": [operation, ...]}]}
///
/// Members that are not known are absent.
llvm::json::Value explain(mlir::ModuleOp module);

} // namespace dyn::dlhlo

#endif // DYN_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_H
