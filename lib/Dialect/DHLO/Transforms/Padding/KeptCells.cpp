//===- KeptCells.cpp - Which cells of a grid are kept ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptCells.h"

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

Value dhlo::isNonzero(TensorBuilder &b, Value value) {
  if (b.typeOf(value).getElementType().isInteger(1))
    return value;
  return b.compare(CompareDirection::NE, value, b.fillZero(value));
}

Operation *KeptCells::getAnchor() {
  Block &block = entry.front();
  Operation *last = nullptr;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && (!last || last->isBeforeInBlock(op)))
      last = op;
  };
  add(demand.getKnown().getMask());
  for (const SoftMask &mask : demand.getSoftMasks()) {
    AttentionOp op = mask.op;
    add(op.getMask());
  }
  // Data-dependent sizes are available after the operations that bind them.
  for (auto binds : block.getOps<BindsDims>())
    for (StringAttr name : binds.getBoundDims())
      for (DimExpr size : flow.getSizes())
        walkSymbols(dims.expand(size), [&](StringAttr symbol) {
          if (symbol == name && (!last || last->isBeforeInBlock(binds)))
            last = binds;
        });
  return last ? last->getNextNode() : &block.front();
}

Value KeptCells::buildSees(TensorBuilder &b, const SoftMask &mask,
                           Value isValid) {
  AttentionOp op = mask.op;
  Value added = op.getMask();
  RankedTensorType type = getTensor(added);
  Value limit = b.fill(b.getFloatAttr(type.getElementType(), mask.number / 2),
                       b.sizesOf(added));
  Value isSeen = b.compare(CompareDirection::GT, added, limit);
  Value keys = spread(b, isValid, {0, 3}, getTensor(isSeen));
  isSeen = AndOp::create(b, isSeen, keys);
  auto reduce = [&](Value value, ReduceKind kind, int64_t axis) -> Value {
    SmallVector<DimExpr> sizes = b.sizesOf(value);
    sizes.erase(sizes.begin() + axis);
    return ReduceOp::create(b, b.getTensorType(sizes, b.getI1Type()), kind,
                            value, ArrayRef<int64_t>{axis});
  };
  // Some key, in each head; for all queries, if these are not the grid's.
  Value sees = reduce(reduce(isSeen, ReduceKind::Or, 3), ReduceKind::And, 1);
  if (!dims.isEqual(getDim(getTensor(sees), 1), flow.getSizes()[1]) &&
      !getDim(getTensor(sees), 1).isConst(1)) {
    sees = reduce(sees, ReduceKind::And, 1);
    sees =
        b.reshape(sees, {flow.getSizes()[0], getConstDim(b.getContext(), 1)});
  }
  return sees;
}

Value KeptCells::build(TensorBuilder &b) {
  Value isValid = isNonzero(b, demand.getKnown().getMask());
  Value keep = isValid;
  RankedTensorType type = getTensor(isValid);
  Value first = b.iota(0, isValid), second = b.iota(1, isValid);
  auto equals = [&](Value index, DimExpr size) {
    return b.compare(CompareDirection::EQ, index, b.fillSize(size, index));
  };
  llvm::SetVector<Attribute> positions;
  bool hasKeys = false;
  for (const Sink &sink : demand.getSinks()) {
    if (sink.kind == Sink::Position)
      positions.insert(sink.position);
    hasKeys |= sink.kind == Sink::Keys;
  }
  for (Attribute position : positions)
    keep = OrOp::create(b, keep, equals(second, cast<DimExprAttr>(position)));
  // A row that is kept, or read by attention from elsewhere, and sees no valid
  // key, sees the removed ones: these are kept, too.
  llvm::SetVector<Value> seen;
  Value asked = keep;
  for (const SoftMask &mask : demand.getSoftMasks()) {
    AttentionOp op = mask.op;
    if (!seen.insert(op.getMask()))
      continue;
    Value sees = spread(b, buildSees(b, mask, isValid), {0, 1}, type);
    Value blind = NotOp::create(b, sees);
    if (!hasKeys)
      blind = AndOp::create(b, asked, blind);
    Value any = ReduceOp::create(
        b, b.getTensorType({flow.getSizes()[0]}, b.getI1Type()), ReduceKind::Or,
        blind, ArrayRef<int64_t>{1});
    keep = OrOp::create(b, keep, spread(b, any, {0}, type));
  }
  // The first cell is kept: there is a row whenever there is a cell.
  DimExpr zero = getConstDim(b.getContext(), 0);
  Value corner = AndOp::create(b, equals(first, zero), equals(second, zero));
  return OrOp::create(b, keep, corner);
}
