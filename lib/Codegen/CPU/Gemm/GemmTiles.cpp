//===- GemmTiles.cpp - GEMM tiles and their epilogue ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/GemmTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// RowTiles
//===----------------------------------------------------------------------===//

bool dyn::sharesSets(const CpuInfo &cpu, int64_t bytes) {
  return bytes % (cpu.l1WayBytes / 2) == 0;
}

OpFoldResult dyn::getChunkTiles(KernelBuilder &b, OpFoldResult height,
                                OpFoldResult rowBytes) {
  OpFoldResult tileBytes = b.max(b.mul(rowBytes, height), b.constant(1));
  // A quarter of the L2 cache, while panels pass.
  const CpuInfo &cpu = b.getCpu();
  return b.max(b.ceilDiv(b.constant(cpu.gemmChunkRows), height),
               b.div(b.constant(cpu.l2Bytes / 4), tileBytes));
}

OpFoldResult dyn::getGemmGrain(KernelBuilder &b, OpFoldResult items,
                               OpFoldResult flops, OpFoldResult bytes,
                               bool isSlow) {
  const CpuInfo &cpu = b.getCpu();
  int64_t flopsPerByte = isSlow ? cpu.slowFlopsPerByte : cpu.flopsPerByte;
  OpFoldResult one = b.constant(1);
  OpFoldResult perItem =
      b.div(b.add(b.div(flops, b.constant(flopsPerByte)), bytes), items);
  return b.max(one, b.div(b.constant(cpu.grainWork), b.max(perItem, one)));
}

int64_t dyn::getPanelLimit(const SymbolicDims &dims, dhlo::DimExpr columns) {
  int64_t most = dims.getRange(columns).max;
  return most > std::numeric_limits<int64_t>::max() - kPanelWidth
             ? std::numeric_limits<int64_t>::max()
             : llvm::divideCeil(most, kPanelWidth);
}

RowTiles::RowTiles(KernelBuilder &b, const TileShapes &shapes,
                   dhlo::DimExpr extent, int64_t panelLimit, bool mayPack)
    : RowTiles(b, shapes, b.size(extent),
               std::max<int64_t>(0, b.getDims().getRange(extent).min),
               b.getDims().getRange(extent).max, panelLimit) {
  if (!mayPack || shapes.minPacked == 0 || maxRows < shapes.minPacked)
    return;
  packed = b.cmp(CmpIPredicate::sge, rows, b.constant(shapes.minPacked));
  packedHeight = b.constant(shapes.packedRows);
  height = b.select(packed, packedHeight, height);
  tiles = b.select(packed, b.ceilDiv(rows, packedHeight), tiles);
  panels = b.select(packed, b.constant(shapes.packedPanels), panels);
  narrowGroups = llvm::alignTo(panelLimit, shapes.packedPanels) - panelLimit;
}

RowTiles::RowTiles(KernelBuilder &b, const TileShapes &shapes,
                   OpFoldResult rows, int64_t minRows, int64_t maxRows,
                   int64_t panelLimit)
    : rows(rows), height(b.constant(shapes.maxRows)), minRows(minRows),
      maxRows(maxRows), panelLimit(panelLimit) {
  OpFoldResult one = b.constant(1);
  OpFoldResult several = b.ceilDiv(rows, b.constant(shapes.maxRows));
  if (maxRows <= shapes.maxSingle)
    tiles = b.min(rows, one);
  else if (minRows > shapes.maxSingle)
    tiles = several;
  else
    tiles =
        b.select(b.cmp(CmpIPredicate::sle, rows, b.constant(shapes.maxSingle)),
                 b.min(rows, one), several);

  int64_t maxSmall = shapes.maxSmall();
  panels = b.constant(shapes.getPanels(maxSmall + 1, panelLimit));
  for (int64_t r = std::min(maxSmall, maxRows);
       r >= std::max(minRows, int64_t(1)); --r) {
    int64_t width = shapes.getPanels(r, panelLimit);
    if (panels == b.constant(width))
      continue;
    panels = minRows == maxRows
                 ? b.constant(width)
                 : b.select(b.cmp(CmpIPredicate::eq, rows, b.constant(r)),
                            b.constant(width), panels);
  }
}

OpFoldResult dyn::getPartStart(KernelBuilder &b, OpFoldResult number,
                               OpFoldResult count, OpFoldResult parts) {
  return b.add(b.mul(number, b.div(count, parts)),
               b.min(number, b.rem(count, parts)));
}

OpFoldResult RowTiles::getFirst(KernelBuilder &b, OpFoldResult tile) const {
  OpFoldResult first = getPartStart(b, tile, rows, tiles);
  if (!packed)
    return first;
  return b.select(packed,
                  b.min(b.mul(tile, packedHeight), b.sub(rows, packedHeight)),
                  first);
}

