//===- ScatterProblem.cpp - Updates at indices from data ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/ScatterProblem.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

DimExpr ScatterProblem::vectors(KernelBuilder &b) const {
  return product(b.getContext(), ArrayRef(getSizes(b, indices())).drop_back());
}

DimExpr ScatterProblem::rows(KernelBuilder &b) const {
  int64_t n = getSizes(b, indices()).back().getValue();
  return product(b.getContext(),
                 ArrayRef(getSizes(b, operand())).take_front(n));
}

DimExpr ScatterProblem::columns(KernelBuilder &b) const {
  int64_t n = getSizes(b, indices()).back().getValue();
  return product(b.getContext(),
                 ArrayRef(getSizes(b, operand())).drop_front(n));
}

Value ScatterProblem::combineUpdate(KernelBuilder &b, dhlo::ScatterKind kind,
                                    Value old, Value update) const {
  switch (kind) {
  case dhlo::ScatterKind::Replace:
    return update;
  case dhlo::ScatterKind::Add:
    return combine(b, dhlo::ReduceKind::Sum, element(), old, update);
  case dhlo::ScatterKind::Mul:
    return combine(b, dhlo::ReduceKind::Prod, element(), old, update);
  case dhlo::ScatterKind::Max:
    return maximum(b, element(), old, update);
  case dhlo::ScatterKind::Min:
    return minimum(b, element(), old, update);
  }
  llvm_unreachable("all kinds are covered");
}

OpFoldResult ScatterProblem::readIndex(ElementEmitter &e,
                                       const Position &position,
                                       OpFoldResult extent,
                                       Value &isInside) const {
  KernelBuilder &b = e.getBuilder();
  Value index = e.emit(indices(), position, 1);
  if (!index.getType().isInteger(64))
    index = arith::ExtSIOp::create(b, b.getI64Type(), index);
  Value isNegative = b.cmp(CmpIPredicate::slt, index, b.constant(0));
  OpFoldResult wrapped = b.select(isNegative, b.add(index, extent), index);
  b.fail(op, b.cmp(CmpIPredicate::uge, wrapped, extent));
  Value fits = b.cmp(CmpIPredicate::ult, wrapped, extent);
  isInside =
      isInside ? arith::AndIOp::create(b, isInside, fits).getResult() : fits;
  return wrapped;
}

OpFoldResult ScatterProblem::readRow(ElementEmitter &e, OpFoldResult vector,
                                     Value &isInside) const {
  KernelBuilder &b = e.getBuilder();
  SmallVector<DimExpr> sizes = getSizes(b, operand());
  DimExpr length = getSizes(b, indices()).back();
  OpFoldResult row = b.constant(0);
  for (int64_t k = 0; k < length.getValue(); ++k) {
    OpFoldResult extent = b.size(sizes[k]);
    OpFoldResult index = readIndex(
        e,
        {{vectors(b), e.uniform(vector)}, {length, e.uniform(b.constant(k))}},
        extent, isInside);
    row = b.add(b.mul(row, extent), index);
  }
  return row;
}
