//===- RowSchedule.cpp - Kernels with reductions over trailing axes -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An item is a row: all positions that one reduced element comes from. RowPlan
// tells which passes go over it. The row stays in cache, so values are read
// again; what costs more than a read is kept in scratch, or, of wide rows,
// where the result will be, so that both fit the first level. A pass has
// several accumulators of a full vector to hide the latency of additions, and
// narrow rows go side by side to hide that of their ends, which share shuffles.
// The last vector of a row reaches back, and lanes that were seen before do not
// count; rows shorter than a vector are one of masked lanes or, without masks,
// go one by one into a scalar. They are combined in a fixed tree, so the order
// depends on the width alone.
//
// Rows usually come from the second-level cache. The first pass alone would
// wait for them, and the last for the lines that it writes, so the pass before
// the last asks for both: the results of this row and the operands of the next.
//
// A reduced value is known at the row it belongs to. If an operation asks for
// it elsewhere, it is computed there (ReductionEmitter), which is slow and
// right.

#include "dyn/Conversion/KernelToVector/CodeBuilder.h"
#include "dyn/Conversion/KernelToVector/ElementEmitter.h"
#include "dyn/Conversion/KernelToVector/Schedule.h"

#include "Elements/OpEmitters.h"
#include "ItemLoop.h"
#include "Schedules/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Columns of a row of a few vectors, whose end takes as long as the rest.
static constexpr int64_t kFew = 64;
/// Columns of a narrow row at most: its end takes as long as some columns, of
/// those without functions such as exp as long as more.
static constexpr int64_t kNarrow = 256, kNarrowIfCheap = 512;
/// Columns of rows that fit the first-level cache several times: an operand's,
/// the next row's, what is kept, and a result's.
static constexpr int64_t kNear = 2048;

namespace {
/// How rows of up to `most` columns are computed.
struct Shape {
  int64_t most;
  int64_t group;  ///< rows side by side
  int64_t unroll; ///< accumulators of a reduction in a row
  /// Whether memory is asked for ahead; the processor does it as well for rows
  /// of a few vectors.
  bool prefetches = true;
};
} // namespace

/// The shapes of rows, from the narrowest. They have as many accumulators as
/// registers can hold beside the rest: of a wide row, or of several narrow
/// ones, which would else wait for their ends.
static SmallVector<Shape> getShapes(const CodegenOptions &options,
                                    bool isCheap) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  int64_t narrow = isCheap ? kNarrowIfCheap : kNarrow;
  switch (options.isa) {
  case Isa::V4Amx:
  case Isa::V4Bf16:
  case Isa::V4Vnni:
  case Isa::V4:
    return {{kFew, 8, 1, /*prefetches=*/false},
            {narrow, 4, 2},
            {kNear, 1, 8},
            {kAny, 1, 8}};
  case Isa::V3:
    return {{narrow, 2, 2}, {kNear, 1, 4}, {kAny, 1, 4}};
  case Isa::V2:
    return {{kNear, 1, 2}, {kAny, 1, 2}};
  }
  llvm_unreachable("all instruction sets are listed");
}

namespace {
/// A row on its way through the passes.
struct Row {
  Row(KernelBuilder &b, ArrayRef<DimExpr> extents,
      ArrayRef<OpFoldResult> digits, int64_t number)
      : emitter(b), number(number) {
    for (auto [extent, digit] : llvm::zip_equal(extents, digits))
      position.push_back({extent, emitter.uniform(digit)});
  }