OpFoldResult RowTiles::getRepeated(KernelBuilder &b, OpFoldResult tile) const {
  OpFoldResult none = b.constant(0);
  if (!packed)
    return none;
  return b.select(packed, b.sub(b.mul(tile, packedHeight), getFirst(b, tile)),
                  none);
}

OpFoldResult RowTiles::getCount(KernelBuilder &b, OpFoldResult tile) const {
  OpFoldResult next = b.add(tile, b.constant(1));
  OpFoldResult count = b.sub(getFirst(b, next), getFirst(b, tile));
  return packed ? b.select(packed, packedHeight, count) : count;
}

OpFoldResult RowTiles::getGroupStart(KernelBuilder &b, OpFoldResult panel,
                                     OpFoldResult count) const {
  return b.min(panel, b.max(b.constant(0), b.sub(count, panels)));
}

RowTiles::Group RowTiles::getGroup(KernelBuilder &b, OpFoldResult number,
                                   OpFoldResult total) const {
  OpFoldResult panel = b.mul(number, panels);
  Group group = {panel, b.min(panels, b.sub(total, panel)),
                 getGroupStart(b, panel, total)};
  if (narrowGroups == 0)
    return group;
  OpFoldResult wide = b.sub(b.ceilDiv(total, panels), b.constant(narrowGroups));
  Value isNarrow = b.cmp(CmpIPredicate::sge, number, wide);
  OpFoldResult before = b.max(b.constant(0), b.sub(number, wide));
  OpFoldResult less = b.select(isNarrow, b.constant(1), b.constant(0));
  group.panel = b.select(packed, b.sub(panel, before), group.panel);
  group.count = b.select(packed, b.sub(panels, less), group.count);
  group.start = b.select(packed, group.panel, group.start);
  return group;
}

void RowTiles::setAhead(KernelBuilder &b, MicroKernelCall &call,
                        OpFoldResult number, OpFoldResult count,
                        OpFoldResult distance, OpFoldResult panelBytes,
                        int64_t rowBytes, const DepthBlock *block) const {
  // Cache lines that an iteration, which reads four of each panel, advances by.
  OpFoldResult four = b.constant(4), lines = b.mul(four, panels);
  OpFoldResult step =
      b.min(four, b.ceilDiv(lines, b.max(count, b.constant(1))));
  OpFoldResult before = b.mul(number, step);
  OpFoldResult begin = b.mul(distance, panelBytes);
  if (!block) {
    begin = b.add(begin, b.mul(b.div(panelBytes, four), before));
  } else {
    OpFoldResult row = b.constant(rowBytes);
    OpFoldResult blockBytes = b.mul(block->size, row);
    OpFoldResult next = b.sub(begin, b.mul(block->first, row));
    begin = b.add(b.select(block->isLast, next, blockBytes),
                  b.add(b.mul(b.div(before, four), panelBytes),
                        b.mul(b.div(blockBytes, four), b.rem(before, four))));
  }
  Value isNeeded = b.cmp(CmpIPredicate::slt, before, lines);
  OpFoldResult zero = b.constant(0);
  call.ahead = b.value(b.select(isNeeded, begin, zero));
  call.aheadStep =
      b.value(b.select(isNeeded, b.mul(step, b.constant(rowBytes)), zero));
}

