//===- GroupedGemm.cpp - Schedule of grouped_dot --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each group is a GEMM whose M is known when the kernel runs. Its work is
// divided into units: a chunk of its row tiles (RowTiles) by a block of
// columns. So there is at most one small tile for each group, and an empty
// group costs only its bounds.
//
// The number of units and their cost depend on the offsets, which the geometry
// does not know. So an item is not a unit, but a share: item i of n has the
// units that begin in [i, i + 1) n-ths of the total cost, in order. Any split
// of the items is balanced, a group with most of the rows is split over many
// items, and many small groups share one.
//
// Rows are read in place, or copied for a chunk: where the kernel computes
// them, such as rows of a fused gather, where micro-kernels do not read their
// type, and where rows of a tile would evict one another from the cache
// (Gemm.cpp). The rows in no group are zeros, which items share
// evenly.

#include "Codegen/CPU/Gemm/Gemm.h"

#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Gemm/Packing.h"
#include "Codegen/CPU/Gemm/TileRegisters.h"

#include "Codegen/Common/Problems/GroupOffsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {

constexpr int64_t kElement = 4;
/// Panels of a block of columns, a multiple of those of any tile.
constexpr int64_t kBlockPanels = 12;
/// The offsets in scratch of the configuration of tile registers, after the
/// offset of the tap, and of the tile of results.
constexpr int64_t kConfig = 64, kTile = kConfig + tiles::kConfigBytes;
/// The minimum number of tiles of a chunk.
constexpr int64_t kFewTiles = 4;

class GroupedGemmSchedule : public Schedule {
public:
  explicit GroupedGemmSchedule(dhlo::GroupedDotOp op) : op(op) {
    auto lhs = op.getLhs().getType();
    vectors = rows = dhlo::getConstDim(op.getContext(), 1);
    for (int64_t axis = 1; axis < lhs.getRank() - 1; ++axis)
      vectors = dhlo::mul(vectors, dhlo::getDim(lhs, axis));
    rows = dhlo::mul(dhlo::getDim(lhs, 0), vectors);
    auto rhs = op.getRhs().getType();
    groups = dhlo::getDim(rhs, 0);
    k = dhlo::getDim(rhs, 1);
    n = dhlo::getDim(rhs, 2);
    isPacked = isa_and_nonnull<dlhlo::PackedAttr>(rhs.getEncoding());
  }

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Sizes of the work, computed in the same way by geometry and body.
  struct Work {
    OpFoldResult depth;          ///< groups of elements along k
    OpFoldResult panels, blocks; ///< of columns
    OpFoldResult panelSize;      ///< f32 of a panel
    OpFoldResult chunkTiles;     ///< at most
    OpFoldResult items;
    OpFoldResult lhsStride; ///< f32 between rows
    int64_t tileWidth;
    OpFoldResult lhsOffset, rhsOffset, scratchBytes;
  };
  /// A group with rows [begin, end) of the matmul.
  struct Group {
    OpFoldResult number, begin, end, chunks, units, cost;
    std::optional<RowTiles> tiles;
  };
  Work getWork(KernelBuilder &b);
  Group getGroup(KernelBuilder &b, const Work &work, OpFoldResult number,
                 OpFoldResult begin, OpFoldResult end);
  void emitUnits(KernelBuilder &b, const Work &work, const Group &group,
                 OpFoldResult first, OpFoldResult last);
  void emitCopy(KernelBuilder &b, const Work &work, OpFoldResult row,
                OpFoldResult count);
  void emitTile(KernelBuilder &b, const Work &work, const Group &group,
                OpFoldResult firstTile, OpFoldResult lastTile,
                OpFoldResult tile, OpFoldResult block, OpFoldResult panel,
                OpFoldResult count);
  void emitZeros(KernelBuilder &b, const Work &work, OpFoldResult begin,
                 OpFoldResult end, OpFoldResult lead, OpFoldResult covered);

  Value getArgument(KernelBuilder &b, Value operand) {
    return b.buffer(cast<BlockArgument>(operand).getArgNumber());
  }
  Type getRhsElement() { return getElementTypeOrSelf(op.getRhs()); }

