//===- Attention.cpp - Schedule of attention ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An item is a block of query rows of one head. Its scores stay in scratch:
//
//   scores = q k^T            micro-kernels, keys packed a group at a time
//   x = scale * scores + mask, removed keys become -inf
//   p = e^(x - max x)         row by row, in full vectors
//   result = p v / sum p      micro-kernels, values packed a group at a time
//
// Models store the heads of a row consecutively, [B, S, H, D]. A kernel may
// fuse the transposes from and to that layout: operands are then read and
// results written in place, and the queries of a block, which micro-kernels
// read repeatedly, are copied to consecutive rows.
//
// A single query, as that of a decoder's step, would use a packed key or value
// once. It reads them where they are (FewRowKernels.h).
//
// A row's bits depend on its own query, the keys and the values alone: the
// matmuls are chains of FMAs over ascending index, and the sum of a row
// accumulates the vectors in order, whatever block the row is in.

#include "Codegen/CPU/Gemm/FewRowKernels.h"
#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Gemm/Packing.h"
#include "Codegen/Common/Elements/VectorMath.h"
#include "dyn/Dialect/DHLO/Analysis/HeadTranspose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kElement = 4;
/// The limits of a block's query rows.
constexpr int64_t kMaxBlock = 128, kMinBlock = 16;
/// The least number of keys, and of elements of a value, that are read where
/// they are; floats before and behind a row of sums of values.
constexpr int64_t kMinColumns = 16, kPadding = 16;
/// The offset of the tile in scratch, after the offset of the tap.
constexpr int64_t kTile = 64;

/// An operand as the kernel gets it: [B, H, S, D], or [B, S, H, D] if
/// `isSwapped`.
struct Source {
  /// The argument that is the operand, or the transpose's; null if neither.
  static Source find(Value operand) {
    Operation *source = operand.getDefiningOp();
    if (swapsHeads(source))
      return {dyn_cast<BlockArgument>(source->getOperand(0)), true};
    return {dyn_cast<BlockArgument>(operand), false};
  }

  BlockArgument argument;
  bool isSwapped;
};

/// The rows of one head of a tensor, as indices among the rows of all heads.
struct HeadRows {
  HeadRows(KernelBuilder &b, bool isSwapped, OpFoldResult image,
           OpFoldResult head, OpFoldResult heads, OpFoldResult rows)
      : first(isSwapped ? b.add(b.mul(b.mul(image, rows), heads), head)
                        : b.mul(b.add(b.mul(image, heads), head), rows)),
        step(isSwapped ? heads : b.constant(1)) {}

  OpFoldResult get(KernelBuilder &b, OpFoldResult row) const {
    return b.add(first, b.mul(row, step));
  }

  OpFoldResult first, step;
};

