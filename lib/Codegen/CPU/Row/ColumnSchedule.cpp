//===- ColumnSchedule.cpp - Kernels with reductions over inner axes -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A column has the positions that one reduced element comes from; columns side
// by side are the lanes of vectors, so that accumulators need no combination at
// the end. An item is some vectors of columns at one setting of the other
// indices, and RowPlan describes the passes along them. A value that is kept
// for a later pass is in scratch, unless columns are so long that computing it
// again is cheaper than the memory.
//
// The elements of a column are accumulated in order, whatever columns are
// beside it, so they have the same bits in each split.

#include "Codegen/CPU/Schedule.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/Row.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {

constexpr int64_t kLanes = CodegenOptions::kLanes;
/// Bytes of a kept element, of any compute type.
constexpr int64_t kKeptBytes = 8;

/// Some columns that are computed together, and what is known of them.
struct ColumnVector {
  ColumnVector(KernelBuilder &b, int64_t number, int64_t lanes)
      : emitter(b), number(number), lanes(lanes) {}

  ElementEmitter emitter;
  /// The coordinates before and behind that of the column's elements.
  Position before, behind;
  /// Index among the vectors of an item.
  int64_t number;
  int64_t lanes;

  Position at(DimExpr width, OpFoldResult element) {
    Position position = before;
    position.push_back({width, emitter.uniform(element)});
    position.append(behind);
    return position;
  }
  Position reduced() const {
    Position position = before;
    position.append(behind);
    return position;
  }
};

class ColumnSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Vectors of columns of an item: accumulators that hide the latency of
  /// additions, and a run of memory that is worth a cache miss.
  static int64_t getVectors(KernelBuilder &b) {
    return b.getCpu().registers.vectorBits >= 512 ? 8 : 4;
  }
  static int64_t getItemColumns(KernelBuilder &b) {
    return getVectors(b) * kLanes;
  }
  /// The extents of the indices of items.
  SmallVector<OpFoldResult> getExtents(KernelBuilder &b);
  /// Whether values are kept: if columns are so short that these stay in the L2
  /// cache. Null if that is always so.
  Value areKept(KernelBuilder &b);
  int64_t getMaxKept(KernelBuilder &b) const {
    return b.getCpu().l2Bytes / 2 / (getItemColumns(b) * kKeptBytes) /
           std::max<int64_t>(1, plan->slots.size());
  }
  void emitItem(KernelBuilder &b, ArrayRef<OpFoldResult> coordinates,
                bool keeps);
  void emitVectors(KernelBuilder &b, ArrayRef<OpFoldResult> coordinates,
                   OpFoldResult first, int64_t count, int64_t lanes,
                   bool keeps);
  void emitPass(KernelBuilder &b, const RowPass &pass,
                MutableArrayRef<ColumnVector> vectors, bool keeps);
  /// Emits a pass at an element; returns the values to reduce.
  SmallVector<Value> emitElement(KernelBuilder &b, const RowPass &pass,
                                 ColumnVector &vector, Value element,
                                 bool keeps);
  void provideKept(KernelBuilder &b, Value kept, ColumnVector &vector);
  /// The buffer of a kept value of a vector, at an element.
  Value getKept(KernelBuilder &b, Value kept, const ColumnVector &vector,
                OpFoldResult element);

  /// For kernels whose reductions are not over columns.
  std::unique_ptr<Schedule> fallback;
  std::optional<RowPlan> plan;
  int64_t cost = 1;
  Value current; ///< the element that code is being emitted for
};
} // namespace

LogicalResult ColumnSchedule::match(dlhlo::KernelOp kernel,
                                    const SymbolicDims &dims,
                                    const CodegenOptions &options) {
  plan = RowPlan::makeOfColumns(kernel, dims);
  if (!plan) {
    fallback = createLoopSchedule();
    return fallback->match(kernel, dims, options);
  }
  for (Operation &op : kernel.getBody().front().without_terminator())
    cost += isa<dhlo::ReduceOp>(op) ? 1 : getElementCost(op);
  return checkElements(kernel);
}

SmallVector<OpFoldResult> ColumnSchedule::getExtents(KernelBuilder &b) {
  SmallVector<OpFoldResult> extents;
  for (DimExpr extent : plan->rows)
    extents.push_back(b.size(extent));
  for (DimExpr extent : ArrayRef(plan->behind).drop_back())
    extents.push_back(b.size(extent));
  extents.push_back(
      b.ceilDiv(b.size(plan->behind.back()), b.constant(getItemColumns(b))));
  return extents;
}

