//===- PredictRoutes.cpp - Routers that predict others --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The regions of routers are pure and isolated, so those of a prediction, and
// of the choices that it lacks, hold copies of them. Where both are lowered,
// equal operations on equal operands are merged.

#include "PredictRoutes.h"

#include "dyn/Dialect/Cell/Transforms/Choices.h"
#include "dyn/Dialect/DHLO/Analysis/CopySizes.h"
#include "dyn/Dialect/DHLO/IR/Failure.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;
using dyn::dhlo::Sizes;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// A router without choices on the cells and paths of another one, with these
/// numbers of cells and rows.
static RouteOp createRouter(TensorBuilder &b, RouteOp like, ValueRange inputs,
                            DimExpr cells, DimExpr rows) {
  int64_t paths = like.getRoutes().getType().getPaths();
  auto route =
      RouteOp::create(b, RoutesType::get(b.getContext(), cells, paths, rows),
                      inputs, /*capacity=*/DimExpr(), /*key=*/StringAttr());
  SmallVector<Location> locations(inputs.size(), b.getLoc());
  route.getRouter().emplaceBlock().addArguments(inputs.getTypes(), locations);
  b.setInsertionPointToStart(&route.getRouter().front());
  return route;
}

/// Copies the region of a router and returns the choices in it, of all cells,
/// as ids.
static Value copyChoices(TensorBuilder &b, RouteOp route, ValueRange arguments,
                         DimBuilder &symbols) {
  CopySizes sizes(route, symbols);
  Block &block = route.getRouter().front();
  IRMapping map;
  map.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    sizes.apply(b.clone(op, map));
  auto choose = cast<ChooseOp>(block.getTerminator());
  return getIds(b, map.lookupOrDefault(getAllChoices(choose)));
}

/// Chooses the ids and ends the region.
static void choose(TensorBuilder &b, Value ids) {
  ChooseOp::create(b, ids, /*weights=*/Value(), /*priorities=*/Value());
}

static Value getTable(TensorBuilder &b, ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({int64_t(numbers.size())}, b.getI64Type());
  return dhlo::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
}

Value cell::takeFirst(TensorBuilder &b, Value value, DimExpr count) {
  Sizes sizes = b.sizesOf(value);
  if (b.getDims().isEqual(sizes[0], count))
    return value;
  sizes[0] = count;
  SmallVector<Attribute> starts(sizes.size(),
                                dhlo::getConstDim(b.getContext(), 0));
  return dhlo::SliceOp::create(
      b, b.getTensorType(sizes, b.typeOf(value).getElementType()), value,
      b.getArrayAttr(starts), SmallVector<int64_t>(sizes.size(), 1));
}

