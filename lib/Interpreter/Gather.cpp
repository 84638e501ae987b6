//===- Gather.cpp - Gather and scatter ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace mlir;
using namespace dyn;

/// The elements of an index tensor as 64-bit integers.
static SmallVector<int64_t> getIndices(const Tensor &tensor) {
  SmallVector<int64_t> indices(tensor.getNumElements());
  for (auto [i, index] : llvm::enumerate(indices))
    index = tensor.getInt(i);
  return indices;
}

namespace {
/// Reads indices into axes as gathers do: negative ones count from the end, and
/// those out of range become the nearest.
class IndexReader {
public:
  IndexReader(Operation *op, Evaluator &state) : op(op), state(state) {}

  /// The index in [0, size), or nullopt if the axis is empty.
  std::optional<int64_t> clamp(int64_t index, int64_t size) {
    if (index < -size || index >= size)
      state.reportDataError(op, DataErrorKind::Index);
    if (size == 0)
      return std::nullopt;
    if (index < 0)
      index = index < -size ? 0 : index + size;
    return std::min(index, size - 1);
  }

  /// The index in [0, size), or nullopt if out of range.
  std::optional<int64_t> drop(int64_t index, int64_t size) {
    if (index < -size || index >= size) {
      state.reportDataError(op, DataErrorKind::Index);
      return std::nullopt;
    }
    return index < 0 ? index + size : index;
  }

private:
  Operation *op;
  Evaluator &state;
};
} // namespace

/// Fails unless `sizes` are those of `tensor` from `axis` on.
static LogicalResult checkSizes(Operation *op, StringRef what,
                                const Tensor &tensor, ArrayRef<int64_t> sizes) {
  if (tensor.getRank() != int64_t(sizes.size()))
    return op->emitOpError("expected rank ")
           << sizes.size() << " for " << what << ", found " << tensor.getRank();
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (tensor.getSize(axis) != size)
      return emitSizeMismatch(op, "axis " + Twine(axis) + " of " + what, size,
                              tensor.getSize(axis));
  return success();
}

static SmallVector<int64_t> concat(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                   ArrayRef<int64_t> c = {}) {
  SmallVector<int64_t> result(a);
  llvm::append_range(result, b);
  llvm::append_range(result, c);
  return result;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

template <> LogicalResult dyn::evaluate(dhlo::GatherOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &indexTensor = state.get(op.getIndices());
  int64_t axis = op.getAxis(), batch = op.getBatch();
  ArrayRef<int64_t> in = operand.getSizes(), at = indexTensor.getSizes();
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(),
                     concat(in.take_front(axis), at.drop_front(batch),
                            in.drop_front(axis + 1)));
  if (failed(result))
    return failure();
  for (int64_t a = 0; a != batch; ++a)
    if (in[a] != at[a])
      return emitSizeMismatch(op, "axis " + Twine(a) + " of the indices", in[a],
                              at[a]);
  // result[b, i, j, k] = operand[b, i, indices[b, j], k], with each letter the
  // axes of one group.
  int64_t batches = product(in.take_front(batch));
  int64_t outer = product(in.slice(batch, axis - batch));
  int64_t count = product(at.drop_front(batch));
  int64_t bytes = product(in.drop_front(axis + 1)) * operand.getElementBytes();
  SmallVector<int64_t> indices = getIndices(indexTensor);
  IndexReader reader(op, state);
  const char *source = operand.getBytes().data();
  char *out = result->getMutableBytes().data();
  for (int64_t b = 0; b != batches; ++b)
    for (int64_t i = 0; i != outer; ++i)
      for (int64_t j = 0; j != count; ++j, out += bytes) {
        std::optional<int64_t> position =
            reader.clamp(indices[b * count + j], in[axis]);
        if (position && bytes)
          std::memcpy(out,
                      source + ((b * outer + i) * in[axis] + *position) * bytes,
                      bytes);
      }
  return state.set(op, op.getResult(), *result);
}

template <>
LogicalResult dyn::evaluate(dhlo::GatherElementsOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &indexTensor = state.get(op.getIndices());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), indexTensor.getSizes());
  if (failed(result))
    return failure();
  int64_t axis = op.getAxis(), bytes = operand.getElementBytes();
  for (int64_t a = 0; a != operand.getRank(); ++a)
    if (a != axis && indexTensor.getSize(a) > operand.getSize(a))
      return op.emitOpError("expected at most ")
             << operand.getSize(a) << " indices along axis " << a << ", found "
             << indexTensor.getSize(a);
  if (result->getNumElements() == 0)
    return state.set(op, op.getResult(), *result);
  SmallVector<int64_t> strides = getStrides(operand.getSizes());
  SmallVector<int64_t> index(operand.getRank());
  IndexReader reader(op, state);
  char *out = result->getMutableBytes().data();
  int64_t next = 0;
  do {
    std::optional<int64_t> position =
        reader.clamp(indexTensor.getInt(next++), operand.getSize(axis));
    int64_t offset = 0;
    for (int64_t a = 0; a != operand.getRank(); ++a)
      offset += (a == axis ? position.value_or(0) : index[a]) * strides[a];
    if (position)
      std::memcpy(out, operand.getBytes().data() + offset * bytes, bytes);
    out += bytes;
  } while (increment(index, result->getSizes()));
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::GatherNdOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &indexTensor = state.get(op.getIndices());
  int64_t batch = op.getBatch();
  ArrayRef<int64_t> in = operand.getSizes(), at = indexTensor.getSizes();
  int64_t n = at.back();
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(),
                     concat(at.drop_back(), in.drop_front(batch + n)));
  if (failed(result))
    return failure();
  for (int64_t a = 0; a != batch; ++a)
    if (in[a] != at[a])
      return emitSizeMismatch(op, "axis " + Twine(a) + " of the indices", in[a],
                              at[a]);
  int64_t batches = product(in.take_front(batch));
  int64_t vectors = product(at.drop_front(batch).drop_back());
  ArrayRef<int64_t> indexed = in.slice(batch, n);
  SmallVector<int64_t> strides = getStrides(indexed);
  int64_t elements = product(indexed);
  int64_t bytes = product(in.drop_front(batch + n)) * operand.getElementBytes();
  SmallVector<int64_t> indices = getIndices(indexTensor);
  IndexReader reader(op, state);
  const char *source = operand.getBytes().data();
  char *out = result->getMutableBytes().data();
  const int64_t *vector = indices.data();
  for (int64_t b = 0; b != batches; ++b)
    for (int64_t j = 0; j != vectors; ++j, vector += n, out += bytes) {
      int64_t offset = 0;
      bool isInside = true;
      for (int64_t i = 0; i != n; ++i) {
        std::optional<int64_t> position = reader.clamp(vector[i], indexed[i]);
        isInside &= position.has_value();
        offset += position.value_or(0) * strides[i];
      }
      if (isInside && bytes)
        std::memcpy(out, source + (b * elements + offset) * bytes, bytes);
    }
  return state.set(op, op.getResult(), *result);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// The new value of an element that is updated.
