//===- Depthwise.cpp - Schedule of depthwise convolutions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each channel has its own filter: pixels share only the filter's elements. A
// tile is a vector of channels of some pixels of an image row, whose sums stay
// in registers until the epilogue has stored the results. A pixel of the input
// is read once for all pixels of the tile that need it, row after row of the
// window.
//
// Rows of the window outside of the input are left out. Of a tile at the edge
// of an image row, pixels outside are read from a vector of zeros, and results
// outside are not stored.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"
#include "Codegen/CPU/Convolution/Lines.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kElement = 4;
/// Channels of an item.
constexpr int64_t kItemChannels = 64;
/// Pixels of a tile: enough sums to hide the latency of a multiply-add.
constexpr int64_t kPixels = 8;
/// The longest rows of a window whose taps are unrolled.
constexpr int64_t kUnrolledTaps = 9;

/// The taps [lower, upper) along an axis that read the input, the first of all
/// taps at index `start`.
struct Taps {
  OpFoldResult start, lower, upper;
};

/// A vector of channels of some pixels of an image row.
struct Tile {
  Taps planes, heights;
  OpFoldResult image;
  OpFoldResult row; ///< of the result, as pixels x channels, at `pixel`
  OpFoldResult pixel, channel;
  bool isInside; ///< no pixel is outside
};

class DepthwiseSchedule : public Schedule {
public:
  DepthwiseSchedule(dhlo::Convolves op, RhsOrder order)
      : op(op), order(order), channels(op.getGroups()) {}

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &,
                      const CodegenOptions &options) override {
    lanes = std::min(channels,
                     options.target.cpu.registers.vectorBits / (8 * kElement));
    return success();
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  int64_t getGroups() const {
    return llvm::divideCeil(channels, kItemChannels);
  }
  Value getBuffer(KernelBuilder &b, Value operand) {
    return b.buffer(cast<BlockArgument>(operand).getArgNumber());
  }
  Taps getTaps(KernelBuilder &b, const Lines &lines, int64_t axis,
               OpFoldResult out);
  void emitLine(KernelBuilder &b, const Lines &lines, const Lines::Block &block,
                OpFoldResult line, OpFoldResult group);
  void emitTile(KernelBuilder &b, const Lines &lines, const Tile &tile);
  /// Adds the taps of a row of the window to the sums of a tile's pixels.
  SmallVector<Value> addTaps(KernelBuilder &b, const Lines &lines,
                             const Tile &tile, Value input, Value weights,
                             ValueRange sums);

  dhlo::Convolves op;
  RhsOrder order;
  int64_t channels, lanes = 1;
};

Geometry DepthwiseSchedule::emitGeometry(KernelBuilder &b) {
  Lines lines(b, op, /*padded=*/false);
  OpFoldResult items = b.mul(lines.blocks, b.constant(getGroups()));
  OpFoldResult outputs = b.mul(lines.pixels, b.constant(lines.channels));
  OpFoldResult inputs = b.mul(lines.inputPixels, b.constant(lines.channels));
  OpFoldResult flops = b.mul(outputs, b.constant(2 * lines.tapCount));
  OpFoldResult bytes = b.mul(b.add(inputs, outputs), b.constant(kElement));
  OpFoldResult grain = getGemmGrain(b, items, flops, bytes, /*isSlow=*/true);
  return {items, grain, b.constant(kPanelWidth * kElement)};
}

LogicalResult DepthwiseSchedule::emitBody(KernelBuilder &b) {
  Lines lines(b, op, /*padded=*/false);
  b.store(b.number(0, b.getF32Type(), lanes), b.scratch(b.constant(0)),
          b.constant(0), b.getF32Type(), lanes);
  OpFoldResult groups = b.constant(getGroups());
  b.loop(b.begin(), b.end(), 1, [&](Value item) {
    Lines::Block block = lines.getBlock(b, b.div(item, groups));
    b.loop(b.constant(0), block.lineCount, 1, [&](Value line) {
      emitLine(b, lines, block, line, b.rem(item, groups));
    });
  });
  return success();
}

