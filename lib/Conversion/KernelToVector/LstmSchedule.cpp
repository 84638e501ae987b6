//===- LstmSchedule.cpp - The recurrence of an LSTM -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An item is a row of the batch in one direction; its steps follow one another.
// A step takes the four gates of each hidden unit as dot products over input
// and hidden state, which share what they read of those, and then the
// activations of all units in vectors.

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"
#include "dyn/Conversion/KernelToVector/VectorMath.h"

#include "ItemLoop.h"
#include "OpEmitters.h"
#include "SingleSchedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

static constexpr int64_t kGates = 4;

namespace {
class LstmSchedule : public Schedule {
public:
  explicit LstmSchedule(dhlo::LstmOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  OpFoldResult slot(KernelBuilder &b, int64_t i) {
    return b.mul(b.mul(b.size(hidden), b.constant(8)), b.constant(i));
  }
  void emitItem(KernelBuilder &b, OpFoldResult d, OpFoldResult row);
  void emitGates(KernelBuilder &b, OpFoldResult d, OpFoldResult row,
                 OpFoldResult t);
  void emitUnits(KernelBuilder &b, OpFoldResult d, OpFoldResult row,
                 OpFoldResult t);
  /// Stores a value in the results that yield `tensor`.
  void store(KernelBuilder &b, ElementEmitter &e, Value tensor, Value v,
             const Position &position, int64_t lanes) {
    for (auto [i, result] : llvm::enumerate(b.getResults()))
      if (result == tensor)
        e.store(v, i, position, lanes);
  }
  Digit digit(ElementEmitter &e, DimExpr extent, OpFoldResult i,
              int64_t lanes = 1) {
    return {extent, lanes > 1 ? e.lanes(i) : e.uniform(i)};
  }

  dhlo::LstmOp op;
  Type type; // compute type
  DimExpr steps, batch, inputs, hidden, directions, gates;
};
} // namespace

// Slots of scratch, of `hidden` elements each: the state, then the gates.
static constexpr int64_t kHidden = 0, kCell = 1, kGate = 2;

LogicalResult LstmSchedule::match(dlhlo::KernelOp kernel,
                                  const SymbolicDims &dims,
                                  const CodegenOptions &options) {
  type = getComputeType(
      cast<RankedTensorType>(op.getInput().getType()).getElementType());
  steps = dims.getDim(op.getInput(), 0);
  batch = dims.getDim(op.getInput(), 1);
  inputs = dims.getDim(op.getInput(), 2);
  directions = dims.getDim(op.getRecurrent(), 0);
  gates = dims.getDim(op.getRecurrent(), 1);
  hidden = dims.getDim(op.getRecurrent(), 2);
  return checkYieldsOnly(kernel, op);
}

Geometry LstmSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = b.mul(b.size(directions), b.size(batch));
  g.grain = b.constant(1);
  g.scratchBytes = slot(b, kGate + kGates);
  OpFoldResult width = b.add(b.size(inputs), b.size(hidden));
  OpFoldResult work = b.mul(b.mul(b.size(steps), b.size(gates)), width);
  g.flops = b.mul(b.mul(g.items, work), b.constant(2));
  g.bytes = b.mul(b.mul(b.mul(b.size(directions), b.size(gates)), width),
                  b.constant(getElementBytes(op.getWeights())));
  return g;
}

void LstmSchedule::emitGates(KernelBuilder &b, OpFoldResult d, OpFoldResult row,
                             OpFoldResult t) {
  b.loop(b.constant(0), b.size(hidden), 1, [&](Value unit) {
    SmallVector<OpFoldResult> gate;
    for (int64_t g = 0; g < kGates; ++g)
      gate.push_back(
          b.add(OpFoldResult(unit), b.mul(b.size(hidden), b.constant(g))));
    ElementEmitter outer(b);
    SmallVector<Value> sums;
    for (int64_t g = 0; g < kGates; ++g)
      sums.push_back(op.getBias() ? outer.emit(op.getBias(),
                                               {digit(outer, directions, d),
                                                digit(outer, gates, gate[g])},
                                               1)
                                  : b.number(0, type));
    // The products over one of the operands, in vectors and what is left.
    auto addProducts =
        [&](Value matrix, DimExpr width,
            llvm::function_ref<Value(ElementEmitter &, OpFoldResult, int64_t)>
                x) {
          auto body = [&](int64_t lanes) {
            return [&, lanes](Value i, ValueRange carried) {
              ElementEmitter e(b);
              Value factor = x(e, i, lanes);
              SmallVector<Value> next;
              for (int64_t g = 0; g < kGates; ++g)
                next.push_back(b.fma(
                    e.emit(matrix,
                           {digit(e, directions, d), digit(e, gates, gate[g]),
                            digit(e, width, i, lanes)},
                           lanes),
                    factor, carried[g]));
              return next;
            };
          };
          constexpr int64_t kLanes = CodegenOptions::kLanes;
          OpFoldResult n = b.size(width);
          OpFoldResult full = b.sub(n, b.rem(n, b.constant(kLanes)));
          SmallVector<Value> zeros(kGates, b.number(0, type, kLanes));
          SmallVector<Value> vectors =
              b.loop(b.constant(0), full, kLanes, zeros, body(kLanes));
          sums = b.loop(full, n, 1, sums, body(1));
          for (int64_t g = 0; g < kGates; ++g)
            sums[g] = arith::AddFOp::create(
                b, sums[g],
                combineLanes(b, dhlo::ReduceKind::Sum, type, vectors[g]));
        };
    addProducts(op.getWeights(), inputs,
                [&](ElementEmitter &e, OpFoldResult i, int64_t lanes) {
                  return e.emit(op.getInput(),
                                {digit(e, steps, t), digit(e, batch, row),
                                 digit(e, inputs, i, lanes)},
                                lanes);
                });
    addProducts(op.getRecurrent(), hidden,
                [&](ElementEmitter &e, OpFoldResult i, int64_t lanes) {
                  return b.load(b.scratch(slot(b, kHidden)), i, type, lanes);
                });
    for (int64_t g = 0; g < kGates; ++g)
      b.store(sums[g], b.scratch(slot(b, kGate + g)), unit, type, 1);
  });
}

