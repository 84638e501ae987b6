//===- CarriedLoop.cpp - Loops that carry tensors and sequences -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"
#include "../Ragged.h"

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

/// A size of a carried value that changes from one iteration to the next.
struct ChangingDim {
  unsigned value;
  int64_t axis;
  /// Its name inside, and after the loop.
  DimExpr symbol, result;
};

/// A scan output whose elements have sizes that only an iteration knows: they
/// are carried as one concatenated vector, and the last one by itself, whose
/// shape all share.
struct UnsizedScan {
  /// Its index among the body's outputs.
  unsigned output;
  Type type;
  /// Empty: 0 for dynamic sizes.
  Sizes start;
};

class LoopImporter {
public:
  LoopImporter(OpContext &c, const CarriedLoop &loop, Iteration iteration)
      : c(c), e(c.e), iteration(iteration), condition(loop.condition),
        carried(loop.inits), forms(carried.size()) {
    if (loop.trips)
      trips = e.convert(e.reshape(loop.trips, {}), e.builder.getI64Type());
  }

  LogicalResult run();

private:
  /// The tensors that are carried: those of sequences are the parts of ragged
  /// ones, none if the form of an empty one is still unknown.
  LogicalResult makeInits();
  /// A carried value from tensors, which are removed from the front.
  Value takeCarried(unsigned value, ArrayRef<Value> &tensors);
  /// The tensors of the next value; updates the form of sequences.
  LogicalResult addNext(unsigned value, Value next);
  /// Imports the body with the changing sizes known so far; finds new ones.
  LogicalResult importBody();
  /// Finds scan outputs whose elements have sizes of the body's own.
  void findUnsizedScans();
  const UnsizedScan *getUnsized(unsigned output) const {
    const auto *found = llvm::find_if(unsized, [&](const UnsizedScan &scan) {
      return scan.output == output;
    });
    return found == unsized.end() ? nullptr : found;
  }
  bool isChanging(unsigned value, int64_t axis) const {
    return llvm::any_of(changing, [&](const ChangingDim &dim) {
      return dim.value == value && dim.axis == axis;
    });
  }
  /// The number of iterations, if it is known before they run.
  DimExpr getTripCount();
  LogicalResult addScanOutputs();
  LogicalResult emit();

  OpContext &c;
  Emitter &e;
  Iteration iteration;
  Value trips, condition;
  SmallVector<Value> carried;
  /// Of sequences; those without an element type are still unknown.
  SmallVector<Form> forms;
  /// Tensors at entry, and at the end of an iteration.
  SmallVector<Value> inits, nexts;
  SmallVector<ChangingDim> changing;
  SmallVector<UnsizedScan> unsized;
  bool foundChange = false;

  std::unique_ptr<Body> body;
  /// Results of the body: the condition, the carried values, the scans.
  SmallVector<Value> outputs;
  /// Scan outputs as states after the carried values.
  SmallVector<Value> scanInits, scanNexts;
  /// The number of iterations: so far, and after the loop. The latter alone if
  /// it is known before.
  DimExpr scanLength, scanResult;
};

LogicalResult LoopImporter::makeInits() {
  inits.clear();
  for (auto [value, form] : llvm::zip_equal(carried, forms)) {
    if (!isSequence(value)) {
      inits.push_back(value);
      continue;
    }
    if (!form.elementType)
      continue;
    Value sequence = makeRagged(c, toRagged(c, value, form));
    if (!sequence)
      return failure();
    inits.append(getTensors(sequence));
  }
  for (const UnsizedScan &scan : unsized) {
    inits.push_back(e.full(scan.type, 0, {e.size(0)}));
    inits.push_back(e.full(scan.type, 0, scan.start));
  }
  return success(!llvm::is_contained(inits, Value()));
}

