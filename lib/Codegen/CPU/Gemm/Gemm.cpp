//===- Gemm.cpp - Schedule of GEMM ----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The work is divided into items (matmul of the batch, group of panels, chunk
// of rows):
//
//   panels of B are 16 columns; a group is what one tile covers, 1 to 4 panels;
//   tiles are rows that one micro-kernel computes together (RowTiles);
//   a chunk is a few tiles, whose rows of A stay in the cache while all groups
//   of panels pass.
//
// Items of one chunk are consecutive, so a thread with a range of items reads
// its rows of A from the cache, and many threads find work for one row as well
// as for a thousand. Where B is not a packed constant, an item first packs its
// panels into scratch; then items of one group are consecutive, and a thread
// packs each group once. Likewise, it copies a chunk of A whose columns are
// contiguous in memory, or whose row stride would make a tile's rows evict one
// another from the L1 cache. Where it copies both, items of one chunk are
// consecutive, and a chunk is larger: it has more rows than a group has
// columns, so that fewer elements are copied.
//
// Along K, micro-kernels process groups of elements (GemmArithmetic.h). Four
// bytes count as one element of f32: strides, panels and tiles are the same. So
// do two bf16, where there is an instruction for pairs. Otherwise 16-bit floats
// are f32 in the copy of A, and in panels except those of a constant. Rows that
// do not end with a group are copied, too, and their padding is multiplied by
// the zeros of the last group of B. Tile registers read copies with a gap of
// zeros (TileRegisters.h).
//
// Rows of A that the kernel computes (fused concatenations, gathers, additions)
// are computed where they would be copied, once per chunk.
//
// For few rows, a B that is not packed is read where it is (FewRows.h).
//
// From some number of rows on, a chunk's rows are packed tile by tile instead:
// transposing them once pays off for all panels. All tiles use one block along
// K of a group before the next one, and their partial sums wait in scratch.

#include "Codegen/CPU/Gemm/Gemm.h"

#include "Codegen/CPU/Gemm/FewRows.h"
#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Gemm/Packing.h"
#include "Codegen/CPU/Gemm/TileRegisters.h"

#include "Codegen/CPU/Gemm/KeptItems.h"
#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {

/// Bytes of f32, the unit of offsets.
constexpr int64_t kElement = 4;
/// The offsets in scratch of the configuration of tile registers, after the
/// offset of the tap, of a row of zeros of at most four panels, and of the
/// tiles of results.
constexpr int64_t kConfig = 64, kZeros = kConfig + tiles::kConfigBytes,
                  kTile = kZeros + 4 * kPanelWidth * kElement;

/// The element type of A in memory.
Type getLhsElement(const Gemm &gemm) {
  return cast<RankedTensorType>(gemm.lhs.getType()).getElementType();
}

/// The type as which elements of A are copied: bits, if no arithmetic widens
/// them.
Type getCopiedElement(const Gemm &gemm) {
  Type element = getLhsElement(gemm);
  return gemm.factors == Factors::BF16Pairs
             ? IntegerType::get(element.getContext(), 16)
             : element;
}

/// Columns at which concatenated parts of rows begin, except the first: code
/// for columns between two of them need not select a part.
SmallVector<int64_t> getSeams(Value lhs) {
  SmallVector<int64_t> seams;
  auto concat = lhs.getDefiningOp<dhlo::ConcatOp>();
  int64_t last = cast<RankedTensorType>(lhs.getType()).getRank() - 1;
  if (!concat || static_cast<int64_t>(concat.getAxis()) != last)
    return seams;
  int64_t column = 0;
  for (Value part : concat.getOperands().drop_back()) {
    auto width = dhlo::getConstantValue(
        dhlo::getDim(cast<RankedTensorType>(part.getType()), last));
    if (!width)
      break;
    seams.push_back(column += *width);
  }
  return seams;
}

