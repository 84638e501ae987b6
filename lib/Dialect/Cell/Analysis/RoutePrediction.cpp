//===- RoutePrediction.cpp - Predictions of the choices of routers --------===//
//-----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/RoutePrediction.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

std::optional<int64_t> cell::getMostChoices(RouteOp route) {
  auto choose = cast<ChooseOp>(route.getRouter().front().getTerminator());
  int64_t choices = choose.getChoices().getType().getDimSize(1);
  return ShapedType::isDynamic(choices) ? std::nullopt : std::optional(choices);
}

bool cell::hasOneChoice(RouteOp route) { return getMostChoices(route) == 1; }

static int64_t getNumPaths(RouteOp route) {
  return route.getRoutes().getType().getPaths();
}

/// The share of `part` in 1024ths, rounded down: a prediction is never said to
/// be better than it was.
static int64_t getShare(double part, double whole) {
  return std::min(int64_t(part / whole * kWholeShare), kWholeShare);
}

PredictionAttr cell::predictMajority(RouteOp route,
                                     const ProfileWindow &counts) {
  double rows = counts.getRows();
  std::optional<int64_t> most = getMostChoices(route);
  if (route.getCapacity() || !most || rows == 0)
    return {};
  // The paths of a cell that has any.
  double cells = std::max<double>(double(counts.cells) - counts.dropped, 1);
  int64_t number = std::clamp<int64_t>(
      int64_t(rows / cells + 0.5), 1,
      std::min(std::max<int64_t>(*most, 1), getNumPaths(route)));
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, getNumPaths(route)));
  llvm::stable_sort(order, [&](int64_t lhs, int64_t rhs) {
    return counts.load[lhs] > counts.load[rhs];
  });
  order.truncate(number);
  double right = 0;
  for (int64_t path : order)
    right += counts.load[path];
  llvm::sort(order);
  double predicted = double(counts.cells) * number;
  return PredictionAttr::get(route.getContext(), PredictionKind::Majority,
                             StringAttr(), order,
                             getShare(right, std::max(rows, predicted)));
}

PredictionAttr cell::predictAfter(RouteOp route, RouteOp before, StringAttr key,
                                  const ProfileWindow &counts) {
  double rows = counts.getRows();
  if (route.getCapacity() || rows == 0 || counts.transitions.empty() ||
      !hasOneChoice(route) || !hasOneChoice(before) ||
      getNumPaths(before) == 1 || getNumPaths(route) == 1)
    return {};
  // A path from which no cell came is followed by the path of most rows.
  int64_t hottest = llvm::max_element(counts.load) - counts.load.begin();
  SmallVector<int64_t> paths(getNumPaths(before), hottest);
  SmallVector<uint64_t> most(getNumPaths(before), 0);
  for (auto [fromTo, count] : counts.transitions.getSorted())
    if (uint64_t &best = most[fromTo.first]; count > best) {
      best = count;
      paths[fromTo.first] = fromTo.second;
    }
  double right = 0;
  for (uint64_t count : most)
    right += count;
  return PredictionAttr::get(
      route.getContext(), PredictionKind::After, key, paths,
      getShare(right, std::max<double>(rows, counts.cells)));
}

SmallVector<PredictionAttr> cell::getPredictions(RouteOp route) {
  SmallVector<PredictionAttr> predictions;
  auto attrs = route->getAttrOfType<ArrayAttr>(kPredictionsAttr);
  if (!attrs || route.getCapacity())
    return predictions;
  for (Attribute attr : attrs) {
    auto prediction = dyn_cast<PredictionAttr>(attr);
    if (prediction && llvm::all_of(prediction.getPaths(), [&](int64_t path) {
          return path >= 0 && path < getNumPaths(route);
        }))
      predictions.push_back(prediction);
  }
  llvm::stable_sort(predictions, [](PredictionAttr lhs, PredictionAttr rhs) {
    return lhs.getShare() > rhs.getShare();
  });
  return predictions;
}
