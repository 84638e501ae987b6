//===- MaskedCells.h - Values at cells where a mask is zero ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Exporters turn the mask of a model, [B, S], into terms that are added to
// scores or multiplied with rows, in many ways. All of them have one thing in
// common: a value at cell (b, s) is a function of mask[b, s]. So the elements
// at cells where the mask is zero are computed on numbers: 0 for the mask,
// constants as they are, and unknown for all else, which a multiplication by 0
// or a select of the other operand does not need.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_MASKEDCELLS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_MASKEDCELLS_H

#include "dyn/Dialect/DHLO/Analysis/CellFlow.h"

namespace dyn::dhlo {

class MaskedCells {
public:
  /// `mask` has rank 2; cells are its elements.
  MaskedCells(mlir::Value mask, const SymbolicDims &dims);

  /// The number that all elements of a value have at the cells where the mask
  /// is zero, if provable. Zero times anything is taken to be zero, as if the
  /// other operand were finite.
  std::optional<double> evaluate(mlir::Value value,
                                 llvm::ArrayRef<int64_t> axes);

  /// The first axes of a type that have the sizes of the grid.
  std::optional<CellAxes> find(mlir::RankedTensorType type) const;

  mlir::Value getMask() const { return mask; }
  const CellFlow &getFlow() const { return flow; }

private:
  std::optional<double> compute(mlir::Operation *op,
                                llvm::ArrayRef<int64_t> axes);
  std::optional<double> computeElementwise(mlir::Operation *op,
                                           llvm::ArrayRef<int64_t> axes);
  /// A gather whose indices are the positions themselves.
  std::optional<double> computeGather(mlir::Operation *op,
                                      llvm::ArrayRef<int64_t> axes);

  mlir::Value mask;
  const SymbolicDims &dims;
  CellFlow flow;
  /// Memoized numbers of values, for each location of their cells.
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<CellAxes, std::optional<double>>>>
      known;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_MASKEDCELLS_H
