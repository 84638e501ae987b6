//===- Movement.cpp - Operations that only move elements ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "OpaqueBytes.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {} // namespace

void dyn::copyStrided(const Tensor &in, int64_t offset,
                      ArrayRef<int64_t> strides, Tensor &out) {
  if (out.getNumElements() == 0)
    return;
  dispatchBytes(in.getElementBytes(), [&](auto tag) {
    using T = decltype(tag);
    const T *source = in.getData<T>().data() + offset;
    T *target = out.getMutableData<T>().data();
    // Element by element along the last axis, by index over the others.
    int64_t rank = out.getRank();
    int64_t inner = rank ? out.getSizes().back() : 1;
    int64_t step = rank ? strides.back() : 0;
    ArrayRef<int64_t> outer = out.getSizes().drop_back(rank != 0);
    SmallVector<int64_t> index(outer.size());
    do {
      int64_t start = 0;
      for (auto [i, stride] : llvm::zip(index, strides))
        start += i * stride;
      for (int64_t i = 0; i != inner; ++i)
        *target++ = source[start + i * step];
    } while (increment(index, outer));
  });
}

void dyn::transpose(const Tensor &in, ArrayRef<int64_t> permutation,
                    Tensor &out) {
  SmallVector<int64_t> strides = getStrides(in.getSizes()), permuted;
  for (int64_t axis : permutation)
    permuted.push_back(strides[axis]);
  copyStrided(in, 0, permuted, out);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <>
LogicalResult dyn::evaluate(dhlo::BroadcastOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  SmallVector<int64_t> operandStrides = getStrides(operand.getSizes());
  SmallVector<int64_t> strides(result->getRank(), 0);
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    int64_t size = operand.getSize(i), expected = result->getSize(axis);
    if (size != 1 && size != expected)
      return emitSizeMismatch(op,
                              "axis " + Twine(i) + " of the operand, or size 1",
                              expected, size);
    strides[axis] = size == 1 ? 0 : operandStrides[i];
  }
  copyStrided(operand, 0, strides, *result);
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::ConcatOp op, Evaluator &state) {
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  int64_t axis = op.getAxis();
  // A row is contiguous: the axis and those after it.
  int64_t rows = product(result->getSizes().take_front(axis));
  int64_t inner = product(result->getSizes().drop_front(axis + 1)) *
                  result->getElementBytes();
  int64_t rowBytes = inner * result->getSize(axis), offset = 0;
  char *out = result->getMutableBytes().data();
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    const Tensor &operand = state.get(value);
    for (int64_t a = 0; a != operand.getRank(); ++a)
      if (a != axis && operand.getSize(a) != result->getSize(a))
        return emitSizeMismatch(op,
                                "axis " + Twine(a) + " of operand " + Twine(i),
                                result->getSize(a), operand.getSize(a));
    int64_t bytes = inner * operand.getSize(axis);
    if (offset + bytes > rowBytes)
      break; // reported below
    for (int64_t row = 0; row != rows && bytes; ++row)
      std::memcpy(out + row * rowBytes + offset,
                  operand.getBytes().data() + row * bytes, bytes);
    offset += bytes;
  }
  int64_t sum = 0;
  for (Value value : op.getOperands())
    sum += state.get(value).getSize(axis);
  if (sum != result->getSize(axis))
    return emitSizeMismatch(op, "axis " + Twine(axis) + " of the result", sum,
                            result->getSize(axis));
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::IotaOp op, Evaluator &state) {
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  FailureOr<SmallVector<int64_t>> start = state.evaluateDims(op, op.getStart());
  FailureOr<SmallVector<int64_t>> step = state.evaluateDims(op, op.getStep());
  if (failed(result) || failed(start) || failed(step))
    return failure();
  assert(start->size() == 1 && step->size() == 1 && "verified (iota_c2)");
  int64_t axis = op.getAxis();
  int64_t size = result->getSize(axis);
  int64_t inner = product(result->getSizes().drop_front(axis + 1));
  dispatchNumber(result->getElementType(), [&](auto tag) {
    using T = decltype(tag);
    MutableArrayRef<T> out = result->getMutableData<T>();
    for (size_t i = 0; i != out.size(); ++i) {
      int64_t value = wrapAdd(
          start->front(), wrapMul(step->front(), int64_t(i) / inner % size));
      out[i] = T(ComputeType<T>(value));
    }
  });
  return state.set(op, op.getResult(), *result);
}

