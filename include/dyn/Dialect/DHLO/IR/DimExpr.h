//===- DimExpr.h - Expressions over symbolic sizes ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A size expression is the attribute DimExprAttr, uniqued in its context and
// always in normal form, so that equality of polynomials is equality of
// pointers. The functions below are the only way to build one.
//
// Normal form:
//   - a constant is Const(value);
//   - an atom is a symbol, or a floordiv, ceildiv, mod, min, max or broadcast
//     of expressions in normal form that no rule below simplifies;
//   - a term is an atom, or Mul(value = coefficient, operands = atoms sorted by
//     kind, operands and name, repeated for powers);
//   - a sum is Add(value = constant, operands = terms sorted likewise, no two
//     with the same atoms), of at least two parts.
//
// Example, with sizes B and S:
//   (B + 1) * S - S         ->  @B * @S
//   (4 * S + 3) floordiv 4  ->  @S              (the multiple moves out)
//   (B * S) floordiv S      ->  @B              (exact)
//   max(S, S)               ->  @S
//   broadcast(S, max(1, S)) ->  @S
//
// Only identities that hold for every integer are applied, with two exceptions:
// a symbolic divisor is assumed to be nonzero, and operands of a broadcast to
// be equal or 1. Identities that need facts about symbols (ranges,
// divisibility) belong to SymbolicDims (Analysis).

#ifndef DYN_DIALECT_DHLO_IR_DIMEXPR_H
#define DYN_DIALECT_DHLO_IR_DIMEXPR_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace dyn::dhlo {

/// A size expression. A short name for the attribute.
using DimExpr = DimExprAttr;

/// The constant `value`.
DimExpr getConstDim(mlir::MLIRContext *context, int64_t value);
/// The symbol `name`.
DimExpr getSymbolDim(mlir::StringAttr name);

DimExpr add(DimExpr lhs, DimExpr rhs);
DimExpr sub(DimExpr lhs, DimExpr rhs);
DimExpr mul(DimExpr lhs, DimExpr rhs);
DimExpr floorDiv(DimExpr lhs, DimExpr rhs);
DimExpr ceilDiv(DimExpr lhs, DimExpr rhs);
DimExpr mod(DimExpr lhs, DimExpr rhs);
DimExpr min(DimExpr lhs, DimExpr rhs);
DimExpr max(DimExpr lhs, DimExpr rhs);
/// Size of two broadcast axes, which are equal or 1: rhs if lhs is 1, else lhs.
DimExpr broadcast(DimExpr lhs, DimExpr rhs);
/// Builds the expression of `kind` (not Const or Symbol) of two operands.
DimExpr combine(DimExprKind kind, DimExpr lhs, DimExpr rhs);

inline DimExpr add(DimExpr lhs, int64_t rhs) {
  return add(lhs, getConstDim(lhs.getContext(), rhs));
}
inline DimExpr mul(DimExpr lhs, int64_t rhs) {
  return mul(lhs, getConstDim(lhs.getContext(), rhs));
}
inline DimExpr floorDiv(DimExpr lhs, int64_t rhs) {
  return floorDiv(lhs, getConstDim(lhs.getContext(), rhs));
}

/// The value if it is a constant.
std::optional<int64_t> getConstantValue(DimExpr expr);

/// Replaces symbols by the results of `replacement` (null keeps the symbol) and
/// normalises.
DimExpr
substitute(DimExpr expr,
           llvm::function_ref<DimExpr(mlir::StringAttr name)> replacement);

/// Replaces the atoms of a polynomial by the results of `replacement`, without
/// visiting their operands, and normalises.
DimExpr substituteAtoms(DimExpr expr,
                        llvm::function_ref<DimExpr(DimExpr atom)> replacement);

/// Calls `fn` for each symbol of the expression, once.
void walkSymbols(DimExpr expr, llvm::function_ref<void(mlir::StringAttr)> fn);

/// The value of the expression, or nothing if a symbol has none, a divisor is
/// zero, sizes cannot be broadcast, or a value does not fit 64 bits.
std::optional<int64_t> evaluate(
    DimExpr expr,
    llvm::function_ref<std::optional<int64_t>(mlir::StringAttr name)> value);

/// Prints in infix notation: `2 * @B * @S + 1`.
void printDimExpr(llvm::raw_ostream &os, DimExpr expr);
/// Parses infix notation. Emits an error and returns null on failure.
DimExpr parseDimExpr(mlir::AsmParser &parser);

/// The directive custom<DimExprs> of assembly formats: `[@S - 1, 3]`.
void printDimExprs(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::ArrayAttr exprs);
mlir::ParseResult parseDimExprs(mlir::OpAsmParser &parser,
                                mlir::ArrayAttr &exprs);

//===----------------------------------------------------------------------===//
// Sizes of tensor types
//===----------------------------------------------------------------------===//

/// The size of an axis: a constant or a symbol. Null if the axis is dynamic and
/// the type has no names.
DimExpr getDim(mlir::RankedTensorType type, int64_t axis);
/// All sizes, as `getDim`.
llvm::SmallVector<DimExpr> getDims(mlir::RankedTensorType type);
/// The type with these sizes, each a constant or a symbol.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<DimExpr> sizes,
                                     mlir::Type elementType);
/// `type` with another element type and the same sizes.
mlir::RankedTensorType withElementType(mlir::RankedTensorType type,
                                       mlir::Type elementType);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_DIMEXPR_H
