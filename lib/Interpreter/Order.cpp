//===- Order.cpp - Sorting and finding ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisView.h"
#include "Evaluator.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace dyn;

/// Writes the first `count` elements along the axis in sorted order, and their
/// original indices. Equal elements keep their order.
static void sortAxis(const Tensor &operand, int64_t axis, bool descending,
                     Tensor &values, Tensor &indices) {
  AxisView in(operand.getSizes(), axis), out(values.getSizes(), axis);
  SmallVector<int64_t> order(in.size);
  MutableArrayRef<int64_t> positions = indices.getMutableData<int64_t>();
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> source = operand.getData<T>();
    MutableArrayRef<T> target = values.getMutableData<T>();
    for (int64_t o = 0; o != in.outer; ++o)
      for (int64_t n = 0; n != in.inner; ++n) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(
            order.begin(), order.end(), [&](int64_t lhs, int64_t rhs) {
              C x = source[in.at(o, lhs, n)], y = source[in.at(o, rhs, n)];
              return descending ? isLess(y, x) : isLess(x, y);
            });
        for (int64_t i = 0; i != out.size; ++i) {
          target[out.at(o, i, n)] = source[in.at(o, order[i], n)];
          positions[out.at(o, i, n)] = order[i];
        }
      }
  });
}

template <> LogicalResult dyn::evaluate(dhlo::NonzeroOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  SmallVector<int64_t> found;
  int64_t rank = operand.getRank(), count = 0;
  SmallVector<int64_t> index(rank);
  for (int64_t i = 0; i != operand.getNumElements(); ++i) {
    // NaN is not zero. A 64-bit integer may round to a float, but not to 0.
    if (operand.getDouble(i) != 0) {
      llvm::append_range(found, index);
      ++count;
    }
    increment(index, operand.getSizes());
  }
  StringAttr symbol = op.getCountAttr().getAttr();
  state.bindDim(symbol, count);
  if (dhlo::DimOp dim = state.getDeclaration(symbol))
    if (dim.getMax() && count > int64_t(*dim.getMax()))
      return op.emitOpError("expected at most ")
             << int64_t(*dim.getMax()) << " elements that are not zero, found "
             << count;
  FailureOr<Tensor> result =
      state.allocate(op, op.getType().getElementType(), {count, rank});
  if (failed(result))
    return failure();
  llvm::copy(found, result->getMutableData<int64_t>().begin());
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::SortOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> values =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  FailureOr<Tensor> indices = state.allocate(
      op, op.getIndices().getType().getElementType(), operand.getSizes());
  if (failed(values) || failed(indices))
    return failure();
  sortAxis(operand, op.getAxis(), op.getDescending(), *values, *indices);
  if (failed(state.set(op, op.getValues(), *values)))
    return failure();
  return state.set(op, op.getIndices(), *indices);
}

template <> LogicalResult dyn::evaluate(dhlo::TopKOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> values = state.allocate(op, op.getValues().getType());
  FailureOr<Tensor> indices = state.allocate(op, op.getIndices().getType());
  if (failed(values) || failed(indices))
    return failure();
  int64_t axis = op.getAxis();
  for (int64_t a = 0; a != operand.getRank(); ++a)
    if (a != axis && values->getSize(a) != operand.getSize(a))
      return emitSizeMismatch(op, "axis " + Twine(a) + " of the result",
                              operand.getSize(a), values->getSize(a));
  if (values->getSize(axis) > operand.getSize(axis))
    return op.emitOpError("expected at most ")
           << operand.getSize(axis) << " elements along axis " << axis
           << ", found " << values->getSize(axis);
  if (values->getSizes() != indices->getSizes())
    return op.emitOpError("expected values and indices of the same sizes");
  sortAxis(operand, axis, op.getLargest(), *values, *indices);
  if (failed(state.set(op, op.getValues(), *values)))
    return failure();
  return state.set(op, op.getIndices(), *indices);
}

/// Whether the boxes, each two lower and two upper bounds, overlap.
template <typename T> static bool overlap(const T *a, const T *b, T threshold) {
  T shared = 1;
  for (int64_t axis : {0, 1}) {
    T side = std::min(a[axis + 2], b[axis + 2]) - std::max(a[axis], b[axis]);
    if (!(side > 0))
      return false;
    shared *= side;
  }
  auto area = [](const T *box) -> T {
    return (box[2] - box[0]) * (box[3] - box[1]);
  };
  T first = area(a), second = area(b), both = first + second - shared;
  return shared > 0 && first > 0 && second > 0 && both > 0 &&
         shared / both > threshold;
}

/// Sets which boxes of a list are kept.
template <typename T>
static void suppress(ArrayRef<T> boxes, ArrayRef<Bool> candidates, T threshold,
                     int64_t most, MutableArrayRef<Bool> kept) {
  SmallVector<const T *> chosen;
  for (auto [i, isCandidate] : llvm::enumerate(candidates)) {
    const T *box = &boxes[4 * i];
    bool isKept =
        isCandidate && int64_t(chosen.size()) < most &&
        llvm::none_of(
            chosen,
            [&](const T *better) { return overlap(box, better, threshold); });
    kept[i] = Bool(isKept);
    if (isKept)
      chosen.push_back(box);
  }
}

template <> LogicalResult dyn::evaluate(dhlo::SuppressOp op, Evaluator &state) {
  const Tensor &boxes = state.get(op.getBoxes());
  const Tensor &candidates = state.get(op.getCandidates());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  if (candidates.getSizes() != boxes.getSizes().drop_back() ||
      candidates.getSizes() != result->getSizes() ||
      boxes.getSizes().back() != 4)
    return op.emitOpError("expected boxes and candidates of the same sizes");
  int64_t size = candidates.getSizes().back();
  int64_t most = state.get(op.getMost()).getData<int64_t>()[0];
  auto keep = [&](auto tag) {
    using T = decltype(tag);
    T threshold = state.get(op.getThreshold()).getData<T>()[0];
    for (int64_t i = 0; i < candidates.getNumElements(); i += size)
      suppress(boxes.getData<T>().slice(4 * i, 4 * size),
               candidates.getData<Bool>().slice(i, size), threshold, most,
               result->getMutableData<Bool>().slice(i, size));
  };
  if (boxes.getElementType().isF32())
    keep(float());
  else
    keep(double());
  return state.set(op, op.getResult(), *result);
}
