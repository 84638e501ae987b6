//===- AccessCounter.cpp - The cost of warps' memory accesses -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// In one pass, shared memory serves one word of each of 32 banks, and lanes
// that read the same word share it. Accesses of 8 and 16 bytes are split into
// halves and quarters of a warp. Global memory is moved in sectors of 32 bytes.

#include "AccessCounter.h"

#include <algorithm>
#include <set>

using namespace dyn::emu;

static constexpr uint32_t kBanks = 32, kWord = 4, kSector = 32;

void AccessCounter::start(const dyn_emu_kernel_t &kernel, uint32_t threads) {
  sites.assign(2 * size_t(kernel.site_count), {});
  for (uint32_t i = 0; i < sites.size(); ++i) {
    sites[i].op = kernel.sites[i / 2].op;
    sites[i].location = kernel.sites[i / 2].location;
    sites[i].isShared = i % 2 != 0;
  }
  numbers.assign(threads * sites.size(), 0);
  pending.clear();
}

void AccessCounter::add(uint32_t thread, uint32_t site, bool isShared,
                        uint64_t address, uint32_t bytes) {
  site = 2 * site + isShared;
  uint32_t number = numbers[thread * sites.size() + site]++;
  uint64_t warp = thread / DYN_EMU_WARP;
  uint64_t key = (uint64_t(site) << 8 | warp) << 32 | number;
  std::vector<Access> &lanes = pending[key];
  lanes.push_back({thread % DYN_EMU_WARP, bytes, address});
  if (lanes.size() < DYN_EMU_WARP)
    return;
  finish(site, lanes);
  pending.erase(key);
}

void AccessCounter::finishBlock() {
  for (const auto &[key, lanes] : pending)
    finish(key >> 40, lanes);
  pending.clear();
  std::fill(numbers.begin(), numbers.end(), 0);
}

void AccessCounter::finish(uint32_t site, const std::vector<Access> &warp) {
  AccessCount &count = sites[site];
  uint32_t bytes = 0;
  for (const Access &access : warp)
    bytes = std::max(bytes, access.bytes);
  if (bytes == 0)
    return;
  ++count.accesses;
  if (!count.isShared) {
    std::set<uint64_t> sectors, addresses;
    for (const Access &access : warp)
      if (access.bytes > 0) {
        sectors.insert(access.address / kSector);
        addresses.insert(access.address);
      }
    count.units += sectors.size();
    count.least += (addresses.size() * bytes + kSector - 1) / kSector;
    return;
  }
  uint32_t words = std::max(bytes / kWord, 1u), lanes = DYN_EMU_WARP / words;
  for (uint32_t first = 0; first < DYN_EMU_WARP; first += lanes) {
    std::set<uint64_t> banks[kBanks];
    for (const Access &access : warp)
      if (access.lane >= first && access.lane < first + lanes)
        for (uint32_t i = 0; i < words; ++i) {
          uint64_t word = access.address / kWord + i;
          banks[word % kBanks].insert(word);
        }
    size_t passes = 0;
    for (const std::set<uint64_t> &bank : banks)
      passes = std::max(passes, bank.size());
    count.units += passes;
    count.least += passes > 0;
  }
}

std::vector<AccessCount> AccessCounter::getCounts() const {
  std::vector<AccessCount> counts;
  for (const AccessCount &site : sites)
    if (site.accesses > 0)
      counts.push_back(site);
  return counts;
}
