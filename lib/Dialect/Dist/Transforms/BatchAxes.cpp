//===- BatchAxes.cpp - Whether rows of the batch are computed apart -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Transforms/BatchAxes.h"

#include "Division.h"
#include "FixedPoint.h"
#include "RouterBlock.h"
#include "Stages.h"

#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"
#include "dyn/Dialect/Dist/Transforms/PathRows.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dyn::dhlo::DimExpr;
using dyn::dhlo::typeOf;

InFlightDiagnostic BatchAxes::Obstacle::emitError() const {
  InFlightDiagnostic diagnostic =
      isa<func::FuncOp>(op) ? op->emitError() : op->emitOpError();
  return std::move(diagnostic << "micro-batches: " << reason);
}

BatchAxes::BatchAxes(func::FuncOp function, const SymbolicDims &dims)
    : function(function), block(function.getBody().front()), dims(dims) {}

BatchAxes::~BatchAxes() = default;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

llvm::SetVector<StringAttr> BatchAxes::getCandidates() {
  llvm::SetVector<StringAttr> names;
  for (Value input : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(input.getType()))
      for (int64_t axis = 0; axis < type.getRank(); ++axis)
        if (DimExpr size = dims.expand(dims.getDim(input, axis));
            size.getKind() == dhlo::DimExprKind::Symbol)
          names.insert(size.getName());
  return names;
}

DimExpr BatchAxes::replaceBatch(DimExpr size, DimExpr by) const {
  return dims.expand(dhlo::substitute(dims.expand(size), [&](StringAttr name) {
    return name == batch ? by : DimExpr();
  }));
}

bool BatchAxes::dependsOnBatch(DimExpr size) const {
  bool isFound = false;
  dhlo::walkSymbols(dims.expand(size),
                    [&](StringAttr name) { isFound |= name == batch; });
  return isFound;
}

bool BatchAxes::usesBatch(Attribute attribute) const {
  bool isFound = false;
  AttrTypeWalker walker;
  walker.addWalk(
      [&](dhlo::DimExprAttr expr) { isFound |= dependsOnBatch(expr); });
  walker.walk(attribute);
  return isFound;
}

DimExpr BatchAxes::getFactor(DimExpr size) const {
  DimExpr factor = replaceBatch(size, dhlo::getConstDim(batch.getContext(), 1));
  DimExpr whole = dhlo::mul(factor, getBatch());
  return dims.isEqual(size, whole) ? factor : DimExpr();
}

//===----------------------------------------------------------------------===//
// Routers
//===----------------------------------------------------------------------===//

// A block of the cells has routes of its own, and rows in another order than
// the whole, so all between the router and its combines is done in each block.

bool BatchAxes::usesBatch(Operation *op, const DenseSet<Value> &rows) const {
  auto isOther = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (int64_t i = rows.contains(value); type && i < type.getRank(); ++i)
      if (dependsOnBatch(dhlo::getDim(type, i)))
        return true;
    return false;
  };
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      if (llvm::any_of(block.getArguments(), isOther))
        return true;
      for (Operation &inner : block)
        if (usesBatch(inner.getAttrDictionary()) ||
            llvm::any_of(inner.getResults(), isOther))
          return true;
    }
  return false;
}

std::optional<BatchAxes::Obstacle>
BatchAxes::checkPaths(cell::SwitchOp op) const {
  for (auto [region, count] : llvm::zip_equal(op.getPaths(), op.getCounts())) {
    auto name = cast<FlatSymbolRefAttr>(count).getAttr();
    auto rows = findRows(region.front(), dhlo::getSymbolDim(name), dims);
    if (!rows)
      return Obstacle{op, "expected rows to be computed apart, found a path "
                          "that may read several"};
    if (usesBatch(op, *rows))
      return Obstacle{op, "expected paths that do not depend on the batch"};
  }
  return std::nullopt;
}

std::optional<BatchAxes::Obstacle>
BatchAxes::whyTogether(Router &router) const {
  cell::RouteOp route = router.route;
  cell::RoutesType type = route.getRoutes().getType();
  if (!choosesApart(route))
    return Obstacle{route, "expected cells to be routed apart, found a "
                           "capacity or priorities"};
  auto cells = findRows(route.getRouter().front(), type.getCells(), dims);
  if (!cells)
    return Obstacle{route, "expected cells to be routed apart, found choices "
                           "that may depend on others"};
  if (usesBatch(route, *cells) || !getFactor(type.getCells()) ||
      !getFactor(type.getRows()))
    return Obstacle{route, "expected sizes that are multiples of the batch"};
  PathRows rows(route, dims);
  if (std::optional<PathRows::Obstacle> obstacle = rows.find())
    return Obstacle{obstacle->op, "expected rows of paths to be computed "
                                  "apart: " +
                                      obstacle->reason};
  // None of them is of another router: it would read the rows of both.
  for (Operation *op : rows.operations)
    if (auto paths = dyn_cast<cell::SwitchOp>(op))
      if (std::optional<Obstacle> obstacle = checkPaths(paths))
        return obstacle;
  router.cells = std::move(*cells);
  router.operations = std::move(rows.operations);
  return std::nullopt;
}

