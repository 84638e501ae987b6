//===- Fourier.cpp - Fourier transforms -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisView.h"

#include <cmath>
#include <complex>

using namespace mlir;
using namespace dyn;

using Number = std::complex<double>;

/// The powers of exp(-2 pi i / n), or of its conjugate.
static std::vector<Number> getRoots(int64_t n, bool isInverse) {
  std::vector<Number> roots(n);
  for (int64_t k = 0; k != n; ++k) {
    double angle = 2 * M_PI * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {std::cos(angle),
                isInverse ? std::sin(angle) : -std::sin(angle)};
  }
  return roots;
}

/// Plain sums, of halves as long as the number of elements is even. Each
/// `step`-th root is one of this number.
static std::vector<Number> sumAll(ArrayRef<Number> x, ArrayRef<Number> roots,
                                  int64_t step) {
  int64_t n = x.size();
  std::vector<Number> y(n);
  if (n % 2 == 0 && n > 0) {
    std::vector<Number> parts[2];
    for (int64_t j = 0; j != n; ++j)
      parts[j % 2].push_back(x[j]);
    std::vector<Number> even = sumAll(parts[0], roots, 2 * step);
    std::vector<Number> odd = sumAll(parts[1], roots, 2 * step);
    for (int64_t k = 0; k != n / 2; ++k) {
      Number turned = odd[k] * roots[k * step];
      y[k] = even[k] + turned;
      y[k + n / 2] = even[k] - turned;
    }
    return y;
  }
  for (int64_t k = 0; k != n; ++k)
    for (int64_t j = 0, turn = 0; j != n; ++j, turn = (turn + k) % n)
      y[k] += x[j] * roots[turn * step];
  return y;
}

template <> LogicalResult dyn::evaluate(dhlo::FftOp op, Evaluator &state) {
  const Tensor &real = state.get(op.getReal());
  const Tensor *imaginary =
      op.getImaginary() ? &state.get(op.getImaginary()) : nullptr;
  FailureOr<Tensor> result = state.allocate(op, op.getType(0));
  if (failed(result))
    return failure();
  FailureOr<Tensor> other = Tensor();
  if (op.getResultImaginary() &&
      failed(other = state.allocate(op, op.getType(1))))
    return failure();
  int64_t axis = op.getAxis();
  bool isReal = !op.getResultImaginary();
  AxisView in(real.getSizes(), axis), out(result->getSizes(), axis);
  int64_t n = isReal ? out.size : in.size;
  if (imaginary && imaginary->getSizes() != real.getSizes())
    return op.emitOpError("expected both parts of the same sizes");
  int64_t expected = !op.getHalf() ? n : n / 2 + 1;
  int64_t found = isReal ? in.size : out.size;
  if (found != expected)
    return emitSizeMismatch(op, "axis " + Twine(axis), expected, found);

  std::vector<Number> x(n), roots = getRoots(n, op.getInverse());
  for (int64_t row = 0; row != in.getRows(); ++row) {
    auto load = [&](int64_t j) {
      int64_t i = in.getStart(row) + j * in.inner;
      return Number(real.getDouble(i), imaginary ? imaginary->getDouble(i) : 0);
    };
    for (int64_t j = 0; j != n; ++j) {
      // Only the first half is given: the others are its conjugates.
      bool isGiven = !isReal || 2 * j <= n;
      x[j] = isGiven ? load(j) : std::conj(load(n - j));
      if (isReal && (j == 0 || 2 * j == n))
        x[j] = x[j].real();
    }
    std::vector<Number> all = sumAll(x, roots, 1);
    for (int64_t k = 0; k != out.size; ++k) {
      Number y = n ? all[k] : 0;
      int64_t i = out.getStart(row) + k * out.inner;
      dispatchFloat(real.getElementType(), [&](auto tag) {
        using T = decltype(tag);
        result->getMutableData<T>()[i] = T(y.real());
        if (!isReal)
          other->getMutableData<T>()[i] = T(y.imag());
      });
    }
  }
  if (failed(state.set(op, op.getResult(), *result)))
    return failure();
  return isReal ? success() : state.set(op, op.getResultImaginary(), *other);
}