  dhlo::GroupedDotOp op;
  DimExpr rows, vectors, groups, k, n;
  bool isPacked, copiesLhs = false;
  Factors factors = Factors::F32;
  std::optional<MicroKernels> microKernels;
  std::optional<Packing> packing;
};

LogicalResult GroupedGemmSchedule::match(dlhlo::KernelOp kernel,
                                         const SymbolicDims &dims,
                                         const CodegenOptions &options) {
  for (Value value :
       {Value(op.getLhs()), Value(op.getRhs()), Value(op.getResult())}) {
    Type element = getElementTypeOrSelf(value);
    if (!element.isF32() && !element.isBF16() && !element.isF16())
      return op.emitError(
                 "expected elements of type f32, f16 or bf16 in groups "
                 "of rows, found ")
             << element;
  }
  for (Value operand : {Value(op.getRhs()), Value(op.getOffsets())})
    if (!isa<BlockArgument>(operand))
      return op.emitError("expected matrices and offsets that are operands of "
                          "the kernel");
  for (Operation &other : kernel.getBody().front().without_terminator())
    if (&other != op.getOperation() && !isa<dhlo::DimOp>(other) &&
        !ElementEmitter::canEmit(&other))
      return other.emitError("no schedule computes ")
             << other.getName() << " together with a contraction";
  factors = getDeclaredFactors(op).getFactors(options.isa());
  copiesLhs =
      !isa<BlockArgument>(op.getLhs()) ||
      (!getElementTypeOrSelf(op.getLhs()).isF32() &&
       factors != Factors::BF16Pairs) ||
      !dims.isMultipleOf(k, getGroupSize(factors)) ||
      (isPacked && k.isConst() &&
       sharesSets(options.target.cpu,
                  k.getValue() * getLhsBytes(factors) / getGroupSize(factors)));
  microKernels.emplace(kernel->getParentOp(), options.target.cpu.registers,
                       factors);
  packing.emplace(kernel->getParentOp(), options.isa());
  return success();
}

GroupedGemmSchedule::Work GroupedGemmSchedule::getWork(KernelBuilder &b) {
  const TileShapes &shapes = microKernels->getShapes();
  Work work;
  OpFoldResult one = b.constant(1);
  work.depth = b.ceilDiv(b.size(k), b.constant(getGroupSize(factors)));
  work.panels = b.ceilDiv(b.size(n), b.constant(kPanelWidth));
  work.blocks = b.ceilDiv(work.panels, b.constant(kBlockPanels));
  work.panelSize = b.mul(
      work.depth, b.constant(kPanelWidth * getRhsBytes(factors) / kElement));
  OpFoldResult rowLength =
      b.mul(work.depth, b.constant(getLhsBytes(factors) / kElement));
  work.lhsStride =
      copiesLhs ? b.add(rowLength, b.constant(kRowGap / kElement)) : rowLength;

  OpFoldResult all = b.size(rows), count = b.size(groups);
  OpFoldResult tiles = b.add(b.ceilDiv(all, b.constant(shapes.maxRows)), count);
  work.chunkTiles =
      b.min(getChunkTiles(b, b.constant(shapes.maxRows),
                          b.mul(rowLength, b.constant(kElement))),
            b.max(b.constant(kFewTiles),
                  b.ceilDiv(b.mul(tiles, work.blocks),
                            b.constant(b.getCpu().groupedGemmTiles))));
  OpFoldResult chunkRows = b.mul(work.chunkTiles, b.constant(shapes.maxRows));
  work.items =
      b.mul(b.max(one, work.blocks), b.add(count, b.ceilDiv(all, chunkRows)));

  work.tileWidth =
      std::min(shapes.maxPanels(),
               std::max<int64_t>(1, getPanelLimit(b.getDims(), n))) *
      kPanelWidth;
  work.lhsOffset =
      b.constant(kTile + shapes.rowLimit() * work.tileWidth * kElement);
  OpFoldResult copied =
      copiesLhs ? b.mul(b.mul(work.lhsStride, b.constant(kElement)),
                        b.min(all, b.mul(work.chunkTiles,
                                         b.constant(shapes.rowLimit()))))
                : b.constant(0);
  work.rhsOffset = b.add(
      work.lhsOffset, b.mul(b.ceilDiv(copied, b.constant(64)), b.constant(64)));
  work.scratchBytes = work.rhsOffset;
  if (!isPacked)
    work.scratchBytes = b.add(
        work.rhsOffset,
        b.mul(b.size(k), b.constant(kBlockPanels * kPanelWidth * kElement)));
  return work;
}

