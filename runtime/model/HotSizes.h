//===- HotSizes.h - The sizes that calls have most often ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_HOTSIZES_H
#define DYN_RUNTIME_MODEL_HOTSIZES_H

#include "Signature.h"
#include "Trial.h"

#include <array>
#include <string>
#include <vector>

namespace dyn::rt {

/// Counts the sizes of calls in a bounded table, by the algorithm of Misra and
/// Gries: a call of sizes that are not in a full table takes one off all
/// counts. A count is never too high, and too low by at most 1/65 of the calls,
/// so sizes that never repeat are never hot. Counts are halved now and then, to
/// follow the present. The model's mutex guards it.
class HotSizes {
public:
  enum class State { Counted, Compiling, Measured, Kept, Rejected };

  /// Sizes and what became of them.
  struct Entry {
    uint64_t id = 0; ///< 64 n + its index; 0 while that is free
    uint32_t entry = 0;
    std::vector<int64_t> sizes; ///< of the symbols of the entry
    uint64_t count = 0;         ///< as above
    uint64_t calls = 0;         ///< since it is in the table
    uint64_t time = 0;          ///< of these calls, in nanoseconds
    State state = State::Counted;
    uint32_t variant = 0;  ///< measured or kept
    bool isServed = false; ///< by a variant of the host's
    Trial trial;
    std::string why;
  };

  explicit HotSizes(const std::vector<Signature> &entries);

  /// Counts a call. Null if its sizes are not in the table or not known.
  Entry *count(uint32_t entry, const dyn_tensor_t *inputs, uint32_t inputCount);
  /// Null if it is no longer in the table.
  Entry *find(uint64_t id);
  std::array<Entry, 64> &getEntries() { return table; }
  /// The part of the calls of late, at most its true one.
  double getShare(const Entry &entry) const {
    return total ? double(entry.count) / double(total) : 0;
  }
  /// Calls of late.
  uint64_t getTotal() const { return total; }
  /// As for dyn-compile: {"batch=8"}.
  std::vector<std::string> getDims(const Entry &entry) const;

private:
  /// An axis of an input that shows a symbol.
  struct Axis {
    uint32_t input, axis;
    std::string symbol;
  };

  bool read(uint32_t entry, const dyn_tensor_t *inputs, uint32_t count);
  Entry *insert(uint32_t entry, uint64_t hash);
  void halve();

  std::vector<std::vector<Axis>> axes; ///< of each entry
  std::array<uint64_t, 64> hashes = {};
  std::array<Entry, 64> table;
  std::vector<int64_t> sizes; ///< of the current call
  uint64_t total = 0, nextId = 1;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_HOTSIZES_H
