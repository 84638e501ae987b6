//===- MicroKernel.cpp - Micro-kernels of GEMM and convolution ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/MicroKernel.h"

#include "Codegen/CPU/Gemm/TileRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// TileShapes
//===----------------------------------------------------------------------===//

/// Whether groups of `wide` panels cover `panels` exactly where groups of `few`
/// compute one of them twice. Of many panels, that one does not matter.
static bool prefersWide(int64_t panels, int64_t wide, int64_t few) {
  constexpr int64_t kMany = 10;
  return wide > few && 0 < panels && panels < kMany && panels % wide == 0 &&
         panels % few != 0;
}

TileShapes::TileShapes(const RegisterInfo &registers, Factors factors,
                       int64_t panels) {
  // Two blocks of rows by two panels, or one block by four.
  if (usesTileRegisters(registers.isa, factors)) {
    anyHeight = true;
    maxRows = maxSingle = 2 * tiles::kRows;
    tallPanels = 2;
    smallPanels.assign(tiles::kRows + 1, 4);
    return;
  }
  // Without an instruction for them, bytes take more registers.
  if (factors == Factors::Bytes && !hasVnni(registers.isa)) {
    maxRows = maxSingle = registers.byteGemmRows;
    tallPanels = registers.byteGemmPanels;
    // Small GEMMs have fewer rows than any tile of a tall one.
    smallPanels.assign(minTallRows(), tallPanels);
    return;
  }
  maxRows = registers.gemmRows;
  maxSingle = registers.gemmSingleRows;
  tallPanels = registers.gemmPanels;
  smallPanels = registers.gemmSmallPanels;
  slowRows = registers.gemmSlowRows;
  if (factors == Factors::F32) {
    minPacked = registers.gemmPackedFrom;
    packedRows = registers.gemmPackedRows;
    packedPanels = registers.gemmPackedPanels;
    // Rows that are not packed take more registers, but those of such a tile do
    // not spill.
    if (prefersWide(panels, packedPanels, tallPanels) &&
        packedRows >= maxSmall()) {
      maxRows = maxSingle = packedRows;
      tallPanels = packedPanels;
    }
  }
}

int64_t TileShapes::maxPanels() const {
  return std::max(tallPanels, *llvm::max_element(smallPanels));
}

int64_t TileShapes::getPanels(int64_t rows, int64_t limit) const {
  int64_t panels = rows <= maxSmall() ? smallPanels[rows] : tallPanels;
  return std::max<int64_t>(1, std::min(panels, limit));
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t kUnroll = 4;
/// Rows of A that share a pointer.
constexpr int64_t kRowsPerPointer = 5;
/// Bytes of a result, and of a row of results of a panel.
constexpr int64_t kElement = 4;
constexpr int64_t kResultRow = kPanelWidth * kElement;

/// Emits the body of one micro-kernel.
class Emitter {
public:
  Emitter(CodeBuilder &b, ValueRange args, int64_t rows, int64_t panels,
          const GemmArithmetic &arithmetic, bool packed, bool hasStart)
      : b(b), rows(rows), panels(panels), lanes(arithmetic.getLanes()),
        arithmetic(arithmetic), packed(packed),
        vectors(panels * kPanelWidth / lanes),
        lhsBytes(getLhsBytes(arithmetic.getFactors())),
        lhsStep(packed ? rows * lhsBytes : lhsBytes),
        rhsBytes(getRhsBytes(arithmetic.getFactors())),
        panelRow(kPanelWidth * rhsBytes), vectorType(arithmetic.getType()) {
    a = args[0];
    rowStride = args[1];
    taps = args[2];
    tapCount = args[3];
    depth = args[4];
    bPanels = args[5];
    panelStride = args[6];
    c = args[7];
    cStride = args[8];
    ahead = b.offset(bPanels, args[9]);
    aheadStep = args[10];
    if (hasStart) {
      start = args[11];
      startStride = args[12];
    }
  }

  void run();

private:
  /// `carried` are the accumulators, the row of B and the next prefetch
  /// address.
  SmallVector<Value> emitTap(Value tap, ValueRange carried);
  /// The k loop with `unroll` steps per iteration; pointers follow the
  /// accumulators in `carried`.
  SmallVector<Value> emitDepth(Value begin, Value end, int64_t unroll,
                               ValueRange carried);
  void emitStep(int64_t step, bool prefetch, MutableArrayRef<Value> accs,
                ArrayRef<Value> rowPtrs, ArrayRef<Value> bPtrs, Value next);

  CodeBuilder &b;
  int64_t rows, panels, lanes;
  const GemmArithmetic &arithmetic;
  bool packed;
  int64_t vectors;
  /// Bytes of a group of A, from one along a row to the next, of one column of
  /// B, and of a panel's row.
  int64_t lhsBytes, lhsStep, rhsBytes, panelRow;
  VectorType vectorType;
  Value a, rowStride, taps, tapCount, depth, bPanels, panelStride, c, cStride;
  Value ahead, aheadStep, start, startStride;
  /// rowStride times 0 to 5.
  SmallVector<Value> rowOffsets;
  /// panelStride times 0 to panels - 1.
  SmallVector<Value> panelOffsets;
};

void Emitter::run() {
  for (int64_t i = 0; i <= kRowsPerPointer; ++i)
    rowOffsets.push_back(b.mul(rowStride, i));
  for (int64_t i = 0; i < panels; ++i)
    panelOffsets.push_back(b.mul(panelStride, i));

  // The tile is written last; prefetch its cache lines first.
  Value row = c;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t p = 0; p < panels; ++p)
      b.prefetch(b.offset(row, p * kResultRow), /*forWrite=*/true);
    row = b.offset(row, cStride);
  }

  SmallVector<Value> carried(rows * vectors, b.zero(vectorType));
  row = start;
  for (int64_t i = 0; start && i < rows; ++i) {
    for (int64_t v = 0; v < vectors; ++v)
      carried[i * vectors + v] =
          b.load(vectorType, b.offset(row, v * lanes * kElement));
    row = b.offset(row, startStride);
  }
  carried.append({bPanels, ahead});
  carried = b.forLoop(
      b.constant(0), tapCount, b.constant(1), carried,
      [&](Value tap, ValueRange values) { return emitTap(tap, values); });

  row = c;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t v = 0; v < vectors; ++v)
      b.store(carried[i * vectors + v], b.offset(row, v * lanes * kElement));
    row = b.offset(row, cStride);
  }
}

