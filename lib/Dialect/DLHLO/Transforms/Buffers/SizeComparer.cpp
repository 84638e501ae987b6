//===- SizeComparer.cpp - Comparisons of many sizes -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeComparer.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;

SizeComparer::SizeComparer(const SymbolicDims &dims) : dims(dims) {
  for (auto dim : dims.getOperation()->getRegion(0).getOps<dhlo::DimOp>())
    declarations[dim.getSymNameAttr()] = dim;
}

/// A value that the declaration allows. Those of two symbols are independent,
/// so that points order most sizes both ways.
std::optional<int64_t> SizeComparer::getValue(StringAttr symbol,
                                              unsigned point) {
  if (auto known = symbols.find({symbol, point}); known != symbols.end())
    return known->second;
  auto evaluate = [&](DimExpr expr) {
    return dhlo::evaluate(
        expr, [&](StringAttr name) { return getValue(name, point); });
  };
  std::optional<int64_t> value;
  dhlo::DimOp dim = declarations.lookup(symbol);
  if (dim && dim.getDefinitionAttr()) {
    value = evaluate(dim.getDefinitionAttr());
  } else {
    constexpr int64_t kSpreads[] = {5, 7, 13, 23, 47, 101, 499, 1009};
    static_assert(std::size(kSpreads) == std::tuple_size_v<Values>);
    SymbolicDims::Range range = dims.getRange(dhlo::getSymbolDim(symbol));
    int64_t min = std::max<int64_t>(range.min, 0), max = range.max;
    if (dim && dim.getAtMostAttr())
      max = std::min(max, evaluate(dim.getAtMostAttr()).value_or(-1));
    int64_t step =
        std::max<int64_t>(dims.getMultipleOf(dhlo::getSymbolDim(symbol)), 1);
    uint64_t hash = llvm::xxh3_64bits(symbol.getValue()) >> (8 * point);
    int64_t first = llvm::divideCeil(min, step), last = max / step;
    if (first <= last) {
      int64_t most = std::min(last - first, kSpreads[point] - 1);
      value = step * (first + static_cast<int64_t>(hash % (most + 1)));
    }
  }
  return symbols[{symbol, point}] = value;
}

const SizeComparer::Values &SizeComparer::getValues(DimExpr expr) {
  auto [known, isNew] = values.try_emplace(expr);
  if (isNew)
    for (unsigned point = 0; point != known->second.size(); ++point)
      known->second[point] = dhlo::evaluate(
          expr, [&](StringAttr name) { return getValue(name, point); });
  return known->second;
}

bool SizeComparer::isEqual(DimExpr lhs, DimExpr rhs) {
  if (lhs == rhs)
    return true;
  const Values left = getValues(lhs), right = getValues(rhs);
  for (auto [a, b] : llvm::zip_equal(left, right))
    if (a && b && *a != *b)
      return false;
  ++numProofs;
  return dims.isEqual(lhs, rhs);
}

bool SizeComparer::isAtMost(DimExpr lhs, DimExpr rhs) {
  if (lhs == rhs)
    return true;
  const Values left = getValues(lhs), right = getValues(rhs);
  for (auto [a, b] : llvm::zip_equal(left, right))
    if (a && b && *a > *b)
      return false;
  ++numProofs;
  return dims.isAtMost(lhs, rhs);
}
