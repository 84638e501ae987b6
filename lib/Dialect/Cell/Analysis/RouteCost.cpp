//===- RouteCost.cpp - The time of a router and of its paths --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/RouteCost.h"

#include "dyn/Dialect/DHLO/Analysis/RouteLoad.h"
#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"
#include "dyn/Support/DeviceRates.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

/// Units of work, bytes of traffic, in a microsecond: a core at 2.5 GHz.
static constexpr double kUnitsPerMicrosecond =
    2500.0 * CpuInfo::kCopyBytesPerCycle;
/// The least time of a kernel, in microseconds.
static constexpr double kKernelMicroseconds = 1;
/// Units of work of a number that is sorted: 5 ns.
static constexpr double kSortUnits = 100;

int64_t cell::getWeightBytes(Value value) {
  if (!value)
    return 0;
  // Routers take weights as operands.
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto route = dyn_cast<RouteOp>(argument.getOwner()->getParentOp()))
      value = route.getInputs()[argument.getArgNumber()];
  Operation *op = value.getDefiningOp();
  while (op && op->getNumOperands() == 1 && op->getNumRegions() == 0 &&
         (op->hasTrait<dhlo::Movement>() || isa<dhlo::ConvertOp>(op)))
    op = op->getOperand(0).getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!isa_and_present<dhlo::WeightOp, dhlo::ConstantOp>(op) || !type ||
      !type.hasStaticShape())
    return 0;
  return type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

RouteCost::Time RouteCost::getDeviceTime(const Part &part, double rows,
                                         double units) const {
  double all = target.gpu.multiprocessors;
  double share = std::clamp(std::min(units / DeviceRates::kMultiprocessorBytes,
                                     part.pieces * rows),
                            1.0, all) /
                 all;
  double time = units / share / DeviceRates::kBytesPerMicrosecond;
  // Equivalent paths become one kernel.
  double kernels = isEquivalent ? 1.0 / paths.size() : 1;
  if (part.isKernel)
    time = std::max(time, DeviceRates::kLaunchMicroseconds * kernels);
  return {time, time * share};
}

RouteCost::Time RouteCost::getTime(const Work &work, double rows,
                                   int64_t threads) const {
  Time sum;
  for (const Part &part : work) {
    double own = part.rows * rows, often = std::min(own, 1.0);
    double units = std::max(part.perRow * own, part.bytes * often);
    if (target.isDevice) {
      sum += getDeviceTime(part, own, units);
      continue;
    }
    double pieces = std::min(units / cpu.grainWork, part.pieces * own);
    double shared = std::clamp<double>(std::floor(pieces), 1, threads);
    double time = units / shared / kUnitsPerMicrosecond;
    sum.elapsed +=
        part.isKernel ? std::max(time, kKernelMicroseconds * often) : time;
  }
  return sum;
}

int64_t RouteCost::getPathBytes(int64_t path) const {
  double bytes = 0;
  for (const Part &part : paths[path])
    bytes += part.bytes;
  return bytes;
}

bool RouteCost::hasPaths() const {
  return llvm::any_of(paths, [](const Work &work) { return !work.empty(); });
}

void RouteCost::addSwitch(Work &work, SwitchOp op, double unit,
                          double rows) const {
  RoutesType type = op.getRoutes().getType();
  auto route = op.getRoutes().getDefiningOp<RouteOp>();
  RouteLoad load = route ? RouteLoad::of(route, type.getPaths())
                         : RouteLoad(type.getPaths());
  double all = dims.getEstimate(type.getRows());
  for (auto [path, region] : llvm::enumerate(op.getPaths())) {
    auto count = cast<FlatSymbolRefAttr>(op.getCounts()[path]);
    double own = std::max<double>(
        dims.getEstimate(dhlo::getSymbolDim(count.getAttr())), 1);
    for (Operation &inner : region.front().without_terminator())
      add(work, &inner, own, rows * load.getShare(path) * all / unit);
  }
}