Value ColumnSchedule::areKept(KernelBuilder &b) {
  if (b.getDims().getRange(plan->width).max <= getMaxKept(b))
    return Value();
  return b.cmp(CmpIPredicate::sle, b.size(plan->width),
               b.constant(getMaxKept(b)));
}

Geometry ColumnSchedule::emitGeometry(KernelBuilder &b) {
  if (fallback)
    return fallback->emitGeometry(b);
  Geometry g;
  g.items = b.constant(1);
  for (OpFoldResult extent : getExtents(b))
    g.items = b.mul(g.items, extent);
  OpFoldResult work =
      b.mul(b.size(plan->width), b.constant((cost + 4) * getItemColumns(b)));
  g.grain =
      b.add(b.div(b.constant(b.getCpu().grainWork), b.max(work, b.constant(1))),
            b.constant(1));
  int64_t bytes = plan->slots.size() * getItemColumns(b) * kKeptBytes;
  OpFoldResult most = b.min(b.size(plan->width), b.constant(getMaxKept(b)));
  g.scratchBytes = b.mul(most, b.constant(bytes));
  return g;
}

Value ColumnSchedule::getKept(KernelBuilder &b, Value kept,
                              const ColumnVector &vector,
                              OpFoldResult element) {
  // Elements of a column are next to each other, so that a vector's are.
  int64_t slot = plan->slots[kept] * getVectors(b) + vector.number;
  int64_t vectors = plan->slots.size() * getVectors(b);
  OpFoldResult at =
      b.add(b.mul(element, b.constant(vectors)), b.constant(slot));
  return b.scratch(b.mul(at, b.constant(kLanes * kKeptBytes)));
}

void ColumnSchedule::provideKept(KernelBuilder &b, Value kept,
                                 ColumnVector &vector) {
  vector.emitter.provide(
      kept,
      [this, &b, &vector, kept](const Position &position,
                                int64_t lanes) -> Value {
        if (!current || lanes != vector.lanes ||
            !isSamePosition(b, position, vector.at(plan->width, current)))
          return Value();
        return b.load(getKept(b, kept, vector, current), b.constant(0),
                      getComputeType(getElementTypeOrSelf(kept)), lanes);
      });
}

SmallVector<Value> ColumnSchedule::emitElement(KernelBuilder &b,
                                               const RowPass &pass,
                                               ColumnVector &vector,
                                               Value element, bool keeps) {
  ElementEmitter &e = vector.emitter;
  Position position = vector.at(plan->width, element);
  current = element;
  SmallVector<Value> values, results;
  for (dhlo::ReduceOp reduce : pass.reductions)
    values.push_back(e.emit(reduce.getOperand(), position, vector.lanes));
  for (Value kept : pass.kept)
    if (keeps)
      b.store(e.emit(kept, position, vector.lanes),
              getKept(b, kept, vector, element), b.constant(0),
              getComputeType(getElementTypeOrSelf(kept)), vector.lanes);
  for (int64_t i : pass.results)
    results.push_back(e.emit(b.getResults()[i], position, vector.lanes));
  for (auto [i, value] : llvm::zip_equal(pass.results, results))
    e.store(value, i, position, vector.lanes);
  current = {};
  return values;
}

void ColumnSchedule::emitPass(KernelBuilder &b, const RowPass &pass,
                              MutableArrayRef<ColumnVector> vectors,
                              bool keeps) {
  if (pass.reductions.empty() && pass.results.empty() && pass.kept.empty())
    return;
  SmallVector<Value> sums;
  for (ColumnVector &vector : vectors)
    for (dhlo::ReduceOp reduce : pass.reductions)
      sums.push_back(neutral(b, reduce.getKind(),
                             getElementTypeOrSelf(reduce.getOperand()),
                             vector.lanes));
  sums = b.loop(b.constant(0), b.size(plan->width), 1, sums,
                [&](Value element, ValueRange carried) {
                  SmallVector<Value> next;
                  for (ColumnVector &vector : vectors)
                    for (auto [reduce, value] : llvm::zip_equal(
                             pass.reductions,
                             emitElement(b, pass, vector, element, keeps)))
                      next.push_back(combineReduced(
                          b, reduce, carried[next.size()], value));
                  return next;
                });
  size_t number = 0;
  for (ColumnVector &vector : vectors) {
    for (dhlo::ReduceOp reduce : pass.reductions) {
      Value sum = sums[number++];
      vector.emitter.provide(
          reduce->getResult(0),
          [&b, &vector, sum](const Position &position, int64_t lanes) {
            return lanes == vector.lanes &&
                           isSamePosition(b, position, vector.reduced())
                       ? sum
                       : Value();
          });
    }
    for (Value kept : pass.kept)
      if (keeps)
        provideKept(b, kept, vector);
  }
}

