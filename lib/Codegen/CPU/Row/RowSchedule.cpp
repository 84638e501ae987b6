//===- RowSchedule.cpp - Kernels with reductions over trailing axes -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An item is a row: all positions that one reduced element comes from. RowPlan
// describes the passes over it. The row stays in cache, so values are read
// again; values that cost more than a read are kept in scratch or, for wide
// rows, in the buffer of the result, so that both fit the L1 cache. A pass has
// several accumulators of a full vector to hide the latency of additions, and
// narrow rows are computed side by side to hide that of their final reductions,
// which share shuffles. Of narrower ones still, elementwise code processes 16
// as one run of memory (RowRuns). The last vector of a row overlaps the one
// before, and lanes that were seen before do not count; rows shorter than a
// vector are one masked vector or, without masks, are accumulated one by one in
// a scalar. Accumulators are combined in a fixed tree, so the order depends on
// the width alone.
//
// Rows usually come from the L2 cache. The first pass alone would wait for
// them, and the last for the cache lines that it writes, so the pass before the
// last prefetches both: the results of this row and the operands of the next,
// or those of some narrow rows after them.
//
// A reduced value is known at its own row. If an operation reads it elsewhere,
// it is computed there (ReductionEmitter), which is slow but correct.

#include "Codegen/CPU/Schedule.h"
#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Row/RowRuns.h"
#include "Codegen/CPU/Row/RowShapes.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {
/// A vector of columns, or a single one.
struct Columns {
  OpFoldResult first;
  int64_t lanes;
  /// The slot of kept values of these columns: counted in vectors, so that the
  /// last one, which overlaps the one before, overwrites nothing. A load that
  /// two earlier stores feed together would wait for both to reach the cache.
  OpFoldResult slot;
  /// Lanes that no vector before had, if not all.
  Value isNew;
  /// Whether the others are columns that were seen before.
  bool isRepeated = false;
};

class RowSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  OpFoldResult getColumnsInOrder(KernelBuilder &b);
  using ColumnsFn = llvm::function_ref<SmallVector<Value>(
      ArrayRef<Columns> columns, ValueRange carried)>;
  /// Visits full vectors of columns, `count` at a time as long as there are so
  /// many, then one at a time with the first of `count` parts of the carried
  /// values. Returns the carried values.
  SmallVector<Value> forEachVector(KernelBuilder &b, int64_t count,
                                   ValueRange inits, ColumnsFn body);
  /// Visits the columns of rows shorter than a vector one by one, unless masks
  /// make them a vector.
  SmallVector<Value> forEachScalar(KernelBuilder &b, ValueRange inits,
                                   ColumnsFn body);
  /// The end of the columns that full vectors cover: all or none.
  OpFoldResult getVectorEnd(KernelBuilder &b);
  /// Whether full vectors cover all columns.
  bool isFull() const {
    return dims->isMultipleOf(plan->width, CodegenOptions::kLanes);
  }
  /// Whether rows may be shorter than a vector and not empty.
  bool mayBeShort() const {
    return !isFull() && std::max(dims->getRange(plan->width).min, minColumns) <
                            CodegenOptions::kLanes;
  }
  bool hasScalars(KernelBuilder &b) const {
    return mayBeShort() && !b.getOptions().hasMasks();
  }

  void emitItems(KernelBuilder &b, const RowShape &rowShape);
  void emitRows(KernelBuilder &b, MutableArrayRef<Row> group);
  void emitRuns(KernelBuilder &b, MutableArrayRef<Row> group);
  void emitPass(KernelBuilder &b, const RowPass &pass,
                MutableArrayRef<Row> group);
  /// The reductions of a pass: for each of them and each row a vector, and
  /// maybe a scalar, that are yet to be combined.
  struct Partial {
    SmallVector<Value> vectors, scalars;
  };
  SmallVector<Partial> emitReductions(KernelBuilder &b, const RowPass &pass,
                                      MutableArrayRef<Row> group);
  /// Emits a pass at some columns of a row; returns the values to reduce.
  SmallVector<Value> emitColumns(KernelBuilder &b, const RowPass &pass,
                                 Row &row, const Columns &columns);
  void emitPrefetch(KernelBuilder &b, Row &row, const Position &position);
  void provideKept(KernelBuilder &b, Value kept, Row &row);
  /// Whether rows of this shape are wide and keep values in the buffers of
  /// results.
  bool keepsInResults(const RowShape &s) const {
    return s.isWide() && !plan->resultIndices.empty();
  }
  /// The buffer and index of a kept value of some columns. The last vector,
  /// which overlaps the one before, is always in scratch.
  std::pair<Value, OpFoldResult> getKept(KernelBuilder &b, Value kept, Row &row,
                                         const Position &position) {
    if (inRuns)
      return {runs->getKept(b, kept),
              b.add(b.mul(b.size(plan->width), b.constant(row.number)),
                    current->first)};
    int64_t slot = row.number * plan->slots.size() + plan->slots[kept];
    OpFoldResult width = b.size(plan->width), index = current->slot;
    if (keepsInResults(shape)) {
      if (!current->isNew)
        return {b.resultBuffer(plan->resultIndices[kept]),
                row.emitter.join(position).base};
      width = b.constant(CodegenOptions::kLanes);
      index = b.constant(0);
    }
    return {b.scratch(b.mul(slotBytes(b, width), b.constant(slot))), index};
  }
  /// Bytes of a kept value of a row of `width` columns.
  OpFoldResult slotBytes(KernelBuilder &b, OpFoldResult width) {
    // Eight bytes an element hold every compute type.
    constexpr int64_t kVectorBytes = CodegenOptions::kLanes * 8;
    return b.mul(b.ceilDiv(width, b.constant(CodegenOptions::kLanes)),
                 b.constant(kVectorBytes));
  }

  const SymbolicDims *dims = nullptr;
  /// For kernels whose reductions are not over rows.
  std::unique_ptr<Schedule> fallback;
  std::optional<RowPlan> plan;
  /// For kernels whose groups of rows can be runs of memory.
  std::optional<RowRuns> runs;
  /// The kind of rows that code is being emitted for.
  RowShape shape = {};
  bool inRuns = false;
  int64_t minColumns = 0; ///< of rows of this kind
  const Columns *current = nullptr;
  int64_t cost = 1;
  bool isCheap = true;
};
} // namespace

