//===- Shadow.h - Who wrote and who read memory, and when -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_SHADOW_H
#define DYN_RUNTIME_EMULATOR_SHADOW_H

#include "StreamOrder.h"

#include "dyn/emulated.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace dyn::emu {

/// An epoch is the time of a block between two barriers. Numbers increase over
/// blocks and launches, so the shadow need not be cleared between them. Blocks
/// run one after the other, and blocks of one launch are unordered.
struct Epoch {
  uint32_t now = 1;
  uint32_t blockStart = 1, launchStart = 1;
  /// The epoch of an access that lasts until its thread waits for it: only the
  /// wait orders it with others.
  static constexpr uint32_t kUnderWay = ~0u;
  /// Work of other streams that may run at the same time; null for none.
  const StreamOrder *streams = nullptr;
};

/// A thread of a block at an operation.
struct Party {
  uint32_t epoch;
  uint16_t site;
  uint16_t thread;
};

/// The shadow of a range of memory: the last write and the last reads of each
/// byte.
class Shadow {
public:
  explicit Shadow(size_t bytes) : cells(bytes) {}

  /// Bytes that the host, or work as a whole, has written or read: at an epoch,
  /// or 0 if that is ordered with everything.
  void markWritten(size_t offset, size_t bytes, uint32_t epoch = 0);
  void markRead(size_t offset, size_t bytes, uint32_t epoch);
  /// The same for bytes copied from another range, if they were written there.
  void copyWritten(size_t offset, const Shadow &other, size_t otherOffset,
                   size_t bytes, uint32_t epoch);
  void clear();
  /// The first byte of a range that was never written.
  std::optional<size_t> findUnwritten(size_t offset, size_t bytes) const;

  struct Conflict {
    bool isUninitialized;
    Party other; ///< of a race
  };
  /// The epoch of an access to a range by other work that may run at the same
  /// time as work that reads or writes it as a whole.
  std::optional<uint32_t> findRace(size_t offset, size_t bytes, bool isWrite,
                                   const StreamOrder &streams) const;
  /// Records an access, and returns an error of it.
  std::optional<Conflict> access(size_t offset, size_t bytes,
                                 dyn_emu_access_t access, Party who,
                                 const Epoch &epoch);
  /// Accesses that were under way in a range have ended; now they are `who`'s.
  void end(size_t offset, size_t bytes, Party who);

private:
  /// 0 is no access; for writes, uninitialised.
  struct Cell {
    Party write = {0, 0, kNobody};
    Party read = {0, 0, kNobody};
  };
  /// Thread numbers with a special meaning.
  static constexpr uint16_t kNobody = 0xffff, kHost = 0xfffe, kSeveral = 0xfffd,
                            kAtomic = 0xfffc;

  static bool isUnordered(const Party &before, const Party &who,
                          const Epoch &epoch);

  std::vector<Cell> cells;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_SHADOW_H
