//===- Unroll.cpp - Loops that are unrolled when a model is imported ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unroll.h"
#include "../Sequence.h"
#include "Body.h"

#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The maximum number of nodes that a loop may become.
static constexpr int64_t kMaxUnrolled = 4096;

/// Nodes of a graph and of those within it.
static int64_t countNodes(const Graph &graph) {
  int64_t number = graph.nodes.size();
  for (const Node &node : graph.nodes)
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.g)
        number += countNodes(*attribute.g);
  return number;
}

/// A scalar that is a compile-time constant.
static std::optional<int64_t> getKnown(OpContext &c, Value value) {
  if (!isSequence(value))
    if (auto known = c.e.constants(value); known && known->size() == 1)
      return known->front();
  return std::nullopt;
}

/// As `unrollLoop`, at the insertion point.
static LogicalResult unroll(OpContext &c, const Graph &body) {
  Emitter &e = c.e;
  std::optional<int64_t> trips = std::numeric_limits<int64_t>::max(), goes = 1;
  if (c.has(1))
    goes = getKnown(c, c.in(1));
  if (c.has(0))
    trips = getKnown(c, c.in(0));
  SmallVector<Value> carried(c.allInputs().drop_front(2));
  int64_t most = kMaxUnrolled / std::max<int64_t>(1, countNodes(body));
  if (!trips || !goes || (c.has(0) && *trips > most) ||
      c.numOutputs() < carried.size())
    return failure();

  SmallVector<SmallVector<Value>> scans(c.numOutputs() - carried.size());
  for (int64_t step = 0; *goes && step < *trips; ++step) {
    if (step == most)
      return failure();
    SmallVector<Value> inputs{e.constantInt(e.builder.getI64Type(), step),
                              e.constantInt(e.builder.getI1Type(), 1)};
    inputs.append(carried);
    SmallVector<Value> outputs;
    if (failed(importGraph(c, body, inputs, outputs)) ||
        outputs.size() != 1 + c.numOutputs())
      return failure();
    goes = getKnown(c, outputs.front());
    if (!goes)
      return failure();
    ArrayRef<Value> given = ArrayRef<Value>(outputs).drop_front();
    carried.assign(given.begin(), given.begin() + carried.size());
    given = given.drop_front(carried.size());
    if (llvm::any_of(given, isSequence))
      return failure();
    for (auto [scan, value] : llvm::zip_equal(scans, given))
      scan.push_back(e.unsqueeze(value, {0}));
  }

  for (auto [i, value] : llvm::enumerate(carried))
    c.out(i, value);
  for (auto [i, scan] : llvm::enumerate(scans)) {
    if (scan.empty())
      return failure();
    c.out(carried.size() + i, e.concat(scan, 0));
  }
  return success();
}

LogicalResult onnx::unrollLoop(OpContext &c, const Graph &graph) {
  Trial trial;
  Body body(c, {});
  if (failed(c.importer.attempt(trial, [&] {
        return body.fill([&] { return unroll(c, graph); });
      }))) {
    c.clearOutputs();
    return failure();
  }
  c.importer.settle(trial);
  OpBuilder &builder = c.e.builder;
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.block->getOperations());
  return success();
}
