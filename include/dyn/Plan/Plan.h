//===- Plan.h - The ranks, stages and splits of a model -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PLAN_PLAN_H
#define DYN_PLAN_PLAN_H

#include "dyn/Plan/Layout.h"

namespace dyn::plan {

struct PlanOptions {
  /// Parts of the rows that go through the stages one after another; 0 to
  /// choose.
  int64_t microBatches = 0;
  /// Stages, at most; 0 for as many as there are ranks.
  size_t maxStages = 0;
  /// Segments in which sums are computed, so that ranks can divide them, which
  /// gives other bits; 0 to leave sums whole.
  int64_t segments = 0;
};

/// The layers [begin, end) on the ranks of a mesh.
struct Stage {
  size_t begin, end;
  Mesh mesh;
  /// Of a micro-batch.
  double seconds = 0;
  /// Of a rank: its weights, and values that live at the same time.
  double weightBytes = 0, valueBytes = 0;
};

struct Plan {
  std::vector<Stage> stages;
  /// Of each layer, for the axes of the mesh of its stage.
  std::vector<Splits> splits;
  /// Of each layer that is divided by paths, the rank of each of them in its
  /// stage. The search leaves it to its caller, and counts as if loads could be
  /// divided evenly.
  std::vector<llvm::SmallVector<int64_t>> placement;
  int64_t microBatches = 1;
  /// By the costs that the search compares; a simulation knows more.
  double seconds = 0;

  /// The stage of a layer.
  size_t getStage(size_t layer) const;
};

/// The messages after which the ranks of all other stages have a result, which
/// those of its own have.
llvm::SmallVector<Message> getResultMessages(const Model &model,
                                             const Plan &plan, size_t layer);

/// Searches for the fastest plan. Fails if the weights fit no ranks.
llvm::Expected<Plan> makePlan(const Model &model, const Machine &machine,
                              const PlanOptions &options);

} // namespace dyn::plan

#endif // DYN_PLAN_PLAN_H
