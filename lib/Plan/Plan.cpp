//===- Plan.cpp - The ranks, stages and splits of a model -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Plan.h"

#include "dyn/Plan/Pipeline.h"
#include "dyn/Plan/Strategies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn::plan;
using namespace llvm;

/// Maximum of parts between which stages are cut, and of units of ranks that a
/// stage has. They bound the time of the search.
static constexpr size_t kMaxParts = 24, kMaxUnits = 16;
/// Maximum of axes of a mesh. Ways to divide a value are 3 to this power.
static constexpr size_t kMaxAxes = 3;
/// Micro-batches for each stage, as GPipe has them: a quarter of a pipeline's
/// time at most is idle then.
static constexpr int64_t kMicroBatchesPerStage = 4;

size_t Plan::getStage(size_t layer) const {
  size_t stage = 0;
  while (stages[stage].end <= layer)
    ++stage;
  return stage;
}

SmallVector<Message> dyn::plan::getResultMessages(const Model &model,
                                                  const Plan &plan,
                                                  size_t layer) {
  SmallVector<Message> messages;
  size_t own = plan.getStage(layer);
  const Mesh &from = plan.stages[own].mesh;
  const Splits whole(from.sizes.size(), Split::None);
  for (auto [number, stage] : enumerate(plan.stages))
    if (number != own)
      append_range(messages,
                   getMessages(model.layers[layer].value, from, whole,
                               stage.mesh,
                               Splits(stage.mesh.sizes.size(), Split::None)));
  return messages;
}

/// The bytes that layers before `cut` give to those after it.
static double getLiveBytes(const Model &model, size_t cut) {
  std::vector<bool> isRead(cut);
  for (size_t i = cut; i < model.layers.size(); ++i)
    for (const Operand &operand : model.layers[i].operands)
      if (operand.layer < cut)
        isRead[operand.layer] = true;
  double bytes = 0;
  for (size_t i = 0; i < cut; ++i)
    if (isRead[i] && !model.layers[i].isInput)
      bytes += model.layers[i].value.bytes;
  return bytes;
}

/// The layers at which parts begin, and the end. Of all possible cuts in an
/// equal share of the work, the one with the fewest bytes is taken.
static std::vector<size_t> choosePartEnds(const Model &model,
                                          const Machine &machine) {
  size_t n = model.layers.size();
  StageCosts costs(model, machine, {{1}}, 1);
  std::vector<double> work(n + 1);
  for (size_t i = 0; i < n; ++i)
    work[i + 1] =
        work[i] + costs.getComputeTime(model.layers[i], {Split::None});
  std::vector<size_t> ends = {0};
  double least = kInfinity;
  size_t best = 0, window = 0;
  for (size_t cut = 1; cut < n; ++cut) {
    // Nothing is before an input that a stage could begin with.
    size_t own = n <= kMaxParts ? cut : size_t(work[cut] / work[n] * kMaxParts);
    if (own != window && best)
      ends.push_back(best);
    if (own != window) {
      window = own;
      best = 0;
      least = kInfinity;
    }
    double bytes = getLiveBytes(model, cut);
    if (model.layers[cut].canBegin && work[cut] > 0 && bytes < least) {
      least = bytes;
      best = cut;
    }
  }
  if (best)
    ends.push_back(best);
  ends.push_back(n);
  return ends;
}

/// The bytes of values that a rank holds at the same time, at most.
static double getValueBytes(const Model &model, const Plan &plan,
                            const Stage &stage) {
  StageCosts costs(model, Machine(), stage.mesh, plan.microBatches);
  std::vector<size_t> lastUses(model.layers.size());
  for (auto [i, layer] : enumerate(model.layers))
    for (const Operand &operand : layer.operands)
      lastUses[operand.layer] = i;
  double most = 0;
  for (size_t i = stage.begin; i < stage.end; ++i) {
    double bytes = 0;
    for (size_t j = stage.begin; j <= i; ++j)
      if (j == i || lastUses[j] >= i) {
        Value value = costs.getValue(model.layers[j]);
        bytes += value.bytes *
                 getShare(value, stage.mesh,
                          getValueSplits(model.layers[j], plan.splits[j]));
      }
    // Operands as the layer needs them, beside the blocks that they are kept
    // in.
    for (const Operand &operand : model.layers[i].operands) {
      Value value = costs.getValue(model.layers[operand.layer]);
      Splits needed =
          getOperandSplits(model.layers[i], operand, plan.splits[i]);
      if (operand.layer < stage.begin ||
          needed != getValueSplits(model.layers[operand.layer],
                                   plan.splits[operand.layer]))
        bytes += value.bytes * getShare(value, stage.mesh, needed);
    }
    most = std::max(most, bytes);
  }
  return most;
}

