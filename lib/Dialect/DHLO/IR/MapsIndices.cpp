//===- MapsIndices.cpp - The interface MapsIndices of each operation ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn::dhlo;

static int64_t rankOf(Value tensor) { return typeOf(tensor).getRank(); }

IndexingMap dyn::dhlo::getIdentityMap(int64_t rank) {
  IndexingMap map;
  for (int64_t axis = 0; axis < rank; ++axis)
    map.push_back(AxisIndex::same(axis));
  return map;
}

/// The identity, but each element reads all along `axes`.
static IndexingMap getMixedMap(int64_t rank, ArrayRef<int64_t> axes) {
  IndexingMap map = getIdentityMap(rank);
  for (int64_t axis : axes)
    map[axis] = AxisIndex::mixed(axis);
  return map;
}

/// The result has the other axes of the operand, in their order.
static IndexingMap getReducedMap(int64_t rank, ArrayRef<int64_t> axes) {
  IndexingMap map;
  int64_t next = 0;
  for (int64_t axis = 0; axis < rank; ++axis)
    map.push_back(llvm::is_contained(axes, axis) ? AxisIndex::mixed()
                                                 : AxisIndex::same(next++));
  return map;
}

std::optional<IndexingMap> dyn::dhlo::getIndexingMap(Operation *op,
                                                     unsigned operand) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
  if (!type || op->getNumResults() == 0)
    return std::nullopt;
  if (op->hasTrait<Elementwise>())
    return getIdentityMap(type.getRank());
  if (auto mapping = dyn_cast<MapsIndices>(op))
    return mapping.getIndexingMap(operand);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

IndexingMap BroadcastOp::getIndexingMap(unsigned) {
  IndexingMap map;
  for (int64_t axis : getAxes())
    map.push_back(AxisIndex::broadcast(axis));
  return map;
}

IndexingMap TransposeOp::getIndexingMap(unsigned) {
  IndexingMap map(getPermutation().size());
  for (auto [axis, from] : llvm::enumerate(getPermutation()))
    map[from] = AxisIndex::same(axis);
  return map;
}

IndexingMap SliceOp::getIndexingMap(unsigned) {
  IndexingMap map;
  for (auto [axis, start, stride] :
       llvm::enumerate(getStarts().getAsRange<DimExpr>(), getStrides()))
    map.push_back(AxisIndex::strided(axis, start, stride));
  return map;
}

IndexingMap ReverseOp::getIndexingMap(unsigned) {
  IndexingMap map = getIdentityMap(getType().getRank());
  DimExpr one = getConstDim(getContext(), 1);
  for (int64_t axis : getAxes())
    map[axis] = AxisIndex::strided(axis, sub(getDim(getType(), axis), one), -1);
  return map;
}

IndexingMap PadOp::getIndexingMap(unsigned operand) {
  if (operand != 0)
    return {};
  IndexingMap map = getIdentityMap(getType().getRank());
  for (auto [axis, low, high] : llvm::enumerate(
           getLow().getAsRange<DimExpr>(), getHigh().getAsRange<DimExpr>())) {
    if (low.isConst(0) && high.isConst(0))
      continue;
    // Other modes read elements for the padding, too.
    map[axis] = getMode() == PadMode::Constant ? AxisIndex::shifted(axis, low)
                                               : AxisIndex::mixed(axis);
  }
  return map;
}

IndexingMap ConcatOp::getIndexingMap(unsigned operand) {
  int64_t axis = getAxis();
  IndexingMap map = getIdentityMap(getType().getRank());
  DimExpr start = getConstDim(getContext(), 0);
  for (Value before : getOperands().take_front(operand))
    start = add(start, getDim(typeOf(before), axis));
  map[axis] = AxisIndex::shifted(axis, start);
  return map;
}

IndexingMap GatherOp::getIndexingMap(unsigned operand) {
  int64_t axis = getAxis(), batch = getBatch();
  int64_t numIndexAxes = rankOf(getIndices()) - batch;
  if (operand != 0) {
    IndexingMap map = getIdentityMap(batch);
    for (int64_t i = 0; i < numIndexAxes; ++i)
      map.push_back(AxisIndex::same(axis + i));
    return map;
  }
  IndexingMap map = getIdentityMap(axis);
  map.push_back(AxisIndex::found(axis, numIndexAxes));
  for (int64_t i = axis + 1; i < rankOf(getOperand()); ++i)
    map.push_back(AxisIndex::same(i - 1 + numIndexAxes));
  return map;
}

