//===- SegmentSchedule.cpp - Sorting and cumulative operations ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The operand is outer x size x inner; each pair of outer and inner index is a
// segment, and an item. Sorting is a bottom-up merge sort of indices, in two
// arrays of scratch; the few largest elements are selected by insertion.

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Builder/ElementNotes.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/SegmentProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// The maximum number of elements that are selected by insertion.
static constexpr int64_t kMaxInsertion = 64;

namespace {
class SegmentSchedule : public Schedule {
public:
  explicit SegmentSchedule(Operation *op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  using Line = SegmentProblem::Line;

  void emitCumulative(KernelBuilder &b, ElementEmitter &e, Line line);
  void emitInsertion(KernelBuilder &b, ElementEmitter &e, Line line);
  void emitSort(KernelBuilder &b, ElementEmitter &e, Line line);

  Operation *op;
  std::optional<SegmentProblem> problem;
  bool inserts = false;
};
} // namespace

LogicalResult SegmentSchedule::match(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims,
                                     const CodegenOptions &options) {
  problem.emplace(op, dims);
  inserts =
      isa<dhlo::TopKOp>(op) && dims.isAtMost(problem->count, kMaxInsertion);
  return checkYieldsOnly(kernel, op);
}

Geometry SegmentSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = b.mul(b.size(problem->outer), b.size(problem->inner));
  OpFoldResult n = b.size(problem->size);
  OpFoldResult work =
      b.max(b.mul(n, b.constant(problem->isSort() ? 64 : 8)), b.constant(1));
  g.grain = b.add(b.div(b.constant(b.getCpu().grainWork), work), b.constant(1));
  // Two arrays of indices, or keys and indices.
  g.scratchBytes =
      problem->isSort()
          ? b.mul(inserts ? b.size(problem->count) : n, b.constant(16))
          : b.constant(0);
  return g;
}

void SegmentSchedule::emitCumulative(KernelBuilder &b, ElementEmitter &e,
                                     Line line) {
  auto cumulative = cast<dhlo::CumulativeOp>(op);
  OpFoldResult n = b.size(problem->size);
  Value init = neutral(b, cumulative.getKind(), problem->element, 1);
  b.loop(b.constant(0), n, 1, init,
         [&](Value k, ValueRange carried) -> SmallVector<Value> {
           OpFoldResult i = k;
           if (cumulative.getReverse())
             i = b.sub(b.sub(n, b.constant(1)), i);
           Value next = combine(b, cumulative.getKind(), problem->element,
                                carried[0], problem->key(e, line, i));
           for (int64_t r = 0, end = b.getResults().size(); r < end; ++r)
             e.store(cumulative.getExclusive() ? carried[0] : next, r,
                     problem->at(e, line, problem->size, i), 1);
           return {next};
         });
}

void SegmentSchedule::emitInsertion(KernelBuilder &b, ElementEmitter &e,
                                    Line line) {
  Type type = getComputeType(problem->element), i64 = b.getI64Type();
  OpFoldResult k = b.size(problem->count), last = b.sub(k, b.constant(1));
  Value keys = b.scratch(b.constant(0));
  Value positions = b.scratch(b.mul(k, b.constant(8)));
  // Keys take eight bytes each, whatever their type.
  auto keyAt = [&](OpFoldResult i) {
    return b.load(b.address(keys, i, i64), b.constant(0), type, 1);
  };
  auto setKey = [&](OpFoldResult i, Value v) {
    b.store(v, b.address(keys, i, i64), b.constant(0), type, 1);
  };
  b.loop(b.constant(0), b.size(problem->size), 1, [&](Value i) {
    Value x = problem->key(e, line, i);
    Value isFree = b.cmp(CmpIPredicate::slt, i, k);
    Value enters = b.ifElse(
        isFree, b.getI1Type(),
        [&]() -> Value {
          return arith::ConstantOp::create(b, b.getBoolAttr(true));
        },
        [&]() -> Value {
          return b.ifElse(
              b.cmp(CmpIPredicate::sgt, k, b.constant(0)), b.getI1Type(),
              [&] { return problem->isBefore(b, x, keyAt(last)); },
              [&]() -> Value {
                return arith::ConstantOp::create(b, b.getBoolAttr(false));
              });
        });
    b.ifThen(enters, [&] {
      // Elements that x precedes move up by one.
      auto loop = scf::WhileOp::create(
          b, TypeRange(i64), ValueRange(b.value(b.min(i, last))),
          [&](OpBuilder &, Location, ValueRange arguments) {
            Value j = arguments[0];
            Value moves = b.ifElse(
                b.cmp(CmpIPredicate::sgt, j, b.constant(0)), b.getI1Type(),
                [&] {
                  return problem->isBefore(b, x,
                                           keyAt(b.sub(j, b.constant(1))));
                },
                [&]() -> Value {
                  return arith::ConstantOp::create(b, b.getBoolAttr(false));
                });
            scf::ConditionOp::create(b, moves, j);
          },
          [&](OpBuilder &, Location, ValueRange arguments) {
            Value j = arguments[0];
            OpFoldResult below = b.sub(j, b.constant(1));
            setKey(j, keyAt(below));
            b.store(b.load(positions, below, i64, 1), positions, j, i64, 1);
            scf::YieldOp::create(b, b.value(below));
          });
      setKey(loop.getResult(0), x);
      b.store(i, positions, loop.getResult(0), i64, 1);
    });
  });
  b.loop(b.constant(0), k, 1, [&](Value i) {
    problem->storeSorted(e, line, i, b.load(positions, i, i64, 1));
  });
}

