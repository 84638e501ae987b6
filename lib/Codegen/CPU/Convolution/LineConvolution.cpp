//===- LineConvolution.cpp - Convolutions by image rows -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// See Convolution.cpp for the idea.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"

#include "Codegen/CPU/Convolution/Lines.h"
#include "Codegen/CPU/Gemm/KeptItems.h"
#include "Codegen/Common/Problems/GroupOffsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kElement = 4;

/// How a sum over taps and channels is split along K, so that all tiles of a
/// block of image rows use one part of the filter before the next: in parts of
/// some taps, or of some channels of a tap. Where taps may be outside of the
/// input for a whole image row, a block has those of one row of the window, or
/// one of them, and leaves these out.
struct SumBlocks {
  /// `width`: columns of a group of panels.
  SumBlocks(const CpuInfo &cpu, const Lines &lines, int64_t width)
      : tapCount(lines.tapCount), depth(lines.depth),
        leavesOut(lines.mayLeaveOut()) {
    int64_t fit =
        std::max<int64_t>(1, cpu.convolutionGroupBytes / (width * kElement));
    taps = std::clamp<int64_t>(fit / depth, 1, tapCount);
    if (leavesOut)
      taps = taps >= lines.getRowTaps() ? lines.getRowTaps() : 1;
    parts = taps > 1 ? 1 : llvm::divideCeil(depth, fit);
    partDepth = llvm::divideCeil(depth, parts);
    count = llvm::divideCeil(tapCount, taps) * parts;
  }

  int64_t tapCount, depth;
  int64_t taps;             ///< of a block
  int64_t parts, partDepth; ///< of a tap, if a block is less than one
  int64_t count;
  bool leavesOut;
};

/// The part of the result that an item computes in its block: columns, all of
/// one group of channels, and the panels of the filter that have them.
struct Columns {
  OpFoldResult panel, panels; ///< the first one, and their number
  OpFoldResult first, count;
  OpFoldResult channel; ///< of the input, the first of the group
};

/// Maximum of panels that `count` columns touch which begin at a multiple of
/// `count`.
int64_t countPanels(int64_t count, int64_t groups) {
  int64_t most = 0;
  for (int64_t group = 0; group < std::min(groups, kPanelWidth); ++group)
    most = std::max<int64_t>(
        most,
        llvm::divideCeil(group * count % kPanelWidth + count, kPanelWidth));
  return most;
}

/// Sizes of the work, computed in the same way by geometry and body.
struct Work {
  Work(KernelBuilder &b, const TileShapes &shapes, dhlo::Convolves op,
       RhsOrder order, bool padded);

  /// How an image row of a block is split into tiles.
  RowTiles getRowTiles(KernelBuilder &b, const TileShapes &shapes,
                       OpFoldResult pixels) const {
    return RowTiles(b, shapes, pixels, lines.minPixels, lines.maxPixels,
                    channelPanels);
  }
  /// The columns of item `number` of a block.
  Columns getColumns(KernelBuilder &b, OpFoldResult number) const;

  Lines lines;
  int64_t numbers, panels, depth; ///< depth: K
  /// Groups of channels, and the columns of each and their panels. Panels may
  /// be of several groups: then each computes all columns and stores its own.
  int64_t channelGroups, channelNumbers, channelPanels;
  /// Groups of panels of a group of channels, and of all.
  OpFoldResult panelsPerGroup, groupsPerChannels, groups, items;
  int64_t tileWidth;
  std::optional<SumBlocks> sumBlocks; ///< if there are several
  /// Bytes of a tile of results, which holds partial sums between blocks along
  /// K.
  int64_t tileBytes;
  OpFoldResult tileOffset, zerosOffset, filterOffset, scratchBytes;
  OpFoldResult flops, bytes;
};

/// Whether pixels of several image rows may be rows of a tile. Those of images
/// with their own filters may not, and a filter that is not packed is too much
/// work already.
bool canJoin(dhlo::Convolves op, RhsOrder order) {
  return !op.getImageOffsets() && order == RhsOrder::Panels;
}

