//===- GpuGemmSchedule.cpp - GEMM -----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block computes a tile of a GEMM. In each step along K, it loads some
// columns of A and some rows of B to shared memory, zeros where out of range,
// and its threads multiply them (GemmTile). Fused producers are computed on
// the way to shared memory, the epilogue on the sums in registers.
//
// Shared memory has several stages: while one is multiplied, the copies of the
// next ones are in flight.
//
// GemmProblem describes the operands, GemmFill how they are loaded. Where
// contiguous runs are not always multiples of wide accesses, there is a version
// for calls in which they are. There are tiles of several sizes: flat ones for
// few rows, which waste little, and large ones, which read operands less often,
// where there are enough of them for all multiprocessors. All accumulate each
// sum in the same order.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"
#include "Codegen/GPU/WidthVersions.h"
#include "GemmFill.h"
#include "GemmProblem.h"
#include "GemmTile.h"

#include "Codegen/Common/Problems/SumArithmetic.h"

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

OpFoldResult GemmProblem::countRowTiles(KernelBuilder &b, int64_t height) {
  return b.ceilDiv(b.size(rows), b.constant(height));
}

GemmProblem::RowTile GemmProblem::getRowTile(KernelBuilder &b,
                                             OpFoldResult batch,
                                             OpFoldResult tile,
                                             int64_t height) {
  return {b.mul(tile, b.constant(height)), b.size(rows), batch, b.size(depth)};
}

Value TensorProblem::emitElement(KernelBuilder &b, const Operand &operand,
                                 const Position &position) {
  return toSum(b, ElementEmitter(b).emit(operand.tensor, position, 1),
               getElementTypeOrSelf(operand.tensor), sum);
}

namespace {
class GpuGemmSchedule : public GpuSchedule {
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
  std::unique_ptr<GemmTile> createTile(const Version &version);
  OpFoldResult countTiles(KernelBuilder &b, const Version &version);
  /// The sums of the tile at `from`.
  SmallVector<Value> emitSums(KernelBuilder &b,
                              const GemmProblem::Indices &from,
                              const GemmProblem::RowTile &rows, bool isWide);
  /// Stores the results of some sums, the first at `from`.
  void emitResults(KernelBuilder &b, const GemmProblem::Indices &from,
                   OpFoldResult end, bool isFull, Value sums);

  std::optional<WidthVersions> widths;
  SmallVector<Version> versions; ///< those of the first width first
  Value contraction;
  Type element; ///< in shared memory
  std::unique_ptr<GemmProblem> problem;
  std::unique_ptr<GemmTile> tile; ///< of the version being emitted
};
} // namespace

LogicalResult GpuGemmSchedule::match(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims) {
  Operation *op = nullptr;
  // The first GEMM or convolution is the only one allowed.
  auto isGemm = [&](Operation *other) {
    if (op ||
        !(other->hasTrait<dhlo::Contraction>() || isa<dhlo::Convolves>(other)))
      return false;
    op = other;
    return true;
  };
  if (failed(checkOperations(kernel, isGemm)))
    return failure();
  if (!op)
    return kernel.emitError(
               "no code generation for a GPU for kernels of kind '")
           << dlhlo::stringifyFusionKind(kernel.getKind())
           << "' without a contraction";
  contraction = op->getResult(0);
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (!dims.hasSameNumElements(cast<RankedTensorType>(result.getType()),
                                 cast<RankedTensorType>(contraction.getType())))
      return kernel.emitError("no code generation for a GPU for results of "
                              "other sizes than the contraction's");
  if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op))
    problem = createDotProblem(dot, dims);
  else if (auto grouped = dyn_cast<dhlo::GroupedDotOp>(op))
    problem = createGroupedProblem(grouped, dims);
  else
    problem = createConvolutionProblem(cast<dhlo::Convolves>(op), dims);
  Type type = getElementTypeOrSelf(op->getOperand(0));
  element = type.isF16() || type.isBF16() ? type : problem->sum;
  addVersions(dims);
  return success();
}