/// The number of choices of a cell.
static DimExpr getChoices(RouteOp route) {
  auto choose = cast<ChooseOp>(route.getRouter().front().getTerminator());
  return TensorBuilder::sizesOf(choose.getChoices())[1];
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// A router on those cells of another one that are guessed: all, or none where
/// the switch is off.
static RouteOp createGuess(TensorBuilder &b, RouteOp like, ValueRange inputs,
                           DimExpr choices, DimExpr isOn) {
  DimExpr cells = like.getRoutes().getType().getCells();
  if (isOn)
    cells = dhlo::mul(isOn, cells);
  return createRouter(b, like, inputs, cells, dhlo::mul(cells, choices));
}

/// Ends the region of a guess with the ids of all cells.
static PredictedRoutes chooseGuessed(TensorBuilder &b, RouteOp guess,
                                     Value ids) {
  choose(b, takeFirst(b, ids, guess.getRoutes().getType().getCells()));
  return {guess, {}};
}

static PredictedRoutes predictMajority(RouteOp like, PredictionAttr prediction,
                                       DimExpr isOn, TensorBuilder &b) {
  DimExpr cells = like.getRoutes().getType().getCells();
  DimExpr choices =
      dhlo::getConstDim(b.getContext(), prediction.getPaths().size());
  RouteOp route = createGuess(b, like, {}, choices, isOn);
  return chooseGuessed(b, route,
                       dhlo::BroadcastOp::create(
                           b, b.getTensorType({cells, choices}, b.getI64Type()),
                           getTable(b, prediction.getPaths()),
                           ArrayRef<int64_t>{1}));
}

/// The router with a key.
static RouteOp findRouter(RouteOp like, StringRef key) {
  RouteOp found;
  like->getParentOfType<ModuleOp>().walk([&](ProbeOp probe) {
    if (probe.getKey() == key)
      found = probe.getRoutes().getDefiningOp<RouteOp>();
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static PredictedRoutes predictAfter(RouteOp like, PredictionAttr prediction,
                                    DimExpr isOn, TensorBuilder &b,
                                    DimBuilder &symbols) {
  std::string key = prediction.getAfter().getValue().str();
  RouteOp before = findRouter(like, key);
  if (!before || !DominanceInfo().properlyDominates(before.getOperation(),
                                                    like.getOperation()))
    return {{}, "no router '" + key + "' is always before it"};
  RoutesType type = before.getRoutes().getType();
  if (type.getPaths() != int64_t(prediction.getPaths().size()))
    return {{},
            "the prediction is by " +
                std::to_string(prediction.getPaths().size()) +
                " paths, and router '" + key + "' has " +
                std::to_string(type.getPaths())};
  DimExpr cells = like.getRoutes().getType().getCells();
  if (!symbols.getDims().isEqual(type.getCells(), cells))
    return {{}, "router '" + key + "' has other cells"};
  RouteOp route =
      createGuess(b, like, before.getInputs(), getChoices(before), isOn);
  Value ids = copyChoices(b, before, route.getRouter().getArguments(), symbols);
  Value paths =
      b.gatherRows(getTable(b, prediction.getPaths()), b.clampToZero(ids));
  return chooseGuessed(
      b, route, b.select(b.isValid(ids), paths, b.fillInteger(-1, paths)));
}

/// The number of expensive operations that a value is computed by.
static unsigned countWork(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitUsesFromAbove = false;
  options.inclusive = true;
  if (Operation *op = value.getDefiningOp())
    (void)getBackwardSlice(op, &slice, options);
  return llvm::count_if(slice, [](Operation *op) {
    return op->hasTrait<dhlo::Contraction>() || op->getNumRegions() ||
           isa<dhlo::ConvolutionOp>(op);
  });
}

/// The nearest value of the same type that a value is computed from by more
/// than cheap operations; null if there is none.
static Value findEarlier(Value value) {
  unsigned work = countWork(value);
  SetVector<Value> reached;
  reached.insert(value);
  for (unsigned i = 0; i != reached.size(); ++i) {
    Value here = reached[i];
    if (here.getType() == value.getType() && countWork(here) < work)
      return here;
    if (Operation *op = here.getDefiningOp())
      reached.insert_range(op->getOperands());
  }
  return {};
}

static PredictedRoutes predictEarly(RouteOp like, DimExpr isOn,
                                    TensorBuilder &b, DimBuilder &symbols) {
  // A call that fails while it guesses is run again without.
  WalkResult walk = like.getRouter().walk([&](Operation *op) {
    bool isUnsafe = isa<dhlo::BindOp>(op) || op->getNumRegions() ||
                    (!isOn && dhlo::mayFailForTypes(op));
    return isUnsafe ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return {{}, "the router may fail on earlier values"};
  DimExpr cells = like.getRoutes().getType().getCells();
  SmallVector<Value> inputs;
  bool isEarlier = false;
  for (Value input : like.getInputs()) {
    inputs.push_back(input);
    Sizes sizes = b.sizesOf(input);
    if (sizes.empty() || !symbols.getDims().isEqual(sizes[0], cells))
      continue;
    Value earlier = findEarlier(input);
    if (!earlier)
      return {{}, "no earlier value of its cells is known"};
    inputs.back() = earlier;
    isEarlier = true;
  }
  if (!isEarlier)
    return {{}, "no earlier value of its cells is known"};
  RouteOp route = createGuess(b, like, inputs, getChoices(like), isOn);
  Value ids = copyChoices(b, like, route.getRouter().getArguments(), symbols);
  // An id out of range is an error of the router alone.
  Value limit = b.fillInteger(like.getRoutes().getType().getPaths(), ids);
  Value none = b.fillInteger(-1, ids);
  ids = b.select(b.compare(dhlo::CompareDirection::LT, ids, limit), ids, none);
  return chooseGuessed(b, route, b.select(b.isValid(ids), ids, none));
}

PredictedRoutes cell::predictRoutes(RouteOp route, PredictionAttr prediction,
                                    DimExpr isOn, DimBuilder &symbols) {
  TensorBuilder b(route, symbols);
  switch (prediction.getKind()) {
  case PredictionKind::Majority:
    return predictMajority(route, prediction, isOn, b);
  case PredictionKind::After:
    return predictAfter(route, prediction, isOn, b, symbols);
  case PredictionKind::Early:
    return predictEarly(route, isOn, b, symbols);
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Rest
//===----------------------------------------------------------------------===//

RouteOp cell::buildRest(RouteOp route, RouteOp guess, DimExpr isOn,
                        Operation *position, DimBuilder &symbols) {
  TensorBuilder b(position, symbols);
  b.setLoc(route.getLoc());
  SmallVector<Value> inputs(route.getInputs());
  llvm::append_range(inputs, guess.getInputs());
  RoutesType type = route.getRoutes().getType();
  RouteOp rest =
      createRouter(b, route, inputs, type.getCells(), type.getRows());
  ValueRange arguments = rest.getRouter().getArguments();
  unsigned count = route.getInputs().size();
  Value ids = copyChoices(b, route, arguments.take_front(count), symbols);
  Value guessed = copyChoices(b, guess, arguments.drop_front(count), symbols);

  Sizes sizes = b.sizesOf(ids);
  DimExpr columns = b.sizesOf(guessed)[1];
  auto equal = [&](Value lhs, Value rhs) {
    return b.compare(dhlo::CompareDirection::EQ, lhs, rhs);
  };
  auto repeat = [&](Value value, Type type, ArrayRef<int64_t> axes) -> Value {
    return dhlo::BroadcastOp::create(b, type, value, axes);
  };
  Value isGuessed;
  if (columns.isConst(1)) {
    isGuessed =
        equal(ids, repeat(b.reshape(guessed, {sizes[0]}), ids.getType(), {0}));
  } else {
    Type all = b.getTensorType({sizes[0], sizes[1], columns}, b.getI64Type());
    Value each = equal(repeat(ids, all, {0, 1}), repeat(guessed, all, {0, 2}));
    isGuessed = dhlo::ReduceOp::create(b, b.getTensorType(sizes, b.getI1Type()),
                                       dhlo::ReduceKind::Or, each,
                                       ArrayRef<int64_t>{2});
  }
  if (isOn) {
    Value each = b.fillSize(isOn, ids);
    Value isMade =
        b.compare(dhlo::CompareDirection::NE, each, b.fillZero(each));
    isGuessed = dhlo::AndOp::create(b, isGuessed, isMade);
  }
  choose(b, b.select(isGuessed, b.fillInteger(-1, ids), ids));
  return rest;
}