IndexingMap GatherElementsOp::getIndexingMap(unsigned operand) {
  int64_t axis = getAxis();
  IndexingMap map = getIdentityMap(getType().getRank());
  if (operand == 0)
    map[axis] = AxisIndex::found(axis, 1);
  return map;
}

IndexingMap GatherNdOp::getIndexingMap(unsigned operand) {
  int64_t batch = getBatch(), numIndexAxes = rankOf(getIndices()) - 1;
  int64_t length = typeOf(getIndices()).getShape().back();
  if (operand != 0) {
    IndexingMap map = getIdentityMap(numIndexAxes);
    map.push_back(AxisIndex::mixed());
    return map;
  }
  IndexingMap map = getIdentityMap(batch);
  map.append(length, AxisIndex::found(batch, numIndexAxes - batch));
  for (int64_t i = numIndexAxes; i < getType().getRank(); ++i)
    map.push_back(AxisIndex::same(i));
  return map;
}

IndexingMap ScatterNdOp::getIndexingMap(unsigned operand) {
  int64_t rank = getType().getRank();
  if (operand == 0)
    return getIdentityMap(rank);
  // All vectors are compared with the index on the axes that they index.
  int64_t length = typeOf(getIndices()).getShape().back();
  IndexingMap map(rankOf(getIndices()) - 1, AxisIndex::mixed(0, length));
  if (operand == 1)
    map.push_back(AxisIndex::mixed(0, length));
  else
    for (int64_t axis = length; axis < rank; ++axis)
      map.push_back(AxisIndex::same(axis));
  return map;
}

IndexingMap ScatterElementsOp::getIndexingMap(unsigned operand) {
  int64_t rank = getType().getRank();
  if (operand == 0)
    return getIdentityMap(rank);
  // On the other axes there may be fewer updates than elements.
  IndexingMap map;
  for (int64_t axis = 0; axis < rank; ++axis)
    map.push_back(axis == static_cast<int64_t>(getAxis())
                      ? AxisIndex::mixed(axis)
                      : AxisIndex::resampled(axis));
  return map;
}

IndexingMap SortOp::getIndexingMap(unsigned) {
  return getMixedMap(rankOf(getOperand()), {static_cast<int64_t>(getAxis())});
}

