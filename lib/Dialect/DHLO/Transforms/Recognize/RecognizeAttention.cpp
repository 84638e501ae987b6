//===- RecognizeAttention.cpp - Recognizes attention ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A match starts at the contraction of probabilities and values and walks up:
//
//   output = dot_general(probabilities, values)
//   probabilities = p = softmax(x), zero where p is NaN or all x are -inf
//   x = scores, capped, with masks added or put in place, limited, scaled by
//       numbers or by a number for each query
//   scores = dot_general([scaled] queries, [scaled] keys)
//
// with reshapes of the leading axes anywhere between: one mask may be added
// where batch and heads are one axis, and another one where they are two.
// Queries, keys and values then become [batch, heads, rows, depth]; the model's
// transposes for its contractions are undone. Repeated heads of keys and values
// are shared (SharedHeads.h), also by attention that was imported as such.

#include "AttentionMask.h"
#include "EmptyRowGuard.h"
#include "Match.h"
#include "SharedHeads.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

#include <cmath>

namespace dyn::dhlo {
#define GEN_PASS_DEF_RECOGNIZEATTENTIONPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// Operations between scores and softmax.
constexpr unsigned kMaxSteps = 12;

/// A batched matmul over the last axes of both operands, or with transposed
/// RHS; all axes before them are batch axes.
bool isBatchMatmul(DotGeneralOp dot) {
  int64_t rank = getTensor(dot.getLhs()).getRank();
  return rank >= 3 && getTensor(dot.getRhs()).getRank() == rank &&
         static_cast<int64_t>(dot.getBatch()) == rank - 2 &&
         dot.getLhsContract().size() == 1 &&
         dot.getType().getElementType() ==
             getTensor(dot.getLhs()).getElementType();
}

class Matcher {
public:
  Matcher(DotGeneralOp output, const SymbolicDims &dims)
      : output(output), dims(dims) {}

  bool match();
  Value build(OpBuilder &builder);
  /// Erases the operations that a failed match has created.
  void discard() {
    for (Value value : made)
      if (Operation *op = value.getDefiningOp())
        eraseDead(op);
  }
  bool isCausal() const { return mask->isCausal(); }

private:
  /// A tensor that changes scores, and the type of the scores there: a term
  /// that is added, a predicate where a number replaces them, or a factor or
  /// divisor for each query.
  struct Step {
    enum Kind { Sum, Choice, Product, Quotient } kind;
    Value value;
    bool removed;
    double number;
    /// The scales that are applied later, multiplied.
    double factor;
    RankedTensorType type;
  };

  bool matchProbabilities();
  bool matchScores();
  bool matchMasks();
  /// The value of a step for scores of `type` with four axes, if the step has
  /// batch and heads as one axis. Null if there is none.
  Value splitHeads(const Step &step, RankedTensorType type);
  /// The scores if an operation multiplies them by a tensor, or divides them,
  /// which becomes a step. Null if it does not.
  Value matchTensorScale(Operation *op);
  /// Whether a value is computed from the contraction of queries and keys by
  /// operations that matchScores accepts.
  bool leadsToScores(Value value, unsigned depth) const;
  /// The axes of four-dimensional scores that the axes of a tensor of this rank
  /// correspond to.
  static std::optional<SmallVector<int64_t>> getScoreAxes(int64_t rank);
  Value toHeads(OpBuilder &builder, Value value, DimExpr heads);

  DotGeneralOp output, scores;
  const SymbolicDims &dims;
  Interior interior;
  std::optional<EmptyRowGuard> guard;
  Value beforeSoftmax;
  Value query, key;
  double scale = 1;
  std::optional<double> cap;
  SmallVector<Step> steps;
  std::optional<double> least;
  bool isScaledByQuery = false;
  SmallVector<Value> made;
  /// The sizes of the scores: batch, heads, queries, keys.
  SmallVector<DimExpr> sizes;
  std::optional<AttentionMask> mask;
  /// Factors and divisors of queries.
  SmallVector<std::pair<Step::Kind, ScoreTensor>> queryScales;
};

} // namespace

