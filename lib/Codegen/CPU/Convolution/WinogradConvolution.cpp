//===- WinogradConvolution.cpp - Convolutions of 3 x 3 by Winograd --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// See Winograd.h for the algorithm. The tiles of all images are numbered
// consecutively; a block is some consecutive tiles, and an item is (block,
// group of panels):
//
//   V[p][tile][c] = B^T d B    once per block, channel vectors of 6 x 6 pixels
//   M[p][tile][n] = V[p] U[p]  36 matmuls by micro-kernels, a group of panels
//   Y[tile] = A^T M A          then the epilogue of the convolution
//
// The filter is four times as large as the direct one, and with few tiles
// reading it takes longer than multiplying. So the constant holds both, and
// each call selects by the size of an image.
//
// Items of one block are consecutive, so a thread with a range of items
// transforms a block once. Pixels outside the image are read from zeros in
// scratch. A tile's bits do not depend on the block that it is in.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"
#include "Codegen/CPU/Convolution/WinogradTransforms.h"
#include "Codegen/CPU/Gemm/KeptItems.h"

#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Gemm/Packing.h"
#include "dyn/Support/Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using winograd::kInputs;
using winograd::kResults;
using winograd::kTransformed;

namespace {

constexpr int64_t kElement = 4;
/// Groups of panels that an item computes in turn if V is large.
constexpr int64_t kManyGroups = 4;
/// Padding elements between rows and between matrices.
constexpr int64_t kPadding = 16;

/// Sizes of the work, computed in the same way by geometry and body.
struct Work {
  Work(KernelBuilder &b, const TileShapes &shapes, dhlo::Convolves op);
  /// How the matmuls of a block with `count` tiles are split.
  RowTiles getRowTiles(KernelBuilder &b, const TileShapes &shapes,
                       OpFoldResult count) const {
    return RowTiles(b, shapes, count, 0, maxTiles, panels);
  }
  /// Whether there are enough results for the size of the filter: with ten
  /// flops in the time of a byte, 72 flops a tile and 144 bytes are less than
  /// 18 flops a pixel, and some are lost to the transforms. Of one image: its
  /// bits must not depend on how many others there are.
  Value emitIsWorth(KernelBuilder &b) const {
    OpFoldResult least = b.add(b.mul(perImage, b.constant(5)), b.constant(80));
    return b.cmp(CmpIPredicate::sgt, b.mul(out[0], out[1]), least);
  }
  /// Elements of a matrix of V or M with `count` rows.
  static OpFoldResult getMatrix(KernelBuilder &b, OpFoldResult count,
                                OpFoldResult width) {
    return b.add(b.mul(count, width), b.constant(kPadding));
  }

