//===- RecognizeGelu.cpp - Recognizes GELU among primitive operations -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A GELU multiplies x, a number and one of
//
//   1 + erf(u)       u = x / sqrt(2)
//   1 + tanh(u)      u = sqrt(2 / pi) (x + 0.044715 x^3)
//   logistic(2 u)    of the same u
//
// Exporters nest the multiplications and write the polynomial in many ways. So
// nested multiplications are flattened to factors, and u is computed as a
// polynomial in x, whose coefficients are compared. The factors are candidates
// for x.

#include "Recognize.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

constexpr unsigned kMaxDepth = 8;

/// Coefficients of 1, x, x^2, x^3.
using Polynomial = std::array<double, 4>;

std::optional<Polynomial> multiply(const Polynomial &lhs,
                                   const Polynomial &rhs) {
  Polynomial result = {};
  for (size_t i = 0; i != lhs.size(); ++i)
    for (size_t j = 0; j != rhs.size(); ++j) {
      double product = lhs[i] * rhs[j];
      if (product == 0)
        continue;
      if (i + j >= result.size())
        return std::nullopt;
      result[i + j] += product;
    }
  return result;
}

/// Whether an operation may be part of a polynomial.
bool isTerm(Operation *op) {
  return op->hasTrait<Arithmetic>() || isa<PowOp>(op);
}

/// Evaluates a value as a polynomial in x and adds its operations to
/// `interior`.
std::optional<Polynomial>
getPolynomial(Value value, Value x, Interior &interior, unsigned depth = 0) {
  if (value == x)
    return Polynomial{0, 1, 0, 0};
  if (std::optional<double> number = getSplat(value))
    return Polynomial{*number, 0, 0, 0};
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth || !isTerm(op))
    return std::nullopt;
  interior.add(op);
  std::optional<Polynomial> lhs =
      getPolynomial(op->getOperand(0), x, interior, depth + 1);
  if (!lhs)
    return std::nullopt;
  if (isa<DivOp, PowOp>(op)) {
    std::optional<double> number = getSplat(op->getOperand(1));
    if (!number)
      return std::nullopt;
    if (isa<DivOp>(op))
      return multiply(*lhs, {1 / *number, 0, 0, 0});
    if (*number != 2 && *number != 3)
      return std::nullopt;
    std::optional<Polynomial> power = multiply(*lhs, *lhs);
    return *number == 3 && power ? multiply(*power, *lhs) : power;
  }
  std::optional<Polynomial> rhs =
      getPolynomial(op->getOperand(1), x, interior, depth + 1);
  if (!rhs)
    return std::nullopt;
  if (isa<MulOp>(op))
    return multiply(*lhs, *rhs);
  for (size_t i = 0; i != lhs->size(); ++i)
    (*lhs)[i] += isa<AddOp>(op) ? (*rhs)[i] : -(*rhs)[i];
  return lhs;
}

/// Multiplied values as a number times factors.
struct Product {
  double number = 1;
  SmallVector<Value> factors;
  Interior interior;

  /// Flattens a value; multiplications that contain `whole` are not split.
  void add(Value value, Value whole = {}, unsigned depth = 0) {
    auto scaled = value == whole ? std::nullopt : matchScaled(value);
    auto mul = value == whole ? MulOp() : value.getDefiningOp<MulOp>();
    if ((!scaled && !mul) || depth > kMaxDepth) {
      factors.push_back(value);
      return;
    }
    interior.add(value);
    if (scaled) {
      number *= scaled->factor;
      return add(scaled->base, whole, depth + 1);
    }
    add(mul.getLhs(), whole, depth + 1);
    add(mul.getRhs(), whole, depth + 1);
  }
};

/// The operand of erf, tanh or logistic in a factor that may be a GELU's core.
struct Core {
  Operation *function;
  Interior interior;
};

std::optional<Core> matchCore(Value factor) {
  Core core;
  core.interior.add(factor);
  if (auto logistic = factor.getDefiningOp<LogisticOp>()) {
    core.function = logistic;
    return core;
  }
  auto add = factor.getDefiningOp<AddOp>();
  if (!add)
    return std::nullopt;
  for (auto [one, other] : {std::pair(add.getLhs(), add.getRhs()),
                            std::pair(add.getRhs(), add.getLhs())}) {
    Operation *function = other.getDefiningOp();
    if (!isSplat(one, 1) || !isa_and_nonnull<ErfOp, TanhOp>(function))
      continue;
    core.function = function;
    core.interior.add(function);
    return core;
  }
  return std::nullopt;
}

/// The kind of GELU whose core reads `u`, if any.
std::optional<GeluKind> getKind(Operation *function, const Polynomial &u,
                                double number, Type element) {
  auto is = [&](double value, double expected) {
    return isClose(value, expected, element);
  };
  if (u[0] != 0 || u[2] != 0)
    return std::nullopt;
  if (isa<ErfOp>(function)) {
    if (number != 0.5 || !is(u[1], std::sqrt(0.5)) || u[3] != 0)
      return std::nullopt;
    return GeluKind::Erf;
  }
  bool isLogistic = isa<LogisticOp>(function);
  double slope = std::sqrt(2 / M_PI) * (isLogistic ? 2 : 1);
  if (number != (isLogistic ? 1 : 0.5) || !is(u[1], slope) ||
      !is(u[3], slope * 0.044715))
    return std::nullopt;
  return GeluKind::Tanh;
}

/// Candidates for x: all values that the function's operand is computed from.
void collectCandidates(Value value, llvm::SetVector<Value> &candidates,
                       unsigned depth = 0) {
  if (depth > kMaxDepth || getSplat(value) || !candidates.insert(value))
    return;
  if (Operation *op = value.getDefiningOp())
    if (isTerm(op))
      for (Value operand : op->getOperands())
        collectCandidates(operand, candidates, depth + 1);
}

} // namespace

Value dhlo::recognizeGelu(Operation *op, OpBuilder &builder) {
  if (!isa<MulOp, DivOp>(op))
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isa<FloatType>(type.getElementType()))
    return {};
  Product all;
  all.add(op->getResult(0));
  for (Value factor : all.factors) {
    std::optional<Core> core = matchCore(factor);
    if (!core)
      continue;
    llvm::SetVector<Value> candidates;
    collectCandidates(core->function->getOperand(0), candidates);
    for (Value x : candidates) {
      Interior interior = core->interior;
      std::optional<Polynomial> u =
          getPolynomial(core->function->getOperand(0), x, interior);
      Product product;
      product.add(op->getResult(0), x);
      if (!u || product.factors.size() != 2 ||
          !llvm::is_contained(product.factors, x) ||
          !llvm::is_contained(product.factors, factor))
        continue;
      std::optional<GeluKind> kind =
          getKind(core->function, *u, product.number, type.getElementType());
      interior.add(product.interior);
      if (kind && interior.isClosed(op))
        return GeluOp::create(builder, op->getLoc(), type, *kind, x);
    }
  }
  return {};
}