/// Sizes of the work, computed in the same way by geometry and body.
struct Work {
  Work(KernelBuilder &b, const TileShapes &shapes, dhlo::AttentionOp op) {
    batch = b.size(op.getQuery(), 0);
    heads = b.size(op.getQuery(), 1);
    rows = b.size(op.getQuery(), 2);
    depth = b.size(op.getQuery(), 3);
    groups = b.size(op.getKey(), 1);
    keys = b.size(op.getKey(), 2);
    width = b.size(op.getValue(), 3);
    int64_t columns = shapes.maxPanels() * kPanelWidth;
    // A micro-kernel writes full panels, as many as its tile has.
    scoreStride = b.mul(b.add(b.ceilDiv(keys, b.constant(kPanelWidth)),
                              b.constant(shapes.maxPanels())),
                        b.constant(kPanelWidth));
    // A quarter of the L2 cache for the scores.
    OpFoldResult fit =
        b.div(b.constant(b.getCpu().l2Bytes / 4 / kElement), scoreStride);
    OpFoldResult block =
        b.min(b.constant(kMaxBlock), b.max(b.constant(kMinBlock), fit));
    blocks = b.ceilDiv(rows, block);
    blockRows = b.ceilDiv(rows, blocks);
    items = b.mul(b.mul(batch, heads), blocks);

    int64_t tileBytes = shapes.rowLimit() * columns * kElement;
    factorOffset = b.constant(kTile + tileBytes);
    scoreOffset = b.constant(kTile + tileBytes + kMaxBlock * kElement);
    panelOffset = b.add(scoreOffset,
                        b.mul(b.constant(kMaxBlock * kElement), scoreStride));
    // Panels, or the sums of a single row.
    OpFoldResult panelBytes =
        b.mul(b.max(depth, keys), b.constant(columns * kElement));
    OpFoldResult sumBytes =
        b.mul(b.add(width, b.constant(2 * kPadding)), b.constant(kElement));
    queryOffset = b.add(panelOffset, b.max(panelBytes, sumBytes));
    scratchBytes = queryOffset;
    if (Source::find(op.getQuery()).isSwapped)
      scratchBytes =
          b.add(queryOffset, b.mul(b.constant(kMaxBlock * kElement), depth));
    flops = b.mul(b.mul(b.mul(b.mul(batch, heads), rows), keys),
                  b.mul(b.constant(2), b.add(depth, width)));
    bytes = b.mul(b.mul(batch, b.constant(kElement)),
                  b.add(b.mul(b.mul(heads, rows), b.add(depth, width)),
                        b.mul(b.mul(groups, keys), b.add(depth, width))));
  }

  OpFoldResult batch, heads, rows, depth, groups, keys, width;
  OpFoldResult scoreStride, blocks, blockRows, items;
  OpFoldResult factorOffset, scoreOffset, panelOffset, queryOffset;
  OpFoldResult scratchBytes;
  OpFoldResult flops, bytes;
};

/// An item: some query rows of one head.
struct Block {
  OpFoldResult image, head, first, count;
  /// The index of the matrix of keys or values.
  OpFoldResult group;
  /// The number of keys that some row of the block sees.
  OpFoldResult keys;
  /// Whether it is one query that reads keys and values where they are. Null if
  /// no block is.
  Value isSingle;
};

class AttentionSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// The first query of the block, whose rows are consecutive.
  Value emitQueries(KernelBuilder &b, const Work &work, const Block &block);
  Value isSingle(KernelBuilder &b, const Work &work, const Block &block);
  /// Multiplies one row by a matrix in memory.
  void multiplySingle(KernelBuilder &b, RhsOrder order, OpFoldResult rowSize,
                      FewRowCall call);
  void emitScores(KernelBuilder &b, const Work &work, const Block &block);
  void emitScoresOfPanels(KernelBuilder &b, const Work &work,
                          const Block &block, Value queries);
  /// The number of keys that a row of the block sees.
  OpFoldResult getSeen(KernelBuilder &b, const Work &work, const Block &block,
                       OpFoldResult row);
  /// Scales and masks the scores of a row in place; those of keys from `seen`
  /// to `end` become -inf.
  void emitMask(KernelBuilder &b, const Block &block, OpFoldResult query,
                Value line, OpFoldResult seen, OpFoldResult end);
  void emitRow(KernelBuilder &b, const Work &work, const Block &block,
               Value row);
  void emitResult(KernelBuilder &b, const Work &work, const Block &block);
  void emitResultOfPanels(KernelBuilder &b, const Work &work,
                          const Block &block, GemmEpilogue &epilogue,
                          const HeadRows &resultRows);
  Value emitMasked(KernelBuilder &b, const Block &block, OpFoldResult row,
                   Value key, Value score, int64_t lanes);
  /// Elements of the mask, as numbers to add or as i1.
  Value emitMaskElement(KernelBuilder &b, const Block &block, OpFoldResult row,
                        Value key, int64_t lanes);
  /// The number of keys up to the last one that the mask keeps, if all rows
  /// have one mask: a sentence that is padded at its end does not read its
  /// padding. All keys if an additive mask keeps none: those that it removes
  /// have weights then. The bits are the same, since weights beyond are zero.
  OpFoldResult getKeysLeft(KernelBuilder &b, const Work &work,
                           const Block &block);
  /// Whether the mask provably has one element for each key.
  bool isMaskAlongKeys(KernelBuilder &b);
  Value getBuffer(KernelBuilder &b, Value operand) {
    return b.buffer(Source::find(operand).argument.getArgNumber());
  }
  /// The rows of keys or values that a block reads.
  HeadRows getKeyRows(KernelBuilder &b, const Work &work, const Block &block,
                      Value operand) {
    return HeadRows(b, Source::find(operand).isSwapped, block.image,
                    block.group, work.groups, work.keys);
  }
  /// The range of the number of queries.
  SymbolicDims::Range getRows(KernelBuilder &b) {
    return b.getDims().getRange(b.getDims().getDim(op.getQuery(), 2));
  }
  RowTiles getTiles(KernelBuilder &b, const Block &block) {
    SymbolicDims::Range rows = getRows(b);
    // Few rows are one block, of all of them.
    int64_t least = rows.max <= kMinBlock ? std::max<int64_t>(0, rows.min) : 0;
    return RowTiles(b, microKernels->getShapes(), block.count, least,
                    std::min(rows.max, kMaxBlock),
                    std::numeric_limits<int64_t>::max());
  }

  dhlo::AttentionOp op;
  /// The value that the kernel computes on: the attention or its transpose.
  Value result;
  std::optional<MicroKernels> microKernels;
  std::optional<Packing> packing;
};

