//===- RowRuns.cpp - Groups of rows as one run of memory ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// As many rows as a vector has lanes are `width` vectors, without an unused
// lane, and if the first is aligned to a cache line, all are. Rows of 17
// columns on their own are two vectors each, of 32 lanes.
//
//   run     elementwise code: kept values and results. The row of element
//           (16 i + lane) is a table's entry, by which a permutation reads the
//           rows' values
//   rows    reductions: row by row, as in any group of rows, from operands or
//           from the run of a kept value. They are combined in one tree, whose
//           root has a lane for each row
//   heads   computation on reductions alone: lanes are rows
//
// The width is known at run time only, so the tables are written before the
// first group: they are as long as a run and the same for all.

#include "Codegen/CPU/Row/RowRuns.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
/// Bytes of an element in scratch, and of a vector.
static constexpr int64_t kBytes = 4, kVectorBytes = kLanes * kBytes;
/// Columns of rows whose final reduction takes longer than the rest.
static constexpr int64_t kShort = 2 * kLanes;

static bool isFloat(Value v) {
  return getComputeType(getElementTypeOrSelf(v)).isF32();
}

//===----------------------------------------------------------------------===//
// Analysis of elements
//===----------------------------------------------------------------------===//

std::optional<RowRuns> RowRuns::make(const RowPlan &plan,
                                     dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims) {
  // More than one index of a row would take divisions.
  int64_t coordinates = llvm::count_if(
      plan.rows, [](DimExpr extent) { return !extent.isConst(1); });
  if (coordinates != 1)
    return std::nullopt;
  RowRuns runs(plan, dims);
  auto results = kernel.getBody().front().getTerminator()->getOperands();
  for (const RowPass &pass : plan.passes) {
    for (dhlo::ReduceOp reduce : pass.reductions)
      if (!isFloat(reduce.getResult()))
        return std::nullopt;
    for (Value kept : pass.kept)
      if (!isFloat(kept) || !runs.findOperandLeaves(kept.getDefiningOp()))
        return std::nullopt;
    for (int64_t i : pass.results)
      if (!runs.findLeaves(results[i]))
        return std::nullopt;
  }
  for (auto [value, leaf] : runs.leaves)
    if (leaf.kind != Kind::Scalar && !isFloat(value))
      return std::nullopt;
  return runs;
}

/// Whether elements of `v` can be computed in a run; records the leaves that
/// they are computed from.
bool RowRuns::findLeaves(Value v) {
  if (!plan->isFull(v))
    return false;
  Operation *op = v.getDefiningOp();
  if (!op || plan->slots.contains(v) || leaves.contains(v))
    return true;
  if (auto broadcast = dyn_cast<dhlo::BroadcastOp>(op)) {
    std::optional<Kind> kind = classify(broadcast);
    if (kind)
      leaves[v] = {*kind, plan->getReadyPass(v)};
    return kind.has_value();
  }
  return findOperandLeaves(op);
}

/// The same for a value by its operands.
bool RowRuns::findOperandLeaves(Operation *op) {
  return (op->hasTrait<dhlo::Elementwise>() || isa<dhlo::ReshapeOp>(op)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return findLeaves(operand); });
}

std::optional<RowRuns::Kind> RowRuns::classify(dhlo::BroadcastOp op) {
  // The axes from `split` on are those of a row.
  int64_t split = cast<RankedTensorType>(op.getType()).getRank();
  DimExpr columns = dhlo::getConstDim(op.getContext(), 1);
  while (split > 0 && !dims->isEqual(columns, plan->width))
    columns = dhlo::mul(columns, dims->getDim(op.getResult(), --split));
  if (!dims->isEqual(columns, plan->width))
    return std::nullopt;
  bool hasRow = false, hasColumn = false;
  for (auto [i, axis] : llvm::enumerate(op.getAxes()))
    if (!dims->getDim(op.getOperand(), i).isConst(1))
      (axis < split ? hasRow : hasColumn) = true;
  if (hasRow && hasColumn)
    return std::nullopt;
  return hasRow ? Kind::Row : hasColumn ? Kind::Column : Kind::Scalar;
}