void ColumnSchedule::emitVectors(KernelBuilder &b,
                                 ArrayRef<OpFoldResult> coordinates,
                                 OpFoldResult first, int64_t count,
                                 int64_t lanes, bool keeps) {
  SmallVector<ColumnVector, 1> vectors;
  vectors.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    ColumnVector &vector = vectors.emplace_back(b, i, lanes);
    ElementEmitter &e = vector.emitter;
    size_t split = plan->rows.size();
    for (auto [extent, at] :
         llvm::zip_equal(plan->rows, coordinates.take_front(split)))
      vector.before.push_back({extent, e.uniform(at)});
    for (auto [extent, at] :
         llvm::zip_equal(ArrayRef(plan->behind).drop_back(),
                         coordinates.drop_front(split).drop_back()))
      vector.behind.push_back({extent, e.uniform(at)});
    OpFoldResult column = b.add(first, b.constant(i * lanes));
    vector.behind.push_back(
        {plan->behind.back(), lanes > 1 ? e.lanes(column) : e.uniform(column)});
  }
  for (const RowPass &pass : plan->passes)
    emitPass(b, pass, vectors, keeps);
  for (ColumnVector &vector : vectors)
    for (int64_t i : plan->rowResults)
      vector.emitter.store(
          vector.emitter.emit(b.getResults()[i], vector.reduced(), lanes), i,
          vector.reduced(), lanes);
}

void ColumnSchedule::emitItem(KernelBuilder &b,
                              ArrayRef<OpFoldResult> coordinates, bool keeps) {
  OpFoldResult columns = b.size(plan->behind.back());
  OpFoldResult first = b.mul(coordinates.back(), b.constant(getItemColumns(b)));
  OpFoldResult end =
      b.min(b.add(first, b.constant(getItemColumns(b))), columns);
  OpFoldResult count = b.sub(end, first);
  auto emitSingle = [&](Value at, int64_t lanes) {
    emitVectors(b, coordinates, at, 1, lanes, keeps);
  };
  auto emitRest = [&] {
    if (!b.getOptions().hasMasks())
      return b.laneLoop(first, end, emitSingle);
    OpFoldResult rest = b.rem(count, b.constant(kLanes));
    OpFoldResult middle = b.sub(end, rest);
    b.loop(first, middle, kLanes, [&](Value at) { emitSingle(at, kLanes); });
    if (b.getDims().isMultipleOf(plan->behind.back(), kLanes))
      return;
    b.ifThen(b.cmp(CmpIPredicate::sgt, rest, b.constant(0)), [&] {
      b.withLanes(rest, [&] { emitSingle(b.value(middle), kLanes); });
    });
  };
  if (b.getDims().getRange(plan->behind.back()).max < getItemColumns(b))
    return emitRest();
  b.ifThen(
      b.cmp(CmpIPredicate::eq, count, b.constant(getItemColumns(b))),
      [&] { emitVectors(b, coordinates, first, getVectors(b), kLanes, keeps); },
      emitRest);
}

LogicalResult ColumnSchedule::emitBody(KernelBuilder &b) {
  if (fallback)
    return fallback->emitBody(b);
  auto emitItems = [&](bool keeps) {
    forEachItem(b, getExtents(b), b.begin(), b.end(),
                [&](ArrayRef<OpFoldResult> coordinates) {
                  emitItem(b, coordinates, keeps);
                });
  };
  if (plan->slots.empty()) {
    emitItems(/*keeps=*/false);
    return success();
  }
  if (Value kept = areKept(b))
    b.ifThen(kept, [&] { emitItems(true); }, [&] { emitItems(false); });
  else
    emitItems(/*keeps=*/true);
  return success();
}

std::unique_ptr<Schedule> dyn::createColumnSchedule() {
  return std::make_unique<ColumnSchedule>();
}
