//===- AutoMode.cpp - For which sizes there are static variants -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoMode.h"

#include "TextFile.h"

using namespace dyn::rt;
using State = HotSizes::State;

/// Shares of calls from which a size is hot, and below which it has left.
static constexpr double kHotShare = 1.0 / 16, kLeftShare = 1.0 / 64;
/// Calls before which shares mean nothing.
static constexpr uint64_t kFewCalls = 64;
static constexpr uint32_t kMaxVariants = 8;

uint64_t AutoMode::beginCall(uint32_t entry, const dyn_tensor_t *inputs,
                             uint32_t count) {
  current = sizes.count(entry, inputs, count);
  return current ? current->id : 0;
}

bool AutoMode::skips(uint32_t variant) {
  return current && current->state == State::Measured &&
         current->variant == variant && !current->trial.takeTurn();
}

void AutoMode::choose(bool isForAllSizes) {
  if (current && current->state == State::Counted)
    current->isServed = !isForAllSizes;
}

void AutoMode::endCall(uint64_t number, uint32_t variant,
                       uint64_t nanoseconds) {
  HotSizes::Entry *entry = sizes.find(number);
  if (!entry || !nanoseconds)
    return;
  entry->time += nanoseconds;
  if (entry->state == State::Measured)
    entry->trial.add(variant == entry->variant, nanoseconds);
}

std::string AutoMode::describe(const HotSizes::Entry &entry) const {
  std::string text;
  for (const std::string &dim : sizes.getDims(entry))
    text += (text.empty() ? "" : ", ") + dim;
  char share[64];
  std::snprintf(share, sizeof(share), ": %.0f %% of the calls, %.3g s",
                100 * sizes.getShare(entry), double(entry.time) / 1e9);
  return text + share;
}

HotSizes::Entry *AutoMode::findCandidate() {
  HotSizes::Entry *hottest = nullptr;
  uint32_t variants = 0;
  for (HotSizes::Entry &entry : sizes.getEntries()) {
    variants += entry.state == State::Measured || entry.state == State::Kept;
    if (entry.id && entry.state == State::Counted && !entry.isServed &&
        entry.time >= hot && sizes.getTotal() >= kFewCalls &&
        sizes.getShare(entry) >= kHotShare &&
        (!hottest || entry.time > hottest->time))
      hottest = &entry;
  }
  return variants < kMaxVariants ? hottest : nullptr;
}

std::vector<AutoMode::Decision>
AutoMode::decide(uint64_t now, bool memoryIsShort, bool isCompiling) {
  std::vector<Decision> decisions;
  for (HotSizes::Entry &entry : sizes.getEntries()) {
    if (entry.state != State::Measured && entry.state != State::Kept)
      continue;
    bool hasLeft = sizes.getShare(entry) < kLeftShare;
    if (memoryIsShort || hasLeft) {
      entry.why = memoryIsShort ? "memory is short" : "the size has left";
      entry.state = State::Counted;
      // It has to become hot again.
      entry.time = 0;
      decisions.push_back({Decision::Drop, entry.variant, entry.why, {}});
    } else if (entry.state == State::Measured && entry.trial.isComplete()) {
      bool wins = entry.trial.wins();
      entry.why = (wins ? "faster: " : "not faster: ") + entry.trial.describe();
      entry.state = wins ? State::Kept : State::Rejected;
      decisions.push_back({wins ? Decision::Keep : Decision::Drop,
                           entry.variant,
                           entry.why,
                           {}});
    }
  }
  if (memoryIsShort || isCompiling || !pause.isOver(now))
    return decisions;
  if (HotSizes::Entry *entry = findCandidate()) {
    entry->state = State::Compiling;
    pause.begin(now);
    CompileRequest request;
    request.reason = entry->why = describe(*entry);
    request.dims = sizes.getDims(*entry);
    request.sizes = entry->id;
    decisions.push_back({Decision::Compile, 0, entry->why, std::move(request)});
  }
  return decisions;
}

void AutoMode::finishCompilation(uint64_t number, uint32_t variant,
                                 const std::string &failure, uint64_t now,
                                 uint64_t nanoseconds) {
  pause.extend(now, nanoseconds);
  HotSizes::Entry *entry = sizes.find(number);
  if (!entry)
    return;
  entry->variant = variant;
  entry->state = failure.empty() ? State::Measured : State::Rejected;
  entry->trial = Trial();
  if (!failure.empty())
    entry->why = "the compilation failed: " + failure;
}

void AutoMode::cancelCompilation(uint64_t number) {
  if (HotSizes::Entry *entry = sizes.find(number))
    entry->state = State::Counted;
}

void AutoMode::forget(uint32_t variant) {
  for (HotSizes::Entry &entry : sizes.getEntries())
    if (entry.variant == variant &&
        (entry.state == State::Measured || entry.state == State::Kept)) {
      entry.state = State::Rejected;
      entry.why = "the host dropped the variant";
    }
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

static const char *nameOf(State state) {
  switch (state) {
  case State::Counted:
    return "counted";
  case State::Compiling:
    return "compiling";
  case State::Measured:
    return "measured";
  case State::Kept:
    return "kept";
  case State::Rejected:
    return "rejected";
  }
  return "";
}

const char *AutoMode::summarize() {
  bool has[5] = {}, wasCompiled = false;
  for (HotSizes::Entry &entry : sizes.getEntries()) {
    has[size_t(entry.state)] |= entry.id != 0;
    wasCompiled |= entry.state == State::Rejected && entry.variant;
  }
  if (has[size_t(State::Kept)])
    return "some sizes have static variants, which are faster";
  if (has[size_t(State::Compiling)] || has[size_t(State::Measured)])
    return "all sizes run dynamic so far: a static variant is being tried";
  if (has[size_t(State::Rejected)])
    return wasCompiled ? "all sizes run dynamic: no static variant was faster"
                       : "all sizes run dynamic: no static variant could be "
                         "compiled";
  return "all sizes run dynamic: none is hot";
}

void AutoMode::writeReport(std::FILE *file) {
  std::fputs("{\"why\":", file);
  writeJsonString(file, summarize());
  std::fprintf(file, ",\"hot_ms\":%.6g,\"sizes\":[", double(hot) / 1e6);
  const char *separator = "";
  for (HotSizes::Entry &entry : sizes.getEntries()) {
    // One of many calls that do not repeat says nothing.
    if (!entry.id || (entry.count < 2 && entry.state == State::Counted))
      continue;
    std::fprintf(file, "%s{\"entry\":%u,\"dims\":[", separator, entry.entry);
    separator = "";
    for (const std::string &dim : sizes.getDims(entry)) {
      std::fputs(separator, file);
      writeJsonString(file, dim.c_str());
      separator = ",";
    }
    std::fprintf(file,
                 "],\"share\":%.4f,\"calls\":%llu,\"ms\":%.3f,\"state\":\"%s\","
                 "\"variant\":%u,\"why\":",
                 sizes.getShare(entry), (unsigned long long)entry.calls,
                 double(entry.time) / 1e6, nameOf(entry.state), entry.variant);
    writeJsonString(file, entry.why.c_str());
    std::fputc('}', file);
    separator = ",";
  }
  std::fputs("]}", file);
}
