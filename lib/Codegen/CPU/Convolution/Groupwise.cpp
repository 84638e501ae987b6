//===- Groupwise.cpp - Schedule of convolutions of small groups -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A group has so few channels that a vector has those of several, or, of a
// depthwise convolution, of as many groups as lanes. A tile is a vector of
// channels of some pixels of an image row, whose sums stay in registers until
// the epilogue has stored the results. A pixel of the input is read once for
// all pixels of the tile that need it, row after row of the window. For each
// channel of a group, all lanes of the group get its element.
//
// Rows of the window outside of the input are left out. Of a tile at the edge
// of an image row, pixels outside are read from a vector of zeros, and results
// outside are not stored.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"
#include "Codegen/CPU/Convolution/Lines.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kElement = 4;
/// Channels of an item.
constexpr int64_t kItemChannels = 64;
/// Pixels of a tile: enough sums to hide the latency of a multiply-add.
constexpr int64_t kPixels = 8;
/// Channels of a group from which on a vector has one group: a broadcast is a
/// load, but permutations compete with multiply-adds.
constexpr int64_t kBroadcast = 8;
/// Maximum of a pixel's multiply-adds along a row of the window that are
/// unrolled.
constexpr int64_t kUnrolled = 36;

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

class GroupwiseSchedule : public Schedule {
public:
  GroupwiseSchedule(dhlo::Convolves op, RhsOrder order) : op(op), order(order) {
    auto filter = cast<RankedTensorType>(op.getFilter().getType());
    dhlo::ConvolutionAxes axes(op);
    depth = filter.getDimSize(axes.filterChannel);
    numbers = filter.getDimSize(axes.filterNumber);
    width = numbers / op.getGroups();
  }

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &,
                      const CodegenOptions &options) override {
    lanes = std::min(numbers,
                     options.target.cpu.registers.vectorBits / (8 * kElement));
    if (width >= kBroadcast)
      lanes = width;
    return success();
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Items of an image row.
  int64_t getParts() const { return llvm::divideCeil(numbers, kItemChannels); }
  /// Elements of the filter between those of a lane.
  int64_t getWeightStride() const {
    return order == RhsOrder::Panels ? kPanelWidth : numbers;
  }
  /// The elements of channel `channel` of each group at the address `pixel`,
  /// for all lanes of the group: broadcast or permuted.
  Value spread(KernelBuilder &b, Value pixel, int64_t channel) const;
  Value getBuffer(KernelBuilder &b, Value operand) {
    return b.buffer(cast<BlockArgument>(operand).getArgNumber());
  }
  Taps getTaps(KernelBuilder &b, const Lines &lines, int64_t axis,
               OpFoldResult out);
  void emitLine(KernelBuilder &b, const Lines &lines, const Lines::Block &block,
                OpFoldResult line, OpFoldResult part);
  void emitTile(KernelBuilder &b, const Lines &lines, const Tile &tile);
  /// Adds the taps of a row of the window to the sums of a tile's pixels.
  SmallVector<Value> addTaps(KernelBuilder &b, const Lines &lines,
                             const Tile &tile, Value input, Value weights,
                             ValueRange sums);

  dhlo::Convolves op;
  RhsOrder order;
  /// Channels of a group, of the input and of the result.
  int64_t depth, width;
  /// Channels of the result, and those of a vector.
  int64_t numbers, lanes = 1;
};

Geometry GroupwiseSchedule::emitGeometry(KernelBuilder &b) {
  Lines lines(b, op, /*padded=*/false);
  OpFoldResult items = b.mul(lines.blocks, b.constant(getParts()));
  OpFoldResult outputs = b.mul(lines.pixels, b.constant(numbers));
  OpFoldResult inputs = b.mul(lines.inputPixels, b.constant(lines.channels));
  OpFoldResult flops = b.mul(outputs, b.constant(2 * lines.tapCount * depth));
  OpFoldResult bytes = b.mul(b.add(inputs, outputs), b.constant(kElement));
  OpFoldResult grain = getGemmGrain(b, items, flops, bytes, /*isSlow=*/true);
  return {items, grain, b.constant(kPanelWidth * kElement)};
}

LogicalResult GroupwiseSchedule::emitBody(KernelBuilder &b) {
  Lines lines(b, op, /*padded=*/false);
  b.store(b.number(0, b.getF32Type(), lanes), b.scratch(b.constant(0)),
          b.constant(0), b.getF32Type(), lanes);
  OpFoldResult parts = b.constant(getParts());
  b.loop(b.begin(), b.end(), 1, [&](Value item) {
    Lines::Block block = lines.getBlock(b, b.div(item, parts));
    b.loop(b.constant(0), block.lineCount, 1, [&](Value line) {
      emitLine(b, lines, block, line, b.rem(item, parts));
    });
  });
  return success();
}

