//===- GemmProblem.h - Operations as GEMM problems ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_GEMM_GEMMPROBLEM_H
#define DYN_LIB_CODEGEN_GPU_GEMM_GEMMPROBLEM_H

#include "Codegen/Common/Elements/ElementEmitter.h"

#include <memory>

namespace dyn {

/// An operation as `batch` GEMMs, with M = `rows`, N = `columns` and K =
/// `depth`: the elements of its operands at a position, and the position of its
/// sums in the result. The matrices need not exist in memory.
class GemmProblem {
public:
  /// A position in GEMM number `batch`; `step` is the index along K.
  struct Indices {
    mlir::OpFoldResult batch, row, column, step;
  };

  /// Rows that are computed together, with the same B.
  struct RowTile {
    mlir::OpFoldResult first, end;
    mlir::OpFoldResult batch; ///< of the position of each element
    mlir::OpFoldResult depth; ///< K of their sums
  };

  /// A or B as a tensor.
  struct Operand {
    mlir::Value tensor;
    /// Whether elements that are adjacent in memory are adjacent along K.
    bool isAlongSum = false;
    /// The length of contiguous runs, along K or not: n consecutive elements,
    /// from a multiple of n on, are adjacent in memory if this is a multiple of
    /// n.
    dhlo::DimExpr line;
  };
  /// The linear index of an element in its operand.
  struct Element {
    mlir::OpFoldResult number;
    mlir::Value isInside; ///< else the element is zero; null if always true
  };

  virtual ~GemmProblem() = default;

  /// In a GEMM of the batch: the number of tiles of at most `height` rows, and
  /// one of them. Tiles may be empty: their end is not above their first row
  /// then.
  virtual mlir::OpFoldResult countRowTiles(KernelBuilder &b, int64_t height);
  virtual RowTile getRowTile(KernelBuilder &b, mlir::OpFoldResult batch,
                             mlir::OpFoldResult tile, int64_t height);

  /// An element of A at a row and a step, or of B at a step and a column, in
  /// the type of the sums.
  virtual mlir::Value emitLhs(KernelBuilder &b, const Indices &indices) = 0;
  virtual mlir::Value emitRhs(KernelBuilder &b, const Indices &indices) = 0;
  /// The index of that element in its operand.
  virtual Element findLhs(KernelBuilder &b, const Indices &indices) = 0;
  virtual Element findRhs(KernelBuilder &b, const Indices &indices) = 0;
  /// The position of a sum in the result; lanes run along the columns.
  virtual Position getResult(ElementEmitter &e, const Indices &indices,
                             int64_t lanes) = 0;

  dhlo::DimExpr batch, rows, columns, depth;
  dhlo::DimExpr parts; ///< groups of rows, each with its own B
  mlir::Type sum;
  Operand lhs, rhs;
};

/// A GEMM problem whose matrices are tensors: each element of A or B is the one
/// at a position of an operand.
class TensorProblem : public GemmProblem {
public:
  mlir::Value emitLhs(KernelBuilder &b, const Indices &indices) override {
    return emitElement(b, lhs, getLhs(b, indices));
  }
  mlir::Value emitRhs(KernelBuilder &b, const Indices &indices) override {
    return emitElement(b, rhs, getRhs(b, indices));
  }
  Element findLhs(KernelBuilder &b, const Indices &indices) override {
    return findElement(b, getLhs(b, indices));
  }
  Element findRhs(KernelBuilder &b, const Indices &indices) override {
    return findElement(b, getRhs(b, indices));
  }

private:
  /// The position of an element of A, or of B.
  virtual Position getLhs(KernelBuilder &b, const Indices &indices) = 0;
  virtual Position getRhs(KernelBuilder &b, const Indices &indices) = 0;
  /// The element of an operand at a position, in the type of the sums, and its
  /// index.
  mlir::Value emitElement(KernelBuilder &b, const Operand &operand,
                          const Position &position);
  static Element findElement(KernelBuilder &b, const Position &position) {
    return {ElementEmitter(b).join(position).base, mlir::Value()};
  }
};

/// The GEMM problem of an operation.
std::unique_ptr<GemmProblem> createDotProblem(dhlo::DotGeneralOp op,
                                              const SymbolicDims &dims);
std::unique_ptr<GemmProblem> createGroupedProblem(dhlo::GroupedDotOp op,
                                                  const SymbolicDims &dims);
std::unique_ptr<GemmProblem> createConvolutionProblem(dhlo::Convolves op,
                                                      const SymbolicDims &dims);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_GEMM_GEMMPROBLEM_H