Geometry GroupedGemmSchedule::emitGeometry(KernelBuilder &b) {
  Work work = getWork(b);
  // B of a group without rows is not read.
  OpFoldResult all = b.size(rows), read = b.min(all, b.size(groups));
  OpFoldResult depth = b.size(k), width = b.size(n);
  OpFoldResult size = b.mul(depth, width);
  OpFoldResult flops = b.mul(b.constant(2), b.mul(all, size));
  OpFoldResult bytes =
      b.mul(b.constant(kElement),
            b.add(b.mul(read, size), b.mul(all, b.add(depth, width))));
  return {work.items, getGemmGrain(b, work.items, flops, bytes),
          work.scratchBytes};
}

//===----------------------------------------------------------------------===//
// Shares of the work
//===----------------------------------------------------------------------===//

GroupedGemmSchedule::Group GroupedGemmSchedule::getGroup(KernelBuilder &b,
                                                         const Work &work,
                                                         OpFoldResult number,
                                                         OpFoldResult begin,
                                                         OpFoldResult end) {
  OpFoldResult each = b.size(vectors);
  Group group;
  group.number = number;
  group.begin = b.mul(begin, each);
  group.end = b.mul(end, each);
  group.tiles.emplace(
      b, microKernels->getShapes(), b.sub(group.end, group.begin), 0,
      b.getDims().getRange(rows).max, getPanelLimit(b.getDims(), n));
  group.chunks = b.ceilDiv(group.tiles->tiles, work.chunkTiles);
  group.units = b.mul(group.chunks, work.blocks);
  group.cost = b.add(b.div(group.tiles->rows, group.chunks),
                     b.constant(b.getCpu().groupedGemmUnitRows));
  return group;
}

LogicalResult GroupedGemmSchedule::emitBody(KernelBuilder &b) {
  // A matmul has one tap, at offset 0.
  b.store(b.indexConstant(0), b.scratch(b.constant(0)), b.constant(0),
          b.getI64Type(), 1);
  Work work = getWork(b);
  CodeBuilder code(b, b.getLoc());
  microKernels->begin(code, b.scratch(b.constant(kConfig)),
                      b.value(work.depth));
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult count = b.size(groups);
  GroupOffsets offsets = {op, op.getOffsets(),
                          b.getDims().getDim(op.getLhs(), 0)};
  Value lead = offsets.emitOffset(b, zero, zero, /*reports=*/true);
  SmallVector<Value> all = b.loop(
      zero, count, 1, ValueRange{lead, b.indexConstant(0)},
      [&](Value g, ValueRange carried) -> SmallVector<Value> {
        Value end =
            offsets.emitOffset(b, b.add(g, one), carried[0], /*reports=*/true);
        Group group = getGroup(b, work, g, carried[0], end);
        return {end,
                b.value(b.add(carried[1], b.mul(group.units, group.cost)))};
      });
  // Where the shares of these items begin and end.
  OpFoldResult from = b.div(b.mul(b.begin(), all[1]), work.items);
  OpFoldResult to = b.div(b.mul(b.end(), all[1]), work.items);
  b.loop(zero, count, 1, ValueRange{lead, b.indexConstant(0)},
         [&](Value g, ValueRange carried) -> SmallVector<Value> {
           Value end = offsets.emitOffset(b, b.add(g, one), carried[0],
                                          /*reports=*/false);
           Group group = getGroup(b, work, g, carried[0], end);
           auto getUnit = [&](OpFoldResult cost) {
             OpFoldResult within = b.max(zero, b.sub(cost, carried[1]));
             return b.min(group.units, b.ceilDiv(within, group.cost));
           };
           emitUnits(b, work, group, getUnit(from), getUnit(to));
           return {end,
                   b.value(b.add(carried[1], b.mul(group.units, group.cost)))};
         });
  microKernels->end(code);
  OpFoldResult each = b.size(vectors);
  OpFoldResult covered = b.mul(b.sub(all[0], lead), each);
  OpFoldResult rest = b.sub(b.size(rows), covered);
  emitZeros(b, work, b.div(b.mul(b.begin(), rest), work.items),
            b.div(b.mul(b.end(), rest), work.items), b.mul(lead, each),
            covered);
  return success();
}

