//===- FewRows.h - GEMMs of few rows, by matrices that are not packed -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_FEWROWS_H
#define DYN_LIB_CODEGEN_CPU_GEMM_FEWROWS_H

#include "Codegen/CPU/Gemm/Gemm.h"

namespace dyn {

/// The part of a GEMM's schedule for few rows, which read B where it is. It has
/// work items of its own, and the same bits as the other part.
class FewRows {
public:
  /// None if the GEMM always has more rows, or B is packed.
  static std::optional<FewRows> create(KernelBuilder &b, const Gemm &gemm);

  /// Whether a call has few rows. Null if all have.
  mlir::Value isFew(KernelBuilder &b) const;

  mlir::OpFoldResult getItems(KernelBuilder &b) const;
  mlir::OpFoldResult getScratchBytes(KernelBuilder &b) const;
  /// Emits the code of the kernel's work items.
  void emitBody(KernelBuilder &b, mlir::Operation *symbolTable) const;

private:
  FewRows(const Gemm &gemm, SymbolicDims::Range rows,
          SymbolicDims::Range columns)
      : gemm(gemm), rows(rows), columns(columns) {}

  Gemm gemm;
  SymbolicDims::Range rows, columns;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_FEWROWS_H
