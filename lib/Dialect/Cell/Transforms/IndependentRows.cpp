//===- IndependentRows.cpp - Paths that compute rows independently --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Values with rows along axis 0 belong to a grid: the rows of a path, or the
// rows of routes inside of it. An operation reads rows of one grid, each for
// the same row of its result. Routes lead from one grid to another: a dispatch
// and a switch to that of the routes, a combine back to that of their cells.
// A value that is the same for all rows, such as a repeated bias, belongs to
// any grid.

#include "IndependentRows.h"

#include "dyn/Dialect/Cell/Transforms/Choices.h"
#include "dyn/Dialect/Cell/Transforms/RowWise.h"
#include "dyn/Dialect/DHLO/IR/Failure.h"
#include "dyn/Dialect/DHLO/Transforms/SizeChecks.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;

namespace {
class RowFollower {
public:
  RowFollower(const SymbolicDims &dims, bool mayFail)
      : dims(dims), mayFail(mayFail) {}

  using Failure = std::optional<Reason>;
  Failure follow(SwitchOp op);

private:
  /// A block of a path, or routes; null for any grid.
  using Grid = const void *;

  Failure followBlock(Block &block);
  Failure followOp(Operation *op);
  Failure followRouter(RouteOp op);
  Failure followOrdinary(Operation *op);
  Failure checkCounts(SwitchOp op);

  static Grid gridOf(Value routes) { return routes.getAsOpaquePointer(); }
  bool hasRows(Value value) const { return grids.contains(value); }
  /// Whether a value has rows of a grid, or the same for all rows.
  bool isIn(Value value, Grid grid) const {
    auto found = grids.find(value);
    return found != grids.end() && (!found->second || found->second == grid);
  }
  void setGrid(ValueRange values, Grid grid) {
    for (Value value : values)
      grids[value] = grid;
  }
  /// Whether the sizes of results, or attributes, depend on numbers of rows.
  bool mentionsCounts(Operation *op) const;

  const SymbolicDims &dims;
  bool mayFail;
  llvm::DenseMap<Value, Grid> grids;
  llvm::DenseSet<StringAttr> counts;
  /// The number of rows of a grid, and the grid of the cells of routes.
  llvm::DenseMap<Grid, DimExpr> sizes;
  llvm::DenseMap<Grid, Grid> cells;
};
} // namespace

static Reason because(Operation *op, const char *text) { return {op, text}; }

static constexpr const char *kFails = "it may fail on rows of other paths",
                            *kRegions = "it has regions",
                            *kOther = "it reads rows of another router";

bool RowFollower::mentionsCounts(Operation *op) const {
  bool found = false;
  auto look = [&](DimExpr expr) {
    dhlo::walkSymbols(dims.expand(expr),
                      [&](StringAttr name) { found |= counts.contains(name); });
  };
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (DimExpr size : dhlo::getDims(tensor))
        if (size)
          look(size);
  for (NamedAttribute attr : op->getAttrs())
    attr.getValue().walk([&](dhlo::DimExprAttr expr) { look(expr); });
  return found;
}

RowFollower::Failure RowFollower::checkCounts(SwitchOp op) {
  for (StringAttr name : op.getRegionDims()) {
    auto dim = dyn_cast_or_null<dhlo::DimOp>(
        SymbolTable::lookupSymbolIn(dims.getOperation(), name));
    if (!dim || dim.getMin().value_or(0) > 0 || dim.getMax() ||
        dim.getAtMostAttr() || dim.getMultipleOf().value_or(1) > 1)
      return because(op, "facts are declared of a path's number of rows");
  }
  return std::nullopt;
}

RowFollower::Failure RowFollower::follow(SwitchOp op) {
  if (Failure failure = checkCounts(op))
    return failure;
  for (auto [region, count] :
       llvm::zip_equal(op.getPaths(), op.getRegionDims())) {
    Block &block = region.front();
    counts.insert(count);
    sizes[&block] = dhlo::getSymbolDim(count);
    setGrid(block.getArguments(), &block);
    if (Failure failure = followBlock(block))
      return failure;
    for (Value value : block.getTerminator()->getOperands())
      if (!isIn(value, &block))
        return because(block.getTerminator(),
                       "a result does not have the rows of the path");
  }
  return std::nullopt;
}

RowFollower::Failure RowFollower::followBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (Failure failure = followOp(&op))
      return failure;
  return std::nullopt;
}

RowFollower::Failure RowFollower::followRouter(RouteOp op) {
  if (op.getCapacity())
    return because(op, "it has a capacity");
  Grid grid = nullptr;
  Block &block = op.getRouter().front();
  for (auto [input, argument] :
       llvm::zip_equal(op.getInputs(), block.getArguments())) {
    if (!hasRows(input))
      continue;
    grid = grid ? grid : grids.lookup(input);
    if (!isIn(input, grid))
      return because(op, kOther);
    setGrid(argument, grids.lookup(input));
  }
  if (Failure failure = followBlock(block))
    return failure;
  auto choose = cast<ChooseOp>(block.getTerminator());
  for (Value value : choose->getOperands())
    if (!isIn(value, grid))
      return because(op, "its choices do not have the rows of the path");
  if (!mayFail && !choose.isMask() &&
      !areAlwaysPaths(choose.getChoices(), op.getRoutes().getType().getPaths(),
                      /*orNone=*/true))
    return because(op, kFails);
  if (!grid)
    return because(op, "it reads no rows");
  cells[gridOf(op.getRoutes())] = grid;
  sizes[gridOf(op.getRoutes())] = op.getRoutes().getType().getRows();
  return std::nullopt;
}

