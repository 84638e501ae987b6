//===- CumulativeSchedule.cpp - Running sums and extremes -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The operand is outer x size x inner, and each element waits for the one
// before it along `size`. Adjacent segments, the columns of an outer index, are
// lanes of vectors. A few columns are an item, with their running values in
// registers. Of more, an item is a block, whose rows are read one after the
// other, with running values in scratch. Without columns, a segment is an item,
// and its adjacent elements are lanes: log2(lanes) steps, each of which adds
// lanes that are twice as far apart, give the running values of a vector, and
// vectors only wait for the total of those before.

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/SegmentProblem.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
/// The maximum number of columns whose running values are in registers: the
/// lines of four operands and results stay in a set of the L1 cache.
static constexpr int64_t kFewColumns = 4 * kLanes;
/// Columns of a block otherwise: rows long enough to come from memory at a good
/// rate.
static constexpr int64_t kBlockColumns = 512;

namespace {
class CumulativeSchedule : public Schedule {
public:
  explicit CumulativeSchedule(dhlo::CumulativeOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &) override {
    problem.emplace(op, dims);
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Adjacent segments, or one.
  struct Segments {
    SegmentProblem::Line line;
    int64_t lanes = 1;
  };

  bool hasFewColumns() const {
    return problem->inner.isConst() && problem->inner.getValue() <= kFewColumns;
  }
  /// Items of an outer index.
  OpFoldResult numBlocks(KernelBuilder &b) {
    if (hasFewColumns())
      return b.constant(1);
    return b.ceilDiv(b.size(problem->inner), b.constant(kBlockColumns));
  }
  /// The element of a step, which counts from the end if the operation does.
  OpFoldResult getIndex(KernelBuilder &b, Value step) {
    if (!op.getReverse())
      return step;
    return b.sub(b.sub(b.size(problem->size), b.constant(1)), step);
  }
  /// Computes and stores element i of segments after the value `before`.
  /// Returns the next value.
  Value emitElements(ElementEmitter &e, const Segments &part, OpFoldResult i,
                     Value before);
  /// The lanes of `v`, each combined with those of the vector before it.
  Value emitScan(KernelBuilder &b, Value v);
  /// Computes and stores a vector of a segment from `i` on after `before`,
  /// which has the same value in each lane. Returns the next such vector.
  Value emitVector(KernelBuilder &b, OpFoldResult outer, OpFoldResult i,
                   Value before);
  void emitSegment(KernelBuilder &b, OpFoldResult outer);
  void emitFewColumns(KernelBuilder &b, OpFoldResult outer);
  void emitBlock(KernelBuilder &b, OpFoldResult outer, OpFoldResult block);

  dhlo::CumulativeOp op;
  std::optional<SegmentProblem> problem;
};
} // namespace

Geometry CumulativeSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = b.mul(b.size(problem->outer), numBlocks(b));
  OpFoldResult inner = b.size(problem->inner);
  OpFoldResult columns = b.min(inner, b.constant(kBlockColumns));
  OpFoldResult work = b.max(b.mul(b.mul(b.size(problem->size), columns),
                                  b.constant(hasFewColumns() ? 2 : 1)),
                            b.constant(1));
  g.grain = b.add(b.div(b.constant(b.getCpu().grainWork), work), b.constant(1));
  // Running values take eight bytes each, at most.
  g.scratchBytes =
      hasFewColumns() ? b.constant(0) : b.constant(8 * kBlockColumns);
  return g;
}

Value CumulativeSchedule::emitElements(ElementEmitter &e, const Segments &part,
                                       OpFoldResult i, Value before) {
  KernelBuilder &b = e.getBuilder();
  Position position = problem->at(e, part.line, problem->size, i);
  if (part.lanes > 1)
    position[2].index = e.lanes(part.line.inner);
  Value own = e.emit(op.getOperand(), position, part.lanes);
  Value next = combine(b, op.getKind(), problem->element, before, own);
  for (int64_t r = 0, end = b.getResults().size(); r < end; ++r)
    e.store(op.getExclusive() ? before : next, r, position, part.lanes);
  return next;
}

/// The number of a lane from the end where the operation begins, or the lane of
/// a number.
static int64_t getLane(dhlo::CumulativeOp op, int64_t number) {
  return op.getReverse() ? kLanes - 1 - number : number;
}

// Runs of lanes are joined to runs twice as long: the second half of each is
// combined with the last lane of the first half. To move all lanes by a
// distance takes as many steps, but LLVM does that by expanding vectors, which
// is slow on some processors.
Value CumulativeSchedule::emitScan(KernelBuilder &b, Value v) {
  Value none = neutral(b, op.getKind(), problem->element, kLanes);
  for (int64_t half = 1; half < kLanes; half *= 2) {
    SmallVector<int64_t> from(kLanes, kLanes);
    for (int64_t i = 0; i < kLanes; ++i)
      if (i & half)
        from[getLane(op, i)] = getLane(op, (i & -half) - 1);
    Value before = vector::ShuffleOp::create(b, v, none, from);
    v = combine(b, op.getKind(), problem->element, before, v);
  }
  return v;
}

/// Lane i of `v` is that of the element after it. The first element has the
/// lane of `before`.
static Value shiftByOne(KernelBuilder &b, dhlo::CumulativeOp op, Value v,
                        Value before) {
  SmallVector<int64_t> from(kLanes);
  for (int64_t i = 0; i < kLanes; ++i)
    from[getLane(op, i)] = i == 0 ? kLanes : getLane(op, i - 1);
  return vector::ShuffleOp::create(b, v, before, from);
}

