//===- GpuProductSchedule.cpp - Products of matrices ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block computes a tile of 64 x 64 elements of a product, a thread 4 x 4 of
// them in registers. Step by step along the sum, the block brings 16 columns of
// the one factor and 16 rows of the other to shared memory, zeros where there
// is nothing, and each thread multiplies what its rows and columns need. What
// the kernel computes around the product is done where elements are at hand: on
// the way to shared memory, and on the sums in registers.
//
// Factors are read as they lie, by ElementEmitter: with a digit of their
// positions for each run of axes that belong together, so that neighbouring
// threads read neighbours in memory whichever axis is last.

#include "GpuSchedule.h"
#include "GpuThread.h"

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"

#include "Products/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

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

namespace {
/// What an axis of a factor is in the product.
enum class Role { Batch, Free, Sum };

/// Neighbouring axes of a factor with one role and in one order.
struct Run {
  Role role;
  DimExpr extent;
};

/// A factor as matrices.
struct Factor {
  Value tensor;
  SmallVector<Run> runs;
  DimExpr free; ///< rows of the first, columns of the second

  /// Whether neighbours in memory are neighbours along the sum.
  bool isSumLast() const { return runs.back().role == Role::Sum; }
};

class GpuProductSchedule : public GpuSchedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override;
  GpuGrid emitGrid(KernelBuilder &b) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  LogicalResult makeFactor(Value tensor, ArrayRef<int64_t> contract,
                           const SymbolicDims &dims, Factor &factor);
  OpFoldResult getTiles(KernelBuilder &b, const Factor &factor) {
    return b.ceilDiv(b.size(factor.free), b.constant(kTile));
  }
  /// Brings `kSteps` steps of the sum from `step` on to shared memory, of the
  /// rows or columns from `first` on.
  void emitFill(KernelBuilder &b, const Factor &factor, Value shared,
                OpFoldResult batch, OpFoldResult first, OpFoldResult step);
  Value emitElement(KernelBuilder &b, const Factor &factor, OpFoldResult batch,
                    OpFoldResult free, OpFoldResult step);
  void emitResults(KernelBuilder &b, OpFoldResult batch, OpFoldResult row,
                   OpFoldResult column, ArrayRef<Value> sums);

  dhlo::DotGeneralOp op;
  Factor lhs, rhs;
  DimExpr batch, depth;
  Type sum;
};
} // namespace

LogicalResult GpuProductSchedule::makeFactor(Value tensor,
                                             ArrayRef<int64_t> contract,
                                             const SymbolicDims &dims,
                                             Factor &factor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (isa_and_present<dlhlo::PackedAttr>(type.getEncoding()))
    return op.emitError("no code generation for a GPU for packed constants");
  factor.tensor = tensor;
  factor.free = dhlo::getConstDim(op.getContext(), 1);
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    auto *place = llvm::find(contract, axis);
    Role role = axis < static_cast<int64_t>(op.getBatch()) ? Role::Batch
                : place != contract.end()                  ? Role::Sum
                                                           : Role::Free;
    DimExpr extent = dims.getDim(tensor, axis);
    if (role == Role::Free)
      factor.free = dhlo::mul(factor.free, extent);
    // Axes of the sum are numbered by their place in the list.
    bool follows = !factor.runs.empty() && factor.runs.back().role == role &&
                   (role != Role::Sum ||
                    (place != contract.begin() && *(place - 1) == axis - 1));
    if (follows)
      factor.runs.back().extent = dhlo::mul(factor.runs.back().extent, extent);
    else
      factor.runs.push_back({role, extent});
  }
  for (Role role : {Role::Free, Role::Sum})
    if (llvm::count_if(factor.runs,
                       [&](const Run &run) { return run.role == role; }) > 1)
      return op.emitError("no code generation for a GPU for a product whose "
                          "axes are not grouped");
  return success();
}

