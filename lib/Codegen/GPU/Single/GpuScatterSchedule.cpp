//===- GpuScatterSchedule.cpp - Updates at indices from data --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A thread has an element of the result and applies the updates for it in
// order, which determines the result of equal indices: no atomics,
// deterministic.
//
// scatter_nd: a block reads 256 updates at a time, a thread one of them, and
// collects those for any of its elements in a list in shared memory, in their
// order. So a block reads all indices, but only its own updates.
// scatter_elements: a thread iterates over the axis at its other indices.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/ScatterProblem.h"
#include "Codegen/Common/Problems/SingleOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {
class GpuScatterSchedule : public GpuSchedule {
public:
  explicit GpuScatterSchedule(Operation *op) : op(op), problem(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &) override {
    return checkYieldsOnly(kernel, op);
  }
  int32_t getLeastBlocks() override { return 4; }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  void emitNd(KernelBuilder &b, dhlo::ScatterNdOp scatter);
  void emitElements(KernelBuilder &b, dhlo::ScatterElementsOp scatter);
  void checkIndex(KernelBuilder &b, dhlo::ScatterElementsOp scatter,
                  OpFoldResult thread);

  Operation *op;
  ScatterProblem problem;
};

/// The updates for the rows of a block: the rows, and the indices of the
/// updates.
struct Hits {
  Value rows, updates;
};
} // namespace

OpFoldResult GpuScatterSchedule::emitBlocks(KernelBuilder &b, int64_t) {
  OpFoldResult threads = b.numElements(problem.operand());
  // Threads that own no element check that an index is in range.
  threads = b.max(threads, isa<dhlo::ScatterNdOp>(op)
                               ? b.constant(1)
                               : b.numElements(problem.indices()));
  return b.ceilDiv(threads, b.constant(kBlockThreads));
}

void GpuScatterSchedule::emitNd(KernelBuilder &b, dhlo::ScatterNdOp scatter) {
  GpuThread self(b);
  Type i64 = b.getI64Type();
  Hits hits = {self.getShared(i64, kBlockThreads),
               self.getShared(i64, kBlockThreads)};
  DimExpr rows = problem.rows(b), columns = problem.columns(b);
  OpFoldResult total = b.numElements(problem.operand()),
               width = b.size(columns);
  OpFoldResult vectors = b.size(problem.vectors(b)), one = b.constant(1);
  OpFoldResult number = self.getNumber();
  OpFoldResult first = b.mul(self.getBlock(), b.constant(kBlockThreads));
  OpFoldResult last =
      b.max(b.sub(b.min(b.add(first, b.constant(kBlockThreads)), total), one),
            b.constant(0));
  OpFoldResult top = b.div(first, width), bottom = b.div(last, width);
  OpFoldResult row = b.div(number, width), column = b.rem(number, width);
  Value isMine = b.cmp(CmpIPredicate::slt, number, total);
  ElementEmitter e(b);
  auto at = [&](DimExpr extent, OpFoldResult line) -> Position {
    return {{extent, e.uniform(line)}, {columns, e.uniform(column)}};
  };
  Type type = getComputeType(problem.element());
  Value old = b.ifElse(
      isMine, type, [&] { return e.emit(problem.operand(), at(rows, row), 1); },
      [&] { return b.number(0, type); });
  Value result = b.loop(
      b.constant(0), vectors, kBlockThreads, old,
      [&](Value start, ValueRange carried) -> SmallVector<Value> {
        OpFoldResult update = b.add(start, self.getThread());
        Value none = b.value(b.constant(-1));
        Value target = b.ifElse(
            b.cmp(CmpIPredicate::slt, update, vectors), i64,
            [&] {
              Value isInside;
              ElementEmitter reader(b);
              OpFoldResult chosen = problem.readRow(reader, update, isInside);
              // An index of length 0 selects the only row.
              return isInside ? b.value(b.select(isInside, chosen, none))
                              : b.value(chosen);
            },
            [&] { return none; });
        Value isHit =
            arith::AndIOp::create(b, b.cmp(CmpIPredicate::sge, target, top),
                                  b.cmp(CmpIPredicate::sle, target, bottom));
        GpuThread::Scan scan = self.scan(arith::ExtUIOp::create(b, i64, isHit));
        b.ifThen(isHit, [&] {
          b.store(target, hits.rows, scan.before, i64, 1);
          b.store(b.value(update), hits.updates, scan.before, i64, 1);
        });
        self.barrier();
        SmallVector<Value> next = b.loop(
            b.constant(0), scan.total, 1, carried,
            [&](Value hit, ValueRange values) -> SmallVector<Value> {
              Value isOwn =
                  b.cmp(CmpIPredicate::eq, b.load(hits.rows, hit, i64, 1), row);
              isOwn = arith::AndIOp::create(b, isOwn, isMine);
              return {b.ifElse(
                  isOwn, type,
                  [&] {
                    OpFoldResult source = b.load(hits.updates, hit, i64, 1);
                    return problem.combineUpdate(
                        b, scatter.getKind(), values[0],
                        e.emit(problem.updates(),
                               at(problem.vectors(b), source), 1));
                  },
                  [&] { return values[0]; })};
            });
        // The next updates overwrite the ones just read.
        self.barrier();
        return next;
      })[0];
  b.ifThen(isMine, [&] { e.store(result, 0, at(rows, row), 1); });
}