Work::Work(KernelBuilder &b, const TileShapes &shapes, dhlo::Convolves op,
           RhsOrder order, bool padded)
    : lines(b, op, padded, canJoin(op, order) ? &shapes : nullptr) {
  numbers = cast<RankedTensorType>(op.getFilter().getType()).getShape().back();
  panels = llvm::divideCeil(numbers, kPanelWidth);
  depth = lines.tapCount * lines.depth;
  channelGroups = op.getGroups();
  channelNumbers = numbers / channelGroups;
  channelPanels = countPanels(channelNumbers, channelGroups);
  panelsPerGroup = getRowTiles(b, shapes, lines.blockPixels).panels;
  groupsPerChannels = b.ceilDiv(b.constant(channelPanels), panelsPerGroup);
  groups = b.mul(groupsPerChannels, b.constant(channelGroups));
  items = b.mul(lines.blocks, groups);
  tileWidth = std::min(shapes.maxPanels(), channelPanels) * kPanelWidth;
  tileBytes = shapes.rowLimit() * tileWidth * kElement;
  tileOffset = lines.getScratchEnd(b);
  OpFoldResult tiles = b.constant(1);
  if (order == RhsOrder::Panels)
    sumBlocks.emplace(b.getCpu(), lines, tileWidth);
  if (sumBlocks && sumBlocks->count == 1)
    sumBlocks.reset();
  if (sumBlocks)
    tiles = b.mul(getRowTiles(b, shapes, lines.blockPixels).tiles,
                  b.max(lines.linesPerBlock, b.constant(1)));
  zerosOffset = b.add(
      tileOffset, b.mul(b.max(tiles, b.constant(1)), b.constant(tileBytes)));
  filterOffset =
      b.add(zerosOffset, b.constant(sumBlocks ? tileWidth * kElement : 0));
  scratchBytes = b.add(
      filterOffset,
      b.constant(order == RhsOrder::Panels ? 0 : depth * tileWidth * kElement));
  OpFoldResult filters = op.getImageOffsets()
                             ? b.min(lines.batch, b.size(op.getFilter(), 0))
                             : b.constant(1);
  flops = b.mul(lines.pixels, b.constant(2 * depth * numbers));
  bytes = b.add(
      b.mul(filters, b.constant(kElement * depth * numbers)),
      b.add(b.mul(lines.pixels, b.constant(kElement * numbers)),
            b.mul(lines.inputPixels, b.constant(kElement * lines.channels))));
}

Columns Work::getColumns(KernelBuilder &b, OpFoldResult number) const {
  OpFoldResult width = b.constant(kPanelWidth);
  bool isOne = channelGroups == 1;
  OpFoldResult channels =
      isOne ? b.constant(0) : b.div(number, groupsPerChannels);
  OpFoldResult inChannels = isOne ? number : b.rem(number, groupsPerChannels);
  OpFoldResult first = b.mul(channels, b.constant(channelNumbers));
  OpFoldResult end = b.add(first, b.constant(channelNumbers));
  Columns columns;
  columns.channel = b.mul(channels, b.constant(lines.channels / channelGroups));
  columns.panel = b.add(b.div(first, width), b.mul(inChannels, panelsPerGroup));
  columns.panels =
      b.min(panelsPerGroup, b.sub(b.ceilDiv(end, width), columns.panel));
  columns.first = b.max(first, b.mul(columns.panel, width));
  OpFoldResult last =
      b.min(end, b.mul(b.add(columns.panel, panelsPerGroup), width));
  columns.count = channelPanels == 1
                      ? b.constant(channelNumbers)
                      : b.max(b.constant(0), b.sub(last, columns.first));
  return columns;
}

