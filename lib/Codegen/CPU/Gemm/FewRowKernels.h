//===- FewRowKernels.h - Few rows by a matrix in memory -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A micro-kernel uses each element of B for all rows of a tile. For one row,
// packing B takes longer than the multiplication, which waits for memory: these
// functions read B in the order of the memory, as its caches foresee.
//
//   Rows of N   Four rows of B at once, from their first column to the last;
//               sums are in memory, and a load and a store of them is a quarter
//               of all accesses.
//   Rows of K   Vectors of rows of B are transposed in registers, where the
//               sums of as many columns are.
//
// Each sum is the chain of multiply-adds of the micro-kernels, over ascending
// k, so its bits are the same.

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_FEWROWKERNELS_H
#define DYN_LIB_CODEGEN_CPU_GEMM_FEWROWKERNELS_H

#include "Codegen/CPU/Gemm/Gemm.h"
#include "Codegen/CPU/Gemm/Transposing.h"

namespace dyn {

/// Operands of a call: pointers, i64 values, and strides in bytes.
struct FewRowCall {
  /// The element k of row m of A is at `a + m * aRow + k * aStep`.
  mlir::Value a, aRow, aStep;
  /// The first column, and from one row of N or K to the next.
  mlir::Value b, bRow;
  mlir::Value depth, columns;
  /// The results, f32. Up to a vector before and behind them is written.
  mlir::Value c, cRow;
};

/// Creates and calls these functions for one instruction set.
class FewRowKernels {
public:
  /// The maximum number of rows of a call.
  static constexpr int64_t kMaxRows = 4;

  /// Functions are added to the body of `symbolTable`.
  FewRowKernels(mlir::Operation *symbolTable, Isa isa, mlir::Type lhs,
                mlir::Type rhs);

  int64_t getLanes() const { return arithmetic.getLanes(); }

  /// Columns must be in a matrix of at least a vector of them. `isNarrow` says
  /// that few columns that are rows of K are to be read at once.
  void call(CodeBuilder &b, RhsOrder order, int64_t rows, bool isNarrow,
            const FewRowCall &call);

private:
  mlir::Operation *symbolTable;
  ElementSource lhs, rhs;
  GemmArithmetic arithmetic;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_FEWROWKERNELS_H
