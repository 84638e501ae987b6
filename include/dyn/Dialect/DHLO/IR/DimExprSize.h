//===- DimExprSize.h - How much a size expression says
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programs can multiply sizes with themselves again and again, so that the
// normal form of a product, a sum of terms, has more of them than a compiler
// wants to see.

#ifndef DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H
#define DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Terms of an expression as a sum; a constant is one.
unsigned getNumTerms(DimExpr expr);

/// Whether an expression, written out, has at most `most` constants and
/// symbols.
bool isShort(DimExpr expr, unsigned most);

/// How long an expression can become, at most, where definitions are put in
/// place of symbols and products are multiplied out.
struct ExpandedSize {
  uint64_t terms = 1;   ///< of the sum
  uint64_t factors = 0; ///< of a term
  uint64_t depth = 1;   ///< of what stands in what, through definitions

  /// What programs may state. Sizes of models have tens of terms, and few
  /// factors.
  static constexpr uint64_t kMostTerms = 4096, kMostFactors = 64,
                            kMostDepth = 512;
  bool isLegal() const {
    return terms <= kMostTerms && factors <= kMostFactors &&
           depth <= kMostDepth;
  }
};

/// Emits an error with `op` if what is `measured` is too long.
llvm::LogicalResult verifyExpanded(mlir::Operation *op, ExpandedSize measured,
                                   const llvm::Twine &what);

/// Lets `dhlo.dim` refuse what is too long, wherever it is verified.
void attachDeclarationCheck(mlir::MLIRContext *context);

/// Measures expressions without expanding them, each part once.
class ExpansionMeter {
public:
  using Definition = llvm::function_ref<DimExpr(mlir::StringAttr)>;

  /// Of symbols without definition, and of those that are defined by
  /// themselves, `definition` gives null or what others are told about.
  ExpandedSize measure(DimExpr expr, Definition definition) {
    return visit(expr, definition, 0);
  }
  /// The same of the product of a tensor's sizes.
  ExpandedSize measure(mlir::RankedTensorType type, Definition definition);

private:
  ExpandedSize visit(DimExpr expr, Definition definition, uint64_t level);
  ExpandedSize visitParts(DimExpr expr, Definition definition, uint64_t level);

  llvm::DenseMap<DimExpr, ExpandedSize> known;
};

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H