class LineConvolutionSchedule : public Schedule {
public:
  LineConvolutionSchedule(dhlo::Convolves op, RhsOrder order, bool padded)
      : op(op), order(order), padded(padded) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &options) override {
    auto filter = cast<RankedTensorType>(op.getFilter().getType());
    int64_t groups = op.getGroups();
    microKernels.emplace(
        kernel->getParentOp(), options.target.cpu.registers, Factors::F32,
        countPanels(filter.getShape().back() / groups, groups));
    packing.emplace(kernel->getParentOp(), options.isa());
    return success();
  }

  Geometry emitGeometry(KernelBuilder &b) override {
    Work work(b, microKernels->getShapes(), op, order, padded);
    OpFoldResult grain = getGemmGrain(b, work.items, work.flops, work.bytes);
    return {work.items, grain, work.scratchBytes};
  }

  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// `filter` is the filter's index, if there are several.
  void emitItem(KernelBuilder &b, const Work &work, Lines::Block &block,
                Value filter, OpFoldResult group);
  void emitZeros(KernelBuilder &b, const Work &work, const Lines::Block &block,
                 OpFoldResult panel, OpFoldResult count);
  void emitTile(KernelBuilder &b, const Work &work, const RowTiles &rowTiles,
                const Lines::Block &block, Value filter, OpFoldResult line,
                OpFoldResult tile, const Columns &columns, Value sumBlock);
  /// Makes a call, for pixels of row `line` of a block, continue with a block
  /// of the sums at `sums`.
  DepthBlock emitSumBlock(KernelBuilder &b, const Work &work,
                          const Lines::Block &block, OpFoldResult line,
                          Value number, Value sums, MicroKernelCall &call);
  Value getInput(KernelBuilder &b) {
    return b.buffer(cast<BlockArgument>(op.getInput()).getArgNumber());
  }
  Value getFilter(KernelBuilder &b, const Work &work, Value number) {
    auto type = cast<RankedTensorType>(op.getFilter().getType());
    Value filter = b.buffer(cast<BlockArgument>(op.getFilter()).getArgNumber());
    int64_t offset =
        order == RhsOrder::Panels ? dlhlo::getPanelsOffset(type) : 0;
    int64_t columns =
        order == RhsOrder::Panels ? work.panels * kPanelWidth : work.numbers;
    OpFoldResult before = number
                              ? b.mul(number, b.constant(work.depth * columns))
                              : b.constant(0);
    return b.address(filter, b.add(before, b.constant(offset)), b.getF32Type());
  }

  dhlo::Convolves op;
  RhsOrder order;
  bool padded;
  std::optional<MicroKernels> microKernels;
  std::optional<Packing> packing;
};

LogicalResult LineConvolutionSchedule::emitBody(KernelBuilder &b) {
  Work work(b, microKernels->getShapes(), op, order, padded);
  work.lines.emitTapTable(b);
  if (work.sumBlocks)
    for (int64_t i = 0; i < work.tileWidth; i += kPanelWidth)
      b.store(b.number(0, b.getF32Type(), kPanelWidth),
              b.scratch(work.zerosOffset), b.constant(i), b.getF32Type(),
              kPanelWidth);
  bool leavesOut = work.sumBlocks && work.sumBlocks->leavesOut;
  auto emitBlock = [&](Value number, Lines::Block &block, Value filter,
                       OpFoldResult group, Value isNew) {
    if (work.lines.mayCopy())
      b.ifThen(isNew, [&] {
        work.lines.emitCopy(b, *packing, getInput(b), block, leavesOut);
      });
    work.lines.setBase(b, getInput(b), block);
    emitItem(b, work, block, filter, group);
  };
  bool hasFilters = !!op.getImageOffsets();
  forEachItemKeeping(
      b, hasFilters ? 2 : 1, [&](Value item, ValueRange carried) {
        Value number = b.value(b.div(item, work.groups));
        OpFoldResult group = b.rem(item, work.groups);
        Lines::Block block = work.lines.getBlock(b, number);
        Value isNew = b.cmp(CmpIPredicate::ne, number, carried[0]);
        if (!hasFilters) {
          emitBlock(number, block, Value(), group, isNew);
          return SmallVector<Value>{number};
        }
        GroupOffsets offsets = {op, op.getImageOffsets(),
                                b.getDims().getDim(op.getInput(), 0)};
        Value filter = b.ifElse(
            isNew, b.getI64Type(),
            [&] { return offsets.emitGroup(b, block.image); },
            [&] { return carried[1]; });
        // One comparison checks both bounds.
        OpFoldResult count = b.size(op.getFilter(), 0);
        b.ifThen(
            b.cmp(CmpIPredicate::ult, filter, count),
            [&] { emitBlock(number, block, filter, group, isNew); },
            [&] {
              OpFoldResult panel = b.mul(group, work.panelsPerGroup);
              emitZeros(b, work, block, panel,
                        b.min(work.panelsPerGroup,
                              b.sub(b.constant(work.panels), panel)));
            });
        return SmallVector<Value>{number, filter};
      });
  return success();
}