/// Whether packing A pays off if there are many rows.
bool mayPackLhs(KernelBuilder &b, const TileShapes &shapes, const Gemm &gemm) {
  const SymbolicDims &dims = b.getDims();
  const CpuInfo &cpu = b.getCpu();
  SymbolicDims::Range columns = dims.getRange(gemm.n);
  if (shapes.minPacked == 0 || gemm.rhsOrder != RhsOrder::Panels ||
      !gemm.lhsRows || !getLhsElement(gemm).isF32() ||
      columns.min != columns.max)
    return false;
  int64_t panels = getPanelLimit(dims, gemm.n);
  return panels >= cpu.gemmPackPanels ||
         (panels >= cpu.gemmPackFewPanels &&
          panels * dims.getRange(gemm.k).min >= cpu.gemmPackFewRows);
}

/// Sizes of the work, computed in the same way by geometry and body.
struct Work {
  Work(KernelBuilder &b, const TileShapes &shapes, const Gemm &gemm);

  RowTiles rowTiles;
  OpFoldResult g, n;
  OpFoldResult k; ///< groups of elements
  OpFoldResult panels, groups;
  OpFoldResult tilesPerChunk, chunks;
  OpFoldResult items;
  /// Whether rows of A are copied, and how many f32 apart they are.
  bool copiesLhs;
  OpFoldResult lhsStride;
  OpFoldResult tileSize; ///< f32 of a tile of packed rows
  /// Blocks of packed rows along K, else 1, and their size.
  int64_t packedBlocks = 1;
  OpFoldResult blocks, blockSize;
  OpFoldResult tileBytes; ///< of results between tiles of a chunk
  OpFoldResult panelSize; ///< f32 of a panel of B
  /// Bytes of a copied row before the gap, and of the gap.
  int64_t lhsHead = 0, lhsGap = 0;
  // Scratch, in bytes: the tap, the configuration, a tile of results, rows of
  // A, panels of B.
  int64_t tileWidth; ///< elements
  OpFoldResult lhsOffset, rhsOffset, scratchBytes;
  /// Of a tile's rows that are computed before they are packed.
  OpFoldResult rowsOffset;
  OpFoldResult flops, bytes;
};

