//===- AllRows.cpp - The rows of all paths of a switch --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllRows.h"

#include "PredictRoutes.h"

#include "dyn/Dialect/DHLO/IR/RouteMarks.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;
using dyn::dhlo::Sizes;

void AllRows::bindRest(DimBuilder &symbols) {
  if (!op->hasAttr(dhlo::kAfterGuessAttr))
    return;
  Value end = getEnd();
  restRows = symbols.createSymbol("rest", 0, std::nullopt, getRoom());
  auto bind =
      dhlo::BindOp::create(b, FlatSymbolRefAttr::get(restRows.getName()), end);
  bind->setAttr(dhlo::kAfterGuessAttr, b.getUnitAttr());
}

void AllRows::forgetRest(DimBuilder &symbols) {
  if (!restRows)
    return;
  SymbolTable::lookupSymbolIn(dims.getOperation(), restRows.getName())->erase();
  symbols.reread();
}

DimExpr AllRows::getNumRows() {
  if (restRows)
    return restRows;
  TypeRange types = op.getNumResults() ? TypeRange(op.getResultTypes())
                                       : TypeRange(op.getInputs().getTypes());
  return types.empty() ? getRoom()
                       : dhlo::getDim(cast<RankedTensorType>(types[0]), 0);
}

DimExpr AllRows::toAllRows(DimExpr expr, unsigned p) {
  return dhlo::substitute(dims.expand(expr), [&](StringAttr name) {
    if (name != counts[p])
      return DimExpr();
    return restRows ? restRows : getRoom();
  });
}

Attribute AllRows::toAllRows(Attribute attr, unsigned p) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](dhlo::DimExprAttr expr) -> std::pair<Attribute, WalkResult> {
        return {toAllRows(expr, p), WalkResult::skip()};
      });
  return replacer.replace(attr);
}

RankedTensorType AllRows::getStackedType(Type type) {
  auto of = cast<RankedTensorType>(type);
  Sizes sizes;
  for (DimExpr size : dhlo::getDims(of)) {
    sizes.push_back(toAllRows(size, 0));
    if (dims.isEqual(sizes.back(), getNumRows()))
      sizes.back() = getNumRows();
  }
  return b.getTensorType(sizes, of.getElementType());
}

Value AllRows::concat(const PathValues &values) {
  Sizes sizes = b.sizesOf(values[0]);
  sizes.insert(sizes.begin(), dhlo::getConstDim(b.getContext(), 1));
  PathValues parts;
  for (Value value : values)
    parts.push_back(b.reshape(value, sizes));
  sizes.front() = dhlo::getConstDim(b.getContext(), values.size());
  return dhlo::ConcatOp::create(
      b, b.getTensorType(sizes, b.typeOf(values[0]).getElementType()), parts,
      0);
}

Value AllRows::broadcastTo(Value value, ArrayRef<int64_t> axes, Type like) {
  auto type = cast<RankedTensorType>(like);
  if (type == value.getType())
    return value;
  return dhlo::BroadcastOp::create(b, type, value, axes);
}

Value AllRows::getOffsets() {
  if (!offsets)
    offsets = cell::OffsetsOp::create(
        b, RankedTensorType::get({getNumPaths() + 1}, b.getI64Type()),
        op.getRoutes());
  return offsets;
}

Value AllRows::getPaths() {
  if (!paths) {
    DimExpr rows = restRows ? getRoom() : getNumRows();
    paths = fromRoutes(cell::PathsOp::create(
        b, b.getTensorType({rows}, b.getI64Type()), op.getRoutes()));
  }
  return paths;
}

Value AllRows::getEnd() {
  Value end = dhlo::SliceOp::create(
      b, RankedTensorType::get({1}, b.getI64Type()), getOffsets(),
      b.getArrayAttr({dhlo::getConstDim(b.getContext(), getNumPaths())}),
      ArrayRef<int64_t>{1});
  return b.reshape(end, {});
}

Value AllRows::fromRoutes(Value value) {
  return restRows ? takeFirst(b, value, restRows) : value;
}

Value AllRows::toRoutes(Value value) {
  if (restRows) {
    RankedTensorType type = b.typeOf(value);
    Sizes sizes = dhlo::getDims(type);
    sizes.front() = dhlo::sub(getRoom(), restRows);
    Attribute zero = b.getZeroAttr(type.getElementType());
    Value rest = b.fill(cast<TypedAttr>(zero), sizes);
    sizes.front() = getRoom();
    return dhlo::ConcatOp::create(b,
                                  b.getTensorType(sizes, type.getElementType()),
                                  ValueRange{value, rest}, 0);
  }
  Value row = b.iota(0, getPaths());
  Value end = broadcastTo(getEnd(), {}, row.getType());
  Value isRow = b.compare(dhlo::CompareDirection::LT, row, end);
  return b.select(isRow, value, b.fillZero(value));
}
