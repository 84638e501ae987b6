//===- SizeComparer.h - Comparisons of many sizes -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A memory plan compares the size of each value with those of many slots, and
// finds most of them to differ. A proof takes long for sums of many sizes, and
// longest if there is none. So sizes are evaluated first, for a few values of
// their symbols: one counterexample refutes a comparison, and answers are those
// of the proofs alone.

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SIZECOMPARER_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SIZECOMPARER_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include <array>

namespace dyn::dlhlo {

class SizeComparer {
public:
  explicit SizeComparer(const SymbolicDims &dims);

  /// As those of SymbolicDims.
  bool isEqual(dhlo::DimExpr lhs, dhlo::DimExpr rhs);
  bool isAtMost(dhlo::DimExpr lhs, dhlo::DimExpr rhs);

  /// The number of comparisons that no counterexample refuted.
  unsigned getNumProofs() const { return numProofs; }

private:
  /// The size at each of a few points, nothing where it has no value.
  using Values = std::array<std::optional<int64_t>, 8>;
  const Values &getValues(dhlo::DimExpr expr);
  std::optional<int64_t> getValue(mlir::StringAttr symbol, unsigned point);

  const SymbolicDims &dims;
  llvm::DenseMap<mlir::StringAttr, dhlo::DimOp> declarations;
  llvm::DenseMap<dhlo::DimExpr, Values> values;
  llvm::DenseMap<std::pair<mlir::StringAttr, unsigned>, std::optional<int64_t>>
      symbols;
  unsigned numProofs = 0;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SIZECOMPARER_H
