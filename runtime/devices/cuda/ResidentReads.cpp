//===- ResidentReads.cpp - The constants that a call reads ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidentReads.h"

#include <algorithm>

using namespace dyn::rt;

void ResidentReads::announce(const int64_t *offsets, uint32_t count,
                             const dyn_range_t *ranges, bool isSure) {
  Announced found = {ranges, {}, {}};
  BlockRanges blocks;
  for (uint32_t i = 0; i < count; ++i) {
    const dyn_range_t &range = ranges[i];
    if (found.constants.empty() || found.constants.back() != range.constant)
      found.constants.push_back(range.constant);
    if (!range.bytes ||
        (offsets && offsets[range.path] >= offsets[range.path + 1]))
      continue;
    BlockRange read = residency.getBlocks(
        residency.constant(range.constant).offset + range.offset, range.bytes);
    found.ranges.emplace_back(range.constant, read);
    blocks.push_back(read);
  }
  residency.announce(blocks, isSure);
  if (!isSure)
    return;
  auto before =
      std::find_if(announced.begin(), announced.end(),
                   [&](const Announced &each) { return each.site == ranges; });
  if (before != announced.end())
    *before = std::move(found);
  else
    announced.push_back(std::move(found));
}

void ResidentReads::add(uint32_t constant) {
  bool isAnnounced = false;
  if (residency.isAlone(constant))
    for (const Announced &each : announced) {
      isAnnounced |= std::find(each.constants.begin(), each.constants.end(),
                               constant) != each.constants.end();
      for (auto [number, range] : each.ranges)
        if (number == constant)
          current.push_back(range);
    }
  if (!isAnnounced)
    current.push_back(residency.getBlocks(constant));
}

dyn_status_t ResidentReads::begin(const void *const *buffers, uint32_t count,
                                  const char *reader) {
  current.clear();
  std::optional<uint32_t> largest;
  for (uint32_t i = 0; i < count; ++i)
    if (std::optional<uint32_t> constant = residency.find(buffers[i])) {
      add(*constant);
      if (!largest || residency.constant(*constant).bytes >
                          residency.constant(*largest).bytes)
        largest = constant;
    }
  if (current.empty())
    return DYN_STATUS_OK;
  dyn_status_t status = residency.pin(current, reader, *largest);
  if (status)
    current.clear();
  return status;
}

void ResidentReads::end(dyn_cuda_stream_t stream) {
  if (!current.empty())
    residency.unpin(std::move(current), stream);
  current.clear();
}
