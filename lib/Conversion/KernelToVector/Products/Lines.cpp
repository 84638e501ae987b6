//===- Lines.cpp - Lines, blocks and padded copies of convolutions --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products/LineConvolution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kElement = 4;
/// Pixels for which a filter's panels are read at least once.
static constexpr int64_t kBlockPixels = 128;
/// Lines that a block has at least: neighbours share most of the lines that
/// are copied.
static constexpr int64_t kBlockLines = 4;

Lines::Lines(KernelBuilder &b, dhlo::ConvolutionOp op, bool padded,
             bool mergeTaps)
    : padded(padded) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  int64_t first = op.getFilterAxis(), spatial = filter.getRank() - 2 - first;
  OpFoldResult one = b.constant(1), zero = b.constant(0);
  for (LineAxis &axis : axes)
    axis = {one, one, zero, 1, 1, 1};
  for (int64_t i = 0; i < spatial; ++i) {
    LineAxis &axis = axes[3 - spatial + i];
    axis.in = b.size(op.getInput(), 1 + i);
    axis.out = b.size(op.getResult(), 1 + i);
    axis.low = b.size(cast<dhlo::DimExprAttr>(op.getLow()[i]));
    axis.window = filter.getDimSize(first + i);
    axis.stride = op.getStrides()[i];
    axis.dilation = op.getFilterDilation()[i];
  }
  batch = b.size(op.getInput(), 0);
  channels = filter.getDimSize(first + spatial) * op.getGroups();

  const auto &[planes, heights, widths] = axes;
  merged = mergeTaps && (widths.dilation == 1 || widths.window == 1);
  tapCount = planes.window * heights.window * (merged ? 1 : widths.window);
  depth = channels * (merged ? widths.window : 1);

  OpFoldResult pixels = b.max(widths.out, one);
  OpFoldResult wanted = b.max(b.constant(kBlockLines),
                              b.ceilDiv(b.constant(kBlockPixels), pixels));
  blocksPerPlane = b.ceilDiv(heights.out, wanted);
  linesPerBlock = b.ceilDiv(heights.out, blocksPerPlane);
  blocks = b.mul(batch, b.mul(planes.out, blocksPerPlane));

  // Lines and pixels that `count` lines or pixels of the result read.
  auto getReach = [&](const LineAxis &axis, OpFoldResult count) {
    return b.add(b.mul(b.sub(count, one), b.constant(axis.stride)),
                 b.constant((axis.window - 1) * axis.dilation + 1));
  };
  OpFoldResult pixelsIn = padded ? getReach(widths, pixels) : widths.in;
  OpFoldResult linesIn =
      padded ? getReach(heights, b.max(linesPerBlock, one)) : heights.in;
  lineStride = b.mul(pixelsIn, b.constant(channels));
  planeStride = b.mul(linesIn, lineStride);
  tapBytes = llvm::alignTo(tapCount * 8, 64);
  // One more vector may be read, though not used.
  OpFoldResult copied =
      padded ? b.mul(planeStride, b.constant(planes.window * kElement)) : zero;
  copyBytes = b.mul(b.ceilDiv(copied, b.constant(64)), b.constant(64));
}

OpFoldResult Lines::getScratchEnd(KernelBuilder &b) const {
  return b.add(b.constant(tapBytes), copyBytes);
}

void Lines::emitTapTable(KernelBuilder &b) const {
  Value table = b.scratch(b.constant(getTapTableOffset()));
  const auto &[planes, heights, widths] = axes;
  // The copy holds the planes that are read and no others.
  int64_t planeStep = padded ? 1 : planes.dilation;
  int64_t tap = 0;
  for (int64_t d = 0; d < planes.window; ++d)
    for (int64_t h = 0; h < heights.window; ++h)
      for (int64_t w = 0; w < (merged ? 1 : widths.window); ++w) {
        OpFoldResult offset =
            b.add(b.add(b.mul(planeStride, b.constant(d * planeStep)),
                        b.mul(lineStride, b.constant(h * heights.dilation))),
                  b.constant(w * widths.dilation * channels));
        b.store(b.value(b.mul(offset, b.constant(kElement))), table,
                b.constant(tap++), b.getI64Type(), 1);
      }
}

