//===- ConstantValues.h - What is computed from weights alone -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_CONSTANTVALUES_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_CONSTANTVALUES_H

#include "Match.h"

namespace dyn::dhlo {

/// Knows which values are computed from weights and constants alone, so that
/// they will be recipes, and remembers what it has found.
class ConstantValues {
public:
  explicit ConstantValues(const SymbolicDims &dims) : dims(dims) {}

  bool contains(mlir::Value value);
  /// To be called before operations are erased: others may get their places.
  void forget() { known.clear(); }

  /// The constant vector that a value repeats along all axes but one; a
  /// constant with one element is such a vector, too. Builds what brings it
  /// into the form [channels]; null if there is none.
  mlir::Value matchChannels(mlir::Value value, int64_t axis,
                            mlir::OpBuilder &builder);

private:
  const SymbolicDims &dims;
  llvm::DenseMap<mlir::Operation *, bool> known;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_CONSTANTVALUES_H
