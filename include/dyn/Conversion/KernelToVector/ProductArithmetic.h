//===- ProductArithmetic.h - What micro-kernels do in registers -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A micro-kernel loads 32 bits of A for each row, repeats them in every lane,
// and adds their product with a vector of B to a vector of results. What the 32
// bits are, and what a product is, is said here.
//
// Bytes: four ui8 of A along k, four i8 of B for each column, and the exact sum
// of four products is added to an i32, which wraps. One instruction does it
// where there is VNNI. Elsewhere bytes of even and odd place are widened to
// pairs of i16 (vpmaddwd adds two products of pairs, and 2 * 255 * 128 fits);
// the instruction for bytes of older levels saturates, which would be another
// result.

#ifndef DYN_CONVERSION_KERNELTOVECTOR_PRODUCTARITHMETIC_H
#define DYN_CONVERSION_KERNELTOVECTOR_PRODUCTARITHMETIC_H

#include "dyn/Conversion/KernelToVector/CodeBuilder.h"
#include "dyn/Support/Isa.h"

namespace dyn {

/// What the factors of a product are.
enum class Factors {
  F32,   ///< f32 by f32, to f32
  Bytes, ///< ui8 by i8, in groups of four, to i32
};

/// How many elements along k are loaded together: what 32 bits hold.
inline int64_t getGroupSize(Factors factors) {
  return factors == Factors::Bytes ? 4 : 1;
}

/// Emits the arithmetic of one kind of factors for one instruction set.
class ProductArithmetic {
public:
  ProductArithmetic(mlir::MLIRContext *context, Isa isa, Factors factors);

  /// A vector of results, and of 32 bits of a factor in each lane.
  mlir::VectorType getType() const { return type; }
  int64_t getLanes() const { return type.getNumElements(); }

  /// A factor's vector in the form that `multiplyAdd` reads: done once for all
  /// products that read it.
  llvm::SmallVector<mlir::Value> openLhs(CodeBuilder &b, mlir::Value v) const;
  llvm::SmallVector<mlir::Value> openRhs(CodeBuilder &b, mlir::Value v) const;

  /// acc + lhs * rhs.
  mlir::Value multiplyAdd(CodeBuilder &b, mlir::ValueRange lhs,
                          mlir::ValueRange rhs, mlir::Value acc) const;

private:
  Isa isa;
  Factors factors;
  mlir::VectorType type;
};

} // namespace dyn

#endif // DYN_CONVERSION_KERNELTOVECTOR_PRODUCTARITHMETIC_H
