//===- Models.h - Small models and machines for tests of plans ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_PLAN_MODELS_H
#define DYN_TEST_UNIT_PLAN_MODELS_H

#include "dyn/Plan/Layout.h"

namespace dyn::plan {

inline Machine makeMachine(int64_t ranks, double bytesPerSecond,
                           double latency) {
  Machine machine;
  machine.ranks = ranks;
  machine.flops = 1e11;
  machine.bytesPerSecond = 2e10;
  machine.memoryBytes = 1e12;
  machine.kernelSeconds = 1e-6;
  machine.links = {{1, bytesPerSecond, latency}};
  return machine;
}

inline Layer makeInput(int64_t rows, int64_t columns) {
  Layer layer;
  layer.name = "x";
  layer.value = {rows, columns, 4.0 * rows * columns};
  layer.isInput = true;
  return layer;
}

inline Layer makeMatmul(size_t operand, int64_t rows, int64_t inner,
                        int64_t columns) {
  Layer layer;
  layer.name = "matmul";
  layer.value = {rows, columns, 4.0 * rows * columns};
  layer.operations = 2.0 * rows * inner * columns;
  layer.weightBytes = 4.0 * inner * columns;
  layer.isMatmul = layer.hasSum = true;
  layer.terms = inner;
  layer.operands = {{operand}};
  return layer;
}

/// A layer that mixes columns, such as a normalisation.
inline Layer makeNorm(std::initializer_list<size_t> operands, int64_t rows,
                      int64_t columns) {
  Layer layer;
  layer.name = "norm";
  layer.value = {rows, columns, 4.0 * rows * columns};
  layer.operations = 6.0 * rows * columns;
  layer.hasColumns = false;
  for (size_t operand : operands)
    layer.operands.push_back({operand});
  return layer;
}

/// `blocks` of two matmuls with a residual connection and a norm.
inline Model makeMlp(int64_t blocks, int64_t rows, int64_t width) {
  Model model;
  model.batch = rows;
  model.layers.push_back(makeInput(rows, width));
  for (int64_t i = 0; i < blocks; ++i) {
    size_t x = model.layers.size() - 1;
    model.layers.push_back(makeMatmul(x, rows, width, 4 * width));
    model.layers.push_back(makeMatmul(x + 1, rows, 4 * width, width));
    model.layers.push_back(makeNorm({x, x + 2}, rows, width));
  }
  model.layers.back().isResult = true;
  return model;
}

} // namespace dyn::plan

#endif // DYN_TEST_UNIT_PLAN_MODELS_H
