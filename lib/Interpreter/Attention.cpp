//===- Attention.cpp - Attention ------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include <cmath>

using namespace mlir;
using namespace dyn;

namespace {
/// Sizes of an attention, with the letters of its description.
struct Sizes {
  LogicalResult initialize(Operation *op, const Tensor &query,
                           const Tensor &key, const Tensor &value,
                           const Tensor *mask);

  int64_t B, H, S, D, G, T, E;
  /// Steps of the mask along each axis; 0 where its size is 1.
  SmallVector<int64_t> maskStrides;
};
} // namespace

LogicalResult Sizes::initialize(Operation *op, const Tensor &query,
                                const Tensor &key, const Tensor &value,
                                const Tensor *mask) {
  B = query.getSize(0), H = query.getSize(1), S = query.getSize(2);
  D = query.getSize(3), G = key.getSize(1), T = key.getSize(2);
  E = value.getSize(3);
  auto check = [&](StringRef what, const Tensor &tensor,
                   ArrayRef<int64_t> expected) -> LogicalResult {
    for (int64_t axis = 0; axis != 4; ++axis)
      if (tensor.getSize(axis) != expected[axis])
        return emitSizeMismatch(op, "axis " + Twine(axis) + " of the " + what,
                                expected[axis], tensor.getSize(axis));
    return success();
  };
  if (failed(check("key", key, {B, G, T, D})) ||
      failed(check("value", value, {B, G, T, E})))
    return failure();
  if (G == 0 ? H != 0 : H % G != 0)
    return op->emitOpError("expected a multiple of ")
           << G << " heads of the query, found " << H;
  if (!mask)
    return success();
  maskStrides = getStrides(mask->getSizes());
  int64_t scores[] = {B, H, S, T};
  for (int64_t axis = 0; axis != 4; ++axis) {
    if (mask->getSize(axis) == 1)
      maskStrides[axis] = 0;
    else if (mask->getSize(axis) != scores[axis])
      return emitSizeMismatch(op,
                              "axis " + Twine(axis) + " of the mask, or size 1",
                              scores[axis], mask->getSize(axis));
  }
  return success();
}

template <>
LogicalResult dyn::evaluate(dhlo::AttentionOp op, Evaluator &state) {
  const Tensor &query = state.get(op.getQuery()), &key = state.get(op.getKey());
  const Tensor &value = state.get(op.getValue());
  const Tensor *mask = op.getMask() ? &state.get(op.getMask()) : nullptr;
  Sizes sizes;
  if (failed(sizes.initialize(op, query, key, value, mask)))
    return failure();
  auto [B, H, S, D, G, T, E, maskStrides] = sizes;
  FailureOr<Tensor> result =
      state.allocate(op, query.getElementType(), {B, H, S, E});
  if (failed(result))
    return failure();
  bool removes = mask && mask->getElementType().isInteger(1);
  for (int64_t row = 0; row != B * H * S; ++row) {
    int64_t b = row / S / H, h = row / S % H, s = row % S;
    int64_t group = b * G + h / (H / G);
    dispatchFloat(query.getElementType(), [&](auto tag) {
      using Element = decltype(tag);
      using C = ComputeType<Element>;
      const C none = -std::numeric_limits<C>::infinity();
      ArrayRef<Element> q = query.getData<Element>().drop_front(row * D);
      ArrayRef<Element> k = key.getData<Element>().drop_front(group * T * D);
      ArrayRef<Element> v = value.getData<Element>().drop_front(group * T * E);
      SmallVector<C> scores(T, none);
      SmallVector<bool> isRemoved(T, false);
      C largest = none;
      for (int64_t t = 0; t != T; ++t) {
        int64_t at = 0;
        if (mask)
          at = b * maskStrides[0] + h * maskStrides[1] + s * maskStrides[2] +
               t * maskStrides[3];
        isRemoved[t] = (op.getCausal() && t > s + T - S) ||
                       (removes && !mask->getData<Bool>()[at]);
        if (isRemoved[t])
          continue;
        C sum = 0;
        for (int64_t d = 0; d != D; ++d)
          sum = std::fma(C(q[d]), C(k[t * D + d]), sum);
        scores[t] = sum * C(op.getScale().convertToDouble());
        if (auto cap = op.getCap()) {
          C most = C(cap->convertToDouble());
          scores[t] = most * C(std::tanh(double(scores[t] / most)));
        }
        if (mask && !removes)
          scores[t] += C(mask->getData<Element>()[at]);
        largest = maximum(largest, scores[t]);
      }
      MutableArrayRef<Element> out =
          result->getMutableData<Element>().slice(row * E, E);
      // All keys are removed, by booleans or by adding -inf.
      if (largest == none) {
        if (op.getNanIfEmpty() && T != 0)
          llvm::fill(out, Element(std::numeric_limits<C>::quiet_NaN()));
        return;
      }
      C total = 0;
      for (int64_t t = 0; t != T; ++t) {
        scores[t] =
            isRemoved[t] ? C(0) : C(std::exp(double(scores[t] - largest)));
        total += scores[t];
      }
      for (int64_t e = 0; e != E; ++e) {
        C sum = 0;
        for (int64_t t = 0; t != T; ++t)
          if (!isRemoved[t])
            sum = std::fma(scores[t], C(v[t * E + e]), sum);
        out[e] = Element(sum / total);
      }
    });
  }
  return state.set(op, op.getResult(), *result);
}