void SegmentSchedule::emitSort(KernelBuilder &b, ElementEmitter &e, Line line) {
  Type i64 = b.getI64Type();
  OpFoldResult n = b.size(problem->size), zero = b.constant(0),
               one = b.constant(1);
  Value first = b.scratch(zero), second = b.scratch(b.mul(n, b.constant(8)));
  b.loop(zero, n, 1, [&](Value i) { b.store(i, first, i, i64, 1); });

  // Runs of 1, 2, 4, ... elements are merged in pairs, from one array to the
  // other.
  auto passes = scf::WhileOp::create(
      b, TypeRange{i64, first.getType(), first.getType()},
      ValueRange{b.value(one), first, second},
      [&](OpBuilder &, Location, ValueRange arguments) {
        scf::ConditionOp::create(b, b.cmp(CmpIPredicate::slt, arguments[0], n),
                                 arguments);
      },
      [&](OpBuilder &, Location, ValueRange arguments) {
        OpFoldResult width = arguments[0];
        Value source = arguments[1], target = arguments[2];
        OpFoldResult pairs = b.ceilDiv(n, b.mul(width, b.constant(2)));
        b.loop(zero, pairs, 1, [&](Value pair) {
          OpFoldResult low =
              b.mul(OpFoldResult(pair), b.mul(width, b.constant(2)));
          OpFoldResult middle = b.min(b.add(low, width), n);
          OpFoldResult high = b.min(b.add(middle, width), n);
          b.loop(
              low, high, 1, ValueRange{b.value(low), b.value(middle)},
              [&](Value k, ValueRange heads) -> SmallVector<Value> {
                Value i = heads[0], j = heads[1];
                // The index is clamped where a run has no element left.
                auto loadHead = [&](Value head, OpFoldResult end) {
                  return b.load(source, b.min(head, b.sub(end, one)), i64, 1);
                };
                Value x = loadHead(i, middle), y = loadHead(j, high);
                Value hasFirst = b.cmp(CmpIPredicate::slt, i, middle);
                Value hasSecond = b.cmp(CmpIPredicate::slt, j, high);
                Value secondWins = problem->isBefore(
                    b, problem->key(e, line, y), problem->key(e, line, x));
                // Equal elements come from the first run.
                Value all = arith::ConstantOp::create(b, b.getBoolAttr(true));
                Value noFirst = arith::XOrIOp::create(b, hasFirst, all);
                Value takesSecond = arith::OrIOp::create(
                    b, noFirst,
                    arith::AndIOp::create(b, hasSecond, secondWins));
                b.store(arith::SelectOp::create(b, takesSecond, y, x), target,
                        k, i64, 1);
                Value up = arith::ExtUIOp::create(b, i64, takesSecond);
                return {b.value(b.add(OpFoldResult(i),
                                      b.sub(one, OpFoldResult(up)))),
                        b.value(b.add(OpFoldResult(j), OpFoldResult(up)))};
              });
        });
        scf::YieldOp::create(b, ValueRange{b.value(b.mul(width, b.constant(2))),
                                           target, source});
      });
  Value sorted = passes.getResult(1);
  b.loop(zero, b.size(problem->count), 1, [&](Value i) {
    problem->storeSorted(e, line, i, b.load(sorted, i, i64, 1));
  });
}

LogicalResult SegmentSchedule::emitBody(KernelBuilder &b) {
  noteElements(b, b.getFunction(), op,
               problem->isSort() ? "elements are compared one by one"
                                 : "each element needs the one before");
  SmallVector<OpFoldResult> extents = {b.size(problem->outer),
                                       b.size(problem->inner)};
  forEachItem(b, extents, b.begin(), b.end(),
              [&](ArrayRef<OpFoldResult> coordinates) {
                ElementEmitter e(b);
                Line line = {coordinates[0], coordinates[1]};
                if (!problem->isSort())
                  emitCumulative(b, e, line);
                else if (inserts)
                  emitInsertion(b, e, line);
                else
                  emitSort(b, e, line);
              });
  return success();
}

std::unique_ptr<Schedule> dyn::createSegmentSchedule(Operation *op) {
  return std::make_unique<SegmentSchedule>(op);
}
