//===- Recurrent.cpp - Recurrences over sequences -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include <cmath>

using namespace mlir;
using namespace dyn;

template <typename C> static C logistic(C x) {
  return C(1 / (1 + std::exp(-double(x))));
}
template <typename C> static C tanhOf(C x) { return C(std::tanh(double(x))); }

namespace {
/// An LSTM with the letters of its description.
struct Lstm {
  LogicalResult initialize(dhlo::LstmOp op, Evaluator &state);

  /// Runs direction d of row b and writes its part of the results.
  template <typename Element>
  void run(int64_t d, int64_t b, bool isReverse, Tensor &hiddens,
           Tensor &lastHidden, Tensor &lastCell) const;

  /// The number of steps of row b.
  int64_t getLength(int64_t b) const {
    return lengths ? std::clamp<int64_t>(lengths->getInt(b), 0, T) : T;
  }

  int64_t T, B, H, D;
  const Tensor *gates, *recurrent;
  const Tensor *hidden, *cell, *lengths; // null if absent
};
} // namespace

LogicalResult Lstm::initialize(dhlo::LstmOp op, Evaluator &state) {
  auto find = [&](Value value) { return value ? &state.get(value) : nullptr; };
  gates = find(op.getGates()), recurrent = find(op.getRecurrent());
  hidden = find(op.getInitialHidden()), cell = find(op.getInitialCell());
  lengths = find(op.getLengths());
  T = gates->getSize(0), B = gates->getSize(1);
  H = recurrent->getSize(1);
  D = op.getDirection() == dhlo::RnnDirection::Bidirectional ? 2 : 1;
  auto check = [&](StringRef what, const Tensor *tensor,
                   ArrayRef<int64_t> expected) -> LogicalResult {
    if (!tensor || tensor->getSizes() == expected)
      return success();
    InFlightDiagnostic diag = op.emitOpError("expected sizes ");
    llvm::interleave(expected, diag, "x");
    diag << " for the " << what << ", found ";
    llvm::interleave(tensor->getSizes(), diag, "x");
    return diag;
  };
  return success(
      succeeded(check("gates", gates, {T, B, D, 4 * H})) &&
      succeeded(check("recurrent weights", recurrent, {D, H, 4 * H})) &&
      succeeded(check("initial hidden state", hidden, {D, B, H})) &&
      succeeded(check("initial cell state", cell, {D, B, H})) &&
      succeeded(check("lengths", lengths, {B})));
}

template <typename Element>
void Lstm::run(int64_t d, int64_t b, bool isReverse, Tensor &hiddens,
               Tensor &lastHidden, Tensor &lastCell) const {
  using C = ComputeType<Element>;
  auto read = [](const Tensor *tensor, int64_t i) {
    return tensor ? C(tensor->getData<Element>()[i]) : C(0);
  };
  SmallVector<C> h(H), c(H), sums(4 * H);
  for (int64_t i = 0; i != H; ++i) {
    h[i] = read(hidden, (d * B + b) * H + i);
    c[i] = read(cell, (d * B + b) * H + i);
  }
  int64_t length = getLength(b);
  for (int64_t step = 0; step != length; ++step) {
    int64_t t = isReverse ? length - 1 - step : step;
    for (int64_t g = 0; g != 4 * H; ++g) {
      C sum = read(gates, ((t * B + b) * D + d) * 4 * H + g);
      for (int64_t i = 0; i != H; ++i)
        sum = std::fma(h[i], read(recurrent, (d * H + i) * 4 * H + g), sum);
      sums[g] = sum;
    }
    for (int64_t i = 0; i != H; ++i) {
      C in = logistic(sums[i]), out = logistic(sums[H + i]);
      C forget = logistic(sums[2 * H + i]), fresh = tanhOf(sums[3 * H + i]);
      c[i] = forget * c[i] + in * fresh;
      h[i] = out * tanhOf(c[i]);
      hiddens.getMutableData<Element>()[((t * D + d) * B + b) * H + i] =
          Element(h[i]);
    }
  }
  for (int64_t i = 0; i != H; ++i) {
    lastHidden.getMutableData<Element>()[(d * B + b) * H + i] = Element(h[i]);
    lastCell.getMutableData<Element>()[(d * B + b) * H + i] = Element(c[i]);
  }
}

template <> LogicalResult dyn::evaluate(dhlo::LstmOp op, Evaluator &state) {
  Lstm lstm;
  if (failed(lstm.initialize(op, state)))
    return failure();
  Type type = lstm.gates->getElementType();
  FailureOr<Tensor> hiddens =
      state.allocate(op, type, {lstm.T, lstm.D, lstm.B, lstm.H});
  FailureOr<Tensor> lastHidden =
      state.allocate(op, type, {lstm.D, lstm.B, lstm.H});
  FailureOr<Tensor> lastCell =
      state.allocate(op, type, {lstm.D, lstm.B, lstm.H});
  if (failed(hiddens) || failed(lastHidden) || failed(lastCell))
    return failure();
  dispatchFloat(type, [&](auto tag) {
    for (int64_t d = 0; d != lstm.D; ++d)
      for (int64_t b = 0; b != lstm.B; ++b)
        lstm.run<decltype(tag)>(
            d, b, d == 1 || op.getDirection() == dhlo::RnnDirection::Reverse,
            *hiddens, *lastHidden, *lastCell);
  });
  if (failed(state.set(op, op.getHiddens(), *hiddens)) ||
      failed(state.set(op, op.getLastHidden(), *lastHidden)))
    return failure();
  return state.set(op, op.getLastCell(), *lastCell);
}