template <typename C>
static C combine(dhlo::ScatterKind kind, C old, C update) {
  switch (kind) {
  case dhlo::ScatterKind::Replace:
    return update;
  case dhlo::ScatterKind::Add:
    return wrapAdd(old, update);
  case dhlo::ScatterKind::Mul:
    return wrapMul(old, update);
  case dhlo::ScatterKind::Max:
    return maximum(old, update);
  case dhlo::ScatterKind::Min:
    return minimum(old, update);
  }
  llvm_unreachable("all kinds are covered");
}

/// Combines `count` updates from `from` on with elements from `to` on.
static void applyUpdates(dhlo::ScatterKind kind, const Tensor &updates,
                         int64_t from, Tensor &result, int64_t to,
                         int64_t count) {
  dispatchElement(result.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = updates.getData<T>();
    MutableArrayRef<T> out = result.getMutableData<T>();
    for (int64_t i = 0; i != count; ++i)
      out[to + i] = T(combine<C>(kind, out[to + i], in[from + i]));
  });
}

template <>
LogicalResult dyn::evaluate(dhlo::ScatterElementsOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &indexTensor = state.get(op.getIndices());
  const Tensor &updates = state.get(op.getUpdates());
  if (failed(checkSizes(op, "the updates", updates, indexTensor.getSizes())))
    return failure();
  Tensor result = Tensor::copy(operand.getElementType(), operand.getSizes(),
                               operand.getBytes());
  // No test: the operand of this size is in memory already.
  if (result.isNull())
    return op.emitOpError("runs out of memory");
  int64_t axis = op.getAxis();
  for (int64_t a = 0; a != operand.getRank(); ++a)
    if (a != axis && indexTensor.getSize(a) > operand.getSize(a))
      return op.emitOpError("expected at most ")
             << operand.getSize(a) << " indices along axis " << a << ", found "
             << indexTensor.getSize(a);
  if (updates.getNumElements() == 0)
    return state.set(op, op.getResult(), result);
  SmallVector<int64_t> strides = getStrides(operand.getSizes());
  SmallVector<int64_t> index(operand.getRank());
  IndexReader reader(op, state);
  int64_t next = 0;
  do {
    std::optional<int64_t> position =
        reader.drop(indexTensor.getInt(next), operand.getSize(axis));
    int64_t offset = 0;
    for (int64_t a = 0; a != operand.getRank(); ++a)
      offset += (a == axis ? position.value_or(0) : index[a]) * strides[a];
    if (position)
      applyUpdates(op.getKind(), updates, next, result, offset, 1);
    ++next;
  } while (increment(index, updates.getSizes()));
  return state.set(op, op.getResult(), result);
}

template <>
LogicalResult dyn::evaluate(dhlo::ScatterNdOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &indexTensor = state.get(op.getIndices());
  const Tensor &updates = state.get(op.getUpdates());
  ArrayRef<int64_t> in = operand.getSizes(), at = indexTensor.getSizes();
  int64_t n = at.back();
  if (failed(checkSizes(op, "the updates", updates,
                        concat(at.drop_back(), in.drop_front(n)))))
    return failure();
  Tensor result = Tensor::copy(operand.getElementType(), operand.getSizes(),
                               operand.getBytes());
  // No test: the operand of this size is in memory already.
  if (result.isNull())
    return op.emitOpError("runs out of memory");
  ArrayRef<int64_t> indexed = in.take_front(n);
  SmallVector<int64_t> strides = getStrides(indexed);
  int64_t count = product(in.drop_front(n));
  int64_t vectors = product(at.drop_back());
  SmallVector<int64_t> indices = getIndices(indexTensor);
  IndexReader reader(op, state);
  for (int64_t j = 0; j != vectors; ++j) {
    int64_t offset = 0;
    bool isInside = true;
    for (int64_t i = 0; i != n; ++i) {
      std::optional<int64_t> position =
          reader.drop(indices[j * n + i], indexed[i]);
      isInside &= position.has_value();
      offset += position.value_or(0) * strides[i];
    }
    if (isInside)
      applyUpdates(op.getKind(), updates, j * count, result, offset * count,
                   count);
  }
  return state.set(op, op.getResult(), result);
}