LogicalResult RowSchedule::match(dlhlo::KernelOp kernel,
                                 const SymbolicDims &dims,
                                 const CodegenOptions &options) {
  this->dims = &dims;
  plan = RowPlan::make(kernel, dims);
  if (!plan) {
    fallback = createLoopSchedule();
    return fallback->match(kernel, dims, options);
  }
  if (failed(checkElements(kernel)))
    return failure();
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    int64_t elementCost = isa<dhlo::ReduceOp>(op) ? 1 : getElementCost(op);
    cost += elementCost;
    isCheap &= elementCost <= 1;
  }
  if (options.hasMasks())
    runs = RowRuns::make(*plan, kernel, dims);
  if (!runs)
    plan->keepBeforeReductions();
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// The columns of a row if its results are worth non-temporal stores, else 0. A
/// range of narrow rows has its own tables, which take longer than cache lines
/// that are read for nothing; a row on its own prefetches those in time if
/// functions such as exp keep it busy.
OpFoldResult RowSchedule::getColumnsInOrder(KernelBuilder &b) {
  const CpuInfo &cpu = b.getCpu();
  OpFoldResult columns = b.size(plan->width), none = b.constant(0);
  OpFoldResult inOrder = b.select(
      b.cmp(CmpIPredicate::sgt, columns, b.constant(cpu.rowInOrderColumns)),
      columns, none);
  return isCheap ? inOrder
                 : b.select(b.cmp(CmpIPredicate::sgt, columns,
                                  b.constant(cpu.rowInOrderIfBusyColumns)),
                            none, inOrder);
}

Geometry RowSchedule::emitGeometry(KernelBuilder &b) {
  if (fallback)
    return fallback->emitGeometry(b);
  Geometry g;
  g.items = b.constant(1);
  for (DimExpr extent : plan->rows)
    g.items = b.mul(g.items, b.size(extent));
  OpFoldResult work = b.mul(b.size(plan->width), b.constant(cost + 4));
  g.grain =
      b.add(b.div(b.constant(b.getCpu().grainWork), b.max(work, b.constant(1))),
            b.constant(1));
  // The possible shape that keeps most.
  g.scratchBytes = b.constant(0);
  for (const RowShape &rowShape : getRowShapes(b.getOptions(), isCheap)) {
    int64_t most =
        keepsInResults(rowShape) ? CodegenOptions::kLanes : rowShape.most;
    OpFoldResult columns = b.min(b.size(plan->width), b.constant(most));
    int64_t count = rowShape.group * plan->slots.size();
    g.scratchBytes =
        b.max(g.scratchBytes, b.mul(slotBytes(b, columns), b.constant(count)));
    if (runs && rowShape.isRuns)
      g.scratchBytes = b.max(g.scratchBytes, runs->getScratchBytes(b, columns));
  }
  if (plan->rowResults.empty())
    g.setInOrder(b, getColumnsInOrder(b));
  return g;
}