Work::Work(KernelBuilder &b, const TileShapes &shapes, const Gemm &gemm)
    : rowTiles(b, shapes, gemm.m, getPanelLimit(b.getDims(), gemm.n),
               mayPackLhs(b, shapes, gemm)) {
  const CpuInfo &cpu = b.getCpu();
  g = b.size(gemm.g);
  n = b.size(gemm.n);
  int64_t group = getGroupSize(gemm.factors);
  OpFoldResult depth = b.size(gemm.k);
  k = b.ceilDiv(depth, b.constant(group));
  OpFoldResult m = rowTiles.rows;
  panels = b.ceilDiv(n, b.constant(kPanelWidth));
  groups = b.ceilDiv(panels, rowTiles.panels);

  int64_t lhsSize = getLhsBytes(gemm.factors) / kElement;
  OpFoldResult rowLength = b.mul(k, b.constant(lhsSize));
  panelSize =
      b.mul(k, b.constant(kPanelWidth * getRhsBytes(gemm.factors) / kElement));

  // Where the kernel packs B, a chunk is read once for each copy.
  std::optional<int64_t> known = getConstantIntValue(k);
  copiesLhs = !gemm.lhsRows || gemm.computesLhs() ||
              getComputeType(getCopiedElement(gemm)) !=
                  getStorageType(getCopiedElement(gemm)) ||
              !b.getDims().isMultipleOf(gemm.k, group) ||
              (gemm.rhsOrder == RhsOrder::Panels && known &&
               sharesSets(cpu, *known * kElement));
  if (shapes.anyHeight) {
    // Operands of tile registers have a static K; the remainder of full steps
    // is bytes.
    lhsHead = *known / tiles::kStep * tiles::kStep * kElement;
    lhsGap = tiles::getGap(*known) * kElement;
    copiesLhs |= lhsGap > 0;
  }

  OpFoldResult fit =
      getChunkTiles(b, rowTiles.height, b.mul(rowLength, b.constant(kElement)));
  OpFoldResult tileItems = b.mul(g, b.mul(groups, rowTiles.tiles));
  int64_t wantedItems = cpu.gemmItems;
  if (gemm.rhsOrder != RhsOrder::Panels && copiesLhs)
    wantedItems = llvm::divideCeil(wantedItems, 4);
  OpFoldResult wanted =
      b.max(b.constant(4), b.ceilDiv(tileItems, b.constant(wantedItems)));
  chunks = b.ceilDiv(rowTiles.tiles, b.min(fit, wanted));
  tilesPerChunk = b.ceilDiv(rowTiles.tiles, chunks);
  items = b.mul(g, b.mul(groups, chunks));

  OpFoldResult zero = b.constant(0);
  tileWidth =
      std::min(shapes.maxPanels(), std::max<int64_t>(1, rowTiles.panelLimit)) *
      kPanelWidth;
  auto aligned = [&](OpFoldResult size) {
    return b.mul(b.ceilDiv(size, b.constant(64)), b.constant(64));
  };
  lhsStride = copiesLhs
                  ? b.add(rowLength, b.constant((lhsGap + kRowGap) / kElement))
                  : k;
  // Partial sums of all tiles of a chunk wait for the next block.
  OpFoldResult tileRows = b.constant(shapes.rowLimit());
  blocks = b.constant(1);
  blockSize = k;
  tileBytes = zero;
  if (rowTiles.packed && *known > cpu.gemmBlockDepth) {
    packedBlocks = llvm::divideCeil(*known, cpu.gemmBlockDepth);
    int64_t size = llvm::alignTo(llvm::divideCeil(*known, packedBlocks), 4);
    int64_t bytes = shapes.packedRows * tileWidth * kElement;
    blocks = b.select(rowTiles.packed, b.constant(packedBlocks), blocks);
    blockSize = b.select(rowTiles.packed, b.constant(size), k);
    tileBytes = b.select(rowTiles.packed, b.constant(bytes), zero);
    tileRows =
        b.max(tileRows, b.mul(tilesPerChunk, b.constant(shapes.packedRows)));
  }
  lhsOffset = b.add(b.constant(kTile),
                    b.mul(tileRows, b.constant(tileWidth * kElement)));
  auto getCopyBytes = [&](OpFoldResult rows) {
    return aligned(b.mul(b.mul(lhsStride, b.constant(kElement)), rows));
  };
  OpFoldResult lhsBytes =
      copiesLhs ? getCopyBytes(b.mul(b.max(zero, tilesPerChunk),
                                     b.constant(shapes.rowLimit())))
                : zero;
  tileSize = b.mul(rowLength, rowTiles.height);
  rowsOffset = lhsOffset;
  if (rowTiles.packed) {
    OpFoldResult packedBytes =
        aligned(b.mul(tilesPerChunk, b.mul(tileSize, b.constant(kElement))));
    if (gemm.computesLhs()) {
      rowsOffset =
          b.select(rowTiles.packed, b.add(lhsOffset, packedBytes), lhsOffset);
      packedBytes =
          b.add(packedBytes, getCopyBytes(b.constant(shapes.packedRows)));
    }
    lhsBytes = b.select(rowTiles.packed, packedBytes, lhsBytes);
  }
  rhsOffset = b.add(lhsOffset, lhsBytes);
  OpFoldResult rhsBytes = gemm.rhsOrder == RhsOrder::Panels
                              ? zero
                              : b.mul(k, b.constant(tileWidth * kElement));
  scratchBytes = b.add(rhsOffset, rhsBytes);

  OpFoldResult mn = b.mul(m, n);
  flops = b.mul(b.constant(2), b.mul(g, b.mul(mn, depth)));
  bytes =
      b.mul(b.mul(g, b.constant(kElement)), b.add(mn, b.mul(k, b.add(m, n))));
}

