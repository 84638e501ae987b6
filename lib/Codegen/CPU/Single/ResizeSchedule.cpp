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
// each range of items computes once. Lines that repeat each element two, four
// or eight times are shuffles of vectors and need no table.

#include "Codegen/CPU/Single/SingleSchedules.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Elements/ResizeTaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  /// How often a line repeats each element of its source, one after the other;
  /// 0 if that is not all.
  int64_t getRepeats(KernelBuilder &b, const Line &line);
  void repeatElements(KernelBuilder &b, const Line &line, Value source,
                      OpFoldResult first);

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
  if (getRepeats(b, line) == 0)
    emitTables(b, taps, line);
  forEachLine(b, op.getResult(), axis, [&](ArrayRef<OpFoldResult> coordinates) {
    Source source = blendLines(b, taps, line, coordinates);
    blendElements(b, taps, line, source, coordinates);
  });
  return success();
}

int64_t ResizeSchedule::getRepeats(KernelBuilder &b, const Line &line) {
  Type element = op.getType().getElementType();
  if (op.getMode() != dhlo::ResizeMode::Nearest ||
      getConstantIntValue(line.apart) != 1 ||
      getStorageType(element) != getComputeType(element))
    return 0;
  // Element i is at i / scale, or less than half an element beside.
  bool isCentred = op.getCoord() == dhlo::ResizeCoord::HalfPixel ||
                   op.getCoord() == dhlo::ResizeCoord::PytorchHalfPixel;
  bool isRounded = op.getRound() == dhlo::RoundMode::RoundPreferFloor ||
                   op.getRound() == dhlo::RoundMode::RoundPreferCeil;
  bool isFloor = op.getCoord() == dhlo::ResizeCoord::Asymmetric &&
                 op.getRound() == dhlo::RoundMode::Floor;
  if (!isFloor && !(isCentred && isRounded))
    return 0;
  // A power of two keeps that exact.
  double scale = op.getScales()[axis];
  dhlo::DimExpr from = b.getDims().getDim(op.getOperand(), axis);
  dhlo::DimExpr to = b.getDims().getDim(op.getResult(), axis);
  for (int64_t repeats : {2, 4, 8})
    if (scale == repeats ||
        (scale == 0 &&
         b.getDims().isEqual(
             to, dhlo::mul(from, dhlo::getConstDim(b.getContext(), repeats)))))
      return repeats;
  return 0;
}

void ResizeSchedule::repeatElements(KernelBuilder &b, const Line &line,
                                    Value source, OpFoldResult first) {
  Type element = op.getType().getElementType();
  int64_t repeats = getRepeats(b, line);
  b.coverLanes(b.constant(0), line.from, [&](Value at, int64_t lanes) {
    Value v = b.load(source, at, element, lanes);
    OpFoldResult to = b.add(first, b.mul(at, b.constant(repeats)));
    for (int64_t part = 0; part < repeats; ++part) {
      Value repeated = v;
      if (lanes > 1) {
        SmallVector<int64_t> numbers;
        for (int64_t lane = 0; lane < lanes; ++lane)
          numbers.push_back((part * lanes + lane) / repeats);
        repeated = vector::ShuffleOp::create(b, v, v, numbers);
      }
      b.store(repeated, b.resultBuffer(0), b.add(to, b.constant(part * lanes)),
              element, lanes);
    }
  });
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
  if (getRepeats(b, line) != 0)
    return repeatElements(b, line, source.buffer, first);
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