Value RowRuns::isFaster(KernelBuilder &b) {
  OpFoldResult width = b.size(plan->width);
  Value hasEnd = b.cmp(arith::CmpIPredicate::ne,
                       b.rem(width, b.constant(kLanes)), b.constant(0));
  Value isShort = b.cmp(arith::CmpIPredicate::sle, width, b.constant(kShort));
  return arith::OrIOp::create(b, hasEnd, isShort);
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

// A vector for each leaf, then runs: the rows of elements, the values of each
// leaf that is the same in all rows, and kept values.

OpFoldResult RowRuns::getScratchBytes(KernelBuilder &b, OpFoldResult columns) {
  int64_t runs = 1 + leaves.size() + plan->slots.size();
  return b.add(b.constant(leaves.size() * kVectorBytes),
               b.mul(columns, b.constant(runs * kVectorBytes)));
}

Value RowRuns::getRun(KernelBuilder &b, int64_t number) {
  OpFoldResult length = b.mul(b.size(plan->width), b.constant(kVectorBytes));
  return b.scratch(b.add(b.constant(leaves.size() * kVectorBytes),
                         b.mul(length, b.constant(number))));
}

Value RowRuns::getKept(KernelBuilder &b, Value kept) {
  return getRun(b, 1 + leaves.size() + plan->slots.lookup(kept));
}

void RowRuns::emitTables(KernelBuilder &b) {
  Row anyRow(b, plan->rows,
             SmallVector<OpFoldResult>(plan->rows.size(), b.constant(0)), 0);
  OpFoldResult width = b.size(plan->width);
  b.loop(b.constant(0), b.constant(kRows), 1, [&](Value row) {
    b.loop(b.constant(0), width, kLanes, [&](Value column) {
      OpFoldResult left = b.sub(width, OpFoldResult(column));
      b.withLanes(b.min(left, b.constant(kLanes)), [&] {
        OpFoldResult at = b.add(b.mul(OpFoldResult(row), width), column);
        Value number = arith::TruncIOp::create(b, b.getI32Type(), row);
        b.store(b.splat(number, kLanes), getRun(b, 0), at, b.getI32Type(),
                kLanes);
        Position position = anyRow.position;
        position.push_back({plan->width, anyRow.emitter.lanes(column)});
        for (auto [i, leaf] : llvm::enumerate(leaves))
          if (leaf.second.kind == Kind::Column)
            b.store(anyRow.emitter.emit(leaf.first, position, kLanes),
                    getRun(b, 1 + i), at, b.getF32Type(), kLanes);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace dyn {
/// The state of a group in the passes.
struct RowRuns::Group {
  Group(KernelBuilder &b, RowRuns &runs, MutableArrayRef<Row> rows)
      : b(b), runs(runs), plan(*runs.plan), rows(rows), run(b), heads(b),
        head(rows.front().position) {
    for (Coordinate &coordinate : head)
      if (!coordinate.extent.isConst(1))
        coordinate.index = heads.lanes(coordinate.index.base);
    begin = b.mul(heads.join(head).base, b.size(plan.width));
  }

  void emitPass(int64_t number, ReduceFn reduce);
  void emitLeaf(int64_t number, Value leaf, Kind kind);
  void provideReduced(Value reduced, Value vector);
  /// Visits the vectors of the run.
  void forEachVector(llvm::function_ref<void(const Position &)> body);

  KernelBuilder &b;
  RowRuns &runs;
  const RowPlan &plan;
  MutableArrayRef<Row> rows;
  /// Values of elements and, with a lane for each row, of rows.
  ElementEmitter run, heads;
  Position head;
  OpFoldResult begin; ///< index of the first element
  Value at;           ///< index in the run of the vector that is being emitted
};
} // namespace dyn

void RowRuns::Group::forEachVector(
    llvm::function_ref<void(const Position &)> body) {
  OpFoldResult length = b.mul(b.size(plan.width), b.constant(kRows));
  b.loop(b.constant(0), length, kLanes, [&](Value i) {
    at = i;
    body({{plan.numElements, run.lanes(b.add(begin, OpFoldResult(i)))}});
  });
}

/// Provides a value of the rows or columns in the run, and one of the rows
/// where they are reduced.
void RowRuns::Group::emitLeaf(int64_t number, Value leaf, Kind kind) {
  if (kind == Kind::Column) {
    Value values = runs.getRun(b, 1 + number);
    run.provide(leaf, [=, this](const Position &, int64_t lanes) {
      return b.load(values, at, b.getF32Type(), lanes);
    });
    return;
  }
  Position position = head;
  position.push_back({plan.width, heads.uniform(b.constant(0))});
  if (kind == Kind::Scalar)
    for (Coordinate &coordinate : position)
      coordinate.index = heads.uniform(b.constant(0));
  Value vector = heads.emit(leaf, position, kLanes);
  if (kind == Kind::Scalar) {
    run.provide(leaf, [=](const Position &, int64_t) { return vector; });
    return;
  }
  Value ofElements = runs.getRun(b, 0);
  run.provide(leaf, [=, this](const Position &, int64_t lanes) {
    Value row = b.load(ofElements, at, b.getI32Type(), lanes);
    return LLVM::CallIntrinsicOp::create(
               b, b.getLoc(), vector.getType(),
               b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
               ValueRange{vector, row})
        .getResult(0);
  });
  // A lane for all is a broadcasting load.
  Value memory = b.scratch(b.constant(number * kVectorBytes));
  b.store(vector, memory, b.constant(0), b.getF32Type(), kLanes);
  for (Row &row : rows)
    row.emitter.provide(leaf, [=, this, &row](const Position &position,
                                              int64_t lanes) {
      if (!isSamePosition(b, ArrayRef(position).drop_back(), row.position))
        return Value();
      return b.splat(b.load(memory, b.constant(row.number), b.getF32Type(), 1),
                     lanes);
    });
}

/// Provides a reduced value, of which `vector` has a lane for each row.
void RowRuns::Group::provideReduced(Value reduced, Value vector) {
  heads.provide(reduced, [=, this](const Position &position, int64_t lanes) {
    return lanes == kLanes && isSamePosition(b, position, head) ? vector
                                                                : Value();
  });
  for (Row &row : rows)
    row.emitter.provide(reduced, [=, this, &row](const Position &position,
                                                 int64_t lanes) {
      if (!isSamePosition(b, position, row.position))
        return Value();
      return b.splat(vector::ExtractOp::create(b, vector, row.number), lanes);
    });
}

void RowRuns::Group::emitPass(int64_t number, ReduceFn reduce) {
  const RowPass &pass = plan.passes[number];
  for (auto [i, leaf] : llvm::enumerate(runs.leaves))
    if (leaf.second.pass == number)
      emitLeaf(i, leaf.first, leaf.second.kind);
  if (!pass.kept.empty())
    forEachVector([&](const Position &position) {
      for (Value kept : pass.kept)
        b.store(run.emit(kept, position, kLanes), runs.getKept(b, kept), at,
                b.getF32Type(), kLanes);
    });
  for (Value kept : pass.kept)
    run.provide(kept, [=, this](const Position &, int64_t lanes) {
      return b.load(runs.getKept(b, kept), at, b.getF32Type(), lanes);
    });
  if (!pass.reductions.empty())
    for (auto [op, value] : llvm::zip_equal(pass.reductions, reduce(pass)))
      provideReduced(op->getResult(0), value);
  if (!pass.results.empty())
    forEachVector([&](const Position &position) {
      prefetchNarrowRows(b, plan, position.front().index.base);
      SmallVector<Value> results;
      for (int64_t i : pass.results)
        results.push_back(run.emit(b.getResults()[i], position, kLanes));
      for (auto [i, value] : llvm::zip_equal(pass.results, results))
        run.store(value, i, position, kLanes);
    });
}

void RowRuns::emitGroup(KernelBuilder &b, MutableArrayRef<Row> rows,
                        ReduceFn reduce) {
  Group group(b, *this, rows);
  for (size_t i = 0; i < plan->passes.size(); ++i)
    group.emitPass(i, reduce);
  for (int64_t i : plan->rowResults)
    group.heads.store(group.heads.emit(b.getResults()[i], group.head, kLanes),
                      i, group.head, kLanes);
}
