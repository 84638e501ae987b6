//===- Probes.cpp - Observers of probes -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Probes have no results. An observer of a run is called, at both levels, with
// the same paths of the same cells.

#include "Evaluator.h"

using namespace mlir;
using namespace dyn;

/// Calls the observer with the paths of cells whose rows are `seats`; line i
/// is of cell `getCell(i)`.
static void show(StringRef key, ArrayRef<int64_t> offsets,
                 ArrayRef<int64_t> seats, int64_t choices,
                 llvm::function_ref<int64_t(int64_t)> getCell,
                 Evaluator &state) {
  if (!state.getOptions().observeRoutes)
    return;
  std::vector<int64_t> paths(seats.size(), -1);
  for (size_t i = 0; i != seats.size(); ++i)
    if (seats[i] >= 0) {
      int64_t path = llvm::upper_bound(offsets, seats[i]) - offsets.begin() - 1;
      paths[getCell(i / choices) * choices + i % choices] = path;
    }
  state.getOptions().observeRoutes(key, paths, choices);
}

template <> LogicalResult dyn::evaluate(cell::ProbeOp op, Evaluator &state) {
  const Routes &routes = state.getRoutes(op.getRoutes());
  show(
      op.getKey(), routes.choices.offsets, routes.choices.seats, routes.perCell,
      [](int64_t i) { return i; }, state);
  return success();
}

template <> LogicalResult dyn::evaluate(dhlo::ProbeOp op, Evaluator &state) {
  const Tensor &seats = state.get(op.getSeats());
  auto getCell = [&](int64_t i) {
    return op.getOrder() ? state.get(op.getOrder()).getInt(i) : i;
  };
  show(op.getKey(), state.get(op.getOffsets()).getData<int64_t>(),
       seats.getData<int64_t>(), seats.getSize(1), getCell, state);
  return success();
}

/// Guesses are made, unless an error may be theirs, and nobody counts.
template <> LogicalResult dyn::evaluate(dhlo::GuessOp op, Evaluator &state) {
  state.bindDim(op.getSymbolAttr().getAttr(), state.mayGuess);
  state.hasGuessed |= state.mayGuess;
  return success();
}

template <> LogicalResult dyn::evaluate(dhlo::GuessedOp, Evaluator &) {
  return success();
}
