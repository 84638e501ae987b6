//===- MemoryPlan.h - Which values of a segment share memory --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Values of a segment lie in one arena. A value occupies a slot from the
// operation that computes it to the last one that reads it; then the slot is
// free for another value. Slots are consecutive, so their sizes, which may be
// symbolic, need not be ordered: the offset of a slot is the sum of the sizes
// before it.
//
//   value   bytes      made  last read   slot
//   %0      4*B*S      0     1           0
//   %1      16*B*S     1     2           1
//   %2      4*B*S      2     5           0     equal to %0
//   %3      4*B        3     4           1     provably not larger than %1
//
// A value whose size cannot be compared with that of a slot may use it if this
// is likely to waste little: then the slot's size is the maximum of both, which
// the shape program computes.

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_MEMORYPLAN_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_MEMORYPLAN_H

#include "SizeComparer.h"

namespace dyn::dlhlo {

class MemoryPlan {
public:
  /// The time is the position of an operation; this one is after all of them.
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

  MemoryPlan(const SymbolicDims &dims, SizeComparer &comparer, bool reuse)
      : dims(dims), comparer(comparer), reuse(reuse) {}

  /// Adds a value of `bytes` bytes, computed at `begin` and last read at `end`.
  /// Values are added in the order of `begin`.
  void add(mlir::Value value, dhlo::DimExpr bytes, int64_t begin, int64_t end);

  /// Sizes of the slots, each a multiple of 64.
  llvm::SmallVector<dhlo::DimExpr> getSlots() const {
    return llvm::map_to_vector(
        slots, [](const Slot &slot) { return slot.size.bytes; });
  }
  /// The slot of a value.
  unsigned getSlot(mlir::Value value) const { return slotOf.lookup(value); }
  /// Values in the order in which they were added.
  llvm::ArrayRef<mlir::Value> getValues() const { return values; }

private:
  /// A size and its estimate, which takes long for sums of many sizes.
  struct Size {
    dhlo::DimExpr bytes;
    int64_t estimate;
  };
  struct Slot {
    Size size;
    int64_t freeFrom;
  };

  /// How badly a value fits a free slot: less is better; nothing if it does not
  /// fit.
  std::optional<int64_t> getMisfit(const Size &slot, const Size &bytes);
  /// The slot that fits best of those that are free from `begin` on, the first
  /// one of several.
  std::optional<unsigned> findSlot(const Size &bytes, int64_t begin);

  const SymbolicDims &dims;
  SizeComparer &comparer;
  bool reuse;
  llvm::SmallVector<Slot> slots;
  /// Of a slot's size and a value's. Most have the sizes of others.
  llvm::DenseMap<std::pair<dhlo::DimExpr, dhlo::DimExpr>,
                 std::optional<int64_t>>
      misfits;
  llvm::SmallVector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, unsigned> slotOf;
};

/// The bytes of a tensor as an expression.
dhlo::DimExpr getByteSize(mlir::RankedTensorType type,
                          const SymbolicDims &dims);

/// The bytes of the elements at one index of axis 0, which exists.
dhlo::DimExpr getRowBytes(mlir::RankedTensorType type);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_MEMORYPLAN_H