LogicalResult AttentionSchedule::match(dlhlo::KernelOp kernel,
                                       const SymbolicDims &dims,
                                       const CodegenOptions &options) {
  auto ops = kernel.getBody().getOps<dhlo::AttentionOp>();
  if (std::distance(ops.begin(), ops.end()) != 1)
    return kernel.emitError("expected one dhlo.attention in a kernel of kind "
                            "'attention', found ")
           << std::distance(ops.begin(), ops.end());
  op = *ops.begin();
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()})
    if (!Source::find(operand).argument || !hasCpuSchedule(op))
      return op.emitError("no schedule for attention on other than f32 "
                          "arguments of the kernel, found ")
             << operand.getType();
  result = op.getResult();
  if (result.hasOneUse() && swapsHeads(*result.user_begin()))
    result = result.user_begin()->getResult(0);
  if (!GemmEpilogue::canEmit(kernel, result, dims))
    return op.emitError("no schedule for the operations on this attention");
  microKernels.emplace(kernel->getParentOp(), options.target.cpu.registers);
  packing.emplace(kernel->getParentOp(), options.isa());
  return success();
}

Geometry AttentionSchedule::emitGeometry(KernelBuilder &b) {
  Work work(b, microKernels->getShapes(), op);
  OpFoldResult grain =
      getGemmGrain(b, work.items, work.flops, work.bytes, /*isSlow=*/true);
  return {work.items, grain, work.scratchBytes};
}

LogicalResult AttentionSchedule::emitBody(KernelBuilder &b) {
  Work work(b, microKernels->getShapes(), op);
  b.store(b.indexConstant(0), b.scratch(b.constant(0)), b.constant(0),
          b.getI64Type(), 1);
  b.loop(b.begin(), b.end(), 1, [&](Value item) {
    Block block;
    block.first = b.mul(b.rem(item, work.blocks), work.blockRows);
    block.count = b.min(work.blockRows, b.sub(work.rows, block.first));
    OpFoldResult head = b.div(item, work.blocks);
    block.head = b.rem(head, work.heads);
    block.image = b.div(head, work.heads);
    OpFoldResult sharing = b.div(work.heads, work.groups);
    block.group = b.div(block.head, sharing);
    block.keys = work.keys;
    if (op.getCausal()) {
      OpFoldResult last =
          b.add(b.add(block.first, block.count), b.sub(work.keys, work.rows));
      block.keys = b.min(work.keys, b.max(b.constant(0), last));
    }
    block.keys = getKeysLeft(b, work, block);
    block.isSingle = isSingle(b, work, block);
    emitScores(b, work, block);
    b.loop(b.constant(0), block.count, 1,
           [&](Value row) { emitRow(b, work, block, row); });
    emitResult(b, work, block);
  });
  return success();
}

