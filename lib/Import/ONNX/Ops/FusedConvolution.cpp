//===- FusedConvolution.cpp - Convolutions of ONNX Runtime ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Convolutions with a fused addition and activation, and those whose channels
// are the last axis: com.microsoft, set 1.

#include "Activations.h"
#include "ChannelsLast.h"
#include "Convolution.h"
#include "Pooling.h"
#include "Quantization.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

Value onnx::convolveFused(OpContext &c, Value x, Value filter, Value bias,
                          Value more, std::optional<int64_t> groups) {
  Value y = convolve(c, x, filter, groups);
  if (bias)
    y = addChannelBias(c, y, bias);
  if (more)
    y = c.e.add(y, more);
  return applyFusedActivation(c, y);
}

namespace {

LogicalResult importFusedConv(OpContext &c) {
  return c.result(
      convolveFused(c, c.in(0), c.in(1), c.optional(2), c.optional(3)));
}

LogicalResult convolveLast(OpContext &c, Value filter) {
  Emitter &e = c.e;
  Value more = c.has(3) ? toChannelsFirst(e, c.in(3)) : Value();
  Value y = convolveFused(c, toChannelsFirst(e, c.in(0)), filter, c.optional(2),
                          more);
  return c.result(toChannelsLast(e, y));
}

/// The optimiser for GPUs transposes filters, too: [O, spatial, I].
LogicalResult importNhwcConv(OpContext &c) {
  return convolveLast(c, toChannelsFirst(c.e, c.in(1)));
}

/// That for processors does not: [O, I, spatial].
LogicalResult importNhwcFusedConv(OpContext &c) {
  return convolveLast(c, c.in(1));
}

LogicalResult importNhwcMaxPool(OpContext &c) {
  return c.result(
      toChannelsLast(c.e, maxPool(c, toChannelsFirst(c.e, c.in(0)))));
}

LogicalResult importQLinearConv(OpContext &c) {
  Emitter &e = c.e;
  bool isLast = c.getInt("channels_last", 0) != 0;
  Value x = c.in(0);
  Value y = convolveQuantized(c, isLast ? toChannelsFirst(e, x) : x);
  return c.result(isLast ? toChannelsLast(e, y) : y);
}

} // namespace

void onnx::registerFusedConvolution(OpRegistry &r) {
  r.add(kMicrosoft, "FusedConv", {1, importFusedConv});
  r.add(kMicrosoft, "NhwcConv", {1, importNhwcConv});
  r.add(kMicrosoft, "NhwcFusedConv", {1, importNhwcFusedConv});
  r.add(kMicrosoft, "NhwcMaxPool", {1, importNhwcMaxPool});
  r.add(kMicrosoft, "QLinearConv", {1, importQLinearConv});
}