void LoopImporter::findUnsizedScans() {
  for (unsigned i = 1 + carried.size(); i < outputs.size(); ++i) {
    Sizes sizes = e.sizes(outputs[i]);
    if (getUnsized(i) || llvm::all_of(sizes, [&](DimExpr size) {
          return body->isVisible(size);
        }))
      continue;
    for (DimExpr &size : sizes)
      if (!body->isVisible(size))
        size = e.size(0);
    unsized.push_back({i, e.elementType(outputs[i]), sizes});
    foundChange = true;
  }
}

Value LoopImporter::takeCarried(unsigned value, ArrayRef<Value> &tensors) {
  auto take = [&] {
    Value first = tensors.front();
    tensors = tensors.drop_front();
    return first;
  };
  if (!isSequence(carried[value]))
    return take();
  if (!forms[value].elementType)
    return makeSequence(c, {});
  Ragged ragged{take(), {}, forms[value].axis};
  if (ragged.axis)
    ragged.lengths = take();
  return makeRagged(c, ragged);
}

LogicalResult LoopImporter::addNext(unsigned value, Value next) {
  if (isSequence(carried[value]) != isSequence(next))
    return c.error("expected carried value " + Twine(value) +
                   " to stay a tensor or a sequence");
  if (!isSequence(next)) {
    nexts.push_back(next);
    return success();
  }
  auto isKept = [&](DimExpr a, DimExpr b) {
    return e.dims.isEqual(a, b) && body->isVisible(a);
  };
  auto given = getForm(e, next);
  auto both = given ? joinForms(forms[value], *given, isKept) : std::nullopt;
  // A size that only an iteration knows differs between iterations.
  if (both)
    both = joinForms(*both, *both, isKept);
  if (!both)
    return failForm(c);
  bool isKnown = forms[value].elementType == both->elementType;
  if (!isKnown || forms[value].axis != both->axis) {
    forms[value] = *both;
    foundChange = true;
    return success();
  }
  if (!both->elementType)
    return success();
  Value sequence = body->fill(
      [&] { return makeRagged(c, toRagged(c, next, forms[value])); });
  if (!sequence)
    return failure();
  nexts.append(getTensors(sequence));
  return success();
}

LogicalResult LoopImporter::importBody() {
  foundChange = false;
  outputs.clear();
  nexts.clear();
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
  LogicalResult done = body->fill([&] {
    SmallVector<Value> inputs{body->block->getArgument(0),
                              e.constantInt(e.builder.getI1Type(), 1)};
    SmallVector<Value> arguments(body->block->args_begin() + 1,
                                 body->block->args_end());
    ArrayRef<Value> rest = arguments;
    for (unsigned i = 0; i < carried.size(); ++i)
      inputs.push_back(takeCarried(i, rest));
    return iteration(inputs, outputs);
  });
  if (failed(done))
    return failure();
  if (outputs.size() < 1 + carried.size() ||
      outputs.size() - 1 != c.numOutputs())
    return c.error("expected a body that gives a condition, " +
                   Twine(carried.size()) + " carried values and the scans");
  if (failed(expectTensors(c, outputs.front())) ||
      failed(
          expectTensors(c, ArrayRef(outputs).drop_front(1 + carried.size()))))
    return failure();
  for (unsigned i = 0; i < carried.size(); ++i)
    if (failed(addNext(i, outputs[1 + i])))
      return failure();
  findUnsizedScans();
  if (foundChange) {
    // Other tensors are carried in this case.
    changing.clear();
    return makeInits();
  }
  for (const UnsizedScan &scan : unsized) {
    Value element = outputs[scan.output];
    Value all = body->block->getArgument(1 + nexts.size());
    nexts.push_back(body->fill([&] {
      DimExpr count = e.dims.expand(e.product(e.sizes(element)));
      return e.concat({all, e.reshape(element, {count})}, 0);
    }));
    nexts.push_back(element);
  }
  if (llvm::is_contained(nexts, Value()))
    return failure();
  for (unsigned i = 0; i < inits.size(); ++i) {
    Value next = nexts[i], now = body->block->getArgument(1 + i);
    if (e.rank(next) != e.rank(now) ||
        e.elementType(next) != e.elementType(now))
      return c.error("expected carried value " + Twine(i) +
                     " to keep its rank and element type");
    for (int64_t axis = 0; axis < e.rank(now); ++axis) {
      if (isChanging(i, axis) ||
          (e.dims.isEqual(e.dim(next, axis), e.dim(now, axis)) &&
           body->isVisible(e.dim(now, axis))))
        continue;
      changing.push_back({i, axis, e.symbols.createSymbol("loop"),
                          e.symbols.createSymbol("end")});
      foundChange = true;
    }
  }
  return success();
}

