//===- Shadow.cpp - Who wrote and who read memory, and when ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

#include <algorithm>

using namespace dyn::emu;

void Shadow::markWritten(size_t offset, size_t bytes, uint32_t epoch) {
  for (size_t i = offset; i < offset + bytes; ++i)
    cells[i] = {{epoch, 0, kHost}, {0, 0, kNobody}};
}

void Shadow::markRead(size_t offset, size_t bytes, uint32_t epoch) {
  for (size_t i = offset; i < offset + bytes; ++i)
    if (cells[i].read.epoch != Epoch::kUnderWay)
      cells[i].read = {epoch, 0, kHost};
}

void Shadow::copyWritten(size_t offset, const Shadow &other, size_t otherOffset,
                         size_t bytes, uint32_t epoch) {
  for (size_t i = 0; i < bytes; ++i) {
    bool isWritten = other.cells[otherOffset + i].write.thread != kNobody;
    cells[offset + i] = {
        {isWritten ? epoch : 0, 0, isWritten ? kHost : kNobody},
        {0, 0, kNobody}};
  }
}

void Shadow::clear() { std::fill(cells.begin(), cells.end(), Cell()); }

std::optional<size_t> Shadow::findUnwritten(size_t offset, size_t bytes) const {
  for (size_t i = offset; i < offset + bytes; ++i)
    if (cells[i].write.thread == kNobody)
      return i;
  return std::nullopt;
}

std::optional<uint32_t> Shadow::findRace(size_t offset, size_t bytes,
                                         bool isWrite,
                                         const StreamOrder &streams) const {
  for (size_t i = offset; i < offset + bytes; ++i) {
    if (streams.findOther(cells[i].write.epoch))
      return cells[i].write.epoch;
    if (isWrite && streams.findOther(cells[i].read.epoch))
      return cells[i].read.epoch;
  }
  return std::nullopt;
}

bool Shadow::isUnordered(const Party &before, const Party &who,
                         const Epoch &epoch) {
  if (before.thread == kNobody)
    return false;
  if (before.epoch == Epoch::kUnderWay)
    return true;
  if (before.epoch < epoch.launchStart)
    return epoch.streams && epoch.streams->findOther(before.epoch);
  // Of another block of this launch.
  if (before.epoch < epoch.blockStart)
    return true;
  return before.epoch == epoch.now && before.thread != who.thread;
}

std::optional<Shadow::Conflict> Shadow::access(size_t offset, size_t bytes,
                                               dyn_emu_access_t access,
                                               Party who, const Epoch &epoch) {
  std::optional<Conflict> found;
  auto report = [&](bool isUninitialized, const Party &other) {
    if (!found)
      found = {isUninitialized, other};
  };
  for (size_t i = offset; i < offset + bytes; ++i) {
    Cell &cell = cells[i];
    bool isAtomic = access == DYN_EMU_ATOMIC;
    bool areAtomic = isAtomic && cell.write.thread == kAtomic;
    if (!areAtomic && isUnordered(cell.write, who, epoch))
      report(false, cell.write);
    if (access != DYN_EMU_STORE && cell.write.thread == kNobody)
      report(true, cell.write);
    if (access != DYN_EMU_LOAD && isUnordered(cell.read, who, epoch))
      report(false, cell.read);
    if (access == DYN_EMU_LOAD) {
      // A read that is still under way is more informative.
      if (cell.read.epoch == Epoch::kUnderWay)
        continue;
      bool isOther = isUnordered(cell.read, who, epoch);
      cell.read = who;
      if (isOther)
        cell.read.thread = kSeveral;
      continue;
    }
    cell.write = who;
    if (isAtomic)
      cell.write.thread = kAtomic;
  }
  return found;
}

void Shadow::end(size_t offset, size_t bytes, Party who) {
  for (size_t i = offset; i < offset + bytes; ++i)
    for (Party *party : {&cells[i].write, &cells[i].read})
      if (party->epoch == Epoch::kUnderWay)
        *party = who;
}
