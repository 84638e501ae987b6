//===- Strategies.h - The best way to divide each layer -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A dynamic programme over the layers in their order. A state says how each
// value is divided that layers to come read; of two ways to one state the
// cheaper is kept. So a chain has as many states as ways to divide a value, and
// a residual connection their square. The best of very many states are kept,
// which is exact below.

#ifndef DYN_PLAN_STRATEGIES_H
#define DYN_PLAN_STRATEGIES_H

#include "dyn/Plan/StageCosts.h"

namespace dyn::plan {

/// States of which all are kept.
constexpr size_t kMaxStates = 32;

/// The costs of all strategies of all layers on a mesh. Splits have numbers.
class StrategyTable {
public:
  /// `price` are seconds that a byte of weights counts as, so that ranks with
  /// little memory divide more.
  StrategyTable(StageCosts &costs, int64_t segments, double price);

private:
  friend class Strategies;
  using Code = uint8_t;

  struct Strategy {
    Splits splits;
    Code value;
    /// Of each operand.
    llvm::SmallVector<Code, 2> needed;
    double seconds, bytes;
  };
  struct Entry {
    std::vector<Strategy> strategies;
    /// The last layer that reads the value.
    size_t lastUse = 0;
    /// Of the exchanges of the value, by codes before and after.
    std::vector<double> exchanges;
  };

  const Model &model;
  double memoryBytes, price;
  size_t numCodes = 1;
  std::vector<Entry> layers;
};

/// The best strategies for the layers from one on, up to each other one.
class Strategies {
public:
  Strategies(const StrategyTable &table, size_t begin);

  /// The seconds of the layers up to `end` if weights fit the memory of a rank;
  /// infinite if they do not.
  double getTime(size_t end) const;
  /// The splits of these layers, each at its index in the model.
  void getSplits(size_t end, std::vector<Splits> &splits) const;

private:
  using Code = StrategyTable::Code;

  struct State {
    double cost, seconds, bytes;
    size_t before;
    const StrategyTable::Strategy *strategy;
  };

  void step(size_t layer);
  const State *getBest(size_t end) const;

  const StrategyTable &table;
  size_t begin;
  /// The values that are still read after the last layer, in the order of
  /// layers, and their codes in each of its states.
  std::vector<size_t> live;
  std::vector<std::string> values;
  /// After each layer.
  std::vector<std::vector<State>> states;
};

} // namespace dyn::plan

#endif // DYN_PLAN_STRATEGIES_H
