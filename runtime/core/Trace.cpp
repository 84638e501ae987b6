//===- Trace.cpp - A recording of what ran when ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "Options.h"
#include "TextFile.h"

using namespace dyn::rt;

dyn_trace::dyn_trace(uint64_t maxEvents)
    : capacity(maxEvents),
      slots(static_cast<Slot *>(std::calloc(maxEvents, sizeof(Slot)))) {
  if (!slots)
    throw std::bad_alloc();
}

uint32_t dyn_trace::attach(dyn_artifact &artifact, uint64_t execution) {
  std::lock_guard<std::mutex> lock(mutex);
  bool known = false;
  for (const Ref<dyn_artifact> &kept : artifacts)
    known |= kept.get() == &artifact;
  if (!known)
    artifacts.push_back(Ref<dyn_artifact>::share(&artifact));
  return lanes.emplace(execution, uint32_t(lanes.size())).first->second;
}

void dyn_trace::add(const TraceEvent &event) {
  uint64_t index = added.fetch_add(1, std::memory_order_relaxed);
  if (index >= capacity)
    return;
  slots[index].event = event;
  slots[index].isWhole.store(true, std::memory_order_release);
}

uint64_t dyn_trace::kept() const {
  return std::min<uint64_t>(added.load(), capacity);
}
uint64_t dyn_trace::dropped() const {
  uint64_t all = added.load();
  return all - std::min<uint64_t>(all, capacity);
}
uint32_t dyn_trace::laneCount() const {
  std::lock_guard<std::mutex> lock(mutex);
  return uint32_t(lanes.size());
}

/// Writes nanoseconds as microseconds, by integers: a host's locale may write
/// numbers with a comma.
static void writeTime(std::FILE *file, const char *name, uint64_t time) {
  std::fprintf(file, ",\"%s\":%llu.%03u", name,
               (unsigned long long)(time / 1000), unsigned(time % 1000));
}

static void writeEvent(std::FILE *file, const TraceEvent &event,
                       uint64_t origin) {
  std::fputs("{\"ph\":\"X\",\"name\":", file);
  writeJsonString(file, event.name);
  std::fputs(",\"cat\":", file);
  writeJsonString(file, event.category);
  std::fprintf(file, ",\"pid\":%u,\"tid\":%u", event.lane, event.thread);
  writeTime(file, "ts", event.begin - origin);
  writeTime(file, "dur", event.end - event.begin);
  if (event.items >= 0)
    std::fprintf(
        file, ",\"args\":{\"items\":%lld,\"flops\":%lld,\"bytes\":%lld}",
        (long long)event.items, (long long)event.flops, (long long)event.bytes);
  std::fputc('}', file);
}

dyn_status_t dyn_trace::write(const char *path) const {
  TextFile out(path);
  DYN_RETURN_IF_FAILED(out.open());
  std::FILE *file = out.get();
  std::vector<const TraceEvent *> events;
  uint64_t origin = UINT64_MAX;
  for (uint64_t i = 0, count = kept(); i < count; ++i)
    if (slots[i].isWhole.load(std::memory_order_acquire)) {
      events.push_back(&slots[i].event);
      origin = std::min(origin, slots[i].event.begin);
    }
  // Each event's lane is below this count: its execution attached before it.
  uint32_t count = laneCount();
  const char *separator = "\n";
  std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
  for (uint32_t lane = 0; lane < count; ++lane) {
    std::fprintf(
        file,
        "%s{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":"
        "{\"name\":\"execution %u\"}}",
        separator, lane, lane);
    separator = ",\n";
  }
  for (const TraceEvent *event : events) {
    std::fputs(separator, file);
    writeEvent(file, *event, origin);
    separator = ",\n";
  }
  std::fprintf(file, "\n],\"otherData\":{\"dropped\":\"%llu\"}}\n",
               (unsigned long long)dropped());
  return out.commit();
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

dyn_status_t dyn_trace_create(const dyn_trace_options_t *options,
                              dyn_trace_t **out_trace) {
  return guarded([&]() -> dyn_status_t {
    if (!out_trace)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_trace is null");
    *out_trace = nullptr;
    dyn_trace_options_t given;
    DYN_RETURN_IF_FAILED(readOptions(options, "dyn_trace_options_t", given));
    const uint64_t limit = uint64_t(1) << 32;
    if (given.max_events > limit)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "a trace keeps at most %llu events, got %llu",
                  (unsigned long long)limit,
                  (unsigned long long)given.max_events);
    *out_trace = new dyn_trace_t(given.max_events ? given.max_events : 65536);
    return DYN_STATUS_OK;
  });
}

dyn_status_t dyn_trace_write(dyn_trace_t *trace, const char *path) {
  return guarded([&]() -> dyn_status_t {
    if (!trace || !path)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "trace or path is null");
    return trace->write(path);
  });
}

uint64_t dyn_trace_events(const dyn_trace_t *trace) {
  return trace ? trace->kept() : 0;
}
uint64_t dyn_trace_dropped(const dyn_trace_t *trace) {
  return trace ? trace->dropped() : 0;
}
void dyn_trace_retain(dyn_trace_t *trace) {
  if (trace)
    trace->retain();
}
void dyn_trace_release(dyn_trace_t *trace) {
  if (trace)
    trace->release();
}
