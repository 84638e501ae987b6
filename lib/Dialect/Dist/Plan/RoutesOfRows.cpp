//===- RoutesOfRows.cpp - A router and its paths, for a planner -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutesOfRows.h"

#include "dyn/Dialect/Cell/Analysis/RouteCost.h"
#include "dyn/Dialect/DHLO/Analysis/RouteLoad.h"
#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dhlo::DimExpr;

namespace {
class RoutesReader {
public:
  RoutesReader(cell::RouteOp route, const SymbolicDims &dims,
               llvm::function_ref<double(DimExpr)> evaluate)
      : route(route), dims(dims), evaluate(evaluate) {}

  plan::Routes read(const PathRows &rows);

private:
  double getBytes(Value value) const;
  double countOperations(Operation *op) const;
  void addSwitch(cell::SwitchOp op);
  /// Whether the kernel that computes an operand by path computes this, too.
  bool isByPath(Operation *op) const;
  /// Adds an operation that computes all rows.
  void addRowWise(Operation *op, double perRow);

  cell::RouteOp route;
  const SymbolicDims &dims;
  llvm::function_ref<double(DimExpr)> evaluate;
  plan::Routes routes;
  /// Operations that compute each path's own rows.
  llvm::SmallPtrSet<Operation *, 8> byPath;
};
} // namespace

double RoutesReader::getBytes(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  return evaluate(dims.getNumElements(type)) *
         ((type.getElementTypeBitWidth() + 7) / 8);
}

double RoutesReader::countOperations(Operation *op) const {
  double operations = evaluate(dyn::countOperations(op, dims));
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      operations += countOperations(&inner);
  return operations;
}

void RoutesReader::addSwitch(cell::SwitchOp op) {
  for (auto [region, count, path] :
       llvm::zip_equal(op.getPaths(), op.getCounts(), routes.paths)) {
    // Operations of as many rows as sizes say.
    double rows =
        evaluate(dhlo::getSymbolDim(cast<FlatSymbolRefAttr>(count).getAttr()));
    llvm::SetVector<Value> weights;
    for (Operation &inner : region.front().without_terminator()) {
      path.operations +=
          countOperations(&inner) * path.rows / std::max(rows, 1.0);
      inner.walk([&](Operation *each) {
        for (Value operand : each->getOperands())
          if (cell::getWeightBytes(operand))
            weights.insert(operand);
      });
    }
    for (Value weight : weights)
      path.weightBytes += double(cell::getWeightBytes(weight));
  }
}

bool RoutesReader::isByPath(Operation *op) const {
  return op->hasTrait<dhlo::Elementwise>() &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           Operation *source = operand.getDefiningOp();
           return source && !isa<cell::SwitchOp>(source) &&
                  byPath.contains(source) &&
                  llvm::all_of(operand.getUsers(), [](Operation *user) {
                    return user->hasTrait<dhlo::Elementwise>();
                  });
         });
}

// Operations in a row become one kernel, whose values between them are not in
// memory, and a combine reads what it adds from such a kernel.

void RoutesReader::addRowWise(Operation *op, double perRow) {
  routes.rowOperations += countOperations(op) * perRow;
  bool isKernel = op->hasTrait<dhlo::Contraction>();
  for (Value result : op->getResults()) {
    double bytes = getBytes(result) * perRow;
    if (isKernel || llvm::any_of(result.getUsers(), [&](Operation *user) {
          return byPath.contains(user);
        }))
      routes.rowBytes += bytes;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source &&
          (byPath.contains(source) || source->hasTrait<dhlo::Contraction>()))
        routes.rowBytes += std::min(bytes, getBytes(operand) * perRow);
  }
}

plan::Routes RoutesReader::read(const PathRows &rows) {
  cell::RoutesType type = route.getRoutes().getType();
  double all = evaluate(type.getRows()), perRow = 1 / std::max(all, 1.0);
  RouteLoad load = RouteLoad::of(route, type.getPaths());
  for (int64_t path = 0; path < type.getPaths(); ++path)
    routes.paths.push_back({load.getExpectedRows(path, all)});
  routes.isDivided = choosesApart(route);
  for (OpOperand *operand : rows.stacked)
    if (operand->getOwner()->hasTrait<dhlo::Contraction>())
      byPath.insert(operand->getOwner());
  for (Operation *op : rows.operations)
    if (isa<cell::SwitchOp>(op))
      byPath.insert(op);
  for (Operation *op : rows.operations) {
    if (auto branch = dyn_cast<cell::SwitchOp>(op)) {
      addSwitch(branch);
    } else if (auto dispatch = dyn_cast<cell::DispatchOp>(op)) {
      routes.bytesToPaths += getBytes(dispatch.getRows()) * perRow;
    } else if (auto combine = dyn_cast<cell::CombineOp>(op)) {
      routes.bytesToHome += getBytes(combine.getRows()) * perRow;
    } else if (byPath.contains(op) || isByPath(op)) {
      byPath.insert(op);
      double operations = countOperations(op) * perRow;
      for (plan::Path &path : routes.paths)
        path.operations += operations * path.rows;
    } else if (!isa<cell::CellDialect>(op->getDialect())) {
      addRowWise(op, perRow);
    }
  }
  for (OpOperand *operand : rows.stacked)
    for (plan::Path &path : routes.paths)
      path.weightBytes += getBytes(operand->get()) / type.getPaths();
  return std::move(routes);
}

plan::Routes dist::getRoutes(cell::RouteOp route, const PathRows &rows,
                             const SymbolicDims &dims,
                             llvm::function_ref<double(DimExpr)> evaluate) {
  return RoutesReader(route, dims, evaluate).read(rows);
}
