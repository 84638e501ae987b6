//===- KeptCells.h - Which cells of a grid are kept -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A cell is kept if its token is valid, if an operation reads its row whatever
// the mask, or if attention would otherwise have a row without keys.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_KEPTCELLS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_KEPTCELLS_H

#include "Demand.h"

#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

namespace dyn::dhlo {

/// Whether the elements of a mask are not zero: the valid tokens.
mlir::Value isNonzero(TensorBuilder &b, mlir::Value value);

class KeptCells {
public:
  KeptCells(mlir::func::FuncOp entry, Demand &demand)
      : entry(entry), demand(demand), flow(demand.getKnown().getFlow()),
        dims(flow.getDims()) {}

  /// The operation before which the cells to keep can be computed.
  mlir::Operation *getAnchor();
  /// Which cells to keep: i1 [B, S].
  mlir::Value build(TensorBuilder &b);

private:
  /// Whether each row of the grid, or all rows of a sentence, see a valid key.
  mlir::Value buildSees(TensorBuilder &b, const SoftMask &mask,
                        mlir::Value isValid);
  mlir::Value spread(TensorBuilder &b, mlir::Value value,
                     llvm::ArrayRef<int64_t> axes,
                     mlir::RankedTensorType type) {
    return BroadcastOp::create(b, type, value, b.getDenseI64ArrayAttr(axes));
  }

  mlir::func::FuncOp entry;
  Demand &demand;
  const CellFlow &flow;
  const SymbolicDims &dims;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_KEPTCELLS_H