//===----------------------------------------------------------------------===//
// From the output to the scores
//===----------------------------------------------------------------------===//

bool Matcher::matchProbabilities() {
  if (!isBatchMatmul(output) ||
      output.getLhsContract()[0] != getTensor(output.getLhs()).getRank() - 1)
    return false;
  Value value = output.getLhs();
  while (Operation *op = value.getDefiningOp()) {
    interior.add(op);
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      if (!keepsLastTwo(reshape, dims))
        return false;
      value = reshape.getOperand();
      continue;
    }
    if (auto select = dyn_cast<SelectOp>(op)) {
      if (guard)
        return false;
      guard = matchEmptyRowGuard(select, interior, dims);
      if (!guard)
        return false;
      value = guard->probabilities;
      continue;
    }
    auto softmax = dyn_cast<SoftmaxOp>(op);
    if (!softmax || softmax.getLog() ||
        static_cast<int64_t>(softmax.getAxis()) !=
            softmax.getType().getRank() - 1)
      return false;
    beforeSoftmax = softmax.getOperand();
    return !guard || !guard->scores || guard->scores == beforeSoftmax;
  }
  return false;
}

bool Matcher::leadsToScores(Value value, unsigned depth) const {
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxSteps)
    return false;
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return isBatchMatmul(dot);
  if (auto scaled = matchScaled(value))
    return leadsToScores(scaled->base, depth + 1);
  // Steps of models between scores and softmax: heads, clamps, caps and scales.
  if (isa<ReshapeOp, MaximumOp, TanhOp, DivOp>(op))
    return leadsToScores(op->getOperand(0), depth + 1);
  if (isa<AddOp, MulOp>(op))
    return leadsToScores(op->getOperand(0), depth + 1) ||
           leadsToScores(op->getOperand(1), depth + 1);
  if (isa<SelectOp>(op))
    return leadsToScores(op->getOperand(1), depth + 1) ||
           leadsToScores(op->getOperand(2), depth + 1);
  return false;
}

bool Matcher::matchScores() {
  Value value = beforeSoftmax;
  bool isScaled = false;
  for (unsigned i = 0; i < kMaxSteps; ++i) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    interior.add(op);
    RankedTensorType type = getTensor(value);
    if (auto dot = dyn_cast<DotGeneralOp>(op)) {
      scores = dot;
      return isBatchMatmul(dot);
    }
    if (auto scaled = matchScaled(value)) {
      scale *= scaled->factor;
      isScaled = true;
      value = scaled->base;
      continue;
    }
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      if (!keepsLastTwo(reshape, dims))
        return false;
      value = reshape.getOperand();
      continue;
    }
    if (auto tanh = dyn_cast<TanhOp>(op)) {
      // In cap * tanh(x / cap), the multiplication has been matched already.
      if (cap || isScaledByQuery || !(scale > 0))
        return false;
      cap = scale;
      value = tanh.getOperand();
      continue;
    }
    if (Value scaled = matchTensorScale(op)) {
      value = scaled;
      continue;
    }
    if (cap || isScaledByQuery)
      return false;
    if (auto limit = dyn_cast<MaximumOp>(op)) {
      std::optional<double> number = getSplat(limit.getRhs());
      if (!number || isScaled || !steps.empty() || least)
        return false;
      least = number;
      value = limit.getLhs();
      continue;
    }
    if (auto add = dyn_cast<AddOp>(op)) {
      bool isLeft = leadsToScores(add.getLhs(), 0);
      if (isLeft && leadsToScores(add.getRhs(), 0))
        return false;
      value = isLeft ? add.getLhs() : add.getRhs();
      Value term = isLeft ? add.getRhs() : add.getLhs();
      steps.push_back({Step::Sum, term, false, 0, scale, type});
      continue;
    }
    auto select = dyn_cast<SelectOp>(op);
    if (!select)
      return false;
    bool isTrue = leadsToScores(select.getOnTrue(), 0);
    value = isTrue ? select.getOnTrue() : select.getOnFalse();
    std::optional<double> number =
        getSplat(isTrue ? select.getOnFalse() : select.getOnTrue());
    if (!number)
      return false;
    steps.push_back(
        {Step::Choice, select.getPredicate(), !isTrue, *number, scale, type});
  }
  return false;
}

