//===- StreamOrder.cpp - Which work of several streams is ordered ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamOrder.h"

#include <algorithm>

using namespace dyn::emu;

void dyn::emu::join(StreamClock &clock, const StreamClock &other) {
  for (auto [stream, epoch] : other)
    clock[stream] = std::max(clock[stream], epoch);
}

void StreamOrder::begin(const void *stream, const StreamClock &known,
                        uint32_t epoch) {
  running = stream;
  others.clear();
  for (const Span &span : spans) {
    auto until = known.find(span.stream);
    if (span.stream != stream &&
        (until == known.end() || span.first > until->second))
      others.push_back(span);
  }
  if (spans.size() == kMostSpans)
    spans.erase(spans.begin());
  spans.push_back({stream, epoch, epoch, ""});
}

void StreamOrder::end(uint32_t epoch) {
  spans.back().last = epoch;
  running = nullptr;
  others.clear();
}

void StreamOrder::setName(const char *name) {
  if (running)
    spans.back().name = name;
}

const char *StreamOrder::findOther(uint32_t epoch) const {
  auto after = std::upper_bound(
      others.begin(), others.end(), epoch,
      [](uint32_t epoch, const Span &span) { return epoch < span.first; });
  if (after == others.begin() || epoch > std::prev(after)->last)
    return nullptr;
  return std::prev(after)->name;
}

void StreamOrder::forget(const StreamClock &clock) {
  spans.erase(std::remove_if(spans.begin(), spans.end(),
                             [&](const Span &span) {
                               auto until = clock.find(span.stream);
                               return until != clock.end() &&
                                      span.first <= until->second;
                             }),
              spans.end());
}