OpFoldResult RowSchedule::getVectorEnd(KernelBuilder &b) {
  OpFoldResult n = b.size(plan->width), zero = b.constant(0);
  auto range = dims->getRange(plan->width);
  if (!mayBeShort())
    return n;
  if (range.max < CodegenOptions::kLanes)
    return zero;
  OpFoldResult lanes = b.constant(CodegenOptions::kLanes);
  return b.select(b.cmp(CmpIPredicate::sge, n, lanes), n, zero);
}

SmallVector<Value> RowSchedule::forEachVector(KernelBuilder &b, int64_t count,
                                              ValueRange inits,
                                              ColumnsFn body) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  SmallVector<Value> carried(inits);
  OpFoldResult n = b.size(plan->width), end = getVectorEnd(b);
  // If the width is less than a vector, `end` is 0 and `last` is not used.
  OpFoldResult last = b.sub(n, b.constant(kLanes));
  OpFoldResult blocked = b.sub(end, b.rem(end, b.constant(count * kLanes)));
  if (count > 1 && getConstantIntValue(blocked) != 0)
    carried = b.loop(b.constant(0), blocked, count * kLanes, carried,
                     [&](Value first, ValueRange values) {
                       SmallVector<Columns> columns;
                       for (int64_t u = 0; u < count; ++u) {
                         OpFoldResult at =
                             b.add(OpFoldResult(first), b.constant(u * kLanes));
                         columns.push_back({at, kLanes, at, {}});
                       }
                       return body(columns, values);
                     });
  if (count == 1)
    blocked = b.constant(0);
  size_t part = carried.size() / count;
  auto visit = [&](OpFoldResult from, OpFoldResult to, ColumnsFn visitOne) {
    if (getConstantIntValue(b.sub(to, from)) == 0)
      return;
    SmallVector<Value> firsts =
        b.loop(from, to, kLanes, ValueRange(carried).take_front(part),
               [&](Value column, ValueRange values) {
                 return visitOne(Columns{column, kLanes, column, {}}, values);
               });
    llvm::copy(firsts, carried.begin());
  };
  OpFoldResult middle = b.sub(end, b.rem(end, b.constant(kLanes)));
  visit(blocked, middle, body);
  if (isFull())
    return carried;
  visit(middle, end, [&](ArrayRef<Columns> columns, ValueRange values) {
    Columns reaching = columns.front();
    reaching.first = last;
    reaching.isNew = b.lanesFrom(b.sub(reaching.slot, last));
    reaching.isRepeated = true;
    return body(reaching, values);
  });
  // The only vector of a short row.
  if (mayBeShort() && b.getOptions().hasMasks())
    visit(end, n, [&](ArrayRef<Columns> columns, ValueRange values) {
      Columns only = columns.front();
      only.isNew = b.lanesBelow(n);
      SmallVector<Value> results;
      b.withLanes(n, [&] { results = body(only, values); });
      return results;
    });
  return carried;
}

SmallVector<Value>
RowSchedule::forEachScalar(KernelBuilder &b, ValueRange inits, ColumnsFn body) {
  if (!hasScalars(b))
    return SmallVector<Value>(inits);
  return b.loop(getVectorEnd(b), b.size(plan->width), 1, inits,
                [&](Value column, ValueRange values) {
                  return body(Columns{column, 1, column, {}}, values);
                });
}

SmallVector<Value> RowSchedule::emitColumns(KernelBuilder &b,
                                            const RowPass &pass, Row &row,
                                            const Columns &columns) {
  ElementEmitter &e = row.emitter;
  int64_t lanes = columns.lanes;
  Position position = row.position;
  position.push_back({plan->width, lanes > 1 ? e.lanes(columns.first)
                                             : e.uniform(columns.first)});
  current = &columns;
  if (lanes > 1 && plan->passes.size() > 1 &&
      &pass == &plan->passes[plan->passes.size() - 2])
    emitPrefetch(b, row, position);
  SmallVector<Value> values;
  for (dhlo::ReduceOp reduce : pass.reductions)
    values.push_back(e.emit(reduce.getOperand(), position, lanes));
  for (Value kept : pass.kept) {
    Value value = e.emit(kept, position, lanes);
    auto [buffer, index] = getKept(b, kept, row, position);
    b.store(value, buffer, index, getComputeType(getElementTypeOrSelf(kept)),
            lanes);
  }
  SmallVector<Value> results;
  for (int64_t i : pass.results)
    results.push_back(e.emit(b.getResults()[i], position, lanes));
  for (auto [i, value] : llvm::zip_equal(pass.results, results))
    e.store(value, i, position, lanes);
  current = nullptr;
  return values;
}

