//===- NarrowRepeats.cpp - Computes elements before their repetition ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//   f(repeat x)  ->  repeat f(x)
//
// if f reads only elements that are repeated along an axis of its result. f is
// an operation whose elements cost much, and operations between it and the
// repetition are computed for fewer elements, too: cheap ones alone stay as
// they are, since kernels compute them where they are read.

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/IR/Failure.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_NARROWREPEATSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;
using llvm::SmallBitVector;

namespace {

/// Determines along which axes values repeat their elements: those that a
/// broadcast repeats, and those of operations on repeated values. Operations
/// are visited in order.
class UniformAxes {
public:
  explicit UniformAxes(const SymbolicDims &dims) : dims(dims) {}

  void visit(Operation *op);
  /// The axes of the result of a visited operation; empty if there are none.
  SmallBitVector get(Value value) const { return axes.lookup(value); }
  /// The result of a visited operation with one element along its axes.
  Value narrow(Operation *op) {
    return narrow(op->getResult(0), get(op->getResult(0)));
  }

private:
  SmallBitVector compute(Operation *op) const;
  /// The axes of an operand that are read at the index of some axes of the
  /// result.
  SmallBitVector getOperandAxes(OpOperand &operand,
                                const SmallBitVector &axes) const;
  /// For a reshape, the axes on the side `to` that are the given ones on the
  /// side `from`.
  SmallBitVector mapReshaped(RankedTensorType from, RankedTensorType to,
                             const SmallBitVector &axes) const;
  Value narrow(Value value, const SmallBitVector &axes);
  Value create(Operation *op, const SmallBitVector &axes);

  const SymbolicDims &dims;
  llvm::DenseMap<Value, SmallBitVector> axes;
  /// Narrow values, by the value and its axes.
  llvm::DenseMap<std::pair<Value, SmallBitVector>, Value> narrowed;
};

} // namespace

/// Whether no attribute is about the size of an axis that the result has from
/// its operands, so that the operation does the same to one element along it.
static bool isSizeless(Operation *op) {
  bool isCombination = op->hasTrait<dhlo::Elementwise>() ||
                       op->hasTrait<dhlo::Reduction>() ||
                       op->hasTrait<dhlo::Contraction>();
  return op->getNumResults() == 1 && isMemoryEffectFree(op) &&
         !mayFailForTypes(op) &&
         (isCombination || isa<NormalizesRows>(op) ||
          isa<AttentionOp, TransposeOp>(op));
}

SmallBitVector UniformAxes::mapReshaped(RankedTensorType from,
                                        RankedTensorType to,
                                        const SmallBitVector &axes) const {
  SmallBitVector result(to.getRank());
  if (axes.none())
    return result;
  SmallVector<AxisGroup> groups =
      getReshapeGroups(getDims(from), getDims(to), dims);
  for (unsigned axis : axes.set_bits())
    if (std::optional<int64_t> found = getReshapedAxis(groups, axis))
      result.set(*found);
  return result;
}

SmallBitVector UniformAxes::getOperandAxes(OpOperand &operand,
                                           const SmallBitVector &axes) const {
  SmallBitVector result(getTensor(operand.get()).getRank());
  auto map =
      getIndexingMap(operand.getOwner(), operand.getOperandNumber(), dims);
  for (auto [i, index] : llvm::enumerate(*map))
    if (index.isSame() && axes.test(index.axis))
      result.set(i);
  return result;
}

