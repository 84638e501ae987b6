//===- MmaInstruction.h - One product of a warp by tensor cores -*- C++ -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_MMAINSTRUCTION_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_MMAINSTRUCTION_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

namespace dyn {

/// mma.sync.m16n8k16, of f16 or bf16 with sums of f32. Its lanes hold what PTX
/// says: lane 4 g + t has rows g and g + 8 of the left factor and of the sums,
/// and column g of the right one; of the factors two neighbours along the sum
/// from 2 t and from 2 t + 8 on, of the sums two neighbours in a row from 2 t
/// on.
class MmaInstruction {
public:
  static constexpr int64_t kRows = 16, kColumns = 8, kDepth = 16;
  /// Lanes that share a row, and between its rows.
  static constexpr int64_t kRowLanes = 4, kRowStep = 8;

  MmaInstruction(KernelBuilder &b, mlir::Type element);

  /// A lane's pair of neighbours, from shared memory: `place` is the number of
  /// the first.
  mlir::Value loadPair(mlir::Value shared, mlir::OpFoldResult place);
  /// The same from a word, as ldmatrix brings it.
  mlir::Value toPair(mlir::Value word);
  /// The same from two values of f32, which are rounded.
  mlir::Value makePair(mlir::Value first, mlir::Value second);
  /// The sums with a product more. Of the left factor: rows g and g + 8 at
  /// 2 t, then both at 2 t + 8; of the right one: at 2 t, then at 2 t + 8; of
  /// the sums: row g, then row g + 8.
  llvm::SmallVector<mlir::Value> multiply(mlir::ValueRange left,
                                          mlir::ValueRange right,
                                          mlir::ValueRange sums);

  mlir::OpFoldResult g, t; ///< of this lane

private:
  KernelBuilder &b;
  mlir::Type element;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_MMAINSTRUCTION_H
