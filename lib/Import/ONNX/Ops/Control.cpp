//===- Control.cpp - Control flow of ONNX
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Sequence.h"
#include "Body.h"
#include "Unroll.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

ArrayAttr toExprs(OpContext &c, ArrayRef<DimExpr> exprs) {
  SmallVector<mlir::Attribute> attrs(exprs.begin(), exprs.end());
  return c.e.builder.getArrayAttr(attrs);
}

ArrayAttr toSymbols(OpContext &c, ArrayRef<DimExpr> symbols) {
  SmallVector<mlir::Attribute> attrs;
  for (DimExpr symbol : symbols)
    attrs.push_back(FlatSymbolRefAttr::get(symbol.getName()));
  return c.e.builder.getArrayAttr(attrs);
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

LogicalResult importIf(OpContext &c) {
  Emitter &e = c.e;
  Value condition = c.in(0);
  const Graph *thenGraph = getGraph(c, "then_branch");
  const Graph *elseGraph = getGraph(c, "else_branch");
  if (!condition || !thenGraph || !elseGraph)
    return failure();
  condition = e.reshape(condition, {});
  if (!condition)
    return failure();
  SmallVector<Value> thenValues, elseValues;
  if (auto known = e.constants(condition)) {
    // One branch alone can run.
    const Graph &graph = known->front() ? *thenGraph : *elseGraph;
    if (failed(importGraph(c, graph, {}, thenValues)))
      return failure();
    for (auto [i, value] : llvm::enumerate(thenValues))
      c.out(i, value);
    return success();
  }
  Body thenBody(c, {}), elseBody(c, {});
  if (failed(thenBody.import(*thenGraph, {}, thenValues)) ||
      failed(elseBody.import(*elseGraph, {}, elseValues)))
    return failure();
  if (thenValues.size() != elseValues.size() ||
      thenValues.size() != c.numOutputs())
    return c.error("expected branches with as many outputs as the node");
  // Sequences leave a branch tensor by tensor.
  SmallVector<Value> thenTensors, elseTensors;
  for (auto [a, b] : llvm::zip_equal(thenValues, elseValues)) {
    SmallVector<Value> left = getTensors(a), right = getTensors(b);
    if (isSequence(a) != isSequence(b) || left.size() != right.size())
      return c.error("expected branches that give sequences of equal length");
    thenTensors.append(left);
    elseTensors.append(right);
  }

  Sizes binds, thenDims, elseDims;
  SmallVector<Type> types;
  for (auto [a, b] : llvm::zip_equal(thenTensors, elseTensors)) {
    if (e.rank(a) != e.rank(b) || e.elementType(a) != e.elementType(b))
      return c.error("expected branches that give tensors of equal rank and "
                     "element type");
    Sizes sizes;
    for (auto [l, r] : llvm::zip_equal(e.sizes(a), e.sizes(b))) {
      if (e.dims.isEqual(l, r) && thenBody.isVisible(l)) {
        sizes.push_back(l);
        continue;
      }
      if (e.dims.isEqual(l, r) && elseBody.isVisible(r)) {
        sizes.push_back(r);
        continue;
      }
      DimExpr left = e.dims.expand(l), right = e.dims.expand(r);
      size_t i = 0;
      while (i < binds.size() && (thenDims[i] != left || elseDims[i] != right))
        ++i;
      if (i == binds.size()) {
        binds.push_back(e.dims.createSymbol("if"));
        thenDims.push_back(left);
        elseDims.push_back(right);
      }
      sizes.push_back(binds[i]);
    }
    types.push_back(e.type(sizes, e.elementType(a)));
  }
  thenBody.yield(thenTensors);
  elseBody.yield(elseTensors);
  auto op = dhlo::IfOp::create(e.builder, e.loc, types, condition,
                               toSymbols(c, binds), toExprs(c, thenDims),
                               toExprs(c, elseDims));
  op.getThenRegion().takeBody(thenBody.region);
  op.getElseRegion().takeBody(elseBody.region);
  SmallVector<Value> results(op.getResults());
  ArrayRef<Value> rest = results;
  for (auto [i, value] : llvm::enumerate(thenValues)) {
    ArrayRef<Value> own = rest.take_front(getTensors(value).size());
    c.out(i, isSequence(value) ? makeSequence(c, own) : own.front());
    rest = rest.drop_front(own.size());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// A size of a carried value that changes from one iteration to the next.
struct ChangingDim {
  unsigned value;
  int64_t axis;
  /// Its name inside, and after the loop.
  DimExpr symbol, result;
};

class LoopImporter {
public:
  LoopImporter(OpContext &c, const Graph &graph) : c(c), e(c.e), graph(graph) {}

  LogicalResult run();

private:
  /// Imports the body with the changing sizes known so far; finds new ones.
  LogicalResult importBody();
  bool isChanging(unsigned value, int64_t axis) const {
    return llvm::any_of(changing, [&](const ChangingDim &dim) {
      return dim.value == value && dim.axis == axis;
    });
  }
  LogicalResult addScanOutputs();
  LogicalResult emit();

  OpContext &c;
  Emitter &e;
  const Graph &graph;
  Value trips, condition;
  SmallVector<Value> inits;
  SmallVector<ChangingDim> changing;
  bool foundChange = false;

  std::unique_ptr<Body> body;
  /// What the body gives: the condition, the carried values, the scans.
  SmallVector<Value> outputs;
  /// Scan outputs as states after the carried values.
  SmallVector<Value> scanInits, scanNexts;
  DimExpr scanLength, scanResult;
};

LogicalResult LoopImporter::importBody() {
  foundChange = false;
  outputs.clear();
  SmallVector<Type> types{RankedTensorType::get({}, e.builder.getI64Type())};
  for (auto [i, init] : llvm::enumerate(inits)) {
    Sizes sizes = e.sizes(init);
    for (const ChangingDim &dim : changing)
      if (dim.value == i)
        sizes[dim.axis] = dim.symbol;
    types.push_back(e.type(sizes, e.elementType(init)));
  }
  body = std::make_unique<Body>(c, types);
  for (const ChangingDim &dim : changing)
    body->hidden.insert(dim.symbol.getName());
  Value isTrue =
      body->fill([&] { return e.constantInt(e.builder.getI1Type(), 1); });
  SmallVector<Value> inputs{body->block->getArgument(0), isTrue};
  inputs.append(body->block->args_begin() + 1, body->block->args_end());
  if (failed(body->import(graph, inputs, outputs)))
    return failure();
  if (outputs.size() < 1 + inits.size() || outputs.size() - 1 != c.numOutputs())
    return c.error("expected a body that gives a condition, " +
                   Twine(inits.size()) + " carried values and the scans");
  if (failed(expectTensors(c, outputs)))
    return failure();
  for (unsigned i = 0; i < inits.size(); ++i) {
    Value next = outputs[1 + i], now = body->block->getArgument(1 + i);
    if (e.rank(next) != e.rank(now) ||
        e.elementType(next) != e.elementType(now))
      return c.error("expected carried value " + Twine(i) +
                     " to keep its rank and element type");
    for (int64_t axis = 0; axis < e.rank(now); ++axis) {
      if (isChanging(i, axis) ||
          (e.dims.isEqual(e.dim(next, axis), e.dim(now, axis)) &&
           body->isVisible(e.dim(now, axis))))
        continue;
      changing.push_back(
          {i, axis, e.dims.createSymbol("loop"), e.dims.createSymbol("end")});
      foundChange = true;
    }
  }
  return success();
}

/// Scans are collected in a state: rows of a tensor of the final size if the
/// number of iterations is known, else by concatenation.
LogicalResult LoopImporter::addScanOutputs() {
  DimExpr count;
  if (trips)
    if (auto known = e.elements(trips))
      count = known->front();
  auto isAlways = [&](Value v) {
    auto values = e.constants(v);
    return values && values->size() == 1 && values->front() != 0;
  };
  bool counted =
      count && (!condition || isAlways(condition)) && isAlways(outputs[0]);
  if (counted)
    count = e.dims.expand(dhlo::max(count, e.size(0)));
  for (size_t i = 1 + inits.size(); i < outputs.size(); ++i) {
    Value element = outputs[i];
    Sizes sizes = e.sizes(element);
    for (DimExpr size : sizes)
      if (!body->isVisible(size))
        return c.error("a scan output whose size changes is not supported");
    if (!counted && !scanLength) {
      scanLength = e.dims.createSymbol("scan");
      scanResult = e.dims.createSymbol("scans");
      body->hidden.insert(scanLength.getName());
    }
    Type type = e.elementType(element);
    Sizes initSizes = sizes, stateSizes = sizes;
    initSizes.insert(initSizes.begin(), counted ? count : e.size(0));
    stateSizes.insert(stateSizes.begin(), counted ? count : scanLength);
    scanInits.push_back(e.full(type, 0, initSizes));
    Value state = body->block->addArgument(e.type(stateSizes, type), e.loc);
    scanNexts.push_back(body->fill([&]() -> Value {
      Value row = e.unsqueeze(element, {0});
      if (!counted)
        return e.concat({state, row}, 0);
      Value at = e.reshape(body->block->getArgument(0), e.sizes({1, 1}));
      return dhlo::ScatterNdOp::create(e.builder, e.loc, state.getType(), state,
                                       at, row, dhlo::ScatterKind::Replace);
    }));
  }
  return success();
}

LogicalResult LoopImporter::emit() {
  Type i1 = e.builder.getI1Type(), i64 = e.builder.getI64Type();
  // Whether another iteration runs, at the end of the body.
  SmallVector<Value> yielded = body->fill([&] {
    Value step = e.add(body->block->getArgument(0), 1.0);
    Value again = e.reshape(e.convert(outputs[0], i1), {});
    if (trips)
      again = e.binary<dhlo::AndOp>(
          again, e.compare(CompareDirection::LT, step, trips));
    SmallVector<Value> values{again, step};
    for (unsigned i = 0; i < inits.size(); ++i) {
      // Sizes that stay go by the names that they had.
      Sizes sizes = e.sizes(outputs[1 + i]);
      for (size_t axis = 0; axis < sizes.size(); ++axis)
        if (!isChanging(i, axis))
          sizes[axis] = e.dim(body->block->getArgument(1 + i), axis);
      values.push_back(e.reshape(outputs[1 + i], sizes));
    }
    values.append(scanNexts);
    return values;
  });
  if (llvm::is_contained(yielded, Value()) ||
      llvm::is_contained(scanInits, Value()))
    return failure();

  Sizes loopDims, initDims, nextDims, resultDims;
  SmallVector<Type> types{RankedTensorType::get({}, i64)};
  for (auto [i, init] : llvm::enumerate(inits)) {
    Sizes sizes = e.sizes(init);
    for (const ChangingDim &dim : changing) {
      if (dim.value != i)
        continue;
      loopDims.push_back(dim.symbol);
      initDims.push_back(e.dims.expand(e.dim(init, dim.axis)));
      nextDims.push_back(e.dims.expand(e.dim(outputs[1 + i], dim.axis)));
      resultDims.push_back(dim.result);
      sizes[dim.axis] = dim.result;
    }
    types.push_back(e.type(sizes, e.elementType(init)));
  }
  if (scanLength) {
    loopDims.push_back(scanLength);
    initDims.push_back(e.size(0));
    nextDims.push_back(dhlo::add(scanLength, 1));
    resultDims.push_back(scanResult);
  }
  for (Value init : scanInits) {
    Sizes sizes = e.sizes(init);
    if (scanLength)
      sizes.front() = scanResult;
    types.push_back(e.type(sizes, e.elementType(init)));
  }
  body->yield(yielded);

  Value enter = condition ? e.reshape(condition, {}) : e.constantInt(i1, 1);
  if (trips)
    enter = e.binary<dhlo::AndOp>(enter,
                                  e.compare(CompareDirection::GT, trips, 0.0));
  SmallVector<Value> carried{e.constantInt(i64, 0)};
  carried.append(inits);
  carried.append(scanInits);
  if (!enter)
    return failure();
  auto loop = dhlo::WhileOp::create(
      e.builder, e.loc, types, enter, carried, toSymbols(c, loopDims),
      toExprs(c, initDims), toExprs(c, nextDims), toSymbols(c, resultDims));
  loop.getBody().takeBody(body->region);
  for (unsigned i = 0; i < c.numOutputs(); ++i)
    c.out(i, loop->getResult(i + 1));
  return success();
}

LogicalResult LoopImporter::run() {
  if (c.has(0))
    trips = e.convert(e.reshape(c.in(0), {}), e.builder.getI64Type());
  condition = c.optional(1);
  for (unsigned i = 2; i < c.numInputs(); ++i)
    inits.push_back(c.in(i));
  if (llvm::is_contained(inits, Value()))
    return failure();
  // Each round finds at least one more changing size, or none.
  do {
    if (failed(importBody()))
      return failure();
  } while (foundChange);
  if (failed(addScanOutputs()))
    return failure();
  return emit();
}

LogicalResult importLoop(OpContext &c) {
  const Graph *graph = getGraph(c, "body");
  if (!graph)
    return failure();
  bool carriesSequence =
      llvm::any_of(c.allInputs(), [](Value v) { return v && isSequence(v); });
  return carriesSequence ? importUnrolledLoop(c, *graph)
                         : LoopImporter(c, *graph).run();
}

} // namespace

void onnx::registerControl(OpRegistry &r) {
  r.add("If", 1, importIf);
  r.addWithSequences("Loop", 1, importLoop);
}
