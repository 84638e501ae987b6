//===- MmaInstruction.h - A warp's matmul by tensor cores -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_GEMM_MMAINSTRUCTION_H
#define DYN_LIB_CODEGEN_GPU_GEMM_MMAINSTRUCTION_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// mma.sync.m16n8k16, of f16 or bf16 with f32 sums. Lanes hold the elements
/// that PTX defines: lane 4 g + t has rows g and g + 8 of A and of the sums,
/// and column g of B; of A and B two consecutive elements along K from 2 t and
/// from 2 t + 8 on, of the sums two consecutive columns from 2 t on.
class MmaInstruction {
public:
  static constexpr int64_t kRows = 16, kColumns = 8, kDepth = 16;
  /// Lanes that share a row, and the distance of a lane's rows.
  static constexpr int64_t kRowLanes = 4, kRowStep = 8;

  MmaInstruction(KernelBuilder &b, mlir::Type element);

  /// A lane's pair of consecutive elements, from shared memory: `index` is that
  /// of the first.
  mlir::Value loadPair(mlir::Value shared, mlir::OpFoldResult index);
  /// The same from a word, as ldmatrix returns it.
  mlir::Value toPair(mlir::Value word);
  /// The same from two f32 values, which are rounded.
  mlir::Value makePair(mlir::Value first, mlir::Value second);
  /// The sums plus a matmul. `lhs`: rows g and g + 8 at 2 t, then both at 2 t
  /// + 8; `rhs`: at 2 t, then at 2 t + 8; `sums`: row g, then row g + 8.
  llvm::SmallVector<mlir::Value>
  multiply(mlir::ValueRange lhs, mlir::ValueRange rhs, mlir::ValueRange sums);

  mlir::OpFoldResult g, t; ///< of this lane

private:
  KernelBuilder &b;
  mlir::Type element;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_GEMM_MMAINSTRUCTION_H
