//===- Demand.h - Which values are needed at which cells ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A cell is a token (b, s) of the grid of a mask [B, S]. Going up from the
// outputs, a value is needed at all cells, until this reaches
//
//   - a value that is a constant number where the mask is zero, whatever the
//     rows hold: a multiplication with the mask, a select by it;
//   - the rows of one position, as a first-token head reads them.
//
// From there on rows are needed at kept cells only. Operations that keep cells
// apart propagate this to their operands, and so does attention between the
// cells if the mask removes the keys of dropped cells. Any other user of a
// value needs it at all cells. If no contraction is needed both ways, the mask
// proves that dropped cells reach no result.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_DEMAND_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_DEMAND_H

#include "Sinks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace dyn::dhlo {

/// Attention in which removed keys still have weight if a row has no others.
struct SoftMask {
  AttentionOp op;
  double number;
};

/// An operation that needs rows that could be dropped.
struct Obstacle {
  mlir::Location loc;
  std::string text;
};

/// Determines which values are needed at which cells.
class Demand {
public:
  Demand(mlir::func::FuncOp entry, mlir::Value mask, bool isRequested,
         const SymbolicDims &dims)
      : entry(entry), known(mask, dims), isRequested(isRequested), dims(dims) {}

  /// Whether contractions can be computed on rows only. If not, getObstacle
  /// says why, unless no attention uses this mask.
  bool run();

  /// Moves operations that masks follow from in front of the first sink: rows
  /// are packed before they are read.
  void hoistMasks();

  const std::optional<Obstacle> &getObstacle() const { return obstacle; }
  llvm::ArrayRef<Sink> getSinks() const { return sinks; }
  llvm::ArrayRef<SoftMask> getSoftMasks() const { return softMasks; }
  const llvm::SetVector<AttentionOp> &getAttentions() const {
    return attentions;
  }
  unsigned getNumDots() const { return numContractions; }
  MaskedCells &getKnown() { return known; }
  /// Floating-point operations saved for each dropped cell, and bytes moved for
  /// each cell.
  double getFlops() const { return flops; }
  double getBytes() const { return bytes; }

private:
  /// The number of an attention's mask at dropped keys, if it removes them.
  std::optional<double> getRemoval(AttentionOp op);
  void findAttention(AttentionOp op);
  bool isSink(mlir::Operation *op);
  void wantAll(mlir::Value value, const Obstacle &reason);
  void wantKept(mlir::Value value, llvm::ArrayRef<int64_t> axes,
                const Obstacle &reason);
  /// Whether contractions above a value could be computed on rows, except for
  /// operations that mix rows.
  bool reachesDot(mlir::Value value, llvm::ArrayRef<int64_t> axes);
  /// Whether attention that ignores dropped keys is among the producers.
  bool leadsToAttention(mlir::Operation *op);
  void addCost(mlir::Operation *op, llvm::ArrayRef<int64_t> axes);
  mlir::Operation *getFirstSink() const;
  void findLateSources();
  /// Elements of a type for each cell; dynamic sizes are estimated.
  double countRest(mlir::RankedTensorType type,
                   llvm::ArrayRef<int64_t> axes) const;
  void setObstacle(const Obstacle &reason) {
    if (!obstacle)
      obstacle = reason;
  }

  mlir::func::FuncOp entry;
  MaskedCells known;
  bool isRequested;
  const SymbolicDims &dims;
  std::optional<Obstacle> obstacle;
  llvm::SmallVector<Sink> sinks;
  llvm::SmallVector<SoftMask> softMasks;
  /// Attention that ignores dropped keys, and attention computed for kept
  /// cells.
  llvm::DenseMap<mlir::Operation *, double> removing;
  llvm::SetVector<AttentionOp> attentions;
  llvm::DenseMap<mlir::Operation *, Obstacle> all;
  llvm::DenseMap<mlir::Operation *, CellAxes> kept;
  llvm::DenseMap<mlir::Operation *, bool> reaching;
  /// Operations behind the first sink that masks follow from.
  llvm::SmallVector<mlir::Operation *> lateSources;
  unsigned numContractions = 0;
  double flops = 0, bytes = 0;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_DEMAND_H