Taps DepthwiseSchedule::getTaps(KernelBuilder &b, const Lines &lines,
                                int64_t axis, OpFoldResult out) {
  const LineAxis &a = lines.axes[axis];
  OpFoldResult zero = b.constant(0), window = b.constant(a.window);
  Taps taps = {b.sub(b.mul(out, b.constant(a.stride)), a.low), zero, window};
  int64_t own = axis - 3 + dhlo::ConvolutionAxes(op).spatial;
  auto isZero = [&](ArrayAttr pads) {
    return cast<dhlo::DimExprAttr>(pads[own]).isConst(0);
  };
  if (own < 0 || (isZero(op.getLow()) && isZero(op.getHigh())))
    return taps;
  taps.lower = getFirstTap(b, zero, taps.start, a.window, a.dilation);
  taps.upper = getFirstTap(b, a.in, taps.start, a.window, a.dilation);
  return taps;
}

void DepthwiseSchedule::emitLine(KernelBuilder &b, const Lines &lines,
                                 const Lines::Block &block, OpFoldResult line,
                                 OpFoldResult group) {
  const LineAxis &widths = lines.axes[2];
  OpFoldResult zero = b.constant(0), count = b.constant(kPixels);
  Tile tile;
  tile.planes = getTaps(b, lines, 0, block.plane);
  tile.heights = getTaps(b, lines, 1, b.add(block.firstLine, line));
  tile.image = block.image;

  // Pixels whose windows are inside of the image row.
  OpFoldResult stride = b.constant(widths.stride);
  OpFoldResult first = b.ceilDiv(b.max(zero, widths.low), stride);
  OpFoldResult room = b.sub(b.add(widths.in, widths.low),
                            b.constant((widths.window - 1) * widths.dilation));
  OpFoldResult last = b.min(widths.out, b.ceilDiv(b.max(zero, room), stride));

  OpFoldResult vectors = b.constant(llvm::divideCeil(channels, lanes));
  OpFoldResult perItem = b.constant(llvm::divideCeil(kItemChannels, lanes));
  OpFoldResult begin = b.mul(group, perItem);
  OpFoldResult end = b.min(b.add(begin, perItem), vectors);
  b.loop(begin, end, 1, [&](Value vector) {
    // The last vector overlaps the one before, so that all are full.
    tile.channel =
        b.min(b.mul(vector, b.constant(lanes)), b.constant(channels - lanes));
    b.loop(zero, widths.out, kPixels, [&](Value pixel) {
      tile.pixel = pixel;
      tile.row = lines.getRow(b, block, line, pixel);
      Value isInside = arith::AndIOp::create(
          b, b.cmp(CmpIPredicate::sge, pixel, first),
          b.cmp(CmpIPredicate::sle, b.add(pixel, count), last));
      auto emit = [&](bool inside) {
        tile.isInside = inside;
        emitTile(b, lines, tile);
      };
      b.ifThen(isInside, [&] { emit(true); }, [&] { emit(false); });
    });
  });
}

