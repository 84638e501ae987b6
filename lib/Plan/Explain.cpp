//===- Explain.cpp - Plans as JSON and in words ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Explain.h"

#include "dyn/Plan/StageCosts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn::plan;
using namespace llvm;

/// Spans of a timeline that are written.
static constexpr size_t kMaxSpans = 20000;

static StringRef getName(Split split) {
  static constexpr StringLiteral names[] = {"all", "rows", "columns", "sum",
                                            "paths"};
  return names[size_t(split)];
}

static json::Array explainEdges(const Model &model, const Machine &machine,
                                const Plan &plan) {
  json::Array edges;
  for (auto [index, layer] : enumerate(model.layers))
    for (const Operand &operand : layer.operands) {
      const Layer &source = model.layers[operand.layer];
      const Stage &from = plan.stages[plan.getStage(operand.layer)];
      const Stage &to = plan.stages[plan.getStage(index)];
      StageCosts costs(model, machine, from.mesh, plan.microBatches);
      double moved = 0;
      if (!source.isInput)
        for (const Message &message : getMessages(
                 costs.getValue(source), from.mesh,
                 getValueSplits(source, plan.splits[operand.layer]), to.mesh,
                 getOperandSplits(layer, operand, plan.splits[index])))
          moved += message.bytes;
      int64_t times = source.isBatched ? plan.microBatches : 1;
      edges.push_back(json::Object{{"from", int64_t(operand.layer)},
                                   {"to", int64_t(index)},
                                   {"bytes", source.value.bytes},
                                   {"moved", moved * times}});
    }
  return edges;
}

static json::Object explainStage(const Stage &stage) {
  return json::Object{{"first_rank", stage.mesh.first},
                      {"ranks", stage.mesh.getRanks()},
                      {"mesh", json::Array(ArrayRef(stage.mesh.sizes))},
                      {"begin", int64_t(stage.begin)},
                      {"end", int64_t(stage.end)},
                      {"seconds", stage.seconds},
                      {"weight_bytes", stage.weightBytes},
                      {"value_bytes", stage.valueBytes}};
}

/// Explains the paths of a layer, and finds the seconds of its slowest rank.
static json::Object explainRoutes(const Plan &plan, StageCosts &costs,
                                  const Layer &layer,
                                  ArrayRef<int64_t> placement,
                                  double &seconds) {
  SmallVector<PathShare> shares = costs.getPathShares(layer, placement);
  json::Array ranks;
  seconds = 0;
  for (auto [rank, share] : enumerate(shares)) {
    json::Array paths;
    for (auto [path, of] : enumerate(placement))
      if (of == int64_t(rank))
        paths.push_back(int64_t(path));
    double own = costs.getComputeTime(layer, share);
    seconds = std::max(seconds, own);
    ranks.push_back(
        json::Object{{"rank", costs.getMesh().first + int64_t(rank)},
                     {"paths", std::move(paths)},
                     {"rows", share.rows},
                     {"weight_bytes", share.weightBytes},
                     {"seconds", own * plan.microBatches}});
  }
  auto sum = [&](RowsMove move) {
    double bytes = 0;
    for (const Message &message : costs.getPathMessages(layer, shares, move))
      bytes += message.bytes;
    return bytes * plan.microBatches;
  };
  return json::Object{{"ranks", std::move(ranks)},
                      {"count_bytes", sum(RowsMove::Counts)},
                      {"bytes_to_paths", sum(RowsMove::ToPaths)},
                      {"bytes_to_home", sum(RowsMove::ToHome)}};
}

static json::Object explainLayer(const Model &model, const Machine &machine,
                                 const Plan &plan, size_t index) {
  const Layer &layer = model.layers[index];
  size_t stage = plan.getStage(index);
  const Mesh &mesh = plan.stages[stage].mesh;
  StageCosts costs(model, machine, mesh, plan.microBatches);
  json::Array splits;
  for (Split split : plan.splits[index])
    splits.push_back(getName(split));
  double seconds = costs.getComputeTime(layer, plan.splits[index]);
  json::Object routes;
  if (isByPaths(plan.splits[index]))
    routes = explainRoutes(plan, costs, layer, plan.placement[index], seconds);
  json::Object object{
      {"name", layer.name},
      {"stage", int64_t(stage)},
      {"input", layer.isInput},
      {"splits", std::move(splits)},
      {"operations", layer.operations},
      {"value_bytes", layer.value.bytes},
      {"weight_bytes", layer.weightBytes},
      {"rank_weight_bytes",
       getWeightBytes(layer, mesh, plan.splits[index], plan.placement[index])},
      {"seconds", seconds * plan.microBatches}};
  if (!routes.empty())
    object["routes"] = std::move(routes);
  return object;
}

