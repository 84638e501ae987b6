//===- Norms.cpp - Softmax and normalisations -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisView.h"
#include "Evaluator.h"

#include <cmath>

using namespace mlir;
using namespace dyn;

// Sums run over ascending index in the computing type: f32 for f16, bf16 and
// f32, f64 for f64. The result is rounded once.

/// The exponential, rounded from f64.
template <typename C> static C expOf(C x) { return C(std::exp(double(x))); }

/// Fails unless `tensor` has the sizes of the operand from the axis on.
static LogicalResult checkAffine(Operation *op, StringRef what,
                                 const Tensor &tensor,
                                 ArrayRef<int64_t> sizes) {
  if (tensor.getSizes() == sizes)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected sizes ");
  llvm::interleave(sizes, diag, "x");
  diag << " for the " << what << ", found ";
  llvm::interleave(tensor.getSizes(), diag, "x");
  return diag;
}

template <>
LogicalResult dyn::evaluate(dhlo::LayerNormOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &scale = state.get(op.getScale());
  const Tensor *bias = op.getBias() ? &state.get(op.getBias()) : nullptr;
  ArrayRef<int64_t> normalised = operand.getSizes().drop_front(op.getAxis());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  if (failed(result) || failed(checkAffine(op, "scale", scale, normalised)) ||
      (bias && failed(checkAffine(op, "bias", *bias, normalised))))
    return failure();
  int64_t size = product(normalised);
  dispatchFloat(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>(), factors = scale.getData<T>();
    MutableArrayRef<T> out = result->getMutableData<T>();
    C eps = C(op.getEps().convertToDouble());
    for (int64_t row = 0; row < operand.getNumElements(); row += size) {
      C sum = 0, squares = 0;
      for (int64_t i = 0; i != size; ++i)
        sum += in[row + i];
      C mean = sum / C(size);
      for (int64_t i = 0; i != size; ++i) {
        C centred = in[row + i] - mean;
        squares += centred * centred;
      }
      C factor = C(1) / std::sqrt(squares / C(size) + eps);
      for (int64_t i = 0; i != size; ++i) {
        C value = (in[row + i] - mean) * factor * factors[i];
        out[row + i] = T(bias ? value + C(bias->getData<T>()[i]) : value);
      }
    }
  });
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::RmsNormOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  const Tensor &scale = state.get(op.getScale());
  ArrayRef<int64_t> normalised = operand.getSizes().drop_front(op.getAxis());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  if (failed(result) || failed(checkAffine(op, "scale", scale, normalised)))
    return failure();
  int64_t size = product(normalised);
  dispatchFloat(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>(), factors = scale.getData<T>();
    MutableArrayRef<T> out = result->getMutableData<T>();
    C eps = C(op.getEps().convertToDouble());
    for (int64_t row = 0; row < operand.getNumElements(); row += size) {
      C squares = 0;
      for (int64_t i = 0; i != size; ++i)
        squares += C(in[row + i]) * C(in[row + i]);
      C factor = C(1) / std::sqrt(squares / C(size) + eps);
      for (int64_t i = 0; i != size; ++i)
        out[row + i] = T(C(in[row + i]) * factor * C(factors[i]));
    }
  });
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(dhlo::SoftmaxOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result =
      state.allocate(op, operand.getElementType(), operand.getSizes());
  if (failed(result))
    return failure();
  AxisView view(operand.getSizes(), op.getAxis());
  int64_t size = view.size, inner = view.inner;
  dispatchFloat(operand.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = operand.getData<T>();
    MutableArrayRef<T> out = result->getMutableData<T>();
    for (int64_t row = 0; row != view.getRows(); ++row) {
      int64_t start = view.getStart(row);
      C largest = -std::numeric_limits<C>::infinity(), sum = 0;
      for (int64_t i = 0; i != size; ++i)
        largest = maximum<C>(largest, in[start + i * inner]);
      for (int64_t i = 0; i != size; ++i)
        sum += expOf<C>(in[start + i * inner] - largest);
      for (int64_t i = 0; i != size; ++i) {
        C centred = in[start + i * inner] - largest;
        out[start + i * inner] =
            T(op.getLog() ? centred - C(std::log(double(sum)))
                          : expOf<C>(centred) / sum);
      }
    }
  });
  return state.set(op, op.getResult(), *result);
}
