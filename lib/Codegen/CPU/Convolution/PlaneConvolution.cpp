//===- PlaneConvolution.cpp - Convolutions with channels first ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A GEMM of rows of pixels by panels of 16 channels computes 16 of them even if
// there are 8, and stores their results pixel by pixel. Where there are few,
// the lanes are pixels instead: with channels first, the pixels of an image row
// are contiguous. A micro-kernel computes some vectors of pixels by some
// channels of the result, with accumulators in registers; each element of the
// filter is broadcast to all lanes. No lane is lost to channels, and the
// epilogue works on full image rows.
//
// An item is a block of image rows. Their input rows are copied to scratch with
// their padding, so edges need no other code, and vectors may reach past the
// end of a row. With several filters, an item uses that of its image. Where all
// channels' filters stay in the L1 cache, an item iterates over its pixels
// once, and applies all filters to each tile; otherwise, it iterates over its
// pixels for each few channels.
//
// Each element is one chain of FMAs over ascending filter positions, then
// channels.
//
// A filter in the layout winograd4_lines is applied to the rows by F(4, 3) of
// Winograd.h: six rows of the input become six others as they are copied, each
// is convolved with a filter of one row, and four rows of the result are
// computed from these six. That is half of the multiply-adds; transforms are of
// full vectors of pixels, so they need no shuffle.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"

#include "Codegen/CPU/Convolution/WinogradTransforms.h"
#include "Codegen/Common/Problems/GroupOffsets.h"

#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Gemm/Packing.h"
#include "Codegen/Common/Elements/ElementEmitter.h"
#include "dyn/Dialect/DHLO/Analysis/ConvolutionChoice.h"
#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Support/Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kElement = 4;
/// The minimum number of rows of a block: those that the window overlaps are
/// copied twice.
constexpr int64_t kBlockLines = 4;
/// Rows of a copy begin at multiples of this many elements.
constexpr int64_t kLineAlignment = 8;

/// Tiles that registers hold: channels of the result by units of 16 pixels.
struct PlaneTiles {
  PlaneTiles(const RegisterInfo &registers, int64_t numbers) {
    int64_t most = registers.planeChannels;
    // As even as possible, so that none is small.
    outputs = llvm::divideCeil(numbers, llvm::divideCeil(numbers, most));
    // Few channels need more pixels to hide the latency of their chains.
    units = !hasAvx512(registers.isa) ? 1 : outputs > 4 ? 2 : 4;
  }
  int64_t outputs, units;
};

/// The body of the function planes_UxO_S:
///   for o in O, n in U * 16:
///     c[o * U * 16 + n] = sum over t of taps, i of channels of
///         a[taps[t] + i * plane_stride + n] * w[o * S + i * w_stride + t]
void emitMicroKernel(CodeBuilder &b, ValueRange args, Isa isa, int64_t units,
                     int64_t outputs, int64_t outputStride) {
  Value a = args[0], planeStride = args[1], taps = args[2], tapCount = args[3];
  Value channels = args[4], w = args[5], channelStride = args[6], c = args[7];
  Type f32 = b.builder().getF32Type();
  int64_t lanes = getVectorBits(isa) / 32;
  int64_t vectors = units * kPlanePixels / lanes;
  auto type = VectorType::get({lanes}, f32);
  int64_t count = outputs * vectors;
  SmallVector<Value> sums(count, b.zero(type));
  sums = b.forLoop(
      b.constant(0), tapCount, b.constant(1), sums,
      [&](Value tap, ValueRange carried) {
        SmallVector<Value> inner(carried);
        Value at =
            b.load(b.builder().getI64Type(), b.offset(taps, b.mul(tap, 8)));
        inner.push_back(b.offset(a, at));
        inner.push_back(b.offset(w, b.mul(tap, kElement)));
        inner = b.forLoop(
            b.constant(0), channels, b.constant(1), inner,
            [&](Value, ValueRange values) {
              SmallVector<Value> next(values.take_front(count)), pixels;
              // See MicroKernel.h.
              Value plane = b.opaque(values[count]);
              Value weight = b.opaque(values[count + 1]);
              for (int64_t v = 0; v < vectors; ++v)
                pixels.push_back(
                    b.load(type, b.offset(plane, v * lanes * kElement)));
              for (int64_t o = 0; o < outputs; ++o) {
                Value factor = b.splat(
                    type,
                    b.load(f32, b.offset(weight, o * outputStride * kElement)));
                for (int64_t v = 0; v < vectors; ++v)
                  next[o * vectors + v] = b.multiplyAdd(
                      factor, pixels[v], next[o * vectors + v], hasFma(isa));
              }
              next.push_back(b.offset(plane, planeStride));
              next.push_back(b.offset(weight, channelStride));
              return next;
            });
        inner.resize(count);
        return inner;
      });
  for (auto [i, sum] : llvm::enumerate(sums))
    b.store(sum, b.offset(c, i * lanes * kElement));
}

