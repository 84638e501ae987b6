//===- FusedActivation.cpp - Activations that ONNX Runtime fuses ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activations.h"

#include "llvm/ADT/Twine.h"

#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The parameters of an activation: a list, or an attribute for each. Missing
/// ones have the default of the operator of ONNX.
static double getNumber(OpContext &c, unsigned i, double byDefault) {
  auto listed = c.getFloats("activation_params");
  if (listed && i < listed->size())
    return (*listed)[i];
  constexpr StringLiteral kNames[] = {"activation_alpha", "activation_beta"};
  return c.getFloat(kNames[i], byDefault);
}

Value onnx::applyFusedActivation(OpContext &c, Value x) {
  Emitter &e = c.e;
  StringRef name = c.getString("activation", "");
  c.ignore({"activation_params", "activation_alpha", "activation_beta",
            "activation_gamma", "activation_axis"});
  if (!x || name.empty())
    return x;
  if (name == "Relu")
    return e.maximum(x, 0.0);
  if (name == "Tanh")
    return e.unary<dhlo::TanhOp>(x);
  if (name == "Sigmoid")
    return e.unary<dhlo::LogisticOp>(x);
  if (name == "Softplus")
    return softplus(e, x);
  if (name == "Softsign")
    return softsign(e, x);
  if (name == "Gelu")
    return gelu(e, x, dhlo::GeluKind::Erf);
  if (name == "QuickGelu" || name == "Silu" || name == "Swish")
    return swish(e, x, getNumber(c, 0, name == "QuickGelu" ? 1.702 : 1.0));
  if (name == "LeakyRelu")
    return leakyRelu(e, x, getNumber(c, 0, 0.01));
  if (name == "Elu")
    return elu(e, x, getNumber(c, 0, 1.0));
  if (name == "ThresholdedRelu")
    return thresholdedRelu(e, x, getNumber(c, 0, 1.0));
  if (name == "HardSigmoid")
    return hardSigmoid(e, x, getNumber(c, 0, 0.2), getNumber(c, 1, 0.5));
  if (name == "HardSwish")
    return e.mul(x, hardSigmoid(e, x, 1.0 / 6, 0.5));
  if (name == "Clip") {
    constexpr double kMost = std::numeric_limits<float>::max();
    return e.minimum(e.maximum(x, getNumber(c, 0, -kMost)),
                     getNumber(c, 1, kMost));
  }
  return e.fail("activation '" + llvm::Twine(name) + "' is not supported");
}
