//===- Strategies.cpp - The best way to divide each layer -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Strategies.h"

#include "dyn/Plan/Pipeline.h"

#include "llvm/ADT/STLExtras.h"

using namespace dyn::plan;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// The number of splits of a value, each a digit.
static uint8_t encode(ArrayRef<Split> splits) {
  uint8_t code = 0;
  for (Split split : splits)
    code = code * 3 + uint8_t(split);
  return code;
}

static Splits decode(size_t code, size_t axes) {
  Splits splits(axes);
  for (size_t i = axes; i-- > 0; code /= 3)
    splits[i] = Split(code % 3);
  return splits;
}

StrategyTable::StrategyTable(StageCosts &costs, int64_t segments, double price)
    : model(costs.getModel()), memoryBytes(costs.getMachine().memoryBytes),
      price(price), layers(model.layers.size()) {
  size_t axes = costs.getMesh().sizes.size();
  for (size_t i = 0; i < axes; ++i)
    numCodes *= 3;
  const Splits whole(axes, Split::None);
  for (auto [index, layer] : enumerate(model.layers)) {
    Entry &entry = layers[index];
    entry.exchanges.assign(numCodes * numCodes, -1);
    for (Splits &splits : costs.getStrategies(layer, segments)) {
      Splits value = getValueSplits(layer, splits);
      Strategy strategy = {splits, encode(value), {}, 0, 0};
      strategy.seconds = costs.getComputeTime(layer, splits) +
                         costs.getSumTime(layer, splits) +
                         costs.getPathsTime(layer, splits);
      if (layer.isResult)
        strategy.seconds += costs.getExchangeTime(layer, value, whole);
      strategy.bytes = getWeightBytes(layer, costs.getMesh(), splits);
      for (const Operand &operand : layer.operands) {
        strategy.needed.push_back(
            encode(getOperandSplits(layer, operand, splits)));
        // Of those that a pair of layers can have.
        Entry &source = layers[operand.layer];
        source.lastUse = index;
        for (const Strategy &other : source.strategies) {
          double &seconds =
              source.exchanges[other.value * numCodes + strategy.needed.back()];
          if (seconds < 0)
            seconds = costs.getExchangeTime(
                model.layers[operand.layer], decode(other.value, axes),
                decode(strategy.needed.back(), axes));
        }
      }
      entry.strategies.push_back(std::move(strategy));
    }
  }
}

//===----------------------------------------------------------------------===//
// The programme
//===----------------------------------------------------------------------===//

Strategies::Strategies(const StrategyTable &table, size_t begin)
    : table(table), begin(begin) {
  states.reserve(table.layers.size() - begin + 1);
  states.push_back({{0, 0, 0, 0, nullptr}});
  values.push_back("");
  for (size_t layer = begin; layer < table.layers.size(); ++layer)
    step(layer);
}

void Strategies::step(size_t index) {
  const StrategyTable::Entry &entry = table.layers[index];
  const std::vector<State> &before = states.back();
  SmallVector<size_t> remaining; // of `live`
  for (auto [i, value] : enumerate(live))
    if (table.layers[value].lastUse > index)
      remaining.push_back(i);
  // Operands among the values, and their exchanges.
  struct Read {
    size_t operand, slot;
    const double *exchanges;
  };
  SmallVector<Read, 4> reads;
  for (auto [i, operand] : enumerate(table.model.layers[index].operands))
    if (operand.layer >= begin)
      reads.push_back({i, size_t(find(live, operand.layer) - live.begin()),
                       table.layers[operand.layer].exchanges.data()});

  // The best state for what remains and the code of the new value, which is
  // left out if nothing reads it. Groups have one state for each code.
  bool isLive = entry.lastUse > index;
  size_t width = isLive ? table.numCodes : 1;
  std::vector<State> found;
  std::vector<std::string> rests; // of groups, which are few
  SmallVector<const double *, 4> exchanges;
  for (auto [number, state] : enumerate(before)) {
    std::string rest;
    rest.reserve(remaining.size() + 1);
    for (size_t slot : remaining)
      rest.push_back(values[number][slot]);
    size_t group = find(rests, rest) - rests.begin();
    if (group == rests.size()) {
      rests.push_back(std::move(rest));
      found.resize(found.size() + width, {kInfinity, 0, 0, 0, nullptr});
    }
    exchanges.clear();
    for (const Read &read : reads)
      exchanges.push_back(read.exchanges +
                          values[number][read.slot] * table.numCodes);
    for (const StrategyTable::Strategy &strategy : entry.strategies) {
      double seconds = strategy.seconds;
      for (auto [read, row] : zip_equal(reads, exchanges))
        seconds += row[strategy.needed[read.operand]];
      double cost = state.cost + seconds + table.price * strategy.bytes;
      State &best = found[group * width + (isLive ? strategy.value : 0)];
      if (cost >= best.cost)
        continue;
      best.cost = cost;
      best.seconds = state.seconds + seconds;
      best.bytes = state.bytes + strategy.bytes;
      best.before = number;
      best.strategy = &strategy;
    }
  }
  std::vector<size_t> kept;
  kept.reserve(found.size());
  for (auto [i, state] : enumerate(found))
    if (state.strategy)
      kept.push_back(i);
  if (kept.size() > kMaxStates) {
    auto isCheaper = [&](size_t lhs, size_t rhs) {
      return found[lhs].cost < found[rhs].cost;
    };
    std::nth_element(kept.begin(), kept.begin() + kMaxStates, kept.end(),
                     isCheaper);
    kept.resize(kMaxStates);
  }
  values.clear();
  std::vector<State> &after = states.emplace_back();
  after.reserve(kept.size());
  for (size_t i : kept) {
    after.push_back(found[i]);
    values.push_back(rests[i / width]);
    if (isLive)
      values.back().push_back(char(found[i].strategy->value));
  }

  std::vector<size_t> next;
  for (size_t slot : remaining)
    next.push_back(live[slot]);
  if (isLive)
    next.push_back(index);
  live = std::move(next);
}

const Strategies::State *Strategies::getBest(size_t end) const {
  const State *best = nullptr;
  for (const State &state : states[end - begin])
    if (state.bytes <= table.memoryBytes && (!best || state.cost < best->cost))
      best = &state;
  return best;
}

double Strategies::getTime(size_t end) const {
  const State *best = getBest(end);
  return best ? best->seconds : kInfinity;
}

void Strategies::getSplits(size_t end, std::vector<Splits> &splits) const {
  const State *state = getBest(end);
  for (size_t layer = end; layer-- > begin;) {
    splits[layer] = state->strategy->splits;
    state = &states[layer - begin][state->before];
  }
}
