//===- GpuProductSchedule.cpp - GEMM --------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block computes a tile of a GEMM. In each step along K, it loads some
// columns of A and some rows of B to shared memory, zeros where out of range,
// and its threads multiply them (ProductTile). Fused producers are computed on
// the way to shared memory, the epilogue on the sums in registers.
//
// Shared memory has several stages: while one is multiplied, the copies of the
// next ones are in flight.
//
// ProductForm describes the operands, ProductFill how they are loaded. Where
// contiguous runs are not always multiples of wide accesses, there is a version
// for calls in which they are. There are tiles of several sizes: flat ones for
// few rows, which waste little, and large ones, which read operands less often,
// where there are enough of them for all multiprocessors. All accumulate each
// sum in the same order.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "ProductFill.h"
#include "ProductForm.h"
#include "ProductTile.h"
#include "WidthVersions.h"

#include "Products/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// The maximum number of columns of a wide access to results.
static constexpr int64_t kWide = 4;
/// Rows and columns of tiles.
static constexpr int64_t kFlat = 16, kMedium = 64, kLarge = 128;
/// Tiles that keep all multiprocessors of a device busy: an A100 has 108.
static constexpr int64_t kManyTiles = 108;
/// The maximum shared memory and number of stages of a block.
static constexpr int64_t kSharedBytes = 48 << 10, kMaxStages = 4;

OpFoldResult ProductForm::countRowTiles(KernelBuilder &b, int64_t height) {
  return b.ceilDiv(b.size(rows), b.constant(height));
}

ProductForm::RowTile ProductForm::getRowTile(KernelBuilder &b,
                                             OpFoldResult batch,
                                             OpFoldResult tile,
                                             int64_t height) {
  return {b.mul(tile, b.constant(height)), b.size(rows), batch, b.size(depth)};
}

Value ProductForm::emitElement(KernelBuilder &b, const Operand &operand,
                               const Position &position) {
  return toSum(b, ElementEmitter(b).emit(operand.tensor, position, 1),
               getElementTypeOrSelf(operand.tensor), sum);
}

namespace {
class GpuProductSchedule : public GpuSchedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override;
  SmallVector<StringRef> getVersions() override {
    if (versions.size() == 1)
      return {""};
    return llvm::map_to_vector(
        versions, [](const Version &v) -> StringRef { return v.name; });
  }
  OpFoldResult emitVersion(KernelBuilder &b) override;
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) override {
    return countTiles(b, versions[version]);
  }
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  struct Version {
    const char *name;
    int64_t rows, columns; ///< of a tile
    int64_t width;         ///< index in `widths`
  };
  void addVersions(const SymbolicDims &dims);
  std::unique_ptr<ProductTile> createTile(const Version &version);
  OpFoldResult countTiles(KernelBuilder &b, const Version &version);
  /// The sums of the tile at `from`.
  SmallVector<Value> emitSums(KernelBuilder &b, const ProductForm::Place &from,
                              const ProductForm::RowTile &rows, bool isWide);
  /// Stores the results of some sums, the first at `from`.
  void emitResults(KernelBuilder &b, const ProductForm::Place &from,
                   OpFoldResult end, bool isWhole, Value sums);

  std::optional<WidthVersions> widths;
  SmallVector<Version> versions; ///< those of the first width first
  Value product;
  Type element; ///< in shared memory
  std::unique_ptr<ProductForm> form;
  std::unique_ptr<ProductTile> tile; ///< of the version being emitted
};
} // namespace

LogicalResult GpuProductSchedule::match(dlhlo::KernelOp kernel,
                                        const SymbolicDims &dims) {
  Operation *op = nullptr;
  // The first GEMM or convolution is the only one allowed.
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
  Type type = getElementTypeOrSelf(op->getOperand(0));
  element = type.isF16() || type.isBF16() ? type : form->sum;
  addVersions(dims);
  return success();
}