double RouteCost::getBytes(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  return dims.getEstimate(dims.getNumElements(type)) *
         ((type.getElementTypeBitWidth() + 7) / 8);
}

/// Segments, of operations along them, else any number.
double RouteCost::countPieces(Operation *op) const {
  if (!op->hasTrait<dhlo::AlongSegments>())
    return std::numeric_limits<double>::infinity();
  Value operand = op->getOperand(0);
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  auto type = cast<RankedTensorType>(operand.getType());
  double length = dims.getEstimate(dims.getDim(operand, axis));
  return dims.getEstimate(dims.getNumElements(type)) / std::max(length, 1.0);
}

void RouteCost::add(Work &work, Operation *op, double unit, double rows,
                    double share) const {
  if (auto branch = dyn_cast<SwitchOp>(op))
    return addSwitch(work, branch, unit, rows);
  // A loop counts once: nothing is known of how often it runs.
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front().without_terminator())
      add(work, &inner, unit, rows, share);
  if (op->getNumRegions() || op->hasTrait<dhlo::Movement>() ||
      op->hasTrait<dhlo::Generated>() ||
      getWeightBytes(op->getNumResults() ? op->getResult(0) : Value()))
    return;
  double operations = dims.getEstimate(countOperations(op, dims));
  double weights = 0, others = 0;
  for (Value operand : op->getOperands())
    if (int64_t bytes = getWeightBytes(operand))
      weights += bytes;
    else if (isa<RankedTensorType>(operand.getType()))
      others += getBytes(operand);
  if (operations == 0 && weights == 0)
    return;
  // Elementwise operations are fused: what they read is in registers.
  bool isKernel = operations != 0 && !op->hasTrait<dhlo::Elementwise>();
  double units = isa<dhlo::SortOp>(op) ? operations * kSortUnits
                                       : operations / cpu.slowFlopsPerByte;
  if (isKernel)
    units = std::max(units, others);
  work.push_back({units * share / unit, weights * share, rows,
                  countPieces(op) / unit, isKernel});
}

//===----------------------------------------------------------------------===//
// Routers and paths
//===----------------------------------------------------------------------===//

/// Adds the operations of a block that a value is computed from.
static void addSlice(Value value, Block *block,
                     llvm::SetVector<Operation *> &slice) {
  SmallVector<Value> next = {value};
  while (!next.empty()) {
    Operation *op = next.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || !slice.insert(op))
      continue;
    llvm::append_range(next, op->getOperands());
    op->walk([&](Operation *inner) {
      if (inner != op)
        llvm::append_range(next, inner->getOperands());
    });
  }
}

/// The values that each path is computed from, beside the routes.
static SmallVector<SmallVector<Value>> getPathOperands(RouteOp route) {
  SmallVector<SmallVector<Value>> operands(
      route.getRoutes().getType().getPaths());
  auto addRows = [&](Value rows, SmallVector<Value> &to) {
    if (auto dispatch = rows.getDefiningOp<DispatchOp>())
      to.push_back(dispatch.getCells());
  };
  for (Operation *user : route->getUsers()) {
    if (auto branch = dyn_cast<SwitchOp>(user))
      for (auto [region, own] : llvm::zip_equal(branch.getPaths(), operands)) {
        for (auto [input, argument] :
             llvm::zip_equal(branch.getInputs(), region.getArguments()))
          if (!argument.use_empty())
            addRows(input, own);
        region.walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (operand.getParentBlock() == route->getBlock() &&
                !isa<RoutesType>(operand.getType()))
              own.push_back(operand);
        });
      }
    auto dispatch = dyn_cast<DispatchOp>(user);
    if (dispatch &&
        !llvm::all_of(dispatch->getUsers(), llvm::IsaPred<SwitchOp>))
      for (SmallVector<Value> &own : operands)
        own.push_back(dispatch.getCells());
  }
  return operands;
}

