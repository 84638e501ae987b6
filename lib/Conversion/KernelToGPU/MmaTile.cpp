//===- MmaTile.cpp - Tiles of products by tensor cores --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A warp has 16 rows and 32 columns: four results of MmaInstruction. Both
// factors lie row by row along the sum in shared memory, the right one
// transposed, so that two neighbours are one word. Rows are 20 words apart, so
// the eight rows and four words of an access lie in 32 banks.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "MmaInstruction.h"
#include "ProductTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

namespace {
constexpr int64_t kRows = MmaInstruction::kRows,
                  kColumns = MmaInstruction::kColumns,
                  kDepth = MmaInstruction::kDepth;
constexpr int64_t kSteps = 32, kPitch = kSteps + 8;
/// Of a warp, and warps side by side along the rows.
constexpr int64_t kWarpColumns = 32, kRowWarps = ProductTile::kSize / kRows;
constexpr int64_t kResults = kWarpColumns / kColumns;
static_assert(kRowWarps * (ProductTile::kSize / kWarpColumns) * kWarp ==
                  kBlockThreads,
              "each warp has a part of the tile");

class MmaTile : public ProductTile {
public:
  explicit MmaTile(Type type) {
    steps = kSteps;
    element = type;
  }

  int64_t getSharedSize() override { return kSize * kPitch; }
  OpFoldResult getPlace(KernelBuilder &b, OpFoldResult free,
                        OpFoldResult step) override {
    return b.add(b.mul(free, b.constant(kPitch)), step);
  }
  int64_t getFillWidth(bool isAlongSum) override {
    // Across, a sector is 16 columns; they lie in eight banks, so there are two
    // passes.
    return isAlongSum ? kSteps : 16;
  }
  SmallVector<Value> getZeros(KernelBuilder &b) override {
    return SmallVector<Value>(kResults * 4, b.number(0, b.getF32Type()));
  }
  SmallVector<Value> multiply(KernelBuilder &b, Value left, Value right,
                              ValueRange sums) override;
  SmallVector<Part> getParts(KernelBuilder &b, ValueRange sums) override;

private:
  /// The first row and column of a warp.
  OpFoldResult getRow(KernelBuilder &b) {
    return b.mul(b.rem(getWarp(b), b.constant(kRowWarps)), b.constant(kRows));
  }
  OpFoldResult getColumn(KernelBuilder &b) {
    return b.mul(b.div(getWarp(b), b.constant(kRowWarps)),
                 b.constant(kWarpColumns));
  }
  OpFoldResult getWarp(KernelBuilder &b) {
    return b.div(GpuThread(b).getThread(), b.constant(kWarp));
  }
};
} // namespace

SmallVector<Value> MmaTile::multiply(KernelBuilder &b, Value left, Value right,
                                     ValueRange sums) {
  MmaInstruction mma(b, element);
  OpFoldResult warpRow = getRow(b), warpColumn = getColumn(b);
  SmallVector<Value> next(sums);
  for (int64_t step = 0; step < kSteps; step += kDepth) {
    auto load = [&](Value shared, OpFoldResult first, int64_t row,
                    int64_t depth) {
      OpFoldResult free = b.add(b.add(first, mma.g), b.constant(row));
      OpFoldResult at =
          b.add(b.mul(mma.t, b.constant(2)), b.constant(step + depth));
      return mma.loadPair(shared, getPlace(b, free, at));
    };
    SmallVector<Value> a = {
        load(left, warpRow, 0, 0), load(left, warpRow, 8, 0),
        load(left, warpRow, 0, 8), load(left, warpRow, 8, 8)};
    for (int64_t j = 0; j < kResults; ++j)
      llvm::copy(mma.multiply(a,
                              {load(right, warpColumn, j * kColumns, 0),
                               load(right, warpColumn, j * kColumns, 8)},
                              ValueRange(next).slice(4 * j, 4)),
                 next.begin() + 4 * j);
  }
  return next;
}

SmallVector<ProductTile::Part> MmaTile::getParts(KernelBuilder &b,
                                                 ValueRange sums) {
  MmaInstruction mma(b, element);
  SmallVector<Part> parts;
  auto pair = VectorType::get({2}, b.getF32Type());
  for (int64_t half = 0; half < 2; ++half)
    for (int64_t j = 0; j < kResults; ++j)
      parts.push_back({b.add(b.add(getRow(b), mma.g), b.constant(8 * half)),
                       b.add(b.add(getColumn(b), b.constant(kColumns * j)),
                             b.mul(mma.t, b.constant(2))),
                       vector::FromElementsOp::create(
                           b, pair,
                           ValueRange{sums[4 * j + 2 * half],
                                      sums[4 * j + 2 * half + 1]})});
  return parts;
}

std::unique_ptr<ProductTile> dyn::createMmaTile(Type element) {
  return std::make_unique<MmaTile>(element);
}
