//===- LstmSchedule.cpp - The recurrence of an LSTM -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An item is a few rows of the batch in one direction; its steps are
// sequential. The cost of a step is reading the recurrent weights, a megabyte
// for a hidden size of 256, so all rows of an item share one matmul with them:
// micro-kernels on panels of 16 columns. Then the activations of all units of
// each row are computed, in vectors.
//
// Scratch of an item: the micro-kernels' tap, the hidden and cell states of its
// rows, the results of a step's matmul, and the panels, unless they are a
// constant.

#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Gemm/Packing.h"
#include "Codegen/Common/Elements/ElementEmitter.h"
#include "Codegen/Common/Elements/VectorMath.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {

/// Bytes of an f32.
constexpr int64_t kElement = 4;
/// The offset of the states, after the offset of the tap.
constexpr int64_t kStates = 64;

class LstmSchedule : public Schedule {
public:
  explicit LstmSchedule(dhlo::LstmOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Sizes of the work, computed in the same way by geometry and body.
  struct Work {
    OpFoldResult items, chunks, rowsPerChunk; ///< items: direction, chunk
    OpFoldResult panels;                      ///< of a direction's weights
    OpFoldResult stride;                      ///< row length of `dots`
    OpFoldResult cells, dots, weights, bytes; ///< offsets in scratch
  };
  Work getWork(KernelBuilder &b) const;

  /// The item that is being emitted.
  struct Item {
    const Work &work;
    OpFoldResult direction, first, rows; ///< rows of the batch
    Value isBackward;
    Value hidden, cell, dots; ///< pointers to scratch
  };
  void emitItem(KernelBuilder &b, const Work &work, OpFoldResult direction,
                OpFoldResult chunk);
  void emitInitialStates(KernelBuilder &b, const Item &item);
  void emitPackWeights(KernelBuilder &b, const Item &item);
  void emitDots(KernelBuilder &b, const Item &item, Value step);
  void emitPrefetch(KernelBuilder &b, const Item &item, Value step,
                    OpFoldResult part, OpFoldResult parts);
  void emitSimpleGemm(KernelBuilder &b, const Item &item);
  void emitStep(KernelBuilder &b, const Item &item, Value step);
  void emitUnits(KernelBuilder &b, const Item &item, OpFoldResult row,
                 OpFoldResult t);
  void emitLastStates(KernelBuilder &b, const Item &item);

  /// Calls `body` for all units, by vectors and single ones.
  void
  forUnits(KernelBuilder &b,
           llvm::function_ref<void(ElementEmitter &, Value, int64_t)> body);
  /// Position of a unit in a state, [D, B, H].
  Position stateAt(KernelBuilder &b, ElementEmitter &e, const Item &item,
                   OpFoldResult row, Value unit, int64_t lanes) {
    return {coordinate(e, directions, item.direction),
            coordinate(e, batch, b.add(item.first, row)),
            coordinate(e, hidden, unit, lanes)};
  }
  /// Position of a unit in all hidden states, [T, D, B, H].
  Position hiddenAt(KernelBuilder &b, ElementEmitter &e, const Item &item,
                    OpFoldResult row, OpFoldResult t, Value unit,
                    int64_t lanes) {
    Position position = stateAt(b, e, item, row, unit, lanes);
    position.insert(position.begin(), coordinate(e, steps, t));
    return position;
  }
  Coordinate coordinate(ElementEmitter &e, DimExpr extent, OpFoldResult i,
                        int64_t lanes = 1) {
    return {extent, lanes > 1 ? e.lanes(i) : e.uniform(i)};
  }
  /// Stores a value to the results that yield `tensor`.
  void store(KernelBuilder &b, ElementEmitter &e, Value tensor, Value v,
             const Position &position, int64_t lanes) {
    for (auto [i, result] : llvm::enumerate(b.getResults()))
      if (result == tensor)
        e.store(v, i, position, lanes);
  }
  /// The index of a row's element in scratch.
  OpFoldResult at(KernelBuilder &b, OpFoldResult row, OpFoldResult width,
                  OpFoldResult i) {
    return b.add(b.mul(row, width), i);
  }
  dhlo::LstmOp op;
  Type type; // compute type
  bool usesMicroKernels = false, isPacked = false;
  DimExpr steps, batch, hidden, directions, gates;
  std::optional<MicroKernels> microKernels;
  std::optional<Packing> packing;
};

} // namespace

