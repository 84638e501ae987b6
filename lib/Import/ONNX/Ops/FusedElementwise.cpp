//===- FusedElementwise.cpp - Elementwise operators of ONNX Runtime -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Fusions of a bias and the function after it by ONNX Runtime's optimisers:
// com.microsoft, set 1.

#include "Activations.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::GeluKind;

namespace {

/// Input 0 with the bias of input 1, if it is given.
Value addBias(OpContext &c) {
  Value x = c.in(0);
  return c.has(1) ? c.e.add(x, c.in(1)) : x;
}

LogicalResult importFastGelu(OpContext &c) {
  return c.result(gelu(c.e, addBias(c), GeluKind::Tanh));
}

LogicalResult importBiasGelu(OpContext &c) {
  return c.result(gelu(c.e, c.e.add(c.in(0), c.in(1)), GeluKind::Erf));
}

LogicalResult importQuickGelu(OpContext &c) {
  return c.result(swish(c.e, c.in(0), c.getFloat("alpha", 1.702)));
}

/// The first half times the second half's activation.
LogicalResult importBiasSplitGelu(OpContext &c) {
  Emitter &e = c.e;
  Value x = e.add(c.in(0), c.in(1));
  if (!x || !e.hasAxes(x, 1))
    return failure();
  int64_t last = e.rank(x) - 1;
  DimExpr half = dhlo::floorDiv(e.dims.expand(e.dim(x, last)), 2);
  auto parts = e.split(x, last, {half, half});
  return parts
             ? c.result(e.mul((*parts)[0], gelu(e, (*parts)[1], GeluKind::Erf)))
             : failure();
}

LogicalResult importBiasAdd(OpContext &c) {
  return c.result(c.e.add(c.e.add(c.in(0), c.in(1)), c.in(2)));
}

/// Nothing is dropped when a model is not being trained.
LogicalResult importBiasDropout(OpContext &c) {
  Emitter &e = c.e;
  c.ignore({"seed"});
  Value y = e.add(c.in(0), c.in(1));
  if (c.has(2))
    y = e.add(y, c.in(2));
  if (c.has(4)) {
    auto training = c.constantInput(4, "training_mode");
    if (!training)
      return failure();
    if (training->size() != 1 || training->front() != 0)
      return c.error("training_mode is not supported");
  }
  if (y && c.wants(1))
    c.out(1, e.full(e.builder.getI1Type(), 1, e.sizes(y)));
  return c.result(y);
}

/// softmax(x + bias) over the axes from `axis` on. A bias of fewer elements is
/// broadcast over the axes before `axis`: over the last of them, or the first.
LogicalResult importBiasSoftmax(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), bias = c.in(1);
  bool isInner = c.getInt("is_inner_broadcast", 0) != 0;
  if (!x || !bias)
    return failure();
  int64_t rank = e.rank(x);
  auto axis = c.getAxis("axis", 1, rank);
  if (!axis)
    return failure();
  Sizes sizes = e.sizes(x), own = e.sizes(bias);
  if (static_cast<int64_t>(own.size()) < rank) {
    // Axes are missing where the bias is broadcast: after its first ones if
    // these are before `axis`, and at the front otherwise.
    int64_t missing = rank - static_cast<int64_t>(own.size());
    int64_t at = isInner ? std::max<int64_t>(*axis - missing, 0) : 0;
    own.insert(own.begin() + at, missing, e.size(1));
    bias = e.reshape(bias, own);
  }
  Value sum = e.add(x, bias);
  ArrayRef<DimExpr> all(sizes);
  Value flat = e.reshape(sum, {e.product(all.take_front(*axis)),
                               e.product(all.drop_front(*axis))});
  return c.result(e.reshape(e.softmax(flat, 1), sizes));
}

/// Multiplication of complex numbers, whose parts are the last axis.
template <bool conjugates> LogicalResult importComplexMul(OpContext &c) {
  Emitter &e = c.e;
  Value a = c.in(0), b = c.in(1);
  if (!a || !b)
    return failure();
  if (!e.hasAxes(a, 1) || !e.hasAxes(b, 1))
    return failure();
  auto part = [&](Value x, int64_t i) {
    return e.sliceAxis(x, e.rank(x) - 1, e.size(i), e.size(1));
  };
  Value ar = part(a, 0), ai = part(a, 1), br = part(b, 0), bi = part(b, 1);
  if (conjugates)
    bi = e.unary<dhlo::NegOp>(bi);
  Value real = e.sub(e.mul(ar, br), e.mul(ai, bi));
  Value imaginary = e.add(e.mul(ar, bi), e.mul(ai, br));
  return real ? c.result(e.concat({real, imaginary}, e.rank(real) - 1))
              : failure();
}

} // namespace

void onnx::registerFusedElementwise(OpRegistry &r) {
  auto add = [&](StringRef name, OpImporter importer) {
    r.add(kMicrosoft, name,
          {1, importer, /*takesSequences=*/false, /*widens=*/true});
  };
  add("FastGelu", importFastGelu);
  add("BiasGelu", importBiasGelu);
  add("QuickGelu", importQuickGelu);
  add("BiasSplitGelu", importBiasSplitGelu);
  add("BiasAdd", importBiasAdd);
  add("BiasDropout", importBiasDropout);
  add("BiasSoftmax", importBiasSoftmax);
  add("ComplexMul", importComplexMul<false>);
  add("ComplexMulConj", importComplexMul<true>);
}
