//===- ResizeSchedule.cpp - Interpolation line by line --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A line is the last axis that changes, with all axes behind it. The lines of
// the operand that one of the result blends are blended in scratch, by
// contiguous vectors, and then the elements of that line. Their indices and
// weights along the line are the same for all lines: a table in scratch, which
// each range of items computes once.

#include "Codegen/CPU/Single/SingleSchedules.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Elements/ResizeTaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;

/// Bytes of an element in scratch, of any type.
static constexpr int64_t kBytes = 8;

namespace {
class ResizeSchedule : public Schedule {
public:
  explicit ResizeSchedule(dhlo::ResizeOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &,
                      const CodegenOptions &) override {
    return success();
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Sizes of a line, in elements.
  struct Line {
    OpFoldResult apart; ///< of adjacent positions on the axis
    OpFoldResult from, to;
    OpFoldResult points; ///< positions of the result on the axis
  };
  Line getLine(KernelBuilder &b, ResizeTaps &taps);
  /// The table of indices, in elements of a line, or of weights of tap
  /// `number`.
  Value getTable(KernelBuilder &b, const Line &line, int64_t number,
                 bool ofWeights);
  void emitTables(KernelBuilder &b, ResizeTaps &taps, const Line &line);
  /// A line of elements of type `element`.
  struct Source {
    Value buffer;
    Type element;
  };
  Source blendLines(KernelBuilder &b, ResizeTaps &taps, const Line &line,
                    ArrayRef<OpFoldResult> coordinates);
  void blendElements(KernelBuilder &b, ResizeTaps &taps, const Line &line,
                     const Source &source, ArrayRef<OpFoldResult> coordinates);

  dhlo::ResizeOp op;
  int64_t axis = 0; ///< that of the line
};
} // namespace

bool dyn::hasResizeSchedule(dhlo::ResizeOp op, const SymbolicDims &dims) {
  Type element = op.getType().getElementType();
  bool isResized = false;
  for (auto [axis, scale] : llvm::enumerate(op.getScales()))
    isResized |= (scale != 0 && scale != 1) ||
                 !dims.isEqual(dims.getDim(op.getOperand(), axis),
                               dims.getDim(op.getResult(), axis));
  return isResized && isa<BlockArgument>(op.getOperand()) &&
         element.getIntOrFloatBitWidth() >= 8 && isOnlyYielded(op);
}

ResizeSchedule::Line ResizeSchedule::getLine(KernelBuilder &b,
                                             ResizeTaps &taps) {
  axis = op.getType().getRank() - 1;
  while (!taps.isResized(axis))
    --axis;
  Line line;
  line.apart = b.constant(1);
  for (int64_t i = axis + 1; i < op.getType().getRank(); ++i)
    line.apart = b.mul(line.apart, b.size(op.getResult(), i));
  line.points = b.size(op.getResult(), axis);
  line.from = b.mul(b.size(op.getOperand(), axis), line.apart);
  line.to = b.mul(line.points, line.apart);
  return line;
}

Geometry ResizeSchedule::emitGeometry(KernelBuilder &b) {
  ResizeTaps taps(b, op);
  Line line = getLine(b, taps);
  int64_t lines = 1, count = taps.getCount();
  Geometry g;
  g.items = b.constant(1);
  for (int64_t i = 0; i < axis; ++i) {
    lines *= taps.isResized(i) ? count : 1;
    g.items = b.mul(g.items, b.size(op.getResult(), i));
  }
  OpFoldResult work = b.add(b.mul(line.from, b.constant(4 * lines)),
                            b.mul(line.to, b.constant(8 * count)));
  g.grain =
      b.add(b.div(b.constant(b.getCpu().grainWork), b.max(work, b.constant(1))),
            b.constant(1));
  OpFoldResult elements =
      b.add(line.from, b.mul(line.points, b.constant(2 * count)));
  g.scratchBytes = b.mul(elements, b.constant(kBytes));
  return g;
}

Value ResizeSchedule::getTable(KernelBuilder &b, const Line &line,
                               int64_t number, bool ofWeights) {
  OpFoldResult before =
      b.mul(line.points, b.constant(2 * number + (ofWeights ? 1 : 0)));
  return b.scratch(b.mul(b.add(line.from, before), b.constant(kBytes)));
}

void ResizeSchedule::emitTables(KernelBuilder &b, ResizeTaps &taps,
                                const Line &line) {
  b.coverLanes(b.constant(0), line.points, [&](Value i, int64_t lanes) {
    OpFoldResult point =
        lanes > 1 ? b.add(b.laneNumbers(lanes), i) : OpFoldResult(i);
    for (auto [number, tap] : llvm::enumerate(taps.get(axis, point))) {
      Value index = b.value(b.mul(tap.index, line.apart));
      b.store(b.splat(index, lanes), getTable(b, line, number, false), i,
              b.getI64Type(), lanes);
      if (tap.weight)
        b.store(b.splat(tap.weight, lanes), getTable(b, line, number, true), i,
                b.getF32Type(), lanes);
    }
  });
}

LogicalResult ResizeSchedule::emitBody(KernelBuilder &b) {
  ResizeTaps taps(b, op);
  Line line = getLine(b, taps);
  emitTables(b, taps, line);
  forEachLine(b, op.getResult(), axis, [&](ArrayRef<OpFoldResult> coordinates) {
    Source source = blendLines(b, taps, line, coordinates);
    blendElements(b, taps, line, source, coordinates);
  });
  return success();
}

ResizeSchedule::Source
ResizeSchedule::blendLines(KernelBuilder &b, ResizeTaps &taps, const Line &line,
                           ArrayRef<OpFoldResult> coordinates) {
  Type element = op.getType().getElementType();
  Value operand = b.buffer(cast<BlockArgument>(op.getOperand()).getArgNumber());
  OpFoldResult zero = b.constant(0);
  SmallVector<SmallVector<ResizeTap>> all;
  bool isResized = false;
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    isResized |= taps.isResized(i);
    all.push_back(taps.isResized(i)
                      ? taps.get(i, coordinate)
                      : SmallVector<ResizeTap>{{coordinate, Value()}});
  }
  bool isNearest = op.getMode() == dhlo::ResizeMode::Nearest;
  Type kept = isNearest                 ? element
              : isa<FloatType>(element) ? getComputeType(element)
                                        : b.getF32Type();
  if ((isNearest || !isResized) && kept == element) {
    OpFoldResult number = zero;
    for (auto [i, own] : llvm::enumerate(all))
      number = b.add(b.mul(number, b.size(op.getOperand(), i)), own[0].index);
    return {
        b.address(operand, b.mul(number, line.from), getStorageType(element)),
        element};
  }
  // The blend of line `number`, at `at`, over the axes from `i` on.
  std::function<Value(size_t, OpFoldResult, Value, int64_t)> blend =
      [&](size_t i, OpFoldResult number, Value at, int64_t lanes) -> Value {
    if (i == all.size())
      return taps.widen(
          b.load(operand, b.add(b.mul(number, line.from), at), element, lanes),
          lanes);
    Value sum;
    for (const ResizeTap &tap : all[i]) {
      OpFoldResult next =
          b.add(b.mul(number, b.size(op.getOperand(), i)), tap.index);
      sum = taps.add(sum, blend(i + 1, next, at, lanes), tap, lanes);
    }
    return sum;
  };
  b.coverLanes(zero, line.from, [&](Value at, int64_t lanes) {
    b.store(blend(0, zero, at, lanes), b.scratch(zero), at, kept, lanes);
  });
  return {b.scratch(zero), kept};
}

