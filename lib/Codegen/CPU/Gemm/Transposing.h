//===- Transposing.h - Loads of elements, and transposes in registers -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_TRANSPOSING_H
#define DYN_LIB_CODEGEN_CPU_GEMM_TRANSPOSING_H

#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Support/Isa.h"

#include <string>

namespace dyn {

/// Where elements of an operand are read: f32, 16-bit floats, which are
/// widened, or the same and bytes as groups of 32 bits.
struct ElementSource {
  mlir::Type element; ///< null for f32
  Isa isa;
  /// From one element of a group to the next, in bytes; null without groups.
  mlir::Value groupStride;
  /// The number of the last element of a group, if those behind it do not exist
  /// and are zero; null if all exist.
  mlir::Value last;

  ElementSource(mlir::Type element, Isa isa)
      : element(!element || element.isF32() ? mlir::Type() : element),
        isa(isa) {}

  bool isBytes() const { return element && element.isInteger(8); }
  int64_t getBytes() const { return isBytes() ? 1 : element ? 2 : 4; }

  /// The name of a function that reads it.
  std::string getName(llvm::StringRef function, bool isPairs = false) const;

  /// The elements or groups from `index` on, as f32 of `type`.
  mlir::Value load(CodeBuilder &b, mlir::Type type, mlir::Value start,
                   mlir::Value index) const;
};

/// Transposes `rows`, n vectors, in registers: log2(n) rounds, each of which
/// interleaves vector i with vector i + n / 2. The concatenated results are the
/// columns, each of n elements. If given, `group` elements of the vectors are
/// transposed together, by themselves.
llvm::SmallVector<mlir::Value>
emitTranspose(CodeBuilder &b, llvm::SmallVector<mlir::Value> rows,
              int64_t group = 0);

/// How many elements of a column `loadColumns` loads at once.
inline int64_t getColumnPiece(int64_t lanes) {
  return lanes >= 8 ? lanes / 2 : lanes;
}

/// Loads elements `k` up to `k + getColumnPiece(lanes)` of `starts.size()`
/// columns, which are contiguous: a vector of all columns for each of them.
/// Halves of vectors are loaded from two columns, which saves a round of the
/// transpose.
llvm::SmallVector<mlir::Value> loadColumns(CodeBuilder &b,
                                           const ElementSource &source,
                                           llvm::ArrayRef<mlir::Value> starts,
                                           mlir::Value k);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_TRANSPOSING_H