Value AttentionSchedule::emitQueries(KernelBuilder &b, const Work &work,
                                     const Block &block) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  Value queries = getBuffer(b, op.getQuery());
  bool isSwapped = Source::find(op.getQuery()).isSwapped;
  HeadRows rows(b, isSwapped, block.image, block.head, work.heads, work.rows);
  auto getQuery = [&](OpFoldResult row) {
    return b.address(
        queries, b.mul(rows.get(b, b.add(block.first, row)), work.depth), f32);
  };
  if (!isSwapped)
    return getQuery(b.constant(0));
  Value copy = b.scratch(work.queryOffset);
  b.loop(b.constant(0), block.count, 1, [&](Value row) {
    packing->copy(code, getQuery(row), b.value(work.depth),
                  b.address(copy, b.mul(row, work.depth), f32));
  });
  return copy;
}

Value AttentionSchedule::isSingle(KernelBuilder &b, const Work &work,
                                  const Block &block) {
  if (getRows(b).min > 1)
    return {};
  OpFoldResult least = b.constant(kMinColumns);
  Value isOne = b.cmp(CmpIPredicate::eq, block.count, b.constant(1));
  Value isWide =
      b.cmp(CmpIPredicate::sge, b.min(block.keys, work.width), least);
  return arith::AndIOp::create(b, isOne, isWide);
}

void AttentionSchedule::multiplySingle(KernelBuilder &b, RhsOrder order,
                                       OpFoldResult rowSize, FewRowCall call) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  FewRowKernels kernels(b.getKernel()->getParentOp(), b.getOptions().isa(), f32,
                        f32);
  call.aRow = call.cRow = b.indexConstant(0); // There is no second row.
  call.aStep = b.indexConstant(kElement);
  OpFoldResult bytes = b.mul(rowSize, b.constant(kElement));
  call.bRow = b.value(bytes);
  std::optional<int64_t> known = getConstantIntValue(bytes);
  bool isNarrow = known && sharesSets(b.getCpu(), *known);
  kernels.call(code, order, /*rows=*/1, isNarrow, call);
}

void AttentionSchedule::emitScores(KernelBuilder &b, const Work &work,
                                   const Block &block) {
  Value queries = emitQueries(b, work, block);
  if (!block.isSingle)
    return emitScoresOfPanels(b, work, block, queries);
  auto emitSingle = [&] {
    HeadRows keyRows = getKeyRows(b, work, block, op.getKey());
    FewRowCall call;
    call.a = queries;
    call.b = b.address(getBuffer(b, op.getKey()),
                       b.mul(keyRows.first, work.depth), b.getF32Type());
    call.depth = b.value(work.depth);
    call.columns = b.value(block.keys);
    call.c = b.scratch(work.scoreOffset);
    multiplySingle(b, RhsOrder::RowsOfK, b.mul(keyRows.step, work.depth), call);
  };
  b.ifThen(block.isSingle, emitSingle,
           [&] { emitScoresOfPanels(b, work, block, queries); });
}