Lines::Block Lines::getBlock(KernelBuilder &b, OpFoldResult number) const {
  Block block;
  OpFoldResult inPlane = b.rem(number, blocksPerPlane);
  OpFoldResult plane = b.div(number, blocksPerPlane);
  block.plane = b.rem(plane, axes[0].out);
  block.image = b.div(plane, axes[0].out);
  block.firstLine = b.mul(inPlane, linesPerBlock);
  block.lineCount = b.min(linesPerBlock, b.sub(axes[1].out, block.firstLine));
  return block;
}

void Lines::setBase(KernelBuilder &b, Value input, Block &block) const {
  if (padded) {
    block.base = b.scratch(b.constant(getCopyOffset()));
    return;
  }
  OpFoldResult plane = b.add(b.mul(block.image, axes[0].in),
                             b.mul(block.plane, b.constant(axes[0].stride)));
  OpFoldResult at = b.add(
      b.mul(plane, planeStride),
      b.mul(b.mul(block.firstLine, b.constant(axes[1].stride)), lineStride));
  block.base = b.address(input, at, b.getF32Type());
}

void Lines::emitCopy(KernelBuilder &b, Packing &packing, Value input,
                     const Block &block) const {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  const auto &[planes, heights, widths] = axes;
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult c = b.constant(channels);
  Value copy = b.scratch(b.constant(getCopyOffset()));
  OpFoldResult lines =
      b.add(b.mul(b.sub(block.lineCount, one), b.constant(heights.stride)),
            b.constant((heights.window - 1) * heights.dilation + 1));
  // Elements of a line before, from and behind the input.
  OpFoldResult before = b.min(lineStride, b.mul(b.max(zero, widths.low), c));
  OpFoldResult until =
      b.max(before, b.min(lineStride, b.mul(b.add(widths.in, widths.low), c)));
  OpFoldResult skipped = b.mul(b.max(zero, b.sub(zero, widths.low)), c);

  b.loop(zero, b.constant(planes.window), 1, [&](Value d) {
    OpFoldResult plane =
        b.sub(b.add(b.mul(block.plane, b.constant(planes.stride)),
                    b.mul(d, b.constant(planes.dilation))),
              planes.low);
    b.loop(zero, lines, 1, [&](Value l) {
      OpFoldResult line =
          b.sub(b.add(b.mul(block.firstLine, b.constant(heights.stride)), l),
                heights.low);
      Value target = b.address(
          copy, b.add(b.mul(d, planeStride), b.mul(l, lineStride)), f32);
      auto inside = [&](OpFoldResult at, OpFoldResult size) {
        return Value(
            arith::AndIOp::create(b, b.cmp(CmpIPredicate::sge, at, zero),
                                  b.cmp(CmpIPredicate::slt, at, size)));
      };
      Value valid = arith::AndIOp::create(b, inside(plane, planes.in),
                                          inside(line, heights.in));
      OpFoldResult first = b.select(valid, before, lineStride);
      OpFoldResult last = b.select(valid, until, lineStride);
      OpFoldResult source = b.mul(
          b.add(b.mul(b.add(b.mul(block.image, planes.in), plane), heights.in),
                line),
          b.mul(widths.in, c));
      packing.clear(code, b.value(first), target);
      packing.copy(code, b.address(input, b.add(source, skipped), f32),
                   b.value(b.sub(last, first)), b.address(target, first, f32));
      packing.clear(code, b.value(b.sub(lineStride, last)),
                    b.address(target, last, f32));
    });
  });
}

Value Lines::getPixel(KernelBuilder &b, const Block &block, OpFoldResult line,
                      OpFoldResult pixel) const {
  OpFoldResult at =
      b.add(b.mul(b.mul(line, b.constant(axes[1].stride)), lineStride),
            b.mul(pixel, b.constant(axes[2].stride * channels)));
  return b.address(block.base, at, b.getF32Type());
}

OpFoldResult Lines::getRow(KernelBuilder &b, const Block &block,
                           OpFoldResult line, OpFoldResult pixel) const {
  OpFoldResult plane = b.add(b.mul(block.image, axes[0].out), block.plane);
  OpFoldResult row =
      b.add(b.mul(plane, axes[1].out), b.add(block.firstLine, line));
  return b.add(b.mul(row, axes[2].out), pixel);
}
