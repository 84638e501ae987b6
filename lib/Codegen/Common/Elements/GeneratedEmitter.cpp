//===- GeneratedEmitter.cpp - Values computed from their position ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

bool dyn::isGenerated(Operation *op) { return op->hasTrait<dhlo::Generated>(); }

Value dyn::fromIndex(KernelBuilder &b, Value index, Type element) {
  auto vector = dyn_cast<VectorType>(index.getType());
  int64_t lanes = vector ? vector.getNumElements() : 1;
  Type type = KernelBuilder::laneType(getComputeType(element), lanes);
  if (isa<FloatType>(element))
    return arith::SIToFPOp::create(b, type, index);
  if (element.getIntOrFloatBitWidth() == 64)
    return index;
  return arith::TruncIOp::create(b, type, index);
}

static Value emitConstant(ElementEmitter &e, dhlo::ConstantOp op,
                          const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  auto elements = cast<ElementsAttr>(op.getValue());
  Type element = elements.getElementType();
  Type type = getComputeType(element);
  if (!elements.isSplat() && elements.getNumElements() != 1)
    return e.loadAt(e.getTable(op), element, position, lanes);
  if (isa<FloatType>(element)) {
    APFloat v = *elements.value_begin<APFloat>();
    bool losesInfo;
    v.convert(cast<FloatType>(type).getFloatSemantics(),
              APFloat::rmNearestTiesToEven, &losesInfo);
    TypedAttr attr = b.getFloatAttr(type, v);
    if (lanes > 1)
      attr = DenseElementsAttr::get(VectorType::get({lanes}, type),
                                    static_cast<Attribute>(attr));
    return arith::ConstantOp::create(b, attr);
  }
  return b.integer(*elements.value_begin<APInt>(), type, lanes);
}

static Value emitIota(ElementEmitter &e, dhlo::IotaOp op,
                      const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  SmallVector<DimExpr> sizes = getSizes(b, op.getResult());
  ArrayRef<DimExpr> all(sizes);
  int64_t axis = op.getAxis();
  SmallVector<DimExpr> runs = {
      product(b.getContext(), all.take_front(axis)), sizes[axis],
      product(b.getContext(), all.drop_front(axis + 1))};
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    LaneIndex index = e.join(parts[1]);
    OpFoldResult step = b.size(cast<DimExpr>(op.getStep()[0]));
    index.base =
        b.add(b.size(cast<DimExpr>(op.getStart()[0])), b.mul(index.base, step));
    index.step = b.mul(index.step, step);
    return fromIndex(b, e.toValue(index, lanes), op.getType().getElementType());
  });
}

static Value emitFromDims(ElementEmitter &e, dhlo::FromDimsOp op,
                          const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  LaneIndex index = e.join(position);
  Value at, result;
  for (auto [i, attr] : llvm::enumerate(op.getExprs())) {
    Value size = b.splat(b.value(b.size(cast<DimExpr>(attr))), lanes);
    if (!result) {
      result = size;
      continue;
    }
    if (!at)
      at = e.toValue(index, lanes);
    Value isHere = arith::CmpIOp::create(
        b, CmpIPredicate::eq, at,
        b.splat(b.indexConstant(static_cast<int64_t>(i)), lanes));
    result = arith::SelectOp::create(b, isHere, size, result);
  }
  return fromIndex(b, result, op.getType().getElementType());
}

Value dyn::emitGenerated(ElementEmitter &e, Operation *op,
                         const Position &position, int64_t lanes) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](dhlo::ConstantOp op) {
        return emitConstant(e, op, position, lanes);
      })
      .Case([&](dhlo::IotaOp op) { return emitIota(e, op, position, lanes); })
      .Case([&](dhlo::FromDimsOp op) {
        return emitFromDims(e, op, position, lanes);
      });
}