void LineConvolutionSchedule::emitZeros(KernelBuilder &b, const Work &work,
                                        const Lines::Block &block,
                                        OpFoldResult panel,
                                        OpFoldResult count) {
  CodeBuilder code(b, b.getLoc());
  OpFoldResult zero = b.constant(0), width = b.constant(work.tileWidth);
  Value tile = b.scratch(work.tileOffset);
  packing->clear(code, b.value(width), tile);
  GemmEpilogue epilogue = createPixelEpilogue(b, op);
  b.loop(zero, block.lineCount, 1, [&](Value line) {
    b.loop(zero, block.pixels, 1, [&](Value pixel) {
      epilogue.emit(work.lines.getRow(b, block, line, pixel), b.constant(1),
                    b.mul(panel, b.constant(kPanelWidth)), count, tile, width);
    });
  });
}

void LineConvolutionSchedule::emitItem(KernelBuilder &b, const Work &work,
                                       Lines::Block &block, Value filter,
                                       OpFoldResult group) {
  Columns columns = work.getColumns(b, group);
  if (order == RhsOrder::RowsOfN)
    packPanels(b, *packing, getFilter(b, work, filter), b.constant(work.depth),
               b.constant(work.numbers), columns.panel, columns.panels,
               b.scratch(work.filterOffset), b.getF32Type());
  RowTiles rowTiles =
      work.getRowTiles(b, microKernels->getShapes(), block.pixels);
  auto emitTiles = [&](Value sumBlock) {
    b.loop(b.constant(0), block.lineCount, 1, [&](Value line) {
      b.loop(b.constant(0), rowTiles.tiles, 1, [&](Value tile) {
        emitTile(b, work, rowTiles, block, filter, line, tile, columns,
                 sumBlock);
      });
    });
  };
  if (!work.sumBlocks)
    return emitTiles(Value());
  b.loop(b.constant(0), b.constant(work.sumBlocks->count), 1, emitTiles);
}

void LineConvolutionSchedule::emitTile(KernelBuilder &b, const Work &work,
                                       const RowTiles &rowTiles,
                                       const Lines::Block &block, Value filter,
                                       OpFoldResult line, OpFoldResult tile,
                                       const Columns &columns, Value sumBlock) {
  Type f32 = b.getF32Type();
  OpFoldResult first = rowTiles.getFirst(b, tile);
  OpFoldResult rows = rowTiles.getCount(b, tile);
  OpFoldResult row = work.lines.getRow(b, block, line, first);

  MicroKernelCall call;
  call.a = b.address(work.lines.getPixel(b, block, line, first),
                     columns.channel, f32);
  call.rowStride = b.value(b.mul(work.lines.pixelStride, b.constant(kElement)));
  call.taps = b.scratch(b.constant(work.lines.getTapTableOffset()));
  call.tapCount = b.indexConstant(work.lines.tapCount);
  call.depth = b.indexConstant(work.lines.depth);
  OpFoldResult number = b.add(b.mul(line, rowTiles.tiles), tile);
  Value sums = b.scratch(work.tileOffset);
  std::optional<DepthBlock> depthBlock;
  if (sumBlock) {
    sums = b.scratch(
        b.add(work.tileOffset, b.mul(number, b.constant(work.tileBytes))));
    depthBlock = emitSumBlock(b, work, block, line, sumBlock, sums, call);
  }
  OpFoldResult start = columns.panel;
  OpFoldResult panelSize = b.constant(work.depth * kPanelWidth);
  OpFoldResult panelBytes = b.mul(panelSize, b.constant(kElement));
  const DepthBlock *along = depthBlock ? &*depthBlock : nullptr;
  if (order == RhsOrder::Panels) {
    start = rowTiles.getGroupStart(b, columns.panel, b.constant(work.panels));
    call.b =
        b.address(getFilter(b, work, filter), b.mul(start, panelSize), f32);
    rowTiles.setAhead(b, call, number, b.mul(block.lineCount, rowTiles.tiles),
                      rowTiles.panels, panelBytes, kElement * kPanelWidth,
                      along);
    if (along)
      call.b =
          b.address(call.b, b.mul(along->first, b.constant(kPanelWidth)), f32);
  } else {
    call.b = b.scratch(work.filterOffset);
  }
  call.panelStride = b.value(panelBytes);

  GemmEpilogue epilogue = createPixelEpilogue(b, op);
  if (work.channelGroups == 1)
    return epilogue.multiply(
        rowTiles, *microKernels, call,
        {row, rows, columns.panel, columns.panels, start, b.constant(0)},
        order == RhsOrder::Panels, sums, work.tileWidth, along);

  // The tile has columns of other groups, too.
  call.c = sums;
  call.cStride = b.indexConstant(work.tileWidth * kElement);
  rowTiles.multiply(b, *microKernels, rows, call);
  auto store = [&] {
    OpFoldResult before =
        b.sub(columns.first, b.mul(start, b.constant(kPanelWidth)));
    epilogue.emitColumns(row, rows, columns.first, columns.count,
                         b.address(sums, before, f32),
                         b.constant(work.tileWidth));
  };
  if (!along)
    return store();
  b.ifThen(along->isLast, store);
}

