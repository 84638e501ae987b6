//===- GroupedProduct.cpp - Schedule of grouped_dot -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each group is a product of its own whose rows are known when the kernel runs.
// An item is a block of columns of one group: it reads the group's bounds, cuts
// its rows into tiles, and multiplies them as a product of matrices does
// (MatrixProduct.cpp). So there is at most one low tile for each group, an
// empty group costs nothing but its bounds, and a group that has most of the
// rows is shared by as many threads as it has blocks. One more item writes the
// zeros of the rows in no group.

#include "dyn/Conversion/KernelToVector/MatrixProduct.h"

#include "dyn/Conversion/KernelToVector/Packing.h"
#include "dyn/Conversion/KernelToVector/ProductTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {

constexpr int64_t kElement = 4;
/// Panels of a block of columns, a multiple of those of any tile.
constexpr int64_t kBlockPanels = 12;
/// Where the tile of results is in scratch, behind the offset of the tap.
constexpr int64_t kTile = 64;

class GroupedProductSchedule : public Schedule {
public:
  explicit GroupedProductSchedule(dhlo::GroupedDotOp op) : op(op) {
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
  struct Bounds {
    OpFoldResult begin, end;
  };
  OpFoldResult getNumPanels(KernelBuilder &b) {
    return b.ceilDiv(b.size(n), b.constant(kPanelWidth));
  }
  OpFoldResult getNumBlocks(KernelBuilder &b) {
    return b.ceilDiv(getNumPanels(b), b.constant(kBlockPanels));
  }
  int64_t getTileWidth(KernelBuilder &b) {
    return std::min(microKernels->getShapes().maxPanels(),
                    std::max<int64_t>(1, getPanelLimit(b.getDims(), n))) *
           kPanelWidth;
  }
  /// Where a packed block of an rhs that is no packed constant is in scratch.
  OpFoldResult getBlockOffset(KernelBuilder &b) {
    return b.constant(kTile + microKernels->getShapes().rowLimit() *
                                  getTileWidth(b) * kElement);
  }
  Value getArgument(KernelBuilder &b, Value operand) {
    return b.buffer(cast<BlockArgument>(operand).getArgNumber());
  }

  /// The rows between offsets `g` and `g + 1`, of vectors. Offsets that are not
  /// legal are an error and read as the nearest legal ones.
  Bounds emitBounds(KernelBuilder &b, OpFoldResult g);
  void emitGroup(KernelBuilder &b, OpFoldResult g, OpFoldResult block);
  void emitTile(KernelBuilder &b, const RowTiles &tiles, OpFoldResult g,
                OpFoldResult firstRow, OpFoldResult tile, OpFoldResult block,
                OpFoldResult panel, OpFoldResult count);
  void emitZeros(KernelBuilder &b, OpFoldResult begin, OpFoldResult end);

  dhlo::GroupedDotOp op;
  DimExpr rows, vectors, groups, k, n;
  bool isPacked;
  std::optional<MicroKernels> microKernels;
  std::optional<Packing> packing;
};

LogicalResult GroupedProductSchedule::match(dlhlo::KernelOp kernel,
                                            const SymbolicDims &dims,
                                            const CodegenOptions &options) {
  for (Value value :
       {Value(op.getLhs()), Value(op.getRhs()), Value(op.getResult())})
    if (!getElementTypeOrSelf(value).isF32())
      return op.emitError("expected elements of type f32 in groups of rows, "
                          "found ")
             << getElementTypeOrSelf(value);
  for (Value operand : op.getOperands())
    if (!isa<BlockArgument>(operand))
      return op.emitError("expected factors and offsets that are operands of "
                          "the kernel");
  microKernels.emplace(kernel->getParentOp(), options.isa);
  packing.emplace(kernel->getParentOp(), options.isa);
  return success();
}

Geometry GroupedProductSchedule::emitGeometry(KernelBuilder &b) {
  OpFoldResult size = b.mul(b.size(k), b.size(n));
  Geometry g;
  g.items = b.add(b.mul(b.size(groups), getNumBlocks(b)), b.constant(1));
  OpFoldResult flops = b.mul(b.constant(2), b.mul(b.size(rows), size));
  g.grain =
      getProductGrain(b, g.items, flops,
                      b.mul(b.constant(kElement), b.mul(b.size(groups), size)));
  g.scratchBytes = getBlockOffset(b);
  if (!isPacked)
    g.scratchBytes = b.add(
        g.scratchBytes,
        b.mul(b.size(k), b.constant(kBlockPanels * kPanelWidth * kElement)));
  return g;
}

LogicalResult GroupedProductSchedule::emitBody(KernelBuilder &b) {
  // A product has one tap, at offset 0.
  b.store(b.indexConstant(0), b.scratch(b.constant(0)), b.constant(0),
          b.getI64Type(), 1);
  OpFoldResult blocks = getNumBlocks(b);
  OpFoldResult products = b.mul(b.size(groups), blocks);
  b.loop(b.begin(), b.end(), 1, [&](Value item) {
    b.ifThen(b.cmp(CmpIPredicate::slt, item, products),
             [&] { emitGroup(b, b.div(item, blocks), b.rem(item, blocks)); });
    b.ifThen(b.cmp(CmpIPredicate::eq, item, products), [&] {
      Bounds first = emitBounds(b, b.constant(-1));
      emitZeros(b, b.constant(0), first.end);
      Bounds last = emitBounds(b, b.sub(b.size(groups), b.constant(1)));
      emitZeros(b, last.end, b.size(rows));
    });
  });
  return success();
}

GroupedProductSchedule::Bounds
GroupedProductSchedule::emitBounds(KernelBuilder &b, OpFoldResult g) {
  OpFoldResult zero = b.constant(0), all = b.size(op.getLhs(), 0);
  Value offsets = getArgument(b, op.getOffsets());
  SmallVector<Value> bounds =
      b.loop(zero, b.add(g, b.constant(2)), 1,
             ValueRange{b.value(zero), b.value(zero)},
             [&](Value i, ValueRange carried) -> SmallVector<Value> {
               Value offset = b.load(offsets, i, b.getI64Type(), 1);
               Value legal = b.value(b.min(b.max(offset, carried[1]), all));
               b.fail(op, b.cmp(CmpIPredicate::ne, legal, offset));
               return {carried[1], legal};
             });
  OpFoldResult each = b.size(vectors);
  return {b.mul(bounds[0], each), b.mul(bounds[1], each)};
}

void GroupedProductSchedule::emitGroup(KernelBuilder &b, OpFoldResult g,
                                       OpFoldResult block) {
  Bounds bounds = emitBounds(b, g);
  const TileShapes &shapes = microKernels->getShapes();
  RowTiles tiles(b, shapes, b.sub(bounds.end, bounds.begin), 0,
                 b.getDims().getRange(rows).max, getPanelLimit(b.getDims(), n));
  OpFoldResult panel = b.mul(block, b.constant(kBlockPanels));
  OpFoldResult blockPanels =
      b.min(b.constant(kBlockPanels), b.sub(getNumPanels(b), panel));
  OpFoldResult zero = b.constant(0);
  OpFoldResult chunkTiles =
      getChunkTiles(b, tiles.height, b.mul(b.size(k), b.constant(kElement)));
  if (!isPacked)
    b.ifThen(b.cmp(CmpIPredicate::sgt, tiles.rows, zero), [&] {
      OpFoldResult depth = b.size(k), width = b.size(n);
      Value matrix = b.address(getArgument(b, op.getRhs()),
                               b.mul(g, b.mul(depth, width)), b.getF32Type());
      packPanels(b, *packing, matrix, depth, width, panel, blockPanels,
                 b.scratch(getBlockOffset(b)), b.getF32Type());
    });
  b.loop(zero, b.ceilDiv(tiles.tiles, chunkTiles), 1, [&](Value chunk) {
    OpFoldResult first = b.mul(chunk, chunkTiles);
    OpFoldResult last = b.min(b.add(first, chunkTiles), tiles.tiles);
    b.loop(zero, b.ceilDiv(blockPanels, tiles.panels), 1, [&](Value part) {
      OpFoldResult within = b.mul(part, tiles.panels);
      OpFoldResult count = b.min(tiles.panels, b.sub(blockPanels, within));
      b.loop(first, last, 1, [&](Value tile) {
        emitTile(b, tiles, g, bounds.begin, tile, panel, within, count);
      });
    });
  });
}

/// `block` is the first panel of the block, the tile begins `panel` panels
/// behind it.
void GroupedProductSchedule::emitTile(KernelBuilder &b, const RowTiles &tiles,
                                      OpFoldResult g, OpFoldResult firstRow,
                                      OpFoldResult tile, OpFoldResult block,
                                      OpFoldResult panel, OpFoldResult count) {
  Type f32 = b.getF32Type();
  OpFoldResult depth = b.size(k), panels = getNumPanels(b);
  OpFoldResult rowCount = tiles.getCount(b, tile);
  OpFoldResult row = b.add(firstRow, tiles.getFirst(b, tile));
  OpFoldResult panelSize = b.mul(depth, b.constant(kPanelWidth));
  OpFoldResult absolute = b.add(block, panel), start = absolute;
  OpFoldResult zero = b.constant(0);

  MicroKernelCall call;
  call.rowStride = b.value(b.mul(depth, b.constant(kElement)));
  call.a = b.address(getArgument(b, op.getLhs()), b.mul(row, depth), f32);
  OpFoldResult panelBytes = b.mul(panelSize, b.constant(kElement));
  if (isPacked) {
    start = tiles.getGroupStart(b, absolute, panels);
    OpFoldResult matrix = b.mul(g, b.mul(panels, panelSize));
    call.b = b.address(getArgument(b, op.getRhs()),
                       b.add(matrix, b.mul(start, panelSize)), f32);
    tiles.setAhead(b, call, tile, tiles.tiles, tiles.panels, panelBytes);
  } else {
    call.b =
        b.address(b.scratch(getBlockOffset(b)), b.mul(panel, panelSize), f32);
  }
  call.panelStride = b.value(panelBytes);
  call.taps = b.scratch(b.constant(0));
  call.tapCount = b.indexConstant(1);
  call.depth = b.value(depth);

  ProductEpilogue epilogue(b, op.getResult(), rows, n);
  epilogue.multiply(tiles, *microKernels, call,
                    {row, rowCount, absolute, count, start, zero}, isPacked,
                    b.scratch(b.constant(kTile)), getTileWidth(b));
}

void GroupedProductSchedule::emitZeros(KernelBuilder &b, OpFoldResult begin,
                                       OpFoldResult end) {
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult width = b.constant(getTileWidth(b) / kPanelWidth);
  ProductEpilogue epilogue(b, op.getResult(), rows, n);
  Value tile = b.scratch(b.constant(kTile));
  CodeBuilder code(b, b.getLoc());
  packing->clear(code, b.indexConstant(getTileWidth(b)), tile);
  b.loop(begin, end, 1, [&](Value row) {
    b.loop(zero, b.ceilDiv(getNumPanels(b), width), 1, [&](Value part) {
      OpFoldResult panel = b.mul(part, width);
      epilogue.emit(row, one, b.mul(panel, b.constant(kPanelWidth)),
                    b.min(width, b.sub(getNumPanels(b), panel)), tile,
                    b.constant(getTileWidth(b)));
    });
  });
}

} // namespace

std::unique_ptr<Schedule>
dyn::createGroupedProductSchedule(dhlo::GroupedDotOp op) {
  return std::make_unique<GroupedProductSchedule>(op);
}