/// The body of the function planes_copy: `lines` rows of `count` elements to
/// rows that begin with `before` zeros and end with zeros.
void emitCopyLines(CodeBuilder &b, ValueRange args) {
  Value source = args[0], sourceStride = args[1], lines = args[2];
  Value before = args[3], count = args[4], target = args[5];
  Value targetStride = args[6];
  Type f32 = b.builder().getF32Type();
  auto type = VectorType::get({kPlanePixels}, f32);
  Value zeros = b.zero(type), bytes = b.mul(count, kElement);
  Value width = b.constant(kPlanePixels), zero = b.constant(0);
  Value rest = b.rem(count, kPlanePixels), middle = b.sub(count, rest);
  b.forLoop(lines, [&](Value line) {
    Value from = b.offset(source, b.mul(line, sourceStride));
    Value start = b.offset(target, b.mul(line, targetStride));
    Value to = b.offset(start, b.mul(before, kElement));
    auto copy = [&](Type of, Value at) {
      Value offset = b.mul(at, kElement);
      b.store(b.load(of, b.offset(from, offset)), b.offset(to, offset));
    };
    b.store(zeros, start);
    b.store(zeros, b.offset(to, bytes));
    b.forLoop(zero, middle, width, [&](Value i) { copy(type, i); });
    b.ifThen(b.lt(zero, rest), [&] {
      b.ifThen(
          b.lt(count, width),
          [&] {
            b.forLoop(zero, count, b.constant(1),
                      [&](Value i) { copy(f32, i); });
          },
          [&] { copy(type, b.sub(count, width)); });
    });
  });
}

/// Sizes of the work, computed in the same way by geometry and body.
struct Work {
  Work(KernelBuilder &b, dhlo::Convolves op);

  int64_t channels, numbers, window[2], stride, dilation[2], low[2];
  /// Convolutions of rows that a tile combines, and rows of its result.
  bool isWinograd;
  int64_t convolutions, results;
  /// Taps and elements of a filter of one such convolution and channel of the
  /// result, and elements of all.
  int64_t tapCount, depth, filterElements;
  bool filterStays;
  PlaneTiles tiles;
  OpFoldResult batch, in[2], out[2]; ///< height, width
  /// Of the copy, in elements.
  OpFoldResult lineStride, planeStride;
  OpFoldResult linesPerBlock, blocksPerImage, items;
  // Scratch, in bytes: the taps' offsets, the tile, the copy, a row of zeros.
  int64_t tileOffset, copyOffset;
  OpFoldResult zerosOffset, scratchBytes, flops, bytes;
};

int64_t getNumbers(dhlo::Convolves op) {
  return op.getFilter().getType().getDimSize(
      dhlo::ConvolutionAxes(op).filterNumber);
}