void AttentionSchedule::emitScoresOfPanels(KernelBuilder &b, const Work &work,
                                           const Block &block, Value queries) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  Value keys = getBuffer(b, op.getKey());
  HeadRows keyRows = getKeyRows(b, work, block, op.getKey());
  Value keyStride =
      b.value(b.mul(b.mul(keyRows.step, work.depth), b.constant(kElement)));
  Value scores = b.scratch(work.scoreOffset);
  Value panels = b.scratch(work.panelOffset);
  RowTiles tiles = getTiles(b, block);
  OpFoldResult width = b.constant(kPanelWidth);
  OpFoldResult panelSize = b.mul(work.depth, width);
  OpFoldResult panelCount = b.ceilDiv(block.keys, width);
  Value stride = b.value(b.mul(work.depth, b.constant(kElement)));

  b.loop(b.constant(0), b.ceilDiv(panelCount, tiles.panels), 1, [&](Value g) {
    OpFoldResult panel = b.mul(g, tiles.panels);
    OpFoldResult count = b.min(tiles.panels, b.sub(panelCount, panel));
    b.loop(b.constant(0), count, 1, [&](Value i) {
      OpFoldResult key = b.mul(b.add(panel, i), width);
      packing->panelFromColumns(
          code, b.address(keys, b.mul(keyRows.get(b, key), work.depth), f32),
          keyStride, b.value(work.depth),
          b.value(b.min(width, b.sub(work.keys, key))),
          b.address(panels, b.mul(i, panelSize), f32));
    });
    b.loop(b.constant(0), tiles.tiles, 1, [&](Value tile) {
      OpFoldResult first = tiles.getFirst(b, tile);
      OpFoldResult rows = tiles.getCount(b, tile);
      MicroKernelCall call;
      call.a = b.address(queries, b.mul(first, work.depth), f32);
      call.rowStride = stride;
      call.taps = b.scratch(b.constant(0));
      call.tapCount = b.indexConstant(1);
      call.depth = b.value(work.depth);
      call.b = panels;
      call.panelStride = b.value(b.mul(panelSize, b.constant(kElement)));
      call.c = b.address(
          scores, b.add(b.mul(first, work.scoreStride), b.mul(panel, width)),
          f32);
      call.cStride = b.value(b.mul(work.scoreStride, b.constant(kElement)));
      tiles.multiply(b, *microKernels, rows, call);
    });
  });
}

bool AttentionSchedule::isMaskAlongKeys(KernelBuilder &b) {
  return b.getDims().isEqual(b.getDims().getDim(op.getMask(), 3),
                             b.getDims().getDim(op.getKey(), 2));
}

Value AttentionSchedule::emitMaskElement(KernelBuilder &b, const Block &block,
                                         OpFoldResult row, Value key,
                                         int64_t lanes) {
  Value mask = op.getMask();
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  SmallVector<OpFoldResult> wanted = {block.image, block.head, row, key};
  SmallVector<Value> index;
  for (auto [axis, i] : llvm::enumerate(wanted)) {
    // Size 1 is broadcast; whether a size is 1 may be known only at run time.
    OpFoldResult size = b.size(mask, axis);
    bool isKey = axis == 3 && isMaskAlongKeys(b);
    index.push_back(b.value(
        isKey ? i : b.select(b.cmp(CmpIPredicate::eq, size, one), zero, i)));
  }
  ElementEmitter emitter(b);
  Value element;
  if (lanes == 1 || isMaskAlongKeys(b))
    element = emitter.emit(mask, index, lanes);
  else
    element = b.splat(emitter.emit(mask, index, 1), lanes);
  if (isa<FloatType>(getElementTypeOrSelf(element)) ||
      getElementTypeOrSelf(element).isInteger(1))
    return element;
  return arith::CmpIOp::create(
      b, CmpIPredicate::ne, element,
      arith::ConstantOp::create(b, b.getZeroAttr(element.getType())));
}

Value AttentionSchedule::emitMasked(KernelBuilder &b, const Block &block,
                                    OpFoldResult row, Value key, Value score,
                                    int64_t lanes) {
  Type f32 = b.getF32Type();
  Value scaled = arith::MulFOp::create(
      b, score, b.number(op.getScale().convertToDouble(), f32, lanes));
  if (auto cap = op.getCap())
    scaled = vectormath::limitSoftly(b, scaled, cap->convertToDouble());
  if (!op.getMask())
    return scaled;
  Value element = emitMaskElement(b, block, row, key, lanes);
  if (isa<FloatType>(getElementTypeOrSelf(element)))
    return arith::AddFOp::create(b, scaled, element);
  Value removed = b.number(-INFINITY, f32, lanes);
  return arith::SelectOp::create(b, element, scaled, removed);
}