json::Value dyn::plan::explain(const Model &model, const Machine &machine,
                               const Plan &plan, const Simulation &simulation) {
  json::Array stages, layers, ranks, links, timeline;
  for (const Stage &stage : plan.stages)
    stages.push_back(explainStage(stage));
  for (size_t i = 0; i < model.layers.size(); ++i)
    layers.push_back(explainLayer(model, machine, plan, i));
  for (auto [rank, busy] : enumerate(simulation.busySeconds))
    ranks.push_back(
        json::Object{{"rank", int64_t(rank)}, {"busy_seconds", busy}});
  for (auto [link, bytes] : zip_equal(machine.links, simulation.bytes))
    links.push_back(json::Object{{"ranks", link.ranks}, {"bytes", bytes}});
  for (const Span &span : simulation.spans)
    if (timeline.size() < kMaxSpans)
      timeline.push_back(json::Array{span.rank,
                                     int64_t(span.label % model.layers.size()),
                                     int64_t(span.label / model.layers.size()),
                                     span.begin, span.end, span.isWait});
  return json::Object{{"entry", model.name},
                      {"machine_ranks", machine.ranks},
                      {"micro_batches", plan.microBatches},
                      {"seconds", simulation.seconds},
                      {"searched_seconds", plan.seconds},
                      {"messages", int64_t(simulation.messages)},
                      {"stages", std::move(stages)},
                      {"layers", std::move(layers)},
                      {"edges", explainEdges(model, machine, plan)},
                      {"ranks", std::move(ranks)},
                      {"links", std::move(links)},
                      {"timeline", std::move(timeline)}};
}

//===----------------------------------------------------------------------===//
// In words
//===----------------------------------------------------------------------===//

/// The objects of an array member.
static SmallVector<const json::Object *> getObjects(const json::Object &parent,
                                                    StringRef name) {
  SmallVector<const json::Object *> objects;
  for (const json::Value &value : *parent.getArray(name))
    objects.push_back(value.getAsObject());
  return objects;
}

static double getNumber(const json::Object &object, StringRef name) {
  return object.getNumber(name).value_or(0);
}

static int64_t getInteger(const json::Object &object, StringRef name) {
  return object.getInteger(name).value_or(0);
}

static std::string printSeconds(double seconds) {
  return formatv("{0:F3} ms", seconds * 1e3).str();
}

static std::string printBytes(double bytes) {
  return formatv("{0:F3} MB", bytes / 1e6).str();
}

static std::string join(const json::Object &object, StringRef name,
                        StringRef separator) {
  std::string text;
  for (const json::Value &value : *object.getArray(name))
    text += (text.empty() ? "" : separator.str()) +
            (value.getAsString() ? value.getAsString()->str()
                                 : formatv("{0}", value).str());
  return text;
}

static void printRoutes(raw_ostream &os, const json::Object &routes) {
  for (const json::Object *rank : getObjects(routes, "ranks"))
    os << "    rank " << getInteger(*rank, "rank") << ": paths "
       << join(*rank, "paths", ", ") << "; "
       << formatv("{0:F0}", getNumber(*rank, "rows")) << " rows, weights "
       << printBytes(getNumber(*rank, "weight_bytes")) << ", "
       << printSeconds(getNumber(*rank, "seconds")) << '\n';
  os << "    rows that change rank: to paths "
     << printBytes(getNumber(routes, "bytes_to_paths")) << ", home "
     << printBytes(getNumber(routes, "bytes_to_home")) << ", counts "
     << printBytes(getNumber(routes, "count_bytes")) << '\n';
}

void dyn::plan::printPlan(raw_ostream &os, const json::Value &plan) {
  const json::Object &root = *plan.getAsObject();
  SmallVector<const json::Object *> stages = getObjects(root, "stages");
  SmallVector<const json::Object *> layers = getObjects(root, "layers");
  SmallVector<const json::Object *> ranks = getObjects(root, "ranks");
  os << "plan of " << *root.getString("entry") << ": stages " << stages.size()
     << ", micro-batches " << getInteger(root, "micro_batches") << ", "
     << printSeconds(getNumber(root, "seconds")) << '\n';
  for (auto [number, stage] : enumerate(stages)) {
    int64_t first = getInteger(*stage, "first_rank");
    int64_t last = first + getInteger(*stage, "ranks") - 1;
    os << "stage " << number << ": ranks " << first << " to " << last
       << ", mesh " << join(*stage, "mesh", " x ") << ", "
       << printSeconds(getNumber(*stage, "seconds")) << " a micro-batch\n"
       << "  memory of a rank: weights "
       << printBytes(getNumber(*stage, "weight_bytes")) << ", values "
       << printBytes(getNumber(*stage, "value_bytes")) << '\n';
    for (int64_t i = getInteger(*stage, "begin"), e = getInteger(*stage, "end");
         i < e; ++i) {
      os << "  " << i << " " << *layers[i]->getString("name") << ": "
         << join(*layers[i], "splits", ", ") << "; "
         << printSeconds(getNumber(*layers[i], "seconds")) << '\n';
      if (const json::Object *routes = layers[i]->getObject("routes"))
        printRoutes(os, *routes);
    }
  }
  os << "bytes between layers that change rank\n";
  for (const json::Object *edge : getObjects(root, "edges"))
    if (getNumber(*edge, "moved") > 0)
      os << "  " << getInteger(*edge, "from") << " to "
         << getInteger(*edge, "to") << ": "
         << printBytes(getNumber(*edge, "moved")) << '\n';
  os << "links\n";
  for (const json::Object *link : getObjects(root, "links"))
    os << "  of " << getInteger(*link, "ranks")
       << (getInteger(*link, "ranks") == 1 ? " rank: " : " ranks: ")
       << printBytes(getNumber(*link, "bytes")) << '\n';
  double busy = 0;
  for (const json::Object *rank : ranks)
    busy += getNumber(*rank, "busy_seconds");
  double all = getNumber(root, "seconds") * ranks.size();
  os << "ranks compute " << formatv("{0:F1} %", all ? 100 * busy / all : 0.0)
     << " of the time\n";
}