class GemmSchedule : public Schedule {
public:
  explicit GemmSchedule(const Gemm &gemm) : gemm(gemm) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &options) override {
    DeclaredFactors declared = gemm.getDeclaredFactors();
    gemm.factors = declared.getFactors(options.isa());
    RegisterInfo registers = options.target.cpu.registers;
    if (!declared.usesTileRegisters(registers.isa))
      registers.isa = std::min(registers.isa, Isa::V4Bf16);
    microKernels.emplace(kernel->getParentOp(), registers, gemm.factors);
    packing.emplace(kernel->getParentOp(), options.isa());
    return success();
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// The code of items by panels of B.
  void emitPanels(KernelBuilder &b);
  /// One item; `copied` identify the chunk and the group of panels that are in
  /// scratch, and the results are the same afterwards.
  SmallVector<Value> emitItem(KernelBuilder &b, const Work &work, Value item,
                              ValueRange copied);
  /// Copy the rows of tiles `first` up to `last` to scratch.
  void emitCopyLhs(KernelBuilder &b, const Work &work, OpFoldResult g,
                   OpFoldResult first, OpFoldResult last);
  void emitPackLhs(KernelBuilder &b, const Work &work, OpFoldResult g,
                   OpFoldResult first, OpFoldResult last);
  void emitComputeLhs(KernelBuilder &b, const Work &work, OpFoldResult first,
                      OpFoldResult last);
  /// Copies a row to `target`: `elements` returns those from a column on.
  void
  emitLhsRow(KernelBuilder &b, const Work &work, Value target,
             llvm::function_ref<Value(Value column, int64_t lanes)> elements);
  /// Packs rows of a tile, `rowBytes` apart, as tile `number` of a chunk.
  void emitPackTile(KernelBuilder &b, const Work &work, Value rows,
                    OpFoldResult rowBytes, OpFoldResult number);
  void emitPackRhs(KernelBuilder &b, const Work &work, OpFoldResult g,
                   OpFoldResult panel, OpFoldResult count);
  void emitTile(KernelBuilder &b, const Work &work, OpFoldResult g,
                OpFoldResult firstTile, OpFoldResult tile,
                const RowTiles::Group &columns, const DepthBlock *block);

  int64_t getBuffer(Value operand) const {
    return cast<BlockArgument>(operand).getArgNumber();
  }

  Gemm gemm;
  std::optional<MicroKernels> microKernels;
  std::optional<Packing> packing;
};

Geometry GemmSchedule::emitGeometry(KernelBuilder &b) {
  Work work(b, microKernels->getShapes(), gemm);
  // A group that is multiplied as one element takes as long as one.
  int64_t parts = getLhsBytes(gemm.factors) / kElement;
  OpFoldResult steps =
      b.div(work.flops, b.constant(getGroupSize(gemm.factors) / parts));
  OpFoldResult items = work.items, scratchBytes = work.scratchBytes;
  if (auto few = FewRows::create(b, gemm)) {
    Value isFew = few->isFew(b);
    auto choose = [&](OpFoldResult ifFew, OpFoldResult otherwise) {
      return isFew ? b.select(isFew, ifFew, otherwise) : ifFew;
    };
    items = choose(few->getItems(b), items);
    scratchBytes = choose(few->getScratchBytes(b), scratchBytes);
  }
  OpFoldResult grain = getGemmGrain(b, items, steps, work.bytes);
  return {items, grain, scratchBytes};
}

LogicalResult GemmSchedule::emitBody(KernelBuilder &b) {
  auto few = FewRows::create(b, gemm);
  Value isFew = few ? few->isFew(b) : Value();
  auto emitFew = [&] { few->emitBody(b, b.getKernel()->getParentOp()); };
  auto emitOthers = [&] { emitPanels(b); };
  if (!few)
    emitOthers();
  else if (!isFew)
    emitFew();
  else
    b.ifThen(isFew, emitFew, emitOthers);
  return success();
}

void GemmSchedule::emitPanels(KernelBuilder &b) {
  Work work(b, microKernels->getShapes(), gemm);
  // A matmul has one tap, at offset 0.
  b.store(b.indexConstant(0), b.scratch(b.constant(0)), b.constant(0),
          b.getI64Type(), 1);
  if (work.rowTiles.packed) {
    Type f32 = b.getF32Type();
    Value zeros = b.scratch(b.constant(kZeros));
    for (int64_t i = 0; i < work.tileWidth; i += kPanelWidth)
      b.store(b.number(0, f32, kPanelWidth), zeros, b.constant(i), f32,
              kPanelWidth);
  }
  CodeBuilder code(b, b.getLoc());
  microKernels->begin(code, b.scratch(b.constant(kConfig)), b.value(work.k));
  forEachItemKeeping(b, 2, [&](Value item, ValueRange copied) {
    return emitItem(b, work, item, copied);
  });
  microKernels->end(code);
}

