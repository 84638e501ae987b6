//===- GemmArithmetic.h - The arithmetic of micro-kernels -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A micro-kernel traverses k in groups of elements. For each group it loads the
// elements of a row of A, broadcasts them to all lanes, multiplies them by a
// vector of B and accumulates the result. This class defines the groups and the
// multiplication.
//
// f32: groups of one, and a fused multiply-add.
//
// bf16, f16: the same for a B of 16-bit floats, which are converted to f32 in
// registers, bf16 by a shift or mask of adjacent pairs, f16 by an instruction.
// Rows of A are f32: the caller converts them once for all panels. So the chain
// of multiply-adds is that of f32.
//
// Pairs of bf16: both operands are bf16, and the dot product of a group is one
// instruction with AVX-512 BF16. It treats denormals as zeros and rounds
// differently, so the bits are not those of f32. On processors with tile
// registers (TileRegisters.h) it takes longer than two multiply-adds: there,
// cases that those registers do not cover are computed as bf16 by f32.
//
// Bytes: four ui8 of A along k, four i8 of B for each column, and their exact
// dot product is added to an i32, which wraps. This is one instruction with
// VNNI. Otherwise bytes at even and odd positions are converted to pairs of i16
// (vpmaddwd computes a dot product of pairs, and 2 * 255 * 128 fits); the
// instruction for bytes of older levels saturates, which would give a different
// result.

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_GEMMARITHMETIC_H
#define DYN_LIB_CODEGEN_CPU_GEMM_GEMMARITHMETIC_H

#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Support/Isa.h"

namespace dyn {

/// The types of the operands of a GEMM.
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

/// Whether these operands are multiplied in tile registers.
inline bool usesTileRegisters(Isa isa, Factors factors) {
  return hasTileRegisters(isa) &&
         (factors == Factors::Bytes || factors == Factors::BF16Pairs);
}

/// The operands of a GEMM: by their types F32, BF16, F16 or Bytes, whether the
/// RHS is a packed constant, and K, if it is static.
struct DeclaredFactors {
  Factors factors;
  bool isPacked;
  std::optional<int64_t> depth;

  /// The arithmetic for an instruction set.
  Factors getFactors(Isa isa) const;
  /// Whether it is that of tile registers, which are for a static K.
  bool usesTileRegisters(Isa isa) const;
  /// Whether the code is the same for two instruction sets, one of which
  /// extends the other.
  bool isSameCode(Isa isa, Isa extended) const;
};

/// Emits the arithmetic of one kind of operands for one instruction set.
class GemmArithmetic {
public:
  GemmArithmetic(mlir::MLIRContext *context, Isa isa, Factors factors);

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

#endif // DYN_LIB_CODEGEN_CPU_GEMM_GEMMARITHMETIC_H