Work::Work(KernelBuilder &b, dhlo::Convolves op)
    : tiles(b.getCpu().registers, getNumbers(op)) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  dhlo::ConvolutionAxes axes(op);
  numbers = filter.getDimSize(axes.filterNumber);
  channels = filter.getDimSize(axes.filterChannel);
  stride = op.getStrides()[0];
  batch = b.size(op.getInput(), 0);
  for (int64_t axis : {0, 1}) {
    window[axis] = filter.getDimSize(axes.filterSpatial + axis);
    dilation[axis] = op.getFilterDilation()[axis];
    low[axis] =
        *dhlo::getConstantValue(cast<dhlo::DimExprAttr>(op.getLow()[axis]));
    in[axis] = b.size(op.getInput(), axes.firstSpatial + axis);
    out[axis] = b.size(op.getResult(), axes.firstSpatial + axis);
  }
  isWinograd = filter.getEncoding() != nullptr;
  convolutions = isWinograd ? winograd::kInputs : 1;
  results = isWinograd ? winograd::kResults : 1;
  tapCount = isWinograd ? window[1] : window[0] * window[1];
  depth = tapCount * channels;
  filterElements = convolutions * numbers * depth;
  // In the L1 cache, beside the image rows that a tile reads.
  const CpuInfo &cpu = b.getCpu();
  filterStays = filterElements * kElement <= cpu.l1Bytes * 2 / 3;

  OpFoldResult pixels = b.constant(kPlanePixels), one = b.constant(1);
  // Full vectors of pixels and the reach of the window. The vector of zeros
  // after the input may extend into what is written after it.
  int64_t reach = (window[1] - 1) * dilation[1];
  lineStride = b.add(b.mul(b.ceilDiv(out[1], pixels), pixels),
                     b.constant(llvm::alignTo(reach, kLineAlignment)));
  // Full tiles of rows. A copy that is read once stays in a part of the L2
  // cache.
  int64_t copyBytes = filterStays ? cpu.l2Bytes / 32 : cpu.planeCopyBytes;
  OpFoldResult tile = b.constant(results);
  OpFoldResult tileBytes =
      b.mul(lineStride, b.constant(convolutions * channels * kElement));
  OpFoldResult wanted = b.mul(b.max(b.constant(kBlockLines / results),
                                    b.div(b.constant(copyBytes), tileBytes)),
                              tile);
  blocksPerImage = b.ceilDiv(out[0], wanted);
  linesPerBlock =
      b.mul(b.ceilDiv(b.ceilDiv(out[0], blocksPerImage), tile), tile);
  items = b.mul(batch, blocksPerImage);
  OpFoldResult copied;
  if (isWinograd)
    copied = b.mul(b.div(linesPerBlock, tile), b.constant(convolutions));
  else
    copied =
        b.add(b.mul(b.sub(b.max(linesPerBlock, one), one), b.constant(stride)),
              b.constant((window[0] - 1) * dilation[0] + 1));
  planeStride = b.mul(copied, lineStride);

  tileOffset = llvm::alignTo(tapCount * 8, 64);
  copyOffset = tileOffset + convolutions * tiles.outputs * tiles.units *
                                kPlanePixels * kElement;
  zerosOffset = b.add(b.constant(copyOffset + kPlanePixels * kElement),
                      b.mul(planeStride, b.constant(channels * kElement)));
  scratchBytes = zerosOffset;
  if (isWinograd)
    scratchBytes = b.add(zerosOffset, b.mul(in[1], b.constant(kElement)));

  OpFoldResult filters = op.getImageOffsets()
                             ? b.min(batch, b.size(op.getFilter(), 0))
                             : b.constant(1);
  OpFoldResult outputs = b.mul(batch, b.mul(out[0], out[1]));
  OpFoldResult inputs = b.mul(batch, b.mul(in[0], in[1]));
  flops = b.div(b.mul(outputs, b.constant(2 * filterElements)),
                b.constant(results));
  bytes = b.add(b.mul(filters, b.constant(kElement * filterElements)),
                b.add(b.mul(outputs, b.constant(kElement * numbers)),
                      b.mul(inputs, b.constant(kElement * channels))));
}

class PlaneConvolutionSchedule : public Schedule {
public:
  explicit PlaneConvolutionSchedule(dhlo::Convolves op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &options) override {
    isa = options.isa();
    packing.emplace(kernel->getParentOp(), isa);
    transforms.emplace(kernel->getParentOp(), isa);
    return success();
  }
  Geometry emitGeometry(KernelBuilder &b) override {
    Work work(b, op);
    OpFoldResult grain = getGemmGrain(b, work.items, work.flops, work.bytes);
    return {work.items, grain, work.scratchBytes};
  }
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Rows of an image.
  struct Block {
    OpFoldResult image, line, count;
    /// The filters of the block and, if there are several, whether it has any.
    Value filter, hasFilter;
  };
  void emitTaps(KernelBuilder &b, const Work &work);
  void emitCopy(KernelBuilder &b, const Work &work, const Block &block);
  /// The same for Winograd's algorithm.
  void emitTransformedCopy(KernelBuilder &b, const Work &work,
                           const Block &block);
  /// Calls `body` with every run of units of pixels of every row.
  void forPixels(KernelBuilder &b, const Work &work, const Block &block,
                 llvm::function_ref<void(OpFoldResult line, OpFoldResult pixel,
                                         int64_t units)>
                     body);
  /// Calls `body` with the first of every few channels of the result.
  void
  forNumbers(KernelBuilder &b, const Work &work,
             llvm::function_ref<void(OpFoldResult number, int64_t count)> body);
  /// Results of `count` channels from `number` on, in `units` units of pixels.
  void emitTile(KernelBuilder &b, const Work &work, const Block &block,
                OpFoldResult line, OpFoldResult pixel, OpFoldResult number,
                int64_t count, int64_t units);
  /// Stores the results of the tile at `tile`, after the epilogue.
  void emitResults(KernelBuilder &b, const Block &block, OpFoldResult line,
                   OpFoldResult pixel, OpFoldResult pixels, OpFoldResult number,
                   Value tile);
  Value getBuffer(KernelBuilder &b, Value operand) {
    return b.buffer(cast<BlockArgument>(operand).getArgNumber());
  }

