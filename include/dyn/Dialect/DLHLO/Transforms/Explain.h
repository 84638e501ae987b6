//===- Explain.h - Explains how a model was compiled ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_H
#define DYN_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_H

#include "dyn/Dialect/DLHLO/Analysis/SlowKernel.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Support/Isa.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace dyn::dlhlo {

/// Discardable attribute of fusions and kernels: a sentence with the reason for
/// the fusion.
inline constexpr llvm::StringLiteral kReasonAttr = "dlhlo.reason";
/// Discardable attribute of dlhlo.reserve: its bytes as a size expression.
inline constexpr llvm::StringLiteral kFormulaAttr = "dlhlo.formula";
/// Discardable attribute of dlhlo.dispatch: the kernel's dims as expressions,
/// from the dlhlo.launch.
inline constexpr llvm::StringLiteral kSizesAttr = "dlhlo.sizes";

struct ExplainOptions {
  /// Instruction sets that kernels are compiled for, which are described if
  /// there are any.
  llvm::SmallVector<Isa> isas;
  /// Values of bound sizes at which formulas are evaluated, in addition to the
  /// declared likely values.
  llvm::StringMap<int64_t> at;
  /// Kernels whose code is slow, by their names.
  llvm::StringMap<SlowKernel> slow;
};

/// Describes a module after dlhlo-plan-buffers:
///
///   {"entries": [{"name", "inputs": [{"name", "type"}], "outputs": ...,
///                 "launches": number of launches in the program text,
///                 "controlled": how many of them are in loops and branches,
///                 "together": how many of them are launched with others,
///                 "lists": in how many launches those are,
///                 "flops", "bytes": FORMULA, sums over the launches of the
///                 text, each counted once,
///                 "memory": [{"arena", "bytes": FORMULA}, ...],
///                 "peak": FORMULA, bytes of all arenas,
///                 "sequence": [{"kernel", "location", "within": "loop" or
///                               "branch", "together": the number of the launch
///                               that it shares with others,
///                               "flops", "bytes": FORMULA,
///                               "constants": [name], "constant_bytes"}],
///                 "edges": [{"from": END, "to": [END, ...],
///                            "bytes": FORMULA}], values that pass from one
///                 launch to others}],
///    "sizes": [{"name", "definition": FORMULA, or "min", "max",
///               "multiple_of", "likely", "value", "estimate"}],
///    "kernels": [{"name", "kind", "reason", "operations": [name, ...],
///                 "launches", "facts": [as "sizes", with "is": [expression of
///                 a launch], and "text"], "constant_sizes": [number],
///                 "operands": [type], "results": [type],
///                 "slow": {"share", "by_element", "operation", "location",
///                          "reason"}, if its code is,
///                 "flops", "bytes": FORMULA, sums over its launches,
///                 "launch": {"flops", "bytes"}: FORMULA of one, over
///                 "facts"}],
///    "isas": [{"name", "vector_bits", "fma"}],
///    "routers": [{"router": key, "rule": what cell-choose-rules chose,
///    "why"}], "constants": [{"name", "type", "bytes", "recipe": [operation,
///    ...]}]}
///
/// A FORMULA is {"text", "tree", "value"}: its text as printed by dhlo; for
/// programs, a number, the name of a size, or a list of the word add, mul,
/// floordiv, ceildiv, mod, min, max or broadcast and its operands; and its
/// value if all sizes have one. KernelCost.h defines flops and bytes. An END is
/// {"launch": index in "sequence"}, {"input": name} or {"output": name}; of a
/// value that ranks exchange, only the launches before it are known.
///
/// Unknown members are absent.
llvm::json::Value explain(mlir::ModuleOp module,
                          const ExplainOptions &options = {});

} // namespace dyn::dlhlo

#endif // DYN_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_H
