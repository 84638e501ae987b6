//===- ResidencyPlan.cpp - Which blocks of constants are in memory --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidencyPlan.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace dyn::rt;

/// The part of a block's rate that a call keeps.
static constexpr float keep = 0.875f;
/// Lower rates make no difference.
static constexpr float leastRate = 1.0f / 256;
/// The rate of blocks that are worth joining.
static constexpr float mostly = 0.5f;
/// Groups that are looked at to find one to join.
static constexpr uint32_t mostGroups = 32;
/// Blocks that are looked at to find one to drop: with more of them in memory,
/// a different part each time.
static constexpr uint32_t mostCandidates = 8192;

ResidencyPlan::ResidencyPlan(uint32_t blocks, uint32_t capacity)
    : ResidencyPlan(blocks, capacity, readBlocks,
                    std::max(capacity / 16, leastCapacity / 4)) {}

ResidencyPlan::ResidencyPlan(uint32_t blocks, uint32_t capacity,
                             uint32_t together, uint32_t margin)
    : blocks(blocks), isJoined(blocks / groupBlocks), capacity(capacity),
      together(together), margin(margin) {
  resident.reserve(capacity);
  victims.reserve(std::min(capacity, mostCandidates));
  announced.ranges.reserve(mostRanges);
  expected.ranges.reserve(mostRanges);
}

//===----------------------------------------------------------------------===//
// What is known of uses
//===----------------------------------------------------------------------===//

float ResidencyPlan::getRate(const Block &block) const {
  uint32_t missed = calls - block.call;
  return missed ? block.rate * std::pow(keep, float(missed)) : block.rate;
}

double ResidencyPlan::getNextUse(const Block &block) const {
  if (block.isPending)
    return double(block.use);
  if (block.isExpected)
    return double(block.use) + callLength / 2;
  float rate = std::max(getRate(block), leastRate);
  double next = std::max(double(block.use) + callLength, double(clock));
  return next + callLength * (1 / double(rate) - 1);
}

void ResidencyPlan::noteUse(Block &block) {
  if (block.call == calls && block.rate > 0)
    return;
  // Once a call, however often the call uses it.
  block.rate = getRate(block) + (1 - keep);
  block.call = calls;
}

void ResidencyPlan::beginCall() {
  ++calls;
  callBegin = clock;
  front = std::max(front, clock);
}

void ResidencyPlan::endCall() {
  callLength =
      std::max(1.0, callLength + (double(clock - callBegin) - callLength) / 4);
  for (const Queue *queue : {&announced, &expected})
    for (BlockRange range : queue->ranges)
      finish(range);
  announced.clear();
  expected.clear();
}

bool ResidencyPlan::Queue::push(BlockRange range) {
  // Calls may overlap without end.
  if (ranges.size() == mostRanges) {
    ranges.erase(ranges.begin(), ranges.begin() + long(nextRange));
    nextRange = 0;
  }
  if (ranges.size() == mostRanges)
    return false;
  ranges.push_back(range);
  return true;
}

void ResidencyPlan::Queue::clear() {
  ranges.clear();
  nextRange = nextBlock = 0;
}

void ResidencyPlan::announce(BlockRange range, bool now) {
  if (!announced.push(range))
    return;
  // Time stands still for blocks that come between others.
  bool isBetween = now && front + 1 < clock;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    Block &block = blocks[i];
    noteUse(block);
    // Of two calls, the first one's use counts.
    if (!block.isPending)
      block.use = isBetween ? front : clock;
    block.isPending = true;
    clock += !isBetween;
  }
}

void ResidencyPlan::expect(BlockRange range) {
  if (!expected.push(range))
    return;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    Block &block = blocks[i];
    if (!block.isPending)
      block.use = clock;
    block.isExpected = true;
  }
}

void ResidencyPlan::finish(BlockRange range) {
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (blocks[i].isPending)
      front = std::max(front, blocks[i].use);
    blocks[i].isPending = blocks[i].isExpected = false;
  }
}

bool ResidencyPlan::isResident(BlockRange range) const {
  return std::all_of(
      blocks.begin() + range.begin, blocks.begin() + range.end,
      [](const Block &block) { return block.state == State::Resident; });
}

bool ResidencyPlan::pin(const std::vector<BlockRange> &ranges) {
  for (BlockRange range : ranges)
    for (uint32_t i = range.begin; i < range.end; ++i)
      pinned += blocks[i].pins++ == 0;
  if (pinned > capacity) {
    unpin(ranges);
    return false;
  }
  for (BlockRange range : ranges)
    for (uint32_t i = range.begin; i < range.end; ++i)
      if (Block &block = blocks[i]; !block.isPending) {
        noteUse(block);
        block.use = clock++;
      }
  return true;
}

void ResidencyPlan::unpin(const std::vector<BlockRange> &ranges) {
  for (BlockRange range : ranges)
    for (uint32_t i = range.begin; i < range.end; ++i)
      pinned -= --blocks[i].pins == 0;
}