SmallVector<Value> GemmSchedule::emitItem(KernelBuilder &b, const Work &work,
                                          Value item, ValueRange copied) {
  bool isPacked = gemm.rhsOrder == RhsOrder::Panels;
  bool byChunks = isPacked || work.copiesLhs;
  OpFoldResult inner = byChunks ? work.groups : work.chunks;
  OpFoldResult outer = byChunks ? work.chunks : work.groups;
  OpFoldResult rest = b.div(item, inner);
  OpFoldResult group = b.rem(item, inner), chunk = b.rem(rest, outer);
  if (!byChunks)
    std::swap(group, chunk);
  OpFoldResult g = b.div(rest, outer);
  RowTiles::Group columns = work.rowTiles.getGroup(b, group, work.panels);
  // Chunks differ by at most one tile, so that threads get the same work.
  auto getTile = [&](OpFoldResult number) {
    return getPartStart(b, number, work.rowTiles.tiles, work.chunks);
  };
  OpFoldResult first = getTile(chunk);
  OpFoldResult last = getTile(b.add(chunk, b.constant(1)));

  SmallVector<Value> numbers(copied);
  auto copyOnce = [&](unsigned i, OpFoldResult number,
                      llvm::function_ref<void()> copy) {
    numbers[i] = b.value(number);
    b.ifThen(b.cmp(CmpIPredicate::ne, number, copied[i]), copy);
  };
  Value packed = work.rowTiles.packed;
  auto bringLhs = [&] {
    if (gemm.computesLhs())
      return emitComputeLhs(b, work, first, last);
    auto copy = [&] {
      if (work.copiesLhs)
        emitCopyLhs(b, work, g, first, last);
    };
    if (!packed)
      return copy();
    CodeBuilder(b, b.getLoc())
        .ifThen(packed, [&] { emitPackLhs(b, work, g, first, last); }, copy);
  };
  if (work.copiesLhs || packed)
    copyOnce(0, b.add(b.mul(g, work.chunks), chunk), bringLhs);
  if (!isPacked)
    copyOnce(1, b.add(b.mul(g, work.groups), group),
             [&] { emitPackRhs(b, work, g, columns.panel, columns.count); });
  auto emitTiles = [&](const DepthBlock *block) {
    b.loop(first, last, 1, [&](Value tile) {
      emitTile(b, work, g, first, tile, columns, block);
    });
  };
  if (work.packedBlocks == 1) {
    emitTiles(nullptr);
    return numbers;
  }
  OpFoldResult one = b.constant(1);
  b.loop(b.constant(0), work.blocks, 1, [&](Value number) {
    DepthBlock block = {
        b.mul(number, work.blockSize), work.blockSize,
        b.cmp(CmpIPredicate::eq, number, b.constant(0)),
        b.cmp(CmpIPredicate::eq, number, b.sub(work.blocks, one))};
    emitTiles(&block);
  });
  return numbers;
}

