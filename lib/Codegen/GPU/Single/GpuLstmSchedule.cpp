//===- GpuLstmSchedule.cpp - The recurrence of an LSTM --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block computes a row of the batch in one direction; a thread computes every
// 256th unit. The hidden state is double-buffered in shared memory, so that a
// step needs only one barrier. Adjacent threads read consecutive elements of a
// row of the recurrent weights, which blocks share in the L2 cache.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Elements/ElementEmitter.h"
#include "Codegen/Common/Elements/VectorMath.h"

#include "Codegen/Common/Problems/SingleOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Units whose states fit in shared memory, and gates of a unit.
static constexpr int64_t kMaxUnits = 2048, kGates = 4;

namespace {
class GpuLstmSchedule : public GpuSchedule {
public:
  explicit GpuLstmSchedule(dhlo::LstmOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override;
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t) override {
    return b.mul(b.size(directions), b.size(batch));
  }
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  /// The row and direction of a block, and its states.
  struct Item {
    OpFoldResult direction, row;
    Value hidden, cell;
  };
  Position stateAt(ElementEmitter &e, const Item &item, OpFoldResult unit) {
    return {{directions, e.uniform(item.direction)},
            {batch, e.uniform(item.row)},
            {units, e.uniform(unit)}};
  }
  /// The index of a unit in the hidden states that step `step` reads.
  OpFoldResult hiddenAt(KernelBuilder &b, OpFoldResult step,
                        OpFoldResult unit) {
    return b.add(b.mul(b.rem(step, b.constant(2)), b.size(units)), unit);
  }
  void forUnits(KernelBuilder &b,
                llvm::function_ref<void(OpFoldResult unit)> body) {
    b.loop(GpuThread(b).getThread(), b.size(units), kBlockThreads,
           [&](Value unit) { body(unit); });
  }
  void store(ElementEmitter &e, Value tensor, Value v,
             const Position &position) {
    for (auto [i, result] : llvm::enumerate(e.getBuilder().getResults()))
      if (result == tensor)
        e.store(v, i, position, 1);
  }
  void storeHidden(ElementEmitter &e, const Item &item, OpFoldResult time,
                   OpFoldResult unit, Value v) {
    Position position = stateAt(e, item, unit);
    position.insert(position.begin(), {steps, e.uniform(time)});
    store(e, op.getHiddens(), v, position);
  }
  void emitInitialStates(KernelBuilder &b, const Item &item);
  OpFoldResult emitLength(KernelBuilder &b, const Item &item);
  void emitUnit(KernelBuilder &b, const Item &item, OpFoldResult step,
                OpFoldResult time, OpFoldResult unit);

  dhlo::LstmOp op;
  Type type; ///< as computed
  DimExpr steps, batch, directions, units, gates;
};
} // namespace

LogicalResult GpuLstmSchedule::match(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims) {
  auto recurrent = cast<RankedTensorType>(op.getRecurrent().getType());
  type = getComputeType(recurrent.getElementType());
  steps = dims.getDim(op.getGates(), 0);
  batch = dims.getDim(op.getGates(), 1);
  directions = dims.getDim(op.getRecurrent(), 0);
  units = dims.getDim(op.getRecurrent(), 1);
  gates = dims.getDim(op.getRecurrent(), 2);
  if (!dims.isAtMost(units, kMaxUnits))
    return op.emitError("no code generation for a GPU for an lstm that may "
                        "have more than ")
           << kMaxUnits << " units";
  return checkYieldsOnly(kernel, op);
}

void GpuLstmSchedule::emitInitialStates(KernelBuilder &b, const Item &item) {
  forUnits(b, [&](OpFoldResult unit) {
    ElementEmitter e(b);
    auto get = [&](Value initial) {
      return initial ? e.emit(initial, stateAt(e, item, unit), 1)
                     : b.number(0, type);
    };
    b.store(get(op.getInitialHidden()), item.hidden, unit, type, 1);
    b.store(get(op.getInitialCell()), item.cell, unit, type, 1);
  });
}

OpFoldResult GpuLstmSchedule::emitLength(KernelBuilder &b, const Item &item) {
  if (!op.getLengths())
    return b.size(steps);
  ElementEmitter e(b);
  Value length = e.emit(op.getLengths(), {{batch, e.uniform(item.row)}}, 1);
  if (!length.getType().isInteger(64))
    length = arith::ExtSIOp::create(b, b.getI64Type(), length);
  return b.max(b.min(length, b.size(steps)), b.constant(0));
}