Value Matcher::matchTensorScale(Operation *op) {
  if (!isa<MulOp, DivOp>(op))
    return {};
  bool isLeft = leadsToScores(op->getOperand(0), 0);
  bool isRight = isa<MulOp>(op) && leadsToScores(op->getOperand(1), 0);
  Value tensor = op->getOperand(isLeft ? 1 : 0);
  // A number that is no scale is infinite, or divides by zero.
  if (isLeft == isRight || getSplat(tensor))
    return {};
  steps.push_back({isa<MulOp>(op) ? Step::Product : Step::Quotient, tensor,
                   false, 0, scale, getTensor(op->getResult(0))});
  isScaledByQuery = true;
  return op->getOperand(isLeft ? 0 : 1);
}

std::optional<SmallVector<int64_t>> Matcher::getScoreAxes(int64_t rank) {
  switch (rank) {
  case 2:
    return SmallVector<int64_t>{2, 3};
  case 3:
    return SmallVector<int64_t>{0, 2, 3};
  case 4:
    return SmallVector<int64_t>{0, 1, 2, 3};
  default:
    return std::nullopt;
  }
}

Value Matcher::splitHeads(const Step &step, RankedTensorType type) {
  if (step.type.getRank() != 3 || type.getRank() != 4 ||
      !dims.isEqual(getDim(step.type, 0), mul(sizes[0], sizes[1])) ||
      !dims.isEqual(getDim(step.type, 1), sizes[2]) ||
      !dims.isEqual(getDim(step.type, 2), sizes[3]))
    return {};
  // It is broadcast later.
  Value value = step.value;
  while (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    if (broadcast.getAxes() != ArrayRef<int64_t>{0, 1, 2})
      break;
    value = broadcast.getOperand();
  }
  SmallVector<DimExpr> split = getDims(getTensor(value));
  DimExpr heads = split[0].isConst(1) ? split[0] : sizes[1];
  if (!split[0].isConst(1)) {
    if (!dims.isEqual(split[0], getDim(step.type, 0)))
      return {};
    split[0] = sizes[0];
  }
  split.insert(split.begin() + 1, heads);
  OpBuilder builder(output);
  made.push_back(
      createReshape(builder, step.value.getLoc(), value,
                    getTensorType(split, getTensor(value).getElementType())));
  return made.back();
}

bool Matcher::matchMasks() {
  // Batch and heads have the axes of the first mask, or else of the
  // contraction.
  RankedTensorType type = steps.empty() ? output.getType() : steps[0].type;
  auto scoreAxes = getScoreAxes(type.getRank());
  if (!scoreAxes)
    return false;
  DimExpr one = getConstDim(type.getContext(), 1);
  SmallVector<DimExpr> source = getDims(type);
  if (steps.empty()) {
    source.back() = getDims(scores.getType()).back();
    source[source.size() - 2] = getDims(output.getType())[source.size() - 2];
  }
  sizes.assign(4, one);
  for (auto [axis, scoreAxis] : llvm::enumerate(*scoreAxes))
    sizes[scoreAxis] = source[axis];

  mask.emplace(sizes, cast<FloatType>(type.getElementType()), dims);
  for (const Step &step : llvm::reverse(steps)) {
    bool isEquivalent = step.type.getRank() == type.getRank() &&
                        dims.hasSameSizes(step.type, type);
    Value value = isEquivalent ? step.value : splitHeads(step, type);
    if (!value)
      return false;
    switch (step.kind) {
    case Step::Sum:
      mask->addTerm(value, step.factor, *scoreAxes);
      break;
    case Step::Choice:
      if (!mask->replaceScores(value, step.removed, step.number, step.factor,
                               *scoreAxes))
        return false;
      break;
    case Step::Product:
    case Step::Quotient:
      queryScales.push_back({step.kind, {value, *scoreAxes}});
      queryScales.back().second.peel(dims);
      if (!queryScales.back().second.isUniformAlongKeys())
        return false;
    }
  }
  return (!least || mask->limitBelow(*least)) &&
         mask->resolve(guard.has_value());
}

