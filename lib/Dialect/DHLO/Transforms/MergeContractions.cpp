//===- MergeContractions.cpp - Merges matmuls with the same LHS -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantValues.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_MERGECONTRACTIONSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// A matmul with a constant matrix, and the bias that is added to its columns.
struct Candidate {
  DotGeneralOp dot;
  /// The last operation: the addition, or the matmul.
  Operation *last;
  Value bias;
};

class Merger {
public:
  explicit Merger(const SymbolicDims &dims) : constants(dims) {}

  std::optional<Candidate> match(DotGeneralOp dot);
  void merge(ArrayRef<Candidate> group);

private:
  void moveBefore(Value constant, Operation *position);

  ConstantValues constants;
};

/// Whether matmuls may be merged: they only differ in elements of the matrix.
bool isEquivalent(const Candidate &x, const Candidate &y) {
  DotGeneralOp a = x.dot, b = y.dot;
  auto getElement = [](DotGeneralOp op) {
    return getTensor(op.getRhs()).getElementType();
  };
  return a->getBlock() == b->getBlock() && getElement(a) == getElement(b) &&
         a.getLhsContract() == b.getLhsContract() &&
         a.getRhsContract() == b.getRhsContract() &&
         a.getType().getElementType() == b.getType().getElementType() &&
         bool(x.bias) == bool(y.bias);
}

} // namespace

std::optional<Candidate> Merger::match(DotGeneralOp dot) {
  DotGeneralOp op = dot;
  if (op.getBatch() != 0 || op.getRhsContract().size() != 1 ||
      getTensor(op.getRhs()).getRank() != 2 ||
      !constants.contains(op.getRhs()) || constants.contains(op.getLhs()))
    return std::nullopt;
  Candidate result = {dot, dot, {}};
  int64_t axis = op.getType().getRank() - 1;
  if (op->hasOneUse())
    if (auto add = dyn_cast<AddOp>(*op->user_begin())) {
      Value other =
          add.getLhs() == op.getResult() ? add.getRhs() : add.getLhs();
      OpBuilder builder(add);
      result.bias = constants.matchChannels(other, axis, builder);
      if (result.bias)
        result.last = add;
    }
  // Consumers that compute on the result are better fused into separate GEMMs,
  // on registers.
  bool isMoved = llvm::all_of(result.last->getUsers(), [](Operation *user) {
    return user->hasTrait<MovesOneOperand>() &&
           !isa<BroadcastOp, ReverseOp>(user);
  });
  if (!isMoved || result.last->use_empty())
    return std::nullopt;
  return result;
}

/// Moves a constant's producers before an operation of the same block.
void Merger::moveBefore(Value constant, Operation *position) {
  Operation *op = constant.getDefiningOp();
  if (op->getBlock() != position->getBlock() || op->isBeforeInBlock(position))
    return;
  for (Value operand : op->getOperands())
    moveBefore(operand, position);
  op->moveBefore(position);
}

void Merger::merge(ArrayRef<Candidate> group) {
  Operation *first = group.front().dot;
  for (const Candidate &candidate : group) {
    moveBefore(DotGeneralOp(candidate.dot).getRhs(), first);
    if (candidate.bias)
      moveBefore(candidate.bias, first);
  }
  ImplicitLocOpBuilder b(first->getLoc(), first);
  DotGeneralOp dot = group.front().dot;
  Type element = dot.getType().getElementType();
  int64_t columnAxis = 1 - dot.getRhsContract()[0];
  SmallVector<Value> matrices, biases;
  int64_t columns = 0;
  for (const Candidate &candidate : group) {
    matrices.push_back(DotGeneralOp(candidate.dot).getRhs());
    if (candidate.bias)
      biases.push_back(candidate.bias);
    columns += getTensor(matrices.back()).getDimSize(columnAxis);
  }
  auto withColumns = [&](RankedTensorType type, int64_t axis) {
    SmallVector<DimExpr> sizes = getDims(type);
    sizes[axis] = getConstDim(b.getContext(), columns);
    return getTensorType(sizes, type.getElementType());
  };
  Value matrix = ConcatOp::create(
      b, withColumns(getTensor(matrices[0]), columnAxis), matrices, columnAxis);
  int64_t axis = dot.getType().getRank() - 1;
  Value all = DotGeneralOp::create(b, withColumns(dot.getType(), axis),
                                   dot.getLhs(), matrix, 0,
                                   dot.getLhsContract(), dot.getRhsContract());
  if (!biases.empty()) {
    Value bias = ConcatOp::create(b, RankedTensorType::get({columns}, element),
                                  biases, 0);
    bias = BroadcastOp::create(b, getTensor(all), bias,
                               b.getDenseI64ArrayAttr({axis}));
    all = AddOp::create(b, all, bias);
  }
  // Each result is a slice of columns.
  int64_t start = 0;
  for (const Candidate &candidate : group) {
    RankedTensorType type = getTensor(candidate.last->getResult(0));
    SmallVector<Attribute> starts(type.getRank(),
                                  getConstDim(b.getContext(), 0));
    starts.back() = getConstDim(b.getContext(), start);
    SmallVector<int64_t> strides(type.getRank(), 1);
    Value part = SliceOp::create(b, type, all, b.getArrayAttr(starts), strides);
    candidate.last->getResult(0).replaceAllUsesWith(part);
    start += type.getDimSize(axis);
  }
  constants.forget();
  for (const Candidate &candidate : group) {
    if (candidate.last != candidate.dot)
      candidate.last->erase();
    DotGeneralOp(candidate.dot).erase();
  }
}

namespace {
struct MergeContractionsPass
    : dhlo::impl::MergeContractionsPassBase<MergeContractionsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    Merger merger(dims);
    llvm::MapVector<Value, SmallVector<Candidate>> byOperand;
    for (DotGeneralOp dot : collectOps<DotGeneralOp>(getOperation()))
      if (std::optional<Candidate> candidate = merger.match(dot))
        byOperand[dot.getLhs()].push_back(*candidate);
    for (auto &[lhs, candidates] : byOperand) {
      SmallVector<Candidate> group;
      for (const Candidate &candidate : candidates)
        if (group.empty() || isEquivalent(group.front(), candidate))
          group.push_back(candidate);
      if (group.size() < 2)
        continue;
      merger.merge(group);
      numMerged += group.size();
    }
    if (numMerged == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
