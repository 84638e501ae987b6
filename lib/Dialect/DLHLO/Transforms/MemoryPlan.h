//===- MemoryPlan.h - Which values of a segment share memory
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Values of a segment live in one arena. A value occupies a slot from the
// operation that makes it to the last that reads it; then the slot is free for
// another. Slots lie behind each other, so their sizes, which may be symbolic,
// need not be ordered: the offset of a slot is the sum of the sizes before it.
//
//   value   bytes      made  last read   slot
//   %0      4*B*S      0     1           0
//   %1      16*B*S     1     2           1
//   %2      4*B*S      2     5           0     equal to %0
//   %3      4*B        3     4           1     provably not larger than %1
//
// A slot takes a value whose size cannot be compared with its own if that is
// likely to waste little: then its size is the greater of both, which the shape
// program finds out.

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_MEMORYPLAN_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_MEMORYPLAN_H

#include "dyn/Analysis/SymbolicDims.h"

namespace dyn::dlhlo {

class MemoryPlan {
public:
  /// Positions of operations stand for time; this one is after all of them.
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

  MemoryPlan(const SymbolicDims &dims, bool reuse) : dims(dims), reuse(reuse) {}

  /// Adds a value of `bytes` bytes, made at `begin` and last read at `end`.
  /// Values come in the order in which they are made.
  void add(mlir::Value value, dhlo::DimExpr bytes, int64_t begin, int64_t end);

  /// Sizes of the slots, each a multiple of 64.
  llvm::ArrayRef<dhlo::DimExpr> getSlots() const { return sizes; }
  /// The slot of a value.
  unsigned getSlot(mlir::Value value) const { return slotOf.lookup(value); }
  /// Values in the order in which they came.
  llvm::ArrayRef<mlir::Value> getValues() const { return values; }

private:
  /// How well a value fits into a free slot: less is better; nothing if not.
  std::optional<int64_t> getMisfit(dhlo::DimExpr slot,
                                   dhlo::DimExpr bytes) const;

  const SymbolicDims &dims;
  bool reuse;
  llvm::SmallVector<dhlo::DimExpr> sizes;
  llvm::SmallVector<int64_t> freeFrom;
  llvm::SmallVector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, unsigned> slotOf;
};

/// The bytes of a tensor as an expression.
dhlo::DimExpr getByteSize(mlir::RankedTensorType type,
                          const SymbolicDims &dims);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_MEMORYPLAN_H
