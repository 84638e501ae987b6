//===- Evaluator.h - Evaluation of operations -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The semantics of an operation are one function
// `evaluate(SomeOp, Evaluator &)`. It reads operands with `get`, creates
// results with `allocate` or by the functions below, and sets them with `set`.
// The functions of operations are in files by family, in alphabetical order.

#ifndef DYN_LIB_INTERPRETER_EVALUATOR_H
#define DYN_LIB_INTERPRETER_EVALUATOR_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/IR/DHLO.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Interpreter/Element.h"
#include "dyn/Interpreter/Interpreter.h"

#include "llvm/ADT/DenseMap.h"

namespace dyn {

/// Choices sorted by group: the results of `dhlo.group`, and the choices of
/// routes.
struct GroupedChoices {
  /// The offset of each group, and the number of all choices.
  std::vector<int64_t> offsets;
  /// The number of each choice in order; -1 past the last.
  std::vector<int64_t> order;
  /// For each row of ids, the positions of its choices, ascending; then -1.
  std::vector<int64_t> seats;
};

/// A value of type `!cell.routes`.
struct Routes {
  GroupedChoices choices;
  /// Choices of each cell.
  int64_t perCell = 0;
  /// The weight of each choice; null if all weigh 1.
  Tensor weights;

  int64_t getNumRows() const { return choices.offsets.back(); }
};

/// Values and sizes while a program runs.
class Evaluator {
public:
  Evaluator(const InterpreterOptions &options,
            llvm::SmallVectorImpl<DataError> &dataErrors)
      : options(options), dataErrors(dataErrors) {}

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// The tensor of a value that has been evaluated.
  const Tensor &get(mlir::Value value) const {
    auto it = values.find(value);
    assert(it != values.end() && "values are evaluated in order");
    return it->second;
  }
  /// Sets the tensor of a value. Fails, with a diagnostic at `op`, if the
  /// tensor is null or its sizes are not those of the value's type.
  llvm::LogicalResult set(mlir::Operation *op, mlir::Value value,
                          Tensor tensor);
  /// Zeros with the sizes and the element type of `type`; fails with a
  /// diagnostic at `op` if a size is negative, unknown or too large.
  llvm::FailureOr<Tensor> allocate(mlir::Operation *op, mlir::Type type);
  /// Likewise with given sizes.
  llvm::FailureOr<Tensor> allocate(mlir::Operation *op, mlir::Type elementType,
                                   llvm::ArrayRef<int64_t> sizes);
  /// The element type that values of `type` have in this run.
  mlir::Type getElementType(mlir::Type type) const;

  /// Likewise for routes.
  const Routes &getRoutes(mlir::Value value) const {
    auto it = routes.find(value);
    assert(it != routes.end() && "values are evaluated in order");
    return it->second;
  }
  void setRoutes(mlir::Value value, Routes chosen) {
    routes[value] = std::move(chosen);
  }

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  /// The value of an expression; fails with a diagnostic at `op`.
  llvm::FailureOr<int64_t> evaluateDim(mlir::Operation *op, dhlo::DimExpr expr);
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  evaluateDims(mlir::Operation *op, mlir::ArrayAttr exprs);
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  evaluateSizes(mlir::Operation *op, mlir::RankedTensorType type);
  void bindDim(mlir::StringAttr name, int64_t value) { dims[name] = value; }
  std::optional<int64_t> getDimValue(mlir::StringAttr name) const;
  /// The declaration of a symbol, or null.
  dhlo::DimOp getDeclaration(mlir::StringAttr name) const {
    return declarations.lookup(name);
  }
  /// Declares the `dhlo.dim` operations of a block and removes all others.
  void enterScope(mlir::Block &block);

  //===--------------------------------------------------------------------===//
  // Running
  //===--------------------------------------------------------------------===//

  /// Evaluates the operations of a block up to its terminator, and returns the
  /// operands of the latter.
  llvm::FailureOr<llvm::SmallVector<Tensor>>
  runBlock(mlir::Block &block, llvm::ArrayRef<Tensor> arguments);
  /// Evaluates one operation.
  llvm::LogicalResult evaluateOp(mlir::Operation *op);

  /// Records a data error.
  void reportDataError(mlir::Operation *op, DataErrorKind kind);

  /// Whether routers are guessed, and whether any has been.
  bool mayGuess = true, hasGuessed = false;

  const InterpreterOptions &getOptions() const { return options; }
  llvm::SmallVectorImpl<DataError> &getDataErrorList() { return dataErrors; }

private:
  const InterpreterOptions &options;
  llvm::SmallVectorImpl<DataError> &dataErrors;
  llvm::DenseMap<mlir::Value, Tensor> values;
  llvm::DenseMap<mlir::Value, Routes> routes;
  llvm::DenseMap<mlir::StringAttr, int64_t> dims;
  llvm::DenseMap<mlir::StringAttr, dhlo::DimOp> declarations;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Evaluates an operation. Specialised for each operation of dhlo and cell but
/// terminators, and for those of dlhlo that Evaluator.cpp lists: if one of them
/// has no specialisation, programs do not link.
template <typename OpTy>
llvm::LogicalResult evaluate(OpTy op, Evaluator &state);

//===----------------------------------------------------------------------===//
// Helpers that several families use
//===----------------------------------------------------------------------===//

/// Row-major strides, in elements.
llvm::SmallVector<int64_t> getStrides(llvm::ArrayRef<int64_t> sizes);

/// The product of sizes[begin, end).
int64_t product(llvm::ArrayRef<int64_t> sizes);

/// Iterates over `sizes` in row-major order, last axis fastest: advances
/// `index` and returns false after the last.
bool increment(llvm::MutableArrayRef<int64_t> index,
               llvm::ArrayRef<int64_t> sizes);

/// Whether x comes before y in sorted order: NaN, whatever its sign, comes
/// after all numbers.
template <typename C> bool isLess(C x, C y) {
  if constexpr (std::is_floating_point_v<C>)
    if (x != x || y != y)
      return x == x && y != y;
  return x < y;
}

/// Offsets with data errors corrected: each at least the one before and at most
/// `rows`.
llvm::SmallVector<int64_t> readOffsets(mlir::Operation *op,
                                       const Tensor &offsets, int64_t rows,
                                       Evaluator &state);

/// Copies elements of `in` to `out` (row-major, of `sizes`): the element at an
/// index of `out` comes from `offset + sum(index * strides)` of `in`.
void copyStrided(const Tensor &in, int64_t offset,
                 llvm::ArrayRef<int64_t> strides, Tensor &out);

/// `in` with axis i of the result from axis `permutation[i]`.
void transpose(const Tensor &in, llvm::ArrayRef<int64_t> permutation,
               Tensor &out);

/// Reports two sizes that should be equal and are not; always fails.
llvm::LogicalResult emitSizeMismatch(mlir::Operation *op, llvm::Twine what,
                                     int64_t expected, int64_t found);

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_EVALUATOR_H
