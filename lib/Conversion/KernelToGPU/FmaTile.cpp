//===- FmaTile.cpp - Tiles of products by multiply-adds -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A thread has 4 x 4 sums. Steps lie one after the other in shared memory, so
// that a thread reads its four rows and its four columns of a step at once.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "ProductTile.h"

#include "Products/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

namespace {
constexpr int64_t kPart = 4, kSteps = 16;
static_assert(ProductTile::kSize / kPart * (ProductTile::kSize / kPart) ==
                  kBlockThreads,
              "each thread has a part of the tile");
/// Elements between steps: a multiple of a wide access, and not of all banks.
constexpr int64_t kPitch = ProductTile::kSize + 4;

class FmaTile : public ProductTile {
public:
  explicit FmaTile(Type sum) {
    steps = kSteps;
    element = sum;
  }

  int64_t getSharedSize() override { return kSteps * kPitch; }
  OpFoldResult getPlace(KernelBuilder &b, OpFoldResult free,
                        OpFoldResult step) override {
    return b.add(b.mul(step, b.constant(kPitch)), free);
  }
  int64_t getFillWidth(bool isAlongSum) override {
    // Eight steps are four banks apart, with four rows or columns between.
    return isAlongSum ? 8 : kWarp;
  }
  SmallVector<Value> getZeros(KernelBuilder &b) override {
    return SmallVector<Value>(kPart, b.number(0, element, kPart));
  }
  SmallVector<Value> multiply(KernelBuilder &b, Value left, Value right,
                              ValueRange sums) override;
  SmallVector<Part> getParts(KernelBuilder &b, ValueRange sums) override {
    SmallVector<Part> parts;
    for (auto [i, sum] : llvm::enumerate(sums))
      parts.push_back({b.add(getRow(b), b.constant(i)), getColumn(b), sum});
    return parts;
  }

private:
  OpFoldResult getRow(KernelBuilder &b) {
    OpFoldResult thread = GpuThread(b).getThread();
    return b.mul(b.div(thread, b.constant(kSize / kPart)), b.constant(kPart));
  }
  OpFoldResult getColumn(KernelBuilder &b) {
    OpFoldResult thread = GpuThread(b).getThread();
    return b.mul(b.rem(thread, b.constant(kSize / kPart)), b.constant(kPart));
  }
};
} // namespace

SmallVector<Value> FmaTile::multiply(KernelBuilder &b, Value left, Value right,
                                     ValueRange sums) {
  GpuThread self(b);
  SmallVector<Value> next(sums);
  OpFoldResult row = getRow(b), column = getColumn(b);
  for (int64_t k = 0; k < kSteps; ++k) {
    auto load = [&](Value shared, OpFoldResult first) {
      return self.loadShared(shared, getPlace(b, first, b.constant(k)), element,
                             kPart);
    };
    Value x = load(left, row), y = load(right, column);
    for (int64_t i = 0; i < kPart; ++i)
      next[i] = multiplyAdd(
          b, b.splat(vector::ExtractOp::create(b, x, i), kPart), y, next[i]);
  }
  return next;
}

std::unique_ptr<ProductTile> dyn::createFmaTile(Type sum) {
  return std::make_unique<FmaTile>(sum);
}
