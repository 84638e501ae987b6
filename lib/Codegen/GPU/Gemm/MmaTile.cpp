//===- MmaTile.cpp - GEMM tiles by tensor cores ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The warps divide the tile, and multiply their parts by MmaInstruction.
//
// Shared memory keeps the layout of operands, in lines along K or along M or N,
// and ldmatrix loads matrices of 8 x 8 to the lanes, transposed where lines are
// not along K. It reads 16 bytes, a chunk, of each of eight lines. The chunks
// of a line are swizzled by the line's index, such that these lie in 32 banks,
// as do eight consecutive chunks.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"
#include "GemmTile.h"
#include "MmaInstruction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

namespace {
constexpr int64_t kRows = MmaInstruction::kRows,
                  kColumns = MmaInstruction::kColumns,
                  kDepth = MmaInstruction::kDepth;
constexpr int64_t kSums = 4; ///< of a lane
/// Steps along K in shared memory: more in flat tiles, which are memory-bound.
constexpr int64_t kSteps = 32, kFlatSteps = 64;
/// The rows and columns of an ldmatrix; its rows are chunks.
constexpr int64_t kMatrix = 8;
constexpr int64_t kWarps = kBlockThreads / kWarp;

class MmaTile : public GemmTile {
public:
  MmaTile(const Shape &shape, Type type)
      : GemmTile(shape, type, shape.lhs.free == kRows ? kFlatSteps : kSteps),
        rowWarps(lhs.free == kRows ? 1 : 2), warpRows(lhs.free / rowWarps),
        warpColumns(rhs.free / (kWarps / rowWarps)) {}

  int64_t getSharedSize(const Factor &factor) override {
    return steps * factor.free;
  }
  OpFoldResult getOffset(KernelBuilder &b, const Factor &factor,
                         OpFoldResult free, OpFoldResult step) override {
    OpFoldResult line = factor.isAlongSum ? free : step;
    OpFoldResult at = factor.isAlongSum ? step : free;
    OpFoldResult matrix = b.constant(kMatrix);
    return b.add(
        getChunk(b, factor, line, b.div(at, matrix), b.rem(line, matrix)),
        b.rem(at, matrix));
  }
  int64_t getLanes(const Factor &) override { return kMatrix; }
  int64_t getFillWidth(const Factor &) override { return kWarp; }
  SmallVector<Value> getZeros(KernelBuilder &b) override {
    return SmallVector<Value>(warpRows / kRows * warpColumns / kColumns * kSums,
                              b.number(0, b.getF32Type()));
  }
  SmallVector<Value> multiply(KernelBuilder &b, Value lhsTile, Value rhsTile,
                              ValueRange sums) override;
  SmallVector<Part> getParts(KernelBuilder &b, ValueRange sums) override;

private:
  /// The number of a lane, and the first row and column of its warp.
  struct Lane {
    OpFoldResult number, row, column;
  };
  Lane getLane(KernelBuilder &b);
  /// The start of a chunk of a line; `turn` is the line's index modulo eight.
  OpFoldResult getChunk(KernelBuilder &b, const Factor &factor,
                        OpFoldResult line, OpFoldResult chunk,
                        OpFoldResult turn) const;
  /// The pairs of an operand of the instruction at row or column `free` and
  /// step `step`: `count` matrices of 8 x 8 elements.
  SmallVector<Value> loadPairs(KernelBuilder &b, Value tile, bool isLhs,
                               OpFoldResult free, int64_t step, int64_t count);

  int64_t rowWarps; ///< along M
  int64_t warpRows, warpColumns;
};
} // namespace

MmaTile::Lane MmaTile::getLane(KernelBuilder &b) {
  OpFoldResult thread = GpuThread(b).getThread();
  OpFoldResult warp = b.div(thread, b.constant(kWarp));
  return {b.rem(thread, b.constant(kWarp)),
          b.mul(b.rem(warp, b.constant(rowWarps)), b.constant(warpRows)),
          b.mul(b.div(warp, b.constant(rowWarps)), b.constant(warpColumns))};
}

