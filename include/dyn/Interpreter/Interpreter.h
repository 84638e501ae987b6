//===- Interpreter.h - The meaning of dhlo programs -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The interpreter is the specification of dhlo: it evaluates each operation
// directly, at any shape, in the operation's stated accumulation type.
// Backends, passes and fuzzers are checked against it, and it against other
// frameworks.
//
// It also runs partially lowered programs, with fusions, kernels, launches and
// constants of dlhlo, so that each pass can be checked separately.
//
// Sizes. A symbol has the value that an argument or an operation bound, or that
// of its definition. Every operation's operands and results are checked against
// their types, so a wrong size expression is reported at its operation.
//
// Data errors (such as an index out of range) do not stop a run: it continues
// with the value that the operation's description states and keeps a list, in
// program order. Other errors stop it: a negative size, sizes that must agree
// and do not, a tensor above the limit.

#ifndef DYN_INTERPRETER_INTERPRETER_H
#define DYN_INTERPRETER_INTERPRETER_H

#include "dyn/Interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include <functional>

namespace dyn {

class WeightFiles;

/// The kinds of data errors, as `dyn_site_kind` in artifact.h.
enum class DataErrorKind {
  Index = 1,
  Division = 2,
  Size = 3,
  Conversion = 4,
  Shift = 5,
  SizeMismatch = 6,
};

/// A phrase for messages: "index out of range".
llvm::StringRef describe(DataErrorKind kind);

/// A data error: its operation and kind. One entry for each operation, kind and
/// evaluation, for any number of elements.
struct DataError {
  DataErrorKind kind;
  mlir::Operation *op;
};

struct InterpreterOptions {
  /// Seed of `dhlo.rng` operations without their own.
  uint64_t seed = 0;
  /// Evaluate floats of any type in f64: inputs are widened, results are f64.
  /// Serves as the reference for two implementations that differ by rounding.
  bool float64 = false;
  /// The source of the bytes of `dhlo.weight`; if null, the operation fails.
  /// Must outlive the interpreter.
  WeightFiles *weights = nullptr;
  /// The maximum number of bytes of a tensor.
  int64_t maxTensorBytes = int64_t(1) << 35;
  /// The maximum number of iterations of one execution of a loop.
  int64_t maxIterations = 1000000;
  /// Called by each probe of a router with its key and the paths of each cell,
  /// `choices` for each in ascending order, then -1.
  std::function<void(llvm::StringRef key, llvm::ArrayRef<int64_t> paths,
                     int64_t choices)>
      observeRoutes;
};

class Interpreter {
public:
  /// The module must outlive the interpreter and must not change.
  Interpreter(mlir::ModuleOp module, const InterpreterOptions &options);

  /// Runs the function `entry`. Binds the symbols of its argument types from
  /// the inputs. Emits a diagnostic and fails if inputs do not fit the
  /// signature (in the runtime's words), an operation is not supported, or a
  /// size is invalid. Inputs are read, never written.
  llvm::FailureOr<llvm::SmallVector<Tensor>> run(llvm::StringRef entry,
                                                 llvm::ArrayRef<Tensor> inputs);

  /// Data errors of the last run, in program order.
  llvm::ArrayRef<DataError> getDataErrors() const { return dataErrors; }

private:
  mlir::ModuleOp module;
  InterpreterOptions options;
  llvm::SmallVector<DataError> dataErrors;
};

/// Evaluates a value of a block without arguments, such as a recipe of a
/// constant, and its producers. Elements are in logical order: `dlhlo.pack`
/// does not move them. Emits a diagnostic and fails as `Interpreter::run`.
llvm::FailureOr<Tensor> evaluateValue(mlir::Value value,
                                      const InterpreterOptions &options);

} // namespace dyn

#endif // DYN_INTERPRETER_INTERPRETER_H
