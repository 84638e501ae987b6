//===- Control.cpp - Control flow of ONNX
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../GraphImporter.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

/// The graph of an attribute; null, with an error, if there is none.
const Graph *getGraph(OpContext &c, StringRef name) {
  const NodeAttribute *attribute = c.attr(name);
  if (attribute && attribute->g)
    return attribute->g.get();
  (void)c.error("expected a graph as '" + name + "'");
  return nullptr;
}

/// A region that is filled before its operation is made, as the operation's
/// types follow from what is in it.
class Body {
public:
  Body(OpContext &c, TypeRange types) : c(c) {
    OpBuilder::InsertionGuard guard(c.e.builder);
    SmallVector<Location> locs(types.size(), c.e.loc);
    block = c.e.builder.createBlock(&region, {}, types, locs);
  }
  ~Body() {
    // Answers about erased values are not to be remembered.
    if (!region.empty())
      c.e.forget();
  }

  /// Runs `fn` with the insertion point at the end of the block.
  template <typename Fn> auto fill(Fn fn) {
    OpBuilder::InsertionGuard guard(c.e.builder);
    c.e.builder.setInsertionPointToEnd(block);
    return fn();
  }
  LogicalResult import(const Graph &graph, ArrayRef<Value> inputs,
                       SmallVectorImpl<Value> &outputs) {
    return fill([&] {
      return c.importer.importSubgraph(graph, c.scope, inputs, outputs);
    });
  }
  void yield(ValueRange values) {
    fill([&] { return dhlo::YieldOp::create(c.e.builder, c.e.loc, values); });
  }
  /// Whether a size has a value outside too.
  bool isVisible(DimExpr size) {
    llvm::DenseSet<StringAttr> inner;
    region.walk([&](dhlo::BindsDims op) {
      for (StringAttr name : op.getBoundDims())
        inner.insert(name);
    });
    bool visible = true;
    dhlo::walkSymbols(c.e.dims.expand(size), [&](StringAttr name) {
      visible &= !inner.contains(name) && !hidden.contains(name);
    });
    return visible;
  }