void GpuLstmSchedule::emitUnit(KernelBuilder &b, const Item &item,
                               OpFoldResult step, OpFoldResult time,
                               OpFoldResult unit) {
  ElementEmitter e(b);
  auto column = [&](int64_t gate) {
    return b.add(b.mul(b.size(units), b.constant(gate)), unit);
  };
  SmallVector<Value> sums =
      b.loop(b.constant(0), b.size(units), 1,
             SmallVector<Value>(kGates, b.number(0, type)),
             [&](Value k, ValueRange carried) {
               Value h = b.load(item.hidden, hiddenAt(b, step, k), type, 1);
               SmallVector<Value> next;
               for (int64_t gate = 0; gate < kGates; ++gate) {
                 ElementEmitter reader(b);
                 Value weight =
                     reader.emit(op.getRecurrent(),
                                 {{directions, reader.uniform(item.direction)},
                                  {units, reader.uniform(OpFoldResult(k))},
                                  {gates, reader.uniform(column(gate))}},
                                 1);
                 next.push_back(b.fma(h, weight, carried[gate]));
               }
               return next;
             });
  auto gate = [&](int64_t number) -> Value {
    Value given = e.emit(op.getGates(),
                         {{steps, e.uniform(time)},
                          {batch, e.uniform(item.row)},
                          {directions, e.uniform(item.direction)},
                          {gates, e.uniform(column(number))}},
                         1);
    return arith::AddFOp::create(b, given, sums[number]);
  };
  Value in = vectormath::logistic(b, gate(0));
  Value out = vectormath::logistic(b, gate(1));
  Value forget = vectormath::logistic(b, gate(2));
  Value fresh = vectormath::tanh(b, gate(3));
  Value c = b.fma(forget, b.load(item.cell, unit, type, 1),
                  arith::MulFOp::create(b, in, fresh));
  Value h = arith::MulFOp::create(b, out, vectormath::tanh(b, c));
  b.store(c, item.cell, unit, type, 1);
  b.store(h, item.hidden, hiddenAt(b, b.add(step, b.constant(1)), unit), type,
          1);
  storeHidden(e, item, time, unit, h);
}

void GpuLstmSchedule::emitBody(KernelBuilder &b, int64_t version) {
  GpuThread self(b);
  int64_t most = b.getDims().getRange(units).max;
  OpFoldResult block = self.getBlock();
  Item item = {b.div(block, b.size(batch)), b.rem(block, b.size(batch)),
               self.getShared(type, 2 * most), self.getShared(type, most)};
  Value isBackward =
      op.getDirection() == dhlo::RnnDirection::Bidirectional
          ? b.cmp(CmpIPredicate::eq, item.direction, b.constant(1))
          : arith::ConstantOp::create(
                b, b.getBoolAttr(op.getDirection() ==
                                 dhlo::RnnDirection::Reverse));
  emitInitialStates(b, item);
  self.barrier();
  OpFoldResult length = emitLength(b, item);
  b.loop(b.constant(0), length, 1, [&](Value step) {
    OpFoldResult time =
        b.select(isBackward, b.sub(b.sub(length, b.constant(1)), step), step);
    forUnits(b,
             [&](OpFoldResult unit) { emitUnit(b, item, step, time, unit); });
    self.barrier();
  });
  // Results past the length of a row are zeros.
  if (op.getLengths())
    b.loop(length, b.size(steps), 1, [&](Value time) {
      forUnits(b, [&](OpFoldResult unit) {
        ElementEmitter e(b);
        storeHidden(e, item, time, unit, b.number(0, type));
      });
    });
  forUnits(b, [&](OpFoldResult unit) {
    ElementEmitter e(b);
    Position position = stateAt(e, item, unit);
    store(e, op.getLastHidden(),
          b.load(item.hidden, hiddenAt(b, length, unit), type, 1), position);
    store(e, op.getLastCell(), b.load(item.cell, unit, type, 1), position);
  });
}

std::unique_ptr<GpuSchedule> dyn::createGpuLstmSchedule(dhlo::LstmOp op) {
  return std::make_unique<GpuLstmSchedule>(op);
}
