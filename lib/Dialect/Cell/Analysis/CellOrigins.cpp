//===- CellOrigins.cpp - Which routers route the same cells ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/CellOrigins.h"

#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

std::optional<CellAxes>
CellOrigins::getReshapedAxes(dhlo::ReshapeOp op, ArrayRef<int64_t> axes) const {
  auto from = op.getType();
  auto to = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<dhlo::DimExpr> sizes;
  for (int64_t axis : axes)
    sizes.push_back(dims.getDim(op.getResult(), axis));
  if (auto same = CellFlow(dims, sizes).reshape(from, axes, to))
    return same;
  // One axis of all cells becomes the axes of their coordinates.
  if (axes.size() != 1)
    return std::nullopt;
  for (const AxisGroup &group :
       getReshapeGroups(dhlo::getDims(from), dhlo::getDims(to), dims))
    if (group.isProven && ArrayRef<int64_t>(group.from) == axes)
      return CellAxes(group.to);
  return std::nullopt;
}

std::optional<SmallVector<CellOrigins::Holder>>
CellOrigins::getMovedSources(Operation *op, const Holder &holder) const {
  SmallVector<Holder> sources;
  bool isFirst = holder.axes == CellAxes{0};
  auto isWhole = [](ArrayRef<int64_t> block) {
    return llvm::all_of(block, [](int64_t size) { return size == 1; });
  };
  if (auto split = dyn_cast<SplitOp>(op)) {
    if (isFirst && isWhole(split.getBlock()))
      sources.push_back(
          {split.getOperand(), CellAxes(split.getAxes()), holder.routes});
    return sources;
  }
  if (auto join = dyn_cast<JoinOp>(op)) {
    if (ArrayRef(holder.axes) == join.getAxes() && isWhole(join.getBlock()))
      sources.push_back({join.getOperand(), {0}, holder.routes});
    return sources;
  }
  if (auto combine = dyn_cast<CombineOp>(op)) {
    if (!isFirst || holder.routes)
      return sources;
    sources.push_back({combine.getRows(), {0}, combine.getRoutes()});
    if (Value otherwise = combine.getOtherwise())
      sources.push_back({otherwise, {0}, Value()});
    return sources;
  }
  if (auto dispatch = dyn_cast<DispatchOp>(op)) {
    if (isFirst && holder.routes == dispatch.getRoutes())
      sources.push_back({dispatch.getCells(), {0}, Value()});
    return sources;
  }
  unsigned result = cast<OpResult>(holder.value).getResultNumber();
  if (auto branch = dyn_cast<SwitchOp>(op)) {
    if (isFirst && holder.routes == branch.getRoutes())
      for (Region &path : branch.getPaths())
        sources.push_back({path.front().getTerminator()->getOperand(result),
                           {0},
                           holder.routes});
    return sources;
  }
  if (isa<dhlo::IfOp>(op)) {
    for (Region &region : op->getRegions())
      sources.push_back({region.front().getTerminator()->getOperand(result),
                         holder.axes, holder.routes});
    return sources;
  }
  if (auto loop = dyn_cast<dhlo::WhileOp>(op)) {
    // The body may run often or never.
    sources.push_back({loop.getInits()[result], holder.axes, holder.routes});
    sources.push_back(
        {loop.getBody().front().getTerminator()->getOperand(result + 1),
         holder.axes, holder.routes});
    return sources;
  }
  return std::nullopt;
}

SmallVector<CellOrigins::Holder>
CellOrigins::getSourcesOfArgument(BlockArgument argument,
                                  const Holder &holder) const {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto route = dyn_cast<RouteOp>(parent))
    return {{route.getInputs()[number], holder.axes, holder.routes}};
  if (auto loop = dyn_cast<dhlo::WhileOp>(parent))
    return {{loop.getInits()[number], holder.axes, holder.routes}};
  // Rows of the switch that the search went through, not those of a router in
  // one of its paths: these are the cells of that path alone.
  auto branch = dyn_cast<SwitchOp>(parent);
  if (branch && holder.routes == branch.getRoutes())
    return {{branch.getInputs()[number], holder.axes, holder.routes}};
  return {};
}

SmallVector<CellOrigins::Holder>
CellOrigins::getSources(const Holder &holder) const {
  if (auto argument = dyn_cast<BlockArgument>(holder.value))
    return getSourcesOfArgument(argument, holder);
  Operation *op = holder.value.getDefiningOp();
  if (auto moved = getMovedSources(op, holder))
    return *moved;
  SmallVector<Holder> result;
  if (auto reshape = dyn_cast<dhlo::ReshapeOp>(op)) {
    if (auto axes = getReshapedAxes(reshape, holder.axes))
      result.push_back({reshape.getOperand(), *axes, holder.routes});
    return result;
  }
  SmallVector<dhlo::DimExpr> sizes;
  for (int64_t axis : holder.axes)
    sizes.push_back(dims.getDim(holder.value, axis));
  CellFlow flow(dims, sizes);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto axes =
        flow.getOperandAxes(op, operand.getOperandNumber(), holder.axes);
    // Elements that are repeated for all cells belong to none.
    if (axes && llvm::all_of(*axes, [](int64_t axis) { return axis >= 0; }))
      result.push_back({operand.get(), *axes, holder.routes});
  }
  return result;
}

unsigned CellOrigins::getNumber(const Holder &holder) {
  SmallVector<unsigned, 1> &known = numbers[holder.value];
  for (unsigned number : known)
    if (holders[number].axes == holder.axes &&
        holders[number].routes == holder.routes)
      return number;
  known.push_back(holders.size());
  holders.push_back(holder);
  sources.emplace_back();
  routersAt.emplace_back();
  return known.back();
}

SmallVector<RouteOp> CellOrigins::add(RouteOp route) {
  auto choose = cast<ChooseOp>(route.getRouter().front().getTerminator());
  llvm::SetVector<unsigned> origins;
  origins.insert(getNumber({choose.getChoices(), {0}, Value()}));
  SmallVector<bool> isShared(routers.size(), false);
  for (unsigned i = 0; i < origins.size(); ++i) {
    unsigned number = origins[i];
    if (!sources[number]) {
      SmallVector<unsigned, 2> found;
      for (const Holder &source : getSources(Holder(holders[number])))
        found.push_back(getNumber(source));
      sources[number] = std::move(found);
    }
    for (unsigned source : *sources[number])
      origins.insert(source);
    for (unsigned router : routersAt[number])
      isShared[router] = true;
    routersAt[number].push_back(routers.size());
  }
  SmallVector<RouteOp> shared;
  for (auto [router, is] : llvm::zip_equal(routers, isShared))
    if (is)
      shared.push_back(router);
  routers.push_back(route);
  return shared;
}
