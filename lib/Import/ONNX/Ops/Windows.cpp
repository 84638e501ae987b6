//===- Windows.cpp - Window functions of ONNX -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpContext.h"
#include "../TensorData.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// a - b cos(2 pi i / n) + c cos(4 pi i / n) for i in [0, size), where n is the
/// size of a periodic window, else one less.
static LogicalResult importWindow(OpContext &c, double a, double b, double d) {
  constexpr double kTwoPi = 6.283185307179586;
  Emitter &e = c.e;
  bool periodic = c.getInt("periodic", 1) != 0;
  Type type =
      getElementType(e.builder.getContext(),
                     static_cast<int32_t>(c.getInt("output_datatype", 1)));
  auto sizes = e.sizesFrom(c.in(0), "window");
  if (!sizes)
    return failure();
  if (!type || sizes->size() != 1)
    return c.error("expected one size and a supported type");
  Type wide = e.builder.getF64Type();
  DimExpr size = sizes->front();
  DimExpr period = periodic ? size : dhlo::add(size, -1);
  Value angle = e.div(e.mul(e.iota(0, {size}, wide), kTwoPi),
                      e.convert(e.fromSize(period), wide));
  Value y = e.add(e.mul(e.unary<dhlo::CosOp>(angle), -b), a);
  if (d != 0)
    y = e.add(y, e.mul(e.unary<dhlo::CosOp>(e.mul(angle, 2.0)), d));
  return c.result(e.convert(y, type));
}

static LogicalResult importHann(OpContext &c) {
  return importWindow(c, 0.5, 0.5, 0);
}

static LogicalResult importHamming(OpContext &c) {
  return importWindow(c, 25.0 / 46, 21.0 / 46, 0);
}

static LogicalResult importBlackman(OpContext &c) {
  return importWindow(c, 0.42, 0.5, 0.08);
}

void onnx::registerWindows(OpRegistry &r) {
  r.add("HannWindow", 17, importHann);
  r.add("HammingWindow", 17, importHamming);
  r.add("BlackmanWindow", 17, importBlackman);
}