void GpuGemmSchedule::addVersions(const SymbolicDims &dims) {
  int64_t bytes = getStorageType(element).getIntOrFloatBitWidth() / 8;
  int64_t widest = std::max(kWide, CodegenOptions::kDeviceAlignment / bytes);
  tile = createTile({"", kMedium, kMedium, 0});
  SmallVector<DimExpr> lengths = {problem->columns};
  for (auto [operand, factor] :
       {std::pair(&problem->lhs, &tile->lhs), {&problem->rhs, &tile->rhs}})
    if (isStored(*operand, element) && tile->getLanes(*factor) > 1 &&
        !isNeverMultiple(operand->line, widest, dims))
      lengths.push_back(operand->line);
  widths.emplace(lengths, widest, dims);

  bool hasParts = getConstantValue(problem->parts) != 1;
  bool hasFew = hasParts || !dims.isAtLeast(problem->rows, kFlat + 1);
  bool hasMore = hasParts || !dims.isAtMost(problem->rows, kFlat);
  // A thread has no registers for a large tile of wider sums.
  bool hasMany = bytes <= 4 && !dims.isAtMost(problem->columns, kLarge - 1) &&
                 !dims.isAtMost(problem->rows, kLarge - 1);
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

std::unique_ptr<GemmTile> GpuGemmSchedule::createTile(const Version &version) {
  GemmTile::Shape shape = {{version.rows, problem->lhs.isAlongSum},
                           {version.columns, problem->rhs.isAlongSum}};
  return element.isF16() || element.isBF16() ? createMmaTile(shape, element)
                                             : createFmaTile(shape, element);
}

OpFoldResult GpuGemmSchedule::countTiles(KernelBuilder &b,
                                         const Version &version) {
  return b.mul(
      b.mul(b.size(problem->batch), problem->countRowTiles(b, version.rows)),
      b.ceilDiv(b.size(problem->columns), b.constant(version.columns)));
}

OpFoldResult GpuGemmSchedule::emitVersion(KernelBuilder &b) {
  OpFoldResult rows = b.ceilDiv(b.size(problem->rows), b.size(problem->parts));
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
      OpFoldResult fullTiles = b.mul(
          b.mul(b.div(rows, b.constant(version.rows)), b.size(problem->parts)),
          b.mul(b.div(b.size(problem->columns), b.constant(version.columns)),
                b.size(problem->batch)));
      // Each multiprocessor has one.
      OpFoldResult many = b.constant(b.getOptions().target.gpu.multiprocessors);
      wide =
          b.select(b.cmp(CmpIPredicate::sge, fullTiles, many), number, *wide);
    }
  }
  return widths->emitChoice(
      b, [&](int64_t width) { return width == 0 ? *wide : *narrow; });
}

void GpuGemmSchedule::emitResults(KernelBuilder &b,
                                  const GemmProblem::Indices &from,
                                  OpFoldResult end, bool isFull, Value sums) {
  int64_t count = cast<VectorType>(sums.getType()).getNumElements();
  auto emitAt = [&](const GemmProblem::Indices &indices, int64_t lane,
                    int64_t lanes) {
    ElementEmitter e(b);
    e.provide(contraction, [&](const Position &, int64_t) -> Value {
      return lanes > 1 ? sums : vector::ExtractOp::create(b, sums, lane);
    });
    Position position = problem->getResult(e, indices, lanes);
    SmallVector<Value> values;
    for (Value result : b.getResults())
      values.push_back(e.emit(result, position, lanes));
    for (auto [number, value] : llvm::enumerate(values))
      e.store(value, number, position, lanes);
  };
  OpFoldResult columns = b.size(problem->columns);
  b.ifThen(b.cmp(CmpIPredicate::slt, from.row, end), [&] {
    Value isInside = b.cmp(CmpIPredicate::sle,
                           b.add(from.column, b.constant(count)), columns);
    if (isFull)
      return b.ifThen(isInside, [&] { emitAt(from, 0, count); });
    b.ifThen(
        isInside, [&] { emitAt(from, 0, count); },
        [&] {
          for (int64_t lane = 0; lane < count; ++lane) {
            GemmProblem::Indices single = from;
            single.column = b.add(from.column, b.constant(lane));
            b.ifThen(b.cmp(CmpIPredicate::slt, single.column, columns),
                     [&] { emitAt(single, lane, 1); });
          }
        });
  });
}