LogicalResult GpuProductSchedule::match(dlhlo::KernelOp kernel,
                                        const SymbolicDims &dims) {
  for (Operation &other : kernel.getBody().front().without_terminator()) {
    if (isa<dhlo::DimOp>(other))
      continue;
    auto dot = dyn_cast<dhlo::DotGeneralOp>(other);
    if (dot ? !!op : !ElementEmitter::canEmit(&other))
      return other.emitError("no code generation for a GPU for this operation "
                             "in a kernel of kind 'contraction'");
    if (dot)
      op = dot;
  }
  if (!op)
    return kernel.emitError("no code generation for a GPU for kernels of kind "
                            "'contraction' without dhlo.dot_general");
  sum = getSumType(op.getType().getElementType());
  batch = depth = dhlo::getConstDim(kernel.getContext(), 1);
  for (int64_t axis = 0; axis < static_cast<int64_t>(op.getBatch()); ++axis)
    batch = dhlo::mul(batch, dims.getDim(op.getLhs(), axis));
  for (int64_t axis : op.getLhsContract())
    depth = dhlo::mul(depth, dims.getDim(op.getLhs(), axis));
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (!dims.hasSameNumElements(cast<RankedTensorType>(result.getType()),
                                 op.getType()))
      return kernel.emitError("no code generation for a GPU for results of "
                              "other sizes than the product's");
  if (failed(makeFactor(op.getLhs(), op.getLhsContract(), dims, lhs)))
    return failure();
  return makeFactor(op.getRhs(), op.getRhsContract(), dims, rhs);
}

GpuGrid GpuProductSchedule::emitGrid(KernelBuilder &b) {
  return {b.constant(0),
          b.mul(b.size(batch), b.mul(getTiles(b, lhs), getTiles(b, rhs)))};
}

Value GpuProductSchedule::emitElement(KernelBuilder &b, const Factor &factor,
                                      OpFoldResult batch, OpFoldResult free,
                                      OpFoldResult step) {
  ElementEmitter e(b);
  Position position;
  for (const Run &run : factor.runs)
    position.push_back(
        {run.extent, e.uniform(run.role == Role::Batch  ? batch
                               : run.role == Role::Free ? free
                                                        : step)});
  return toSum(b, e.emit(factor.tensor, position, 1),
               getElementTypeOrSelf(factor.tensor), sum);
}

void GpuProductSchedule::emitFill(KernelBuilder &b, const Factor &factor,
                                  Value shared, OpFoldResult batch,
                                  OpFoldResult first, OpFoldResult step) {
  OpFoldResult thread = GpuThread(b).getThread();
  int64_t inner = factor.isSumLast() ? kSteps : kTile;
  OpFoldResult fast = b.rem(thread, b.constant(inner));
  for (int64_t i = 0; i < kTile * kSteps / kBlockThreads; ++i) {
    OpFoldResult slow = b.add(b.div(thread, b.constant(inner)),
                              b.constant(i * (kBlockThreads / inner)));
    OpFoldResult k = factor.isSumLast() ? fast : slow;
    OpFoldResult n = factor.isSumLast() ? slow : fast;
    OpFoldResult free = b.add(first, n), at = b.add(step, k);
    Value isInside = arith::AndIOp::create(
        b, b.cmp(CmpIPredicate::slt, free, b.size(factor.free)),
        b.cmp(CmpIPredicate::slt, at, b.size(depth)));
    Value element = b.ifElse(
        isInside, sum, [&] { return emitElement(b, factor, batch, free, at); },
        [&] { return b.number(0, sum); });
    b.store(element, shared, b.add(b.mul(k, b.constant(kPitch)), n), sum, 1);
  }
}