void GemmSchedule::emitLhsRow(
    KernelBuilder &b, const Work &work, Value target,
    llvm::function_ref<Value(Value column, int64_t lanes)> elements) {
  // Computed elements that are multiplied in pairs are narrowed when copied.
  bool isPairs = gemm.factors == Factors::BF16Pairs;
  Type copied = gemm.computesLhs() && isPairs
                    ? Type(b.getBF16Type())
                    : getComputeType(getCopiedElement(gemm));
  Type zero = gemm.computesLhs() ? Type(b.getF32Type()) : copied;
  OpFoldResult depth = b.size(gemm.k);
  SmallVector<int64_t> seams = getSeams(gemm.lhs);
  auto cover = [&](OpFoldResult from, OpFoldResult to, int64_t shift) {
    auto part = [&](OpFoldResult begin, OpFoldResult end) {
      b.coverLanes(begin, end, [&](Value k, int64_t lanes) {
        b.store(elements(k, lanes), target, b.add(k, b.constant(shift)), copied,
                lanes);
      });
    };
    auto begin = getConstantIntValue(from), end = getConstantIntValue(to);
    for (int64_t seam : seams)
      if (begin && end && *begin < seam && seam < *end) {
        part(from, b.constant(seam));
        from = b.constant(seam);
      }
    part(from, to);
  };
  // Zeros of B do not make up for values past a row's end such as NaN.
  if (getGroupSize(gemm.factors) == 2)
    b.store(b.number(0, zero), target, depth, copied, 1);
  if (work.lhsGap == 0)
    return cover(b.constant(0), depth, 0);
  OpFoldResult head = b.constant(work.lhsHead);
  OpFoldResult tail = b.constant(work.lhsHead + work.lhsGap);
  cover(b.constant(0), head, 0);
  b.coverLanes(head, tail, [&](Value k, int64_t lanes) {
    b.store(b.number(0, zero, lanes), target, k, copied, lanes);
  });
  cover(head, depth, work.lhsGap);
}

void GemmSchedule::emitCopyLhs(KernelBuilder &b, const Work &work,
                               OpFoldResult g, OpFoldResult first,
                               OpFoldResult last) {
  const RowTiles &tiles = work.rowTiles;
  Type element = getCopiedElement(gemm);
  OpFoldResult depth = b.size(gemm.k);
  OpFoldResult begin = tiles.getFirst(b, first), end = tiles.getFirst(b, last);
  Value matrix =
      b.address(b.buffer(getBuffer(gemm.lhs)),
                b.mul(b.mul(g, tiles.rows), depth), getStorageType(element));
  Value copy = b.scratch(work.lhsOffset);
  if (!gemm.lhsRows && element.isF32() && work.lhsGap == 0) {
    CodeBuilder code(b, b.getLoc());
    OpFoldResult size = b.constant(kElement);
    return packing->rowsFromColumns(code, b.address(matrix, begin, element),
                                    b.value(b.mul(tiles.rows, size)),
                                    b.value(depth), b.value(b.sub(end, begin)),
                                    copy, b.value(b.mul(work.lhsStride, size)));
  }
  b.loop(begin, end, 1, [&](Value row) {
    OpFoldResult start = gemm.lhsRows ? b.mul(row, depth) : row;
    OpFoldResult step = gemm.lhsRows ? b.constant(1) : tiles.rows;
    Value target = b.address(copy, b.mul(b.sub(row, begin), work.lhsStride),
                             b.getF32Type());
    emitLhsRow(b, work, target, [&](Value k, int64_t lanes) {
      OpFoldResult at = b.add(start, b.mul(k, step));
      return gemm.lhsRows ? b.load(matrix, at, element, lanes)
                          : b.loadStrided(matrix, at, step, element, lanes);
    });
  });
}

