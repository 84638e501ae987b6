//===- IndexingMap.h - The elements of operands that are read -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An indexing map gives, for an operation and one of its operands, the index on
// each of the operand's axes as a function of the index (i, j, ...) of an
// element of the first result:
//
//   transpose x permutation = [1, 0]          x[j, i]       Same, Same
//   slice x starts = [2, 0] strides = [3, 1]  x[2 + 3i, j]  Strided, Strided
//   gather t, ids axis = 0                    t[ids[i], j]  Found, Same
//   softmax x axis = 1                        x[i, all]     Same, Mixed
//   dot_general x, w                          x[i, all]     Same, Mixed
//
// The map is what the operation says of itself. `getIndexingMap` of
// Analysis/IndexingMaps.h adds facts on sizes, such as that a slice takes all
// of an axis.
//
// The map is that of the first result; other results with the same sizes have
// it, too. Found leaves out the axes on which the element that says the index
// depends by its own map.
//
// Without a map are reshapes, which keep the order of all elements, not their
// indices (Analysis/ReshapeAxes.h); operations with regions, whose bodies say
// what is read; and operations whose results count elements, `group` and
// `nonzero`.

#ifndef DYN_DIALECT_DHLO_IR_INDEXINGMAP_H
#define DYN_DIALECT_DHLO_IR_INDEXINGMAP_H

#include "dyn/Dialect/DHLO/IR/DimExpr.h"

namespace dyn::dhlo {

/// The index on one axis of an operand, for the index i of an axis of the
/// result.
struct AxisIndex {
  enum class Kind {
    Same,      ///< i; the sizes are equal
    Repeated,  ///< 0: the operand has one element, that the result repeats
    Broadcast, ///< Same where the sizes are equal, Repeated where it has one
    Resampled, ///< Same where the sizes are equal, otherwise Mixed
    Strided,   ///< start + stride * i
    Shifted,   ///< i - start, where that is an index; otherwise not read
    Found,     ///< what an element of another operand says
    Mixed      ///< several indices, or an unknown one
  };

  Kind kind = Kind::Mixed;
  /// The axes of the result that the index depends on: `count` from `axis` on.
  int64_t axis = 0, count = 0;
  DimExpr start = {}; ///< of Strided and Shifted
  int64_t stride = 1; ///< of Strided

  static AxisIndex same(int64_t axis) { return {Kind::Same, axis, 1}; }
  static AxisIndex repeated(int64_t axis) { return {Kind::Repeated, axis, 1}; }
  static AxisIndex broadcast(int64_t axis) {
    return {Kind::Broadcast, axis, 1};
  }
  static AxisIndex resampled(int64_t axis) {
    return {Kind::Resampled, axis, 1};
  }
  static AxisIndex strided(int64_t axis, DimExpr start, int64_t stride) {
    return {Kind::Strided, axis, 1, start, stride};
  }
  static AxisIndex shifted(int64_t axis, DimExpr start) {
    return {Kind::Shifted, axis, 1, start};
  }
  static AxisIndex found(int64_t axis, int64_t count) {
    return {Kind::Found, axis, count};
  }
  /// Several indices, which depend on the index of an axis, or of `count`.
  static AxisIndex mixed(int64_t axis, int64_t count = 1) {
    return {Kind::Mixed, axis, count};
  }
  /// The same indices for all elements.
  static AxisIndex mixed() { return {}; }

  bool isSame() const { return kind == Kind::Same; }
  /// Whether another index on an axis of the result is another index here.
  bool dependsOn(int64_t other) const {
    return kind != Kind::Repeated && other >= axis && other < axis + count;
  }
};

/// The index on each axis of an operand.
using IndexingMap = llvm::SmallVector<AxisIndex, 4>;

/// Each axis has the same index.
IndexingMap getIdentityMap(int64_t rank);

/// The map that an operation gives for a tensor operand; nothing if it gives
/// none, and then any element of the operand may be read for each of the
/// result.
std::optional<IndexingMap> getIndexingMap(mlir::Operation *op,
                                          unsigned operand);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_INDEXINGMAP_H
