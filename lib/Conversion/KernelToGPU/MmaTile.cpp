//===- MmaTile.cpp - Tiles of products by tensor cores --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A warp has 16 rows and 32 columns: four results of mma.sync.m16n8k16, whose
// lanes hold what PTX says: lane 4 g + t has rows g and g + 8, of the factors
// two neighbours along the sum from 2 t and from 2 t + 8 on, of a result two
// neighbours in a row. Both factors lie row by row along the sum in shared
// memory, the right one transposed, so that two neighbours are one word. Rows
// are 20 words apart, so the eight rows and four words of an access lie in 32
// banks.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "ProductTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

namespace {
/// Of an instruction.
constexpr int64_t kRows = 16, kColumns = 8, kDepth = 16;
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
  /// Where a lane is: its number divided by four and what is left, and the
  /// first row and column of its warp.
  struct Lane {
    OpFoldResult g, t, row, column;
  };
  Lane getLane(KernelBuilder &b);
  /// Two neighbours along the sum.
  Value loadPair(KernelBuilder &b, Value shared, OpFoldResult free,
                 OpFoldResult step);
};
} // namespace

MmaTile::Lane MmaTile::getLane(KernelBuilder &b) {
  OpFoldResult thread = GpuThread(b).getThread();
  OpFoldResult lane = b.rem(thread, b.constant(kWarp));
  OpFoldResult warp = b.div(thread, b.constant(kWarp));
  return {b.div(lane, b.constant(4)), b.rem(lane, b.constant(4)),
          b.mul(b.rem(warp, b.constant(kRowWarps)), b.constant(kRows)),
          b.mul(b.div(warp, b.constant(kRowWarps)), b.constant(kWarpColumns))};
}

Value MmaTile::loadPair(KernelBuilder &b, Value shared, OpFoldResult free,
                        OpFoldResult step) {
  GpuThread self(b);
  OpFoldResult place = getPlace(b, free, step);
  // The instruction takes pairs of bf16 as integers.
  if (element.isBF16())
    return self.loadShared(shared, b.div(place, b.constant(2)), b.getI32Type(),
                           1);
  return self.loadShared(shared, place, element, 2);
}

SmallVector<Value> MmaTile::multiply(KernelBuilder &b, Value left, Value right,
                                     ValueRange sums) {
  Lane lane = getLane(b);
  SmallVector<Value> next(sums);
  Type f32 = b.getF32Type();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               SmallVector<Type>(4, f32));
  auto kind = element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  for (int64_t step = 0; step < kSteps; step += kDepth) {
    auto load = [&](Value shared, OpFoldResult first, int64_t row,
                    int64_t depth) {
      OpFoldResult free = b.add(b.add(first, lane.g), b.constant(row));
      OpFoldResult at =
          b.add(b.mul(lane.t, b.constant(2)), b.constant(step + depth));
      return loadPair(b, shared, free, at);
    };
    SmallVector<Value> a = {
        load(left, lane.row, 0, 0), load(left, lane.row, 8, 0),
        load(left, lane.row, 0, 8), load(left, lane.row, 8, 8)};
    for (int64_t j = 0; j < kResults; ++j) {
      SmallVector<Value> columns = {load(right, lane.column, j * kColumns, 0),
                                    load(right, lane.column, j * kColumns, 8)};
      ValueRange own = ValueRange(next).slice(4 * j, 4);
      Value result = NVVM::MmaOp::create(
          b, type, a, columns, own, {kRows, kColumns, kDepth},
          /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
          std::array{kind, kind},
          std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (int64_t i = 0; i < 4; ++i)
        next[4 * j + i] = LLVM::ExtractValueOp::create(b, result, i);
    }
  }
  return next;
}

SmallVector<ProductTile::Part> MmaTile::getParts(KernelBuilder &b,
                                                 ValueRange sums) {
  Lane lane = getLane(b);
  SmallVector<Part> parts;
  auto pair = VectorType::get({2}, b.getF32Type());
  for (int64_t half = 0; half < 2; ++half)
    for (int64_t j = 0; j < kResults; ++j)
      parts.push_back({b.add(b.add(lane.row, lane.g), b.constant(8 * half)),
                       b.add(b.add(lane.column, b.constant(kColumns * j)),
                             b.mul(lane.t, b.constant(2))),
                       vector::FromElementsOp::create(
                           b, pair,
                           ValueRange{sums[4 * j + 2 * half],
                                      sums[4 * j + 2 * half + 1]})});
  return parts;
}

std::unique_ptr<ProductTile> dyn::createMmaTile(Type element) {
  return std::make_unique<MmaTile>(element);
}
