//===- Lines.cpp - Image rows, blocks and copies --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Convolution/Lines.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kElement = 4;
/// The minimum number of image rows of a block: adjacent ones share most of the
/// rows that are copied.
static constexpr int64_t kBlockLines = 4;

Lines::Lines(KernelBuilder &b, dhlo::Convolves op, bool padded,
             const TileShapes *shapes)
    : padded(padded), joins(Joins::Never) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  dhlo::ConvolutionAxes at(op);
  OpFoldResult one = b.constant(1), zero = b.constant(0);
  for (LineAxis &axis : axes)
    axis = {one, one, zero, 1, 1, 1};
  for (int64_t i = 0; i < at.spatial; ++i) {
    LineAxis &axis = axes[3 - at.spatial + i];
    axis.in = b.size(op.getInput(), at.firstSpatial + i);
    axis.out = b.size(op.getResult(), at.firstSpatial + i);
    axis.low = b.size(cast<dhlo::DimExprAttr>(op.getLow()[i]));
    axis.window = filter.getDimSize(at.filterSpatial + i);
    axis.stride = op.getStrides()[i];
    axis.dilation = op.getFilterDilation()[i];
  }
  batch = b.size(op.getInput(), 0);
  int64_t groupChannels = filter.getDimSize(at.filterChannel);
  channels = groupChannels * op.getGroups();

  const auto &[planes, heights, widths] = axes;
  // Between the channels of a group at adjacent pixels are those of others.
  merged = widths.window == 1 || (widths.dilation == 1 && op.getGroups() == 1);
  tapCount = planes.window * heights.window * (merged ? 1 : widths.window);
  depth = groupChannels * (merged ? widths.window : 1);

  pixels = b.mul(b.mul(batch, planes.out), b.mul(heights.out, widths.out));
  inputPixels = b.mul(b.mul(batch, planes.in), b.mul(heights.in, widths.in));
  OpFoldResult width = b.max(widths.out, one);
  OpFoldResult wanted =
      b.max(b.constant(kBlockLines),
            b.ceilDiv(b.constant(b.getCpu().convolutionBlockPixels), width));
  blocksPerPlane = b.ceilDiv(heights.out, wanted);
  linesPerBlock = b.ceilDiv(heights.out, blocksPerPlane);
  blocks = b.mul(batch, b.mul(planes.out, blocksPerPlane));

  // Input rows and pixels that `count` rows or pixels of the result read.
  auto getReach = [&](const LineAxis &axis, OpFoldResult count) {
    return b.add(b.mul(b.sub(count, one), b.constant(axis.stride)),
                 b.constant((axis.window - 1) * axis.dilation + 1));
  };
  linePixels = padded ? getReach(widths, width) : widths.in;
  OpFoldResult linesIn =
      padded ? getReach(heights, b.max(linesPerBlock, one)) : heights.in;
  lineStride = b.mul(linePixels, b.constant(channels));
  planeStride = b.mul(linesIn, lineStride);
  tapBytes = llvm::alignTo(tapCount * 8, 64);
  // One more vector may be read, though not used.
  OpFoldResult copied =
      padded ? b.mul(planeStride, b.constant(planes.window * kElement)) : zero;
  copyBytes = b.mul(b.ceilDiv(copied, b.constant(64)), b.constant(64));

  pixelStride = b.constant(widths.stride * channels);
  blockPixels = widths.out;
  auto type = cast<RankedTensorType>(op.getType());
  auto range = b.getDims().getRange(dhlo::getDim(type, type.getRank() - 2));
  minPixels = std::max<int64_t>(0, range.min);
  maxPixels = range.max;
  if (shapes && minPixels <= shapes->slowRows)
    join(b, *shapes);
}

