//===- ProductForm.h - Operations seen as products of matrices ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFORM_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFORM_H

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"

#include <memory>

namespace dyn {

/// An operation as `batch` products of matrices, rows x depth by
/// depth x columns: what its factors are at a place, and where its sums lie in
/// the result. There may be no matrices in memory.
class ProductForm {
public:
  /// A place in the product of matrices number `batch`.
  struct Place {
    mlir::OpFoldResult batch, row, column, step;
  };

  virtual ~ProductForm() = default;

  /// An element of a factor, in the type of the sums; of the left one at a row
  /// and a step, of the right one at a step and a column.
  virtual mlir::Value emitLeft(KernelBuilder &b, const Place &place) = 0;
  virtual mlir::Value emitRight(KernelBuilder &b, const Place &place) = 0;
  /// The position of a sum in the result; lanes run along the columns.
  virtual Position getResult(ElementEmitter &e, const Place &place,
                             int64_t lanes) = 0;

  dhlo::DimExpr batch, rows, columns, depth;
  mlir::Type sum;
  /// Whether neighbours in memory are neighbours along the sum.
  bool isLeftAlongSum = true, isRightAlongSum = false;
};

/// The form of an operation. Null after emitting a diagnostic.
std::unique_ptr<ProductForm> createDotForm(dhlo::DotGeneralOp op,
                                           const SymbolicDims &dims);
std::unique_ptr<ProductForm> createConvolutionForm(dhlo::ConvolutionOp op,
                                                   const SymbolicDims &dims);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFORM_H
