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

  /// Rows that are computed together, with the same right factor.
  struct RowTile {
    mlir::OpFoldResult first, end;
    mlir::OpFoldResult batch; ///< of the place of each element
    mlir::OpFoldResult depth; ///< steps of their sums
  };

  /// A factor as a tensor.
  struct Operand {
    mlir::Value tensor;
    /// Whether neighbours in memory are neighbours along the sum.
    bool isAlongSum = false;
    /// Neighbours from a multiple of n on, along the sum or across it, lie side
    /// by side in memory if this is a multiple of n.
    dhlo::DimExpr line;
  };
  /// The number of an element in its operand.
  struct Element {
    mlir::OpFoldResult number;
    mlir::Value isThere; ///< else the factor is zero; null if it always is
  };

  virtual ~ProductForm() = default;

  /// Of a product of the batch: how many tiles of at most `height` rows there
  /// are, and one of them. Tiles may be empty: their end is not above their
  /// first row then.
  virtual mlir::OpFoldResult countRowTiles(KernelBuilder &b, int64_t height);
  virtual RowTile getRowTile(KernelBuilder &b, mlir::OpFoldResult batch,
                             mlir::OpFoldResult tile, int64_t height);

  /// An element of a factor, in the type of the sums; of the left one at a row
  /// and a step, of the right one at a step and a column.
  virtual mlir::Value emitLeft(KernelBuilder &b, const Place &place) = 0;
  virtual mlir::Value emitRight(KernelBuilder &b, const Place &place) = 0;
  /// Where that element is in its operand.
  virtual Element findLeft(KernelBuilder &b, const Place &place) = 0;
  virtual Element findRight(KernelBuilder &b, const Place &place) = 0;
  /// The position of a sum in the result; lanes run along the columns.
  virtual Position getResult(ElementEmitter &e, const Place &place,
                             int64_t lanes) = 0;

  dhlo::DimExpr batch, rows, columns, depth;
  dhlo::DimExpr parts; ///< that rows are in, each with a right factor
  mlir::Type sum;
  Operand left, right;

protected:
  /// The element of an operand at a position, in the type of the sums, and
  /// where it is.
  mlir::Value emitElement(KernelBuilder &b, const Operand &operand,
                          const Position &position);
  static Element findElement(KernelBuilder &b, const Position &position) {
    return {ElementEmitter(b).join(position).base, mlir::Value()};
  }
};

/// The form of an operation.
std::unique_ptr<ProductForm> createDotForm(dhlo::DotGeneralOp op,
                                           const SymbolicDims &dims);
std::unique_ptr<ProductForm> createGroupedForm(dhlo::GroupedDotOp op,
                                               const SymbolicDims &dims);
std::unique_ptr<ProductForm> createConvolutionForm(dhlo::ConvolutionOp op,
                                                   const SymbolicDims &dims);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTFORM_H
