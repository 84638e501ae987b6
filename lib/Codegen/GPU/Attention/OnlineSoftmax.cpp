//===- OnlineSoftmax.cpp - Online softmax ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Elements/VectorMath.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;

OnlineSoftmax::OnlineSoftmax(KernelBuilder &b, int64_t threads)
    : maximum(b.number(-INFINITY, b.getF32Type())),
      sum(b.number(0, b.getF32Type())), threads(threads) {}

Value OnlineSoftmax::combine(
    KernelBuilder &b, Value v,
    llvm::function_ref<Value(Value, Value)> join) const {
  for (int64_t distance = threads / 2; distance > 0; distance /= 2)
    v = join(v, GpuThread(b).exchange(v, distance));
  return v;
}

/// `v`, or `instead` where it equals `what`.
static Value replace(KernelBuilder &b, Value v, double what, Value instead) {
  Value isWhat = arith::CmpFOp::create(b, CmpFPredicate::OEQ, v,
                                       b.number(what, v.getType()));
  return arith::SelectOp::create(b, isWhat, instead, v);
}

OnlineSoftmax::Step OnlineSoftmax::see(KernelBuilder &b, Value scores) {
  auto greater = [&](Value x, Value y) { return maximumOfNumbers(b, x, y); };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  };
  Value most = combine(b, combineLanes(b, scores, greater).front(), greater);
  Value next = greater(most, maximum);
  // If all scores so far are -inf: e^-inf, and not e^(-inf + inf).
  Value base = replace(b, next, -INFINITY, b.number(0, b.getF32Type()));
  auto emitExp = [&](Value x, int64_t lanes) {
    return vectormath::expOfDistance(
        b, arith::SubFOp::create(b, x, b.splat(base, lanes)));
  };
  int64_t lanes = cast<VectorType>(scores.getType()).getNumElements();
  Step step = {emitExp(scores, lanes), emitExp(maximum, 1)};
  maximum = next;
  sum = b.fma(sum, step.factor, combineLanes(b, step.weights, add).front());
  return step;
}

Value OnlineSoftmax::getFactor(KernelBuilder &b, Value emptySum) const {
  Value all = combine(b, sum, [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  });
  return arith::DivFOp::create(b, b.number(1, b.getF32Type()),
                               replace(b, all, 0, emptySum));
}

SmallVector<Value> SoftmaxRows::join() const {
  SmallVector<Value> all;
  for (const OnlineSoftmax &row : softmax)
    all.append({row.maximum, row.sum});
  all.append(sums);
  return all;
}

SoftmaxRows SoftmaxRows::split(ValueRange all, int64_t count, int64_t threads) {
  SoftmaxRows rows;
  for (int64_t r = 0; r < count; ++r)
    rows.softmax.emplace_back(threads, all[2 * r], all[2 * r + 1]);
  rows.sums.assign(all.begin() + 2 * count, all.end());
  return rows;
}
