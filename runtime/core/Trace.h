//===- Trace.h - A recording of what ran when -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_TRACE_H
#define DYN_RUNTIME_CORE_TRACE_H

#include "Artifact.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace dyn::rt {

/// A span of time in a thread. Strings are lent by an artifact.
struct TraceEvent {
  const char *name;
  const char *category;
  uint64_t begin; ///< of now()
  uint64_t end;
  uint32_t lane;   ///< execution
  uint32_t thread; ///< 0 for the calling thread, 1.. for the others
  int64_t items;   ///< -1 if the members below have no meaning
  int64_t flops;
  int64_t bytes;
};

} // namespace dyn::rt

/// See runtime.h. Events go to a table of fixed size, so that recording takes
/// no lock and no memory. Readers see the events that are complete. The slots
/// after the last event cost only address space.
struct dyn_trace final : dyn::rt::Object<dyn_trace> {
  explicit dyn_trace(uint64_t maxEvents);

  /// Keeps the artifact, which lends the strings of events, and returns the
  /// lane of the execution, the same one each time.
  uint32_t attach(dyn_artifact &artifact, uint64_t execution);
  void add(const dyn::rt::TraceEvent &event);

  uint64_t kept() const;
  uint64_t dropped() const;
  dyn_status_t write(const char *path) const;

private:
  struct Slot {
    dyn::rt::TraceEvent event;
    std::atomic<bool> isWhole;
  };
  struct Free {
    void operator()(Slot *slots) const { std::free(slots); }
  };

  uint32_t laneCount() const;

  uint64_t capacity;
  std::unique_ptr<Slot[], Free> slots; ///< all zero at first
  std::atomic<uint64_t> added{0};
  mutable std::mutex mutex; ///< guards the members below
  std::vector<dyn::rt::Ref<dyn_artifact>> artifacts;
  std::map<uint64_t, uint32_t> lanes; ///< of executions
};

#endif // DYN_RUNTIME_CORE_TRACE_H