Taps GroupwiseSchedule::getTaps(KernelBuilder &b, const Lines &lines,
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

void GroupwiseSchedule::emitLine(KernelBuilder &b, const Lines &lines,
                                 const Lines::Block &block, OpFoldResult line,
                                 OpFoldResult part) {
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

  OpFoldResult vectors = b.constant(llvm::divideCeil(numbers, lanes));
  OpFoldResult perItem = b.constant(llvm::divideCeil(kItemChannels, lanes));
  OpFoldResult begin = b.mul(part, perItem);
  OpFoldResult end = b.min(b.add(begin, perItem), vectors);
  b.loop(begin, end, 1, [&](Value vector) {
    // The last vector overlaps the one before, so that all are full.
    tile.channel =
        b.min(b.mul(vector, b.constant(lanes)), b.constant(numbers - lanes));
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

void GroupwiseSchedule::emitTile(KernelBuilder &b, const Lines &lines,
                                 const Tile &tile) {
  const auto &[planes, heights, widths] = lines.axes;
  Type f32 = b.getF32Type();
  Value input = getBuffer(b, op.getInput()),
        filter = getBuffer(b, op.getFilter());
  bool isPacked = order == RhsOrder::Panels;
  OpFoldResult weightStride = b.constant(getWeightStride() * depth);
  OpFoldResult channel = b.mul(b.div(tile.channel, b.constant(width)),
                               b.constant(depth)); // of the input
  OpFoldResult panel = b.div(tile.channel, b.constant(kPanelWidth));
  OpFoldResult inPanel = b.rem(tile.channel, b.constant(kPanelWidth));
  OpFoldResult firstWeight =
      isPacked ? b.add(b.mul(panel,
                             b.constant(lines.tapCount * depth * kPanelWidth)),
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
                        channel);
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

Value GroupwiseSchedule::spread(KernelBuilder &b, Value pixel,
                                int64_t channel) const {
  Type f32 = b.getF32Type();
  auto load = [&](int64_t first, int64_t count) {
    return b.load(pixel, b.constant(first), f32, count);
  };
  if (width == 1)
    return load(0, lanes);
  if (width == lanes)
    return b.splat(load(channel, 1), lanes);
  SmallVector<int64_t> source;
  for (int64_t lane = 0; lane < lanes; ++lane)
    source.push_back(lane / width * depth + channel);
  Value elements = load(0, lanes / width * depth);
  return vector::ShuffleOp::create(b, elements, elements, source);
}

SmallVector<Value> GroupwiseSchedule::addTaps(KernelBuilder &b,
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
    return address;
  };
  auto getWeight = [&](OpFoldResult tap, int64_t channel) {
    OpFoldResult row =
        b.add(b.mul(tap, b.constant(depth)), b.constant(channel));
    return b.load(weights, b.mul(row, b.constant(getWeightStride())), f32,
                  lanes);
  };
  SmallVector<Value> next(sums);
  if (widths.window * depth > kUnrolled)
    return b.loop(
        b.constant(0), b.constant(widths.window), 1, next,
        [&](Value tap, ValueRange carried) {
          SmallVector<Value> added(carried), weight;
          for (int64_t channel = 0; channel < depth; ++channel)
            weight.push_back(getWeight(tap, channel));
          for (auto [i, sum] : llvm::enumerate(added)) {
            Value pixel = read(b.add(b.constant(i * widths.stride),
                                     b.mul(tap, b.constant(widths.dilation))));
            for (int64_t channel = 0; channel < depth; ++channel)
              sum = b.fma(spread(b, pixel, channel), weight[channel], sum);
          }
          return added;
        });
  // A channel after the other, so that few weights are in registers at once.
  int64_t reach =
      (kPixels - 1) * widths.stride + (widths.window - 1) * widths.dilation;
  for (int64_t channel = 0; channel < depth; ++channel) {
    SmallVector<Value> loaded;
    for (int64_t tap = 0; tap < widths.window; ++tap)
      loaded.push_back(getWeight(b.constant(tap), channel));
    for (int64_t offset = 0; offset <= reach; ++offset) {
      Value elements;
      for (auto [tap, weight] : llvm::enumerate(loaded)) {
        int64_t distance = offset - tap * widths.dilation;
        int64_t i = distance / widths.stride;
        if (distance < 0 || distance % widths.stride || i >= kPixels)
          continue;
        if (!elements)
          elements = spread(b, read(b.constant(offset)), channel);
        next[i] = b.fma(elements, weight, next[i]);
      }
    }
  }
  return next;
}

} // namespace

std::unique_ptr<Schedule> dyn::createGroupwiseSchedule(dhlo::Convolves op,
                                                       RhsOrder order) {
  return std::make_unique<GroupwiseSchedule>(op, order);
}
