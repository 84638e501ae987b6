//===- Depthwise.cpp - Schedule of depthwise convolutions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each channel has its own filter: pixels share only the filter's elements. A
// micro-kernel computes 16 channels of a few pixels of an image row, with
// accumulators in registers, tap after tap.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"
#include "Codegen/CPU/Convolution/Lines.h"
#include "Codegen/CPU/Gemm/KeptItems.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kElement = 4;
/// Panels of channels of an item.
constexpr int64_t kItemPanels = 4;
/// Pixels of the widest micro-kernel; others have half as many, and so on.
constexpr int64_t kMaxPixels = 8;

/// The body of the function dw_P, or dw_PxW for other than 16 channels:
///   for p in P, n in W:
///     c[p * 16 + n] = sum over t of a[p * pixel_stride + taps[t] + n]
///                                   * w[t * w_stride + n]
void emitMicroKernel(CodeBuilder &b, ValueRange args, Isa isa, int64_t pixels,
                     int64_t width) {
  Value a = args[0], pixelStride = args[1], taps = args[2], tapCount = args[3];
  Value w = args[4], wStride = args[5], c = args[6];

  // LLVM legalises widths that are not powers of two.
  int64_t lanes = width < kPanelWidth ? width : getVectorBits(isa) / 32;
  int64_t vectors = width / lanes;
  auto type = VectorType::get({lanes}, b.builder().getF32Type());
  SmallVector<Value> sums(pixels * vectors, b.zero(type));
  sums = b.forLoop(
      b.constant(0), tapCount, b.constant(1), sums,
      [&](Value tap, ValueRange carried) {
        SmallVector<Value> next(carried), weights;
        Value at =
            b.load(b.builder().getI64Type(), b.offset(taps, b.mul(tap, 8)));
        Value element = b.offset(w, b.mul(tap, wStride));
        for (int64_t v = 0; v < vectors; ++v)
          weights.push_back(
              b.load(type, b.offset(element, v * lanes * kElement)));
        Value pixel = b.offset(a, at);
        for (int64_t p = 0; p < pixels; ++p) {
          for (int64_t v = 0; v < vectors; ++v) {
            Value x = b.load(type, b.offset(pixel, v * lanes * kElement));
            next[p * vectors + v] = b.multiplyAdd(
                x, weights[v], next[p * vectors + v], hasFma(isa));
          }
          pixel = b.offset(pixel, pixelStride);
        }
        return next;
      });
  for (auto [i, sum] : llvm::enumerate(sums))
    b.store(sum, b.offset(c, (i / vectors * kPanelWidth + i % vectors * lanes) *
                                 kElement));
}

class DepthwiseSchedule : public Schedule {
public:
  DepthwiseSchedule(dhlo::Convolves op, RhsOrder order, bool padded)
      : op(op), order(order), padded(padded) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &options) override {
    packing.emplace(kernel->getParentOp(), options.isa());
    return success();
  }

  Geometry emitGeometry(KernelBuilder &b) override {
    Lines lines(b, op, padded, /*mergeTaps=*/false);
    OpFoldResult items = b.mul(lines.blocks, b.constant(getGroups(lines)));
    OpFoldResult outputs = b.mul(lines.pixels, b.constant(lines.channels));
    OpFoldResult inputs =
        b.mul(b.mul(b.mul(lines.batch, lines.axes[0].in),
                    b.mul(lines.axes[1].in, lines.axes[2].in)),
              b.constant(lines.channels));
    OpFoldResult flops = b.mul(outputs, b.constant(2 * lines.tapCount));
    OpFoldResult bytes = b.mul(b.add(inputs, outputs), b.constant(kElement));
    OpFoldResult grain = getGemmGrain(b, items, flops, bytes, /*isSlow=*/true);
    OpFoldResult scratch =
        b.add(lines.getScratchEnd(b),
              b.constant(kMaxPixels * kPanelWidth * kElement));
    return {items, grain, scratch};
  }

  LogicalResult emitBody(KernelBuilder &b) override {
    Lines lines(b, op, padded, /*mergeTaps=*/false);
    lines.emitTapTable(b);
    OpFoldResult groups = b.constant(getGroups(lines));
    Value input = b.buffer(cast<BlockArgument>(op.getInput()).getArgNumber());
    forEachItemKeeping(b, 1, [&](Value item, ValueRange carried) {
      Value number = b.value(b.div(item, groups));
      Lines::Block block = lines.getBlock(b, number);
      if (padded)
        b.ifThen(b.cmp(CmpIPredicate::ne, number, carried[0]),
                 [&] { lines.emitCopy(b, *packing, input, block); });
      lines.setBase(b, input, block);
      emitItem(b, lines, block, b.rem(item, groups));
      return SmallVector<Value>{number};
    });
    return success();
  }

