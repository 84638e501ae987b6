//===- StageCosts.h - The time of layers on a mesh ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PLAN_STAGECOSTS_H
#define DYN_PLAN_STAGECOSTS_H

#include "dyn/Plan/Paths.h"

#include <map>

namespace dyn::plan {

/// The splits that a layer needs an operand to have, and those of its value.
Splits getOperandSplits(const Layer &layer, const Operand &operand,
                        llvm::ArrayRef<Split> splits);
Splits getValueSplits(const Layer &layer, llvm::ArrayRef<Split> splits);

/// Whether the sums of a layer can be computed in equal segments.
bool hasSegments(const Layer &layer, int64_t segments);

/// Whether each path of a layer is computed by one rank.
inline bool isByPaths(llvm::ArrayRef<Split> splits) {
  return !splits.empty() && splits.front() == Split::Paths;
}

/// The bytes of the weights that a rank holds of a layer, at most. `placement`
/// is that of its paths, if known.
double getWeightBytes(const Layer &layer, const Mesh &mesh,
                      llvm::ArrayRef<Split> splits,
                      llvm::ArrayRef<int64_t> placement = {});

/// The costs of the layers of a model on one mesh, for one of `microBatches`
/// parts of the rows.
class StageCosts {
public:
  StageCosts(const Model &model, const Machine &machine, Mesh mesh,
             int64_t microBatches)
      : model(model), machine(machine), mesh(std::move(mesh)),
        microBatches(microBatches) {}

  const Model &getModel() const { return model; }
  const Machine &getMachine() const { return machine; }
  const Mesh &getMesh() const { return mesh; }

  /// The ways to divide a layer: those that the user gives, or all that it
  /// allows. Ranks can divide sums of `segments`.
  std::vector<Splits> getStrategies(const Layer &layer, int64_t segments) const;
  /// The value of a micro-batch.
  Value getValue(const Layer &layer) const;
  /// The shares of ranks of a layer that is divided by paths.
  llvm::SmallVector<PathShare>
  getPathShares(const Layer &layer,
                llvm::ArrayRef<int64_t> placement = {}) const;
  /// The seconds that a path takes in a micro-batch.
  double getPathTime(const Layer &layer, const Path &path) const;
  /// The seconds of a rank's paths, and of all else that it computes of rows.
  double getComputeTime(const Layer &layer, const PathShare &share) const;
  /// The messages of an exchange of routes for a micro-batch.
  llvm::SmallVector<Message> getPathMessages(
      const Layer &layer, llvm::ArrayRef<PathShare> shares, RowsMove move,
      int64_t receivers = std::numeric_limits<int64_t>::max()) const;
  /// The seconds of the exchanges of routes.
  double getPathsTime(const Layer &layer, llvm::ArrayRef<Split> splits) const;
  /// The seconds in which the slowest rank computes a layer.
  double getComputeTime(const Layer &layer, llvm::ArrayRef<Split> splits) const;
  /// The seconds of the exchange that changes the splits of a layer's value,
  /// and after it. Ranks have inputs of the model in full.
  double getExchangeTime(const Layer &layer, llvm::ArrayRef<Split> from,
                         llvm::ArrayRef<Split> to);
  /// The seconds in which a rank puts columns from others into rows.
  double getArrangeTime(const Layer &layer, llvm::ArrayRef<Split> from,
                        llvm::ArrayRef<Split> to) const;
  /// The seconds of the exchanges of a layer that is divided by the sum.
  double getSumTime(const Layer &layer, llvm::ArrayRef<Split> splits) const;
  /// The seconds of the layers [begin, end) with the splits of each layer of
  /// the model, without what they get from others.
  double getTime(size_t begin, size_t end, llvm::ArrayRef<Splits> splits);

private:
  /// The part of the rows of a layer that a micro-batch has.
  double getPart(const Layer &layer) const;

  const Model &model;
  const Machine &machine;
  Mesh mesh;
  int64_t microBatches;
  using Key = std::tuple<int64_t, int64_t, Splits, Splits>;
  /// Messages for a value of one byte, whose time is a latency and a rate.
  std::map<Key, std::pair<double, double>> exchanges;
};

} // namespace dyn::plan

#endif // DYN_PLAN_STAGECOSTS_H
