//===- GemmFill.h - Loads of an operand to shared memory ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_GEMM_GEMMFILL_H
#define DYN_LIB_CODEGEN_GPU_GEMM_GEMMFILL_H

#include "GemmProblem.h"
#include "GemmTile.h"

namespace dyn {

/// Whether an operand of the GEMM is an operand of the kernel that is used as
/// it is stored, in elements of type `element`.
bool isStored(const GemmProblem::Operand &operand, mlir::Type element);

/// Loads one operand's tile to shared memory: adjacent threads read adjacent
/// elements in memory, whatever the layout. An operand that is stored is copied
/// by cp.async, 16 bytes at once where its contiguous runs allow it; computed
/// elements go through registers, one by one.
class GemmFill {
public:
  /// For code of calls in which contiguous runs are multiples of `multiple`,
  /// except those that never are.
  GemmFill(GemmProblem &problem, GemmTile &tile, bool isLhs, int64_t multiple,
           const SymbolicDims &dims);

  /// Whether the operand is loaded by copies that the thread has to wait for.
  bool isCopied() const { return copies; }
  /// Emits the thread's part: the next steps of the tile at `from` to `shared`.
  void emit(KernelBuilder &b, mlir::Value shared,
            const GemmProblem::Indices &from, const GemmProblem::RowTile &rows);

private:
  /// Loads consecutive elements of a run.
  void emitAt(KernelBuilder &b, mlir::Value shared,
              const GemmProblem::Indices &from,
              const GemmProblem::RowTile &rows, mlir::OpFoldResult along,
              mlir::OpFoldResult line);

  GemmProblem &problem;
  GemmTile &tile;
  bool isLhs, copies = false;
  const GemmProblem::Operand &operand;
  const GemmTile::Factor &factor;
  int64_t lanes = 1; ///< consecutive elements at once
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_GEMM_GEMMFILL_H