void DepthwiseSchedule::emitTile(KernelBuilder &b, const Lines &lines,
                                 const Tile &tile) {
  const auto &[planes, heights, widths] = lines.axes;
  Type f32 = b.getF32Type();
  Value input = getBuffer(b, op.getInput()),
        filter = getBuffer(b, op.getFilter());
  // In panels, consecutive filter elements of a channel are 16 apart.
  bool isPacked = order == RhsOrder::Panels;
  OpFoldResult weightStride = b.constant(isPacked ? kPanelWidth : channels);
  OpFoldResult panel = b.div(tile.channel, b.constant(kPanelWidth));
  OpFoldResult inPanel = b.rem(tile.channel, b.constant(kPanelWidth));
  OpFoldResult firstWeight =
      isPacked ? b.add(b.mul(panel, b.constant(lines.tapCount * kPanelWidth)),
                       inPanel)
               : tile.channel;

  SmallVector<Value> sums(kPixels, b.number(0, f32, lanes));
  OpFoldResult pixel =
      b.sub(b.mul(tile.pixel, b.constant(widths.stride)), widths.low);
  sums = b.loop(
      tile.planes.lower, tile.planes.upper, 1, sums,
      [&](Value d, ValueRange before) {
        OpFoldResult plane = b.add(
            b.mul(tile.image, planes.in),
            b.add(tile.planes.start, b.mul(d, b.constant(planes.dilation))));
        return b.loop(
            tile.heights.lower, tile.heights.upper, 1, before,
            [&](Value h, ValueRange carried) {
              OpFoldResult line =
                  b.add(b.mul(plane, heights.in),
                        b.add(tile.heights.start,
                              b.mul(h, b.constant(heights.dilation))));
              OpFoldResult at =
                  b.add(b.mul(b.add(b.mul(line, widths.in), pixel),
                              b.constant(lines.channels)),
                        tile.channel);
              OpFoldResult tap =
                  b.mul(b.add(b.mul(d, b.constant(heights.window)), h),
                        b.constant(widths.window));
              OpFoldResult weight =
                  b.add(b.mul(tap, weightStride), firstWeight);
              return addTaps(b, lines, tile, b.address(input, at, f32),
                             b.address(filter, weight, f32), carried);
            });
      });

  GemmEpilogue epilogue = createPixelEpilogue(b, op);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    OpFoldResult number = b.constant(static_cast<int64_t>(i));
    auto store = [&, sum = sum] {
      epilogue.emitVector(b.add(tile.row, number), tile.channel, sum);
    };
    if (tile.isInside)
      store();
    else
      b.ifThen(b.cmp(CmpIPredicate::slt, b.add(tile.pixel, number), widths.out),
               store);
  }
}

SmallVector<Value> DepthwiseSchedule::addTaps(KernelBuilder &b,
                                              const Lines &lines,
                                              const Tile &tile, Value input,
                                              Value weights, ValueRange sums) {
  const LineAxis &widths = lines.axes[2];
  Type f32 = b.getF32Type();
  OpFoldResult first =
      b.sub(b.mul(tile.pixel, b.constant(widths.stride)), widths.low);
  auto read = [&](OpFoldResult offset) {
    Value address =
        b.address(input, b.mul(offset, b.constant(lines.channels)), f32);
    if (!tile.isInside) {
      // One comparison checks both bounds.
      Value isValid =
          b.cmp(CmpIPredicate::ult, b.add(first, offset), widths.in);
      address = arith::SelectOp::create(b, isValid, address,
                                        b.scratch(b.constant(0)));
    }
    return b.load(address, b.constant(0), f32, lanes);
  };
  int64_t weightStride = order == RhsOrder::Panels ? kPanelWidth : channels;
  auto getWeight = [&](OpFoldResult tap) {
    return b.load(weights, b.mul(tap, b.constant(weightStride)), f32, lanes);
  };
  SmallVector<Value> next(sums);
  if (widths.window > kUnrolledTaps)
    return b.loop(b.constant(0), b.constant(widths.window), 1, next,
                  [&](Value tap, ValueRange carried) {
                    SmallVector<Value> added;
                    Value weight = getWeight(tap);
                    for (auto [i, sum] : llvm::enumerate(carried))
                      added.push_back(b.fma(
                          read(b.add(b.constant(i * widths.stride),
                                     b.mul(tap, b.constant(widths.dilation)))),
                          weight, sum));
                    return added;
                  });
  llvm::SmallDenseMap<int64_t, Value> pixels;
  for (int64_t tap = 0; tap < widths.window; ++tap) {
    Value weight = getWeight(b.constant(tap));
    for (int64_t i = 0; i < kPixels; ++i) {
      int64_t offset = i * widths.stride + tap * widths.dilation;
      Value &pixel = pixels[offset];
      if (!pixel)
        pixel = read(b.constant(offset));
      next[i] = b.fma(pixel, weight, next[i]);
    }
  }
  return next;
}

} // namespace

std::unique_ptr<Schedule> dyn::createDepthwiseSchedule(dhlo::Convolves op,
                                                       RhsOrder order) {
  return std::make_unique<DepthwiseSchedule>(op, order);
}