bool ResidencyPlan::demand(uint32_t number) {
  Block &block = blocks[number];
  if (block.state == State::Resident)
    return false;
  if (!block.isPending) {
    noteUse(block);
    block.use = clock++;
  }
  front = std::max(front, block.use);
  if (block.state == State::Missing && !block.isDemanded) {
    block.isDemanded = true;
    (lastDemanded == none ? firstDemanded : blocks[lastDemanded].nextDemanded) =
        number;
    lastDemanded = number;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What to read
//===----------------------------------------------------------------------===//

bool ResidencyPlan::isWanted(uint32_t number, bool Block::*why) const {
  return number < blocks.size() && blocks[number].*why &&
         blocks[number].state == State::Missing;
}

bool ResidencyPlan::findDemanded(uint32_t &block) {
  while (firstDemanded != none) {
    block = firstDemanded;
    if (blocks[block].state == State::Missing)
      return true;
    blocks[block].isDemanded = false;
    firstDemanded = std::exchange(blocks[block].nextDemanded, none);
    if (firstDemanded == none)
      lastDemanded = none;
  }
  return false;
}

bool ResidencyPlan::findNext(Queue &queue, bool Block::*why, uint32_t &block) {
  for (; queue.nextRange < queue.ranges.size();
       ++queue.nextRange, queue.nextBlock = 0) {
    BlockRange range = queue.ranges[queue.nextRange];
    for (block = std::max(queue.nextBlock, range.begin); block < range.end;
         ++block)
      if (isWanted(block, why)) {
        queue.nextBlock = block;
        return true;
      }
  }
  return false;
}

/// Blocks that are needed soon replace those that are needed last. Blocks that
/// are needed later wait until the call has read others, unless some are needed
/// later than those.
bool ResidencyPlan::takeRead(BlockRange &read, std::vector<uint32_t> &dropped) {
  constexpr double always = -std::numeric_limits<double>::infinity();
  uint32_t first;
  bool Block::*why = &Block::isPending;
  bool isDemanded = findDemanded(first);
  if (!isDemanded && !findNext(announced, why, first)) {
    why = &Block::isExpected;
    if (!findNext(expected, why, first))
      return false;
  }
  if (isDemanded && !makeRoom(1, always, dropped))
    return false;
  uint32_t count = 1;
  while (count < together && isWanted(first + count, why))
    ++count;
  double use = double(blocks[first].use);
  if (why == &Block::isExpected)
    use += 2 * callLength;
  else if (!isDemanded && use > double(front) + margin)
    use += callLength;
  uint32_t room = makeRoom(count, use, dropped);
  if (!room)
    return false;
  read = {first, first + room};
  for (uint32_t i = read.begin; i < read.end; ++i)
    blocks[i].state = State::Reading;
  reading += room;
  return true;
}

uint32_t ResidencyPlan::makeRoom(uint32_t count, double use,
                                 std::vector<uint32_t> &dropped) {
  uint32_t free = capacity - getResident();
  if (free >= count)
    return count;
  // Blocks that came last are being read, whatever else is known.
  victims.clear();
  uint32_t size = uint32_t(resident.size());
  uint32_t looked = std::min(size, mostCandidates);
  for (uint32_t i = 0; i < looked; ++i) {
    uint32_t number = resident[(firstVictim + i) % size];
    const Block &block = blocks[number];
    if (block.pins || arrivals - block.arrival < margin)
      continue;
    if (double next = getNextUse(block); next >= use)
      victims.emplace_back(next, number);
  }
  firstVictim = looked < size ? (firstVictim + looked) % size : 0;
  uint32_t needed = std::min<uint32_t>(count - free, uint32_t(victims.size()));
  std::partial_sort(victims.begin(), victims.begin() + needed, victims.end(),
                    std::greater<>());
  for (uint32_t i = 0; i < needed; ++i)
    if (blocks[victims[i].second].state == State::Resident)
      dropBlock(victims[i].second, dropped);
  return std::min(count, capacity - getResident());
}

void ResidencyPlan::dropBlock(uint32_t number, std::vector<uint32_t> &dropped) {
  uint32_t begin = number, end = number + 1, group = number / groupBlocks;
  // A page of which a part is dropped keeps its memory.
  if (group < isJoined.size() && isJoined[group]) {
    isJoined[group] = false;
    begin = group * groupBlocks;
    end = begin + groupBlocks;
  }
  for (uint32_t i = begin; i < end; ++i) {
    blocks[i].state = State::Missing;
    uint32_t last = resident.back();
    resident[blocks[i].position] = last;
    blocks[last].position = blocks[i].position;
    resident.pop_back();
    dropped.push_back(i);
  }
}

bool ResidencyPlan::isUsedMostly(uint32_t group) const {
  auto begin = blocks.begin() + group * groupBlocks;
  return std::all_of(begin, begin + groupBlocks, [&](const Block &block) {
    return block.state == State::Resident && getRate(block) >= mostly;
  });
}

bool ResidencyPlan::joinGroup(uint32_t &group) {
  uint32_t count = uint32_t(isJoined.size());
  for (uint32_t i = std::min(count, mostGroups); i > 0; --i) {
    group = nextGroup;
    nextGroup = nextGroup + 1 < count ? nextGroup + 1 : 0;
    if (!isJoined[group] && isUsedMostly(group))
      return isJoined[group] = true;
  }
  return false;
}

void ResidencyPlan::arrive(BlockRange read) {
  for (uint32_t i = read.begin; i < read.end; ++i) {
    Block &block = blocks[i];
    block.state = State::Resident;
    block.arrival = arrivals++;
    block.position = uint32_t(resident.size());
    resident.push_back(i);
  }
  reading -= read.end - read.begin;
}

void ResidencyPlan::abandon(BlockRange read) {
  // Those at the front of the list have been asked for before they failed.
  uint32_t first;
  findDemanded(first);
  finish(read);
  for (uint32_t i = read.begin; i < read.end; ++i)
    blocks[i].state = State::Missing;
  reading -= read.end - read.begin;
}