  OpContext &c;
  Region region;
  Block *block;
  /// Symbols of the region's own.
  llvm::DenseSet<StringAttr> hidden;
};

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
  SmallVector<Value> thenValues, elseValues;
  if (auto known = e.constants(condition)) {
    // One branch alone can run.
    const Graph &graph = known->front() ? *thenGraph : *elseGraph;
    if (failed(c.importer.importSubgraph(graph, c.scope, {}, thenValues)))
      return c.error("a branch cannot be imported");
    for (auto [i, value] : llvm::enumerate(thenValues))
      c.out(i, value);
    return success();
  }
  Body thenBody(c, {}), elseBody(c, {});
  if (failed(thenBody.import(*thenGraph, {}, thenValues)) ||
      failed(elseBody.import(*elseGraph, {}, elseValues)))
    return c.error("a branch cannot be imported");
  if (thenValues.size() != elseValues.size() ||
      thenValues.size() != c.numOutputs())
    return c.error("expected branches with as many outputs as the node");

  Sizes binds, thenDims, elseDims;
  SmallVector<Type> types;
  for (auto [a, b] : llvm::zip_equal(thenValues, elseValues)) {
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
  thenBody.yield(thenValues);
  elseBody.yield(elseValues);
  auto op = dhlo::IfOp::create(e.builder, e.loc, types, condition,
                               toSymbols(c, binds), toExprs(c, thenDims),
                               toExprs(c, elseDims));
  op.getThenRegion().takeBody(thenBody.region);
  op.getElseRegion().takeBody(elseBody.region);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    c.out(i, result);
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
    return c.error("the body cannot be imported");
  if (outputs.size() < 1 + inits.size() || outputs.size() - 1 != c.numOutputs())
    return c.error("expected a body that gives a condition, " +
                   Twine(inits.size()) + " carried values and the scans");
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
  return graph ? LoopImporter(c, *graph).run() : failure();
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

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

LogicalResult importScan(OpContext &c) {
  Emitter &e = c.e;
  const Graph *graph = getGraph(c, "body");
  int64_t scans = c.getInt("num_scan_inputs", 0);
  if (!graph || scans < 1 || scans > c.numInputs())
    return c.error("expected a body and num_scan_inputs of at least 1");
  size_t states = c.numInputs() - scans;
  if (c.numOutputs() < states)
    return c.error("expected at least as many outputs as states");
  size_t collected = c.numOutputs() - states;
  auto inAxes = getList(c, "scan_input_axes", scans);
  auto inDirections = getList(c, "scan_input_directions", scans);
  auto outAxes = getList(c, "scan_output_axes", collected);
  auto outDirections = getList(c, "scan_output_directions", collected);
  if (!inAxes || !inDirections || !outAxes || !outDirections)
    return failure();

  // Scanned axes come first, in the order of the steps.
  auto moveAxis = [&](Value x, int64_t from, int64_t to) {
    SmallVector<int64_t> permutation;
    for (int64_t i = 0; i < e.rank(x); ++i)
      if (i != from)
        permutation.push_back(i);
    permutation.insert(permutation.begin() + to, from);
    return e.transpose(x, permutation);
  };
  SmallVector<Value> inits, sequences;
  SmallVector<Type> types{RankedTensorType::get({}, e.builder.getI64Type())};
  for (size_t i = 0; i < states; ++i) {
    Value init = c.in(i);
    if (!init)
      return failure();
    inits.push_back(init);
    types.push_back(init.getType());
  }
  for (int64_t i = 0; i < scans; ++i) {
    Value x = c.in(states + i);
    if (!x)
      return failure();
    auto axis = e.axis((*inAxes)[i], e.rank(x));
    if (!axis)
      return failure();
    x = moveAxis(x, *axis, 0);
    sequences.push_back((*inDirections)[i] ? e.reverse(x, {0}) : x);
  }
  DimExpr steps = e.dim(sequences.front(), 0);
  Body body(c, types);
  Value at = body.block->getArgument(0);
  SmallVector<Value> inputs(body.block->args_begin() + 1,
                            body.block->args_end());
  SmallVector<Value> outputs;
  body.fill([&] {
    for (Value x : sequences)
      inputs.push_back(e.gather(x, at, 0));
  });
  if (failed(body.import(*graph, inputs, outputs)))
    return c.error("the body cannot be imported");
  if (outputs.size() != c.numOutputs())
    return c.error("expected a body with as many outputs as the node");
  Value number = e.fromSize(steps);
  SmallVector<Value> carried{e.constantInt(e.builder.getI64Type(), 0)};
  carried.append(inits);
  SmallVector<Value> yielded;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Value output = outputs[i];
    if (i < states) {
      if (output.getType() != inits[i].getType()) {
        if (e.rank(output) != e.rank(inits[i]) ||
            e.elementType(output) != e.elementType(inits[i]))
          return c.error("expected states that keep their ranks and element "
                         "types");
        // A state's sizes stay, by the operator's definition; where that does
        // not follow from the body it is checked when it runs.
        for (auto [now, then] :
             llvm::zip_equal(e.sizes(output), e.sizes(inits[i])))
          if (now.isConst() && then.isConst() && now != then)
            return c.error("a state whose size changes is not supported");
        output =
            body.fill([&] { return e.broadcastTo(output, e.sizes(inits[i])); });
        if (!output)
          return failure();
      }
      yielded.push_back(output);
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
    Value step = e.add(at, 1.0);
    yielded.insert(yielded.begin(),
                   {e.compare(CompareDirection::LT, step, number), step});
  });
  body.yield(yielded);
  ArrayAttr none = e.builder.getArrayAttr({});
  Value enter = e.compare(CompareDirection::GT, number, 0.0);
  auto loop = dhlo::WhileOp::create(e.builder, e.loc, types, enter, carried,
                                    none, none, none, none);
  loop.getBody().takeBody(body.region);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Value result = loop->getResult(i + 1);
    if (i >= states) {
      if ((*outDirections)[i - states])
        result = e.reverse(result, {0});
      auto axis = e.axis((*outAxes)[i - states], e.rank(result));
      if (!axis)
        return failure();
      result = moveAxis(result, 0, *axis);
    }
    c.out(i, result);
  }
  return success();
}

} // namespace

void onnx::registerControl(OpRegistry &r) {
  r.add("If", 1, importIf);
  r.add("Loop", 1, importLoop);
  r.add("Scan", 9, importScan);
}