OpFoldResult AttentionSchedule::getKeysLeft(KernelBuilder &b, const Work &work,
                                            const Block &block) {
  Value mask = op.getMask();
  if (!mask || !b.getDims().getDim(mask, 2).isConst(1) || !isMaskAlongKeys(b))
    return block.keys;
  OpFoldResult zero = b.constant(0);
  SmallVector<Value> none = {b.value(zero), b.value(zero)};
  // The number of keys up to the last one that is kept, and whether one is kept
  // for sure: numbers between the limits imply nothing.
  auto results =
      b.loop(zero, block.keys, 1, none, [&](Value key, ValueRange carried) {
        Value element = emitMaskElement(b, block, zero, key, 1);
        Value next = b.value(b.add(key, b.constant(1)));
        Value isLeft = element, isSure = element;
        if (isa<FloatType>(element.getType())) {
          auto isAbove = [&](CmpFPredicate predicate, double limit) -> Value {
            return arith::CmpFOp::create(b, predicate, element,
                                         b.number(limit, element.getType()));
          };
          // NaN is not below any limit.
          isLeft = isAbove(CmpFPredicate::UGT, -std::ldexp(1.0, 120));
          isSure = isAbove(CmpFPredicate::OGT, -std::ldexp(1.0, 100));
        }
        return SmallVector<Value>{
            arith::SelectOp::create(b, isLeft, next, carried[0]),
            arith::SelectOp::create(b, isSure, next, carried[1])};
      });
  if (!isa<FloatType>(getElementTypeOrSelf(mask)))
    return results[0];
  return b.select(b.cmp(CmpIPredicate::eq, results[1], zero), block.keys,
                  results[0]);
}

OpFoldResult AttentionSchedule::getSeen(KernelBuilder &b, const Work &work,
                                        const Block &block, OpFoldResult row) {
  if (!op.getCausal())
    return block.keys;
  OpFoldResult next = b.add(b.add(block.first, row), b.constant(1));
  OpFoldResult last = b.add(next, b.sub(work.keys, work.rows));
  return b.min(block.keys, b.max(b.constant(0), last));
}

void AttentionSchedule::emitMask(KernelBuilder &b, const Block &block,
                                 OpFoldResult query, Value line,
                                 OpFoldResult seen, OpFoldResult end) {
  constexpr int64_t lanes = CodegenOptions::kLanes;
  Type f32 = b.getF32Type();
  OpFoldResult zero = b.constant(0), size = b.constant(lanes);
  auto masked = [&](OpFoldResult key, int64_t count) {
    return emitMasked(b, block, query, b.value(key),
                      b.load(line, key, f32, count), count);
  };
  Value removed = b.number(-INFINITY, f32, lanes);
  OpFoldResult single = zero;
  // It must be static whether lanes along the keys are contiguous in the mask.
  if (!op.getMask() || isMaskAlongKeys(b) ||
      b.getDims().getDim(op.getMask(), 3).isConst(1)) {
    // The last vector overlaps the one before it, so it is computed before that
    // one is overwritten.
    Value isLong = b.cmp(CmpIPredicate::sge, seen, size);
    single = b.select(isLong, seen, zero);
    OpFoldResult tail = b.sub(seen, size);
    Value last = b.ifElse(
        isLong, removed.getType(), [&] { return masked(tail, lanes); },
        [&] { return removed; });
    OpFoldResult full = b.sub(single, b.rem(single, size));
    b.loop(zero, full, lanes, [&](Value key) {
      b.store(masked(key, lanes), line, key, f32, lanes);
    });
    b.ifThen(isLong, [&] { b.store(last, line, tail, f32, lanes); });
  }
  b.loop(single, seen, 1,
         [&](Value key) { b.store(masked(key, 1), line, key, f32, 1); });
  b.loop(seen, end, lanes,
         [&](Value key) { b.store(removed, line, key, f32, lanes); });
}