  /// Knows the values that earlier passes computed.
  ElementEmitter emitter;
  Position position;
  /// In the group of rows.
  int64_t number;
};

/// A vector of columns, or a single one.
struct Columns {
  OpFoldResult first;
  int64_t lanes;
  /// Where values of these columns are kept: counted in vectors, so that the
  /// last one, which reaches back, overwrites nothing. A load that two stores
  /// before it feed together would wait for both to reach the cache.
  OpFoldResult slot;
  /// Lanes that no vector before had, if not all.
  Value isNew;
};

class RowSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  using ColumnsFn = llvm::function_ref<SmallVector<Value>(
      ArrayRef<Columns> columns, ValueRange carried)>;
  /// Visits whole vectors of columns, `count` at a time as long as there are so
  /// many, then one at a time with the first of `count` parts of the carried
  /// values. Gives the carried values.
  SmallVector<Value> forEachVector(KernelBuilder &b, int64_t count,
                                   ValueRange inits, ColumnsFn body);
  /// Visits the columns of rows shorter than a vector one by one, unless masks
  /// make them a vector.
  SmallVector<Value> forEachScalar(KernelBuilder &b, ValueRange inits,
                                   ColumnsFn body);
  /// Columns that whole vectors cover: all or none.
  OpFoldResult getVectorEnd(KernelBuilder &b);
  bool isWhole() const {
    return dims->isMultipleOf(plan->width, CodegenOptions::kLanes);
  }
  /// Whether rows may be shorter than a vector and not empty.
  bool mayBeShort() const {
    return !isWhole() && std::max(dims->getRange(plan->width).min, least) <
                             CodegenOptions::kLanes;
  }
  bool hasScalars(KernelBuilder &b) const {
    return mayBeShort() && !b.getOptions().hasMasks();
  }

  void emitItems(KernelBuilder &b, const Shape &rowShape);
  void emitRows(KernelBuilder &b, MutableArrayRef<Row> group);
  void emitPass(KernelBuilder &b, RowPass &pass, MutableArrayRef<Row> group);
  /// Everything that a pass does at some columns of a row; gives the values to
  /// reduce.
  SmallVector<Value> emitColumns(KernelBuilder &b, RowPass &pass, Row &row,
                                 const Columns &columns);
  void emitPrefetch(KernelBuilder &b, Row &row, const Position &position);
  void provideKept(KernelBuilder &b, Value kept, Row &row);
  /// Whether rows of this shape are wide, and lie where results will be what
  /// they keep.
  bool keepsInResults(const Shape &s) const {
    return s.most > kNear && !plan->places.empty();
  }
  /// Where a kept value of some columns is, as a buffer and an index. The last
  /// vector, which reaches back over the one before, is in scratch anyhow.
  std::pair<Value, OpFoldResult> getKept(KernelBuilder &b, Value kept, Row &row,
                                         const Position &position) {
    int64_t slot = row.number * plan->slots.size() + plan->slots[kept];
    OpFoldResult width = b.size(plan->width), index = current->slot;
    if (keepsInResults(shape)) {
      if (!current->isNew)
        return {b.resultBuffer(plan->places[kept]),
                row.emitter.join(position).base};
      width = b.constant(CodegenOptions::kLanes);
      index = b.constant(0);
    }
    return {b.scratch(b.mul(slotBytes(b, width), b.constant(slot))), index};
  }
  /// Bytes of a kept value of a row of so many columns.
  OpFoldResult slotBytes(KernelBuilder &b, OpFoldResult width) {
    // Eight bytes an element hold every compute type.
    constexpr int64_t kVectorBytes = CodegenOptions::kLanes * 8;
    return b.mul(b.ceilDiv(width, b.constant(CodegenOptions::kLanes)),
                 b.constant(kVectorBytes));
  }

  const SymbolicDims *dims = nullptr;
  /// Takes kernels whose reductions are not of rows.
  std::unique_ptr<Schedule> fallback;
  std::optional<RowPlan> plan;
  /// What code is being written for.
  Shape shape = {};
  int64_t least = 0; ///< columns
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
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<dhlo::DimOp>(op))
      continue;
    if (!ElementEmitter::canEmit(&op))
      return op.emitError(
                 "no code generation for this operation in a kernel of kind '")
             << dlhlo::stringifyFusionKind(kernel.getKind()) << "'";
    int64_t elementCost = isa<dhlo::ReduceOp>(op) ? 1 : getElementCost(op);
    cost += elementCost;
    isCheap &= elementCost <= 1;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Geometry RowSchedule::emitGeometry(KernelBuilder &b) {
  if (fallback)
    return fallback->emitGeometry(b);
  Geometry g;
  g.items = b.constant(1);
  for (DimExpr extent : plan->rows)
    g.items = b.mul(g.items, b.size(extent));
  OpFoldResult work = b.mul(b.size(plan->width), b.constant(cost + 4));
  g.grain = b.add(b.div(b.constant(kGrainWork), b.max(work, b.constant(1))),
                  b.constant(1));
  // Of the shapes that are possible the one that keeps most.
  g.scratchBytes = b.constant(0);
  for (const Shape &rowShape : getShapes(b.getOptions(), isCheap)) {
    int64_t most =
        keepsInResults(rowShape) ? CodegenOptions::kLanes : rowShape.most;
    OpFoldResult columns = b.min(b.size(plan->width), b.constant(most));
    int64_t count = rowShape.group * plan->slots.size();
    g.scratchBytes =
        b.max(g.scratchBytes, b.mul(slotBytes(b, columns), b.constant(count)));
  }
  return g;
}