  dhlo::Convolves op;
  Isa isa = Isa::V2;
  std::optional<Packing> packing;
  std::optional<WinogradTransforms> transforms;
};

LogicalResult PlaneConvolutionSchedule::emitBody(KernelBuilder &b) {
  Work work(b, op);
  emitTaps(b, work);
  if (work.isWinograd) {
    CodeBuilder code(b, b.getLoc());
    packing->clear(code, b.value(work.in[1]), b.scratch(work.zerosOffset));
  }
  b.loop(b.begin(), b.end(), 1, [&](Value item) {
    Block block;
    block.image = b.div(item, work.blocksPerImage);
    block.line = b.mul(b.rem(item, work.blocksPerImage), work.linesPerBlock);
    block.count = b.min(work.linesPerBlock, b.sub(work.out[0], block.line));
    OpFoldResult number = b.constant(0);
    if (op.getImageOffsets()) {
      GroupOffsets offsets = {op, op.getImageOffsets(),
                              b.getDims().getDim(op.getInput(), 0)};
      number = offsets.emitGroup(b, block.image);
      block.hasFilter =
          b.cmp(CmpIPredicate::ult, number, b.size(op.getFilter(), 0));
    }
    block.filter = b.address(getBuffer(b, op.getFilter()),
                             b.mul(number, b.constant(work.filterElements)),
                             b.getF32Type());
    if (work.isWinograd)
      emitTransformedCopy(b, work, block);
    else
      emitCopy(b, work, block);
    if (work.filterStays)
      forPixels(b, work, block,
                [&](OpFoldResult line, OpFoldResult pixel, int64_t units) {
                  forNumbers(b, work, [&](OpFoldResult number, int64_t count) {
                    emitTile(b, work, block, line, pixel, number, count, units);
                  });
                });
    else
      forNumbers(b, work, [&](OpFoldResult number, int64_t count) {
        forPixels(b, work, block,
                  [&](OpFoldResult line, OpFoldResult pixel, int64_t units) {
                    emitTile(b, work, block, line, pixel, number, count, units);
                  });
      });
  });
  return success();
}

/// Writes the taps' offsets to scratch.
void PlaneConvolutionSchedule::emitTaps(KernelBuilder &b, const Work &work) {
  Value table = b.scratch(b.constant(0));
  int64_t lines = work.isWinograd ? 1 : work.window[0];
  for (int64_t y = 0; y < lines; ++y)
    for (int64_t x = 0; x < work.window[1]; ++x) {
      OpFoldResult at =
          b.add(b.mul(work.lineStride, b.constant(y * work.dilation[0])),
                b.constant(x * work.dilation[1]));
      b.store(b.value(b.mul(at, b.constant(kElement))), table,
              b.constant(y * work.window[1] + x), b.getI64Type(), 1);
    }
}