void ResizeSchedule::blendElements(KernelBuilder &b, ResizeTaps &taps,
                                   const Line &line, const Source &source,
                                   ArrayRef<OpFoldResult> coordinates) {
  Type element = op.getType().getElementType();
  bool isNearest = op.getMode() == dhlo::ResizeMode::Nearest;
  OpFoldResult zero = b.constant(0), number = zero;
  for (auto [i, coordinate] : llvm::enumerate(coordinates))
    number = b.add(b.mul(number, b.size(op.getResult(), i)), coordinate);
  OpFoldResult first = b.mul(number, line.to);
  // The taps of `lanes` points.
  auto load = [&](Value point, int64_t lanes) {
    SmallVector<ResizeTap> result;
    for (int64_t i = 0; i < taps.getCount(); ++i) {
      Value index =
          b.load(getTable(b, line, i, false), point, b.getI64Type(), lanes);
      Value weight = isNearest ? Value()
                               : b.load(getTable(b, line, i, true), point,
                                        b.getF32Type(), lanes);
      result.push_back({index, weight});
    }
    return result;
  };
  auto emit = [&](ArrayRef<ResizeTap> all, OpFoldResult shift, OpFoldResult to,
                  int64_t lanes) {
    Value sum;
    for (const ResizeTap &tap : all) {
      OpFoldResult at = b.add(tap.index, shift);
      Value v = KernelBuilder::isVector(at)
                    ? b.gather(source.buffer, b.value(at), source.element)
                    : b.load(source.buffer, at, source.element, lanes);
      sum = taps.add(sum, v, tap, lanes);
    }
    b.store(taps.narrow(sum, lanes), b.resultBuffer(0), b.add(first, to),
            element, lanes);
  };
  if (getConstantIntValue(line.apart) == 1)
    return b.coverLanes(zero, line.points, [&](Value i, int64_t lanes) {
      emit(load(i, lanes), zero, i, lanes);
    });
  b.loop(zero, line.points, 1, [&](Value point) {
    SmallVector<ResizeTap> all = load(point, 1);
    b.coverLanes(zero, line.apart, [&](Value i, int64_t lanes) {
      emit(all, i, b.add(b.mul(point, line.apart), i), lanes);
    });
  });
}

std::unique_ptr<Schedule> dyn::createResizeSchedule(dhlo::ResizeOp op) {
  return std::make_unique<ResizeSchedule>(op);
}
