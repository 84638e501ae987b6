//===- GpuProductSchedule.cpp - Products of matrices ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block computes a tile of 64 x 64 elements of a product, a thread 4 x 4 of
// them in registers. Step by step along the sum, the block brings 16 columns of
// the left factor and 16 rows of the right one to shared memory, zeros where
// there is nothing, and each thread multiplies what its rows and columns need.
// What the kernel computes around the product is done where elements are at
// hand: on the way to shared memory, and on the sums in registers.
//
// Neighbouring threads bring neighbours in memory, whichever way a factor lies.
// What the factors are, ProductForm tells.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "ProductForm.h"

#include "Products/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Rows and columns of a block's tile and of a thread's, and steps of the sum
/// that are in shared memory.
static constexpr int64_t kTile = 64, kPart = 4, kSteps = 16;
static_assert(kTile / kPart * (kTile / kPart) == kBlockThreads,
              "each thread has a part of the tile");
/// Elements between steps in shared memory: a multiple of a wide access, and
/// not of all banks.
static constexpr int64_t kPitch = kTile + 4;

OpFoldResult ProductForm::countRowTiles(KernelBuilder &b, int64_t height) {
  return b.ceilDiv(b.size(rows), b.constant(height));
}

ProductForm::RowTile ProductForm::getRowTile(KernelBuilder &b,
                                             OpFoldResult batch,
                                             OpFoldResult tile,
                                             int64_t height) {
  return {b.mul(tile, b.constant(height)), b.size(rows), batch, b.size(depth)};
}

namespace {
class GpuProductSchedule : public GpuSchedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override;
  GpuGrid emitGrid(KernelBuilder &b) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  OpFoldResult getColumnTiles(KernelBuilder &b) {
    return b.ceilDiv(b.size(form->columns), b.constant(kTile));
  }
  /// Brings `kSteps` steps of a factor, of the tile at `from`, to shared
  /// memory.
  void emitFill(KernelBuilder &b, bool isLeft, Value shared,
                const ProductForm::Place &from,
                const ProductForm::RowTile &tile);
  void emitResults(KernelBuilder &b, const ProductForm::Place &from,
                   OpFoldResult end, ArrayRef<Value> sums);

  Value product;
  std::unique_ptr<ProductForm> form;
};
} // namespace

LogicalResult GpuProductSchedule::match(dlhlo::KernelOp kernel,
                                        const SymbolicDims &dims) {
  Operation *op = nullptr;
  // One product, the first.
  auto isProduct = [&](Operation *other) {
    if (op || !isa<dhlo::DotGeneralOp, dhlo::GroupedDotOp, dhlo::ConvolutionOp>(
                  other))
      return false;
    op = other;
    return true;
  };
  if (failed(checkOperations(kernel, isProduct)))
    return failure();
  if (!op)
    return kernel.emitError(
               "no code generation for a GPU for kernels of kind '")
           << dlhlo::stringifyFusionKind(kernel.getKind())
           << "' without a product";
  product = op->getResult(0);
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (!dims.hasSameNumElements(cast<RankedTensorType>(result.getType()),
                                 cast<RankedTensorType>(product.getType())))
      return kernel.emitError("no code generation for a GPU for results of "
                              "other sizes than the product's");
  if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op))
    form = createDotForm(dot, dims);
  else if (auto grouped = dyn_cast<dhlo::GroupedDotOp>(op))
    form = createGroupedForm(grouped, dims);
  else
    form = createConvolutionForm(cast<dhlo::ConvolutionOp>(op), dims);
  return success(form != nullptr);
}

GpuGrid GpuProductSchedule::emitGrid(KernelBuilder &b) {
  OpFoldResult tiles = b.mul(form->countRowTiles(b, kTile), getColumnTiles(b));
  return {b.constant(0), b.mul(b.size(form->batch), tiles)};
}

void GpuProductSchedule::emitFill(KernelBuilder &b, bool isLeft, Value shared,
                                  const ProductForm::Place &from,
                                  const ProductForm::RowTile &tile) {
  OpFoldResult thread = GpuThread(b).getThread();
  bool isAlongSum = isLeft ? form->isLeftAlongSum : form->isRightAlongSum;
  int64_t inner = isAlongSum ? kSteps : kTile;
  OpFoldResult fast = b.rem(thread, b.constant(inner));
  for (int64_t i = 0; i < kTile * kSteps / kBlockThreads; ++i) {
    OpFoldResult slow = b.add(b.div(thread, b.constant(inner)),
                              b.constant(i * (kBlockThreads / inner)));
    OpFoldResult k = isAlongSum ? fast : slow, n = isAlongSum ? slow : fast;
    ProductForm::Place at = from;
    at.step = b.add(from.step, k);
    OpFoldResult &free = isLeft ? at.row : at.column;
    free = b.add(free, n);
    Value isInside =
        arith::AndIOp::create(b,
                              b.cmp(CmpIPredicate::slt, free,
                                    isLeft ? tile.end : b.size(form->columns)),
                              b.cmp(CmpIPredicate::slt, at.step, tile.depth));
    Value element = b.ifElse(
        isInside, form->sum,
        [&] { return isLeft ? form->emitLeft(b, at) : form->emitRight(b, at); },
        [&] { return b.number(0, form->sum); });
    b.store(element, shared, b.add(b.mul(k, b.constant(kPitch)), n), form->sum,
            1);
  }
}

