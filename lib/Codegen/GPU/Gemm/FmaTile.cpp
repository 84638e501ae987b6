//===- FmaTile.cpp - GEMM tiles by FMA ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A thread has 4 x 4 sums of a 64 x 64 tile: the threads of a block form a 16 x
// 16 grid. A larger tile consists of several such parts; one of 16 rows has one
// row per thread. Shared memory holds the tiles step by step along K, so that a
// thread reads the rows or columns of a part at once.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"
#include "GemmTile.h"

#include "Codegen/Common/Problems/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

namespace {
constexpr int64_t kPart = 4;
/// Threads along M, and along N.
constexpr int64_t kThreads = 16;
/// A flat tile has few blocks, which wait for memory once for so many steps.
constexpr int64_t kSteps = 16, kFlatSteps = 32;
static_assert(kThreads * kThreads == kBlockThreads,
              "each thread has a part of the tile");

class FmaTile : public GemmTile {
public:
  FmaTile(const Shape &shape, Type sum)
      : GemmTile(shape, sum, shape.lhs.free == kThreads ? kFlatSteps : kSteps),
        rowLanes(std::min(kPart, lhs.free / kThreads)) {}

  int64_t getSharedSize(const Factor &factor) override {
    return steps * getPitch(factor);
  }
  OpFoldResult getOffset(KernelBuilder &b, const Factor &factor,
                         OpFoldResult free, OpFoldResult step) override {
    return b.add(b.mul(step, b.constant(getPitch(factor))), free);
  }
  int64_t getLanes(const Factor &factor) override {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    return factor.isAlongSum ? 1 : CodegenOptions::kDeviceAlignment / bytes;
  }
  int64_t getFillWidth(const Factor &factor) override {
    // Eight steps, four banks apart, by four rows or columns cover all banks.
    return factor.isAlongSum ? 8 : kWarp;
  }
  SmallVector<Value> getZeros(KernelBuilder &b) override {
    return SmallVector<Value>(lhs.free / kThreads * rhs.free /
                                  (kThreads * kPart),
                              b.number(0, element, kPart));
  }
  std::optional<OpFoldResult> getFirstRow(KernelBuilder &b) override {
    if (lhs.free > kThreads)
      return std::nullopt;
    OpFoldResult warp = b.div(GpuThread(b).getThread(), b.constant(kWarp));
    return b.mul(warp, b.constant(kWarp / kThreads));
  }
  SmallVector<Value> multiply(KernelBuilder &b, Value lhsTile, Value rhsTile,
                              ValueRange sums) override;
  SmallVector<Part> getParts(KernelBuilder &b, ValueRange sums) override;

private:
  /// The pitch of steps along K: a multiple of a wide access and, where
  /// adjacent threads load consecutive elements along K, not a multiple of all
  /// banks.
  static int64_t getPitch(const Factor &factor) {
    return factor.free + (factor.isAlongSum ? kPart : 0);
  }
  /// The first rows of the thread's parts, and the first columns.
  SmallVector<OpFoldResult> getRows(KernelBuilder &b) {
    OpFoldResult thread = b.div(GpuThread(b).getThread(), b.constant(kThreads));
    return getFirst(b, thread, rowLanes, lhs.free);
  }
  SmallVector<OpFoldResult> getColumns(KernelBuilder &b) {
    OpFoldResult thread = b.rem(GpuThread(b).getThread(), b.constant(kThreads));
    return getFirst(b, thread, kPart, rhs.free);
  }
  static SmallVector<OpFoldResult>
  getFirst(KernelBuilder &b, OpFoldResult thread, int64_t lanes, int64_t free) {
    SmallVector<OpFoldResult> first;
    for (int64_t part = 0; part < free; part += kThreads * lanes)
      first.push_back(
          b.add(b.mul(thread, b.constant(lanes)), b.constant(part)));
    return first;
  }

  int64_t rowLanes; ///< rows of a part
};
} // namespace

SmallVector<Value> FmaTile::multiply(KernelBuilder &b, Value lhsTile,
                                     Value rhsTile, ValueRange sums) {
  GpuThread self(b);
  SmallVector<Value> next(sums);
  SmallVector<OpFoldResult> rows = getRows(b), columns = getColumns(b);
  for (int64_t k = 0; k < steps; ++k) {
    auto load = [&](Value shared, const Factor &factor, OpFoldResult first,
                    int64_t lanes) {
      return self.loadShared(shared, getOffset(b, factor, first, b.constant(k)),
                             element, lanes);
    };
    SmallVector<Value> y;
    for (OpFoldResult column : columns)
      y.push_back(load(rhsTile, rhs, column, kPart));
    auto *sum = next.begin();
    for (OpFoldResult row : rows) {
      Value x = load(lhsTile, lhs, row, rowLanes);
      for (int64_t i = 0; i < rowLanes; ++i) {
        Value factor = rowLanes > 1 ? vector::ExtractOp::create(b, x, i) : x;
        for (Value part : y) {
          *sum = multiplyAdd(b, b.splat(factor, kPart), part, *sum);
          ++sum;
        }
      }
    }
  }
  return next;
}

SmallVector<GemmTile::Part> FmaTile::getParts(KernelBuilder &b,
                                              ValueRange sums) {
  SmallVector<Part> parts;
  for (OpFoldResult row : getRows(b))
    for (int64_t i = 0; i < rowLanes; ++i)
      for (OpFoldResult column : getColumns(b))
        parts.push_back(
            {b.add(row, b.constant(i)), column, sums[parts.size()]});
  return parts;
}

std::unique_ptr<GemmTile> dyn::createFmaTile(const GemmTile::Shape &shape,
                                             Type sum) {
  return std::make_unique<FmaTile>(shape, sum);
}