SmallVector<Value> GpuGemmSchedule::emitSums(KernelBuilder &b,
                                             const GemmProblem::Indices &from,
                                             const GemmProblem::RowTile &rows,
                                             bool isWide) {
  GpuThread self(b);
  Type storage = getStorageType(element);
  auto makeFill = [&](bool isLhs) {
    return GemmFill(*problem, *tile, isLhs, isWide ? widths->getWidest() : 1,
                    b.getDims());
  };
  GemmFill lhsFill = makeFill(true), rhsFill = makeFill(false);
  int64_t lhsSize = tile->getSharedSize(tile->lhs);
  int64_t rhsSize = tile->getSharedSize(tile->rhs);
  int64_t stageBytes =
      (lhsSize + rhsSize) * storage.getIntOrFloatBitWidth() / 8;
  bool isCopied = lhsFill.isCopied() || rhsFill.isCopied();
  // One is filled while another one is multiplied.
  int64_t stages = 2;
  const GpuInfo &gpu = b.getOptions().target.gpu;
  if (isCopied)
    stages = std::clamp(gpu.sharedBytes / stageBytes, stages, gpu.gemmStages);
  Value lhs = self.getShared(storage, stages * lhsSize);
  Value rhs = self.getShared(storage, stages * rhsSize);
  auto getLhs = [&](OpFoldResult stage) {
    return b.address(lhs, b.mul(stage, b.constant(lhsSize)), storage);
  };
  auto getRhs = [&](OpFoldResult stage) {
    return b.address(rhs, b.mul(stage, b.constant(rhsSize)), storage);
  };
  auto fill = [&](OpFoldResult step, OpFoldResult stage) {
    b.ifThen(b.cmp(CmpIPredicate::slt, step, rows.depth), [&] {
      GemmProblem::Indices at = from;
      at.step = step;
      lhsFill.emit(b, getLhs(stage), at, rows);
      rhsFill.emit(b, getRhs(stage), at, rows);
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
          return tile->multiply(b, getLhs(stage), getRhs(stage), sums);
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

void GpuGemmSchedule::emitBody(KernelBuilder &b, int64_t number) {
  const Version &version = versions[number];
  tile = createTile(version);
  bool isWide = widths->getWidths()[version.width] > 1;
  widths->assume(b, version.width);
  OpFoldResult block = GpuThread(b).getBlock();
  OpFoldResult columnTiles =
      b.ceilDiv(b.size(problem->columns), b.constant(version.columns));
  OpFoldResult rowTiles = problem->countRowTiles(b, version.rows);
  OpFoldResult rowTile = b.div(block, columnTiles), batch = b.constant(0);
  if (getConstantIntValue(b.size(problem->batch)) != 1) {
    batch = b.div(rowTile, rowTiles);
    rowTile = b.rem(rowTile, rowTiles);
  }
  GemmProblem::RowTile rows =
      problem->getRowTile(b, batch, rowTile, version.rows);
  GemmProblem::Indices from = {
      rows.batch, rows.first,
      b.mul(b.rem(block, columnTiles), b.constant(version.columns)),
      b.constant(0)};
  SmallVector<Value> sums = emitSums(b, from, rows, isWide);
  for (const GemmTile::Part &part : tile->getParts(b, sums)) {
    GemmProblem::Indices own = from;
    own.row = b.add(from.row, part.row);
    own.column = b.add(from.column, part.column);
    emitResults(b, own, rows.end, isWide, part.sums);
  }
}

std::unique_ptr<GpuSchedule> dyn::createGpuGemmSchedule() {
  return std::make_unique<GpuGemmSchedule>();
}
