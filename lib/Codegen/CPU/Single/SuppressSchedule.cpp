//===- SuppressSchedule.cpp - Non-maximum suppression ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A list is an item. Its boxes are visited in order, and those that are kept
// are in scratch, one array for each bound and one for the areas: a box is
// compared with a vector of them at once, the best ones first, until one
// overlaps it. Behind the last one are boxes that overlap none.

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Problems/SuppressProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using Box = SuppressProblem::Box;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
/// Arrays of scratch, and bytes of an element, at most.
static constexpr int64_t kArrays = 5, kBytes = 8;

namespace {
class SuppressSchedule : public Schedule {
public:
  explicit SuppressSchedule(dhlo::SuppressOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &) override {
    problem.emplace(op, dims);
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Elements of an array of scratch: vectors that hold all boxes of a list.
  OpFoldResult getCapacity(KernelBuilder &b) {
    OpFoldResult vectors = b.ceilDiv(b.size(problem->size), b.constant(kLanes));
    return b.mul(vectors, b.constant(kLanes));
  }
  Value getArray(KernelBuilder &b, int64_t array) {
    return b.scratch(b.mul(getCapacity(b), b.constant(array * kBytes)));
  }
  /// Stores a box, or one in each lane, from number `i` on.
  void storeKept(KernelBuilder &b, OpFoldResult i, const Box &box,
                 int64_t lanes) {
    Value parts[] = {box.low[0], box.low[1], box.high[0], box.high[1],
                     box.area};
    for (auto [array, part] : llvm::enumerate(parts))
      b.store(part, getArray(b, array), i, problem->element, lanes);
  }
  Box loadKept(KernelBuilder &b, OpFoldResult i) {
    auto load = [&](int64_t array) {
      return b.load(getArray(b, array), i, problem->element, kLanes);
    };
    return {{load(0), load(1)}, {load(2), load(3)}, load(4)};
  }
  /// Boxes that overlap none.
  Box makeNothing(KernelBuilder &b) {
    double infinity = std::numeric_limits<double>::infinity();
    Value low = b.number(infinity, problem->element, kLanes);
    Value high = b.number(-infinity, problem->element, kLanes);
    return {{low, low}, {high, high}, b.number(0, problem->element, kLanes)};
  }
  /// Whether a box overlaps one of the `count` kept ones.
  Value emitSearch(KernelBuilder &b, const Box &box, Value count);
  void emitList(KernelBuilder &b, OpFoldResult list);

  dhlo::SuppressOp op;
  std::optional<SuppressProblem> problem;
};
} // namespace

Geometry SuppressSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = b.size(problem->lists);
  // A vector is compared with each box, at least.
  OpFoldResult work = b.add(
      b.mul(b.size(problem->size), b.constant(2 * kLanes)), b.constant(1));
  g.grain = b.add(b.div(b.constant(b.getCpu().grainWork), work), b.constant(1));
  g.scratchBytes = b.mul(getCapacity(b), b.constant(kArrays * kBytes));
  return g;
}

Value SuppressSchedule::emitSearch(KernelBuilder &b, const Box &box,
                                   Value count) {
  auto loop = scf::WhileOp::create(
      b, TypeRange{b.getI64Type(), b.getI1Type()},
      ValueRange{b.value(b.constant(0)), b.number(0, b.getI1Type())},
      [&](OpBuilder &, Location, ValueRange at) {
        Value isMissing =
            arith::XOrIOp::create(b, at[1], b.number(1, b.getI1Type()));
        Value goesOn = arith::AndIOp::create(
            b, isMissing, b.cmp(CmpIPredicate::slt, at[0], count));
        scf::ConditionOp::create(b, goesOn, at);
      },
      [&](OpBuilder &, Location, ValueRange at) {
        ElementEmitter e(b);
        Value found = problem->overlapsAny(e, box, loadKept(b, at[0]), kLanes);
        Value next = b.value(b.add(at[0], b.constant(kLanes)));
        scf::YieldOp::create(b, ValueRange{next, found});
      });
  return loop.getResult(1);
}

void SuppressSchedule::emitList(KernelBuilder &b, OpFoldResult list) {
  auto visit = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value count = carried[0];
    ElementEmitter e(b);
    auto keep = [&](const Box &box) -> SmallVector<Value> {
      Value isFirstLane = b.cmp(
          CmpIPredicate::eq, b.rem(count, b.constant(kLanes)), b.constant(0));
      b.ifThen(isFirstLane,
               [&] { storeKept(b, count, makeNothing(b), kLanes); });
      storeKept(b, count, box, 1);
      return {b.value(b.add(count, b.constant(1)))};
    };
    SmallVector<Value> next =
        b.valuesIf(problem->isConsidered(e, list, i, count), carried, [&] {
          ElementEmitter e(b);
          Box box = problem->readBox(e, list, i);
          Value isFree = arith::XOrIOp::create(b, emitSearch(b, box, count),
                                               b.number(1, b.getI1Type()));
          return b.valuesIf(isFree, carried, [&] { return keep(box); });
        });
    problem->store(e, list, i, b.cmp(CmpIPredicate::ne, next[0], count));
    return next;
  };
  b.loop(b.constant(0), b.size(problem->size), 1,
         ValueRange{b.value(b.constant(0))}, visit);
}

LogicalResult SuppressSchedule::emitBody(KernelBuilder &b) {
  forEachItem(
      b, {b.size(problem->lists)}, b.begin(), b.end(),
      [&](ArrayRef<OpFoldResult> coordinates) { emitList(b, coordinates[0]); });
  return success();
}

std::unique_ptr<Schedule> dyn::createSuppressSchedule(dhlo::SuppressOp op) {
  return std::make_unique<SuppressSchedule>(op);
}