LogicalResult LstmSchedule::match(dlhlo::KernelOp kernel,
                                  const SymbolicDims &dims,
                                  const CodegenOptions &options) {
  auto recurrent = cast<RankedTensorType>(op.getRecurrent().getType());
  type = getComputeType(recurrent.getElementType());
  usesMicroKernels = recurrent.getElementType().isF32();
  isPacked = isa_and_nonnull<dlhlo::PackedAttr>(recurrent.getEncoding());
  steps = dims.getDim(op.getGates(), 0);
  batch = dims.getDim(op.getGates(), 1);
  directions = dims.getDim(op.getRecurrent(), 0);
  hidden = dims.getDim(op.getRecurrent(), 1);
  gates = dims.getDim(op.getRecurrent(), 2);
  microKernels.emplace(kernel->getParentOp(), options.target.cpu.registers);
  packing.emplace(kernel->getParentOp(), options.isa());
  return checkYieldsOnly(kernel, op);
}

LstmSchedule::Work LstmSchedule::getWork(KernelBuilder &b) const {
  const TileShapes &shapes = microKernels->getShapes();
  Work work;
  work.chunks = b.ceilDiv(b.size(batch), b.constant(shapes.maxSingle));
  work.rowsPerChunk = b.ceilDiv(b.size(batch), work.chunks);
  work.items = b.mul(b.size(directions), work.chunks);
  work.panels = b.ceilDiv(b.size(gates), b.constant(kPanelWidth));

  // A tile may be wider than a small matmul.
  OpFoldResult allocated = b.max(work.panels, b.constant(shapes.maxPanels()));
  work.stride = b.mul(allocated, b.constant(kPanelWidth));
  int64_t element = type.isF64() ? 2 * kElement : kElement;
  OpFoldResult rowBytes = b.constant(shapes.maxSingle * element);
  OpFoldResult stateBytes = b.mul(rowBytes, b.size(hidden));
  work.cells = b.add(b.constant(kStates), stateBytes);
  work.dots = b.add(work.cells, stateBytes);
  work.weights = b.add(work.dots, b.mul(rowBytes, work.stride));
  work.bytes = work.weights;
  if (usesMicroKernels && !isPacked)
    work.bytes = b.add(work.weights, b.mul(b.mul(work.stride, b.size(hidden)),
                                           b.constant(kElement)));
  return work;
}

Geometry LstmSchedule::emitGeometry(KernelBuilder &b) {
  Work work = getWork(b);
  return {work.items, b.constant(1), work.bytes};
}

void LstmSchedule::forUnits(
    KernelBuilder &b,
    llvm::function_ref<void(ElementEmitter &, Value, int64_t)> body) {
  b.laneLoop(b.constant(0), b.size(hidden), [&](Value unit, int64_t lanes) {
    ElementEmitter e(b);
    body(e, unit, lanes);
  });
}

//===----------------------------------------------------------------------===//
// Matmul with the recurrent weights
//===----------------------------------------------------------------------===//

void LstmSchedule::emitPackWeights(KernelBuilder &b, const Item &item) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  OpFoldResult depth = b.size(hidden), width = b.size(gates);
  Value recurrent =
      b.buffer(cast<BlockArgument>(op.getRecurrent()).getArgNumber());
  Value matrix =
      b.address(recurrent, b.mul(item.direction, b.mul(depth, width)), f32);
  Value panels = b.scratch(item.work.weights);
  Value stride = b.value(b.mul(width, b.constant(kElement)));
  b.loop(b.constant(0), item.work.panels, 1, [&](Value panel) {
    OpFoldResult column = b.mul(panel, b.constant(kPanelWidth));
    OpFoldResult columns = b.min(b.constant(kPanelWidth), b.sub(width, column));
    Value target = b.address(panels, b.mul(column, depth), f32);
    packing->panelFromRows(code, b.address(matrix, column, f32), stride,
                           b.value(depth), b.value(columns), target);
  });
}

/// Prefetches a part of the gates of a step, which are read once, after its
/// matmul.
void LstmSchedule::emitPrefetch(KernelBuilder &b, const Item &item, Value step,
                                OpFoldResult part, OpFoldResult parts) {
  auto argument = dyn_cast<BlockArgument>(op.getGates());
  if (!argument)
    return;
  constexpr int64_t kLine = CpuInfo::kLineBytes / kElement;
  CodeBuilder code(b, b.getLoc());
  OpFoldResult last = b.sub(b.size(steps), b.constant(1));
  OpFoldResult t = b.select(item.isBackward, b.sub(last, step), step);
  OpFoldResult first = b.add(b.mul(t, b.size(batch)), item.first);
  OpFoldResult width = b.size(gates);
  auto getColumn = [&](OpFoldResult number) {
    OpFoldResult lines = b.ceilDiv(width, b.constant(kLine));
    return b.mul(b.div(b.mul(lines, number), parts), b.constant(kLine));
  };
  OpFoldResult begin = getColumn(part),
               end = getColumn(b.add(part, b.constant(1)));
  b.loop(b.constant(0), item.rows, 1, [&](Value row) {
    OpFoldResult line =
        b.add(b.mul(b.add(first, row), b.size(directions)), item.direction);
    b.loop(begin, end, kLine, [&](Value column) {
      code.prefetch(b.address(b.buffer(argument.getArgNumber()),
                              b.add(b.mul(line, width), column),
                              b.getF32Type()),
                    /*forWrite=*/false, /*level=*/2);
    });
  });
}

