//===- Optionals.cpp - Optional values of ONNX ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Whether there is a value is static: one that is given is a tensor or a
// sequence, one that is not is an absent input.

#include "../OpContext.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importGetElement(OpContext &c) {
  return c.result(c.in(0));
}

static LogicalResult importHasElement(OpContext &c) {
  return c.result(c.e.constantInt(c.e.builder.getI1Type(), c.has(0)));
}

void onnx::registerOptionals(OpRegistry &r) {
  r.addWithSequences("OptionalGetElement", 15, importGetElement);
  r.addWithSequences("OptionalHasElement", 15, importHasElement);
}
