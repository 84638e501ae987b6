//===- Scan.cpp - Scan of ONNX --------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Sequence.h"
#include "Body.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

/// Returns next states and elements to collect, from states and elements.
using ScanStep = llvm::function_ref<LogicalResult(ArrayRef<Value> inputs,
                                                  SmallVectorImpl<Value> &)>;

/// Axes or directions of a Scan, zeros where not given.
std::optional<SmallVector<int64_t>> getList(OpContext &c, StringRef name,
                                            size_t number) {
  SmallVector<int64_t> values(number, 0);
  if (auto given = c.getInts(name))
    values.assign(given->begin(), given->end());
  if (values.size() == number)
    return values;
  (void)c.error("expected " + Twine(number) + " values in '" + name + "'");
  return std::nullopt;
}

/// The next value of a state, of the state's own sizes.
Value keepSizes(OpContext &c, Value next, Value init) {
  Emitter &e = c.e;
  if (next.getType() == init.getType())
    return next;
  if (e.rank(next) != e.rank(init) ||
      e.elementType(next) != e.elementType(init))
    return e.fail("expected states that keep their ranks and element types");
  // A state's sizes are constant, by the operator's definition; where that does
  // not follow from the body it is checked at run time.
  for (auto [now, then] : llvm::zip_equal(e.sizes(next), e.sizes(init)))
    if (now.isConst() && then.isConst() && now != then)
      return e.fail("a state whose size changes is not supported");
  return e.broadcastTo(next, e.sizes(init));
}

/// Runs `step` along the first axes of `sequences`, `number` times. Returns the
/// last states, and the collected elements in tensors with as many rows as the
/// sequences have, zeros after the last step's.
LogicalResult emitScan(OpContext &c, ArrayRef<Value> inits,
                       ArrayRef<Value> sequences, Value number, ScanStep step,
                       SmallVectorImpl<Value> &results) {
  Emitter &e = c.e;
  if (!number)
    return failure();
  DimExpr steps = e.dim(sequences.front(), 0);
  SmallVector<Value> carried{e.constantInt(e.builder.getI64Type(), 0)};
  carried.append(inits.begin(), inits.end());
  SmallVector<Type> types(ValueRange(carried).getTypes());
  Body body(c, types);
  Value at = body.block->getArgument(0);
  SmallVector<Value> inputs(body.block->args_begin() + 1,
                            body.block->args_end());
  SmallVector<Value> outputs;
  if (failed(body.fill([&] {
        for (Value x : sequences)
          inputs.push_back(e.gather(x, at, 0));
        return step(inputs, outputs);
      })))
    return failure();
  SmallVector<Value> yielded;
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (i < inits.size()) {
      yielded.push_back(
          body.fill([&] { return keepSizes(c, output, inits[i]); }));
      if (!yielded.back())
        return failure();
      continue;
    }
    Sizes sizes = e.sizes(output);
    for (DimExpr size : sizes)
      if (!body.isVisible(size))
        return c.error("a scan output whose size changes is not supported");
    sizes.insert(sizes.begin(), steps);
    Value init = e.full(e.elementType(output), 0, sizes);
    carried.push_back(init);
    types.push_back(init.getType());
    Value state = body.block->addArgument(init.getType(), e.loc);
    yielded.push_back(body.fill([&]() -> Value {
      return dhlo::ScatterNdOp::create(e.builder, e.loc, state.getType(), state,
                                       e.reshape(at, e.sizes({1, 1})),
                                       e.unsqueeze(output, {0}),
                                       dhlo::ScatterKind::Replace);
    }));
  }
  body.fill([&] {
    Value next = e.add(at, 1.0);
    yielded.insert(yielded.begin(),
                   {e.compare(CompareDirection::LT, next, number), next});
  });
  body.yield(yielded);
  ArrayAttr none = e.builder.getArrayAttr({});
  Value enter = e.compare(CompareDirection::GT, number, 0.0);
  auto loop = dhlo::WhileOp::create(e.builder, e.loc, types, enter, carried,
                                    none, none, none, none);
  loop.getBody().takeBody(body.region);
  results.append(loop->result_begin() + 1, loop->result_end());
  return success();
}

/// The parts of a Scan of any version.
struct Scan {
  const Graph *graph;
  SmallVector<Value> states, sequences;
  /// The number of outputs that are collected.
  size_t collected;

  /// Reads the inputs from `first` on.
  bool read(OpContext &c, unsigned first) {
    graph = getGraph(c, "body");
    int64_t scans = c.getInt("num_scan_inputs", 0);
    if (!graph || scans < 1 || scans + first > c.numInputs()) {
      (void)c.error("expected a body and num_scan_inputs of at least 1");
      return false;
    }
    size_t number = c.numInputs() - first - scans;
    if (c.numOutputs() < number) {
      (void)c.error("expected at least as many outputs as states");
      return false;
    }
    collected = c.numOutputs() - number;
    for (unsigned i = first; i < c.numInputs(); ++i) {
      Value x = c.in(i);
      if (!x)
        return false;
      (i < first + number ? states : sequences).push_back(x);
    }
    return true;
  }

