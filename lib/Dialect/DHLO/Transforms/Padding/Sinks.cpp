//===- Sinks.cpp - Where rows of kept cells are converted back ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sinks.h"

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

std::optional<Sink> dhlo::matchKnownSink(Operation *op, MaskedCells &known) {
  if (!op->hasTrait<dhlo::Elementwise>() || op->getNumResults() != 1)
    return std::nullopt;
  Value result = op->getResult(0);
  auto axes = known.find(getTensor(result));
  if (!axes)
    return std::nullopt;
  std::optional<double> number = known.evaluate(result, *axes);
  if (!number || !std::isfinite(*number))
    return std::nullopt;
  Sink sink{Sink::Known, op, *axes, *number, DimExpr()};
  return sink;
}

std::optional<Sink> dhlo::matchPositionSink(Operation *op,
                                            const CellFlow &flow) {
  const SymbolicDims &dims = flow.getDims();
  ArrayRef<DimExpr> sizes = flow.getSizes();
  Sink sink{Sink::Position, op, {0, 1}, 0, DimExpr()};
  if (!isa<SliceOp, GatherOp>(op))
    return std::nullopt;
  RankedTensorType from = getTensor(op->getOperand(0));
  if (from.getRank() < 2 || !dims.isEqual(getDim(from, 0), sizes[0]) ||
      !dims.isEqual(getDim(from, 1), sizes[1]))
    return std::nullopt;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto index = gather.getIndices().getDefiningOp<ConstantOp>();
    auto attr = index ? dyn_cast<DenseElementsAttr>(index.getValue()) : nullptr;
    if (!attr || attr.getNumElements() != 1 || gather.getAxis() != 1 ||
        gather.getBatch() != 0)
      return std::nullopt;
    int64_t value = attr.getSplatValue<APInt>().getSExtValue();
    sink.position =
        value < 0 ? add(sizes[1], value) : getConstDim(op->getContext(), value);
    return sink;
  }
  auto slice = cast<SliceOp>(op);
  RankedTensorType to = slice.getType();
  if (!getDim(to, 1).isConst(1))
    return std::nullopt;
  for (int64_t axis = 0; axis < to.getRank(); ++axis)
    if (axis != 1 && (!cast<DimExprAttr>(slice.getStarts()[axis]).isConst(0) ||
                      slice.getStrides()[axis] != 1 ||
                      !dims.isEqual(getDim(from, axis), getDim(to, axis))))
      return std::nullopt;
  sink.position = cast<DimExprAttr>(slice.getStarts()[1]);
  return sink;
}
