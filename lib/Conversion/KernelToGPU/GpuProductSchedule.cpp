//===- GpuProductSchedule.cpp - Products of matrices ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block computes a tile of 64 x 64 elements of a product. Step by step along
// the sum, it brings some columns of the left factor and some rows of the right
// one to shared memory, zeros where there is nothing, and its threads multiply
// them (ProductTile). What the kernel computes around the product is done where
// elements are at hand: on the way to shared memory, and on the sums in
// registers.
//
// Neighbouring threads bring neighbours in memory, whichever way a factor lies.
// What the factors are, ProductForm tells. Where it cannot be known that
// columns are a multiple of four, there is a version for calls in which they
// are.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "ProductForm.h"
#include "ProductTile.h"
#include "WidthVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

static constexpr int64_t kTile = ProductTile::kSize;
/// Columns that a wide access of results has at most.
static constexpr int64_t kWide = 4;

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
  SmallVector<StringRef> getVersions() override { return versions->getNames(); }
  GpuGrid emitGrid(KernelBuilder &b) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  OpFoldResult getColumnTiles(KernelBuilder &b) {
    return b.ceilDiv(b.size(form->columns), b.constant(kTile));
  }
  /// Brings the next steps of a factor, of the tile at `from`, to shared
  /// memory.
  void emitFill(KernelBuilder &b, bool isLeft, Value shared,
                const ProductForm::Place &from,
                const ProductForm::RowTile &tile);
  /// Stores the results of some sums, the first at `from`.
  void emitResults(KernelBuilder &b, const ProductForm::Place &from,
                   OpFoldResult end, bool isWhole, Value sums);

  std::optional<WidthVersions> versions;
  Value product;
  std::unique_ptr<ProductForm> form;
  std::unique_ptr<ProductTile> tile;
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
  Type element = getElementTypeOrSelf(op->getOperand(0));
  tile = element.isF16() || element.isBF16() ? createMmaTile(element)
                                             : createFmaTile(form->sum);
  versions.emplace(form->columns, kWide, dims);
  return success();
}

GpuGrid GpuProductSchedule::emitGrid(KernelBuilder &b) {
  OpFoldResult tiles = b.mul(form->countRowTiles(b, kTile), getColumnTiles(b));
  return {versions->emitChoice(
              b, [&](int64_t version) { return b.constant(version); }),
          b.mul(b.size(form->batch), tiles)};
}

void GpuProductSchedule::emitFill(KernelBuilder &b, bool isLeft, Value shared,
                                  const ProductForm::Place &from,
                                  const ProductForm::RowTile &rows) {
  GpuThread self(b);
  OpFoldResult thread = self.getThread();
  bool isAlongSum = isLeft ? form->isLeftAlongSum : form->isRightAlongSum;
  // Threads have `width` neighbours of each of `height` lines, block by block.
  int64_t along = isAlongSum ? tile->steps : kTile;
  int64_t lines = isAlongSum ? kTile : tile->steps;
  int64_t width = tile->getFillWidth(isAlongSum);
  int64_t height = kBlockThreads / width;
  for (int64_t i = 0; i < along * lines / kBlockThreads; ++i) {
    OpFoldResult fast = b.add(b.rem(thread, b.constant(width)),
                              b.constant(i % (along / width) * width));
    OpFoldResult slow = b.add(b.div(thread, b.constant(width)),
                              b.constant(i / (along / width) * height));
    OpFoldResult k = isAlongSum ? fast : slow, n = isAlongSum ? slow : fast;
    ProductForm::Place at = from;
    at.step = b.add(from.step, k);
    OpFoldResult &free = isLeft ? at.row : at.column;
    free = b.add(free, n);
    Value isInside =
        arith::AndIOp::create(b,
                              b.cmp(CmpIPredicate::slt, free,
                                    isLeft ? rows.end : b.size(form->columns)),
                              b.cmp(CmpIPredicate::slt, at.step, rows.depth));
    // As bits: nothing is to be computed with them here, and a host has no
    // registers of 16 bits for floats.
    Type storage = getStorageType(tile->element);
    Type bits = b.getIntegerType(storage.getIntOrFloatBitWidth());
    auto toBits = [&](Value v) -> Value {
      Value stored = b.toStorage(v, tile->element);
      return storage.isInteger()
                 ? stored
                 : arith::BitcastOp::create(b, bits, stored).getResult();
    };
    Value stored = b.ifElse(
        isInside, bits,
        [&] {
          return toBits(isLeft ? form->emitLeft(b, at)
                               : form->emitRight(b, at));
        },
        [&] { return toBits(b.number(0, form->sum)); });
    self.storeShared(stored, shared, tile->getPlace(b, n, k));
  }
}

