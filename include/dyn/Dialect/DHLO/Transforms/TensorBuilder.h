//===- TensorBuilder.h - Infers types of dhlo operations ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Builds dhlo operations whose result types follow from their operands, and
// names new sizes.

#ifndef DYN_DIALECT_DHLO_TRANSFORMS_TENSORBUILDER_H
#define DYN_DIALECT_DHLO_TRANSFORMS_TENSORBUILDER_H

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"
#include "dyn/Dialect/DHLO/IR/Inference.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn {

class TensorBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Builds before `op`, at its location.
  TensorBuilder(mlir::Operation *op, DimBuilder &symbols)
      : ImplicitLocOpBuilder(op->getLoc(), op), symbols(symbols) {}

  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  static dhlo::Sizes sizesOf(mlir::Value value) {
    return dhlo::getDims(typeOf(value));
  }
  const SymbolicDims &getDims() const { return symbols.getDims(); }
  /// The tensor type with these sizes; names expressions as needed.
  mlir::RankedTensorType getTensorType(llvm::ArrayRef<dhlo::DimExpr> sizes,
                                       mlir::Type elementType) {
    return symbols.getTensorType(sizes, elementType);
  }

  /// A scalar of an element type, broadcast to sizes.
  mlir::Value fill(mlir::TypedAttr value, llvm::ArrayRef<dhlo::DimExpr> sizes);
  /// The minimum value of an element type, broadcast: -inf for floats.
  mlir::Value fillLeast(mlir::Type element,
                        llvm::ArrayRef<dhlo::DimExpr> sizes);
  /// Zeros with the type of `like`.
  mlir::Value fillZero(mlir::Value like);
  /// An i64 tensor with the sizes of `like`.
  mlir::Value fillInteger(int64_t value, mlir::Value like);
  /// The same for a size.
  mlir::Value fillSize(dhlo::DimExpr size, mlir::Value like);
  /// 0, 1, 2, ... along an axis of an i64 tensor with the sizes of `like`.
  mlir::Value iota(int64_t axis, mlir::Value like);

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<dhlo::DimExpr> sizes);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// Rows of `value`, along axis 0, by indices of any rank.
  mlir::Value gatherRows(mlir::Value value, mlir::Value indices);
  /// `value` where the mask holds along the first axes, else `other`.
  mlir::Value select(mlir::Value mask, mlir::Value value, mlir::Value other);
  mlir::Value compare(dhlo::CompareDirection direction, mlir::Value lhs,
                      mlir::Value rhs);
  /// Whether integers are at least 0.
  mlir::Value isValid(mlir::Value integers);
  /// Integers with negative ones replaced by 0.
  mlir::Value clampToZero(mlir::Value integers);
  /// The indices that sort a vector, stably.
  mlir::Value argsort(mlir::Value vector, bool descending);

private:
  DimBuilder &symbols;
};

} // namespace dyn

#endif // DYN_DIALECT_DHLO_TRANSFORMS_TENSORBUILDER_H
