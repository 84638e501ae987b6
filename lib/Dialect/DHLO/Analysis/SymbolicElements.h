//===- SymbolicElements.h - Arithmetic on elements of shape tensors -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_ANALYSIS_SYMBOLICELEMENTS_H
#define DYN_LIB_DIALECT_DHLO_ANALYSIS_SYMBOLICELEMENTS_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicValues.h"

namespace dyn {

/// Elementwise operations on single elements; an unknown result is null.
class ElementArithmetic {
public:
  using Element = SymbolicValues::Element;

  ElementArithmetic(const SymbolicDims &dims, mlir::MLIRContext *context)
      : dims(dims), context(context) {}

  Element constant(int64_t value) const {
    return {dhlo::getConstDim(context, value)};
  }
  /// A float constant, if it is a dyadic fraction of few bits.
  Element fraction(const llvm::APFloat &value) const;

  /// The result of an elementwise operation.
  Element apply(mlir::Operation *op, llvm::ArrayRef<Element> operands) const;
  /// One step of a reduction of elements of the type.
  Element reduce(mlir::Type type, dhlo::ReduceKind kind, Element lhs,
                 Element rhs) const;
  /// `lhs direction rhs ? onTrue : onFalse`, of the type, if the comparison is
  /// undecided but an expression has the same value.
  Element choose(mlir::Type type, dhlo::CompareDirection direction, Element lhs,
                 Element rhs, Element onTrue, Element onFalse) const;

  /// The result as a value of the type: unknown if it may wrap or be rounded.
  /// The sign of a float zero may come from `operands`: from one that is zero,
  /// or if `multiplies` from any.
  Element hold(mlir::Type type, Element result,
               llvm::ArrayRef<Element> operands = {},
               bool multiplies = false) const;

private:
  Element compute(mlir::Operation *op, llvm::ArrayRef<Element> operands) const;
  Element computeChoice(dhlo::CompareDirection direction, Element lhs,
                        Element rhs, Element onTrue, Element onFalse) const;
  Element add(Element lhs, Element rhs) const;
  Element mul(Element lhs, Element rhs) const;
  /// As `mul`, but a float zero times an unknown value may be NaN.
  Element product(mlir::Type type, Element lhs, Element rhs) const;
  Element divide(Element lhs, Element rhs, bool isFloat) const;
  Element remainder(Element lhs, Element rhs) const;
  /// The square root of a constant whose root is exact.
  Element squareRoot(Element value) const;
  Element extreme(dhlo::DimExprKind kind, Element lhs, Element rhs) const;
  Element compare(dhlo::CompareDirection direction, Element lhs,
                  Element rhs) const;
  Element convert(Element value, mlir::Type from, mlir::Type to) const;
  /// Rounded to an integer, by FloorDiv or CeilDiv.
  Element round(dhlo::DimExprKind kind, Element value) const;
  /// lhs / rhs rounded towards zero, for a positive divisor.
  dhlo::DimExpr truncatingDiv(dhlo::DimExpr lhs, dhlo::DimExpr rhs) const;
  /// Both numerators over their common denominator.
  std::pair<dhlo::DimExpr, dhlo::DimExpr> unify(Element lhs, Element rhs) const;
  Element reducedBy(dhlo::DimExpr numerator, int64_t denominator) const;
  bool areEqual(Element lhs, Element rhs) const;

  const SymbolicDims &dims;
  mlir::MLIRContext *context;
};

} // namespace dyn

#endif // DYN_LIB_DIALECT_DHLO_ANALYSIS_SYMBOLICELEMENTS_H