void PlaneConvolutionSchedule::emitCopy(KernelBuilder &b, const Work &work,
                                        const Block &block) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult element = b.constant(kElement);
  OpFoldResult lines =
      b.add(b.mul(b.sub(block.count, one), b.constant(work.stride)),
            b.constant((work.window[0] - 1) * work.dilation[0] + 1));
  // Rows before the input, up to its end, and after it.
  OpFoldResult first = b.sub(b.mul(block.line, b.constant(work.stride)),
                             b.constant(work.low[0]));
  OpFoldResult above = b.min(lines, b.max(zero, b.sub(zero, first)));
  OpFoldResult until = b.max(above, b.min(lines, b.sub(work.in[0], first)));
  OpFoldResult plane = b.mul(work.in[0], work.in[1]);
  b.loop(zero, b.constant(work.channels), 1, [&](Value channel) {
    Value target = b.address(b.scratch(b.constant(work.copyOffset)),
                             b.mul(channel, work.planeStride), f32);
    auto clear = [&](OpFoldResult from, OpFoldResult to) {
      packing->clear(code, b.value(b.mul(b.sub(to, from), work.lineStride)),
                     b.address(target, b.mul(from, work.lineStride), f32));
    };
    OpFoldResult number =
        b.add(b.mul(block.image, b.constant(work.channels)), channel);
    OpFoldResult source =
        b.add(b.mul(number, plane), b.mul(b.add(first, above), work.in[1]));
    clear(zero, above);
    callHelper(code, b.getKernel()->getParentOp(), "planes_copy",
               {b.address(getBuffer(b, op.getInput()), source, f32),
                b.value(b.mul(work.in[1], element)),
                b.value(b.sub(until, above)), b.indexConstant(work.low[1]),
                b.value(work.in[1]),
                b.address(target, b.mul(above, work.lineStride), f32),
                b.value(b.mul(work.lineStride, element))},
               emitCopyLines);
    clear(until, lines);
  });
}

void PlaneConvolutionSchedule::emitTransformedCopy(KernelBuilder &b,
                                                   const Work &work,
                                                   const Block &block) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  OpFoldResult element = b.constant(kElement);
  OpFoldResult plane = b.mul(work.in[0], work.in[1]);
  b.loop(b.constant(0), b.constant(work.channels), 1, [&](Value channel) {
    OpFoldResult number =
        b.add(b.mul(block.image, b.constant(work.channels)), channel);
    WinogradTransforms::Lines lines;
    lines.source =
        b.address(getBuffer(b, op.getInput()), b.mul(number, plane), f32);
    lines.sourceStride = b.value(b.mul(work.in[1], element));
    lines.first = b.value(b.sub(block.line, b.constant(work.low[0])));
    lines.lines = b.value(work.in[0]);
    lines.zeros = b.scratch(work.zerosOffset);
    lines.tiles = b.value(b.ceilDiv(block.count, b.constant(work.results)));
    lines.before = b.indexConstant(work.low[1]);
    lines.count = b.value(work.in[1]);
    lines.target = b.address(b.scratch(b.constant(work.copyOffset)),
                             b.mul(channel, work.planeStride), f32);
    lines.targetStride = b.value(b.mul(work.lineStride, element));
    transforms->inputLines(code, lines);
  });
}

void PlaneConvolutionSchedule::forPixels(
    KernelBuilder &b, const Work &work, const Block &block,
    llvm::function_ref<void(OpFoldResult, OpFoldResult, int64_t)> body) {
  OpFoldResult units = b.ceilDiv(work.out[1], b.constant(kPlanePixels));
  b.loop(b.constant(0), block.count, work.results, [&](Value line) {
    OpFoldResult from = b.constant(0);
    for (int64_t n = work.tiles.units; n >= 1; n /= 2) {
      OpFoldResult to = b.mul(b.div(units, b.constant(n)), b.constant(n));
      if (from != to)
        b.loop(from, to, n, [&](Value unit) {
          body(line, b.mul(unit, b.constant(kPlanePixels)), n);
        });
      from = to;
    }
  });
}

void PlaneConvolutionSchedule::forNumbers(
    KernelBuilder &b, const Work &work,
    llvm::function_ref<void(OpFoldResult, int64_t)> body) {
  int64_t count = work.tiles.outputs;
  int64_t middle = work.numbers / count * count;
  b.loop(b.constant(0), b.constant(middle), count,
         [&](Value first) { body(first, count); });
  if (middle != work.numbers)
    body(b.constant(middle), work.numbers - middle);
}

