//===- Unroll.cpp - Loops that are unrolled when a model is imported
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unroll.h"
#include "../Sequence.h"
#include "Body.h"

#include "llvm/ADT/Twine.h"

#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

/// A scalar of input or output `value` that is known; nothing, with an error
/// that names it, otherwise.
static std::optional<int64_t> getKnown(OpContext &c, Value value,
                                       StringRef what) {
  if (!isSequence(value))
    if (auto known = c.e.constants(value); known && known->size() == 1)
      return known->front();
  (void)c.error("a loop that carries a sequence needs " + what +
                " that is known when the model is imported");
  return std::nullopt;
}

LogicalResult onnx::importUnrolledLoop(OpContext &c, const Graph &body) {
  Emitter &e = c.e;
  std::optional<int64_t> trips = std::numeric_limits<int64_t>::max(), goes = 1;
  if (c.has(1))
    goes = getKnown(c, c.in(1), "a condition");
  if (c.has(0))
    trips = getKnown(c, c.in(0), "a number of iterations");
  if (!trips || !goes)
    return failure();
  SmallVector<Value> carried;
  for (unsigned i = 2; i < c.numInputs(); ++i)
    carried.push_back(c.in(i));
  if (llvm::is_contained(carried, Value()))
    return failure();
  if (c.numOutputs() < carried.size())
    return c.error("expected at least as many outputs as carried values");

  SmallVector<SmallVector<Value>> scans(c.numOutputs() - carried.size());
  for (int64_t step = 0; *goes && step < *trips; ++step) {
    if (step == kMaxTensors)
      return c.error("expected at most " + Twine(kMaxTensors) + " iterations");
    SmallVector<Value> inputs{e.constantInt(e.builder.getI64Type(), step),
                              e.constantInt(e.builder.getI1Type(), 1)};
    inputs.append(carried);
    SmallVector<Value> outputs;
    if (failed(importGraph(c, body, inputs, outputs)))
      return failure();
    if (outputs.size() != 1 + c.numOutputs())
      return c.error("expected a body that gives a condition, " +
                     Twine(carried.size()) + " carried values and the scans");
    goes = getKnown(c, outputs.front(), "a condition");
    if (!goes)
      return failure();
    ArrayRef<Value> given = ArrayRef<Value>(outputs).drop_front();
    carried.assign(given.begin(), given.begin() + carried.size());
    given = given.drop_front(carried.size());
    if (failed(expectTensors(c, given)))
      return failure();
    for (auto [scan, value] : llvm::zip_equal(scans, given))
      scan.push_back(e.unsqueeze(value, {0}));
  }

  for (auto [i, value] : llvm::enumerate(carried))
    c.out(i, value);
  for (auto [i, scan] : llvm::enumerate(scans)) {
    if (scan.empty())
      return c.error("expected at least one iteration of a loop that carries a "
                     "sequence and collects results");
    c.out(carried.size() + i, e.concat(scan, 0));
  }
  return success();
}
