//===- Activations.h - Activation functions of ONNX -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Functions that operators and recurrences share.

#ifndef DYN_LIB_IMPORT_ONNX_OPS_ACTIVATIONS_H
#define DYN_LIB_IMPORT_ONNX_OPS_ACTIVATIONS_H

#include "../OpContext.h"

namespace dyn::onnx {

/// x times the logistic function of alpha x.
Value swish(Emitter &e, Value x, double alpha);
/// The Gaussian error linear unit.
Value gelu(Emitter &e, Value x, dhlo::GeluKind kind);

/// x, or alpha x if it is negative.
Value leakyRelu(Emitter &e, Value x, double alpha);
/// x, or alpha (exp(x) - 1) if it is negative.
Value elu(Emitter &e, Value x, double alpha);
/// x if it is greater than alpha, else 0.
Value thresholdedRelu(Emitter &e, Value x, double alpha);
/// alpha x + beta within [0, 1].
Value hardSigmoid(Emitter &e, Value x, double alpha, double beta);
/// x / (1 + |x|).
Value softsign(Emitter &e, Value x);
/// log(1 + exp(x)), without overflow.
Value softplus(Emitter &e, Value x);

/// The activation that ONNX Runtime fused into a node: the attribute
/// `activation`, if there is one, with the numbers of `activation_params` or of
/// `activation_alpha`, `activation_beta` and `activation_gamma`.
Value applyFusedActivation(OpContext &c, Value x);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_ACTIVATIONS_H
