//===- HotSizes.cpp - The sizes that calls have most often ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HotSizes.h"

#include <algorithm>

using namespace dyn::rt;

/// Counts are halved after so many calls.
static constexpr uint64_t kPeriod = 4096;

HotSizes::HotSizes(const std::vector<Signature> &entries) {
  for (const Signature &signature : entries) {
    std::vector<Axis> &found = axes.emplace_back();
    const std::vector<Port> &inputs = signature.inputs();
    for (uint32_t input = 0; input < inputs.size(); ++input) {
      const dyn_port_t &port = inputs[input].desc();
      for (uint32_t axis = 0; axis < port.rank; ++axis) {
        if (port.sizes[axis].extent >= 0 || port.sizes[axis].dim < 0)
          continue;
        const dyn_dim_t &dim = signature.desc().dims[port.sizes[axis].dim];
        bool isKnown =
            std::any_of(found.begin(), found.end(), [&](const Axis &other) {
              return other.symbol == dim.name;
            });
        if (!isKnown)
          found.push_back({input, axis, dim.name});
      }
    }
  }
}

bool HotSizes::read(uint32_t entry, const dyn_tensor_t *inputs,
                    uint32_t count) {
  if (entry >= axes.size() || axes[entry].empty())
    return false;
  sizes.clear();
  for (const Axis &axis : axes[entry]) {
    if (axis.input >= count || axis.axis >= inputs[axis.input].rank ||
        !inputs[axis.input].shape)
      return false;
    sizes.push_back(inputs[axis.input].shape[axis.axis]);
  }
  return true;
}

/// Never 0, which marks a free place.
static uint64_t hashOf(uint32_t entry, const std::vector<int64_t> &sizes) {
  uint64_t hash = entry + 1;
  for (int64_t size : sizes) {
    hash = (hash ^ uint64_t(size)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash | 1;
}

HotSizes::Entry *HotSizes::count(uint32_t entry, const dyn_tensor_t *inputs,
                                 uint32_t inputCount) {
  if (!read(entry, inputs, inputCount))
    return nullptr;
  if (++total == kPeriod)
    halve();
  uint64_t hash = hashOf(entry, sizes);
  for (size_t i = 0; i < hashes.size(); ++i)
    if (hashes[i] == hash && table[i].entry == entry &&
        table[i].sizes == sizes) {
      ++table[i].count;
      ++table[i].calls;
      return &table[i];
    }
  return insert(entry, hash);
}

HotSizes::Entry *HotSizes::insert(uint32_t entry, uint64_t hash) {
  for (size_t i = 0; i < table.size(); ++i)
    if (!hashes[i]) {
      hashes[i] = hash;
      table[i] = Entry();
      table[i].id = 64 * nextId++ + i;
      table[i].entry = entry;
      table[i].sizes = sizes;
      table[i].count = table[i].calls = 1;
      return &table[i];
    }
  for (size_t i = 0; i < table.size(); ++i) {
    Entry &other = table[i];
    other.count -= other.count != 0;
    bool hasVariant = other.state == State::Compiling ||
                      other.state == State::Measured ||
                      other.state == State::Kept;
    if (!other.count && !hasVariant)
      hashes[i] = other.id = 0;
  }
  return nullptr;
}

void HotSizes::halve() {
  total /= 2;
  for (Entry &entry : table)
    entry.count /= 2;
}

HotSizes::Entry *HotSizes::find(uint64_t id) {
  Entry &entry = table[id % table.size()];
  return id && entry.id == id ? &entry : nullptr;
}

std::vector<std::string> HotSizes::getDims(const Entry &entry) const {
  std::vector<std::string> dims;
  for (size_t i = 0; i < entry.sizes.size(); ++i)
    dims.push_back(axes[entry.entry][i].symbol + "=" +
                   std::to_string(entry.sizes[i]));
  return dims;
}