  /// One step of the body.
  LogicalResult run(OpContext &c, ArrayRef<Value> inputs,
                    SmallVectorImpl<Value> &outputs) const {
    if (failed(importGraph(c, *graph, inputs, outputs)))
      return failure();
    if (outputs.size() != c.numOutputs())
      return c.error("expected a body with as many outputs as the node");
    return expectTensors(c, outputs);
  }
};

LogicalResult importScan(OpContext &c) {
  Emitter &e = c.e;
  Scan scan;
  if (!scan.read(c, 0))
    return failure();
  auto inAxes = getList(c, "scan_input_axes", scan.sequences.size());
  auto inDirections =
      getList(c, "scan_input_directions", scan.sequences.size());
  auto outAxes = getList(c, "scan_output_axes", scan.collected);
  auto outDirections = getList(c, "scan_output_directions", scan.collected);
  if (!inAxes || !inDirections || !outAxes || !outDirections)
    return failure();
  // Scanned axes come first, in the order of the steps.
  for (auto [i, x] : llvm::enumerate(scan.sequences)) {
    auto axis = e.axis((*inAxes)[i], e.rank(x));
    if (!axis)
      return failure();
    x = e.moveAxis(x, *axis, 0);
    if ((*inDirections)[i])
      x = e.reverse(x, {0});
  }
  Value number = e.fromSize(e.dim(scan.sequences.front(), 0));
  SmallVector<Value> results;
  if (failed(emitScan(
          c, scan.states, scan.sequences, number,
          [&](ArrayRef<Value> inputs, SmallVectorImpl<Value> &outputs) {
            return scan.run(c, inputs, outputs);
          },
          results)))
    return failure();
  for (auto [i, result] : llvm::enumerate(results)) {
    if (i >= scan.states.size()) {
      size_t output = i - scan.states.size();
      if ((*outDirections)[output])
        result = e.reverse(result, {0});
      auto axis = e.axis((*outAxes)[output], e.rank(result));
      if (!axis)
        return failure();
      result = e.moveAxis(result, 0, *axis);
    }
    c.out(i, result);
  }
  return success();
}

/// Opset 8 scans each element of a batch on its own, as many steps as an input
/// says: a scan along the batch, of which each step is a scan.
LogicalResult importBatchedScan(OpContext &c) {
  Emitter &e = c.e;
  Scan scan;
  if (!scan.read(c, 1))
    return failure();
  auto directions = getList(c, "directions", scan.sequences.size());
  if (!directions)
    return failure();
  for (Value x : scan.sequences)
    if (e.rank(x) < 2)
      return c.error("expected inputs with axes of batch and sequence");
  size_t states = scan.states.size();
  SmallVector<Value> batch(scan.states);
  batch.append(scan.sequences);
  if (c.has(0))
    batch.push_back(c.in(0));
  for (Value x : batch)
    if (e.rank(x) < 1)
      return c.error("expected states and lengths with an axis of the batch");
  if (c.has(0) && e.rank(c.in(0)) != 1)
    return c.error("expected one length of each sequence");
  auto scanOne = [&](ArrayRef<Value> inputs, SmallVectorImpl<Value> &outputs) {
    SmallVector<Value> sequences(inputs.slice(states, scan.sequences.size()));
    DimExpr steps = e.dim(sequences.front(), 0);
    Type i64 = e.builder.getI64Type();
    Value number = c.has(0) ? e.convert(inputs.back(), i64) : e.fromSize(steps);
    // Each has its own length, and is reversed within it.
    Value turned = e.maximum(
        e.sub(e.sub(number, 1.0), e.iota(0, {e.dims.expand(steps)}, i64)), 0.0);
    for (auto [sequence, isTurned] : llvm::zip_equal(sequences, *directions))
      if (isTurned)
        sequence = e.gather(sequence, turned, 0);
    return emitScan(
        c, inputs.take_front(states), sequences, number,
        [&](ArrayRef<Value> in, SmallVectorImpl<Value> &out) {
          return scan.run(c, in, out);
        },
        outputs);
  };
  Value number = e.fromSize(e.dim(batch.front(), 0));
  SmallVector<Value> results;
  if (failed(emitScan(c, {}, batch, number, scanOne, results)))
    return failure();
  for (auto [i, result] : llvm::enumerate(results))
    c.out(i, result);
  return success();
}

} // namespace

void onnx::registerScan(OpRegistry &r) {
  r.add("Scan", 8, importBatchedScan);
  r.add("Scan", 9, importScan);
}
