//===- SelectionSchedule.cpp - A few first elements of segments -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A segment is an item. The first elements in order so far are in scratch, and
// further ones are inserted if they come before the last of these.

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SegmentFilter.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Builder/ElementNotes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kLanes = CodegenOptions::kLanes;

namespace {
class SelectionSchedule : public Schedule {
public:
  explicit SelectionSchedule(dhlo::TopKOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &) override {
    problem.emplace(op, dims);
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  void emitSegment(ElementEmitter &e, SegmentProblem::Line line);
  /// Inserts an element at `end` or before.
  void emitInsertion(KernelBuilder &b, Value x, Value index, OpFoldResult end);

  // Keys and indices of elements take eight bytes each, whatever their type.
  Value getKey(KernelBuilder &b, OpFoldResult i) {
    return b.load(b.address(b.scratch(b.constant(0)), i, b.getI64Type()),
                  b.constant(0), getComputeType(problem->element), 1);
  }
  void setKey(KernelBuilder &b, OpFoldResult i, Value x) {
    b.store(x, b.address(b.scratch(b.constant(0)), i, b.getI64Type()),
            b.constant(0), getComputeType(problem->element), 1);
  }
  Value getIndices(KernelBuilder &b) {
    return b.scratch(b.mul(b.size(problem->count), b.constant(8)));
  }

  dhlo::TopKOp op;
  std::optional<SegmentProblem> problem;
};
} // namespace

Geometry SelectionSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = b.mul(b.size(problem->outer), b.size(problem->inner));
  OpFoldResult k = b.size(problem->count);
  OpFoldResult work = b.add(b.size(problem->size),
                            b.add(b.mul(k, b.constant(64)), b.constant(1)));
  g.grain = b.add(b.div(b.constant(b.getCpu().grainWork), work), b.constant(1));
  g.scratchBytes = b.mul(k, b.constant(16));
  return g;
}

void SelectionSchedule::emitInsertion(KernelBuilder &b, Value x, Value index,
                                      OpFoldResult end) {
  Type i64 = b.getI64Type();
  OpFoldResult one = b.constant(1);
  Value indices = getIndices(b);
  // Elements that x precedes move up by one.
  auto loop = scf::WhileOp::create(
      b, TypeRange(i64), ValueRange(b.value(end)),
      [&](OpBuilder &, Location, ValueRange at) {
        Value moves = b.ifElse(
            b.cmp(CmpIPredicate::sgt, at[0], b.constant(0)), b.getI1Type(),
            [&] {
              return problem->isBefore(b, x, getKey(b, b.sub(at[0], one)));
            },
            [&] { return b.number(0, b.getI1Type()); });
        scf::ConditionOp::create(b, moves, at);
      },
      [&](OpBuilder &, Location, ValueRange at) {
        OpFoldResult below = b.sub(at[0], one);
        setKey(b, at[0], getKey(b, below));
        b.store(b.load(indices, below, i64, 1), indices, at[0], i64, 1);
        scf::YieldOp::create(b, b.value(below));
      });
  setKey(b, loop.getResult(0), x);
  b.store(index, indices, loop.getResult(0), i64, 1);
}

void SelectionSchedule::emitSegment(ElementEmitter &e,
                                    SegmentProblem::Line line) {
  KernelBuilder &b = e.getBuilder();
  OpFoldResult n = b.size(problem->size), k = b.size(problem->count);
  OpFoldResult last = b.sub(k, b.constant(1));
  StringRef reason = "elements are compared one by one";
  b.loop(b.constant(0), k, 1,
         [&](Value i) { emitInsertion(b, problem->key(e, line, i), i, i); });
  noteElementsOfLoop(b, op, reason);
  auto insert = [&](OpFoldResult index, ValueRange bound) {
    Value x = problem->key(e, line, index);
    return b.valuesIf(problem->isBefore(b, x, bound[0]), bound,
                      [&]() -> SmallVector<Value> {
                        emitInsertion(b, x, b.value(index), last);
                        return {getKey(b, last)};
                      });
  };
  OpFoldResult rest = b.rem(b.sub(n, k), b.constant(kLanes));
  OpFoldResult middle = b.sub(n, rest);
  SmallVector<Value> bound =
      b.loop(k, middle, kLanes, getKey(b, last), [&](Value i, ValueRange old) {
        auto insertFound = [&](Value, Value found) {
          return forEachFound(b, found, old, [&](Value lane, ValueRange bound) {
            return insert(b.add(OpFoldResult(i), lane), bound);
          });
        };
        return filterVector(e, *problem, line, i, old[0], old, insertFound);
      });
  b.loop(middle, n, 1, bound,
         [&](Value i, ValueRange old) { return insert(i, old); });
  noteElementsOfLoop(b, op, reason);
  b.loop(b.constant(0), k, 1, [&](Value i) {
    problem->storeSorted(e, line, i,
                         b.load(getIndices(b), i, b.getI64Type(), 1));
  });
  noteElementsOfLoop(b, op, reason);
}

LogicalResult SelectionSchedule::emitBody(KernelBuilder &b) {
  Value hasElements =
      b.cmp(CmpIPredicate::sgt, b.size(problem->count), b.constant(0));
  b.ifThen(hasElements, [&] {
    SmallVector<OpFoldResult> extents = {b.size(problem->outer),
                                         b.size(problem->inner)};
    forEachItem(b, extents, b.begin(), b.end(),
                [&](ArrayRef<OpFoldResult> coordinates) {
                  ElementEmitter e(b);
                  emitSegment(e, {coordinates[0], coordinates[1]});
                });
  });
  return success();
}

std::unique_ptr<Schedule> dyn::createSelectionSchedule(dhlo::TopKOp op) {
  return std::make_unique<SelectionSchedule>(op);
}
