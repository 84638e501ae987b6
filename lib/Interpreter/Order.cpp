//===- Order.cpp - Sorting and finding ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace dyn;

namespace {
/// A tensor as outer x size x inner around an axis.
struct AxisView {
  AxisView(ArrayRef<int64_t> sizes, int64_t axis)
      : outer(product(sizes.take_front(axis))), size(sizes[axis]),
        inner(product(sizes.drop_front(axis + 1))) {}

  /// The index of element i along the axis, for a pair of outer and inner.
  int64_t at(int64_t o, int64_t i, int64_t n) const {
    return (o * size + i) * inner + n;
  }

  int64_t outer, size, inner;
};
} // namespace

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
