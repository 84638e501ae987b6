//===- DimExprSize.h - The complexity of size expressions
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programs can multiply sizes with themselves again and again, so that the
// normal form of the result, a sum of terms, becomes too long for a compiler.

#ifndef DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H
#define DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// The number of terms of an expression as a sum; a constant is one term.
unsigned getNumTerms(DimExpr expr);

/// Whether an expression, written out, has at most `most` constants and
/// symbols.
bool isShort(DimExpr expr, unsigned most);

/// An upper bound of the size of an expression after substitution of
/// definitions and expansion of multiplications.
struct ExpandedSize {
  uint64_t terms = 1;   ///< of the sum
  uint64_t factors = 0; ///< of a term
  uint64_t depth = 1;   ///< of nesting, through definitions

  /// The limits for programs. Sizes of models have tens of terms, and few
  /// factors.
  static constexpr uint64_t kMostTerms = 4096, kMostFactors = 64,
                            kMostDepth = 512;
  bool isLegal() const {
    return terms <= kMostTerms && factors <= kMostFactors &&
           depth <= kMostDepth;
  }
};

/// Emits an error at `op` if `measured` exceeds the limits.
llvm::LogicalResult verifyExpanded(mlir::Operation *op, ExpandedSize measured,
                                   const llvm::Twine &what);

/// Makes the verifier of `dhlo.dim` reject expressions that exceed the limits.
void attachDeclarationCheck(mlir::MLIRContext *context);

/// Measures expressions without expanding them, each subexpression once.
class ExpansionMeter {
public:
  using Definition = llvm::function_ref<DimExpr(mlir::StringAttr)>;

  /// For symbols without definition, or defined in terms of themselves,
  /// `definition` returns null or an expression that other checks report.
  ExpandedSize measure(DimExpr expr, Definition definition) {
    return visit(expr, definition, 0);
  }
  /// The same for the number of elements of a tensor.
  ExpandedSize measure(mlir::RankedTensorType type, Definition definition);

private:
  ExpandedSize visit(DimExpr expr, Definition definition, uint64_t level);
  ExpandedSize visitParts(DimExpr expr, Definition definition, uint64_t level);

  llvm::DenseMap<DimExpr, ExpandedSize> known;
};

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H