void AttentionSchedule::emitRow(KernelBuilder &b, const Work &work,
                                const Block &block, Value row) {
  constexpr int64_t lanes = CodegenOptions::kLanes;
  Type f32 = b.getF32Type();
  Value line =
      b.address(b.scratch(work.scoreOffset), b.mul(row, work.scoreStride), f32);
  // Full vectors: elements past the last key count as removed.
  OpFoldResult zero = b.constant(0), size = b.constant(lanes);
  OpFoldResult end = b.mul(b.ceilDiv(block.keys, size), size);
  emitMask(b, block, b.add(block.first, row), line,
           getSeen(b, work, block, row), end);

  auto reduce = [&](Value init, llvm::function_ref<Value(Value, Value)> step) {
    return b.loop(zero, end, lanes, ValueRange{init},
                  [&](Value key, ValueRange carried) {
                    return SmallVector<Value>{step(key, carried[0])};
                  })[0];
  };
  // A fixed tree: halve until one lane is left.
  auto fold = [&](Value value, llvm::function_ref<Value(Value, Value)> fn) {
    for (int64_t n = lanes / 2; n >= 1; n /= 2) {
      SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, n));
      SmallVector<int64_t> high = llvm::to_vector(llvm::seq<int64_t>(n, 2 * n));
      Value lhs = vector::ShuffleOp::create(b, value, value, low);
      Value rhs = vector::ShuffleOp::create(b, value, value, high);
      value = fn(lhs, rhs);
    }
    return Value(vector::ExtractOp::create(b, value, 0));
  };
  auto greater = [&](Value x, Value y) {
    Value isGreater = arith::CmpFOp::create(b, CmpFPredicate::OGT, x, y);
    return Value(arith::SelectOp::create(b, isGreater, x, y));
  };
  auto add = [&](Value x, Value y) {
    return Value(arith::AddFOp::create(b, x, y));
  };

  Value most =
      reduce(b.number(-INFINITY, f32, lanes), [&](Value key, Value sofar) {
        return greater(b.load(line, key, f32, lanes), sofar);
      });
  Value max = fold(most, greater);
  // If all keys are removed: e^-inf, and not e^(-inf + inf).
  Value isNone = arith::CmpFOp::create(b, CmpFPredicate::OEQ, max,
                                       b.number(-INFINITY, f32));
  max = arith::SelectOp::create(b, isNone, b.number(0, f32), max);
  Value maxes = b.splat(max, lanes);
  Value sums = reduce(b.number(0, f32, lanes), [&](Value key, Value sofar) {
    Value x = arith::SubFOp::create(b, b.load(line, key, f32, lanes), maxes);
    Value e = vectormath::expOfDistance(b, x);
    b.store(e, line, key, f32, lanes);
    return add(sofar, e);
  });
  Value sum = fold(sums, add);
  // The reciprocal of 0 makes an empty row NaN, unless there are no keys.
  if (op.getNanIfEmpty())
    isNone = b.cmp(CmpIPredicate::eq, work.keys, zero);
  else
    isNone =
        arith::CmpFOp::create(b, CmpFPredicate::OEQ, sum, b.number(0, f32));
  sum = arith::SelectOp::create(b, isNone, b.number(1, f32), sum);
  Value inverse = arith::DivFOp::create(b, b.number(1, f32), sum);
  b.store(inverse, b.scratch(work.factorOffset), row, f32, 1);
}

