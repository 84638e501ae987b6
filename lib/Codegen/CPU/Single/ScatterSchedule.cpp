//===- ScatterSchedule.cpp - Updates at indices from data -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Updates are applied in order, which determines the result of equal indices.
// Independent work runs in parallel: parts of the result, each with the updates
// inside of it. For scatter_nd these are some rows, and some columns of long
// ones; each part of the rows reads all indices, so there are few. For
// scatter_elements they are parts of an axis other than the indexed one.
//
// The operand is copied first, unless its memory is the result's.

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Builder/ElementNotes.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/ScatterProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Columns of a slice in an item.
static constexpr int64_t kColumns = 1024;
/// Parts of the rows, if a row is worth more than reading its index once more.
static constexpr int64_t kRowParts = 4, kMinColumns = 8;
/// Positions along the axis that a scatter_elements is divided by.
static constexpr int64_t kPositions = 64;

namespace {
class ScatterSchedule : public Schedule {
public:
  explicit ScatterSchedule(Operation *op) : op(op), problem(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override {
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  OpFoldResult getRowParts(KernelBuilder &b, OpFoldResult columns) {
    return b.select(b.cmp(CmpIPredicate::sge, columns, b.constant(kMinColumns)),
                    b.constant(kRowParts), b.constant(1));
  }
  /// The last axis of a scatter_elements except the indexed one, if there is
  /// one.
  std::optional<int64_t> getDividedAxis(dhlo::ScatterElementsOp scatter) {
    int64_t last = scatter.getOperand().getType().getRank() - 1;
    if (last == static_cast<int64_t>(scatter.getAxis()))
      --last;
    return last < 0 ? std::nullopt : std::optional(last);
  }
  /// Emits `copy`, executed unless the operand is where the result is.
  void ifCopied(KernelBuilder &b, llvm::function_ref<void()> copy);
  void emitNd(KernelBuilder &b, dhlo::ScatterNdOp scatter);
  /// Of scatter_nd, rows [top, bottom) and columns [left, right).
  struct Part {
    OpFoldResult top, bottom, left, right;
  };
  /// Copies the elements of the operand in `part` to the result.
  void copyPart(KernelBuilder &b, const Part &part);
  void emitNdPart(KernelBuilder &b, dhlo::ScatterNdOp scatter,
                  const Part &part);
  void emitElements(KernelBuilder &b, dhlo::ScatterElementsOp scatter);

  Operation *op;
  ScatterProblem problem;
};
} // namespace

Geometry ScatterSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  OpFoldResult one = b.constant(1);
  g.items = one;
  // Bytes of the result and the updates, and the reading of indices.
  OpFoldResult work =
      b.add(b.mul(b.numElements(problem.operand()), b.constant(8)),
            b.add(b.mul(b.numElements(problem.updates()), b.constant(16)),
                  b.mul(b.numElements(problem.indices()), b.constant(64))));
  if (isa<dhlo::ScatterNdOp>(op)) {
    OpFoldResult columns = b.size(problem.columns(b));
    g.items = b.max(b.mul(getRowParts(b, columns),
                          b.ceilDiv(columns, b.constant(kColumns))),
                    one);
  } else if (auto axis = getDividedAxis(cast<dhlo::ScatterElementsOp>(op))) {
    g.items = b.max(
        b.ceilDiv(b.size(problem.operand(), *axis), b.constant(kPositions)),
        one);
  }
  OpFoldResult perItem = b.max(b.div(work, g.items), one);
  g.grain = b.max(b.div(b.constant(b.getCpu().grainWork), perItem), one);
  g.scratchBytes = b.constant(0);
  return g;
}

void ScatterSchedule::ifCopied(KernelBuilder &b,
                               llvm::function_ref<void()> copy) {
  auto argument = dyn_cast<BlockArgument>(problem.operand());
  if (!argument)
    return copy();
  b.ifThen(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne,
                                b.buffer(argument.getArgNumber()),
                                b.resultBuffer(0)),
           copy);
}

