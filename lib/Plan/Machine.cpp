//===- Machine.cpp - The ranks and links that a plan is for ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Machine.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dyn::plan;
using namespace llvm;

/// Far above what a plan is for.
static constexpr int64_t kMaxRanks = 65536;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether an object has no members but these.
static bool hasOnly(const json::Value &value, json::Path path,
                    ArrayRef<StringRef> names) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return true; // which ObjectMapper reports
  for (const auto &[key, member] : *object)
    if (!is_contained(names, StringRef(key))) {
      path.field(key).report("unexpected member");
      return false;
    }
  return true;
}

static bool mapPositive(json::ObjectMapper &mapper, json::Path path,
                        StringLiteral name, double &number) {
  if (!mapper.map(name, number))
    return false;
  if (number > 0)
    return true;
  path.field(name).report("expected a number above 0");
  return false;
}

static bool mapNatural(json::ObjectMapper &mapper, json::Path path,
                       StringLiteral name, double &number) {
  if (!mapper.map(name, number))
    return false;
  if (number >= 0)
    return true;
  path.field(name).report("expected a number of at least 0");
  return false;
}

static bool mapRanks(json::ObjectMapper &mapper, json::Path path,
                     int64_t &ranks) {
  if (!mapper.map("ranks", ranks))
    return false;
  if (ranks >= 1 && ranks <= kMaxRanks)
    return true;
  path.field("ranks").report("expected 1 to 65536 ranks");
  return false;
}

namespace dyn::plan {
static bool fromJSON(const json::Value &value, LinkLevel &link,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper &&
         hasOnly(value, path, {"ranks", "bytesPerSecond", "seconds"}) &&
         mapRanks(mapper, path, link.ranks) &&
         mapPositive(mapper, path, "bytesPerSecond", link.bytesPerSecond) &&
         mapNatural(mapper, path, "seconds", link.seconds);
}

static bool checkLinks(const Machine &machine, json::Path path) {
  if (machine.links.empty() || machine.links.front().ranks != 1) {
    path.report("expected a first link of 1 rank");
    return false;
  }
  for (size_t i = 1; i < machine.links.size(); ++i) {
    int64_t inner = machine.links[i - 1].ranks, outer = machine.links[i].ranks;
    if (outer > inner && outer % inner == 0)
      continue;
    path.index(i).field("ranks").report(
        "expected a multiple of the ranks of the link before");
    return false;
  }
  return true;
}

static bool fromJSON(const json::Value &value, Machine &machine,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !hasOnly(value, path, {"ranks", "rank", "links"}) ||
      !mapRanks(mapper, path, machine.ranks))
    return false;
  const json::Object &object = *value.getAsObject();
  json::Path rankPath = path.field("rank");
  const json::Value *rank = object.get("rank");
  if (!rank) {
    rankPath.report("missing value");
    return false;
  }
  json::ObjectMapper inner(*rank, rankPath);
  std::vector<LinkLevel> links;
  if (!inner ||
      !hasOnly(*rank, rankPath,
               {"flops", "bytesPerSecond", "memoryBytes", "kernelSeconds"}) ||
      !mapPositive(inner, rankPath, "flops", machine.flops) ||
      !mapPositive(inner, rankPath, "bytesPerSecond", machine.bytesPerSecond) ||
      !mapPositive(inner, rankPath, "memoryBytes", machine.memoryBytes) ||
      !mapNatural(inner, rankPath, "kernelSeconds", machine.kernelSeconds) ||
      !mapper.map("links", links))
    return false;
  machine.links.assign(links.begin(), links.end());
  return checkLinks(machine, path.field("links"));
}
} // namespace dyn::plan

Expected<Machine> Machine::parse(StringRef text, StringRef name) {
  auto fail = [&](Error problem) {
    return createStringError("machine: " + name + ": " +
                             toString(std::move(problem)));
  };
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return fail(value.takeError());
  json::Path::Root root("machine");
  Machine machine;
  if (!fromJSON(*value, machine, root))
    return fail(root.getError());
  return machine;
}

Expected<Machine> Machine::read(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError("machine: " + path + ": " +
                             buffer.getError().message());
  return parse((*buffer)->getBuffer(), path);
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

size_t Machine::countLevels(int64_t from, int64_t to) const {
  size_t level = 0;
  while (level < links.size() &&
         from / links[level].ranks != to / links[level].ranks)
    ++level;
  return level;
}

double Machine::getTime(ArrayRef<Message> messages) const {
  // By level and group, in both directions.
  DenseMap<std::pair<size_t, int64_t>, double> out, in;
  double most = 0, latency = 0;
  for (const Message &message : messages) {
    size_t levels = countLevels(message.from, message.to);
    for (size_t level = 0; level < levels; ++level) {
      const LinkLevel &link = links[level];
      double time = message.bytes / link.bytesPerSecond;
      most = std::max(most, out[{level, message.from / link.ranks}] += time);
      most = std::max(most, in[{level, message.to / link.ranks}] += time);
    }
    if (levels)
      latency = std::max(latency, links[levels - 1].seconds);
  }
  return most + latency;
}