/// The index in [0, size) that a padding mode reads for `index` outside of it.
static int64_t getPadSource(dhlo::PadMode mode, int64_t index, int64_t size) {
  switch (mode) {
  case dhlo::PadMode::Constant:
    return -1;
  case dhlo::PadMode::Edge:
    return index < 0 ? 0 : size - 1;
  case dhlo::PadMode::Wrap:
    return ((index % size) + size) % size;
  case dhlo::PadMode::Reflect: {
    // The mirror image repeats with this period; one element is its own image.
    int64_t period = std::max<int64_t>(2 * (size - 1), 1);
    int64_t position = ((index % period) + period) % period;
    return position < size ? position : period - position;
  }
  }
  llvm_unreachable("all modes are covered");
}

template <> LogicalResult dyn::evaluate(dhlo::PadOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &value = state.get(op.getValue());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  FailureOr<SmallVector<int64_t>> low = state.evaluateDims(op, op.getLow());
  FailureOr<SmallVector<int64_t>> high = state.evaluateDims(op, op.getHigh());
  if (failed(result) || failed(low) || failed(high))
    return failure();
  dhlo::PadMode mode = op.getMode();
  for (int64_t axis = 0; axis != operand.getRank(); ++axis) {
    int64_t size = operand.getSize(axis);
    int64_t expected = size + (*low)[axis] + (*high)[axis];
    if (result->getSize(axis) != expected)
      return emitSizeMismatch(op, "axis " + Twine(axis) + " of the result",
                              expected, result->getSize(axis));
    if (mode != dhlo::PadMode::Constant && size == 0 && expected > 0)
      return op.emitOpError("expected elements to repeat along axis ")
             << axis << ", found size 0";
  }
  if (result->getNumElements() == 0)
    return state.set(op, op.getResult(), *result);
  SmallVector<int64_t> strides = getStrides(operand.getSizes());
  SmallVector<int64_t> index(result->getRank());
  int64_t bytes = result->getElementBytes();
  char *out = result->getMutableBytes().data();
  do {
    int64_t offset = 0;
    bool isOutside = false;
    for (int64_t axis = 0; axis != result->getRank(); ++axis) {
      int64_t size = operand.getSize(axis), i = index[axis] - (*low)[axis];
      if (i < 0 || i >= size)
        i = getPadSource(mode, i, size);
      isOutside |= i < 0;
      offset += i * strides[axis];
    }
    std::memcpy(out,
                isOutside ? value.getBytes().data()
                          : operand.getBytes().data() + offset * bytes,
                bytes);
    out += bytes;
  } while (increment(index, result->getSizes()));
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::ReshapeOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<SmallVector<int64_t>> sizes = state.evaluateSizes(op, op.getType());
  if (failed(sizes))
    return failure();
  if (getNumElements(*sizes) != operand.getNumElements()) {
    InFlightDiagnostic diag = op.emitOpError("expected ")
                              << operand.getNumElements()
                              << " elements, found sizes ";
    llvm::interleave(*sizes, diag, "x");
    return diag;
  }
  return state.set(op, op.getResult(), operand.withSizes(*sizes));
}

template <> LogicalResult dyn::evaluate(dhlo::ReverseOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  if (failed(result))
    return failure();
  SmallVector<int64_t> strides = getStrides(operand.getSizes());
  int64_t offset = 0;
  for (int64_t axis : op.getAxes()) {
    offset += strides[axis] * (operand.getSize(axis) - 1);
    strides[axis] = -strides[axis];
  }
  copyStrided(operand, offset, strides, *result);
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::SliceOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  FailureOr<SmallVector<int64_t>> starts =
      state.evaluateDims(op, op.getStarts());
  if (failed(result) || failed(starts))
    return failure();
  SmallVector<int64_t> strides = getStrides(operand.getSizes());
  int64_t offset = 0;
  for (int64_t axis = 0; axis != operand.getRank(); ++axis) {
    int64_t size = operand.getSize(axis), count = result->getSize(axis);
    int64_t first = (*starts)[axis];
    int64_t last = first + (count - 1) * op.getStrides()[axis];
    if (count > 0 && (first < 0 || first >= size || last < 0 || last >= size))
      return op.emitOpError("reads elements ")
             << first << " to " << last << " along axis " << axis
             << ", which has size " << size;
    offset += first * strides[axis];
    strides[axis] *= op.getStrides()[axis];
  }
  copyStrided(operand, offset, strides, *result);
  return state.set(op, op.getResult(), *result);
}

template <>
LogicalResult dyn::evaluate(dhlo::TransposeOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  SmallVector<int64_t> sizes;
  for (int64_t axis : op.getPermutation())
    sizes.push_back(operand.getSize(axis));
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), sizes);
  if (failed(result))
    return failure();
  transpose(operand, op.getPermutation(), *result);
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dlhlo::PackOp op, Evaluator &state) {
  // Packing changes only the layout: tensors here are always in row-major
  // order.
  return state.set(op, op.getResult(), state.get(op.getOperand()));
}
