//===- Resize.cpp - Interpolation -----------------------------------------===//
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

namespace {
/// The elements along one axis that a result element combines, and their
/// weights.
struct Taps {
  SmallVector<int64_t, 4> indices;
  SmallVector<double, 4> weights;
};
} // namespace

/// The coordinate of result element `i` in the operand, of whose elements
/// `step` correspond to one. Coordinates are f32 numbers, as models are trained
/// with.
static float getCoordinate(dhlo::ResizeCoord coord, int64_t i, float step,
                           int64_t from, int64_t to) {
  switch (coord) {
  case dhlo::ResizeCoord::PytorchHalfPixel:
    if (to == 1)
      return 0;
    [[fallthrough]];
  case dhlo::ResizeCoord::HalfPixel:
    return (float(i) + 0.5f) * step - 0.5f;
  case dhlo::ResizeCoord::AlignCorners:
    return to == 1 ? 0 : float(i) * float(from - 1) / float(to - 1);
  case dhlo::ResizeCoord::Asymmetric:
    return float(i) * step;
  }
  llvm_unreachable("all maps are covered");
}

static double roundCoordinate(dhlo::RoundMode mode, double x) {
  switch (mode) {
  case dhlo::RoundMode::RoundPreferFloor:
    return std::ceil(x - 0.5);
  case dhlo::RoundMode::RoundPreferCeil:
    return std::floor(x + 0.5);
  case dhlo::RoundMode::Floor:
    return std::floor(x);
  case dhlo::RoundMode::Ceil:
    return std::ceil(x);
  }
  llvm_unreachable("all modes are covered");
}

/// The cubic convolution weight at a distance.
static double getCubicWeight(double a, double distance) {
  double x = std::fabs(distance);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

static Taps getTaps(dhlo::ResizeOp op, int64_t i, float step, int64_t from,
                    int64_t to) {
  double x = getCoordinate(op.getCoord(), i, step, from, to);
  Taps taps;
  auto add = [&](double position, double weight) {
    taps.indices.push_back(
        int64_t(std::clamp(position, 0.0, double(from - 1))));
    taps.weights.push_back(weight);
  };
  double floor = std::floor(x);
  switch (op.getMode()) {
  case dhlo::ResizeMode::Nearest:
    add(roundCoordinate(op.getRound(), x), 1);
    break;
  case dhlo::ResizeMode::Linear:
    add(floor, 1 - (x - floor));
    add(floor + 1, x - floor);
    break;
  case dhlo::ResizeMode::Cubic:
    for (int k = -1; k <= 2; ++k)
      add(floor + k,
          getCubicWeight(op.getCoefficient().convertToDouble(), x - floor - k));
    break;
  }
  return taps;
}

/// Resamples one axis; the others keep their sizes.
static void resizeAxis(dhlo::ResizeOp op, const std::vector<double> &in,
                       std::vector<double> &out, ArrayRef<int64_t> sizes,
                       int64_t axis, int64_t to, float step) {
  AxisView from(sizes, axis);
  out.assign(from.getRows() * to, 0);
  for (int64_t i = 0; i != to; ++i) {
    Taps taps = getTaps(op, i, step, from.size, to);
    for (int64_t o = 0; o != from.outer; ++o)
      for (int64_t n = 0; n != from.inner; ++n) {
        double sum = 0;
        for (auto [index, weight] : llvm::zip(taps.indices, taps.weights))
          sum += weight * in[from.at(o, index, n)];
        out[(o * to + i) * from.inner + n] = sum;
      }
  }
}

template <> LogicalResult dyn::evaluate(dhlo::ResizeOp op, Evaluator &state) {
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  if (operand.getRank() != result->getRank())
    return op.emitOpError("expected rank ")
           << operand.getRank() << ", found " << result->getRank();
  SmallVector<int64_t> sizes(operand.getSizes());
  // Axis by axis, in f64: weights of axes multiply.
  std::vector<double> values(operand.getNumElements()), next;
  for (auto [i, value] : llvm::enumerate(values))
    value = operand.getDouble(i);
  for (int64_t axis = 0; axis != operand.getRank(); ++axis) {
    int64_t from = sizes[axis], to = result->getSize(axis);
    if (from == to && (op.getScales()[axis] == 0 || op.getScales()[axis] == 1))
      continue;
    if (from == 0 && to != 0)
      return op.emitOpError("expected elements to interpolate along axis ")
             << axis << ", found size 0";
    double scale = op.getScales()[axis];
    float step = scale != 0 ? float(1 / scale) : float(from) / float(to);
    resizeAxis(op, values, next, sizes, axis, to, step);
    values.swap(next);
    sizes[axis] = to;
  }
  dispatchNumber(result->getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    for (auto [out, value] : llvm::zip(result->getMutableData<T>(), values)) {
      if constexpr (isFloatElement<T>)
        out = T(C(value));
      else // rounded towards zero, in the range of the type
        out = T(std::clamp(value, double(std::numeric_limits<T>::min()),
                           double(std::numeric_limits<T>::max())));
    }
  });
  return state.set(op, op.getResult(), *result);
}
