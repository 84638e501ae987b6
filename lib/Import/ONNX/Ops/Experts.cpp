//===- Experts.cpp - Mixtures of experts ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rows that pass through the layers of a few of many experts: com.microsoft,
// set 1. Rows are sorted by expert, so that each is multiplied only by the
// matrices of its own.

#include "Activations.h"

#include "llvm/ADT/Twine.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

class Experts {
public:
  explicit Experts(OpContext &c) : c(c), e(c.e) {}

  LogicalResult import();

private:
  /// Rows times the matrix [experts, out, in] of each one's expert, in `type`.
  Value multiply(Value x, unsigned weights);
  /// Half of the columns are the gate of the other half.
  Value gate(Value x, int64_t fusion);
  Value activate(Value x);

  OpContext &c;
  Emitter &e;
  StringRef activation;
  /// The first row of each expert, and the expert of each row.
  Value offsets, experts;
};

Value Experts::multiply(Value x, unsigned weights) {
  Value matrices = c.in(weights);
  if (!x || !matrices)
    return {};
  if (e.rank(matrices) != 3)
    return e.fail("expected weights of rank 3");
  matrices = e.transpose(matrices, {0, 2, 1});
  Sizes sizes{e.dim(x, 0), e.dim(matrices, 2)};
  Value y = dhlo::GroupedDotOp::create(
      e.builder, e.loc, e.type(sizes, e.elementType(x)), x, matrices, offsets);
  return c.has(weights + 1) ? e.add(y, e.gather(c.in(weights + 1), experts, 0))
                            : y;
}

Value Experts::activate(Value x) {
  if (activation == "relu")
    return e.maximum(x, 0.0);
  if (activation == "gelu")
    return gelu(e, x, dhlo::GeluKind::Erf);
  if (activation == "silu")
    return swish(e, x, 1.0);
  if (activation == "identity")
    return x;
  return e.fail("activation_type '" + llvm::Twine(activation) +
                "' is not supported");
}

Value Experts::gate(Value x, int64_t fusion) {
  double alpha = c.getFloat("activation_alpha", 1.0);
  double beta = c.getFloat("activation_beta", 0.0);
  double limit =
      c.getFloat("swiglu_limit", std::numeric_limits<double>::infinity());
  if (!x)
    return {};
  DimExpr half = dhlo::floorDiv(e.dims.expand(e.dim(x, 1)), 2);
  bool isInterleaved = fusion == 1;
  int64_t stride = isInterleaved ? 2 : 1;
  Value gated = e.sliceAxis(x, 1, e.size(0), half, stride);
  Value line =
      e.sliceAxis(x, 1, isInterleaved ? e.size(1) : half, half, stride);
  if (std::isfinite(limit)) {
    gated = e.minimum(gated, limit);
    line = e.minimum(e.maximum(line, -limit), limit);
  }
  return e.mul(swish(e, gated, alpha), e.add(line, beta));
}

LogicalResult Experts::import() {
  Value x = c.in(0), scores = c.in(1), first = c.in(2);
  int64_t chosen = c.getInt("k", 1), fusion = c.getInt("swiglu_fusion", 0);
  bool normalizes = c.getInt("normalize_routing_weights", 0) != 0;
  activation = c.getString("activation_type", "relu");
  bool isGated = activation == "swiglu";
  c.ignore({"activation_alpha", "activation_beta", "swiglu_limit"});
  if (c.getInt("use_sparse_mixer", 0) != 0)
    return c.error("use_sparse_mixer is not supported");
  if (!x || !scores || !first)
    return failure();
  DimExpr number = e.dims.expand(e.dim(first, 0));
  if (e.rank(scores) != 2 || e.rank(first) != 3 || !number.isConst() ||
      chosen < 1 || chosen > number.getValue())
    return c.error("expected scores of rank 2, a known number of experts, and "
                   "k of at most it");
  if (isGated && fusion != 1 && fusion != 2)
    return c.error("expected swiglu_fusion 1 or 2");
  Type i64 = e.builder.getI64Type(), type = e.elementType(x);
  Sizes sizes = e.sizes(x);
  DimExpr width = sizes.back();
  DimExpr rows = e.dims.expand(e.product(ArrayRef(sizes).drop_back()));
  x = e.reshape(x, {rows, width});
  Sizes choices{rows, e.size(chosen)};
  scores = e.softmax(
      e.convert(e.reshape(scores, {rows, number}), e.wideType({scores})), 1);
  if (!x || !scores)
    return failure();
  auto top = dhlo::TopKOp::create(
      e.builder, e.loc, e.type(choices, e.elementType(scores)),
      e.type(choices, i64), scores, 1, /*largest=*/true);
  Value share = top.getValues();
  if (normalizes)
    share = e.div(share, e.reduce(dhlo::ReduceKind::Sum, share, {1}, true));
  DimExpr all = e.dims.expand(dhlo::mul(rows, chosen));
  auto group = dhlo::GroupOp::create(
      e.builder, e.loc, e.type({e.size(number.getValue() + 1)}, i64),
      e.type({all}, i64), top.getIndices().getType(), top.getIndices(),
      /*capacity=*/nullptr);
  offsets = group.getOffsets();
  Value order = group.getOrder();
  experts = e.gather(e.reshape(top.getIndices(), {all}), order, 0);
  Value row = e.div(order, double(chosen));
  Value y = multiply(e.gather(x, row, 0), 2);
  y = isGated ? gate(y, fusion) : activate(y);
  if (c.has(6))
    y = e.mul(y, multiply(e.gather(x, row, 0), 6));
  y = multiply(y, 4);
  if (!y)
    return failure();
  // Back to the order of choices: the position of each.
  Value position = dhlo::SortOp::create(e.builder, e.loc, order.getType(),
                                        order.getType(), order, 0, false)
                       .getIndices();
  y = e.reshape(e.gather(y, position, 0), {rows, e.size(chosen), width});
  y = e.mul(e.convert(y, e.elementType(share)), e.unsqueeze(share, {2}));
  y = e.reduce(dhlo::ReduceKind::Sum, y, {1});
  return c.result(e.reshape(e.convert(y, type), sizes));
}

LogicalResult importMoE(OpContext &c) { return Experts(c).import(); }

} // namespace

void onnx::registerExperts(OpRegistry &r) {
  r.add(kMicrosoft, "MoE", {1, importMoE});
}
