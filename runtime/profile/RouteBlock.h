//===- RouteBlock.h - The routes that one call's probes record ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call copies the words that its probes show, as 32-bit integers; the thread
// that counts computes the path of each cell from them. Together they take two
// to four nanoseconds per decision: 8 with counting in the general loop alone.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_PROFILE_ROUTEBLOCK_H
#define DYN_RUNTIME_PROFILE_ROUTEBLOCK_H

#include "RouteTables.h"

#include <cstdint>
#include <vector>

namespace dyn::rt {

/// Records of a call, each of one router.
class RouteBlock {
public:
  int64_t timeMs = 0;

  /// Appends the routes that a probe shows (see `probe` in artifact.h).
  /// `tables` identifies the router for `RouteReader`. False if there is no
  /// memory for it, or it has more than 2^31 - 1 rows.
  bool add(uint32_t tables, uint32_t paths, const int64_t *offsets,
           const int64_t *seats, const int64_t *order, int64_t cells,
           int64_t choices) noexcept;
  /// Removes the records and keeps their memory.
  void clear() { words.clear(); }

  uint64_t bytes() const { return words.size() * sizeof(int32_t); }
  uint64_t bytesKept() const {
    return sizeof(RouteBlock) + words.capacity() * sizeof(int32_t);
  }

private:
  friend class RouteReader;

  /// Records: a header, offsets, seats and, if there is one, the order.
  std::vector<int32_t> words;
};

/// Computes the path of each cell. Compiled code is trusted to keep the
/// contract in offsets, seats and orders, except that their ranges are checked.
class RouteReader {
public:
  /// The routes of one router in a call.
  struct Routes {
    uint32_t tables;
    CellPaths cells;
  };

  /// The routes of a block, in the order of its records; valid until the next
  /// block is read.
  const std::vector<Routes> &read(const RouteBlock &block);

private:
  std::vector<Routes> routes;
  std::vector<int32_t> pathOfRow, cellPaths; ///< kept for their memory
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_PROFILE_ROUTEBLOCK_H