SmallBitVector UniformAxes::compute(Operation *op) const {
  RankedTensorType type = getTensor(op->getResult(0));
  SmallBitVector result(type.getRank());
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return mapReshaped(getTensor(reshape.getOperand()), type,
                       get(reshape.getOperand()));
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    SmallBitVector operand = get(broadcast.getOperand());
    result.set();
    for (auto [i, axis] : llvm::enumerate(broadcast.getAxes())) {
      bool isUniform = i < operand.size() && operand.test(i);
      if (!isUniform &&
          !getDim(getTensor(broadcast.getOperand()), i).isConst(1))
        result.reset(axis);
    }
    return result;
  }
  if (!isSizeless(op) || op->getNumOperands() == 0)
    return result;
  result.set();
  for (OpOperand &operand : op->getOpOperands()) {
    auto map = getIndexingMap(op, operand.getOperandNumber(), dims);
    if (!map)
      return SmallBitVector(type.getRank());
    SmallBitVector own = get(operand.get());
    for (auto [i, index] : llvm::enumerate(*map))
      for (unsigned axis = 0; axis != result.size(); ++axis)
        if (index.dependsOn(axis) &&
            !(index.isSame() && i < own.size() && own.test(i)))
          result.reset(axis);
  }
  return result;
}

void UniformAxes::visit(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResultTypes().front()))
    return;
  SmallBitVector result = compute(op);
  // There is nothing to narrow on an axis of one element.
  RankedTensorType type = getTensor(op->getResult(0));
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (dims.getRange(getDim(type, axis)).max <= 1)
      result.reset(axis);
  if (result.any())
    axes[op->getResult(0)] = result;
}

Value UniformAxes::narrow(Value value, const SmallBitVector &axes) {
  if (axes.none())
    return value;
  if (Value known = narrowed.lookup({value, axes}))
    return known;
  Value result = create(value.getDefiningOp(), axes);
  narrowed[{value, axes}] = result;
  return result;
}

Value UniformAxes::create(Operation *op, const SmallBitVector &axes) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<DimExpr> sizes = getDims(type);
  for (unsigned axis : axes.set_bits())
    sizes[axis] = getConstDim(b.getContext(), 1);
  RankedTensorType to = getTensorType(sizes, type.getElementType());

  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    RankedTensorType from = getTensor(reshape.getOperand());
    Value operand = narrow(reshape.getOperand(), mapReshaped(type, from, axes));
    return createReshape(b, op->getLoc(), operand, to);
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    RankedTensorType from = getTensor(broadcast.getOperand());
    SmallBitVector own(from.getRank());
    for (auto [i, axis] : llvm::enumerate(broadcast.getAxes()))
      if (axes.test(axis) && !getDim(from, i).isConst(1))
        own.set(i);
    Value operand = narrow(broadcast.getOperand(), own);
    if (dims.isEqual(dims.getNumElements(getTensor(operand)),
                     dims.getNumElements(to)))
      return createReshape(b, op->getLoc(), operand, to);
    return BroadcastOp::create(b, op->getLoc(), to, operand,
                               broadcast.getAxes());
  }
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(narrow(operand.get(), getOperandAxes(operand, axes)));
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(to);
  return copy->getResult(0);
}

/// Whether an element costs so much that operands are computed again for fewer.
static bool isWorthNarrowing(Operation *op) {
  return op->hasTrait<dhlo::Contraction>() ||
         isa<NormalizesRows, AttentionOp>(op);
}

namespace {
struct NarrowRepeatsPass
    : dhlo::impl::NarrowRepeatsPassBase<NarrowRepeatsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    UniformAxes uniform(getAnalysis<SymbolicDims>());
    SmallVector<Operation *> narrowed;
    for (Operation *op : collectOps<Operation *>(getOperation())) {
      uniform.visit(op);
      if (!isWorthNarrowing(op) || uniform.get(op->getResult(0)).none())
        continue;
      RankedTensorType type = getTensor(op->getResult(0));
      Value value = uniform.narrow(op);
      OpBuilder b(op->getContext());
      b.setInsertionPointAfterValue(value);
      auto repeated = BroadcastOp::create(
          b, op->getLoc(), type, value,
          llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
      op->replaceAllUsesWith(repeated);
      uniform.visit(repeated);
      narrowed.push_back(op);
    }
    // Not before, as values are looked up by their addresses.
    for (Operation *op : llvm::reverse(narrowed))
      eraseDead(op);
    numNarrowed += narrowed.size();
    if (narrowed.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
