//===- MarkedTransposes.h - Transposes that change the layout -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_MARKEDTRANSPOSES_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_MARKEDTRANSPOSES_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

using Permutation = llvm::SmallVector<int64_t>;

/// Marks transposes that may be moved, and convolutions that keep channels
/// first.
constexpr llvm::StringLiteral kMark = "dhlo.layout";

inline mlir::RankedTensorType getType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// result[i] = values[permutation[i]]
template <typename Range>
auto permute(const Range &values, llvm::ArrayRef<int64_t> permutation) {
  llvm::SmallVector<std::decay_t<decltype(values[0])>> result;
  for (int64_t axis : permutation)
    result.push_back(values[axis]);
  return result;
}

Permutation invert(llvm::ArrayRef<int64_t> permutation);

/// The permutation from channels first to channels last.
Permutation getToLast(int64_t rank);

mlir::RankedTensorType permuteType(mlir::RankedTensorType type,
                                   llvm::ArrayRef<int64_t> permutation);

/// Creates a marked transpose.
mlir::Value createTranspose(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value value,
                            llvm::ArrayRef<int64_t> permutation);

/// The value's producer if it is a marked transpose, else null.
TransposeOp getMarked(mlir::Value value);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_MARKEDTRANSPOSES_H