IndexingMap TopKOp::getIndexingMap(unsigned) {
  return getMixedMap(rankOf(getOperand()), {static_cast<int64_t>(getAxis())});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

IndexingMap ReduceOp::getIndexingMap(unsigned) {
  return getReducedMap(rankOf(getOperand()), getAxes());
}

IndexingMap ArgReduceOp::getIndexingMap(unsigned) {
  return getReducedMap(rankOf(getOperand()), {static_cast<int64_t>(getAxis())});
}

IndexingMap CumulativeOp::getIndexingMap(unsigned) {
  return getMixedMap(getType().getRank(), {static_cast<int64_t>(getAxis())});
}

IndexingMap ReduceWindowOp::getIndexingMap(unsigned) {
  IndexingMap map = getIdentityMap(getType().getRank());
  for (auto [axis, low, high] : llvm::enumerate(
           getLow().getAsRange<DimExpr>(), getHigh().getAsRange<DimExpr>()))
    if (getWindow()[axis] != 1 || getStrides()[axis] != 1 || !low.isConst(0) ||
        !high.isConst(0))
      map[axis] = AxisIndex::mixed(axis);
  return map;
}

IndexingMap SegmentReduceOp::getIndexingMap(unsigned operand) {
  // A segment has several rows, between two offsets.
  IndexingMap map = {AxisIndex::mixed(0)};
  if (operand == 0)
    for (int64_t axis = 1; axis < getType().getRank(); ++axis)
      map.push_back(AxisIndex::same(axis));
  return map;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

IndexingMap DotGeneralOp::getIndexingMap(unsigned operand) {
  bool isLhs = operand == 0;
  ArrayRef<int64_t> contract = isLhs ? getLhsContract() : getRhsContract();
  int64_t batch = getBatch();
  // The free axes of the LHS, then those of the RHS, follow the batch axes.
  int64_t next =
      isLhs ? batch
            : rankOf(getLhs()) - static_cast<int64_t>(getLhsContract().size());
  IndexingMap map = getIdentityMap(batch);
  for (int64_t axis = batch; axis < rankOf(getOperand(operand)); ++axis)
    map.push_back(llvm::is_contained(contract, axis) ? AxisIndex::mixed()
                                                     : AxisIndex::same(next++));
  return map;
}

IndexingMap GroupedDotOp::getIndexingMap(unsigned operand) {
  int64_t last = getType().getRank() - 1;
  if (operand == 0) {
    IndexingMap map = getIdentityMap(last);
    map.push_back(AxisIndex::mixed());
    return map;
  }
  // The offsets say to which matrix a row belongs.
  if (operand == 1)
    return {AxisIndex::found(0, 1), AxisIndex::mixed(), AxisIndex::same(last)};
  return {AxisIndex::mixed(0)};
}

static IndexingMap getConvolutionMap(Convolves op, unsigned operand) {
  ConvolutionAxes axes(op);
  int64_t rank = op.getType().getRank();
  if (operand == 0) {
    IndexingMap map = {AxisIndex::same(0)};
    for (int64_t axis = 1; axis < rank; ++axis)
      map.push_back(AxisIndex::mixed(axis));
    // A group of channels reads its own part of the input.
    if (op.getGroups() == 1)
      map[axes.channel] = AxisIndex::mixed();
    return map;
  }
  // The offsets say which filter an image has.
  if (operand == 2)
    return {AxisIndex::mixed(0)};
  IndexingMap map(axes.filterGroups, AxisIndex::found(0, 1));
  map.append(rank, AxisIndex::mixed());
  map[axes.filterNumber] = AxisIndex::same(axes.channel);
  return map;
}

IndexingMap ConvolutionOp::getIndexingMap(unsigned operand) {
  return getConvolutionMap(*this, operand);
}

IndexingMap GroupedConvolutionOp::getIndexingMap(unsigned operand) {
  return getConvolutionMap(*this, operand);
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

IndexingMap SoftmaxOp::getIndexingMap(unsigned) {
  return getMixedMap(getType().getRank(), {static_cast<int64_t>(getAxis())});
}

/// The operand's elements are read along all axes from `axis` on; those that
/// scale and shift the result have these axes alone.
static IndexingMap getNormMap(unsigned operand, int64_t axis, int64_t rank) {
  IndexingMap map = operand == 0 ? getIdentityMap(axis) : IndexingMap();
  for (; axis < rank; ++axis)
    map.push_back(operand == 0 ? AxisIndex::mixed(axis)
                               : AxisIndex::same(axis));
  return map;
}

IndexingMap LayerNormOp::getIndexingMap(unsigned operand) {
  return getNormMap(operand, getAxis(), getType().getRank());
}

IndexingMap RmsNormOp::getIndexingMap(unsigned operand) {
  return getNormMap(operand, getAxis(), getType().getRank());
}

IndexingMap AttentionOp::getIndexingMap(unsigned operand) {
  // Each query (axis 2 of the result) reads all keys and values, but those
  // after it if attention is causal; several heads may share a head of keys.
  AxisIndex keys = getCausal() ? AxisIndex::mixed(2) : AxisIndex::mixed();
  switch (operand) {
  case 0:
    return {AxisIndex::same(0), AxisIndex::same(1), AxisIndex::same(2),
            AxisIndex::mixed()};
  case 1:
    return {AxisIndex::same(0), AxisIndex::resampled(1), keys,
            AxisIndex::mixed()};
  case 2:
    return {AxisIndex::same(0), AxisIndex::resampled(1), keys,
            AxisIndex::same(3)};
  default:
    return {AxisIndex::broadcast(0), AxisIndex::broadcast(1),
            AxisIndex::broadcast(2), keys};
  }
}

IndexingMap LstmOp::getIndexingMap(unsigned operand) {
  // All hidden states [T, D, B, H]: a step depends on those before it, in the
  // direction's order, and a hidden state on all of the step before.
  if (operand == 0)
    return {AxisIndex::mixed(0), AxisIndex::same(2), AxisIndex::same(1),
            AxisIndex::mixed(3)};
  if (operand == 1)
    return {AxisIndex::same(1), AxisIndex::mixed(), AxisIndex::mixed(3)};
  if (rankOf(getOperand(operand)) == 1)
    return {AxisIndex::same(2)};
  return {AxisIndex::same(1), AxisIndex::same(2), AxisIndex::mixed(3)};
}

IndexingMap ResizeOp::getIndexingMap(unsigned) {
  IndexingMap map;
  for (int64_t axis = 0; axis < getType().getRank(); ++axis)
    map.push_back(AxisIndex::resampled(axis));
  return map;
}

IndexingMap FftOp::getIndexingMap(unsigned operand) {
  if (getRoots() && getOperand(operand) == getRoots() &&
      operand == getNumOperands() - 1)
    return {AxisIndex::mixed(), AxisIndex::mixed()};
  return getMixedMap(rankOf(getReal()), {static_cast<int64_t>(getAxis())});
}