void LstmSchedule::emitUnits(KernelBuilder &b, OpFoldResult d, OpFoldResult row,
                             OpFoldResult t) {
  b.laneLoop(b.constant(0), b.size(hidden), [&](Value i, int64_t lanes) {
    ElementEmitter e(b);
    auto read = [&](int64_t k) {
      return b.load(b.scratch(slot(b, k)), i, type, lanes);
    };
    Value in = vectormath::logistic(b, read(kGate));
    Value out = vectormath::logistic(b, read(kGate + 1));
    Value forget = vectormath::logistic(b, read(kGate + 2));
    Value fresh = vectormath::tanh(b, read(kGate + 3));
    Value c = b.fma(forget, read(kCell), arith::MulFOp::create(b, in, fresh));
    Value h = arith::MulFOp::create(b, out, vectormath::tanh(b, c));
    b.store(c, b.scratch(slot(b, kCell)), i, type, lanes);
    b.store(h, b.scratch(slot(b, kHidden)), i, type, lanes);
    store(b, e, op.getHiddens(), h,
          {digit(e, steps, t), digit(e, directions, d), digit(e, batch, row),
           digit(e, hidden, i, lanes)},
          lanes);
  });
}

void LstmSchedule::emitItem(KernelBuilder &b, OpFoldResult d,
                            OpFoldResult row) {
  auto stateAt = [&](ElementEmitter &e, OpFoldResult i,
                     int64_t lanes) -> Position {
    return {digit(e, directions, d), digit(e, batch, row),
            digit(e, hidden, i, lanes)};
  };
  b.laneLoop(b.constant(0), b.size(hidden), [&](Value i, int64_t lanes) {
    ElementEmitter e(b);
    for (auto [k, initial] :
         {std::pair<int64_t, Value>(kHidden, op.getInitialHidden()),
          std::pair<int64_t, Value>(kCell, op.getInitialCell())})
      b.store(initial ? e.emit(initial, stateAt(e, i, lanes), lanes)
                      : b.number(0, type, lanes),
              b.scratch(slot(b, k)), i, type, lanes);
  });

  OpFoldResult length = b.size(steps);
  if (op.getLengths()) {
    ElementEmitter e(b);
    Value n = e.emit(op.getLengths(), {digit(e, batch, row)}, 1);
    if (!n.getType().isInteger(64))
      n = arith::ExtSIOp::create(b, b.getI64Type(), n);
    length = b.max(b.min(n, length), b.constant(0));
    // Steps past the length are zeros.
    b.loop(length, b.size(steps), 1, [&](Value t) {
      b.laneLoop(b.constant(0), b.size(hidden), [&](Value i, int64_t lanes) {
        ElementEmitter e(b);
        store(b, e, op.getHiddens(), b.number(0, type, lanes),
              {digit(e, steps, t), digit(e, directions, d),
               digit(e, batch, row), digit(e, hidden, i, lanes)},
              lanes);
      });
    });
  }
  Value isBackward = op.getDirection() == dhlo::RnnDirection::Bidirectional
                         ? b.cmp(CmpIPredicate::eq, d, b.constant(1))
                         : arith::ConstantOp::create(
                               b, b.getBoolAttr(op.getDirection() ==
                                                dhlo::RnnDirection::Reverse))
                               .getResult();
  b.loop(b.constant(0), length, 1, [&](Value step) {
    OpFoldResult t = b.select(
        isBackward, b.sub(b.sub(length, b.constant(1)), OpFoldResult(step)),
        OpFoldResult(step));
    emitGates(b, d, row, t);
    emitUnits(b, d, row, t);
  });
  b.laneLoop(b.constant(0), b.size(hidden), [&](Value i, int64_t lanes) {
    ElementEmitter e(b);
    Position position = stateAt(e, i, lanes);
    store(b, e, op.getLastHidden(),
          b.load(b.scratch(slot(b, kHidden)), i, type, lanes), position, lanes);
    store(b, e, op.getLastCell(),
          b.load(b.scratch(slot(b, kCell)), i, type, lanes), position, lanes);
  });
}

LogicalResult LstmSchedule::emitBody(KernelBuilder &b) {
  SmallVector<OpFoldResult> extents = {b.size(directions), b.size(batch)};
  forEachItem(b, extents, b.begin(), b.end(),
              [&](ArrayRef<OpFoldResult> digits) {
                emitItem(b, digits[0], digits[1]);
              });
  return success();
}

std::unique_ptr<Schedule> dyn::createLstmSchedule(dhlo::LstmOp op) {
  return std::make_unique<LstmSchedule>(op);
}
