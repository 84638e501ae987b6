//===- ProductFill.h - How a factor gets to shared memory -------*- C++ -*-===//
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

/// Whether a factor is an operand of the kernel that is multiplied as it is
/// stored, in elements of type `element`.
bool isStored(const ProductForm::Operand &operand, mlir::Type element);

/// Brings one factor to shared memory: neighbouring threads bring neighbours in
/// memory, whichever way it lies. One that is stored is copied by cp.async,
/// 16 bytes at once where its lines allow it; what is computed on the way goes
/// through registers, one by one.
class ProductFill {
public:
  /// In code for calls in which lines are multiples of `multiple`, but for
  /// those that never are.
  ProductFill(ProductForm &form, ProductTile &tile, bool isLeft,
              int64_t multiple, const SymbolicDims &dims);

  /// Whether the factor comes by copies that the thread has to wait for.
  bool isCopied() const { return copies; }
  /// Emits the thread's part: the next steps of the tile at `from` to
  /// `shared`.
  void emit(KernelBuilder &b, mlir::Value shared,
            const ProductForm::Place &from, const ProductForm::RowTile &rows);

private:
  /// Brings neighbours of a line.
  void emitAt(KernelBuilder &b, mlir::Value shared,
              const ProductForm::Place &from, const ProductForm::RowTile &rows,
              mlir::OpFoldResult along, mlir::OpFoldResult line);

  ProductForm &form;
  ProductTile &tile;
  bool isLeft, copies = false;
  const ProductForm::Operand &operand;
  const ProductTile::Factor &factor;
  int64_t lanes = 1; ///< neighbours at once
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFILL_H