DimExpr LoopImporter::getTripCount() {
  auto isAlways = [&](Value v) {
    auto values = e.constants(v);
    return values && values->size() == 1 && values->front() != 0;
  };
  auto known = trips ? e.elements(trips) : std::nullopt;
  if (!known || !known->front() || (condition && !isAlways(condition)) ||
      !isAlways(outputs[0]))
    return {};
  return e.dims.expand(dhlo::max(known->front(), e.size(0)));
}

/// Scans are collected in a state: rows of a tensor of the final size if the
/// number of iterations is known, else by concatenation.
LogicalResult LoopImporter::addScanOutputs() {
  if (outputs.size() == 1 + carried.size())
    return success();
  DimExpr count = getTripCount();
  bool counted = bool(count);
  if (counted) {
    scanResult = count;
  } else {
    scanLength = e.symbols.createSymbol("scan");
    scanResult = e.symbols.createSymbol("scans");
    body->hidden.insert(scanLength.getName());
  }
  for (size_t i = 1 + carried.size(); i < outputs.size(); ++i) {
    if (getUnsized(i))
      continue;
    Value element = outputs[i];
    Sizes sizes = e.sizes(element);
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
      // Sizes that do not change keep their names.
      Sizes sizes = e.sizes(nexts[i]);
      for (size_t axis = 0; axis < sizes.size(); ++axis)
        if (!isChanging(i, axis))
          sizes[axis] = e.dim(body->block->getArgument(1 + i), axis);
      values.push_back(e.reshape(nexts[i], sizes));
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
      nextDims.push_back(e.dims.expand(e.dim(nexts[i], dim.axis)));
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
  SmallVector<Value> starts{e.constantInt(i64, 0)};
  starts.append(inits);
  starts.append(scanInits);
  if (!enter)
    return failure();
  auto loop = dhlo::WhileOp::create(
      e.builder, e.loc, types, enter, starts, toSymbols(c, loopDims),
      toExprs(c, initDims), toExprs(c, nextDims), toSymbols(c, resultDims));
  loop.getBody().takeBody(body->region);
  SmallVector<Value> results(loop->result_begin() + 1, loop->result_end());
  ArrayRef<Value> rest = results;
  for (unsigned i = 0; i < carried.size(); ++i)
    c.out(i, takeCarried(i, rest));
  for (const UnsizedScan &scan : unsized) {
    Sizes sizes = e.sizes(rest[1]);
    sizes.insert(sizes.begin(), scanResult);
    c.out(scan.output - 1, e.reshape(rest[0], sizes));
    rest = rest.drop_front(2);
  }
  for (unsigned i = 1 + carried.size(); i < outputs.size(); ++i)
    if (!getUnsized(i)) {
      c.out(i - 1, rest.front());
      rest = rest.drop_front();
    }
  return success();
}

LogicalResult LoopImporter::run() {
  for (auto [value, form] : llvm::zip_equal(carried, forms)) {
    if (!isSequence(value))
      continue;
    auto own = getForm(e, value);
    if (!own)
      return failForm(c);
    form = *own;
  }
  if (failed(makeInits()))
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

} // namespace

LogicalResult onnx::importCarriedLoop(OpContext &c, const CarriedLoop &loop,
                                      Iteration iteration) {
  return LoopImporter(c, loop, iteration).run();
}