void LstmSchedule::emitDots(KernelBuilder &b, const Item &item, Value step) {
  Type f32 = b.getF32Type();
  const TileShapes &shapes = microKernels->getShapes();
  int64_t most = std::min(shapes.maxSingle, b.getDims().getRange(batch).max);
  RowTiles tile(b, shapes, item.rows, 1, std::max<int64_t>(1, most),
                getPanelLimit(b.getDims(), gates));
  OpFoldResult panelSize = b.mul(b.size(hidden), b.constant(kPanelWidth));
  Value panels = b.scratch(item.work.weights);
  if (isPacked) {
    OpFoldResult matrix =
        b.mul(item.direction, b.mul(item.work.panels, panelSize));
    Value buffer =
        b.buffer(cast<BlockArgument>(op.getRecurrent()).getArgNumber());
    panels = b.address(buffer, matrix, f32);
  }
  MicroKernelCall call;
  call.a = item.hidden;
  call.rowStride = b.value(b.mul(b.size(hidden), b.constant(kElement)));
  call.taps = b.scratch(b.constant(0));
  call.tapCount = b.indexConstant(1);
  call.depth = b.value(b.size(hidden));
  call.panelStride = b.value(b.mul(panelSize, b.constant(kElement)));
  call.cStride = b.value(b.mul(item.work.stride, b.constant(kElement)));
  OpFoldResult groups = b.ceilDiv(item.work.panels, tile.panels);
  b.loop(b.constant(0), groups, 1, [&](Value group) {
    emitPrefetch(b, item, step, group, groups);
    OpFoldResult start =
        tile.getGroupStart(b, b.mul(group, tile.panels), item.work.panels);
    call.b = b.address(panels, b.mul(start, panelSize), f32);
    call.c = b.address(item.dots, b.mul(start, b.constant(kPanelWidth)), f32);
    tile.multiply(b, *microKernels, item.rows, call);
  });
}

