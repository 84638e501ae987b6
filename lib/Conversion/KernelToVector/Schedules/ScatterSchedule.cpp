//===- ScatterSchedule.cpp - Updates at indices from data -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Updates are applied in their order, which says what equal indices give. What
// is independent runs in parallel: for scatter_nd, parts of the slices, so that
// an item applies all updates to its columns. For scatter_elements there is one
// item.

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"

#include "Elements/OpEmitters.h"
#include "ItemLoop.h"
#include "Schedules/SingleSchedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Columns of a slice that an item takes.
static constexpr int64_t kColumns = 1024;

namespace {
class ScatterSchedule : public Schedule {
public:
  explicit ScatterSchedule(Operation *op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override {
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  Value operand() { return op->getOperand(0); }
  Value indices() { return op->getOperand(1); }
  Value updates() { return op->getOperand(2); }
  Type element() {
    return cast<RankedTensorType>(operand().getType()).getElementType();
  }
  /// Rows and columns of a scatter_nd's operand.
  std::pair<DimExpr, DimExpr> split(KernelBuilder &b) {
    SmallVector<DimExpr> sizes = getSizes(b, operand());
    int64_t n = getSizes(b, indices()).back().getValue();
    return {product(b.getContext(), ArrayRef(sizes).take_front(n)),
            product(b.getContext(), ArrayRef(sizes).drop_front(n))};
  }
  Value combineUpdate(KernelBuilder &b, dhlo::ScatterKind kind, Value old,
                      Value update);
  /// An index from data, from the end if negative; clears `isInside`, and
  /// reports, if out of range.
  OpFoldResult readIndex(ElementEmitter &e, const Position &position,
                         OpFoldResult extent, Value &isInside);
  void emitNd(KernelBuilder &b, dhlo::ScatterNdOp scatter);
  void emitElements(KernelBuilder &b, dhlo::ScatterElementsOp scatter);

  Operation *op;
};
} // namespace

Geometry ScatterSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = g.grain = b.constant(1);
  if (isa<dhlo::ScatterNdOp>(op))
    g.items = b.max(b.ceilDiv(b.size(split(b).second), b.constant(kColumns)),
                    b.constant(1));
  g.scratchBytes = b.constant(0);
  return g;
}

Value ScatterSchedule::combineUpdate(KernelBuilder &b, dhlo::ScatterKind kind,
                                     Value old, Value update) {
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

OpFoldResult ScatterSchedule::readIndex(ElementEmitter &e,
                                        const Position &position,
                                        OpFoldResult extent, Value &isInside) {
  KernelBuilder &b = e.getBuilder();
  Value index = e.emit(indices(), position, 1);
  if (!index.getType().isInteger(64))
    index = arith::ExtSIOp::create(b, b.getI64Type(), index);
  Value isNegative = b.cmp(CmpIPredicate::slt, index, b.constant(0));
  OpFoldResult place = b.select(isNegative, b.add(index, extent), index);
  b.fail(op, b.cmp(CmpIPredicate::uge, place, extent));
  Value fits = b.cmp(CmpIPredicate::ult, place, extent);
  isInside =
      isInside ? arith::AndIOp::create(b, isInside, fits).getResult() : fits;
  return place;
}

void ScatterSchedule::emitNd(KernelBuilder &b, dhlo::ScatterNdOp scatter) {
  auto [rows, columns] = split(b);
  SmallVector<DimExpr> sizes = getSizes(b, operand()),
                       by = getSizes(b, indices());
  int64_t n = by.back().getValue();
  DimExpr vectors = product(b.getContext(), ArrayRef(by).drop_back());
  OpFoldResult width = b.size(columns);
  OpFoldResult lower = b.mul(b.begin(), b.constant(kColumns));
  OpFoldResult upper = b.min(b.mul(b.end(), b.constant(kColumns)), width);

  auto at = [&, columns = columns](ElementEmitter &e, DimExpr extent,
                                   OpFoldResult row, OpFoldResult column,
                                   int64_t lanes) -> Position {
    return {{extent, e.uniform(row)},
            {columns, lanes > 1 ? e.lanes(column) : e.uniform(column)}};
  };
  b.loop(b.constant(0), b.size(rows), 1, [&, rows = rows](Value row) {
    b.laneLoop(lower, upper, [&](Value column, int64_t lanes) {
      ElementEmitter e(b);
      Position position = at(e, rows, row, column, lanes);
      e.store(e.emit(operand(), position, lanes), 0, position, lanes);
    });
  });
  b.loop(b.constant(0), b.size(vectors), 1, [&, rows = rows](Value vector) {
    ElementEmitter e(b);
    Value isInside;
    OpFoldResult row = b.constant(0);
    for (int64_t k = 0; k < n; ++k) {
      OpFoldResult extent = b.size(sizes[k]);
      OpFoldResult place =
          readIndex(e,
                    {{vectors, e.uniform(OpFoldResult(vector))},
                     {by.back(), e.uniform(b.constant(k))}},
                    extent, isInside);
      row = b.add(b.mul(row, extent), place);
    }
    auto apply = [&] {
      b.laneLoop(lower, upper, [&](Value column, int64_t lanes) {
        Value update =
            e.emit(updates(), at(e, vectors, vector, column, lanes), lanes);
        Position position = at(e, rows, row, column, lanes);
        Value old = e.loadAt(b.resultBuffer(0), element(), position, lanes);
        e.store(combineUpdate(b, scatter.getKind(), old, update), 0, position,
                lanes);
      });
    };
    isInside ? b.ifThen(isInside, apply) : apply();
  });
}

void ScatterSchedule::emitElements(KernelBuilder &b,
                                   dhlo::ScatterElementsOp scatter) {
  SmallVector<DimExpr> sizes = getSizes(b, operand()),
                       by = getSizes(b, indices());
  DimExpr total = product(b.getContext(), sizes);
  // One item: an empty range does nothing.
  b.loop(b.begin(), b.end(), 1, [&](Value) {
    b.laneLoop(b.constant(0), b.size(total), [&](Value i, int64_t lanes) {
      ElementEmitter e(b);
      Position position = {{total, lanes > 1 ? e.lanes(i) : e.uniform(i)}};
      e.store(e.emit(operand(), position, lanes), 0, position, lanes);
    });
    SmallVector<OpFoldResult> extents;
    OpFoldResult count = b.constant(1);
    for (DimExpr size : by) {
      extents.push_back(b.size(size));
      count = b.mul(count, extents.back());
    }
    forEachItem(
        b, extents, b.constant(0), count, [&](ArrayRef<OpFoldResult> digits) {
          ElementEmitter e(b);
          Position from, to;
          Value isInside;
          for (auto [size, digit] : llvm::zip_equal(by, digits))
            from.push_back({size, e.uniform(digit)});
          for (auto [axis, size] : llvm::enumerate(sizes)) {
            bool isAxis = axis == static_cast<size_t>(scatter.getAxis());
            OpFoldResult i = isAxis ? readIndex(e, from, b.size(size), isInside)
                                    : digits[axis];
            to.push_back({size, e.uniform(i)});
          }
          b.ifThen(isInside, [&] {
            Value old = e.loadAt(b.resultBuffer(0), element(), to, 1);
            Value update = e.emit(updates(), from, 1);
            e.store(combineUpdate(b, scatter.getKind(), old, update), 0, to, 1);
          });
        });
  });
}

LogicalResult ScatterSchedule::emitBody(KernelBuilder &b) {
  if (auto scatter = dyn_cast<dhlo::ScatterNdOp>(op))
    emitNd(b, scatter);
  else
    emitElements(b, cast<dhlo::ScatterElementsOp>(op));
  return success();
}

std::unique_ptr<Schedule> dyn::createScatterSchedule(Operation *op) {
  return std::make_unique<ScatterSchedule>(op);
}
