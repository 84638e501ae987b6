//===- Compiler.h - The compiler as a library -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PIPELINES_COMPILER_H
#define DYN_PIPELINES_COMPILER_H

#include "dyn/Import/ONNX.h"
#include "dyn/Pipelines/Pipelines.h"
#include "dyn/Target/Artifact.h"

namespace dyn {

/// Reads a model: ONNX if the path ends in .onnx, else MLIR text or bytecode
/// ("-" is the standard input). Adds the facts `dims` to its sizes. Null after
/// emitting a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> loadModel(llvm::StringRef path,
                                            llvm::ArrayRef<DimOption> dims,
                                            mlir::MLIRContext &context);

/// Adds facts to declared sizes. A name that the module does not declare, or
/// that it defines, is an error that lists the valid names.
llvm::LogicalResult constrainDims(mlir::ModuleOp module,
                                  llvm::ArrayRef<DimOption> dims);

/// A value of a size, for the evaluation of formulas.
struct SizeValue {
  std::string name;
  int64_t value = 0;

  /// Parses `NAME=VALUE`. On failure returns nothing and sets `error` to the
  /// expected and the actual text.
  static std::optional<SizeValue> parse(llvm::StringRef text,
                                        std::string &error);
};

/// Whether the module declares these sizes, undefined, with facts that the
/// values satisfy. Emits a diagnostic if not.
llvm::LogicalResult checkSizeValues(mlir::ModuleOp module,
                                    llvm::ArrayRef<SizeValue> values);

/// Lowers a module that is at level `from` to level `to`.
llvm::LogicalResult lowerToLevel(mlir::ModuleOp module, Level from, Level to,
                                 const LoweringOptions &options,
                                 mlir::TimingScope &timing);

} // namespace dyn

#endif // DYN_PIPELINES_COMPILER_H