bool Matcher::match() {
  // Contractions of f64 are faster than attention, which has no kernel of f64.
  auto element = dyn_cast<FloatType>(output.getType().getElementType());
  if (!element || element.isF64() || !matchProbabilities() || !matchScores() ||
      !matchMasks())
    return false;
  for (Value *side : {&query, &key}) {
    *side = side == &query ? scores.getLhs() : scores.getRhs();
    while (auto scaled = matchScaled(*side)) {
      scale *= scaled->factor;
      *side = scaled->base;
    }
  }
  return std::isfinite(scale) && interior.isClosed(output);
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// Reshapes a tensor [leading axes..., rows, depth] to [batch, heads, rows,
/// depth].
Value Matcher::toHeads(OpBuilder &builder, Value value, DimExpr heads) {
  RankedTensorType type = getTensor(value);
  int64_t rank = type.getRank();
  return createReshape(builder, output.getLoc(), value,
                       getTensorType({sizes[0], heads, getDim(type, rank - 2),
                                      getDim(type, rank - 1)},
                                     type.getElementType()));
}

Value Matcher::build(OpBuilder &builder) {
  Location loc = output.getLoc();
  int64_t last = getTensor(query).getRank() - 1;
  if (scores.getLhsContract()[0] != last)
    query = transposeLastTwo(builder, loc, query, dims);
  // A repetition may precede a transpose that is undone first.
  if (scores.getRhsContract()[0] != last)
    key = transposeLastTwo(builder, loc, key, dims);
  while (auto scaled = matchScaled(key)) {
    scale *= scaled->factor;
    key = scaled->base;
  }
  Value value = output.getRhs();
  if (output.getRhsContract()[0] == getTensor(value).getRank() - 1)
    value = transposeLastTwo(builder, loc, value, dims);

  query = toHeads(builder, query, sizes[1]);
  for (auto &[kind, factor] : queryScales) {
    Value wide = BroadcastOp::create(
        builder, loc, query.getType(), factor.build(builder, loc),
        builder.getDenseI64ArrayAttr({0, 1, 2, 3}));
    query = kind == Step::Product
                ? MulOp::create(builder, loc, query, wide).getResult()
                : DivOp::create(builder, loc, query, wide).getResult();
  }
  key = toHeads(builder, key, sizes[1]);
  value = toHeads(builder, value, sizes[1]);
  Value operand = mask->build(builder, loc);
  auto type = getTensorType({sizes[0], sizes[1], getDim(getTensor(query), 2),
                             getDim(getTensor(value), 3)},
                            output.getType().getElementType());
  Value result = AttentionOp::create(
      builder, loc, type, query, key, value, operand,
      builder.getF64FloatAttr(scale),
      cap ? builder.getF64FloatAttr(*cap) : nullptr,
      mask->isCausal() ? builder.getUnitAttr() : nullptr,
      mask->isNanIfEmpty() ? builder.getUnitAttr() : nullptr);
  return createReshape(builder, loc, result, output.getType());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RecognizeAttentionPass
    : dhlo::impl::RecognizeAttentionPassBase<RecognizeAttentionPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    bool changed = false;
    for (DotGeneralOp output : collectOps<DotGeneralOp>(getOperation())) {
      Matcher matcher(output, dims);
      if (!matcher.match()) {
        matcher.discard();
        continue;
      }
      OpBuilder builder(output);
      output.replaceAllUsesWith(matcher.build(builder));
      // The contraction's producers precede it, so they have been visited.
      eraseDead(output);
      ++numAttentions;
      numCausal += matcher.isCausal();
      changed = true;
    }
    for (AttentionOp attention : collectOps<AttentionOp>(getOperation()))
      if (shareHeads(attention, dims)) {
        ++numShared;
        changed = true;
      }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