void ScatterSchedule::emitNd(KernelBuilder &b, dhlo::ScatterNdOp scatter) {
  OpFoldResult height = b.size(problem.rows(b)),
               width = b.size(problem.columns(b));
  OpFoldResult parts = getRowParts(b, width), zero = b.constant(0);
  // Items with the same columns are consecutive and processed together, so that
  // the indices are read once.
  OpFoldResult first = b.div(b.begin(), parts);
  b.loop(first, b.ceilDiv(b.end(), parts), 1, [&](Value chunk) {
    OpFoldResult start = b.mul(chunk, parts);
    auto getRow = [&](OpFoldResult item) {
      OpFoldResult part = b.min(b.max(b.sub(item, start), zero), parts);
      return b.div(b.mul(height, part), parts);
    };
    OpFoldResult left = b.mul(chunk, b.constant(kColumns));
    emitNdPart(b, scatter,
               {getRow(b.begin()), getRow(b.end()), left,
                b.min(b.add(left, b.constant(kColumns)), width)});
  });
}

void ScatterSchedule::copyPart(KernelBuilder &b, const Part &part) {
  DimExpr rows = problem.rows(b), columns = problem.columns(b);
  DimExpr whole = product(b.getContext(), {rows, columns});
  OpFoldResult width = b.size(columns), one = b.constant(1);
  // Whole rows are one run of elements, however short each of them is.
  Value isRun = arith::AndIOp::create(
      b, b.cmp(CmpIPredicate::eq, part.left, b.constant(0)),
      b.cmp(CmpIPredicate::eq, part.right, width));
  OpFoldResult height = b.sub(part.bottom, part.top);
  OpFoldResult runs = b.select(isRun, one, height);
  OpFoldResult length =
      b.mul(b.sub(part.right, part.left), b.select(isRun, height, one));
  b.loop(b.constant(0), runs, 1, [&](Value run) {
    OpFoldResult start = b.add(b.mul(b.add(part.top, run), width), part.left);
    b.laneLoop(start, b.add(start, length), [&](Value i, int64_t lanes) {
      ElementEmitter e(b);
      Position position = {{whole, lanes > 1 ? e.lanes(i) : e.uniform(i)}};
      e.store(e.emit(problem.operand(), position, lanes), 0, position, lanes);
    });
  });
}

void ScatterSchedule::emitNdPart(KernelBuilder &b, dhlo::ScatterNdOp scatter,
                                 const Part &part) {
  DimExpr vectors = problem.vectors(b), rows = problem.rows(b);
  DimExpr columns = problem.columns(b);
  auto at = [&](ElementEmitter &e, DimExpr extent, OpFoldResult row,
                OpFoldResult column, int64_t lanes) -> Position {
    return {{extent, e.uniform(row)},
            {columns, lanes > 1 ? e.lanes(column) : e.uniform(column)}};
  };
  ifCopied(b, [&] { copyPart(b, part); });
  b.loop(b.constant(0), b.size(vectors), 1, [&](Value vector) {
    ElementEmitter e(b);
    Value isInside;
    OpFoldResult row = problem.readRow(e, vector, isInside);
    Value isHere =
        arith::AndIOp::create(b, b.cmp(CmpIPredicate::sge, row, part.top),
                              b.cmp(CmpIPredicate::slt, row, part.bottom));
    isInside = isInside ? arith::AndIOp::create(b, isInside, isHere).getResult()
                        : isHere;
    b.ifThen(isInside, [&] {
      b.laneLoop(part.left, part.right, [&](Value column, int64_t lanes) {
        Value update = e.emit(problem.updates(),
                              at(e, vectors, vector, column, lanes), lanes);
        Position position = at(e, rows, row, column, lanes);
        Value old =
            e.loadAt(b.resultBuffer(0), problem.element(), position, lanes);
        e.store(problem.combineUpdate(b, scatter.getKind(), old, update), 0,
                position, lanes);
      });
    });
  });
}

