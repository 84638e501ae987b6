//===- EmptyRowGuard.cpp - Guards of softmax against empty rows -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptyRowGuard.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

std::optional<EmptyRowGuard>
dhlo::matchEmptyRowGuard(SelectOp select, Interior &interior,
                         const SymbolicDims &dims) {
  Value predicate = select.getPredicate();
  // Whether the predicate is true where probabilities are kept.
  bool isKept = isSplat(select.getOnFalse(), 0);
  if (!isKept && !isSplat(select.getOnTrue(), 0))
    return std::nullopt;
  auto skipNegations = [&] {
    while (auto inner = predicate.getDefiningOp<NotOp>()) {
      interior.add(inner.getOperation());
      predicate = inner.getOperand();
      isKept = !isKept;
    }
  };
  EmptyRowGuard guard = {isKept ? select.getOnTrue() : select.getOnFalse(), {}};
  skipNegations();
  if (auto isNan = predicate.getDefiningOp<IsNanOp>()) {
    interior.add(isNan.getOperation());
    if (isKept || isNan.getOperand() != guard.probabilities)
      return std::nullopt;
    return guard;
  }

  int64_t last = select.getType().getRank() - 1;
  predicate = matchSpread(predicate, {last}, dims);
  if (!predicate)
    return std::nullopt;
  predicate = dropUnitAxes(predicate, dims);
  skipNegations();
  predicate = dropUnitAxes(predicate, dims);
  auto reduce = predicate.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getAxes() != ArrayRef<int64_t>{last} ||
      reduce.getKind() != (isKept ? ReduceKind::Or : ReduceKind::And))
    return std::nullopt;
  interior.add(reduce.getOperation());
  predicate = reduce.getOperand();
  skipNegations();
  auto compare = predicate.getDefiningOp<CompareOp>();
  auto wanted = isKept ? CompareDirection::NE : CompareDirection::EQ;
  if (!compare || compare.getDirection() != wanted ||
      !isSplat(compare.getRhs(), -INFINITY))
    return std::nullopt;
  interior.add(compare.getOperation());
  guard.scores = compare.getLhs();
  return guard;
}
