//===- ProductArithmetic.h - What micro-kernels do in registers -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A micro-kernel goes along k in groups of factors. Of each group it loads what
// a row of A has, repeats it in every lane, and adds its product with a vector
// of B to a vector of results. What a group is, and what a product is, is said
// here.
//
// f32: groups of one, and a fused multiply-add.
//
// bf16, f16: the same for factors of B with 16 bits, which become f32 in
// registers, bf16 by a shift or a mask of two that lie together, f16 by an
// instruction. Rows of A are f32: who calls widens them once for all panels.
// So the chain of multiply-adds is that of f32.
//
// Pairs of bf16: both factors have 16 bits, and the sum of the products of a
// group is one instruction where there is AVX-512 BF16. It takes denormals for
// zeros and rounds in its own way, so the bits are not those of f32. On
// processors with registers of rows (TileRegisters.h) it takes longer than two
// multiply-adds: there, what those registers do not multiply is bf16 by f32.
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
  F32,       ///< f32 by f32, to f32
  BF16,      ///< f32 by bf16, in groups of two, to f32
  F16,       ///< f32 by f16, to f32
  Bytes,     ///< ui8 by i8, in groups of four, to i32
  BF16Pairs, ///< bf16 by bf16, in groups of two, to f32
};

/// How many elements along k are a group.
inline int64_t getGroupSize(Factors factors) {
  switch (factors) {
  case Factors::F32:
  case Factors::F16:
    return 1;
  case Factors::BF16:
  case Factors::BF16Pairs:
    return 2;
  case Factors::Bytes:
    return 4;
  }
  llvm_unreachable("all factors are listed");
}
/// Bytes of a group in a row of A.
inline int64_t getLhsBytes(Factors factors) {
  return factors == Factors::BF16 ? 8 : 4;
}
/// Bytes of a group in a column of B.
inline int64_t getRhsBytes(Factors factors) {
  return factors == Factors::F16 ? 2 : 4;
}

/// Whether these factors are multiplied on registers of rows.
inline bool usesTileRegisters(Isa isa, Factors factors) {
  return hasTileRegisters(isa) &&
         (factors == Factors::Bytes || factors == Factors::BF16Pairs);
}

/// A product's factors: by its types F32, BF16, F16 or Bytes, whether the
/// second is a packed constant, and how many elements a sum has, if that is
/// known.
struct DeclaredFactors {
  Factors factors;
  bool isPacked;
  std::optional<int64_t> depth;

  /// How they are multiplied at an instruction set.
  Factors getFactors(Isa isa) const;
  /// Whether the code is the same for two of them, of which one extends the
  /// other.
  bool isSameCode(Isa isa, Isa extended) const;
};

/// Emits the arithmetic of one kind of factors for one instruction set.
class ProductArithmetic {
public:
  ProductArithmetic(mlir::MLIRContext *context, Isa isa, Factors factors);

  /// A vector of results.
  mlir::VectorType getType() const { return type; }
  int64_t getLanes() const { return type.getNumElements(); }

  /// Parts of a group that are multiplied one after the other.
  int64_t getParts() const { return factors == Factors::BF16 ? 2 : 1; }
  Factors getFactors() const { return factors; }

  /// A part of the group at `ptr` in the form that `multiplyAdd` reads: of a
  /// row of A in every lane, and of a vector of columns of B.
  llvm::SmallVector<mlir::Value> loadLhs(CodeBuilder &b, mlir::Value ptr,
                                         int64_t part) const;
  llvm::SmallVector<mlir::Value> loadRhs(CodeBuilder &b, mlir::Value ptr,
                                         int64_t part) const;

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