  int64_t channels, numbers, panels;
  int64_t maxTiles;                          ///< of a block
  OpFoldResult batch, in[2], out[2], low[2]; ///< height, width
  OpFoldResult across, perImage, tiles;      ///< tiles
  OpFoldResult blocks, groups, items;
  OpFoldResult panelsPerGroup, panelsPerItem;
  /// Elements of a row of V, of M and Y. Rows and matrices of V are padded, so
  /// that they do not share sets of a cache.
  int64_t inputWidth;
  OpFoldResult transformedWidth;
  // Scratch, in bytes: the tap, the pixels of a tile, zeros, Y of a tile, V, M.
  int64_t pixelOffset, zeroOffset, resultOffset, inputOffset, transformedOffset;
  int64_t scratchBytes;
  OpFoldResult flops, bytes;
};

Work::Work(KernelBuilder &b, const TileShapes &shapes, dhlo::Convolves op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  channels = filter.getDimSize(2);
  numbers = filter.getDimSize(3);
  panels = llvm::divideCeil(numbers, kPanelWidth);
  const CpuInfo &cpu = b.getCpu();
  maxTiles = cpu.winogradTiles;
  batch = b.size(op.getInput(), 0);
  for (int64_t axis : {0, 1}) {
    in[axis] = b.size(op.getInput(), 1 + axis);
    out[axis] = b.size(op.getResult(), 1 + axis);
    low[axis] = b.size(cast<dhlo::DimExprAttr>(op.getLow()[axis]));
  }
  OpFoldResult side = b.constant(kResults);
  across = b.ceilDiv(out[1], side);
  perImage = b.mul(b.ceilDiv(out[0], side), across);
  tiles = b.mul(batch, perImage);

  blocks = b.ceilDiv(tiles, b.constant(maxTiles));
  // Blocks differ by at most one tile, so that one tile shape serves all.
  panelsPerGroup = getRowTiles(b, shapes, b.ceilDiv(tiles, blocks)).panels;
  int64_t blockBytes = kTransformed * maxTiles * channels * kElement;
  // From half of the L2 cache on, V is read less often.
  int64_t groupsPerItem = blockBytes < cpu.l2Bytes / 2 ? 1 : kManyGroups;
  panelsPerItem = b.min(b.constant(panels),
                        b.mul(panelsPerGroup, b.constant(groupsPerItem)));
  groups = b.ceilDiv(b.constant(panels), panelsPerItem);
  items = b.mul(blocks, groups);

  inputWidth = channels + kPadding;
  transformedWidth = b.mul(panelsPerItem, b.constant(kPanelWidth));
  int64_t maxWidth =
      std::min(groupsPerItem * shapes.maxPanels(), panels) * kPanelWidth;
  pixelOffset = 64;
  zeroOffset = pixelOffset + llvm::alignTo(kTransformed * 8, 64);
  resultOffset = zeroOffset + channels * kElement;
  inputOffset = resultOffset + kResults * kResults * maxWidth * kElement;
  transformedOffset = inputOffset + kTransformed *
                                        (maxTiles * inputWidth + kPadding) *
                                        kElement;
  scratchBytes = transformedOffset +
                 kTransformed * (maxTiles * maxWidth + kPadding) * kElement;

  OpFoldResult pixels = b.mul(batch, b.mul(out[0], out[1]));
  OpFoldResult inputs = b.mul(batch, b.mul(in[0], in[1]));
  flops = b.mul(tiles, b.constant(2 * kTransformed * channels * numbers));
  bytes = b.add(b.constant(kElement * kTransformed * channels * numbers),
                b.add(b.mul(pixels, b.constant(kElement * numbers)),
                      b.mul(inputs, b.constant(kElement * channels))));
}

class WinogradSchedule : public Schedule {
public:
  WinogradSchedule(dhlo::Convolves op, bool padded)
      : op(op),
        direct(createLineConvolutionSchedule(op, RhsOrder::Panels, padded)) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override {
    Operation *symbolTable = kernel->getParentOp();
    microKernels.emplace(symbolTable, options.target.cpu.registers);
    packing.emplace(symbolTable, options.isa());
    transforms.emplace(symbolTable, options.isa());
    return direct->match(kernel, dims, options);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  void emitWinograd(KernelBuilder &b, const Work &work);
  /// Consecutive tiles.
  struct Block {
    OpFoldResult first, count;
  };
  /// The position of a tile's first result.
  struct TilePosition {
    OpFoldResult image, line, pixel;
  };
  TilePosition getTilePosition(KernelBuilder &b, const Work &work,
                               OpFoldResult tile) {
    OpFoldResult inImage = b.rem(tile, work.perImage);
    OpFoldResult side = b.constant(kResults);
    return {b.div(tile, work.perImage),
            b.mul(b.div(inImage, work.across), side),
            b.mul(b.rem(inImage, work.across), side)};
  }
  void emitPixels(KernelBuilder &b, const Work &work,
                  const TilePosition &position);
  void emitInput(KernelBuilder &b, const Work &work, const Block &block);
  /// Matmuls of an item that begins with `panel`; M begins with `start`.
  void emitDots(KernelBuilder &b, const Work &work, const Block &block,
                OpFoldResult panel, OpFoldResult start);
  /// Results of the panels of that item.
  void emitResults(KernelBuilder &b, const Work &work, const Block &block,
                   OpFoldResult panel, OpFoldResult start);
  Value getBuffer(KernelBuilder &b, Value operand) {
    return b.buffer(cast<BlockArgument>(operand).getArgNumber());
  }

  dhlo::Convolves op;
  std::unique_ptr<Schedule> direct;
  std::optional<MicroKernels> microKernels;
  std::optional<Packing> packing;
  std::optional<WinogradTransforms> transforms;
};

Geometry WinogradSchedule::emitGeometry(KernelBuilder &b) {
  Work work(b, microKernels->getShapes(), op);
  OpFoldResult grain = getGemmGrain(b, work.items, work.flops, work.bytes);
  Geometry few = direct->emitGeometry(b);
  Value isWorth = work.emitIsWorth(b);
  return {b.select(isWorth, work.items, few.items),
          b.select(isWorth, grain, few.grain),
          b.select(isWorth, b.constant(work.scratchBytes), few.scratchBytes)};
}

LogicalResult WinogradSchedule::emitBody(KernelBuilder &b) {
  Work work(b, microKernels->getShapes(), op);
  LogicalResult emitted = success();
  b.ifThen(
      work.emitIsWorth(b), [&] { emitWinograd(b, work); },
      [&] { emitted = direct->emitBody(b); });
  return emitted;
}

void WinogradSchedule::emitWinograd(KernelBuilder &b, const Work &work) {
  CodeBuilder code(b, b.getLoc());
  // A matmul has one tap, at offset 0.
  b.store(b.indexConstant(0), b.scratch(b.constant(0)), b.constant(0),
          b.getI64Type(), 1);
  packing->clear(code, b.indexConstant(work.channels),
                 b.scratch(b.constant(work.zeroOffset)));
  forEachItemKeeping(b, 1, [&](Value item, ValueRange carried) {
    Value number = b.value(b.div(item, work.groups));
    OpFoldResult count = b.div(work.tiles, work.blocks);
    OpFoldResult larger = b.rem(work.tiles, work.blocks);
    Block block;
    block.first = b.add(b.mul(number, count), b.min(number, larger));
    block.count =
        b.add(count, b.select(b.cmp(CmpIPredicate::slt, number, larger),
                              b.constant(1), b.constant(0)));
    b.ifThen(b.cmp(CmpIPredicate::ne, number, carried[0]),
             [&] { emitInput(b, work, block); });
    OpFoldResult panel = b.mul(b.rem(item, work.groups), work.panelsPerItem);
    OpFoldResult start =
        work.getRowTiles(b, microKernels->getShapes(), block.count)
            .getGroupStart(b, panel, b.constant(work.panels));
    emitDots(b, work, block, panel, start);
    emitResults(b, work, block, panel, start);
    return SmallVector<Value>{number};
  });
}

/// Writes the addresses of a tile's pixels to scratch.
void WinogradSchedule::emitPixels(KernelBuilder &b, const Work &work,
                                  const TilePosition &position) {
  Type f32 = b.getF32Type();
  Value zeros = b.scratch(b.constant(work.zeroOffset));
  Value table = b.scratch(b.constant(work.pixelOffset));
  Value input = getBuffer(b, op.getInput());
  auto isInside = [&](OpFoldResult at, OpFoldResult size) -> Value {
    return arith::AndIOp::create(b,
                                 b.cmp(CmpIPredicate::sge, at, b.constant(0)),
                                 b.cmp(CmpIPredicate::slt, at, size));
  };
  SmallVector<OpFoldResult> columns;
  SmallVector<Value> isColumn;
  OpFoldResult left = b.sub(position.pixel, work.low[1]);
  for (int64_t j = 0; j < kInputs; ++j) {
    columns.push_back(b.add(left, b.constant(j)));
    isColumn.push_back(isInside(columns.back(), work.in[1]));
  }
  for (int64_t i = 0; i < kInputs; ++i) {
    OpFoldResult y = b.add(b.sub(position.line, work.low[0]), b.constant(i));
    Value isLine = isInside(y, work.in[0]);
    OpFoldResult line =
        b.mul(b.add(b.mul(position.image, work.in[0]), y), work.in[1]);
    for (int64_t j = 0; j < kInputs; ++j) {
      Value pixel = b.address(
          input, b.mul(b.add(line, columns[j]), b.constant(work.channels)),
          f32);
      Value valid = arith::AndIOp::create(b, isLine, isColumn[j]);
      Value address = arith::SelectOp::create(b, valid, pixel, zeros);
      LLVM::StoreOp::create(
          b, address,
          b.address(table, b.constant(i * kInputs + j), b.getI64Type()), 8);
    }
  }
}

void WinogradSchedule::emitInput(KernelBuilder &b, const Work &work,
                                 const Block &block) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  Value inputs = b.scratch(b.constant(work.inputOffset));
  OpFoldResult width = b.constant(work.inputWidth);
  OpFoldResult matrix = work.getMatrix(b, block.count, width);
  b.loop(b.constant(0), block.count, 1, [&](Value i) {
    emitPixels(b, work, getTilePosition(b, work, b.add(block.first, i)));
    transforms->input(code, b.scratch(b.constant(work.pixelOffset)),
                      b.indexConstant(work.channels),
                      b.address(inputs, b.mul(i, width), f32),
                      b.value(b.mul(matrix, b.constant(kElement))));
  });
}

void WinogradSchedule::emitDots(KernelBuilder &b, const Work &work,
                                const Block &block, OpFoldResult panel,
                                OpFoldResult start) {
  Type f32 = b.getF32Type();
  RowTiles rowTiles =
      work.getRowTiles(b, microKernels->getShapes(), block.count);
  OpFoldResult inputWidth = b.constant(work.inputWidth);
  OpFoldResult inputMatrix = work.getMatrix(b, block.count, inputWidth);
  OpFoldResult transformedMatrix =
      work.getMatrix(b, block.count, work.transformedWidth);
  OpFoldResult panelSize = b.constant(work.channels * kPanelWidth);
  OpFoldResult filterMatrix = b.mul(b.constant(work.panels), panelSize);
  Value inputs = b.scratch(b.constant(work.inputOffset));
  Value transformed = b.scratch(b.constant(work.transformedOffset));
  Value filter = getBuffer(b, op.getFilter());
  OpFoldResult panels = b.constant(work.panels);
  OpFoldResult end = b.min(panels, b.add(panel, work.panelsPerItem));
  OpFoldResult groups = b.ceilDiv(b.sub(end, panel), work.panelsPerGroup);
  b.loop(b.constant(0), b.constant(kTransformed), 1, [&](Value p) {
    Value input = b.address(inputs, b.mul(p, inputMatrix), f32);
    Value matrix = b.address(transformed, b.mul(p, transformedMatrix), f32);
    b.loop(b.constant(0), groups, 1, [&](Value group) {
      OpFoldResult first = b.add(panel, b.mul(group, work.panelsPerGroup));
      OpFoldResult at = rowTiles.getGroupStart(b, first, panels);
      // The next group, or the first one of the next matmul.
      OpFoldResult following = b.add(group, b.constant(1));
      OpFoldResult next =
          b.select(b.cmp(CmpIPredicate::slt, following, groups),
                   rowTiles.panels, b.add(panels, b.sub(panel, at)));
      Value factor = b.address(
          filter, b.add(b.mul(p, filterMatrix), b.mul(at, panelSize)), f32);
      Value target = b.address(
          matrix, b.mul(b.sub(at, start), b.constant(kPanelWidth)), f32);
      b.loop(b.constant(0), rowTiles.tiles, 1, [&](Value tile) {
        OpFoldResult row = rowTiles.getFirst(b, tile);
        MicroKernelCall call;
        call.a = b.address(input, b.mul(row, inputWidth), f32);
        call.rowStride = b.indexConstant(work.inputWidth * kElement);
        call.taps = b.scratch(b.constant(0));
        call.tapCount = b.indexConstant(1);
        call.depth = b.indexConstant(work.channels);
        call.b = factor;
        OpFoldResult panelBytes = b.mul(panelSize, b.constant(kElement));
        call.panelStride = b.value(panelBytes);
        rowTiles.setAhead(b, call, tile, rowTiles.tiles, next, panelBytes);
        call.c = b.address(target, b.mul(row, work.transformedWidth), f32);
        call.cStride =
            b.value(b.mul(work.transformedWidth, b.constant(kElement)));
        rowTiles.multiply(b, *microKernels, rowTiles.getCount(b, tile), call);
      });
    });
  });
}

void WinogradSchedule::emitResults(KernelBuilder &b, const Work &work,
                                   const Block &block, OpFoldResult panel,
                                   OpFoldResult start) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  OpFoldResult width = work.transformedWidth, element = b.constant(kElement);
  OpFoldResult side = b.constant(kResults);
  Value transformed =
      b.address(b.scratch(b.constant(work.transformedOffset)),
                b.mul(b.sub(panel, start), b.constant(kPanelWidth)), f32);
  Value results = b.scratch(b.constant(work.resultOffset));
  OpFoldResult count =
      b.min(work.panelsPerItem, b.sub(b.constant(work.panels), panel));
  auto type = cast<RankedTensorType>(op.getType());
  dhlo::DimExpr rowExtent =
      dhlo::mul(dhlo::mul(dhlo::getDim(type, 0), dhlo::getDim(type, 1)),
                dhlo::getDim(type, 2));
  GemmEpilogue epilogue(b, op.getResult(), rowExtent,
                        dhlo::getConstDim(op.getContext(), work.numbers));
  b.loop(b.constant(0), block.count, 1, [&](Value i) {
    TilePosition position = getTilePosition(b, work, b.add(block.first, i));
    transforms->output(
        code, b.address(transformed, b.mul(i, width), f32),
        b.value(b.mul(work.getMatrix(b, block.count, width), element)),
        b.value(count), results, b.value(b.mul(width, element)));
    OpFoldResult lines = b.min(side, b.sub(work.out[0], position.line));
    OpFoldResult pixels = b.min(side, b.sub(work.out[1], position.pixel));
    b.loop(b.constant(0), lines, 1, [&](Value y) {
      OpFoldResult line =
          b.add(b.add(b.mul(position.image, work.out[0]), position.line), y);
      epilogue.emit(b.add(b.mul(line, work.out[1]), position.pixel), pixels,
                    b.mul(panel, b.constant(kPanelWidth)), count,
                    b.address(results, b.mul(b.mul(y, side), width), f32),
                    width);
    });
  });
}

} // namespace

std::unique_ptr<Schedule> dyn::createWinogradSchedule(dhlo::Convolves op,
                                                      bool padded) {
  return std::make_unique<WinogradSchedule>(op, padded);
}
