//===- Trace.h - A recording of what ran when ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_TRACE_H
#define DYN_RUNTIME_CORE_TRACE_H

#include "Artifact.h"

#include <mutex>
#include <vector>

namespace dyn::rt {

/// One span of time in a thread. Strings are lent by an artifact.
struct TraceEvent {
  const char *name;
  const char *category;
  uint64_t begin; ///< of now()
  uint64_t end;
  uint32_t lane;   ///< execution
  uint32_t thread; ///< 0 for the thread that called, 1.. for its helpers
  int64_t items;   ///< -1 where the following have no meaning
  int64_t flops;
  int64_t bytes;
};

} // namespace dyn::rt

/// See runtime.h. Events go to a table of fixed size, so that recording takes
/// no lock and no memory.
struct dyn_trace final : dyn::rt::Object<dyn_trace> {
  explicit dyn_trace(uint64_t maxEvents) : events(maxEvents) {}

  /// Keeps the artifact, whose strings events will lend, and gives the calling
  /// execution its lane.
  uint32_t attach(dyn_artifact &artifact);
  void add(const dyn::rt::TraceEvent &event);

  uint64_t kept() const;
  uint64_t dropped() const;
  dyn_status_t write(const char *path) const;

private:
  std::vector<dyn::rt::TraceEvent> events;
  std::atomic<uint64_t> added{0};
  std::mutex mutex;
  std::vector<dyn::rt::Ref<dyn_artifact>> artifacts;
  uint32_t lanes = 0;
};

#endif // DYN_RUNTIME_CORE_TRACE_H