static Position getPosition(ElementEmitter &e, ArrayRef<DimExpr> sizes,
                            ArrayRef<OpFoldResult> coordinates) {
  Position position;
  for (auto [size, coordinate] : llvm::zip_equal(sizes, coordinates))
    position.push_back({size, e.uniform(coordinate)});
  return position;
}

void GpuScatterSchedule::checkIndex(KernelBuilder &b,
                                    dhlo::ScatterElementsOp scatter,
                                    OpFoldResult thread) {
  OpFoldResult count = b.numElements(problem.indices());
  b.ifThen(b.cmp(CmpIPredicate::slt, thread, count), [&] {
    ElementEmitter e(b);
    SmallVector<DimExpr> sizes = getSizes(b, problem.indices());
    Value isInside;
    problem.readIndex(e, getPosition(e, sizes, delinearize(b, thread, sizes)),
                      b.size(problem.operand(), scatter.getAxis()), isInside);
  });
}

void GpuScatterSchedule::emitElements(KernelBuilder &b,
                                      dhlo::ScatterElementsOp scatter) {
  OpFoldResult thread = GpuThread(b).getNumber();
  // The loop below reads only indices of segments that have an element.
  checkIndex(b, scatter, thread);
  SmallVector<DimExpr> sizes = getSizes(b, problem.operand());
  SmallVector<DimExpr> by = getSizes(b, problem.indices());
  size_t axis = scatter.getAxis();
  OpFoldResult total = b.numElements(problem.operand());
  b.ifThen(b.cmp(CmpIPredicate::slt, thread, total), [&] {
    ElementEmitter e(b);
    SmallVector<OpFoldResult> coordinates = delinearize(b, thread, sizes);
    Position own = getPosition(e, sizes, coordinates);
    // Updates may be shorter than the result along every axis.
    OpFoldResult count = b.size(by[axis]);
    for (auto [i, size] : llvm::enumerate(by))
      if (i != axis)
        count =
            b.select(b.cmp(CmpIPredicate::slt, coordinates[i], b.size(size)),
                     count, b.constant(0));
    Value result =
        b.loop(b.constant(0), count, 1, e.emit(problem.operand(), own, 1),
               [&](Value k, ValueRange carried) -> SmallVector<Value> {
                 SmallVector<OpFoldResult> from = coordinates;
                 from[axis] = k;
                 ElementEmitter reader(b);
                 Position source = getPosition(reader, by, from);
                 Value isInside;
                 OpFoldResult index = problem.readIndex(
                     reader, source, b.size(sizes[axis]), isInside);
                 return {b.ifElse(
                     b.cmp(CmpIPredicate::eq, index, coordinates[axis]),
                     carried[0].getType(),
                     [&] {
                       return problem.combineUpdate(
                           b, scatter.getKind(), carried[0],
                           reader.emit(problem.updates(), source, 1));
                     },
                     [&] { return carried[0]; })};
               })[0];
    e.store(result, 0, own, 1);
  });
}

void GpuScatterSchedule::emitBody(KernelBuilder &b, int64_t version) {
  if (auto scatter = dyn_cast<dhlo::ScatterNdOp>(op))
    emitNd(b, scatter);
  else
    emitElements(b, cast<dhlo::ScatterElementsOp>(op));
}

std::unique_ptr<GpuSchedule> dyn::createGpuScatterSchedule(Operation *op) {
  return std::make_unique<GpuScatterSchedule>(op);
}