void GemmSchedule::emitComputeLhs(KernelBuilder &b, const Work &work,
                                  OpFoldResult first, OpFoldResult last) {
  const RowTiles &tiles = work.rowTiles;
  auto type = cast<RankedTensorType>(gemm.lhs.getType());
  SmallVector<dhlo::DimExpr> axes = getSizes(b, gemm.lhs);
  axes.pop_back();
  if (axes.empty())
    axes.push_back(dhlo::getConstDim(type.getContext(), 1));
  SmallVector<OpFoldResult> extents;
  for (dhlo::DimExpr axis : axes)
    extents.push_back(b.size(axis));
  Value copy = b.scratch(work.rowsOffset);
  auto compute = [&](OpFoldResult begin, OpFoldResult end) {
    forEachItem(
        b, extents, begin, end, ValueRange{b.indexConstant(0)},
        [&](ArrayRef<OpFoldResult> coordinates,
            ValueRange number) -> SmallVector<Value> {
          Value target =
              b.address(copy, b.mul(number[0], work.lhsStride), b.getF32Type());
          emitLhsRow(b, work, target, [&](Value k, int64_t lanes) {
            ElementEmitter emitter(b);
            Position position;
            for (auto [axis, coordinate] : llvm::zip_equal(axes, coordinates))
              position.push_back({axis, emitter.uniform(coordinate)});
            position.push_back(
                {gemm.k, lanes > 1 ? emitter.lanes(k) : emitter.uniform(k)});
            return emitter.emit(gemm.lhs, position, lanes);
          });
          return {b.value(b.add(number[0], b.constant(1)))};
        });
  };
  if (!tiles.packed)
    return compute(tiles.getFirst(b, first), tiles.getFirst(b, last));
  // All rows of a chunk at once, or tile by tile.
  OpFoldResult one = b.constant(1), count = b.sub(last, first);
  OpFoldResult parts = b.select(tiles.packed, count, b.min(count, one));
  OpFoldResult height = b.constant(microKernels->getShapes().packedRows);
  b.loop(b.constant(0), parts, 1, [&](Value part) {
    OpFoldResult tile = b.add(first, part);
    OpFoldResult begin = tiles.getFirst(b, tile);
    OpFoldResult end =
        b.select(tiles.packed, b.add(begin, height), tiles.getFirst(b, last));
    compute(begin, end);
    b.ifThen(tiles.packed, [&] {
      emitPackTile(b, work, copy, b.mul(work.lhsStride, b.constant(kElement)),
                   part);
    });
  });
}

void GemmSchedule::emitPackTile(KernelBuilder &b, const Work &work, Value rows,
                                OpFoldResult rowBytes, OpFoldResult number) {
  CodeBuilder code(b, b.getLoc());
  packing->tileFromRows(code, microKernels->getShapes().packedRows, rows,
                        b.value(rowBytes), b.value(work.k),
                        b.address(b.scratch(work.lhsOffset),
                                  b.mul(number, work.tileSize),
                                  b.getF32Type()));
}

void GemmSchedule::emitPackLhs(KernelBuilder &b, const Work &work,
                               OpFoldResult g, OpFoldResult first,
                               OpFoldResult last) {
  Type f32 = b.getF32Type();
  const RowTiles &tiles = work.rowTiles;
  Value matrix = b.address(b.buffer(getBuffer(gemm.lhs)),
                           b.mul(b.mul(g, tiles.rows), work.k), f32);
  b.loop(first, last, 1, [&](Value tile) {
    emitPackTile(b, work,
                 b.address(matrix, b.mul(tiles.getFirst(b, tile), work.k), f32),
                 b.mul(work.k, b.constant(kElement)), b.sub(tile, first));
  });
}

void GemmSchedule::emitPackRhs(KernelBuilder &b, const Work &work,
                               OpFoldResult g, OpFoldResult panel,
                               OpFoldResult count) {
  Type element = cast<RankedTensorType>(gemm.rhs.getType()).getElementType();
  bool isPairs = gemm.factors == Factors::BF16Pairs;
  Value rhs = b.buffer(getBuffer(gemm.rhs));
  OpFoldResult first = b.mul(g, b.mul(b.size(gemm.k), work.n));
  Value matrix = b.address(rhs, first, element);
  Value scratch = b.scratch(work.rhsOffset);
  // Packing fills up the last group of bytes.
  OpFoldResult depth = gemm.factors == Factors::Bytes ? b.size(gemm.k) : work.k;
  if (gemm.rhsOrder == RhsOrder::RowsOfN)
    return packPanels(b, *packing, matrix, depth, work.n, panel, count, scratch,
                      element, isPairs);
  // Pairs are adjacent in columns, as elements of f32 are.
  if (isPairs)
    element = b.getF32Type();
  CodeBuilder code(b, b.getLoc());
  OpFoldResult size = b.constant(element.getIntOrFloatBitWidth() / 8);
  b.loop(b.constant(0), count, 1, [&](Value i) {
    OpFoldResult column = b.mul(b.add(panel, i), b.constant(kPanelWidth));
    Value columns =
        b.value(b.min(b.constant(kPanelWidth), b.sub(work.n, column)));
    Value target = b.address(scratch, b.mul(i, work.panelSize), b.getF32Type());
    Value source = b.address(matrix, b.mul(column, depth), element);
    packing->panelFromColumns(code, source, b.value(b.mul(depth, size)),
                              b.value(depth), columns, target, element);
  });
}