void GroupedGemmSchedule::emitUnits(KernelBuilder &b, const Work &work,
                                    const Group &group, OpFoldResult first,
                                    OpFoldResult last) {
  const RowTiles &tiles = *group.tiles;
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  Value none = b.indexConstant(-1);
  b.loop(first, last, 1, ValueRange{none, none},
         [&](Value unit, ValueRange kept) -> SmallVector<Value> {
           // The operand that is costly to copy to scratch changes less often.
           OpFoldResult chunk =
               isPacked ? b.div(unit, work.blocks) : b.rem(unit, group.chunks);
           OpFoldResult block =
               isPacked ? b.rem(unit, work.blocks) : b.div(unit, group.chunks);
           auto getTile = [&](OpFoldResult number) {
             return getPartStart(b, number, tiles.tiles, group.chunks);
           };
           OpFoldResult firstTile = getTile(chunk);
           OpFoldResult lastTile = getTile(b.add(chunk, one));
           OpFoldResult panel = b.mul(block, b.constant(kBlockPanels));
           OpFoldResult panels =
               b.min(b.constant(kBlockPanels), b.sub(work.panels, panel));
           if (copiesLhs)
             b.ifThen(b.cmp(CmpIPredicate::ne, chunk, kept[0]), [&] {
               OpFoldResult row = tiles.getFirst(b, firstTile);
               emitCopy(b, work, b.add(group.begin, row),
                        b.sub(tiles.getFirst(b, lastTile), row));
             });
           if (!isPacked)
             b.ifThen(b.cmp(CmpIPredicate::ne, block, kept[1]), [&] {
               OpFoldResult depth = b.size(k), width = b.size(n);
               Value matrix = b.address(
                   getArgument(b, op.getRhs()),
                   b.mul(group.number, b.mul(depth, width)), getRhsElement());
               packPanels(b, *packing, matrix, work.depth, width, panel, panels,
                          b.scratch(work.rhsOffset), getRhsElement(),
                          factors == Factors::BF16Pairs);
             });
           b.loop(zero, b.ceilDiv(panels, tiles.panels), 1, [&](Value part) {
             OpFoldResult within = b.mul(part, tiles.panels);
             OpFoldResult count = b.min(tiles.panels, b.sub(panels, within));
             b.loop(firstTile, lastTile, 1, [&](Value tile) {
               emitTile(b, work, group, firstTile, lastTile, tile, panel,
                        within, count);
             });
           });
           return {b.value(chunk), b.value(block)};
         });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void GroupedGemmSchedule::emitCopy(KernelBuilder &b, const Work &work,
                                   OpFoldResult row, OpFoldResult count) {
  Type f32 = b.getF32Type();
  Type copied = factors == Factors::BF16Pairs ? Type(b.getBF16Type()) : f32;
  Value copy = b.scratch(work.lhsOffset);
  OpFoldResult depth = b.size(k);
  b.loop(b.constant(0), count, 1, [&](Value i) {
    Value target = b.address(copy, b.mul(i, work.lhsStride), f32);
    OpFoldResult at = b.add(row, i);
    b.coverLanes(b.constant(0), depth, [&](Value column, int64_t lanes) {
      ElementEmitter emitter(b);
      Position position = {
          {rows, emitter.uniform(at)},
          {k, lanes > 1 ? emitter.lanes(column) : emitter.uniform(column)}};
      b.store(emitter.emit(op.getLhs(), position, lanes), target, column,
              copied, lanes);
    });
    // The element of a pair past a row's end is multiplied by a zero of B.
    if (!b.getDims().isMultipleOf(k, getGroupSize(factors)))
      b.store(b.number(0, f32), target, depth, copied, 1);
  });
}

/// `block` is the first panel of the block; the tile begins `panel` panels
/// after it.
void GroupedGemmSchedule::emitTile(KernelBuilder &b, const Work &work,
                                   const Group &group, OpFoldResult firstTile,
                                   OpFoldResult lastTile, OpFoldResult tile,
                                   OpFoldResult block, OpFoldResult panel,
                                   OpFoldResult count) {
  Type f32 = b.getF32Type();
  const RowTiles &tiles = *group.tiles;
  OpFoldResult first = tiles.getFirst(b, tile);
  OpFoldResult row = b.add(group.begin, first);
  OpFoldResult absolute = b.add(block, panel), start = absolute;

  MicroKernelCall call;
  call.rowStride = b.value(b.mul(work.lhsStride, b.constant(kElement)));
  if (copiesLhs) {
    OpFoldResult above = b.sub(first, tiles.getFirst(b, firstTile));
    call.a =
        b.address(b.scratch(work.lhsOffset), b.mul(above, work.lhsStride), f32);
  } else {
    call.a =
        b.address(getArgument(b, op.getLhs()), b.mul(row, work.lhsStride), f32);
  }
  OpFoldResult panelBytes = b.mul(work.panelSize, b.constant(kElement));
  if (isPacked) {
    start = tiles.getGroupStart(b, absolute, work.panels);
    OpFoldResult matrix =
        b.mul(group.number, b.mul(work.panels, work.panelSize));
    call.b = b.address(getArgument(b, op.getRhs()),
                       b.add(matrix, b.mul(start, work.panelSize)), f32);
    tiles.setAhead(b, call, b.sub(tile, firstTile), b.sub(lastTile, firstTile),
                   tiles.panels, panelBytes,
                   kPanelWidth * getRhsBytes(factors));
  } else {
    call.b =
        b.address(b.scratch(work.rhsOffset), b.mul(panel, work.panelSize), f32);
  }
  call.panelStride = b.value(panelBytes);
  call.taps = b.scratch(b.constant(0));
  call.tapCount = b.indexConstant(1);
  call.config = b.scratch(b.constant(kConfig));
  call.depth = b.value(work.depth);

  GemmEpilogue epilogue(b, op.getResult(), rows, n);
  epilogue.multiply(
      tiles, *microKernels, call,
      {row, tiles.getCount(b, tile), absolute, count, start, b.constant(0)},
      isPacked, b.scratch(b.constant(kTile)), work.tileWidth);
}

/// Zeros of the rows `begin` up to `end` of those in no group: `lead` before
/// the first one, the others after the `covered` ones that are in groups.
void GroupedGemmSchedule::emitZeros(KernelBuilder &b, const Work &work,
                                    OpFoldResult begin, OpFoldResult end,
                                    OpFoldResult lead, OpFoldResult covered) {
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult width = b.constant(work.tileWidth / kPanelWidth);
  GemmEpilogue epilogue(b, op.getResult(), rows, n);
  Value tile = b.scratch(b.constant(kTile));
  CodeBuilder code(b, b.getLoc());
  packing->clear(code, b.indexConstant(work.tileWidth), tile);
  b.loop(begin, end, 1, [&](Value number) {
    OpFoldResult row =
        b.add(number,
              b.select(b.cmp(CmpIPredicate::slt, number, lead), zero, covered));
    b.loop(zero, b.ceilDiv(work.panels, width), 1, [&](Value part) {
      OpFoldResult panel = b.mul(part, width);
      epilogue.emit(row, one, b.mul(panel, b.constant(kPanelWidth)),
                    b.min(width, b.sub(work.panels, panel)), tile,
                    b.constant(work.tileWidth));
    });
  });
}

} // namespace

DeclaredFactors dyn::getDeclaredFactors(dhlo::GroupedDotOp op) {
  auto rhs = op.getRhs().getType();
  Type element = rhs.getElementType();
  return {element.isBF16()  ? Factors::BF16
          : element.isF16() ? Factors::F16
                            : Factors::F32,
          isa_and_nonnull<dlhlo::PackedAttr>(rhs.getEncoding()),
          dhlo::getConstantValue(dhlo::getDim(rhs, 1))};
}

std::unique_ptr<Schedule>
dyn::createGroupedGemmSchedule(dhlo::GroupedDotOp op) {
  return std::make_unique<GroupedGemmSchedule>(op);
}