void BatchAxes::addRouter(cell::RouteOp route) {
  auto router = std::make_unique<Router>(Router{route, {}, {}});
  if (std::optional<Obstacle> obstacle = whyTogether(*router)) {
    together[route] = std::move(*obstacle);
    return;
  }
  routerOf[route] = router.get();
  for (Operation *op : router->operations)
    routerOf[op] = router.get();
  routers.push_back(std::move(router));
}

int64_t BatchAxes::getNeededAxis(OpOperand &use, const Router &router) {
  Operation *user = use.getOwner(), *maker = use.get().getDefiningOp();
  unsigned number = use.getOperandNumber();
  if (user == router.route) {
    BlockArgument argument = user->getRegion(0).getArgument(number);
    return router.cells.contains(argument) ? 0 : -1;
  }
  bool isOfRouter = maker && routerOf.lookup(maker) == &router;
  if (isOfRouter || isa<cell::DispatchOp, cell::CombineOp>(user))
    return 0;
  const Division &division = getDivision(user);
  if (division.canDivide.empty())
    return -1;
  ArrayRef<int64_t> map = division.operands[number];
  const int64_t *it = llvm::find(map, 0);
  return it == map.end() ? -1 : it - map.begin();
}

bool BatchAxes::divide(Router &router) {
  router.isDivided = true;
  axes[router.route.getRoutes()] = 0;
  for (Operation *op : router.operations)
    for (Value result : op->getResults())
      axes[result] = 0;
  return true;
}

//===----------------------------------------------------------------------===//
// What is divided
//===----------------------------------------------------------------------===//

int64_t BatchAxes::getAxis(Value value) const {
  auto it = axes.find(value);
  return it == axes.end() ? -1 : it->second;
}

bool BatchAxes::isDivided(Operation *op) const {
  if (const Router *router = routerOf.lookup(op))
    return router->isDivided;
  return op->getNumResults() && getAxis(op->getResult(0)) >= 0;
}

const Division &BatchAxes::getDivision(Operation *op) {
  std::unique_ptr<Division> &division = divisions[op];
  if (division)
    return *division;
  auto reshape = dyn_cast<dhlo::ReshapeOp>(op);
  if (!reshape) {
    division = std::make_unique<Division>(
        dist::getDivision(op, /*ranks=*/1, dims, /*ignoresUnread=*/true));
    return *division;
  }
  // Blocks end between elements of both sides: they are whole rows.
  division = std::make_unique<Division>();
  RankedTensorType from = typeOf(reshape.getOperand()), to = reshape.getType();
  division->operands.emplace_back(from.getRank(), -1);
  division->canDivide.assign(to.getRank(), false);
  for (const AxisGroup &group :
       getReshapeGroups(dhlo::getDims(from), dhlo::getDims(to), dims)) {
    if (!group.isProven || group.from.empty() || group.to.empty())
      continue;
    int64_t before = group.from.front(), after = group.to.front();
    if (!getFactor(dhlo::getDim(from, before)) ||
        !getFactor(dhlo::getDim(to, after)))
      continue;
    division->operands.front()[before] = after;
    division->canDivide[after] = true;
  }
  return *division;
}

bool BatchAxes::visitForwards(Operation *op) {
  if (isDivided(op) || whole.contains(op))
    return false;
  if (Router *router = routerOf.lookup(op))
    return llvm::any_of(op->getOpOperands(),
                        [&](OpOperand &operand) {
                          int64_t axis = getAxis(operand.get());
                          return axis >= 0 &&
                                 axis == getNeededAxis(operand, *router);
                        }) &&
           divide(*router);
  if (op->getNumResults() == 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t axis = getAxis(operand.get());
    if (axis < 0)
      continue;
    if (!isa<ReshardOp>(op)) {
      const Division &division = getDivision(op);
      if (division.canDivide.empty())
        return false;
      axis = division.operands[operand.getOperandNumber()][axis];
    }
    if (axis < 0)
      continue;
    for (Value result : op->getResults())
      axes[result] = axis;
    return true;
  }
  return false;
}

int64_t BatchAxes::getNeededAxis(OpOperand &use) {
  Operation *user = use.getOwner();
  if (user->getBlock() != &block || !isDivided(user))
    return -1;
  if (const Router *router = routerOf.lookup(user))
    return getNeededAxis(use, *router);
  int64_t axis = getAxis(user->getResult(0));
  if (isa<ReshardOp>(user))
    return axis;
  const Division &division = getDivision(user);
  if (division.canDivide.empty())
    return -1;
  ArrayRef<int64_t> map = division.operands[use.getOperandNumber()];
  const int64_t *it = llvm::find(map, axis);
  return it == map.end() ? -1 : it - map.begin();
}

bool BatchAxes::visitBackwards(Operation *op) {
  if (op->getNumResults() == 0 || op->use_empty() || isDivided(op) ||
      whole.contains(op) || routerOf.contains(op))
    return false;
  std::optional<int64_t> needed;
  for (OpOperand &use : op->getUses()) {
    int64_t axis = getNeededAxis(use);
    if (axis < 0 || (needed && *needed != axis))
      return false;
    needed = axis;
  }
  bool canDivide = isa<ReshardOp>(op) || (!getDivision(op).canDivide.empty() &&
                                          getDivision(op).canDivide[*needed]);
  if (!canDivide)
    return false;
  for (Value result : op->getResults())
    axes[result] = *needed;
  return true;
}