/// Adds what a rank holds of a stage, by the splits of the plan.
static void addMemory(const Model &model, const Plan &plan, Stage &stage) {
  for (size_t i = stage.begin; i < stage.end; ++i)
    stage.weightBytes +=
        getWeightBytes(model.layers[i], stage.mesh, plan.splits[i]);
  stage.valueBytes = getValueBytes(model, plan, stage);
}

static bool fits(const Stage &stage, const Machine &machine) {
  return stage.weightBytes + stage.valueBytes <= machine.memoryBytes;
}

namespace {
/// A search for one number of micro-batches.
class Search {
public:
  Search(const Model &model, const Machine &machine, const PlanOptions &options,
         ArrayRef<size_t> ends, int64_t microBatches, double price);

  /// The best plan of at most `maxStages`; nothing if there is none.
  std::optional<Plan> run(size_t maxStages);

private:
  SmallVector<Mesh> getMeshes(int64_t ranks) const;
  size_t getIndex(size_t begin, size_t end, int64_t units) const {
    return (begin * ends.size() + end) * (numUnits + 1) + units;
  }
  /// Whether the layers [begin, end) fit the memory of ranks of a mesh.
  bool fits(const Strategies &strategies, const Mesh &mesh, size_t begin,
            size_t end) const;
  void finish(Plan &plan, ArrayRef<PipelineStage> stages);

  const Model &model;
  const Machine &machine;
  const PlanOptions &options;
  ArrayRef<size_t> ends;
  int64_t microBatches;
  double price;
  /// Ranks of a unit, and units.
  int64_t unit, numUnits;
  /// Seconds and mesh of a stage by its parts and units.
  std::vector<double> seconds;
  std::vector<Mesh> meshes;
};
} // namespace

SmallVector<Mesh> Search::getMeshes(int64_t ranks) const {
  if (!model.mesh.empty())
    return {Mesh{model.mesh}};
  SmallVector<Mesh> found;
  // Axes differ only by the distances of their ranks: the inner one, with
  // the nearest, is the larger one.
  for (int64_t outer = 1; outer * outer <= ranks; ++outer)
    if (ranks % outer == 0)
      found.push_back({{outer, ranks / outer}});
  return found;
}

bool Search::fits(const Strategies &strategies, const Mesh &mesh, size_t begin,
                  size_t end) const {
  double most = 0;
  for (size_t i = 0; i < end; ++i)
    most += 2 * model.layers[i].value.bytes +
            (i < begin ? 0 : model.layers[i].weightBytes);
  if (most <= machine.memoryBytes)
    return true;
  Plan plan;
  plan.microBatches = microBatches;
  plan.splits.resize(model.layers.size());
  strategies.getSplits(end, plan.splits);
  Stage stage = {begin, end, mesh};
  addMemory(model, plan, stage);
  return ::fits(stage, machine);
}

Search::Search(const Model &model, const Machine &machine,
               const PlanOptions &options, ArrayRef<size_t> ends,
               int64_t microBatches, double price)
    : model(model), machine(machine), options(options), ends(ends),
      microBatches(microBatches), price(price) {
  // The mesh of the user is the only stage.
  int64_t ranks = model.mesh.empty() ? machine.ranks : product_of(model.mesh);
  unit = model.mesh.empty() ? divideCeil(ranks, int64_t(kMaxUnits)) : ranks;
  numUnits = ranks / unit;
  seconds.assign(ends.size() * ends.size() * (numUnits + 1), kInfinity);
  meshes.resize(seconds.size());
  size_t parts = ends.size() - 1;
  for (int64_t units = 1; units <= numUnits; ++units)
    for (Mesh &mesh : getMeshes(units * unit)) {
      StageCosts costs(model, machine, mesh, microBatches);
      StrategyTable table(costs, options.segments, price);
      for (size_t begin = 0; begin < parts; ++begin) {
        Strategies strategies(table, ends[begin]);
        for (size_t end = begin + 1; end <= parts; ++end) {
          size_t index = getIndex(begin, end, units);
          double time = strategies.getTime(ends[end]);
          if (time >= seconds[index] ||
              !fits(strategies, mesh, ends[begin], ends[end]))
            continue;
          seconds[index] = time;
          meshes[index] = mesh;
        }
      }
    }
}