void RowTiles::multiply(KernelBuilder &b, MicroKernels &microKernels,
                        OpFoldResult count, const MicroKernelCall &call,
                        OpFoldResult width) const {
  CodeBuilder code(b, b.getLoc());
  auto callUnpacked = [&](const MicroKernelCall &arguments) {
    microKernels.call(code, b.value(count), b.value(rows), minRows, maxRows,
                      panelLimit, arguments);
  };
  if (!packed)
    return callUnpacked(call);
  const TileShapes &shapes = microKernels.getShapes();
  code.ifThen(
      packed,
      [&] {
        auto callPacked = [&](int64_t panels) {
          microKernels.call(code, shapes.packedRows, panels, call,
                            /*packed=*/true);
        };
        int64_t panels = shapes.packedPanels;
        if (narrowGroups == 0)
          return callPacked(panels);
        code.ifThen(
            code.eq(b.value(width), code.constant(panels)),
            [&] { callPacked(panels); }, [&] { callPacked(panels - 1); });
      },
      [&] {
        // Only packed rows are computed block by block.
        MicroKernelCall whole = call;
        whole.start = whole.startStride = Value();
        callUnpacked(whole);
      });
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

void dyn::packPanels(KernelBuilder &b, Packing &packing, Value matrix,
                     OpFoldResult depth, OpFoldResult columns,
                     OpFoldResult panel, OpFoldResult count, Value target,
                     Type element, bool isPairs) {
  CodeBuilder code(b, b.getLoc());
  OpFoldResult width = b.constant(kPanelWidth);
  OpFoldResult bytes = b.constant(element.getIntOrFloatBitWidth() / 8);
  OpFoldResult groups =
      element.isInteger(8) ? b.ceilDiv(depth, b.constant(4)) : depth;
  b.loop(b.constant(0), count, 1, [&](Value i) {
    OpFoldResult column = b.mul(b.add(panel, i), width);
    packing.panelFromRows(
        code, b.address(matrix, column, element),
        b.value(b.mul(columns, bytes)), b.value(depth),
        b.value(b.min(width, b.sub(columns, column))),
        b.address(target, b.mul(i, b.mul(groups, width)), b.getF32Type()),
        element, isPairs);
  });
}

//===----------------------------------------------------------------------===//
// GemmEpilogue
//===----------------------------------------------------------------------===//

bool GemmEpilogue::canEmit(dlhlo::KernelOp kernel, Value contraction,
                           const SymbolicDims &dims) {
  auto type = cast<RankedTensorType>(contraction.getType());
  llvm::DenseSet<Value> derived = {contraction};
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (&op == contraction.getDefiningOp() ||
        llvm::none_of(op.getOperands(),
                      [&](Value operand) { return derived.contains(operand); }))
      continue;
    if (!op.hasTrait<dhlo::Elementwise>() && !isa<dhlo::ReshapeOp>(op))
      return false;
    derived.insert(op.result_begin(), op.result_end());
  }
  return llvm::all_of(kernel.getBody().front().getTerminator()->getOperands(),
                      [&](Value result) {
                        return dims.hasSameNumElements(
                            cast<RankedTensorType>(result.getType()), type);
                      });
}

GemmEpilogue::GemmEpilogue(KernelBuilder &b, Value contraction,
                           dhlo::DimExpr rows, dhlo::DimExpr columns)
    : b(b), contraction(contraction), rows(rows), columns(columns) {
  auto type = cast<RankedTensorType>(contraction.getType());
  direct = b.getResults().size() == 1 && b.getResults()[0] == contraction &&
           type.getElementTypeBitWidth() == 32;
}

void GemmEpilogue::multiply(const RowTiles &tiles, MicroKernels &microKernels,
                            MicroKernelCall call, const ResultTile &tile,
                            bool isPacked, Value scratch, int64_t width,
                            const DepthBlock *block) {
  Type f32 = b.getF32Type();
  OpFoldResult size = b.constant(sizeof(float)), stride = b.constant(width);
  OpFoldResult first = b.mul(tile.start, b.constant(kPanelWidth));
  OpFoldResult column = b.mul(tile.panel, b.constant(kPanelWidth));
  call.c = scratch;
  call.cStride = b.value(b.mul(stride, size));
  // Without an epilogue, scratch is for partial sums and for the group with a
  // partial panel, or with fewer panels than a tile. Null: always, or never.
  Value isDone = block ? block->isLast : Value(), follows = isDone;
  bool writes = direct, isFull = true;
  if (writes) {
    OpFoldResult n = b.size(columns);
    // The last group of a packed B begins earlier; else it may be narrower than
    // a tile.
    isFull = isPacked && b.getDims().isMultipleOf(columns, kPanelWidth);
    Value isDirect = isDone;
    auto both = [&](Value condition) {
      return isDone ? arith::AndIOp::create(b, isDone, condition).getResult()
                    : condition;
    };
    if (!isFull) {
      OpFoldResult end =
          b.add(column, b.mul(isPacked ? tile.count : tiles.panels,
                              b.constant(kPanelWidth)));
      isDirect = both(b.cmp(CmpIPredicate::sle, end, n));
      follows = both(b.cmp(CmpIPredicate::sgt, end, n));
    }
    Value target =
        b.address(b.resultBuffer(0), b.add(b.mul(tile.row, n), first), f32);
    Value targetStride = b.value(b.mul(n, size));
    auto choose = [&](Value whenDirect, Value otherwise) {
      return isDirect
                 ? arith::SelectOp::create(b, isDirect, whenDirect, otherwise)
                       .getResult()
                 : whenDirect;
    };
    call.c = choose(target, call.c);
    call.cStride = choose(targetStride, call.cStride);
  }
  tiles.multiply(b, microKernels, tile.rows, call, tile.count);
  if (writes && isFull)
    return;
  auto follow = [&] {
    OpFoldResult above = b.mul(tile.repeated, stride);
    emit(b.add(tile.row, tile.repeated), b.sub(tile.rows, tile.repeated),
         column, tile.count,
         b.address(scratch, b.add(above, b.sub(column, first)), f32), stride);
  };
  if (!follows)
    return follow();
  b.ifThen(follows, follow);
}