void GpuProductSchedule::emitResults(KernelBuilder &b,
                                     const ProductForm::Place &from,
                                     OpFoldResult end, bool isWhole,
                                     Value sums) {
  int64_t count = cast<VectorType>(sums.getType()).getNumElements();
  auto emitAt = [&](const ProductForm::Place &place, int64_t lane,
                    int64_t lanes) {
    ElementEmitter e(b);
    e.provide(product, [&](const Position &, int64_t) -> Value {
      return lanes > 1 ? sums : vector::ExtractOp::create(b, sums, lane);
    });
    Position position = form->getResult(e, place, lanes);
    SmallVector<Value> values;
    for (Value result : b.getResults())
      values.push_back(e.emit(result, position, lanes));
    for (auto [number, value] : llvm::enumerate(values))
      e.store(value, number, position, lanes);
  };
  OpFoldResult columns = b.size(form->columns);
  b.ifThen(b.cmp(CmpIPredicate::slt, from.row, end), [&] {
    Value isInside = b.cmp(CmpIPredicate::sle,
                           b.add(from.column, b.constant(count)), columns);
    if (isWhole)
      return b.ifThen(isInside, [&] { emitAt(from, 0, count); });
    b.ifThen(
        isInside, [&] { emitAt(from, 0, count); },
        [&] {
          for (int64_t lane = 0; lane < count; ++lane) {
            ProductForm::Place single = from;
            single.column = b.add(from.column, b.constant(lane));
            b.ifThen(b.cmp(CmpIPredicate::slt, single.column, columns),
                     [&] { emitAt(single, lane, 1); });
          }
        });
  });
}

void GpuProductSchedule::emitBody(KernelBuilder &b, int64_t version) {
  GpuThread self(b);
  bool isWhole = versions->getWidths()[version] == kWide;
  versions->assume(b, version);
  Type storage = getStorageType(tile->element);
  Value left = self.getShared(storage, tile->getSharedSize());
  Value right = self.getShared(storage, tile->getSharedSize());
  OpFoldResult block = self.getBlock();
  OpFoldResult columnTiles = getColumnTiles(b);
  OpFoldResult rowTiles = form->countRowTiles(b, kTile);
  OpFoldResult rowTile = b.div(block, columnTiles), batch = b.constant(0);
  if (getConstantIntValue(b.size(form->batch)) != 1) {
    batch = b.div(rowTile, rowTiles);
    rowTile = b.rem(rowTile, rowTiles);
  }
  ProductForm::RowTile rows = form->getRowTile(b, batch, rowTile, kTile);
  ProductForm::Place from = {
      rows.batch, rows.first,
      b.mul(b.rem(block, columnTiles), b.constant(kTile)), b.constant(0)};
  SmallVector<Value> sums =
      b.loop(b.constant(0), rows.depth, tile->steps, tile->getZeros(b),
             [&](Value step, ValueRange carried) {
               ProductForm::Place at = from;
               at.step = step;
               emitFill(b, /*isLeft=*/true, left, at, rows);
               emitFill(b, /*isLeft=*/false, right, at, rows);
               self.barrier();
               SmallVector<Value> next =
                   tile->multiply(b, left, right, carried);
               // Nobody reads what the next step overwrites.
               self.barrier();
               return next;
             });
  for (const ProductTile::Part &part : tile->getParts(b, sums)) {
    ProductForm::Place own = from;
    own.row = b.add(from.row, part.row);
    own.column = b.add(from.column, part.column);
    emitResults(b, own, rows.end, isWhole, part.sums);
  }
}

std::unique_ptr<GpuSchedule> dyn::createGpuProductSchedule() {
  return std::make_unique<GpuProductSchedule>();
}