OpFoldResult MmaTile::getChunk(KernelBuilder &b, const Factor &factor,
                               OpFoldResult line, OpFoldResult chunk,
                               OpFoldResult turn) const {
  int64_t length = factor.isAlongSum ? steps : factor.free;
  // So many consecutive lines span 32 banks, and are not swizzled.
  int64_t lines = std::max<int64_t>(kMatrix * kMatrix / length, 1);
  Value turned = arith::XOrIOp::create(b, b.value(chunk),
                                       b.value(b.div(turn, b.constant(lines))));
  return b.add(b.mul(line, b.constant(length)),
               b.mul(OpFoldResult(turned), b.constant(kMatrix)));
}

SmallVector<Value> MmaTile::loadPairs(KernelBuilder &b, Value tile, bool isLhs,
                                      OpFoldResult free, int64_t step,
                                      int64_t count) {
  const Factor &factor = isLhs ? lhs : rhs;
  OpFoldResult lane = getLane(b).number, two = b.constant(2);
  OpFoldResult matrix = b.constant(kMatrix);
  // Each lane passes the address of a line of one of 2 x 2 matrices, which are
  // numbered along M first for A and along K first for B.
  OpFoldResult inside = b.rem(lane, matrix), number = b.div(lane, matrix);
  OpFoldResult down = b.rem(number, two), along = b.div(number, two);
  if (!isLhs)
    std::swap(down, along);
  OpFoldResult line = factor.isAlongSum
                          ? b.add(free, b.mul(down, matrix))
                          : b.add(b.mul(along, matrix), b.constant(step));
  OpFoldResult chunk = factor.isAlongSum
                           ? b.add(along, b.constant(step / kMatrix))
                           : b.add(down, b.div(free, matrix));
  OpFoldResult offset = getChunk(b, factor, b.add(line, inside), chunk, inside);
  SmallVector<Value> pairs =
      GpuThread(b).loadMatrices(b.address(tile, offset, element), count,
                                /*transposes=*/!factor.isAlongSum);
  MmaInstruction mma(b, element);
  for (Value &pair : pairs)
    pair = mma.toPair(pair);
  return pairs;
}

SmallVector<Value> MmaTile::multiply(KernelBuilder &b, Value lhsTile,
                                     Value rhsTile, ValueRange sums) {
  Lane lane = getLane(b);
  MmaInstruction mma(b, element);
  SmallVector<Value> next(sums);
  for (int64_t step = 0; step < steps; step += kDepth) {
    SmallVector<Value> columns;
    for (int64_t j = 0; j < warpColumns; j += 2 * kColumns)
      llvm::append_range(
          columns,
          loadPairs(b, rhsTile, /*isLhs=*/false,
                    b.add(lane.column, b.constant(j)), step,
                    std::min<int64_t>((warpColumns - j) / kColumns, 2) * 2));
    MutableArrayRef<Value> rest = next;
    for (int64_t i = 0; i < warpRows; i += kRows) {
      SmallVector<Value> rows = loadPairs(b, lhsTile, /*isLhs=*/true,
                                          b.add(lane.row, b.constant(i)), step,
                                          /*count=*/4);
      for (size_t j = 0; j < columns.size(); j += 2) {
        llvm::copy(mma.multiply(rows, ValueRange(columns).slice(j, 2),
                                ValueRange(rest.take_front(kSums))),
                   rest.begin());
        rest = rest.drop_front(kSums);
      }
    }
  }
  return next;
}

SmallVector<GemmTile::Part> MmaTile::getParts(KernelBuilder &b,
                                              ValueRange sums) {
  Lane lane = getLane(b);
  OpFoldResult four = b.constant(4);
  OpFoldResult row = b.add(lane.row, b.div(lane.number, four));
  OpFoldResult column =
      b.add(lane.column, b.mul(b.rem(lane.number, four), b.constant(2)));
  SmallVector<Part> parts;
  auto pair = VectorType::get({2}, b.getF32Type());
  for (int64_t i = 0; i < warpRows; i += kRows)
    for (int64_t j = 0; j < warpColumns; j += kColumns) {
      for (int64_t half = 0; half < 2; ++half)
        parts.push_back(
            {b.add(row, b.constant(i + 8 * half)), b.add(column, b.constant(j)),
             vector::FromElementsOp::create(b, pair, sums.slice(2 * half, 2))});
      sums = sums.drop_front(kSums);
    }
  return parts;
}

std::unique_ptr<GemmTile> dyn::createMmaTile(const GemmTile::Shape &shape,
                                             Type element) {
  return std::make_unique<MmaTile>(shape, element);
}