void GemmSchedule::emitTile(KernelBuilder &b, const Work &work, OpFoldResult g,
                            OpFoldResult firstTile, OpFoldResult tile,
                            const RowTiles::Group &columns,
                            const DepthBlock *block) {
  Type f32 = b.getF32Type();
  const RowTiles &rowTiles = work.rowTiles;
  OpFoldResult first = rowTiles.getFirst(b, tile);
  OpFoldResult rows = rowTiles.getCount(b, tile);
  OpFoldResult row = b.add(b.mul(g, rowTiles.rows), first);

  MicroKernelCall call;
  call.rowStride = b.value(b.mul(work.lhsStride, b.constant(kElement)));
  if (work.copiesLhs) {
    OpFoldResult above = b.sub(first, rowTiles.getFirst(b, firstTile));
    call.a =
        b.address(b.scratch(work.lhsOffset), b.mul(above, work.lhsStride), f32);
  } else {
    call.a = b.address(b.buffer(getBuffer(gemm.lhs)), b.mul(row, work.k), f32);
  }
  OpFoldResult zero = b.constant(0), number = b.sub(tile, firstTile);
  Value scratch =
      b.scratch(b.add(b.constant(kTile), b.mul(number, work.tileBytes)));
  if (rowTiles.packed) {
    call.start = b.scratch(b.constant(kZeros));
    call.startStride = b.value(zero);
    OpFoldResult above = b.mul(number, work.tileSize);
    if (block) {
      above = b.add(above, b.mul(block->first, rowTiles.height));
      call.start =
          arith::SelectOp::create(b, block->isFirst, call.start, scratch);
      call.startStride = b.value(b.select(
          block->isFirst, zero, b.constant(work.tileWidth * kElement)));
    }
    call.a = arith::SelectOp::create(
        b, rowTiles.packed, b.address(b.scratch(work.lhsOffset), above, f32),
        call.a);
  }
  OpFoldResult start = columns.panel;
  OpFoldResult panelBytes = b.mul(work.panelSize, b.constant(kElement));
  if (gemm.rhsOrder == RhsOrder::Panels) {
    start = columns.start;
    OpFoldResult matrix = b.mul(g, b.mul(work.panels, work.panelSize));
    call.b = b.address(b.buffer(getBuffer(gemm.rhs)),
                       b.add(matrix, b.mul(start, work.panelSize)), f32);
    rowTiles.setAhead(b, call, number, work.tilesPerChunk, columns.count,
                      panelBytes, kPanelWidth * getRhsBytes(gemm.factors),
                      block);
    if (block)
      call.b =
          b.address(call.b, b.mul(block->first, b.constant(kPanelWidth)), f32);
  } else {
    call.b = b.scratch(work.rhsOffset);
  }
  call.panelStride = b.value(panelBytes);
  call.taps = b.scratch(b.constant(0));
  call.tapCount = b.indexConstant(1);
  call.config = b.scratch(b.constant(kConfig));
  call.depth = b.value(work.k);
  if (block)
    call.depth = b.value(b.min(block->size, b.sub(work.k, block->first)));

  GemmEpilogue epilogue(b, gemm.result, dhlo::mul(gemm.g, gemm.m), gemm.n);
  epilogue.multiply(rowTiles, *microKernels, call,
                    {row, rows, columns.panel, columns.count, start,
                     rowTiles.getRepeated(b, tile)},
                    gemm.rhsOrder == RhsOrder::Panels, scratch, work.tileWidth,
                    block);
}

} // namespace

std::unique_ptr<Schedule> dyn::createGemmSchedule(const Gemm &gemm) {
  return std::make_unique<GemmSchedule>(gemm);
}