void GpuProductSchedule::addVersions(const SymbolicDims &dims) {
  int64_t bytes = getStorageType(element).getIntOrFloatBitWidth() / 8;
  int64_t widest = std::max(kWide, CodegenOptions::kDeviceAlignment / bytes);
  tile = createTile({"", kMedium, kMedium, 0});
  SmallVector<DimExpr> lengths = {form->columns};
  for (auto [operand, factor] :
       {std::pair(&form->left, &tile->left), {&form->right, &tile->right}})
    if (isStored(*operand, element) && tile->getLanes(*factor) > 1 &&
        !isNeverMultiple(operand->line, widest, dims))
      lengths.push_back(operand->line);
  widths.emplace(lengths, widest, dims);

  bool hasParts = getConstantValue(form->parts) != 1;
  bool hasFew = hasParts || !dims.isAtLeast(form->rows, kFlat + 1);
  bool hasMore = hasParts || !dims.isAtMost(form->rows, kFlat);
  // A thread has no registers for a large tile of wider sums.
  bool hasMany = bytes <= 4 && !dims.isAtMost(form->columns, kLarge - 1) &&
                 !dims.isAtMost(form->rows, kLarge - 1);
  bool hasNarrow = widths->getWidths().size() > 1;
  if (hasMore)
    versions.push_back({hasNarrow ? "$wide" : "$medium", kMedium, kMedium, 0});
  if (hasFew)
    versions.push_back({"$few", kFlat, kMedium, 0});
  if (hasMany)
    versions.push_back({"$large", kLarge, kLarge, 0});
  if (hasNarrow)
    versions.push_back({"$narrow", hasMore ? kMedium : kFlat, kMedium, 1});
}

std::unique_ptr<ProductTile>
GpuProductSchedule::createTile(const Version &version) {
  ProductTile::Shape shape = {{version.rows, form->left.isAlongSum},
                              {version.columns, form->right.isAlongSum}};
  return element.isF16() || element.isBF16() ? createMmaTile(shape, element)
                                             : createFmaTile(shape, element);
}

OpFoldResult GpuProductSchedule::countTiles(KernelBuilder &b,
                                            const Version &version) {
  return b.mul(b.mul(b.size(form->batch), form->countRowTiles(b, version.rows)),
               b.ceilDiv(b.size(form->columns), b.constant(version.columns)));
}