private:
  static int64_t getGroups(const Lines &lines) {
    return llvm::divideCeil(lines.channels, kPanelWidth * kItemPanels);
  }

  void emitItem(KernelBuilder &b, const Lines &lines, const Lines::Block &block,
                OpFoldResult group);
  void emitPixels(KernelBuilder &b, const Lines &lines,
                  const Lines::Block &block, OpFoldResult line,
                  OpFoldResult pixel, int64_t pixels, OpFoldResult channel);

  dhlo::Convolves op;
  RhsOrder order;
  bool padded;
  std::optional<Packing> packing;
};

void DepthwiseSchedule::emitItem(KernelBuilder &b, const Lines &lines,
                                 const Lines::Block &block,
                                 OpFoldResult group) {
  int64_t panels = llvm::divideCeil(lines.channels, kPanelWidth);
  OpFoldResult first = b.mul(group, b.constant(kItemPanels));
  OpFoldResult last =
      b.min(b.add(first, b.constant(kItemPanels)), b.constant(panels));
  OpFoldResult zero = b.constant(0), width = lines.axes[2].out;
  b.loop(zero, block.lineCount, 1, [&](Value line) {
    b.loop(first, last, 1, [&](Value panel) {
      // The last panel overlaps the one before, so that all panels are full.
      OpFoldResult channel =
          b.min(b.mul(panel, b.constant(kPanelWidth)),
                b.constant(std::max<int64_t>(0, lines.channels - kPanelWidth)));
      OpFoldResult from = zero;
      for (int64_t pixels = kMaxPixels; pixels >= 1; pixels /= 2) {
        OpFoldResult to =
            b.mul(b.div(width, b.constant(pixels)), b.constant(pixels));
        b.loop(from, to, pixels, [&](Value pixel) {
          emitPixels(b, lines, block, line, pixel, pixels, channel);
        });
        from = to;
      }
    });
  });
}

void DepthwiseSchedule::emitPixels(KernelBuilder &b, const Lines &lines,
                                   const Lines::Block &block, OpFoldResult line,
                                   OpFoldResult pixel, int64_t pixels,
                                   OpFoldResult channel) {
  Type f32 = b.getF32Type();
  Value filter = b.buffer(cast<BlockArgument>(op.getFilter()).getArgNumber());
  bool isPacked = order == RhsOrder::Panels;
  // In panels, consecutive filter elements of a channel are 16 apart.
  Value weights = b.address(
      filter, isPacked ? b.mul(channel, b.constant(lines.tapCount)) : channel,
      f32);
  int64_t weightStride = isPacked ? kPanelWidth : lines.channels;
  Value source = b.address(lines.getPixel(b, block, line, pixel), channel, f32);
  Value tile = b.scratch(lines.getScratchEnd(b));
  int64_t width = std::min(lines.channels, kPanelWidth);
  std::string name = "dw_" + std::to_string(pixels);
  if (width != kPanelWidth)
    name += "x" + std::to_string(width);
  CodeBuilder code(b, b.getLoc());
  callHelper(code, b.getKernel()->getParentOp(), name,
             {source, b.value(b.mul(lines.pixelStride, b.constant(kElement))),
              b.scratch(b.constant(lines.getTapTableOffset())),
              b.indexConstant(lines.tapCount), weights,
              b.indexConstant(weightStride * kElement), tile},
             [&](CodeBuilder &helper, ValueRange args) {
               emitMicroKernel(helper, args, b.getOptions().isa(), pixels,
                               width);
             });

  auto type = cast<RankedTensorType>(op.getType());
  dhlo::DimExpr rows = dhlo::getConstDim(op.getContext(), 1);
  for (int64_t axis = 0; axis + 1 < type.getRank(); ++axis)
    rows = dhlo::mul(rows, dhlo::getDim(type, axis));
  GemmEpilogue epilogue(b, op.getResult(), rows,
                        dhlo::getConstDim(op.getContext(), lines.channels));
  epilogue.emit(lines.getRow(b, block, line, pixel), b.constant(pixels),
                channel, b.constant(1), tile, b.constant(kPanelWidth));
}

} // namespace

std::unique_ptr<Schedule>
dyn::createDepthwiseSchedule(dhlo::Convolves op, RhsOrder order, bool padded) {
  return std::make_unique<DepthwiseSchedule>(op, order, padded);
}