RowFollower::Failure RowFollower::followOp(Operation *op) {
  if (auto route = dyn_cast<RouteOp>(op))
    return followRouter(route);
  if (isa<ProbeOp, dhlo::GuessedOp>(op))
    return std::nullopt;
  // The path of a row is a fact of the row; offsets depend on all rows.
  if (auto paths = dyn_cast<PathsOp>(op)) {
    setGrid(paths.getResult(), gridOf(paths.getRoutes()));
    return std::nullopt;
  }
  if (isa<OffsetsOp>(op)) {
    setGrid(op->getResults(), op);
    return std::nullopt;
  }
  auto isKnown = [&](Value routes) { return cells.contains(gridOf(routes)); };
  if (auto dispatch = dyn_cast<DispatchOp>(op)) {
    if (!isKnown(dispatch.getRoutes()) ||
        !isIn(dispatch.getCells(), cells.lookup(gridOf(dispatch.getRoutes()))))
      return because(op, kOther);
    setGrid(dispatch.getRows(), gridOf(dispatch.getRoutes()));
    return std::nullopt;
  }
  if (auto combine = dyn_cast<CombineOp>(op)) {
    Grid rows = gridOf(combine.getRoutes()), to = cells.lookup(rows);
    if (!isKnown(combine.getRoutes()) || !isIn(combine.getRows(), rows) ||
        (combine.getOtherwise() && !isIn(combine.getOtherwise(), to)))
      return because(op, kOther);
    setGrid(combine.getCells(), to);
    return std::nullopt;
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    Grid to = cells.lookup(gridOf(select.getRoutes()));
    for (auto [from, rows] :
         llvm::zip_equal(select.getFrom(), select.getRows()))
      if (!isKnown(from) || cells.lookup(gridOf(from)) != to ||
          !isIn(rows, gridOf(from)))
        return because(op, kOther);
    setGrid(select.getResult(), gridOf(select.getRoutes()));
    return std::nullopt;
  }
  if (auto inner = dyn_cast<SwitchOp>(op)) {
    for (Value input : inner.getInputs())
      if (!isKnown(inner.getRoutes()) ||
          !isIn(input, gridOf(inner.getRoutes())))
        return because(op, kOther);
    setGrid(inner.getResults(), gridOf(inner.getRoutes()));
    return follow(inner);
  }
  return followOrdinary(op);
}

RowFollower::Failure RowFollower::followOrdinary(Operation *op) {
  if (op->getNumRegions())
    return because(op, kRegions);
  SmallVector<Value> rows = llvm::filter_to_vector(
      op->getOperands(), [&](Value value) { return hasRows(value); });
  if (rows.empty() && !mentionsCounts(op)) {
    // The same for any rows; what fails here fails in the path as it is.
    if (isa<dhlo::BindsDims>(op) || !isMemoryEffectFree(op))
      return because(op, "it has an effect");
    return std::nullopt;
  }
  if (op->getNumResults() == 0 || isa<dhlo::BindsDims>(op) ||
      !isa<dhlo::DHLODialect>(op->getDialect()))
    return because(op, "it is not known to keep rows apart");
  if (!dhlo::getUnprovenSizes(op, dims).empty())
    return because(op, kFails);

  // Operations by the offsets, and by the paths, of the routes inside.
  Grid grid = nullptr;
  bool isOfRoutes = false;
  if (auto dot = dyn_cast<dhlo::GroupedDotOp>(op)) {
    auto offsets = dot.getOffsets().getDefiningOp<OffsetsOp>();
    grid = grids.lookup(op->getOperand(0));
    isOfRoutes =
        offsets && gridOf(offsets.getRoutes()) == grid && rows.size() == 2;
  } else if (auto gather = dyn_cast<dhlo::GatherOp>(op)) {
    auto paths = gather.getIndices().getDefiningOp<PathsOp>();
    grid = grids.lookup(gather.getIndices());
    isOfRoutes =
        paths && rows.size() == 1 && gather.getAxis() == 0 &&
        cast<RankedTensorType>(gather.getOperand().getType()).getDimSize(0) ==
            paths.getRoutes().getType().getPaths();
  }
  if (!isOfRoutes) {
    for (Value value : rows)
      grid = grid ? grid : grids.lookup(value);
    for (Value value : rows)
      if (!isIn(value, grid))
        return because(op, kOther);
    if (grid && !sizes.contains(grid))
      return because(op, "it reads the offsets of paths");
    if (op->hasTrait<dhlo::Elementwise>() &&
        rows.size() != op->getNumOperands())
      return because(op, "it reads a row by its position");
    if (!mayFail && dhlo::mayFailForTypes(op))
      return because(op, kFails);
    if (const char *why = whyNotRowWise(
            op, dims, [&](Value value) { return hasRows(value); }, mayFail))
      return because(op, why);
  }
  auto hasRowsOf = [&](DimExpr size) {
    return grid ? dims.isEqual(size, sizes.lookup(grid))
                : llvm::any_of(sizes, [&](auto &other) {
                    return dims.isEqual(size, other.second);
                  });
  };
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getRank() == 0 || !dhlo::getDim(type, 0) ||
        !hasRowsOf(dhlo::getDim(type, 0)))
      return because(op, "its result does not have the rows on axis 0");
  }
  setGrid(op->getResults(), grid);
  return std::nullopt;
}

std::optional<Reason>
cell::whyNotIndependent(SwitchOp op, const SymbolicDims &dims, bool mayFail) {
  return RowFollower(dims, mayFail).follow(op);
}