//===----------------------------------------------------------------------===//
// Whether rows are computed apart
//===----------------------------------------------------------------------===//

/// Checks an operation with a divided result, or operand.
std::optional<BatchAxes::Obstacle> BatchAxes::check(Operation *op) {
  if (isa<func::ReturnOp>(op) || whole.contains(op))
    return std::nullopt;
  bool isOfRouter = routerOf.contains(op);
  int64_t axis = op->getNumResults() ? getAxis(op->getResult(0)) : -1;
  for (Value value : getReadValues(op)) {
    int64_t from = getAxis(value);
    if (from < 0)
      continue;
    if (auto it = together.find(op); it != together.end())
      return it->second;
    bool isApart = isDivided(op) && (isOfRouter || !op->getNumRegions()) &&
                   llvm::is_contained(op->getOperands(), value);
    for (OpOperand &operand : op->getOpOperands())
      if (isApart && operand.get() == value)
        isApart = getNeededAxis(operand) == from &&
                  (isOfRouter || isa<ReshardOp>(op) ||
                   getDivision(op).canDivide[axis]);
    if (!isApart)
      return Obstacle{op, "expected rows to be computed apart, found that "
                          "they are read together along axis " +
                              std::to_string(from) + " of an operand"};
  }
  return isDivided(op) ? checkSizes(op) : std::nullopt;
}

std::optional<BatchAxes::Obstacle> BatchAxes::checkSizes(Operation *op) {
  bool isOfRouter = routerOf.contains(op);
  bool isOfBatch = usesBatch(op->getAttrDictionary()) ||
                   (isa<dhlo::BindsDims>(op) && !isOfRouter);
  int64_t axis = 0;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    // Sizes of routes are known, and nothing needs blocks of what is not read.
    if (!type || result.use_empty())
      continue;
    axis = getAxis(result);
    for (auto [i, size] : llvm::enumerate(dhlo::getDims(type)))
      isOfBatch |= int64_t(i) == axis && !(isOfRouter && !dependsOnBatch(size))
                       ? !getFactor(size)
                       : dependsOnBatch(size);
  }
  if (!isOfBatch)
    return std::nullopt;
  return Obstacle{op, "expected sizes that do not depend on the batch @" +
                          batch.getValue().str() +
                          ", but for multiples of it along axis " +
                          std::to_string(axis)};
}

bool BatchAxes::canBeWhole(Operation *op) const {
  SmallVector<Operation *> needed = {op};
  DenseSet<Operation *> seen;
  while (!needed.empty()) {
    Operation *next = needed.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next->getNumRegions() || routerOf.contains(next) ||
        isa<dhlo::BindsDims>(next) ||
        !llvm::all_of(next->getResultTypes(), [](Type type) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          return tensor && tensor.getElementType().isInteger();
        }))
      return false;
    for (Value operand : next->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && getAxis(operand) >= 0)
        needed.push_back(maker);
  }
  return true;
}

void BatchAxes::findAxes() {
  axes.clear();
  for (auto &router : routers)
    router->isDivided = false;
  for (Value input : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(input.getType()))
      for (int64_t axis = type.getRank(); axis-- > 0;)
        if (dims.isEqual(dims.getDim(input, axis), getBatch()))
          axes[input] = axis;
  spread(
      block, [&](Operation *op) { return visitForwards(op); },
      [&](Operation *op) { return visitBackwards(op); });
}

std::optional<BatchAxes::Obstacle> BatchAxes::findFor(StringAttr name) {
  batch = name;
  divisions.clear();
  whole.clear();
  routers.clear();
  routerOf.clear();
  together.clear();
  for (auto route : block.getOps<cell::RouteOp>())
    addRouter(route);
  findAxes();
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Operation &op : block) {
      std::optional<Obstacle> obstacle = check(&op);
      if (obstacle && !canBeWhole(&op))
        return obstacle;
      if (!obstacle)
        continue;
      whole.insert(&op);
      isChanged = true;
      break;
    }
    if (isChanged)
      findAxes();
  }
  if (llvm::none_of(block.getTerminator()->getOperands(), [&](Value value) {
        return value.getDefiningOp() && getAxis(value) >= 0;
      }))
    return Obstacle{function, "expected a result with rows of the batch @" +
                                  name.getValue().str()};
  return std::nullopt;
}

std::optional<BatchAxes::Obstacle> BatchAxes::find() {
  std::optional<Obstacle> first;
  for (StringAttr name : getCandidates()) {
    std::optional<Obstacle> obstacle = findFor(name);
    if (!obstacle)
      return std::nullopt;
    if (!first)
      first = std::move(obstacle);
  }
  axes.clear();
  if (first)
    return first;
  return Obstacle{function, "expected the batch, a size of an input, to be "
                            "dynamic"};
}