SmallVector<Value> Emitter::emitTap(Value tap, ValueRange values) {
  Value tapOffset =
      b.load(b.builder().getI64Type(), b.offset(taps, b.mul(tap, 8)));
  SmallVector<Value> carried(values.drop_back(2));
  Value ptr = b.offset(a, tapOffset);
  for (int64_t i = 0; i < (packed ? 1 : rows); i += kRowsPerPointer) {
    carried.push_back(ptr);
    ptr = b.offset(ptr, rowOffsets[kRowsPerPointer]);
  }
  carried.append({values[values.size() - 2], values.back()});

  Value rest = b.rem(depth, kUnroll);
  carried = emitDepth(b.constant(0), b.sub(depth, rest), kUnroll, carried);
  carried = emitDepth(b.constant(0), rest, 1, carried);

  // The next tap has its own pointers into A.
  carried.erase(carried.begin() + rows * vectors, carried.end() - 2);
  return carried;
}

SmallVector<Value> Emitter::emitDepth(Value begin, Value end, int64_t unroll,
                                      ValueRange carried) {
  int64_t accCount = rows * vectors;
  return b.forLoop(
      begin, end, b.constant(unroll), carried, [&](Value, ValueRange values) {
        SmallVector<Value> accs(values.take_front(accCount));
        SmallVector<Value> rowPtrs, bPtrs;
        for (Value ptr : values.drop_front(accCount).drop_back(2))
          rowPtrs.push_back(b.opaque(ptr));
        Value bRow = b.opaque(values[values.size() - 2]), next = values.back();
        for (Value offset : panelOffsets)
          bPtrs.push_back(b.offset(bRow, offset));

        for (int64_t step = 0; step < unroll; ++step)
          emitStep(step, /*prefetch=*/unroll > 1, accs, rowPtrs, bPtrs, next);

        for (Value ptr : rowPtrs)
          accs.push_back(b.offset(ptr, unroll * lhsStep));
        accs.push_back(b.offset(bRow, unroll * panelRow));
        accs.push_back(unroll > 1 ? b.offset(next, aheadStep) : next);
        return accs;
      });
}