void RowSchedule::emitPrefetch(KernelBuilder &b, Row &row,
                               const Position &position) {
  OpFoldResult at = row.emitter.join(position).base;
  if (shape.group > 1)
    return prefetchNarrowRows(b, *plan, at);
  // Rows that are too wide for the L1 cache are prefetched to L2.
  bool isNear = !shape.isWide() || keepsInResults(shape);
  prefetchRows(b, *plan, b.add(at, b.size(plan->width)), at,
               /*level=*/isNear ? 1 : 2);
}

void RowSchedule::provideKept(KernelBuilder &b, Value kept, Row &row) {
  row.emitter.provide(
      kept,
      [this, &b, &row, kept](const Position &position, int64_t lanes) -> Value {
        if (!current || position.empty() || lanes != current->lanes ||
            position.back().index.base != current->first ||
            !b.getDims().isEqual(position.back().extent, plan->width) ||
            !isSamePosition(b, ArrayRef(position).drop_back(), row.position))
          return Value();
        auto [buffer, index] = getKept(b, kept, row, position);
        return b.load(buffer, index, getComputeType(getElementTypeOrSelf(kept)),
                      lanes);
      });
}

/// Whether an element may count twice.
static bool isIdempotent(dhlo::ReduceOp op) {
  return op.getKind() != dhlo::ReduceKind::Sum &&
         op.getKind() != dhlo::ReduceKind::Prod;
}

SmallVector<RowSchedule::Partial>
RowSchedule::emitReductions(KernelBuilder &b, const RowPass &pass,
                            MutableArrayRef<Row> group) {
  // Accumulators: for each of the columns of an iteration, each row, each
  // reduction.
  size_t count = pass.reductions.size();
  auto emit = [&](ArrayRef<Columns> columns, ValueRange carried) {
    SmallVector<Value> next;
    for (const Columns &c : columns)
      for (Row &row : group)
        for (auto [reduce, value] :
             llvm::zip_equal(pass.reductions, emitColumns(b, pass, row, c))) {
          Value before = carried[next.size()];
          Value after = combineReduced(b, reduce, before, value);
          // A masked instruction.
          if (c.isNew && !(c.isRepeated && isIdempotent(reduce)))
            after = arith::SelectOp::create(b, c.isNew, after, before);
          next.push_back(after);
        }
    return next;
  };
  auto getNeutral = [&](int64_t copies, int64_t lanes) {
    SmallVector<Value> values;
    for (size_t i = 0; i < copies * group.size(); ++i)
      for (dhlo::ReduceOp reduce : pass.reductions)
        values.push_back(neutral(b, reduce.getKind(),
                                 getElementTypeOrSelf(reduce.getOperand()),
                                 lanes));
    return values;
  };
  SmallVector<Value> vectors = forEachVector(
      b, shape.unroll, getNeutral(shape.unroll, CodegenOptions::kLanes), emit);
  SmallVector<Value> scalars = forEachScalar(b, getNeutral(1, 1), emit);

  size_t step = group.size() * count;
  SmallVector<Partial> partials(count);
  for (auto [i, reduce] : llvm::enumerate(pass.reductions))
    for (size_t at = i; at < step; at += count) {
      for (int64_t half = shape.unroll / 2; half > 0; half /= 2)
        for (int64_t u = 0; u < half; ++u)
          vectors[u * step + at] =
              combineReduced(b, reduce, vectors[u * step + at],
                             vectors[(u + half) * step + at]);
      partials[i].vectors.push_back(vectors[at]);
      if (hasScalars(b))
        partials[i].scalars.push_back(scalars[at]);
    }
  return partials;
}

void RowSchedule::emitPass(KernelBuilder &b, const RowPass &pass,
                           MutableArrayRef<Row> group) {
  if (pass.reductions.empty()) {
    if (pass.kept.empty() && pass.results.empty())
      return;
    auto emit = [&](ArrayRef<Columns> columns, ValueRange) {
      for (Row &row : group)
        emitColumns(b, pass, row, columns.front());
      return SmallVector<Value>();
    };
    forEachVector(b, 1, {}, emit);
    forEachScalar(b, {}, emit);
    for (Row &row : group)
      for (Value kept : pass.kept)
        provideKept(b, kept, row);
    return;
  }
  for (auto [reduce, partial] :
       llvm::zip_equal(pass.reductions, emitReductions(b, pass, group))) {
    auto join = [&, op = reduce](Value lhs, Value rhs) {
      return combineReduced(b, op, lhs, rhs);
    };
    SmallVector<Value> sums = combineLanes(b, partial.vectors, join);
    for (auto [r, row] : llvm::enumerate(group)) {
      Value result = sums[r];
      if (hasScalars(b))
        result = join(result, partial.scalars[r]);
      row.emitter.provide(
          reduce->getResult(0),
          [&b, &row, result](const Position &position, int64_t lanes) -> Value {
            return isSamePosition(b, position, row.position)
                       ? b.splat(result, lanes)
                       : Value();
          });
    }
  }
  for (Row &row : group)
    for (Value kept : pass.kept)
      provideKept(b, kept, row);
}