void ScatterSchedule::emitElements(KernelBuilder &b,
                                   dhlo::ScatterElementsOp scatter) {
  SmallVector<DimExpr> sizes = getSizes(b, problem.operand()),
                       by = getSizes(b, problem.indices());
  // The range of positions along the divided axis; without one, of the whole.
  std::optional<int64_t> axis = getDividedAxis(scatter);
  int64_t split = axis.value_or(-1);
  OpFoldResult positions = axis ? b.size(sizes[split]) : b.constant(1);
  OpFoldResult lower = b.mul(b.begin(), b.constant(kPositions));
  OpFoldResult upper = b.min(b.mul(b.end(), b.constant(kPositions)), positions);

  // As (outer, line): a line has the positions and the axes inside of theirs.
  auto shape = ArrayRef(sizes);
  DimExpr outer =
      product(b.getContext(), shape.take_front(split + (axis ? 0 : 1)));
  DimExpr line =
      product(b.getContext(), shape.drop_front(split + (axis ? 0 : 1)));
  OpFoldResult inner =
      b.size(product(b.getContext(), shape.drop_front(split + 1)));
  ifCopied(b, [&] {
    b.loop(b.constant(0), b.size(outer), 1, [&](Value o) {
      auto copy = [&](Value i, int64_t lanes) {
        ElementEmitter e(b);
        Position position = {{outer, e.uniform(OpFoldResult(o))},
                             {line, lanes > 1 ? e.lanes(i) : e.uniform(i)}};
        e.store(e.emit(problem.operand(), position, lanes), 0, position, lanes);
      };
      b.laneLoop(b.mul(lower, inner), b.mul(upper, inner), copy);
    });
  });
  SmallVector<OpFoldResult> extents;
  for (DimExpr size : by)
    extents.push_back(b.size(size));
  if (axis)
    extents[split] =
        b.max(b.constant(0), b.sub(b.min(upper, extents[split]), lower));
  OpFoldResult count = b.select(b.cmp(CmpIPredicate::slt, lower, upper),
                                b.constant(1), b.constant(0));
  for (OpFoldResult extent : extents)
    count = b.mul(count, extent);
  forEachItem(
      b, extents, b.constant(0), count,
      [&](ArrayRef<OpFoldResult> coordinates) {
        ElementEmitter e(b);
        SmallVector<OpFoldResult> numbers(coordinates);
        if (axis)
          numbers[split] = b.add(numbers[split], lower);
        Position from, to;
        Value isInside;
        for (auto [size, number] : llvm::zip_equal(by, numbers))
          from.push_back({size, e.uniform(number)});
        for (auto [at, size] : llvm::enumerate(sizes)) {
          bool isAxis = at == static_cast<size_t>(scatter.getAxis());
          OpFoldResult i =
              isAxis ? problem.readIndex(e, from, b.size(size), isInside)
                     : numbers[at];
          to.push_back({size, e.uniform(i)});
        }
        b.ifThen(isInside, [&] {
          Value old = e.loadAt(b.resultBuffer(0), problem.element(), to, 1);
          Value update = e.emit(problem.updates(), from, 1);
          e.store(problem.combineUpdate(b, scatter.getKind(), old, update), 0,
                  to, 1);
        });
      });
  noteElementsOfLoop(b, scatter, "each update has its own index");
}

LogicalResult ScatterSchedule::emitBody(KernelBuilder &b) {
  if (auto scatter = dyn_cast<dhlo::ScatterNdOp>(op))
    emitNd(b, scatter);
  else
    emitElements(b, cast<dhlo::ScatterElementsOp>(op));
  return success();
}

std::unique_ptr<Schedule> dyn::createScatterSchedule(Operation *op) {
  return std::make_unique<ScatterSchedule>(op);
}