OpFoldResult GpuProductSchedule::emitVersion(KernelBuilder &b) {
  OpFoldResult rows = b.ceilDiv(b.size(form->rows), b.size(form->parts));
  std::optional<OpFoldResult> wide, narrow;
  for (auto [i, version] : llvm::enumerate(versions)) {
    OpFoldResult number = b.constant(i);
    if (version.width > 0) {
      narrow = number;
    } else if (!wide) {
      wide = number;
    } else if (version.rows < kMedium) {
      wide = b.select(b.cmp(CmpIPredicate::sle, rows, b.constant(version.rows)),
                      number, *wide);
    } else {
      OpFoldResult whole = b.mul(
          b.mul(b.div(rows, b.constant(version.rows)), b.size(form->parts)),
          b.mul(b.div(b.size(form->columns), b.constant(version.columns)),
                b.size(form->batch)));
      wide = b.select(b.cmp(CmpIPredicate::sge, whole, b.constant(kManyTiles)),
                      number, *wide);
    }
  }
  return widths->emitChoice(
      b, [&](int64_t width) { return width == 0 ? *wide : *narrow; });
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

SmallVector<Value>
GpuProductSchedule::emitSums(KernelBuilder &b, const ProductForm::Place &from,
                             const ProductForm::RowTile &rows, bool isWide) {
  GpuThread self(b);
  Type storage = getStorageType(element);
  auto makeFill = [&](bool isLeft) {
    return ProductFill(*form, *tile, isLeft, isWide ? widths->getWidest() : 1,
                       b.getDims());
  };
  ProductFill leftFill = makeFill(true), rightFill = makeFill(false);
  int64_t leftSize = tile->getSharedSize(tile->left);
  int64_t rightSize = tile->getSharedSize(tile->right);
  int64_t stageBytes =
      (leftSize + rightSize) * storage.getIntOrFloatBitWidth() / 8;
  bool isCopied = leftFill.isCopied() || rightFill.isCopied();
  int64_t stages =
      isCopied ? std::min(kSharedBytes / stageBytes, kMaxStages) : 2;
  Value left = self.getShared(storage, stages * leftSize);
  Value right = self.getShared(storage, stages * rightSize);
  auto getLeft = [&](OpFoldResult stage) {
    return b.address(left, b.mul(stage, b.constant(leftSize)), storage);
  };
  auto getRight = [&](OpFoldResult stage) {
    return b.address(right, b.mul(stage, b.constant(rightSize)), storage);
  };
  auto fill = [&](OpFoldResult step, OpFoldResult stage) {
    b.ifThen(b.cmp(CmpIPredicate::slt, step, rows.depth), [&] {
      ProductForm::Place at = from;
      at.step = step;
      leftFill.emit(b, getLeft(stage), at, rows);
      rightFill.emit(b, getRight(stage), at, rows);
    });
    // A group for each step, so that they can be counted.
    if (isCopied)
      self.commitCopies();
  };

  Value hasRows;
  if (std::optional<OpFoldResult> row = tile->getFirstRow(b))
    hasRows = b.cmp(CmpIPredicate::slt, b.add(from.row, *row), rows.end);

  int64_t last = stages - 1;
  b.loop(b.constant(0), b.constant(last), 1, [&](Value stage) {
    fill(b.mul(OpFoldResult(stage), b.constant(tile->steps)), stage);
  });
  SmallVector<Value> carried = tile->getZeros(b);
  // The stage to multiply, and the previous one, which is filled next.
  carried.push_back(b.indexConstant(0));
  carried.push_back(b.indexConstant(last));
  carried = b.loop(
      b.constant(0), rows.depth, tile->steps, carried,
      [&](Value step, ValueRange values) {
        Value stage = values[values.size() - 2], free = values.back();
        if (isCopied)
          self.waitForCopies(last - 1);
        // This step is loaded, and no thread reads the previous stage any more.
        self.barrier();
        fill(b.add(OpFoldResult(step), b.constant(last * tile->steps)), free);
        ValueRange sums = values.drop_back(2);
        auto multiply = [&] {
          return tile->multiply(b, getLeft(stage), getRight(stage), sums);
        };
        SmallVector<Value> next =
            hasRows ? b.valuesIf(hasRows, sums, multiply) : multiply();
        Value isLast = b.cmp(CmpIPredicate::eq, stage, b.constant(last));
        next.push_back(b.value(b.select(
            isLast, b.constant(0), b.add(OpFoldResult(stage), b.constant(1)))));
        next.push_back(stage);
        return next;
      });
  carried.pop_back_n(2);
  return carried;
}

void GpuProductSchedule::emitBody(KernelBuilder &b, int64_t number) {
  const Version &version = versions[number];
  tile = createTile(version);
  bool isWide = widths->getWidths()[version.width] > 1;
  widths->assume(b, version.width);
  OpFoldResult block = GpuThread(b).getBlock();
  OpFoldResult columnTiles =
      b.ceilDiv(b.size(form->columns), b.constant(version.columns));
  OpFoldResult rowTiles = form->countRowTiles(b, version.rows);
  OpFoldResult rowTile = b.div(block, columnTiles), batch = b.constant(0);
  if (getConstantIntValue(b.size(form->batch)) != 1) {
    batch = b.div(rowTile, rowTiles);
    rowTile = b.rem(rowTile, rowTiles);
  }
  ProductForm::RowTile rows = form->getRowTile(b, batch, rowTile, version.rows);
  ProductForm::Place from = {
      rows.batch, rows.first,
      b.mul(b.rem(block, columnTiles), b.constant(version.columns)),
      b.constant(0)};
  SmallVector<Value> sums = emitSums(b, from, rows, isWide);
  for (const ProductTile::Part &part : tile->getParts(b, sums)) {
    ProductForm::Place own = from;
    own.row = b.add(from.row, part.row);
    own.column = b.add(from.column, part.column);
    emitResults(b, own, rows.end, isWide, part.sums);
  }
}

std::unique_ptr<GpuSchedule> dyn::createGpuProductSchedule() {
  return std::make_unique<GpuProductSchedule>();
}
