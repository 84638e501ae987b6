//===- Reductions.cpp - Reductions ----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisView.h"
#include "Evaluator.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Combining functions
//===----------------------------------------------------------------------===//

/// The result of a reduction of no elements. C is the computing type, T the
/// element type.
template <typename T, typename C = ComputeType<T>>
static C getNeutral(dhlo::ReduceKind kind) {
  using Limits = std::numeric_limits<C>;
  constexpr bool isFloat = std::is_floating_point_v<C>;
  switch (kind) {
  case dhlo::ReduceKind::Sum:
  case dhlo::ReduceKind::Or:
    return C(0);
  case dhlo::ReduceKind::Prod:
  case dhlo::ReduceKind::And:
    return C(1);
  case dhlo::ReduceKind::Max:
    return isFloat ? -Limits::infinity() : Limits::lowest();
  case dhlo::ReduceKind::Min:
    return isFloat ? Limits::infinity() : Limits::max();
  }
  llvm_unreachable("all kinds are covered");
}

template <typename C> static C combine(dhlo::ReduceKind kind, C lhs, C rhs) {
  switch (kind) {
  case dhlo::ReduceKind::Sum:
    return wrapAdd(lhs, rhs);
  case dhlo::ReduceKind::Prod:
    return wrapMul(lhs, rhs);
  case dhlo::ReduceKind::Max:
    return maximum(lhs, rhs);
  case dhlo::ReduceKind::Min:
    return minimum(lhs, rhs);
  case dhlo::ReduceKind::And:
    return C(bool(lhs) && bool(rhs));
  case dhlo::ReduceKind::Or:
    return C(bool(lhs) || bool(rhs));
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether x replaces the best element so far.
template <typename C>
static bool isBetter(dhlo::ArgKind kind, bool last, C x, C best) {
  if constexpr (std::is_floating_point_v<C>) {
    if (best != best)
      return last && x != x;
    if (x != x)
      return true;
  }
  if (x == best)
    return last;
  return kind == dhlo::ArgKind::Max ? x > best : x < best;
}

template <>
LogicalResult dyn::evaluate(dhlo::ArgReduceOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  int64_t axis = op.getAxis();
  SmallVector<int64_t> sizes(operand.getSizes());
  sizes.erase(sizes.begin() + axis);
  FailureOr<Tensor> result =
      state.allocate(op, op.getType().getElementType(), sizes);
  if (failed(result))
    return failure();
  AxisView view(operand.getSizes(), axis);
  int64_t size = view.size, inner = view.inner;
  if (size == 0)
    state.reportDataError(op, DataErrorKind::Index);
  dispatchNumber(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>();
    for (int64_t i = 0; i != result->getNumElements() && size; ++i) {
      int64_t start = view.getStart(i), best = 0;
      for (int64_t k = 1; k < size; ++k)
        if (isBetter<C>(op.getKind(), op.getLast(), in[start + k * inner],
                        in[start + best * inner]))
          best = k;
      if (result->getElementType().isInteger(32))
        result->getMutableData<int32_t>()[i] = best;
      else
        result->getMutableData<int64_t>()[i] = best;
    }
  });
  return state.set(op, op.getResult(), *result);
}

template <>
LogicalResult dyn::evaluate(dhlo::CumulativeOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  if (failed(result))
    return failure();
  AxisView view(operand.getSizes(), op.getAxis());
  int64_t size = view.size, inner = view.inner;
  dispatchNumber(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>();
    MutableArrayRef<T> out = result->getMutableData<T>();
    for (int64_t row = 0; row != view.getRows(); ++row) {
      int64_t start = view.getStart(row);
      C sum = getNeutral<T>(op.getKind());
      for (int64_t k = 0; k != size; ++k) {
        int64_t i = start + (op.getReverse() ? size - 1 - k : k) * inner;
        C next = combine<C>(op.getKind(), sum, in[i]);
        out[i] = T(op.getExclusive() ? sum : next);
        sum = next;
      }
    }
  });
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::ReduceOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  // Each element is combined with the result at its index in the other axes:
  // along the reduced axes the result's stride is 0.
  SmallVector<int64_t> sizes, strides(operand.getRank(), 0);
  for (int64_t axis = 0; axis != operand.getRank(); ++axis)
    if (!llvm::is_contained(op.getAxes(), axis))
      sizes.push_back(operand.getSize(axis));
  SmallVector<int64_t> resultStrides = getStrides(sizes);
  int64_t next = 0;
  for (int64_t axis = 0; axis != operand.getRank(); ++axis)
    if (!llvm::is_contained(op.getAxes(), axis))
      strides[axis] = resultStrides[next++];
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), sizes);
  if (failed(result))
    return failure();
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>();
    SmallVector<C> sums(result->getNumElements(), getNeutral<T>(op.getKind()));
    SmallVector<int64_t> index(operand.getRank());
    for (T element : in) {
      int64_t i = 0;
      for (auto [at, stride] : llvm::zip(index, strides))
        i += at * stride;
      sums[i] = combine<C>(op.getKind(), sums[i], element);
      increment(index, operand.getSizes());
    }
    llvm::transform(sums, result->getMutableData<T>().begin(),
                    [](C sum) { return T(sum); });
  });
  return state.set(op, op.getResult(), *result);
}