void AttentionSchedule::emitResult(KernelBuilder &b, const Work &work,
                                   const Block &block) {
  auto type = cast<RankedTensorType>(op.getType());
  dhlo::DimExpr rowExtent =
      dhlo::mul(dhlo::mul(dhlo::getDim(type, 0), dhlo::getDim(type, 1)),
                dhlo::getDim(type, 2));
  GemmEpilogue epilogue(b, result, rowExtent, dhlo::getDim(type, 3));
  HeadRows resultRows(b, result != op.getResult(), block.image, block.head,
                      work.heads, work.rows);
  auto emitOthers = [&] {
    emitResultOfPanels(b, work, block, epilogue, resultRows);
  };
  if (!block.isSingle)
    return emitOthers();
  auto emitSingle = [&] {
    Type f32 = b.getF32Type();
    HeadRows valueRows = getKeyRows(b, work, block, op.getValue());
    FewRowCall call;
    call.a = b.scratch(work.scoreOffset);
    call.b = b.address(getBuffer(b, op.getValue()),
                       b.mul(valueRows.first, work.width), f32);
    call.depth = b.value(block.keys);
    call.columns = b.value(work.width);
    call.c = b.address(b.scratch(work.panelOffset), b.constant(kPadding), f32);
    multiplySingle(b, RhsOrder::RowsOfN, b.mul(valueRows.step, work.width),
                   call);
    epilogue.emit(resultRows.get(b, block.first), b.constant(1), b.constant(0),
                  b.ceilDiv(work.width, b.constant(kPanelWidth)), call.c,
                  work.width, b.scratch(work.factorOffset), resultRows.step);
  };
  b.ifThen(block.isSingle, emitSingle, emitOthers);
}

void AttentionSchedule::emitResultOfPanels(KernelBuilder &b, const Work &work,
                                           const Block &block,
                                           GemmEpilogue &epilogue,
                                           const HeadRows &resultRows) {
  CodeBuilder code(b, b.getLoc());
  Type f32 = b.getF32Type();
  HeadRows valueRows = getKeyRows(b, work, block, op.getValue());
  Value values = b.address(getBuffer(b, op.getValue()),
                           b.mul(valueRows.first, work.width), f32);
  Value valueStride =
      b.value(b.mul(b.mul(valueRows.step, work.width), b.constant(kElement)));
  Value scores = b.scratch(work.scoreOffset);
  Value panels = b.scratch(work.panelOffset);
  Value tileBuffer = b.scratch(b.constant(kTile));
  Value factors = b.scratch(work.factorOffset);
  RowTiles tiles = getTiles(b, block);
  OpFoldResult width = b.constant(kPanelWidth);
  OpFoldResult panelSize = b.mul(block.keys, width);
  OpFoldResult panelCount = b.ceilDiv(work.width, width);
  int64_t tileStride = microKernels->getShapes().maxPanels() * kPanelWidth;

  b.loop(b.constant(0), b.ceilDiv(panelCount, tiles.panels), 1, [&](Value g) {
    OpFoldResult panel = b.mul(g, tiles.panels);
    OpFoldResult count = b.min(tiles.panels, b.sub(panelCount, panel));
    b.loop(b.constant(0), count, 1, [&](Value i) {
      OpFoldResult column = b.mul(b.add(panel, i), width);
      packing->panelFromRows(code, b.address(values, column, f32), valueStride,
                             b.value(block.keys),
                             b.value(b.min(width, b.sub(work.width, column))),
                             b.address(panels, b.mul(i, panelSize), f32));
    });
    b.loop(b.constant(0), tiles.tiles, 1, [&](Value tile) {
      OpFoldResult first = tiles.getFirst(b, tile);
      OpFoldResult rows = tiles.getCount(b, tile);
      MicroKernelCall call;
      call.a = b.address(scores, b.mul(first, work.scoreStride), f32);
      call.rowStride = b.value(b.mul(work.scoreStride, b.constant(kElement)));
      call.taps = b.scratch(b.constant(0));
      call.tapCount = b.indexConstant(1);
      call.depth = b.value(block.keys);
      call.b = panels;
      call.panelStride = b.value(b.mul(panelSize, b.constant(kElement)));
      call.c = tileBuffer;
      call.cStride = b.indexConstant(tileStride * kElement);
      tiles.multiply(b, *microKernels, rows, call);
      epilogue.emit(resultRows.get(b, b.add(block.first, first)), rows,
                    b.mul(panel, width), count, tileBuffer,
                    b.constant(tileStride), b.address(factors, first, f32),
                    resultRows.step);
    });
  });
}

} // namespace

std::unique_ptr<Schedule> dyn::createAttentionSchedule() {
  return std::make_unique<AttentionSchedule>();
}
