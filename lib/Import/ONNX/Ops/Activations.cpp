//===- Activations.cpp - Activation functions of ONNX ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "../OpContext.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

/// `x` where it is not negative, else `negative`.
static Value whereNegative(Emitter &e, Value x, Value negative) {
  Value isNegative = e.compare(CompareDirection::LT, x, 0.0);
  return isNegative && negative ? e.select(isNegative, negative, x) : Value();
}

Value onnx::leakyRelu(Emitter &e, Value x, double alpha) {
  return whereNegative(e, x, e.mul(x, alpha));
}

Value onnx::elu(Emitter &e, Value x, double alpha) {
  return whereNegative(e, x, e.mul(e.unary<dhlo::Expm1Op>(x), alpha));
}

Value onnx::thresholdedRelu(Emitter &e, Value x, double alpha) {
  Value passes = e.compare(CompareDirection::GT, x, alpha);
  return passes ? e.select(passes, x, e.constant(e.elementType(x), 0))
                : Value();
}

Value onnx::hardSigmoid(Emitter &e, Value x, double alpha, double beta) {
  return e.minimum(e.maximum(e.add(e.mul(x, alpha), beta), 0.0), 1.0);
}

Value onnx::softsign(Emitter &e, Value x) {
  return e.div(x, e.add(e.unary<dhlo::AbsOp>(x), 1.0));
}

Value onnx::softplus(Emitter &e, Value x) {
  Value tail = e.unary<dhlo::Log1pOp>(
      e.unary<dhlo::ExpOp>(e.unary<dhlo::NegOp>(e.unary<dhlo::AbsOp>(x))));
  return e.add(e.maximum(x, 0.0), tail);
}

Value onnx::swish(Emitter &e, Value x, double alpha) {
  Value scaled = alpha == 1.0 ? x : e.mul(x, alpha);
  return e.mul(x, e.unary<dhlo::LogisticOp>(scaled));
}

Value onnx::gelu(Emitter &e, Value x, dhlo::GeluKind kind) {
  return x ? dhlo::GeluOp::create(e.builder, e.loc, x.getType(), kind, x)
           : Value();
}