void GemmEpilogue::emit(OpFoldResult row, OpFoldResult rowCount,
                        OpFoldResult column, OpFoldResult panels, Value tile,
                        OpFoldResult tileStride, Value factors,
                        OpFoldResult rowStep) {
  Type f32 = b.getF32Type();
  b.loop(b.constant(0), rowCount, 1, [&](Value i) {
    Value line = b.address(tile, b.mul(i, tileStride), f32);
    Value resultRow =
        b.value(b.add(row, rowStep ? b.mul(i, rowStep) : OpFoldResult(i)));
    Value factor = factors ? b.load(factors, i, f32, 1) : Value();
    b.loop(b.constant(0), panels, 1, [&](Value panel) {
      OpFoldResult first = b.mul(panel, b.constant(kPanelWidth));
      OpFoldResult n = b.add(column, first);
      auto emitLanes = [&](OpFoldResult offset, int64_t lanes) {
        emitAt(resultRow, b.add(n, offset),
               b.address(line, b.add(first, offset), f32), factor, lanes);
      };
      if (b.getDims().isMultipleOf(columns, kPanelWidth))
        return emitLanes(b.constant(0), kPanelWidth);
      OpFoldResult size = b.size(columns);
      auto known = getConstantIntValue(size);
      if (!known) {
        OpFoldResult left = b.min(b.constant(kPanelWidth), b.sub(size, n));
        b.laneLoop(b.constant(0), left, [&](Value offset, int64_t lanes) {
          emitLanes(offset, lanes);
        });
        return;
      }
      // The number of columns of the last panel is static.
      OpFoldResult last = b.constant(*known / kPanelWidth * kPanelWidth);
      if (*known > kPanelWidth)
        b.ifThen(b.cmp(CmpIPredicate::slt, n, last),
                 [&] { emitLanes(b.constant(0), kPanelWidth); });
      b.ifThen(b.cmp(CmpIPredicate::eq, n, last), [&] {
        b.laneLoop(
            b.constant(0), b.constant(*known % kPanelWidth),
            [&](Value offset, int64_t lanes) { emitLanes(offset, lanes); });
      });
    });
  });
}

void GemmEpilogue::emitColumns(OpFoldResult row, OpFoldResult rowCount,
                               OpFoldResult column, OpFoldResult count,
                               Value tile, OpFoldResult tileStride) {
  Type f32 = b.getF32Type();
  b.loop(b.constant(0), rowCount, 1, [&](Value i) {
    Value line = b.address(tile, b.mul(i, tileStride), f32);
    Value resultRow = b.value(b.add(row, i));
    b.laneLoop(b.constant(0), count, [&](Value offset, int64_t lanes) {
      emitAt(resultRow, b.add(column, offset), b.address(line, offset, f32),
             Value(), lanes);
    });
  });
}

void GemmEpilogue::emitVector(OpFoldResult row, OpFoldResult column,
                              Value values) {
  auto type = cast<VectorType>(values.getType());
  emitAt(b.value(row), column, type.getNumElements(),
         [&](OpFoldResult first, int64_t count) -> Value {
           if (count == type.getNumElements())
             return values;
           Value at =
               arith::IndexCastOp::create(b, b.getIndexType(), b.value(first));
           return vector::ExtractOp::create(b, values, OpFoldResult(at));
         });
}

void GemmEpilogue::emitAt(Value row, OpFoldResult column, Value tileAt,
                          Value factor, int64_t lanes) {
  Type element = getComputeType(
      cast<RankedTensorType>(contraction.getType()).getElementType());
  emitAt(row, column, lanes, [&](OpFoldResult first, int64_t count) {
    Value v = b.load(tileAt, first, element, count);
    if (factor)
      v = arith::MulFOp::create(b, v, b.splat(factor, count));
    return v;
  });
}

void GemmEpilogue::emitAt(Value row, OpFoldResult column, int64_t lanes,
                          ReadFn read) {
  ElementEmitter emitter(b);
  Position position = {{rows, emitter.uniform(row)},
                       {columns, emitter.lanes(column)}};
  emitter.provide(contraction, [&](const Position &at, int64_t count) {
    if (count == lanes)
      return read(b.constant(0), count);
    // In rare cases, the epilogue reads one lane at a time.
    OpFoldResult number = emitter.join(at).base;
    OpFoldResult first = b.add(b.mul(row, b.size(columns)), column);
    return read(b.sub(number, first), count);
  });
  for (auto [i, result] : llvm::enumerate(b.getResults()))
    emitter.store(emitter.emit(result, position, lanes), i, position, lanes);
}
