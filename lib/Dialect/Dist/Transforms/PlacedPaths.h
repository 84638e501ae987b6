//===- PlacedPaths.h - The paths of a router on its ranks -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_PLACEDPATHS_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_PLACEDPATHS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace dyn::dist {

/// Paths sorted by rank. The *slot* of a path is its index among them.
struct PlacedPaths {
  PlacedPaths(llvm::ArrayRef<int64_t> rankOf, int64_t ranks)
      : first(ranks + 1) {
    for (int64_t rank = 0; rank != ranks; ++rank) {
      first[rank] = sorted.size();
      for (auto [path, of] : llvm::enumerate(rankOf))
        if (of == rank)
          sorted.push_back(path);
    }
    first[ranks] = sorted.size();
    slots.resize(sorted.size());
    for (auto [slot, path] : llvm::enumerate(sorted))
      slots[path] = slot;
  }

  int64_t getNumRanks() const { return first.size() - 1; }
  int64_t getNumPaths() const { return sorted.size(); }
  /// The paths of a rank, ascending.
  llvm::ArrayRef<int64_t> getPaths(int64_t rank) const {
    return llvm::ArrayRef(sorted).slice(first[rank],
                                        first[rank + 1] - first[rank]);
  }
  /// Whether slots are numbers of paths.
  bool areSorted() const { return llvm::is_sorted(sorted); }

  llvm::SmallVector<int64_t> sorted; ///< by slot, the path
  llvm::SmallVector<int64_t> slots;  ///< by path, its slot
  llvm::SmallVector<int64_t> first;  ///< by rank, the slot of its first path
};

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_PLACEDPATHS_H