template <>
LogicalResult dyn::evaluate(dhlo::ReduceWindowOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<SmallVector<int64_t>> low = state.evaluateDims(op, op.getLow());
  FailureOr<SmallVector<int64_t>> high = state.evaluateDims(op, op.getHigh());
  if (failed(low) || failed(high))
    return failure();
  ArrayRef<int64_t> window = op.getWindow(), dilations = op.getDilations();
  SmallVector<int64_t> sizes;
  for (int64_t axis = 0; axis != operand.getRank(); ++axis) {
    int64_t span = dilations[axis] * (window[axis] - 1) + 1;
    int64_t room = (*low)[axis] + operand.getSize(axis) + (*high)[axis] - span;
    sizes.push_back(llvm::divideFloorSigned(room, op.getStrides()[axis]) + 1);
    if (sizes.back() < 0)
      return op.emitOpError("expected a window of at most ")
             << room + span << " elements along axis " << axis << ", found "
             << span;
  }
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), sizes);
  if (failed(result))
    return failure();
  SmallVector<int64_t> strides = getStrides(operand.getSizes());
  dispatchNumber(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>();
    SmallVector<int64_t> index(operand.getRank());
    for (T &out : result->getMutableData<T>()) {
      C sum = getNeutral<T>(op.getKind());
      SmallVector<int64_t> tap(operand.getRank());
      do {
        int64_t offset = 0;
        bool isInside = true;
        for (int64_t axis = 0; axis != operand.getRank(); ++axis) {
          int64_t i = index[axis] * op.getStrides()[axis] +
                      tap[axis] * dilations[axis] - (*low)[axis];
          isInside &= i >= 0 && i < operand.getSize(axis);
          offset += i * strides[axis];
        }
        if (isInside)
          sum = combine<C>(op.getKind(), sum, in[offset]);
      } while (increment(tap, window));
      out = T(sum);
      increment(index, sizes);
    }
  });
  return state.set(op, op.getResult(), *result);
}

SmallVector<int64_t> dyn::readOffsets(Operation *op, const Tensor &offsets,
                                      int64_t rows, Evaluator &state) {
  SmallVector<int64_t> starts;
  for (int64_t i = 0; i != offsets.getNumElements(); ++i) {
    int64_t offset = offsets.getInt(i);
    int64_t least = starts.empty() ? 0 : starts.back();
    starts.push_back(std::clamp(offset, least, rows));
    if (starts.back() != offset)
      state.reportDataError(op, DataErrorKind::Index);
  }
  return starts;
}

template <>
LogicalResult dyn::evaluate(dhlo::SegmentReduceOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &offsets = state.get(op.getOffsets());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  int64_t rows = operand.getSize(0), segments = result->getSize(0);
  if (offsets.getNumElements() != segments + 1)
    return emitSizeMismatch(op, "the offsets", segments + 1,
                            offsets.getNumElements());
  int64_t inner = product(operand.getSizes().drop_front());
  SmallVector<int64_t> starts = readOffsets(op, offsets, rows, state);
  dispatchNumber(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>();
    MutableArrayRef<T> out = result->getMutableData<T>();
    for (int64_t i = 0; i != segments * inner; ++i) {
      C sum = getNeutral<T>(op.getKind());
      for (int64_t row = starts[i / inner]; row < starts[i / inner + 1]; ++row)
        sum = combine<C>(op.getKind(), sum, in[row * inner + i % inner]);
      out[i] = T(sum);
    }
  });
  return state.set(op, op.getResult(), *result);
}