/// Joins rows of so few pixels that they would wait for the filter, which each
/// row reads again.
void Lines::join(KernelBuilder &b, const TileShapes &shapes) {
  const auto &[planes, heights, widths] = axes;
  joins = maxPixels <= shapes.slowRows ? Joins::Always : Joins::Depends;
  if (joins == Joins::Depends)
    isJoined =
        b.cmp(CmpIPredicate::sle, widths.out, b.constant(shapes.slowRows));

  const CpuInfo &cpu = b.getCpu();
  gatheredLength = channels * (merged ? widths.window : 1);
  if (sharesSets(cpu, gatheredLength * kElement))
    gatheredLength += kRowGap / kElement;
  int64_t pixelBytes = tapCount * gatheredLength * kElement;
  // Half of the L2 cache, beside the filter's panels. If there are several
  // blocks, each has enough rows for the largest tiles.
  int64_t least = 2 * shapes.rowLimit();
  int64_t most = std::clamp(cpu.l2Bytes / 2 / pixelBytes, least,
                            std::max(cpu.convolutionBlockPixels, least));
  OpFoldResult parts = b.ceilDiv(pixels, b.constant(most));
  OpFoldResult perPart = b.ceilDiv(pixels, b.max(parts, b.constant(1)));
  tapStride = b.mul(perPart, b.constant(gatheredLength));
  OpFoldResult lines =
      b.ceilDiv(b.mul(perPart, b.constant(pixelBytes)), b.constant(64));

  blocks = choose(b, parts, blocks);
  linesPerBlock = choose(b, b.constant(1), linesPerBlock);
  blockPixels = choose(b, perPart, blockPixels);
  pixelStride = choose(b, b.constant(gatheredLength), pixelStride);
  copyBytes = choose(b, b.mul(lines, b.constant(64)), copyBytes);
  minPixels = 0;
  maxPixels = std::max(maxPixels, most);
}

OpFoldResult Lines::choose(KernelBuilder &b, OpFoldResult joined,
                           OpFoldResult apart) const {
  if (joins == Joins::Depends)
    return b.select(isJoined, joined, apart);
  return joins == Joins::Always ? joined : apart;
}

OpFoldResult Lines::getScratchEnd(KernelBuilder &b) const {
  return b.add(b.constant(tapBytes), copyBytes);
}

