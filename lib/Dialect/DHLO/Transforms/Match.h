//===- Match.h - What patterns over dhlo look for -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Exporters write a composite operation as a dozen primitive ones, with shapes
// made equal by broadcasts and unit axes put in by reshapes. The functions here
// look through that; each answer is a proof.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_MATCH_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_MATCH_H

#include "dyn/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "llvm/ADT/SetVector.h"

namespace dyn::dhlo {

inline mlir::RankedTensorType getTensor(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// The operations of a type in a module, in order, but for those in its
/// kernels, which have sizes of their own.
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

/// The number that all elements of a constant have, however it is repeated.
std::optional<double> getSplat(mlir::Value value);

/// Whether all elements are `expected`, rounded to their type.
bool isSplat(mlir::Value value, double expected);

/// Whether two numbers differ by no more than what rounding a few constants to
/// the float type `element` explains.
bool isClose(double value, double expected, mlir::Type element);

/// A value as a product with a number.
struct Scaled {
  mlir::Value base;
  double factor = 1;
};

/// Splits off one multiplication with or division by a number.
std::optional<Scaled> matchScaled(mlir::Value value);

/// If a reshape of `from` to `to` does no more than drop and insert axes of
/// size 1: for each axis of `from` its axis in `to`, or -1 if it is dropped.
std::optional<llvm::SmallVector<int64_t>>
getUnitAxesMap(mlir::RankedTensorType from, mlir::RankedTensorType to,
               const SymbolicDims &dims);

/// The value that `value` repeats along `axes` and along no other; it lacks
/// these axes or has them with size 1. Null if there is none.
mlir::Value matchSpread(mlir::Value value, llvm::ArrayRef<int64_t> axes,
                        const SymbolicDims &dims);

/// The operand if `value` is a reshape that drops or inserts axes of size 1,
/// else the value.
mlir::Value dropUnitAxes(mlir::Value value, const SymbolicDims &dims);

/// The operations that a match consists of.
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
  /// Whether the results of all but `root` are read inside alone, broadcasts
  /// and reshapes aside, so that they need not be computed once the root is
  /// replaced.
  bool isClosed(mlir::Operation *root) const;

private:
  llvm::SetVector<mlir::Operation *> ops;
};

/// A sum divided by the number of its elements.
struct Mean {
  /// What the mean is of, and what `sum` adds up: the same, or wider floats.
  mlir::Value operand;
  ReduceOp sum;
  /// From the sum on.
  Interior interior;
};
/// `value` as a mean, up to axes of size 1, of elements of its type.
std::optional<Mean> matchMean(mlir::Value value, const SymbolicDims &dims);

/// A reshape that is not there if it changes nothing and swallows reshapes.
mlir::Value createReshape(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::RankedTensorType type);

/// The transpose of the last two axes, by undoing one if the value has been
/// transposed just before.
mlir::Value transposeLastTwo(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, const SymbolicDims &dims);

/// Erases an operation, and what led to it, as far as nothing else reads it.
void eraseDead(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_MATCH_H