void Search::finish(Plan &plan, ArrayRef<PipelineStage> stages) {
  plan.microBatches = microBatches;
  plan.splits.resize(model.layers.size());
  plan.placement.resize(model.layers.size());
  int64_t first = 0;
  for (const PipelineStage &each : stages) {
    size_t index = getIndex(each.begin, each.end, each.ranks);
    Stage stage = {ends[each.begin], ends[each.end], meshes[index]};
    StageCosts costs(model, machine, stage.mesh, microBatches);
    StrategyTable table(costs, options.segments, price);
    Strategies strategies(table, stage.begin);
    strategies.getSplits(stage.end, plan.splits);
    stage.seconds = strategies.getTime(stage.end);
    stage.mesh.first = first;
    first += stage.mesh.getRanks();
    addMemory(model, plan, stage);
    plan.stages.push_back(std::move(stage));
  }
}

std::optional<Plan> Search::run(size_t maxStages) {
  auto stage = [&](size_t begin, size_t end, int64_t units) {
    return seconds[getIndex(begin, end, units)];
  };
  auto transfer = [&](size_t part, int64_t units) {
    int64_t rank = units * unit;
    size_t levels = machine.countLevels(rank - 1, rank);
    if (!levels)
      return 0.0;
    const LinkLevel &link = machine.links[levels - 1];
    return getLiveBytes(model, ends[part]) / microBatches /
               link.bytesPerSecond +
           link.seconds;
  };
  PipelineCosts costs = {ends.size() - 1, numUnits, stage, transfer};
  SmallVector<PipelineStage> stages =
      planPipeline(costs, microBatches, maxStages);
  if (stages.empty())
    return std::nullopt;
  Plan plan;
  plan.seconds = getPipelineTime(costs, stages, microBatches);
  finish(plan, stages);
  for (const Stage &each : plan.stages)
    if (!::fits(each, machine))
      return std::nullopt;
  for (auto [i, layer] : enumerate(model.layers))
    if (layer.isResult)
      plan.seconds += machine.getTime(getResultMessages(model, plan, i));
  return plan;
}

Expected<Plan> dyn::plan::makePlan(const Model &model, const Machine &machine,
                                   const PlanOptions &options) {
  if (int64_t ranks = product_of(model.mesh); ranks > machine.ranks)
    return createStringError("plan: expected a mesh of at most " +
                             Twine(machine.ranks) + " ranks, found " +
                             Twine(ranks));
  if (model.mesh.size() > kMaxAxes)
    return createStringError("plan: expected a mesh of at most " +
                             Twine(kMaxAxes) + " axes, found " +
                             Twine(model.mesh.size()));
  std::vector<size_t> ends = choosePartEnds(model, machine);
  size_t mostStages = options.maxStages ? options.maxStages : kMaxUnits;
  mostStages = std::min(mostStages, size_t(machine.ranks));
  if (!model.mesh.empty())
    mostStages = 1;
  if (options.microBatches > model.batch)
    return createStringError("plan: expected at most " + Twine(model.batch) +
                             " micro-batches, found " +
                             Twine(options.microBatches));
  // Numbers of micro-batches, and the stages that each is for.
  SmallVector<std::pair<int64_t, size_t>> choices = {{1, mostStages}};
  if (options.microBatches)
    choices = {{options.microBatches, mostStages}};
  for (size_t stages = 2; !options.microBatches && stages < 2 * mostStages;
       stages *= 2)
    if (int64_t count = kMicroBatchesPerStage * stages; count <= model.batch)
      choices.push_back({count, std::min(stages, mostStages)});
  // A byte costs nothing, unless plans need more memory than there is.
  double price = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    std::optional<Plan> best;
    for (auto [microBatches, stages] : choices) {
      Search search(model, machine, options, ends, microBatches, price);
      // Stages are chosen without the time that their results take.
      for (size_t limit : {stages, size_t(1)}) {
        std::optional<Plan> plan = search.run(limit);
        if (plan && (!best || plan->seconds < best->seconds))
          best = std::move(plan);
      }
    }
    if (best)
      return std::move(*best);
    price = price ? price * 8 : 0.01 / machine.bytesPerSecond;
  }
  return createStringError("plan: the model does not fit the memory of " +
                           Twine(machine.ranks) + " ranks");
}