void GpuProductSchedule::emitResults(KernelBuilder &b, OpFoldResult batchAt,
                                     OpFoldResult row, OpFoldResult column,
                                     ArrayRef<Value> sums) {
  for (int64_t i = 0; i < kPart; ++i) {
    OpFoldResult m = b.add(row, b.constant(i));
    auto emitAt = [&](OpFoldResult n, int64_t lane, int64_t lanes) {
      ElementEmitter e(b);
      e.provide(op.getResult(), [&](const Position &, int64_t) -> Value {
        return lanes > 1 ? sums[i]
                         : vector::ExtractOp::create(b, sums[i], lane);
      });
      Position position = {{batch, e.uniform(batchAt)},
                           {lhs.free, e.uniform(m)},
                           {rhs.free, lanes > 1 ? e.lanes(n) : e.uniform(n)}};
      SmallVector<Value> values;
      for (Value result : b.getResults())
        values.push_back(e.emit(result, position, lanes));
      for (auto [number, value] : llvm::enumerate(values))
        e.store(value, number, position, lanes);
    };
    OpFoldResult columns = b.size(rhs.free);
    Value isRow = b.cmp(CmpIPredicate::slt, m, b.size(lhs.free));
    b.ifThen(isRow, [&] {
      b.ifThen(
          b.cmp(CmpIPredicate::sle, b.add(column, b.constant(kPart)), columns),
          [&] { emitAt(column, 0, kPart); },
          [&] {
            for (int64_t lane = 0; lane < kPart; ++lane) {
              OpFoldResult n = b.add(column, b.constant(lane));
              b.ifThen(b.cmp(CmpIPredicate::slt, n, columns),
                       [&] { emitAt(n, lane, 1); });
            }
          });
    });
  }
}

void GpuProductSchedule::emitBody(KernelBuilder &b, int64_t version) {
  GpuThread self(b);
  Value lhsShared = self.getShared(sum, kSteps * kPitch);
  Value rhsShared = self.getShared(sum, kSteps * kPitch);
  OpFoldResult tile = self.getBlock(), thread = self.getThread();
  OpFoldResult columnTiles = getTiles(b, rhs), rowTiles = getTiles(b, lhs);
  OpFoldResult tileColumn = b.mul(b.rem(tile, columnTiles), b.constant(kTile));
  OpFoldResult rest = b.div(tile, columnTiles);
  OpFoldResult tileRow = b.mul(b.rem(rest, rowTiles), b.constant(kTile));
  OpFoldResult batchAt = b.div(rest, rowTiles);
  OpFoldResult parts = b.constant(kTile / kPart), part = b.constant(kPart);
  OpFoldResult row = b.mul(b.div(thread, parts), part);
  OpFoldResult column = b.mul(b.rem(thread, parts), part);

  SmallVector<Value> zeros(kPart, b.number(0, sum, kPart));
  SmallVector<Value> sums =
      b.loop(b.constant(0), b.size(depth), kSteps, zeros,
             [&](Value step, ValueRange carried) {
               emitFill(b, lhs, lhsShared, batchAt, tileRow, step);
               emitFill(b, rhs, rhsShared, batchAt, tileColumn, step);
               self.barrier();
               SmallVector<Value> next(carried);
               for (int64_t k = 0; k < kSteps; ++k) {
                 auto load = [&](Value shared, OpFoldResult at) {
                   return self.loadShared(
                       shared, b.add(at, b.constant(k * kPitch)), sum, kPart);
                 };
                 Value x = load(lhsShared, row), y = load(rhsShared, column);
                 for (int64_t i = 0; i < kPart; ++i)
                   next[i] = multiplyAdd(
                       b, b.splat(vector::ExtractOp::create(b, x, i), kPart), y,
                       next[i]);
               }
               // Nobody reads what the next step overwrites.
               self.barrier();
               return next;
             });
  emitResults(b, batchAt, b.add(tileRow, row), b.add(tileColumn, column), sums);
}

std::unique_ptr<GpuSchedule> dyn::createGpuProductSchedule() {
  return std::make_unique<GpuProductSchedule>();
}
