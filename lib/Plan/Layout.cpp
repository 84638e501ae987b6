//===- Layout.cpp - Which rank holds which part of a value ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn::plan;
using namespace llvm;

int64_t Mesh::getRanks() const { return product_of(sizes); }

int64_t Mesh::count(ArrayRef<Split> splits, Split split) const {
  int64_t ranks = 1;
  for (auto [size, each] : zip_equal(sizes, splits))
    ranks *= each == split ? size : 1;
  return ranks;
}

double dyn::plan::getBlockShare(int64_t size, int64_t n) {
  return size ? double(divideCeil(size, n)) / size : 0;
}

double dyn::plan::getShare(const Value &value, const Mesh &mesh,
                           ArrayRef<Split> splits) {
  return getBlockShare(value.rows, mesh.count(splits, Split::Rows)) *
         getBlockShare(value.columns, mesh.count(splits, Split::Columns));
}

namespace {
struct Range {
  int64_t begin, end;

  Range operator&(Range other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
};

struct Block {
  Range rows, columns;

  double size() const { return double(rows.size()) * columns.size(); }
};
} // namespace

/// The coordinates of a rank of a mesh.
static SmallVector<int64_t, 2> getCoordinates(const Mesh &mesh, int64_t index) {
  SmallVector<int64_t, 2> coordinates(mesh.sizes.size());
  for (size_t i = mesh.sizes.size(); i-- > 0; index /= mesh.sizes[i])
    coordinates[i] = index % mesh.sizes[i];
  return coordinates;
}

static Range getRange(int64_t size, const Mesh &mesh, ArrayRef<Split> splits,
                      ArrayRef<int64_t> coordinates, Split split) {
  int64_t block = 0;
  for (auto [ranks, each, i] : zip_equal(mesh.sizes, splits, coordinates))
    block = each == split ? block * ranks + i : block;
  int64_t length = divideCeil(size, mesh.count(splits, split));
  return {std::min(size, block * length), std::min(size, (block + 1) * length)};
}

static Block getBlock(const Value &value, const Mesh &mesh,
                      ArrayRef<Split> splits, ArrayRef<int64_t> coordinates) {
  return {getRange(value.rows, mesh, splits, coordinates, Split::Rows),
          getRange(value.columns, mesh, splits, coordinates, Split::Columns)};
}

SmallVector<Message>
dyn::plan::getMessages(const Value &value, const Mesh &from,
                       ArrayRef<Split> fromSplits, const Mesh &to,
                       ArrayRef<Split> toSplits, int64_t receivers) {
  SmallVector<Message> messages;
  bool isSame = from.first == to.first && from.sizes == to.sizes;
  double perElement = value.bytes / (double(value.rows) * value.columns);
  for (int64_t receiver = 0, n = std::min(receivers, to.getRanks());
       receiver < n; ++receiver) {
    SmallVector<int64_t, 2> own = getCoordinates(to, receiver);
    Block needed = getBlock(value, to, toSplits, own);
    for (int64_t sender = 0; sender < from.getRanks(); ++sender) {
      SmallVector<int64_t, 2> other = getCoordinates(from, sender);
      // Of the ranks with the same block, one sends: the nearest.
      bool isNearest = true;
      for (size_t axis = 0; axis < other.size(); ++axis)
        if (fromSplits[axis] == Split::None)
          isNearest &=
              other[axis] ==
              (isSame ? own[axis]
                      : getCoordinates(from, receiver % from.getRanks())[axis]);
      if (!isNearest || (isSame && sender == receiver))
        continue;
      Block held = getBlock(value, from, fromSplits, other);
      Block sent = {held.rows & needed.rows, held.columns & needed.columns};
      // The rank has its own block already.
      if (isSame) {
        Block kept = getBlock(value, from, fromSplits, own);
        if (kept.rows.begin == held.rows.begin &&
            kept.columns.begin == held.columns.begin)
          continue;
      }
      if (sent.size() > 0)
        messages.push_back({from.first + sender, to.first + receiver,
                            sent.size() * perElement});
    }
  }
  return messages;
}

SmallVector<Message> dyn::plan::getSumMessages(const Value &value,
                                               const Mesh &mesh,
                                               ArrayRef<Split> splits) {
  SmallVector<Message> messages;
  int64_t n = mesh.count(splits, Split::Sum);
  double bytes = value.bytes * getShare(value, mesh, splits) / n;
  for (int64_t rank = 0; rank < mesh.getRanks(); ++rank)
    for (int64_t other = 0; other < mesh.getRanks(); ++other) {
      bool isInGroup = rank != other;
      for (auto [split, a, b] : zip_equal(splits, getCoordinates(mesh, rank),
                                          getCoordinates(mesh, other)))
        isInGroup &= split == Split::Sum || a == b;
      if (isInGroup)
        messages.push_back({mesh.first + rank, mesh.first + other, bytes});
    }
  return messages;
}
