//===- StreamOrder.h - Which work of several streams is ordered -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work of a stream, a launch or a copy, is ordered after the work before it on
// its stream, after what an event was recorded behind that the stream has
// waited for, and after what the host has waited for. The emulator runs all
// work in the order in which it is queued, which is only one of those that are
// possible on a GPU: so it asks here whether two accesses are ordered.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_STREAMORDER_H
#define DYN_RUNTIME_EMULATOR_STREAMORDER_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace dyn::emu {

/// For each stream, the last epoch of its device up to which its work is before
/// a point.
using StreamClock = std::map<const void *, uint32_t>;

/// Makes a point follow another one, too.
void join(StreamClock &clock, const StreamClock &other);

/// The work of one device that the host has not waited for.
class StreamOrder {
public:
  /// Work of a stream that is ordered after `known` has the epochs from `epoch`
  /// on, until it ends.
  void begin(const void *stream, const StreamClock &known, uint32_t epoch);
  void end(uint32_t epoch);
  bool isRunning() const { return running != nullptr; }
  /// Names the work that runs, for reports: the name outlives it.
  void setName(const char *name);

  /// Whether work of another stream may run at the same time as this.
  bool hasOthers() const { return !others.empty(); }
  /// The name of the work of an epoch, if it may run at the same time as this;
  /// else null.
  const char *findOther(uint32_t epoch) const;

  /// The host has waited for all work up to a point.
  void forget(const StreamClock &clock);

private:
  struct Span {
    const void *stream;
    uint32_t first, last;
    const char *name;
  };
  /// More work than that is queued without a wait only where nothing else is.
  static constexpr size_t kMostSpans = 4096;

  std::vector<Span> spans; ///< in the order of their epochs
  /// Those that are not ordered before the work that runs.
  std::vector<Span> others;
  const void *running = nullptr;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_STREAMORDER_H
