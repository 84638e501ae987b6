//===- SymbolicValues.h - Small tensors as size expressions ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Exporters write shapes as small integer tensors: gather the third size,
// divide by eight, concatenate, reshape to the result. SymbolicValues evaluates
// such arithmetic element by element, so that
//
//   %s = dhlo.from_dims [@B, @S, 384] : tensor<3xi64>
//   %1 = dhlo.gather %s, %c1 axis = 0 batch = 0 : ... -> tensor<i64>
//   %2 = dhlo.mul %1, %c12 : tensor<i64>
//
// gives 12 * @S for %2. An element that is not computed from sizes and
// constants is unknown; other elements of its tensor are not affected.
//
// Assumptions, all of which hold for sizes that fit into memory: sizes computed
// in i32 do not wrap, sizes computed in floats are exact (below 2^24 in f32),
// and a symbolic divisor is not zero. There are no assumptions for narrower
// types: there an element is known if its range shows that it fits the type.
//
// Floats are known if they are dyadic fractions of a size expression, which is
// enough for resize scales: floor(0.5 * @H) is @H floordiv 2.

#ifndef DYN_DIALECT_DHLO_ANALYSIS_SYMBOLICVALUES_H
#define DYN_DIALECT_DHLO_ANALYSIS_SYMBOLICVALUES_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn {

class SymbolicValues {
public:
  /// Larger tensors are not analysed.
  static constexpr int64_t kMostElements = 256;

  /// `numerator / denominator`; a null numerator is an unknown value.
  struct Element {
    /// Over symbols without definition only.
    dhlo::DimExpr numerator;
    /// A power of two; 1 for integers and booleans (0 or 1).
    int64_t denominator = 1;
    /// For floats: if the number is zero, it may be -0.0.
    bool mayBeNegativeZero = false;

    explicit operator bool() const { return numerator != nullptr; }
    bool isInteger() const { return numerator && denominator == 1; }
  };
  using Elements = llvm::SmallVector<Element>;

  /// Uses the facts of `dims`, which must outlive this.
  explicit SymbolicValues(const SymbolicDims &dims) : dims(dims) {}

  /// The elements in row-major order, unknown ones null. Empty for tensors of
  /// dynamic size or of too many elements, and for empty tensors.
  const Elements &getElements(mlir::Value tensor);
  /// All elements as integers, or nothing if one is unknown or -0.0, or the
  /// tensor is too large. For an empty tensor an empty list.
  std::optional<llvm::SmallVector<dhlo::DimExpr>>
  getIntegers(mlir::Value tensor);
  /// The single element of a tensor, or null.
  dhlo::DimExpr getScalar(mlir::Value tensor);
  /// All elements as constants, or nothing.
  std::optional<llvm::SmallVector<int64_t>> getConstants(mlir::Value tensor);

  /// Must be called before an operation is erased, since answers are memoized.
  void forget(mlir::Operation *op);

  const SymbolicDims &getDims() const { return dims; }

private:
  Elements compute(mlir::Value tensor);

  const SymbolicDims &dims;
  llvm::DenseMap<mlir::Value, Elements> known;
  /// The answer for chains that are too long.
  const Elements none;
  unsigned depth = 0;
};

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_SYMBOLICVALUES_H
