//===- DimExprSize.h - The complexity of size expressions -----------------===//
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

/// The size of an expression after substitution of definitions and expansion
/// of multiplications.
struct ExpandedSize {
  uint64_t terms = 1;   ///< of the sum
  uint64_t factors = 0; ///< of a term
  uint64_t depth = 1;   ///< of nesting, through definitions
  uint64_t leaves = 1;  ///< constants and symbols, written out

  /// The limits for programs. Sizes of models have tens of terms, and few
  /// factors.
  static constexpr uint64_t kMostTerms = 4096, kMostFactors = 64,
                            kMostDepth = 512, kMostLeaves = 1 << 20;
  bool isLegal() const {
    return terms <= kMostTerms && factors <= kMostFactors &&
           depth <= kMostDepth && leaves <= kMostLeaves;
  }
};

/// Emits an error at `op` if `measured` exceeds the limits.
llvm::LogicalResult verifyExpanded(mlir::Operation *op, ExpandedSize measured,
                                   const llvm::Twine &what);

/// Makes the verifier of `dhlo.dim` reject expressions that exceed the limits.
void attachDeclarationCheck(mlir::MLIRContext *context);

/// Measures expressions by expanding them, each subexpression once and none
/// beyond the limits.
class ExpansionMeter {
public:
  using Definition = llvm::function_ref<DimExpr(mlir::StringAttr)>;

  /// The size of an expression, or of a part of it that exceeds the limits. For
  /// symbols without definition, or defined in terms of themselves,
  /// `definition` returns null or an expression that other checks report.
  ExpandedSize measure(DimExpr expr, Definition definition) {
    return visit(expr, definition, 0).size;
  }
  /// The same for the number of elements of a tensor.
  ExpandedSize measure(mlir::RankedTensorType type, Definition definition);

private:
  /// An expanded expression, null where its size is not legal.
  struct Expanded {
    DimExpr expr;
    ExpandedSize size;
    uint64_t levels = 0; ///< of expressions within it, through definitions
  };
  Expanded visit(DimExpr expr, Definition definition, uint64_t level);
  Expanded visitParts(DimExpr expr, Definition definition, uint64_t level);
  /// Combines two operands of an expression of this kind.
  Expanded combine(DimExprKind kind, const Expanded &lhs, const Expanded &rhs);
  uint64_t countLeaves(DimExpr expr);

  llvm::DenseMap<DimExpr, Expanded> known;
  llvm::DenseMap<DimExpr, uint64_t> leaves;
};

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H