Value CumulativeSchedule::emitVector(KernelBuilder &b, OpFoldResult outer,
                                     OpFoldResult i, Value before) {
  ElementEmitter e(b);
  auto combineWith = [&](Value own) {
    return combine(b, op.getKind(), problem->element, before, own);
  };
  Position position = problem->at(e, {outer, b.constant(0)}, problem->size, i);
  position[1].index = e.lanes(i);
  Value own = emitScan(b, e.emit(op.getOperand(), position, kLanes));
  Value next = combineWith(own);
  Value result = op.getExclusive() ? shiftByOne(b, op, next, before) : next;
  for (int64_t r = 0, end = b.getResults().size(); r < end; ++r)
    e.store(result, r, position, kLanes);
  Value last = vector::ExtractOp::create(b, own, getLane(op, kLanes - 1));
  return combineWith(b.splat(last, kLanes));
}

void CumulativeSchedule::emitSegment(KernelBuilder &b, OpFoldResult outer) {
  OpFoldResult size = b.size(problem->size);
  OpFoldResult rest = b.rem(size, b.constant(kLanes));
  OpFoldResult end = b.sub(size, rest);
  Value none = neutral(b, op.getKind(), problem->element, kLanes);
  Value total = b.loop(b.constant(0), end, kLanes, none,
                       [&](Value step, ValueRange before) {
                         OpFoldResult i = step;
                         if (op.getReverse())
                           i = b.sub(b.sub(size, b.constant(kLanes)), i);
                         return SmallVector<Value>{
                             emitVector(b, outer, i, before.front())};
                       })
                    .front();
  if (getConstantIntValue(rest) == 0)
    return;
  // From the end, lanes outside are those behind: they would be computed first.
  if (b.getOptions().hasMasks() && !op.getReverse()) {
    b.withLanes(rest, [&] { emitVector(b, outer, end, total); });
    return;
  }
  b.loop(end, size, 1, vector::ExtractOp::create(b, total, 0).getResult(),
         [&](Value step, ValueRange before) {
           ElementEmitter e(b);
           return SmallVector<Value>{emitElements(
               e, {{outer, b.constant(0)}}, getIndex(b, step), before.front())};
         });
}

void CumulativeSchedule::emitFewColumns(KernelBuilder &b, OpFoldResult outer) {
  SmallVector<Segments> parts;
  int64_t columns = problem->inner.getValue();
  for (int64_t done = 0, lanes = kLanes; lanes > 0; lanes /= 2)
    for (; columns - done >= lanes; done += lanes)
      parts.push_back({{outer, b.constant(done)}, lanes});
  auto inits = llvm::map_to_vector(parts, [&](const Segments &part) {
    return neutral(b, op.getKind(), problem->element, part.lanes);
  });
  b.loop(b.constant(0), b.size(problem->size), 1, inits,
         [&](Value step, ValueRange carried) -> SmallVector<Value> {
           ElementEmitter e(b);
           OpFoldResult i = getIndex(b, step);
           SmallVector<Value> next;
           for (auto [part, before] : llvm::zip_equal(parts, carried))
             next.push_back(emitElements(e, part, i, before));
           return next;
         });
}

void CumulativeSchedule::emitBlock(KernelBuilder &b, OpFoldResult outer,
                                   OpFoldResult block) {
  Type type = getComputeType(problem->element);
  Value running = b.scratch(b.constant(0));
  OpFoldResult begin = b.mul(block, b.constant(kBlockColumns));
  OpFoldResult end =
      b.min(b.add(begin, b.constant(kBlockColumns)), b.size(problem->inner));
  b.loop(b.constant(0), b.constant(kBlockColumns), kLanes, [&](Value i) {
    b.store(neutral(b, op.getKind(), problem->element, kLanes), running, i,
            type, kLanes);
  });
  b.loop(b.constant(0), b.size(problem->size), 1, [&](Value step) {
    b.laneLoop(begin, end, [&](Value column, int64_t lanes) {
      ElementEmitter e(b);
      OpFoldResult at = b.sub(OpFoldResult(column), begin);
      Value next = emitElements(e, {{outer, column}, lanes}, getIndex(b, step),
                                b.load(running, at, type, lanes));
      b.store(next, running, at, type, lanes);
    });
  });
}

LogicalResult CumulativeSchedule::emitBody(KernelBuilder &b) {
  OpFoldResult outer = b.size(problem->outer);
  if (problem->inner.isConst(1)) {
    b.loop(b.begin(), b.end(), 1,
           [&](Value segment) { emitSegment(b, segment); });
    return success();
  }
  SmallVector<OpFoldResult> extents = {outer, numBlocks(b)};
  forEachItem(b, extents, b.begin(), b.end(),
              [&](ArrayRef<OpFoldResult> coordinates) {
                if (hasFewColumns())
                  emitFewColumns(b, coordinates[0]);
                else
                  emitBlock(b, coordinates[0], coordinates[1]);
              });
  return success();
}

std::unique_ptr<Schedule> dyn::createCumulativeSchedule(dhlo::CumulativeOp op) {
  return std::make_unique<CumulativeSchedule>(op);
}