static bool isSamePosition(KernelBuilder &b, const Position &lhs,
                           const Position &rhs) {
  SmallVector<const Digit *> x, y;
  for (const Digit &digit : lhs)
    if (!digit.extent.isConst(1))
      x.push_back(&digit);
  for (const Digit &digit : rhs)
    if (!digit.extent.isConst(1))
      y.push_back(&digit);
  return x.size() == y.size() && llvm::all_of(llvm::zip(x, y), [&](auto pair) {
           auto [one, other] = pair;
           return one->index.base == other->index.base &&
                  one->index.step == other->index.step &&
                  b.getDims().isEqual(one->extent, other->extent);
         });
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
  // Of width less than a vector, `end` is 0 and `last` is not used.
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
  OpFoldResult whole = b.sub(end, b.rem(end, b.constant(kLanes)));
  visit(blocked, whole, body);
  if (isWhole())
    return carried;
  visit(whole, end, [&](ArrayRef<Columns> columns, ValueRange values) {
    Columns reaching = columns.front();
    reaching.first = last;
    reaching.isNew = b.lanesFrom(b.sub(reaching.slot, last));
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

SmallVector<Value> RowSchedule::emitColumns(KernelBuilder &b, RowPass &pass,
                                            Row &row, const Columns &columns) {
  ElementEmitter &e = row.emitter;
  int64_t lanes = columns.lanes;
  Position position = row.position;
  position.push_back({plan->width, lanes > 1 ? e.lanes(columns.first)
                                             : e.uniform(columns.first)});
  current = &columns;
  if (lanes > 1 && plan->passes.size() > 1 && shape.prefetches &&
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
  CodeBuilder code(b, b.getLoc());
  OpFoldResult at = row.emitter.join(position).base, n = b.size(plan->width);
  // Rows that are too wide for the first level come from memory to the second.
  bool isNear = shape.most <= kNear || keepsInResults(shape);
  int64_t level = isNear ? 1 : 2;
  auto prefetch = [&](Value buffer, Value tensor, OpFoldResult index,
                      bool forWrite) {
    OpFoldResult byte = b.mul(index, b.constant(getElementBytes(tensor)));
    code.prefetch(b.address(buffer, byte, b.getI8Type()), forWrite, level);
  };
  OpFoldResult ahead = b.mul(n, b.constant(shape.group));
  for (BlockArgument argument : b.getBlock().getArguments()) {
    if (!plan->isFull(argument))
      continue;
    prefetch(b.buffer(argument.getArgNumber()), argument, b.add(at, ahead),
             /*forWrite=*/false);
  }
  for (int64_t i : plan->passes.back().results)
    prefetch(b.resultBuffer(i), b.getResults()[i], at, /*forWrite=*/true);
}

void RowSchedule::provideKept(KernelBuilder &b, Value kept, Row &row) {
  row.emitter.provide(
      kept,
      [this, &b, &row, kept](const Position &position, int64_t lanes) -> Value {
        if (!current || position.empty() || lanes != current->lanes ||
            position.back().index.base != current->first ||
            !b.getDims().isEqual(position.back().extent, plan->width) ||
            !isSamePosition(b, Position(position.begin(), position.end() - 1),
                            row.position))
          return Value();
        auto [buffer, index] = getKept(b, kept, row, position);
        return b.load(buffer, index, getComputeType(getElementTypeOrSelf(kept)),
                      lanes);
      });
}

void RowSchedule::emitPass(KernelBuilder &b, RowPass &pass,
                           MutableArrayRef<Row> group) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
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
    return;
  }

  auto elementOf = [](dhlo::ReduceOp op) {
    return op.getOperand().getType().getElementType();
  };
  auto combineIn = [&](dhlo::ReduceOp op, Value lhs, Value rhs) {
    return op->hasAttr(kIgnoresNanAttr)
               ? maximumOfNumbers(b, rhs, lhs)
               : combine(b, op.getKind(), elementOf(op), lhs, rhs);
  };
  // Accumulators: for each of the columns of an iteration, each row, each
  // reduction.
  size_t count = pass.reductions.size();
  auto emit = [&](ArrayRef<Columns> columns, ValueRange carried) {
    SmallVector<Value> next;
    for (const Columns &c : columns)
      for (Row &row : group)
        for (auto [reduce, value] :
             llvm::zip_equal(pass.reductions, emitColumns(b, pass, row, c))) {
          if (c.isNew)
            value = arith::SelectOp::create(
                b, c.isNew, value,
                neutral(b, reduce.getKind(), elementOf(reduce), kLanes));
          next.push_back(combineIn(reduce, carried[next.size()], value));
        }
    return next;
  };
  auto getNeutral = [&](int64_t copies, int64_t lanes) {
    SmallVector<Value> values;
    for (size_t i = 0; i < copies * group.size(); ++i)
      for (dhlo::ReduceOp reduce : pass.reductions)
        values.push_back(
            neutral(b, reduce.getKind(), elementOf(reduce), lanes));
    return values;
  };
  SmallVector<Value> vectors =
      forEachVector(b, shape.unroll, getNeutral(shape.unroll, kLanes), emit);
  SmallVector<Value> scalars = forEachScalar(b, getNeutral(1, 1), emit);

  size_t step = group.size() * count;
  for (auto [i, reduce] : llvm::enumerate(pass.reductions)) {
    auto join = [&, op = reduce](Value lhs, Value rhs) {
      return combineIn(op, lhs, rhs);
    };
    SmallVector<Value> sums;
    for (size_t at = i; at < step; at += count) {
      for (int64_t half = shape.unroll / 2; half > 0; half /= 2)
        for (int64_t u = 0; u < half; ++u)
          vectors[u * step + at] =
              join(vectors[u * step + at], vectors[(u + half) * step + at]);
      sums.push_back(vectors[at]);
    }
    sums = combineLanes(b, sums, join);
    for (auto [r, row] : llvm::enumerate(group)) {
      Value result = sums[r];
      if (hasScalars(b))
        result = join(result, scalars[r * count + i]);
      row.emitter.provide(
          reduce.getResult(),
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

void RowSchedule::emitItems(KernelBuilder &b, const Shape &rowShape) {
  shape = rowShape;
  SmallVector<OpFoldResult> extents;
  for (DimExpr extent : plan->rows)
    extents.push_back(b.size(extent));
  forEachGroup(b, extents, b.begin(), b.end(), shape.group,
               [&](ArrayRef<SmallVector<OpFoldResult>> digits) {
                 SmallVector<Row> group;
                 group.reserve(digits.size());
                 for (auto [number, d] : llvm::enumerate(digits))
                   group.emplace_back(b, plan->rows, d, number);
                 emitRows(b, group);
               });
}

LogicalResult RowSchedule::emitBody(KernelBuilder &b) {
  if (fallback)
    return fallback->emitBody(b);
  // Which shape rows have may be known at run time only.
  auto range = dims->getRange(plan->width);
  OpFoldResult n = b.size(plan->width);
  for (const Shape &rowShape : getShapes(b.getOptions(), isCheap)) {
    if (range.max >= least && range.min <= rowShape.most) {
      Value isOfShape; // none: always
      auto require = [&](CmpIPredicate predicate, int64_t bound) {
        Value holds = b.cmp(predicate, n, b.constant(bound));
        isOfShape = isOfShape
                        ? arith::AndIOp::create(b, isOfShape, holds).getResult()
                        : holds;
      };
      if (range.min < least)
        require(CmpIPredicate::sge, least);
      if (range.max > rowShape.most)
        require(CmpIPredicate::sle, rowShape.most);
      if (isOfShape)
        b.ifThen(isOfShape, [&] { emitItems(b, rowShape); });
      else
        emitItems(b, rowShape);
    }
    if (rowShape.most >= range.max)
      break;
    least = rowShape.most + 1;
  }
  return success();
}

std::unique_ptr<Schedule> dyn::createRowSchedule() {
  return std::make_unique<RowSchedule>();
}
