//===- GpuRowSchedule.cpp - Kernels with reductions over trailing axes ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RowPlan tells which passes go over a row. There are two versions: a row is
// the work of a warp, so that short ones keep all lanes busy, or of a block. A
// thread's part of a sum is combined with those of its warp by a butterfly, in
// which each lane ends with the same bits, and those of the warps through
// shared memory, in the order of the warps. So the order depends on the width
// alone.
//
// A row is read again by each pass, from the first-level cache if it is short.

#include "GpuSchedule.h"
#include "GpuThread.h"

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"

#include "Elements/OpEmitters.h"
#include "Schedules/Row.h"
#include "Schedules/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Up to so many elements a row is the work of a warp.
static constexpr int64_t kWarpWidth = 1024;

namespace {
class GpuRowSchedule : public GpuSchedule {
public:
  explicit GpuRowSchedule(RowPlan plan) : plan(std::move(plan)) {}

  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override;
  SmallVector<StringRef> getVersions() override { return {"$warp", "$block"}; }
  // A size that is found stays in a register.
  int32_t getLeastBlocks() override { return findsSizes ? 5 : 0; }
  OpFoldResult emitVersion(KernelBuilder &b) override;
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  OpFoldResult getRows(KernelBuilder &b) {
    OpFoldResult rows = b.constant(1);
    for (DimExpr extent : plan.rows)
      rows = b.mul(rows, b.size(extent));
    return rows;
  }
  void emitRow(KernelBuilder &b, Row &row, OpFoldResult lane);
  void emitPass(KernelBuilder &b, const RowPass &pass, Row &row,
                OpFoldResult lane);
  /// What a pass does at some columns; gives the values to reduce.
  SmallVector<Value> emitColumns(KernelBuilder &b, const RowPass &pass,
                                 Row &row, OpFoldResult column, int64_t lanes);
  /// The parts of all threads of a row in one.
  Value combineParts(KernelBuilder &b, dhlo::ReduceOp op, Value part);

  RowPlan plan;
  bool findsSizes = false;
  int64_t width = 4;   ///< elements of a thread, side by side
  int64_t threads = 0; ///< of a row
};
} // namespace

LogicalResult GpuRowSchedule::match(dlhlo::KernelOp kernel,
                                    const SymbolicDims &dims) {
  Block &block = kernel.getBody().front();
  if (failed(checkOperations(kernel)))
    return failure();
  int64_t bytes = 1;
  for (Value v : llvm::concat<Value>(
           SmallVector<Value>(block.getArguments()),
           SmallVector<Value>(block.getTerminator()->getOperands())))
    if (plan.isFull(v))
      bytes = std::max(bytes, getElementBytes(v));
  findsSizes = !block.getOps<dhlo::BindOp>().empty();
  width = std::clamp<int64_t>(CodegenOptions::kDeviceAlignment / bytes, 1, 4);
  if (!dims.isMultipleOf(plan.width, width))
    width = 1;
  return success();
}

OpFoldResult GpuRowSchedule::emitVersion(KernelBuilder &b) {
  Value isWide =
      b.cmp(CmpIPredicate::sgt, b.size(plan.width), b.constant(kWarpWidth));
  return b.select(isWide, b.constant(1), b.constant(0));
}

OpFoldResult GpuRowSchedule::emitBlocks(KernelBuilder &b, int64_t version) {
  OpFoldResult rows = getRows(b);
  return version == 1 ? rows
                      : b.ceilDiv(rows, b.constant(kBlockThreads / kWarp));
}

SmallVector<Value> GpuRowSchedule::emitColumns(KernelBuilder &b,
                                               const RowPass &pass, Row &row,
                                               OpFoldResult column,
                                               int64_t lanes) {
  ElementEmitter &e = row.emitter;
  Position position = row.position;
  position.push_back(
      {plan.width, lanes > 1 ? e.lanes(column) : e.uniform(column)});
  SmallVector<Value> values, results;
  for (dhlo::ReduceOp reduce : pass.reductions)
    values.push_back(e.emit(reduce.getOperand(), position, lanes));
  for (int64_t i : pass.results)
    results.push_back(e.emit(b.getResults()[i], position, lanes));
  for (auto [i, value] : llvm::zip_equal(pass.results, results))
    e.store(value, i, position, lanes);
  return values;
}

