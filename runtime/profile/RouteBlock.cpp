//===- RouteBlock.cpp - The routes that one call's probes record ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RouteBlock.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace dyn::rt;

namespace {
/// The header of a record.
struct Head {
  uint32_t tables;
  uint32_t paths;
  int64_t cells;
  int64_t choices;
  int64_t isSorted; ///< whether an order follows
};
constexpr size_t kHeadWords = sizeof(Head) / sizeof(int32_t);
} // namespace

bool RouteBlock::add(uint32_t tables, uint32_t paths, const int64_t *offsets,
                     const int64_t *seats, const int64_t *order, int64_t cells,
                     int64_t choices) noexcept {
  Head head = {tables, paths, cells, choices, order != nullptr};
  size_t count = size_t(cells) * size_t(choices);
  if (count > INT32_MAX)
    return false;
  size_t begin = words.size();
  try {
    words.resize(begin + kHeadWords + paths + 1 + count +
                 (order ? size_t(cells) : 0));
  } catch (const std::bad_alloc &) {
    return false;
  }
  std::memcpy(words.data() + begin, &head, sizeof(head));
  int32_t *out = words.data() + begin + kHeadWords;
  auto copy = [&](const int64_t *from, size_t length) {
    for (size_t i = 0; i < length; ++i)
      out[i] = int32_t(from[i]);
    out += length;
  };
  copy(offsets, size_t(paths) + 1);
  copy(seats, count);
  if (order)
    copy(order, size_t(cells));
  return true;
}

/// Writes the paths of each cell to `cells`. `pathOfRow` has one element more
/// than there are rows, for invalid ones. `kChoices` as in RouteTables.cpp.
template <int64_t kChoices>
static void findPaths(const Head &head, const int32_t *seats,
                      const int32_t *order, const int32_t *pathOfRow,
                      int32_t *cells) {
  const int64_t choices = kChoices ? kChoices : head.choices;
  const uint32_t count = uint32_t(head.cells * choices);
  auto pathOf = [&](int64_t i) {
    return pathOfRow[std::min(uint32_t(seats[i]), count)];
  };
  if (!order) {
    for (int64_t i = 0; i < count; ++i)
      cells[i] = pathOf(i);
    return;
  }
  // Cells that are missing in the order have no path.
  std::fill_n(cells, count, -1);
  for (int64_t line = 0; line < head.cells; ++line)
    if (order[line] >= 0 && order[line] < head.cells)
      for (int64_t i = 0; i < choices; ++i)
        cells[order[line] * choices + i] = pathOf(line * choices + i);
}

const std::vector<RouteReader::Routes> &
RouteReader::read(const RouteBlock &block) {
  routes.clear();
  const int32_t *next = block.words.data(), *end = next + block.words.size();
  // More than all cells of the block need.
  if (cellPaths.size() < block.words.size())
    cellPaths.resize(block.words.size());
  int32_t *cells = cellPaths.data();
  while (next != end) {
    Head head;
    std::memcpy(&head, next, sizeof(head));
    int64_t count = head.cells * head.choices;
    const int32_t *offsets = next + kHeadWords;
    const int32_t *seats = offsets + head.paths + 1;
    const int32_t *order = head.isSorted ? seats + count : nullptr;
    next = seats + count + (order ? head.cells : 0);

    pathOfRow.assign(size_t(count) + 1, -1);
    for (uint32_t path = 0; path < head.paths; ++path) {
      int64_t begin = std::max(offsets[path], 0);
      int64_t length = std::min<int64_t>(offsets[path + 1], count) - begin;
      if (length > 0)
        std::fill_n(pathOfRow.data() + begin, length, int32_t(path));
    }
    auto find = head.choices == 1 ? findPaths<1> : findPaths<0>;
    find(head, seats, order, pathOfRow.data(), cells);
    routes.push_back({head.tables, {cells, head.cells, head.choices}});
    cells += count;
  }
  return routes;
}