DepthBlock LineConvolutionSchedule::emitSumBlock(
    KernelBuilder &b, const Work &work, const Lines::Block &imageRows,
    OpFoldResult line, Value number, Value sums, MicroKernelCall &call) {
  const SumBlocks &blocks = *work.sumBlocks;
  Type f32 = b.getF32Type();
  OpFoldResult parts = b.constant(blocks.parts);
  OpFoldResult tap = b.mul(b.div(number, parts), b.constant(blocks.taps));
  OpFoldResult end =
      b.min(b.add(tap, b.constant(blocks.taps)), b.constant(blocks.tapCount));
  if (blocks.leavesOut) {
    OpFoldResult rowTaps = b.constant(work.lines.getRowTaps()),
                 heights = b.constant(work.lines.axes[1].window);
    OpFoldResult row = b.div(tap, rowTaps), first = b.mul(row, rowTaps);
    Lines::Taps inside = work.lines.getTaps(
        b, imageRows, line, b.div(row, heights), b.rem(row, heights));
    tap = b.min(end, b.max(tap, b.add(first, inside.lower)));
    end = b.max(tap, b.min(end, b.add(first, inside.upper)));
  }
  OpFoldResult inTap =
      b.mul(b.rem(number, parts), b.constant(blocks.partDepth));
  DepthBlock block = {
      b.add(b.mul(tap, b.constant(blocks.depth)), inTap),
      b.constant(blocks.taps * blocks.partDepth),
      b.cmp(CmpIPredicate::eq, number, b.constant(0)),
      b.cmp(CmpIPredicate::eq, number, b.constant(blocks.count - 1))};
  call.taps = b.address(call.taps, tap, b.getI64Type());
  call.tapCount = b.value(b.sub(end, tap));
  call.a = b.address(call.a, inTap, f32);
  call.depth = b.value(b.min(b.constant(blocks.partDepth),
                             b.sub(b.constant(blocks.depth), inTap)));
  call.start = arith::SelectOp::create(b, block.isFirst,
                                       b.scratch(work.zerosOffset), sums);
  call.startStride = b.value(b.select(block.isFirst, b.constant(0),
                                      b.constant(work.tileWidth * kElement)));
  return block;
}

} // namespace

std::unique_ptr<Schedule> dyn::createLineConvolutionSchedule(dhlo::Convolves op,
                                                             RhsOrder order,
                                                             bool padded) {
  return std::make_unique<LineConvolutionSchedule>(op, order, padded);
}