void RouteCost::addRouterOperands(RouteOp route, double unit) {
  llvm::SetVector<Operation *> needed;
  for (Value input : route.getInputs())
    addSlice(input, route->getBlock(), needed);
  SmallVector<llvm::SetVector<Operation *>> beside;
  for (ArrayRef<Value> values : getPathOperands(route)) {
    beside.emplace_back();
    for (Value value : values)
      addSlice(value, route->getBlock(), beside.back());
  }
  for (Operation *op : needed) {
    llvm::SmallBitVector users(paths.size());
    for (auto [path, slice] : llvm::enumerate(beside))
      users[path] = slice.contains(op);
    if (!users.all())
      add(operands.emplace_back(Work(), users).first, op, unit, 1);
  }
}

RouteCost::Time RouteCost::getRouterTime(double cells,
                                         ArrayRef<int64_t> predicted,
                                         int64_t threads) const {
  Time time = getTime(router, cells, threads);
  for (const auto &[work, users] : operands)
    if (llvm::none_of(predicted, [&](int64_t path) { return users[path]; }))
      time += getTime(work, cells, threads);
  return time;
}

/// Whether all paths have the same operations.
static bool haveEqualOperations(SwitchOp op) {
  auto getNames = [](Region &region) {
    SmallVector<OperationName> names;
    region.walk([&](Operation *inner) {
      if (!isa<dhlo::WeightOp, dhlo::ConstantOp>(inner))
        names.push_back(inner->getName());
    });
    return names;
  };
  SmallVector<OperationName> first = getNames(op.getPaths().front());
  return op.getPaths().size() > 1 &&
         llvm::all_of(op.getPaths(),
                      [&](Region &path) { return getNames(path) == first; });
}

/// Adds the operations on the rows of all paths, up to the combines.
void RouteCost::addRows(RouteOp route) {
  int64_t numPaths = route.getRoutes().getType().getPaths();
  double unit = std::max<double>(
      dims.getEstimate(route.getRoutes().getType().getRows()), 1);
  llvm::SetVector<Operation *> users;
  for (Operation *user : route->getUsers())
    if (isa<DispatchOp>(user))
      users.insert_range(user->getUsers());
  Work rows;
  for (unsigned i = 0; i < users.size(); ++i) {
    Operation *op = users[i];
    if (isa<CellDialect>(op->getDialect()) ||
        op->hasTrait<OpTrait::IsTerminator>())
      continue;
    isEquivalent |= isa<dhlo::GroupedDotOp, dhlo::GroupedConvolutionOp>(op);
    add(rows, op, unit, 1);
    users.insert_range(op->getUsers());
  }
  for (Part &part : rows)
    part.bytes /= numPaths;
  for (Work &path : paths)
    llvm::append_range(path, rows);
}

RouteCost::RouteCost(RouteOp route, const SymbolicDims &dims,
                     const TargetInfo &target)
    : dims(dims), target(target), cpu(target.cpu),
      paths(route.getRoutes().getType().getPaths()) {
  RoutesType type = route.getRoutes().getType();
  double cells = std::max<double>(dims.getEstimate(type.getCells()), 1);
  for (Operation &op : route.getRouter().front().without_terminator())
    add(router, &op, cells, 1);
  addRouterOperands(route, cells);
  bool hasSwitch = false;
  for (Operation *user : route->getUsers()) {
    auto branch = dyn_cast<SwitchOp>(user);
    if (!branch)
      continue;
    isEquivalent = haveEqualOperations(branch) && (isEquivalent || !hasSwitch);
    hasSwitch = true;
    for (auto [path, region] : llvm::enumerate(branch.getPaths())) {
      auto count = cast<FlatSymbolRefAttr>(branch.getCounts()[path]);
      double unit = std::max<double>(
          dims.getEstimate(dhlo::getSymbolDim(count.getAttr())), 1);
      for (Operation &op : region.front().without_terminator())
        add(paths[path], &op, unit, 1);
    }
  }
  if (!hasSwitch)
    addRows(route);
}
