//===- PlanProgram.cpp - The tasks of the ranks of a plan -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/PlanProgram.h"

#include "dyn/Plan/StageCosts.h"

#include "llvm/ADT/STLExtras.h"

using namespace dyn::plan;
using namespace llvm;

namespace {
class ProgramBuilder {
public:
  ProgramBuilder(const Model &model, const Machine &machine, const Plan &plan)
      : model(model), machine(machine), plan(plan) {
    program.tasks.resize(machine.ranks);
  }

  Program build();

private:
  using Kind = Task::Kind;

  void addToAll(const Mesh &mesh, Task task) {
    for (int64_t i = 0; i < mesh.getRanks(); ++i)
      program.tasks[mesh.first + i].push_back(task);
  }
  size_t addExchange(SmallVector<Message> messages) {
    program.exchanges.push_back(std::move(messages));
    return program.exchanges.size() - 1;
  }
  /// An exchange in a mesh that is waited for at once.
  void exchange(const Mesh &mesh, SmallVector<Message> messages, size_t label) {
    if (messages.empty())
      return;
    size_t number = addExchange(std::move(messages));
    addToAll(mesh, {Kind::Start, 0, number, label});
    addToAll(mesh, {Kind::Wait, 0, number, label});
  }
  /// Changes the splits of a value in a mesh.
  void reshard(const Mesh &mesh, const StageCosts &costs, const Layer &layer,
               ArrayRef<Split> from, ArrayRef<Split> to, size_t label) {
    exchange(mesh, getMessages(costs.getValue(layer), mesh, from, mesh, to),
             label);
    if (double seconds = costs.getArrangeTime(layer, from, to); seconds > 0)
      addToAll(mesh, {Kind::Compute, seconds, 0, label});
  }
  void findTransfers();
  void addLayer(const Stage &stage, StageCosts &costs, size_t index,
                size_t label);
  void addPaths(const Stage &stage, StageCosts &costs, size_t index,
                size_t label);
  void addStage(size_t number, StageCosts &costs);
  /// Brings the results of stages to all ranks.
  void addResults();

  /// A value that one stage gives to another.
  struct Transfer {
    size_t layer, from, to;
    /// As the first reader of that stage needs it.
    Splits splits;
    /// By micro-batch.
    std::vector<size_t> exchanges;
  };

  const Model &model;
  const Machine &machine;
  const Plan &plan;
  std::vector<Transfer> transfers;
  Program program;
};
} // namespace

void ProgramBuilder::findTransfers() {
  for (auto [number, stage] : enumerate(plan.stages))
    for (size_t i = stage.begin; i < stage.end; ++i)
      for (const Operand &operand : model.layers[i].operands) {
        const Layer &layer = model.layers[operand.layer];
        bool isKnown = any_of(transfers, [&, to = number](const Transfer &t) {
          return t.layer == operand.layer && t.to == to;
        });
        if (operand.layer >= stage.begin || layer.isInput || isKnown)
          continue;
        size_t from = plan.getStage(operand.layer);
        const Mesh &sender = plan.stages[from].mesh;
        StageCosts costs(model, machine, sender, plan.microBatches);
        Transfer transfer = {
            operand.layer,
            from,
            number,
            getOperandSplits(model.layers[i], operand, plan.splits[i]),
            {}};
        SmallVector<Message> messages =
            getMessages(costs.getValue(layer), sender,
                        getValueSplits(layer, plan.splits[operand.layer]),
                        stage.mesh, transfer.splits);
        for (int64_t j = 0; j < plan.microBatches; ++j)
          transfer.exchanges.push_back(addExchange(messages));
        transfers.push_back(std::move(transfer));
      }
}

void ProgramBuilder::addLayer(const Stage &stage, StageCosts &costs,
                              size_t index, size_t label) {
  const Layer &layer = model.layers[index];
  const Splits &splits = plan.splits[index];
  for (const Operand &operand : layer.operands) {
    const Layer &source = model.layers[operand.layer];
    if (operand.layer >= stage.begin && !source.isInput)
      reshard(stage.mesh, costs, source,
              getValueSplits(source, plan.splits[operand.layer]),
              getOperandSplits(layer, operand, splits), label);
  }
  if (isByPaths(splits))
    addPaths(stage, costs, index, label);
  else if (double seconds = costs.getComputeTime(layer, splits); seconds > 0)
    addToAll(stage.mesh, {Kind::Compute, seconds, 0, label});
  for (int half = 0; half < 2; ++half)
    exchange(stage.mesh,
             getSumMessages(costs.getValue(layer), stage.mesh, splits), label);
  if (layer.isResult)
    reshard(stage.mesh, costs, layer, getValueSplits(layer, splits),
            Splits(splits.size(), Split::None), label);
}

void ProgramBuilder::addPaths(const Stage &stage, StageCosts &costs,
                              size_t index, size_t label) {
  const Layer &layer = model.layers[index];
  SmallVector<PathShare> shares =
      costs.getPathShares(layer, plan.placement[index]);
  auto move = [&](RowsMove which) {
    exchange(stage.mesh, costs.getPathMessages(layer, shares, which), label);
  };
  move(RowsMove::Counts);
  move(RowsMove::ToPaths);
  for (auto [rank, share] : enumerate(shares))
    if (double seconds = costs.getComputeTime(layer, share); seconds > 0)
      program.tasks[stage.mesh.first + rank].push_back(
          {Kind::Compute, seconds, 0, label});
  move(RowsMove::ToHome);
}

void ProgramBuilder::addStage(size_t number, StageCosts &costs) {
  const Stage &stage = plan.stages[number];
  auto addTransfers = [&](Kind kind, bool receives, int64_t microBatch) {
    for (const Transfer &transfer : transfers)
      if ((receives ? transfer.to : transfer.from) == number)
        addToAll(stage.mesh,
                 {kind, 0, transfer.exchanges[microBatch],
                  microBatch * model.layers.size() + transfer.layer});
  };
  addTransfers(Kind::Start, /*receives=*/true, 0);
  for (int64_t i = 0; i < plan.microBatches; ++i) {
    addTransfers(Kind::Wait, /*receives=*/true, i);
    if (i + 1 < plan.microBatches)
      addTransfers(Kind::Start, /*receives=*/true, i + 1);
    for (size_t layer = stage.begin; layer < stage.end; ++layer)
      addLayer(stage, costs, layer, i * model.layers.size() + layer);
    addTransfers(Kind::Start, /*receives=*/false, i);
  }
  for (int64_t i = 0; i < plan.microBatches; ++i)
    addTransfers(Kind::Wait, /*receives=*/false, i);
}

void ProgramBuilder::addResults() {
  for (auto [i, layer] : enumerate(model.layers)) {
    SmallVector<Message> messages;
    if (layer.isResult)
      messages = getResultMessages(model, plan, i);
    if (messages.empty())
      continue;
    size_t number = addExchange(std::move(messages));
    for (const Stage &stage : plan.stages)
      for (Task::Kind kind : {Kind::Start, Kind::Wait})
        addToAll(stage.mesh, {kind, 0, number, i});
  }
}

Program ProgramBuilder::build() {
  findTransfers();
  for (auto [number, stage] : enumerate(plan.stages)) {
    StageCosts costs(model, machine, stage.mesh, plan.microBatches);
    addStage(number, costs);
  }
  addResults();
  return std::move(program);
}

Program dyn::plan::makeProgram(const Model &model, const Machine &machine,
                               const Plan &plan) {
  return ProgramBuilder(model, machine, plan).build();
}
