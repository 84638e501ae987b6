//===- ProductFill.h - Loads of an operand to shared memory -----*- C++ -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFILL_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFILL_H

#include "ProductForm.h"
#include "ProductTile.h"

namespace dyn {

/// Whether an operand of the GEMM is an operand of the kernel that is used as
/// it is stored, in elements of type `element`.
bool isStored(const ProductForm::Operand &operand, mlir::Type element);

/// Loads one operand's tile to shared memory: adjacent threads read adjacent
/// elements in memory, whatever the layout. An operand that is stored is copied
/// by cp.async, 16 bytes at once where its contiguous runs allow it; computed
/// elements go through registers, one by one.
class ProductFill {
public:
  /// For code of calls in which contiguous runs are multiples of `multiple`,
  /// except those that never are.
  ProductFill(ProductForm &form, ProductTile &tile, bool isLeft,
              int64_t multiple, const SymbolicDims &dims);

  /// Whether the operand is loaded by copies that the thread has to wait for.
  bool isCopied() const { return copies; }
  /// Emits the thread's part: the next steps of the tile at `from` to `shared`.
  void emit(KernelBuilder &b, mlir::Value shared,
            const ProductForm::Place &from, const ProductForm::RowTile &rows);

private:
  /// Loads consecutive elements of a run.
  void emitAt(KernelBuilder &b, mlir::Value shared,
              const ProductForm::Place &from, const ProductForm::RowTile &rows,
              mlir::OpFoldResult along, mlir::OpFoldResult line);

  ProductForm &form;
  ProductTile &tile;
  bool isLeft, copies = false;
  const ProductForm::Operand &operand;
  const ProductTile::Factor &factor;
  int64_t lanes = 1; ///< consecutive elements at once
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFILL_H