void GpuProductSchedule::emitResults(KernelBuilder &b,
                                     const ProductForm::Place &from,
                                     OpFoldResult end, ArrayRef<Value> sums) {
  for (int64_t i = 0; i < kPart; ++i) {
    ProductForm::Place at = from;
    at.row = b.add(from.row, b.constant(i));
    auto emitAt = [&](const ProductForm::Place &place, int64_t lane,
                      int64_t lanes) {
      ElementEmitter e(b);
      e.provide(product, [&](const Position &, int64_t) -> Value {
        return lanes > 1 ? sums[i]
                         : vector::ExtractOp::create(b, sums[i], lane);
      });
      Position position = form->getResult(e, place, lanes);
      SmallVector<Value> values;
      for (Value result : b.getResults())
        values.push_back(e.emit(result, position, lanes));
      for (auto [number, value] : llvm::enumerate(values))
        e.store(value, number, position, lanes);
    };
    OpFoldResult columns = b.size(form->columns);
    Value isRow = b.cmp(CmpIPredicate::slt, at.row, end);
    b.ifThen(isRow, [&] {
      b.ifThen(
          b.cmp(CmpIPredicate::sle, b.add(at.column, b.constant(kPart)),
                columns),
          [&] { emitAt(at, 0, kPart); },
          [&] {
            for (int64_t lane = 0; lane < kPart; ++lane) {
              ProductForm::Place single = at;
              single.column = b.add(at.column, b.constant(lane));
              b.ifThen(b.cmp(CmpIPredicate::slt, single.column, columns),
                       [&] { emitAt(single, lane, 1); });
            }
          });
    });
  }
}

void GpuProductSchedule::emitBody(KernelBuilder &b, int64_t version) {
  GpuThread self(b);
  Type sum = form->sum;
  Value leftShared = self.getShared(sum, kSteps * kPitch);
  Value rightShared = self.getShared(sum, kSteps * kPitch);
  OpFoldResult block = self.getBlock(), thread = self.getThread();
  OpFoldResult columnTiles = getColumnTiles(b);
  OpFoldResult rowTiles = form->countRowTiles(b, kTile);
  OpFoldResult rest = b.div(block, columnTiles);
  ProductForm::RowTile tile =
      form->getRowTile(b, b.div(rest, rowTiles), b.rem(rest, rowTiles), kTile);
  ProductForm::Place from = {
      tile.batch, tile.first,
      b.mul(b.rem(block, columnTiles), b.constant(kTile)), b.constant(0)};
  OpFoldResult parts = b.constant(kTile / kPart), part = b.constant(kPart);
  OpFoldResult row = b.mul(b.div(thread, parts), part);
  OpFoldResult column = b.mul(b.rem(thread, parts), part);

  SmallVector<Value> zeros(kPart, b.number(0, sum, kPart));
  SmallVector<Value> sums = b.loop(
      b.constant(0), tile.depth, kSteps, zeros,
      [&](Value step, ValueRange carried) {
        ProductForm::Place at = from;
        at.step = step;
        emitFill(b, /*isLeft=*/true, leftShared, at, tile);
        emitFill(b, /*isLeft=*/false, rightShared, at, tile);
        self.barrier();
        SmallVector<Value> next(carried);
        for (int64_t k = 0; k < kSteps; ++k) {
          auto load = [&](Value shared, OpFoldResult first) {
            return self.loadShared(shared, b.add(first, b.constant(k * kPitch)),
                                   sum, kPart);
          };
          Value x = load(leftShared, row), y = load(rightShared, column);
          for (int64_t i = 0; i < kPart; ++i)
            next[i] = multiplyAdd(
                b, b.splat(vector::ExtractOp::create(b, x, i), kPart), y,
                next[i]);
        }
        // Nobody reads what the next step overwrites.
        self.barrier();
        return next;
      });
  ProductForm::Place own = from;
  own.row = b.add(from.row, row);
  own.column = b.add(from.column, column);
  emitResults(b, own, tile.end, sums);
}

std::unique_ptr<GpuSchedule> dyn::createGpuProductSchedule() {
  return std::make_unique<GpuProductSchedule>();
}
