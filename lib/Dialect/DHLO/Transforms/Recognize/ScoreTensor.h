//===- ScoreTensor.h - Tensors along axes of attention scores -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_SCORETENSOR_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_SCORETENSOR_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::dhlo {

/// A tensor that is broadcast to scores [batch, heads, queries, keys], and for
/// each of its axes the axis of the scores.
struct ScoreTensor {
  mlir::Value value;
  llvm::SmallVector<int64_t> axes;

  /// Looks through broadcasts and reshapes that insert axes of size 1.
  void peel(const SymbolicDims &dims);

  /// Whether all scores of a query have the same element.
  bool isUniformAlongKeys() const;

  /// The tensor with the four axes of the scores; those that it lacks have
  /// size 1.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc) const;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_SCORETENSOR_H
