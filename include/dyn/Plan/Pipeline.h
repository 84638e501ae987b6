//===- Pipeline.h - Stages of a pipeline and their ranks ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PipeDream's dynamic programme with the costs of inference. Consecutive parts
// of a model are stages, each with some of the ranks. M micro-batches take
//
//   sum of all stages and transfers + (M - 1) * the longest of these
//
// PipeDream minimises the longest alone, which is the case of large M. Here the
// sum is minimised under bounds of the longest, which grow by steps, so a plan
// is within a step of the best one.

#ifndef DYN_PLAN_PIPELINE_H
#define DYN_PLAN_PIPELINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>

namespace dyn::plan {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The parts [begin, end) on `ranks` ranks.
struct PipelineStage {
  size_t begin, end;
  int64_t ranks;
};

struct PipelineCosts {
  size_t parts;
  int64_t ranks;
  /// Seconds of a micro-batch in the parts [begin, end) on some ranks; infinite
  /// if they cannot.
  llvm::function_ref<double(size_t begin, size_t end, int64_t ranks)> stage;
  /// Seconds from the stage that ends before a part, whose last rank is the
  /// one before `rank`, to the next.
  llvm::function_ref<double(size_t part, int64_t rank)> transfer;
};

/// The seconds of a pipeline.
double getPipelineTime(const PipelineCosts &costs,
                       llvm::ArrayRef<PipelineStage> stages,
                       int64_t microBatches);

/// Stages for all parts, `maxStages` at most, on the ranks or some of them.
/// Empty if there are none.
llvm::SmallVector<PipelineStage> planPipeline(const PipelineCosts &costs,
                                              int64_t microBatches,
                                              size_t maxStages);

} // namespace dyn::plan

#endif // DYN_PLAN_PIPELINE_H