void RowSchedule::emitRows(KernelBuilder &b, MutableArrayRef<Row> group) {
  for (RowPass &pass : plan->passes)
    emitPass(b, pass, group);
  for (Row &row : group)
    for (int64_t i : plan->rowResults)
      row.emitter.store(row.emitter.emit(b.getResults()[i], row.position, 1), i,
                        row.position, 1);
}

void RowSchedule::emitRuns(KernelBuilder &b, MutableArrayRef<Row> group) {
  inRuns = true;
  runs->emitGroup(b, group, [&](const RowPass &pass) {
    for (Row &row : group)
      for (Value kept : pass.kept)
        provideKept(b, kept, row);
    RowPass reductions;
    reductions.reductions = pass.reductions;
    SmallVector<Value> results;
    for (auto [reduce, partial] :
         llvm::zip_equal(pass.reductions, emitReductions(b, reductions, group)))
      results.push_back(
          packLanes(b, partial.vectors, [&, op = reduce](Value lhs, Value rhs) {
            return combineReduced(b, op, lhs, rhs);
          }).front());
    return results;
  });
  inRuns = false;
}

void RowSchedule::emitItems(KernelBuilder &b, const RowShape &rowShape) {
  shape = rowShape;
  SmallVector<OpFoldResult> extents;
  for (DimExpr extent : plan->rows)
    extents.push_back(b.size(extent));
  auto visit = [&](llvm::function_ref<void(MutableArrayRef<Row>)> emit) {
    return [&b, this, emit](ArrayRef<SmallVector<OpFoldResult>> coordinates) {
      SmallVector<Row, 1> group;
      group.reserve(coordinates.size());
      for (auto [number, d] : llvm::enumerate(coordinates))
        group.emplace_back(b, plan->rows, d, number);
      emit(group);
    };
  };
  auto emitRunsOf = [&](MutableArrayRef<Row> group) { emitRuns(b, group); };
  auto emitRowsOf = [&](MutableArrayRef<Row> group) { emitRows(b, group); };
  OpFoldResult begin = b.begin(), end = b.end();
  if (runs && rowShape.isRuns) {
    OpFoldResult count = b.sub(end, begin);
    OpFoldResult middle = b.sub(end, b.rem(count, b.constant(RowRuns::kRows)));
    middle = b.select(runs->isFaster(b), middle, begin);
    b.ifThen(b.cmp(CmpIPredicate::sgt, middle, begin), [&] {
      runs->emitTables(b);
      forEachFullGroup(b, extents, begin, middle, RowRuns::kRows,
                       visit(emitRunsOf));
    });
    begin = middle;
  }
  forEachGroup(b, extents, begin, end, rowShape.group, visit(emitRowsOf));
}

LogicalResult RowSchedule::emitBody(KernelBuilder &b) {
  if (fallback)
    return fallback->emitBody(b);
  // The shape of rows may be known at run time only.
  auto range = dims->getRange(plan->width);
  OpFoldResult n = b.size(plan->width);
  for (const RowShape &rowShape : getRowShapes(b.getOptions(), isCheap)) {
    if (range.max >= minColumns && range.min <= rowShape.most) {
      Value isOfShape; // none: always
      auto require = [&](CmpIPredicate predicate, int64_t bound) {
        Value holds = b.cmp(predicate, n, b.constant(bound));
        isOfShape = isOfShape
                        ? arith::AndIOp::create(b, isOfShape, holds).getResult()
                        : holds;
      };
      if (range.min < minColumns)
        require(CmpIPredicate::sge, minColumns);
      if (range.max > rowShape.most)
        require(CmpIPredicate::sle, rowShape.most);
      if (isOfShape)
        b.ifThen(isOfShape, [&] { emitItems(b, rowShape); });
      else
        emitItems(b, rowShape);
    }
    if (rowShape.most >= range.max)
      break;
    minColumns = rowShape.most + 1;
  }
  return success();
}

std::unique_ptr<Schedule> dyn::createRowSchedule() {
  return std::make_unique<RowSchedule>();
}
