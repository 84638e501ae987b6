//===- MaskedCells.h - What values are where a mask is zero ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Exporters turn the mask of a model, [B, S], into what is added to scores or
// multiplied with rows, in many ways. All of them agree in one thing: a value
// at cell (b, s) is a function of mask[b, s]. So elements at the cells where
// the mask is zero are known by calculating with numbers: 0 where the mask is
// read, constants as they are, and nothing for all else, which a product with 0
// or a choice of the other side does not read.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_MASKEDCELLS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_MASKEDCELLS_H

#include "dyn/Analysis/CellFlow.h"

namespace dyn::dhlo {

class MaskedCells {
public:
  /// `mask` has rank 2; cells are its elements.
  MaskedCells(mlir::Value mask, const SymbolicDims &dims);

  /// The number that all elements of a value have at the cells where the mask
  /// is zero, if they provably do. Factors of zero are taken to make zero of
  /// what they meet, as if that were finite.
  std::optional<double> evaluate(mlir::Value value,
                                 llvm::ArrayRef<int64_t> axes);

  /// Where a type has the sizes of the grid: the first axes that fit.
  std::optional<CellAxes> find(mlir::RankedTensorType type) const;

  mlir::Value getMask() const { return mask; }
  const CellFlow &getFlow() const { return flow; }

private:
  std::optional<double> compute(mlir::Operation *op,
                                llvm::ArrayRef<int64_t> axes);
  std::optional<double> computeElementwise(mlir::Operation *op,
                                           llvm::ArrayRef<int64_t> axes);
  /// A gather at indices that are the position itself.
  std::optional<double> computeGather(mlir::Operation *op,
                                      llvm::ArrayRef<int64_t> axes);

  mlir::Value mask;
  const SymbolicDims &dims;
  CellFlow flow;
  /// What is known of values, with where their cells lie.
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<CellAxes, std::optional<double>>>>
      known;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_MASKEDCELLS_H