void LstmSchedule::emitSimpleGemm(KernelBuilder &b, const Item &item) {
  b.loop(b.constant(0), item.rows, 1, [&](Value row) {
    b.laneLoop(b.constant(0), b.size(gates), [&](Value column, int64_t lanes) {
      SmallVector<Value> sum = b.loop(
          b.constant(0), b.size(hidden), 1,
          ValueRange{b.number(0, type, lanes)},
          [&](Value k, ValueRange carried) {
            ElementEmitter e(b);
            Value weight = e.emit(op.getRecurrent(),
                                  {coordinate(e, directions, item.direction),
                                   coordinate(e, hidden, k),
                                   coordinate(e, gates, column, lanes)},
                                  lanes);
            Value h =
                b.load(item.hidden, at(b, row, b.size(hidden), k), type, 1);
            return SmallVector<Value>{
                b.fma(b.splat(h, lanes), weight, carried[0])};
          });
      b.store(sum[0], item.dots, at(b, row, item.work.stride, column), type,
              lanes);
    });
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void LstmSchedule::emitUnits(KernelBuilder &b, const Item &item,
                             OpFoldResult row, OpFoldResult t) {
  forUnits(b, [&](ElementEmitter &e, Value unit, int64_t lanes) {
    auto gate = [&](int64_t g) {
      OpFoldResult column =
          b.add(OpFoldResult(unit), b.mul(b.size(hidden), b.constant(g)));
      Value given = e.emit(op.getGates(),
                           {coordinate(e, steps, t),
                            coordinate(e, batch, b.add(item.first, row)),
                            coordinate(e, directions, item.direction),
                            coordinate(e, gates, column, lanes)},
                           lanes);
      Value dot =
          b.load(item.dots, at(b, row, item.work.stride, column), type, lanes);
      return arith::AddFOp::create(b, given, dot).getResult();
    };
    Value in = vectormath::logistic(b, gate(0));
    Value out = vectormath::logistic(b, gate(1));
    Value forget = vectormath::logistic(b, gate(2));
    Value fresh = vectormath::tanh(b, gate(3));
    OpFoldResult i = at(b, row, b.size(hidden), unit);
    Value c = b.fma(forget, b.load(item.cell, i, type, lanes),
                    arith::MulFOp::create(b, in, fresh));
    Value h = arith::MulFOp::create(b, out, vectormath::tanh(b, c));
    b.store(c, item.cell, i, type, lanes);
    b.store(h, item.hidden, i, type, lanes);
    store(b, e, op.getHiddens(), h, hiddenAt(b, e, item, row, t, unit, lanes),
          lanes);
  });
}

void LstmSchedule::emitStep(KernelBuilder &b, const Item &item, Value step) {
  if (usesMicroKernels)
    emitDots(b, item, step);
  else
    emitSimpleGemm(b, item);
  b.loop(b.constant(0), item.rows, 1, [&](Value row) {
    OpFoldResult length = b.size(steps);
    if (op.getLengths()) {
      ElementEmitter e(b);
      Value n = e.emit(op.getLengths(),
                       {coordinate(e, batch, b.add(item.first, row))}, 1);
      if (!n.getType().isInteger(64))
        n = arith::ExtSIOp::create(b, b.getI64Type(), n);
      length = b.max(b.min(n, length), b.constant(0));
    }
    OpFoldResult t = b.select(item.isBackward,
                              b.sub(b.sub(length, b.constant(1)), step), step);
    if (!op.getLengths()) {
      emitUnits(b, item, row, t);
      return;
    }
    // Past its length a row's state is unchanged, and its results are zeros.
    auto clear = [&] {
      forUnits(b, [&](ElementEmitter &e, Value unit, int64_t lanes) {
        store(b, e, op.getHiddens(), b.number(0, type, lanes),
              hiddenAt(b, e, item, row, step, unit, lanes), lanes);
      });
    };
    b.ifThen(
        b.cmp(CmpIPredicate::slt, step, length),
        [&] { emitUnits(b, item, row, t); }, clear);
  });
}

void LstmSchedule::emitInitialStates(KernelBuilder &b, const Item &item) {
  b.loop(b.constant(0), item.rows, 1, [&](Value row) {
    forUnits(b, [&](ElementEmitter &e, Value unit, int64_t lanes) {
      for (auto [initial, state] :
           {std::pair<Value, Value>(op.getInitialHidden(), item.hidden),
            {op.getInitialCell(), item.cell}})
        b.store(initial ? e.emit(initial, stateAt(b, e, item, row, unit, lanes),
                                 lanes)
                        : b.number(0, type, lanes),
                state, at(b, row, b.size(hidden), unit), type, lanes);
    });
  });
}

void LstmSchedule::emitLastStates(KernelBuilder &b, const Item &item) {
  b.loop(b.constant(0), item.rows, 1, [&](Value row) {
    forUnits(b, [&](ElementEmitter &e, Value unit, int64_t lanes) {
      OpFoldResult i = at(b, row, b.size(hidden), unit);
      Position position = stateAt(b, e, item, row, unit, lanes);
      store(b, e, op.getLastHidden(), b.load(item.hidden, i, type, lanes),
            position, lanes);
      store(b, e, op.getLastCell(), b.load(item.cell, i, type, lanes), position,
            lanes);
    });
  });
}

void LstmSchedule::emitItem(KernelBuilder &b, const Work &work,
                            OpFoldResult direction, OpFoldResult chunk) {
  OpFoldResult first = b.mul(chunk, work.rowsPerChunk);
  OpFoldResult rows = b.min(work.rowsPerChunk, b.sub(b.size(batch), first));
  Value isBackward = op.getDirection() == dhlo::RnnDirection::Bidirectional
                         ? b.cmp(CmpIPredicate::eq, direction, b.constant(1))
                         : arith::ConstantOp::create(
                               b, b.getBoolAttr(op.getDirection() ==
                                                dhlo::RnnDirection::Reverse))
                               .getResult();
  Item item{work,
            direction,
            first,
            rows,
            isBackward,
            b.scratch(b.constant(kStates)),
            b.scratch(work.cells),
            b.scratch(work.dots)};
  emitInitialStates(b, item);
  if (usesMicroKernels && !isPacked)
    emitPackWeights(b, item);
  b.loop(b.constant(0), b.size(steps), 1,
         [&](Value step) { emitStep(b, item, step); });
  emitLastStates(b, item);
}

LogicalResult LstmSchedule::emitBody(KernelBuilder &b) {
  Work work = getWork(b);
  // A matmul has one tap, at offset 0.
  b.store(b.indexConstant(0), b.scratch(b.constant(0)), b.constant(0),
          b.getI64Type(), 1);
  b.loop(b.begin(), b.end(), 1, [&](Value item) {
    emitItem(b, work, b.div(item, work.chunks), b.rem(item, work.chunks));
  });
  return success();
}

std::unique_ptr<Schedule> dyn::createLstmSchedule(dhlo::LstmOp op) {
  return std::make_unique<LstmSchedule>(op);
}