namespace {

LogicalResult importRelu(OpContext &c) {
  c.ignore({"consumed_inputs"});
  return c.result(c.e.maximum(c.in(0), 0.0));
}

LogicalResult importLeakyRelu(OpContext &c) {
  c.ignore({"consumed_inputs"});
  return c.result(leakyRelu(c.e, c.in(0), c.getFloat("alpha", 0.01)));
}

LogicalResult importPRelu(OpContext &c) {
  c.ignore({"consumed_inputs"});
  Value x = c.in(0), slope = c.in(1);
  if (!x || !slope)
    return failure();
  // Before opset 7 a vector holds a slope for each channel.
  if (c.version < 7 && c.e.rank(slope) == 1 && c.e.rank(x) > 2) {
    Sizes sizes(c.e.rank(x) - 1, c.e.size(1));
    sizes[0] = c.e.dim(slope, 0);
    slope = c.e.reshape(slope, sizes);
  }
  return c.result(whereNegative(c.e, x, c.e.mul(x, slope)));
}

LogicalResult importElu(OpContext &c) {
  c.ignore({"consumed_inputs"});
  return c.result(elu(c.e, c.in(0), c.getFloat("alpha", 1.0)));
}

LogicalResult importSelu(OpContext &c) {
  c.ignore({"consumed_inputs"});
  double alpha = c.getFloat("alpha", 1.67326319217681884765625);
  double gamma = c.getFloat("gamma", 1.05070102214813232421875);
  return c.result(c.e.mul(elu(c.e, c.in(0), alpha), gamma));
}

LogicalResult importCelu(OpContext &c) {
  Value x = c.in(0);
  double alpha = c.getFloat("alpha", 1.0);
  Value low = c.e.mul(c.e.unary<dhlo::Expm1Op>(c.e.div(x, alpha)), alpha);
  return c.result(c.e.add(c.e.maximum(x, 0.0), c.e.minimum(low, 0.0)));
}

LogicalResult importHardSigmoid(OpContext &c) {
  c.ignore({"consumed_inputs"});
  double alpha = c.getFloat("alpha", 0.2), beta = c.getFloat("beta", 0.5);
  return c.result(hardSigmoid(c.e, c.in(0), alpha, beta));
}

LogicalResult importHardSwish(OpContext &c) {
  Value x = c.in(0);
  return c.result(c.e.mul(x, hardSigmoid(c.e, x, 1.0 / 6, 0.5)));
}

LogicalResult importSoftplus(OpContext &c) {
  return c.result(softplus(c.e, c.in(0)));
}

LogicalResult importMish(OpContext &c) {
  Value x = c.in(0);
  return c.result(c.e.mul(x, c.e.unary<dhlo::TanhOp>(softplus(c.e, x))));
}

LogicalResult importSwish(OpContext &c) {
  return c.result(swish(c.e, c.in(0), c.getFloat("alpha", 1.0)));
}

/// The gated first input times the second.
LogicalResult importSwiGlu(OpContext &c) {
  Value a = c.in(0), b = c.in(1);
  return c.result(c.e.mul(swish(c.e, a, c.getFloat("alpha", 1.0)), b));
}

LogicalResult importSoftsign(OpContext &c) {
  return c.result(softsign(c.e, c.in(0)));
}

LogicalResult importThresholdedRelu(OpContext &c) {
  return c.result(thresholdedRelu(c.e, c.in(0), c.getFloat("alpha", 1.0)));
}

LogicalResult importShrink(OpContext &c) {
  Value x = c.in(0);
  double bias = c.getFloat("bias", 0.0), lambd = c.getFloat("lambd", 0.5);
  if (!x)
    return failure();
  Type type = c.e.elementType(x);
  bool isInteger = isa<IntegerType>(type);
  // Bounds of integers need not be integers.
  if (isInteger)
    x = c.e.convert(x, c.e.builder.getF64Type());
  Value zero = c.e.constant(c.e.elementType(x), 0);
  Value low = c.e.select(c.e.compare(CompareDirection::LT, x, -lambd),
                         c.e.add(x, bias), zero);
  Value y = c.e.select(c.e.compare(CompareDirection::GT, x, lambd),
                       c.e.sub(x, bias), low);
  // Results wrap around as integers do.
  if (isInteger)
    y = c.e.convert(y, c.e.builder.getI64Type());
  return c.result(c.e.convert(y, type));
}

LogicalResult importGelu(OpContext &c) {
  StringRef approximate = c.getString("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return c.error("expected approximate 'none' or 'tanh', found '" +
                   approximate + "'");
  auto kind =
      approximate == "tanh" ? dhlo::GeluKind::Tanh : dhlo::GeluKind::Erf;
  return c.result(gelu(c.e, c.in(0), kind));
}

/// Applies `fn` along an axis. Before opset 13 it runs over all axes from
/// `axis` on, flattened.
LogicalResult
importAlongAxis(OpContext &c,
                llvm::function_ref<Value(Value x, int64_t axis)> fn) {
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = c.e.rank(x);
  bool flattens = c.version < 13;
  std::optional<int64_t> axis = c.getAxis("axis", flattens ? 1 : -1, rank);
  if (!axis)
    return failure();
  Sizes sizes = c.e.sizes(x);
  ArrayRef<DimExpr> all(sizes);
  bool single = llvm::all_of(all.drop_front(*axis + 1),
                             [&](DimExpr size) { return c.e.isOne(size); });
  if (!flattens || single)
    return c.result(fn(x, *axis));
  Value flat = c.e.reshape(x, {c.e.product(all.take_front(*axis)),
                               c.e.product(all.drop_front(*axis))});
  return c.result(c.e.reshape(fn(flat, 1), sizes));
}

template <bool log> LogicalResult importSoftmax(OpContext &c) {
  return importAlongAxis(
      c, [&](Value x, int64_t axis) { return c.e.softmax(x, axis, log); });
}

LogicalResult importHardmax(OpContext &c) {
  return importAlongAxis(c, [&](Value x, int64_t axis) -> Value {
    if (!x)
      return {};
    Sizes kept = c.e.sizes(x);
    kept.erase(kept.begin() + axis);
    Type i64 = c.e.builder.getI64Type();
    // An empty axis has no maximum, and no position to put a 1.
    Value some = x;
    if (!c.e.dims.isAtLeast(c.e.dim(x, axis), 1)) {
      Sizes low(kept.size() + 1, c.e.size(0)), high(low);
      high[axis] = c.e.size(1);
      some = c.e.pad(x, c.e.constant(c.e.elementType(x), -INFINITY),
                     dhlo::PadMode::Constant, low, high);
    }
    if (!some)
      return {};
    Value first = dhlo::ArgReduceOp::create(
        c.e.builder, c.e.loc, c.e.type(kept, i64), dhlo::ArgKind::Max, some,
        axis, /*last=*/false);
    Value isMax =
        c.e.compare(CompareDirection::EQ, c.e.iota(axis, c.e.sizes(x), i64),
                    c.e.unsqueeze(first, {axis}));
    return c.e.convert(isMax, c.e.elementType(x));
  });
}

} // namespace

void onnx::registerActivations(OpRegistry &r) {
  r.add("Relu", 1, importRelu);
  r.add("LeakyRelu", 1, importLeakyRelu);
  r.add("PRelu", 1, importPRelu);
  r.add("Elu", 1, importElu);
  r.add("Selu", 1, importSelu);
  r.add("Celu", 12, importCelu);
  r.add("HardSigmoid", 1, importHardSigmoid);
  r.add("HardSwish", 14, importHardSwish);
  r.add("Softplus", 1, importSoftplus);
  r.add("Mish", 18, importMish);
  r.add("Swish", 24, importSwish);
  r.add("SwiGLU", 28, importSwiGlu);
  r.add("Softsign", 1, importSoftsign);
  r.add("ThresholdedRelu", 10, importThresholdedRelu);
  r.add("Shrink", 9, importShrink);
  r.add("Gelu", 20, importGelu);
  r.add("com.microsoft", "Gelu", {1, importGelu});
  r.add("Softmax", 1, importSoftmax<false>);
  r.add("LogSoftmax", 1, importSoftmax<true>);
  r.add("Hardmax", 1, importHardmax);
}
