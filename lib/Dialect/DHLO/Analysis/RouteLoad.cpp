//===- RouteLoad.cpp - How rows are expected to spread over paths ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/RouteLoad.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dyn;

/// The sum of all shares.
static constexpr int64_t kWhole = 1024;

RouteLoad RouteLoad::of(Operation *op, int64_t paths) {
  RouteLoad load(paths);
  auto attr = op->getAttrOfType<dhlo::LoadAttr>(dhlo::DHLODialect::kLoadAttr);
  if (attr && int64_t(attr.getShares().size()) == paths)
    load.attr = attr;
  return load;
}

double RouteLoad::getShare(int64_t path) const {
  return attr ? double(attr.getShares()[path]) / kWhole : 1.0 / paths;
}

std::optional<int64_t> RouteLoad::getTypicalRows() const {
  return attr ? std::optional(attr.getRows()) : std::nullopt;
}

SmallVector<int64_t> RouteLoad::getPathsByLoad() const {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, paths));
  llvm::stable_sort(order, [&](int64_t lhs, int64_t rhs) {
    return getShare(lhs) > getShare(rhs);
  });
  return order;
}

dhlo::LoadAttr dyn::makeLoad(MLIRContext *context, ArrayRef<uint64_t> rows,
                             uint64_t calls) {
  double sum = 0;
  for (uint64_t count : rows)
    sum += count;
  if (sum == 0 || calls == 0)
    return {};
  // Shares are rounded down; the difference goes to the largest remainders.
  SmallVector<int64_t> shares;
  SmallVector<double> remainders;
  int64_t left = kWhole;
  for (uint64_t count : rows) {
    double exact = count / sum * kWhole;
    shares.push_back(int64_t(exact));
    remainders.push_back(exact - shares.back());
    left -= shares.back();
  }
  auto order = llvm::to_vector(llvm::seq<size_t>(0, rows.size()));
  llvm::stable_sort(order, [&](size_t lhs, size_t rhs) {
    return remainders[lhs] > remainders[rhs];
  });
  for (int64_t i = 0; i < left; ++i)
    ++shares[order[i % order.size()]];
  double typical = std::min(sum / calls, 1e18);
  return dhlo::LoadAttr::get(context, int64_t(typical + 0.5), shares);
}
