//===- ConstantValues.h - Values that are computed from weights alone -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_CONSTANTVALUES_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_CONSTANTVALUES_H

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

namespace dyn::dhlo {

/// Determines which values are computed from weights and constants alone, so
/// that they become recipes, and memoizes the answers.
class ConstantValues {
public:
  explicit ConstantValues(const SymbolicDims &dims) : dims(dims) {}

  bool contains(mlir::Value value);
  /// To be called before operations are erased: their addresses may be reused.
  void forget() { known.clear(); }

  /// The constant vector that a value repeats along all axes but one; a
  /// constant with one element also counts as such a vector. Builds the
  /// conversion to [channels]; null if there is no such vector.
  mlir::Value matchChannels(mlir::Value value, int64_t axis,
                            mlir::OpBuilder &builder);

private:
  const SymbolicDims &dims;
  llvm::DenseMap<mlir::Operation *, bool> known;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_CONSTANTVALUES_H