/// `lhs` and `rhs` of a reduction in one.
static Value combineIn(KernelBuilder &b, dhlo::ReduceOp op, Value lhs,
                       Value rhs) {
  return combine(b, op.getKind(), getElementTypeOrSelf(op.getOperand()), lhs,
                 rhs);
}

Value GpuRowSchedule::combineParts(KernelBuilder &b, dhlo::ReduceOp op,
                                   Value part) {
  GpuThread self(b);
  for (int64_t distance = kWarp / 2; distance > 0; distance /= 2)
    part = combineIn(b, op, part, self.exchange(part, distance));
  if (threads == kWarp)
    return part;
  constexpr int64_t kWarps = kBlockThreads / kWarp;
  Type type = getComputeType(getElementTypeOrSelf(op.getOperand()));
  Value parts = self.getShared(getStorageType(type), kWarps);
  OpFoldResult thread = self.getThread();
  Value isFirst =
      b.cmp(CmpIPredicate::eq, b.rem(thread, b.constant(kWarp)), b.constant(0));
  b.ifThen(isFirst, [&] {
    b.store(part, parts, b.div(thread, b.constant(kWarp)), type, 1);
  });
  self.barrier();
  Value result = b.load(parts, b.constant(0), type, 1);
  for (int64_t warp = 1; warp < kWarps; ++warp)
    result = combineIn(b, op, result, b.load(parts, b.constant(warp), type, 1));
  return result;
}

void GpuRowSchedule::emitPass(KernelBuilder &b, const RowPass &pass, Row &row,
                              OpFoldResult lane) {
  if (pass.reductions.empty() && pass.results.empty())
    return;
  SmallVector<Value> inits;
  for (dhlo::ReduceOp reduce : pass.reductions)
    inits.push_back(neutral(b, reduce.getKind(),
                            getElementTypeOrSelf(reduce.getOperand()), width));
  SmallVector<Value> parts = b.loop(
      b.mul(lane, b.constant(width)), b.size(plan.width), threads * width,
      inits, [&](Value column, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [reduce, value] : llvm::zip_equal(
                 pass.reductions, emitColumns(b, pass, row, column, width)))
          next.push_back(combineIn(b, reduce, carried[next.size()], value));
        return next;
      });
  for (auto [reduce, part] : llvm::zip_equal(pass.reductions, parts)) {
    auto join = [&, op = reduce](Value lhs, Value rhs) {
      return combineIn(b, op, lhs, rhs);
    };
    Location loc = b.getLoc();
    b.setLoc(reduce->getLoc());
    Value own = width > 1 ? combineLanes(b, part, join).front() : part;
    Value result = combineParts(b, reduce, own);
    b.setLoc(loc);
    row.emitter.provide(
        reduce->getResult(0),
        [&b, &row, result](const Position &position, int64_t lanes) -> Value {
          return isSamePosition(b, position, row.position)
                     ? b.splat(result, lanes)
                     : Value();
        });
  }
}

void GpuRowSchedule::emitRow(KernelBuilder &b, Row &row, OpFoldResult lane) {
  for (const RowPass &pass : plan.passes)
    emitPass(b, pass, row, lane);
  if (plan.rowResults.empty())
    return;
  b.ifThen(b.cmp(CmpIPredicate::eq, lane, b.constant(0)), [&] {
    for (int64_t i : plan.rowResults)
      row.emitter.store(row.emitter.emit(b.getResults()[i], row.position, 1), i,
                        row.position, 1);
  });
}

void GpuRowSchedule::emitBody(KernelBuilder &b, int64_t version) {
  threads = version == 0 ? kWarp : kBlockThreads;
  GpuThread self(b);
  OpFoldResult thread = self.getThread(), number = self.getBlock();
  if (threads == kWarp)
    number = b.add(b.mul(number, b.constant(kBlockThreads / kWarp)),
                   b.div(thread, b.constant(kWarp)));
  OpFoldResult lane = b.rem(thread, b.constant(threads));
  auto emit = [&] {
    Row row(b, plan.rows, getDigits(b, number, plan.rows), /*number=*/0);
    emitRow(b, row, lane);
  };
  // All threads of a warp go the same way, and blocks are as many as rows.
  if (threads == kWarp)
    b.ifThen(b.cmp(CmpIPredicate::slt, number, getRows(b)), emit);
  else
    emit();
}

std::unique_ptr<GpuSchedule> dyn::createGpuRowSchedule(RowPlan plan) {
  return std::make_unique<GpuRowSchedule>(std::move(plan));
}