void Lines::emitTapTable(KernelBuilder &b) const {
  Value table = b.scratch(b.constant(getTapTableOffset()));
  const auto &[planes, heights, widths] = axes;
  // The copy holds only the planes that are read.
  int64_t planeStep = padded ? 1 : planes.dilation;
  int64_t tap = 0;
  for (int64_t d = 0; d < planes.window; ++d)
    for (int64_t h = 0; h < heights.window; ++h)
      for (int64_t w = 0; w < (merged ? 1 : widths.window); ++w) {
        OpFoldResult offset =
            b.add(b.add(b.mul(planeStride, b.constant(d * planeStep)),
                        b.mul(lineStride, b.constant(h * heights.dilation))),
                  b.constant(w * widths.dilation * channels));
        if (joins != Joins::Never)
          offset = choose(b, b.mul(tapStride, b.constant(tap)), offset);
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
  OpFoldResult line = b.add(
      b.mul(b.add(b.mul(block.image, axes[0].out), block.plane), axes[1].out),
      block.firstLine);
  block.row = b.mul(line, axes[2].out);
  block.pixels = axes[2].out;
  if (joins == Joins::Never)
    return block;
  OpFoldResult first = getPartStart(b, number, pixels, blocks);
  OpFoldResult next =
      getPartStart(b, b.add(number, b.constant(1)), pixels, blocks);
  block.row = choose(b, first, block.row);
  block.lineCount = choose(b, b.constant(1), block.lineCount);
  block.pixels = choose(b, b.sub(next, first), block.pixels);
  return block;
}

void Lines::setBase(KernelBuilder &b, Value input, Block &block) const {
  Value copy = b.scratch(b.constant(getCopyOffset()));
  block.base = copy;
  if (padded || joins == Joins::Always)
    return;
  OpFoldResult plane = b.add(b.mul(block.image, axes[0].in),
                             b.mul(block.plane, b.constant(axes[0].stride)));
  OpFoldResult at = b.add(
      b.mul(plane, planeStride),
      b.mul(b.mul(block.firstLine, b.constant(axes[1].stride)), lineStride));
  block.base = b.address(input, at, b.getF32Type());
  if (joins == Joins::Depends)
    block.base = arith::SelectOp::create(b, isJoined, copy, block.base);
}

void Lines::emitCopy(KernelBuilder &b, Packing &packing, Value input,
                     const Block &block, bool leavesOut) const {
  auto gather = [&] { emitGathered(b, packing, input, block); };
  auto pad = [&] { emitPadded(b, packing, input, block, leavesOut); };
  if (joins == Joins::Always)
    return gather();
  if (joins == Joins::Depends)
    return padded ? b.ifThen(isJoined, gather, pad)
                  : b.ifThen(isJoined, gather);
  if (padded)
    pad();
}

void Lines::emitPadded(KernelBuilder &b, Packing &packing, Value input,
                       const Block &block, bool leavesOut) const {
  const auto &[planes, heights, widths] = axes;
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  Value copy = b.scratch(b.constant(getCopyOffset()));
  OpFoldResult lines =
      b.add(b.mul(b.sub(block.lineCount, one), b.constant(heights.stride)),
            b.constant((heights.window - 1) * heights.dilation + 1));
  // Pixels of the copy's row that are read.
  OpFoldResult first = zero, count = linePixels;
  if (leavesOut && !merged) {
    Taps along = getTapsAlong(b);
    OpFoldResult dilation = b.constant(widths.dilation);
    OpFoldResult steps = b.sub(b.sub(along.upper, along.lower), one);
    OpFoldResult reach =
        b.add(b.mul(steps, dilation),
              b.mul(b.sub(widths.out, one), b.constant(widths.stride)));
    first = b.mul(along.lower, dilation);
    count = b.max(zero, b.add(reach, one));
  }
  b.loop(zero, b.constant(planes.window), 1, [&](Value d) {
    OpFoldResult plane =
        b.sub(b.add(b.mul(block.plane, b.constant(planes.stride)),
                    b.mul(d, b.constant(planes.dilation))),
              planes.low);
    b.loop(zero, lines, 1, [&](Value l) {
      OpFoldResult line =
          b.sub(b.add(b.mul(block.firstLine, b.constant(heights.stride)), l),
                heights.low);
      OpFoldResult at =
          b.add(b.add(b.mul(d, planeStride), b.mul(l, lineStride)),
                b.mul(first, b.constant(channels)));
      auto span = [&] {
        emitSpan(b, packing, input,
                 {block.image, plane, line, b.sub(first, widths.low)}, count,
                 b.address(copy, at, b.getF32Type()));
      };
      if (!leavesOut)
        return span();
      b.ifThen(b.cmp(CmpIPredicate::ult, plane, planes.in), [&] {
        b.ifThen(b.cmp(CmpIPredicate::ult, line, heights.in), span);
      });
    });
  });
}

void Lines::emitGathered(KernelBuilder &b, Packing &packing, Value input,
                         const Block &block) const {
  const auto &[planes, heights, widths] = axes;
  Value gathered = b.scratch(b.constant(getCopyOffset()));
  OpFoldResult zero = b.constant(0);
  // Taps along an image row, and pixels of the input that each of them reads.
  int64_t taps = merged ? 1 : widths.window;
  OpFoldResult reach = b.constant(merged ? widths.window : 1);
  auto getInput = [&](const LineAxis &axis, OpFoldResult out, Value tap) {
    return b.sub(b.add(b.mul(out, b.constant(axis.stride)),
                       b.mul(tap, b.constant(axis.dilation))),
                 axis.low);
  };
  b.loop(zero, block.pixels, 1, [&](Value i) {
    OpFoldResult row = b.add(block.row, i);
    OpFoldResult line = b.div(row, widths.out);
    OpFoldResult plane = b.div(line, heights.out);
    OpFoldResult image = b.div(plane, planes.out);
    OpFoldResult pixel = b.rem(row, widths.out);
    line = b.rem(line, heights.out);
    plane = b.rem(plane, planes.out);
    b.loop(zero, b.constant(planes.window), 1, [&](Value d) {
      b.loop(zero, b.constant(heights.window), 1, [&](Value h) {
        b.loop(zero, b.constant(taps), 1, [&](Value w) {
          OpFoldResult above = b.add(b.mul(d, b.constant(heights.window)), h);
          OpFoldResult tap = b.add(b.mul(above, b.constant(taps)), w);
          OpFoldResult at = b.add(b.mul(tap, tapStride),
                                  b.mul(i, b.constant(gatheredLength)));
          emitSpan(b, packing, input,
                   {image, getInput(planes, plane, d),
                    getInput(heights, line, h), getInput(widths, pixel, w)},
                   reach, b.address(gathered, at, b.getF32Type()));
        });
      });
    });
  });
}

void Lines::emitSpan(KernelBuilder &b, Packing &packing, Value input,
                     const Pixel &from, OpFoldResult count,
                     Value target) const {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  const auto &[planes, heights, widths] = axes;
  OpFoldResult zero = b.constant(0), c = b.constant(channels);
  auto inside = [&](OpFoldResult at, OpFoldResult size) {
    return Value(arith::AndIOp::create(b, b.cmp(CmpIPredicate::sge, at, zero),
                                       b.cmp(CmpIPredicate::slt, at, size)));
  };
  Value valid = arith::AndIOp::create(b, inside(from.plane, planes.in),
                                      inside(from.line, heights.in));
  // Pixels before the input, and before its end.
  OpFoldResult before = b.min(count, b.max(zero, b.sub(zero, from.pixel)));
  OpFoldResult until =
      b.max(before, b.min(count, b.sub(widths.in, from.pixel)));
  OpFoldResult first = b.mul(b.select(valid, before, count), c);
  OpFoldResult last = b.mul(b.select(valid, until, count), c);
  OpFoldResult line =
      b.add(b.mul(b.add(b.mul(from.image, planes.in), from.plane), heights.in),
            from.line);
  OpFoldResult source =
      b.mul(b.add(b.mul(line, widths.in), b.add(from.pixel, before)), c);
  packing.clear(code, b.value(first), target);
  packing.copy(code, b.address(input, source, f32), b.value(b.sub(last, first)),
               b.address(target, first, f32));
  packing.clear(code, b.value(b.sub(b.mul(count, c), last)),
                b.address(target, last, f32));
}

Value Lines::getPixel(KernelBuilder &b, const Block &block, OpFoldResult line,
                      OpFoldResult pixel) const {
  OpFoldResult at =
      b.add(b.mul(b.mul(line, b.constant(axes[1].stride)), lineStride),
            b.mul(pixel, pixelStride));
  return b.address(block.base, at, b.getF32Type());
}

OpFoldResult Lines::getRow(KernelBuilder &b, const Block &block,
                           OpFoldResult line, OpFoldResult pixel) const {
  return b.add(block.row, b.add(b.mul(line, axes[2].out), pixel));
}

bool Lines::mayLeaveOut() const {
  // Volumes have few planes, often, also those whose planes are lines.
  bool isOfVolume =
      axes[0].window > 1 || (axes[1].window > 1 && axes[2].window == 1);
  return padded && (isOfVolume || llvm::any_of(axes, [](const LineAxis &axis) {
                      return axis.dilation > 1 && axis.window > 1;
                    }));
}

Lines::Taps Lines::getTapsAlong(KernelBuilder &b) const {
  if (merged)
    return {b.constant(0), b.constant(1)};
  const LineAxis &widths = axes[2];
  OpFoldResult zero = b.constant(0), first = b.sub(zero, widths.low);
  OpFoldResult last = b.add(first, b.mul(b.sub(widths.out, b.constant(1)),
                                         b.constant(widths.stride)));
  return {getFirstTap(b, zero, last, widths.window, widths.dilation),
          getFirstTap(b, widths.in, first, widths.window, widths.dilation)};
}

Lines::Taps Lines::getTaps(KernelBuilder &b, const Block &block,
                           OpFoldResult line, OpFoldResult plane,
                           OpFoldResult height) const {
  const auto &[planes, heights, widths] = axes;
  auto isInside = [&](const LineAxis &axis, OpFoldResult out,
                      OpFoldResult tap) {
    OpFoldResult at = b.sub(b.add(b.mul(out, b.constant(axis.stride)),
                                  b.mul(tap, b.constant(axis.dilation))),
                            axis.low);
    // One comparison checks both bounds.
    return b.cmp(CmpIPredicate::ult, at, axis.in);
  };
  // Joined pixels are of several image rows, or of all of them.
  auto isInsideOfSome = [&](const LineAxis &axis, OpFoldResult tap) {
    OpFoldResult first = b.sub(b.mul(tap, b.constant(axis.dilation)), axis.low);
    OpFoldResult last = b.add(
        first, b.mul(b.sub(axis.out, b.constant(1)), b.constant(axis.stride)));
    return arith::AndIOp::create(
        b, b.cmp(CmpIPredicate::slt, first, axis.in),
        b.cmp(CmpIPredicate::sge, last, b.constant(0)));
  };
  auto isRowOf = [&](bool joined) -> Value {
    if (joined)
      return arith::AndIOp::create(b, isInsideOfSome(planes, plane),
                                   isInsideOfSome(heights, height));
    return arith::AndIOp::create(
        b, isInside(planes, block.plane, plane),
        isInside(heights, b.add(block.firstLine, line), height));
  };
  Value isRow = isRowOf(joins == Joins::Always);
  if (joins == Joins::Depends)
    isRow = arith::SelectOp::create(b, isJoined, isRowOf(true), isRow);
  Taps along = getTapsAlong(b);
  return {along.lower, b.select(isRow, along.upper, along.lower)};
}

GemmEpilogue dyn::createPixelEpilogue(KernelBuilder &b, dhlo::Convolves op) {
  SmallVector<dhlo::DimExpr> sizes =
      dhlo::getDims(cast<RankedTensorType>(op.getType()));
  dhlo::DimExpr channels = sizes.pop_back_val();
  return GemmEpilogue(b, op.getResult(), product(op.getContext(), sizes),
                      channels);
}