void PlaneConvolutionSchedule::emitTile(KernelBuilder &b, const Work &work,
                                        const Block &block, OpFoldResult line,
                                        OpFoldResult pixel, OpFoldResult number,
                                        int64_t count, int64_t units) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  Value tile = b.scratch(b.constant(work.tileOffset));
  int64_t width = units * kPlanePixels, stride = count * width * kElement;
  auto emitTerm = [&](OpFoldResult copied, int64_t convolution) {
    OpFoldResult at = b.add(b.mul(copied, work.lineStride), pixel);
    OpFoldResult weight =
        b.mul(b.add(b.constant(convolution * work.numbers), number),
              b.constant(work.depth));
    std::string name = ("planes_" + Twine(units) + "x" + Twine(count) + "_" +
                        Twine(work.depth))
                           .str();
    callHelper(code, b.getKernel()->getParentOp(), name,
               {b.address(b.scratch(b.constant(work.copyOffset)), at, f32),
                b.value(b.mul(work.planeStride, b.constant(kElement))),
                b.scratch(b.constant(0)), b.indexConstant(work.tapCount),
                b.indexConstant(work.channels),
                b.address(block.filter, weight, f32),
                b.indexConstant(work.tapCount * kElement),
                code.offset(tile, convolution * stride)},
               [&](CodeBuilder &helper, ValueRange args) {
                 emitMicroKernel(helper, args, isa, units, count, work.depth);
               });
  };
  auto multiply = [&] {
    if (!work.isWinograd)
      return emitTerm(b.mul(line, b.constant(work.stride)), 0);
    OpFoldResult first = b.mul(b.div(line, b.constant(work.results)),
                               b.constant(work.convolutions));
    for (int64_t convolution = 0; convolution < work.convolutions;
         ++convolution)
      emitTerm(b.add(first, b.constant(convolution)), convolution);
    transforms->outputLines(code, tile, b.indexConstant(stride));
  };
  if (block.hasFilter)
    code.ifThen(block.hasFilter, multiply, [&] {
      packing->clear(code, b.indexConstant(work.results * count * width), tile);
    });
  else
    multiply();

  bool isFull = b.getDims().isMultipleOf(b.getDims().getDim(op.getResult(), 3),
                                         kPlanePixels);
  OpFoldResult pixels = b.constant(width);
  if (!isFull)
    pixels = b.min(pixels, b.sub(work.out[1], pixel));
  OpFoldResult lines =
      b.min(b.constant(work.results), b.sub(block.count, line));
  b.loop(b.constant(0), lines, 1, [&](Value result) {
    OpFoldResult row = b.add(b.add(block.line, line), result);
    OpFoldResult first = b.mul(result, b.constant(count));
    b.loop(b.constant(0), b.constant(count), 1, [&](Value o) {
      OpFoldResult at = b.mul(b.add(first, o), b.constant(width));
      emitResults(b, block, row, pixel, pixels, b.add(number, o),
                  b.address(tile, at, f32));
    });
  });
}

void PlaneConvolutionSchedule::emitResults(KernelBuilder &b, const Block &block,
                                           OpFoldResult line,
                                           OpFoldResult pixel,
                                           OpFoldResult pixels,
                                           OpFoldResult number, Value tile) {
  auto type = cast<RankedTensorType>(op.getType());
  b.laneLoop(b.constant(0), pixels, [&](Value i, int64_t lanes) {
    ElementEmitter emitter(b);
    Position position = {
        {dhlo::getDim(type, 0), emitter.uniform(block.image)},
        {dhlo::getDim(type, 1), emitter.uniform(number)},
        {dhlo::getDim(type, 2), emitter.uniform(line)},
        {dhlo::getDim(type, 3), emitter.lanes(b.add(pixel, i))}};
    Value at = b.address(tile, i, b.getF32Type());
    emitter.provide(op.getResult(), [&](const Position &asked, int64_t count) {
      // In rare cases, the epilogue reads one lane at a time.
      OpFoldResult offset = b.constant(0);
      if (count != lanes)
        offset = b.sub(emitter.join(asked).base, emitter.join(position).base);
      return b.load(at, offset, b.getF32Type(), count);
    });
    for (auto [n, result] : llvm::enumerate(b.getResults()))
      emitter.store(emitter.emit(result, position, lanes), n, position, lanes);
  });
}

} // namespace

std::unique_ptr<Schedule>
dyn::createPlaneConvolutionSchedule(dhlo::Convolves op) {
  return std::make_unique<PlaneConvolutionSchedule>(op);
}