void Emitter::emitStep(int64_t step, bool prefetch, MutableArrayRef<Value> accs,
                       ArrayRef<Value> rowPtrs, ArrayRef<Value> bPtrs,
                       Value next) {
  for (int64_t part = 0; part < arithmetic.getParts(); ++part) {
    SmallVector<SmallVector<Value>> bVectors;
    for (Value ptr : bPtrs)
      for (int64_t n = 0; n < kPanelWidth; n += lanes)
        bVectors.push_back(arithmetic.loadRhs(
            b, b.offset(ptr, step * panelRow + n * rhsBytes), part));
    if (prefetch && part == 0) {
      // Few rows read B at the speed of its memory: prefetch further ahead.
      int64_t ahead = rows <= 8 ? 16 : 8;
      for (Value ptr : bPtrs)
        b.prefetch(b.offset(ptr, (step + ahead) * panelRow));
      b.prefetch(b.offset(next, step * panelRow), /*forWrite=*/false,
                 /*level=*/2);
    }
    for (int64_t i = 0; i < rows; ++i) {
      Value row = packed ? b.offset(rowPtrs[0], i * lhsBytes)
                         : b.offset(rowPtrs[i / kRowsPerPointer],
                                    rowOffsets[i % kRowsPerPointer]);
      Value ptr = b.offset(row, step * lhsStep);
      SmallVector<Value> splat = arithmetic.loadLhs(b, ptr, part);
      for (int64_t v = 0; v < vectors; ++v)
        accs[i * vectors + v] = arithmetic.multiplyAdd(b, splat, bVectors[v],
                                                       accs[i * vectors + v]);
    }
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// MicroKernels
//===----------------------------------------------------------------------===//

void MicroKernels::call(CodeBuilder &b, int64_t rows, int64_t panels,
                        const MicroKernelCall &call, bool packed) {
  // Not inlined: the callers' values would compete for registers.
  constexpr StringLiteral prefixes[] = {"mk", "mkbf16", "mkf16", "mk8",
                                        "mkpair"};
  std::string name = (prefixes[static_cast<int>(factors)] +
                      (packed       ? "p"
                       : call.start ? "s"
                                    : "") +
                      "_" + Twine(rows) + "x" + Twine(panels))
                         .str();
  GemmArithmetic arithmetic(symbolTable->getContext(), isa, factors);
  Value none = b.constant(0);
  SmallVector<Value> operands = {call.a,
                                 call.rowStride,
                                 call.taps,
                                 call.tapCount,
                                 call.depth,
                                 call.b,
                                 call.panelStride,
                                 call.c,
                                 call.cStride,
                                 call.ahead ? call.ahead : none,
                                 call.aheadStep ? call.aheadStep : none};
  if (call.start)
    operands.append({call.start, call.startStride});
  callHelper(b, symbolTable, name, operands,
             [&](CodeBuilder &code, ValueRange args) {
               Emitter(code, args, rows, panels, arithmetic, packed,
                       /*hasStart=*/!!call.start)
                   .run();
             });
}

void MicroKernels::call(CodeBuilder &b, Value rows, Value total,
                        int64_t minTotal, int64_t maxTotal, int64_t panelLimit,
                        const MicroKernelCall &arguments) {
  if (shapes.anyHeight)
    return callAnyHeight(b, rows, total, minTotal, maxTotal, panelLimit,
                         arguments);
  // The possible tiles, numbered: first those of all rows, then the others.
  struct Tile {
    int64_t key, rows, panels;
  };
  SmallVector<Tile> tiles;
  int64_t maxSmall = shapes.maxSmall();
  for (int64_t r = std::max<int64_t>(1, minTotal);
       r <= std::min(maxSmall, maxTotal); ++r)
    tiles.push_back({r, r, shapes.getPanels(r, panelLimit)});
  auto addTall = [&](int64_t first, int64_t last) {
    for (int64_t r = first; r <= last; ++r)
      tiles.push_back(
          {maxSmall + r, r, shapes.getPanels(maxSmall + 1, panelLimit)});
  };
  if (maxTotal > shapes.maxSingle)
    addTall(shapes.minTallRows(), shapes.rowLimit());
  else if (maxTotal > maxSmall)
    addTall(std::max(minTotal, maxSmall + 1), maxTotal);
  if (tiles.empty())
    return;
  if (tiles.size() == 1)
    return call(b, tiles[0].rows, tiles[0].panels, arguments);

  Value key = rows;
  if (minTotal > maxSmall)
    key = b.add(rows, maxSmall);
  else if (maxTotal > maxSmall)
    key = b.select(b.le(total, b.constant(maxSmall)), rows,
                   b.add(rows, maxSmall));
  SmallVector<int64_t> keys;
  for (const Tile &tile : ArrayRef(tiles).drop_back())
    keys.push_back(tile.key);
  OpBuilder &builder = b.builder();
  Value index = arith::IndexCastOp::create(builder, b.getLoc(),
                                           builder.getIndexType(), key);
  auto branch = scf::IndexSwitchOp::create(builder, b.getLoc(), TypeRange(),
                                           index, keys, keys.size());
  OpBuilder::InsertionGuard guard(builder);
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    Region &region = i < keys.size() ? branch.getCaseRegions()[i]
                                     : branch.getDefaultRegion();
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    call(b, tile.rows, tile.panels, arguments);
    scf::YieldOp::create(builder, b.getLoc());
  }
}

//===----------------------------------------------------------------------===//
// Tile registers
//===----------------------------------------------------------------------===//

void MicroKernels::begin(CodeBuilder &b, Value config, Value depth) {
  if (shapes.anyHeight)
    tiles::begin(b, config, depth);
}

void MicroKernels::end(CodeBuilder &b) {
  if (shapes.anyHeight)
    tiles::end(b);
}

void MicroKernels::callAnyHeight(CodeBuilder &b, Value rows, Value total,
                                 int64_t minTotal, int64_t maxTotal,
                                 int64_t panelLimit,
                                 const MicroKernelCall &arguments) {
  auto callBlocks = [&](int64_t blocks) {
    int64_t most = blocks * tiles::kRows;
    tiles::call(b, symbolTable, factors, blocks,
                shapes.getPanels(most, panelLimit), rows, arguments);
  };
  int64_t small = shapes.maxSmall();
  if (maxTotal <= small)
    return callBlocks(1);
  if (minTotal > small)
    return callBlocks(2);
  b.ifThen(
      b.le(total, b.constant(small)), [&] { callBlocks(1); },
      [&] { callBlocks(2); });
}
