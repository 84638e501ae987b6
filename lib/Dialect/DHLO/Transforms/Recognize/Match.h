//===- Match.h - Matchers for patterns over dhlo --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Exporters write a composite operation as a dozen primitive ones, with
// broadcasts that equalise shapes and reshapes that insert unit axes. The
// functions here look through these; each match is a proof.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_MATCH_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_MATCH_H

#include "dyn/Dialect/DHLO/Analysis/AffineIndex.h"
#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "llvm/ADT/SetVector.h"

namespace dyn::dhlo {

inline mlir::RankedTensorType getTensor(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// The operations of a type in a module, in order, except those in kernels,
/// which have their own sizes.
template <typename Op>
llvm::SmallVector<Op> collectOps(mlir::Operation *module) {
  llvm::SmallVector<Op> ops;
  module->walk([&](Op op) {
    if (op->template getParentWithTrait<mlir::OpTrait::SymbolTable>() == module)
      ops.push_back(op);
  });
  return ops;
}

/// A number of any float type.
double toDouble(llvm::APFloat value);

/// The number that all elements of a constant have, looking through repetition.
std::optional<double> getSplat(mlir::Value value);

/// Whether all elements equal `expected`, rounded to their type.
bool isSplat(mlir::Value value, double expected);

/// Whether the difference of two numbers can be explained by rounding of a few
/// constants to the float type `element`.
bool isClose(double value, double expected, mlir::Type element);

/// A value as a base times a number.
struct Scaled {
  mlir::Value base;
  double factor = 1;
};

/// Matches one multiplication with or division by a number.
std::optional<Scaled> matchScaled(mlir::Value value);

/// The value that `value` repeats along `axes` and no others; it lacks these
/// axes or has them with size 1. Null if there is no such value.
mlir::Value matchSpread(mlir::Value value, llvm::ArrayRef<int64_t> axes,
                        const SymbolicDims &dims);

/// The operand if `value` is a reshape that drops or inserts axes of size 1,
/// else the value.
mlir::Value dropUnitAxes(mlir::Value value, const SymbolicDims &dims);

/// The operations of a match.
class Interior {
public:
  void add(mlir::Operation *op) { ops.insert(op); }
  void add(mlir::Value value) {
    if (mlir::Operation *op = value.getDefiningOp())
      ops.insert(op);
  }
  void add(const Interior &other) {
    ops.insert(other.ops.begin(), other.ops.end());
  }
  /// Whether all users of results of operations but `root` are inside the
  /// match, broadcasts and reshapes aside, so that these operations die once
  /// the root is replaced.
  bool isClosed(mlir::Operation *root) const;

private:
  llvm::SetVector<mlir::Operation *> ops;
};

/// A sum divided by the number of its elements.
struct Mean {
  /// The operand of the mean; the operand of `sum` is the same or a widening.
  mlir::Value operand;
  ReduceOp sum;
  /// Starts at the sum.
  Interior interior;
};
/// `value` as a mean, up to axes of size 1, of elements of its type.
std::optional<Mean> matchMean(mlir::Value value, const SymbolicDims &dims);

/// Creates a reshape of the source of all reshapes; no operation if types
/// match.
mlir::Value createReshape(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::RankedTensorType type);

/// Whether a reshape preserves the last two axes.
bool keepsLastTwo(ReshapeOp reshape, const SymbolicDims &dims);

/// The transpose of the last two axes. Undoes one if the value was just
/// transposed.
mlir::Value transposeLastTwo(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, const SymbolicDims &dims);

/// Erases an operation and its producers, as far as they have no other users.
void eraseDead(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_MATCH_H
