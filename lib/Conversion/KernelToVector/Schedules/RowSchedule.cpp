//===- RowSchedule.cpp - Kernels with reductions over trailing axes -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An item is a row: all positions that one reduced element comes from. Over a
// row go as many passes as reductions depend on one another, plus one for the
// results; each pass computes every reduction that is ready:
//
//   softmax:     max x  |  sum e^(x - max), keeping e^(x - max)  |  results
//   layer norm:  sum x  |  sum (x - mean)^2                      |  results
//
// The row stays in cache, so values are read again; what costs more than a read
// is kept in scratch. A pass has several accumulators of a full vector to hide
// the latency of additions. The last vector of a row reaches back, and lanes
// that were seen before do not count; rows shorter than a vector go one by one
// into a scalar. They are combined in a fixed tree, so the order depends on the
// width alone.
//
// A reduced value is known at the row it belongs to. If an operation asks for
// it elsewhere, it is computed there (ReductionEmitter), which is slow and
// right.

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"
#include "dyn/Conversion/KernelToVector/Schedule.h"

#include "Elements/OpEmitters.h"
#include "ItemLoop.h"
#include "IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Accumulators of a pass: as many as registers can hold beside the rest.
static int64_t getUnroll(const CodegenOptions &options) {
  return options.isa == Isa::V4 ? 4 : 2;
}
/// Values that cost more than this are kept for later passes.
static constexpr int64_t kKeepCost = 3;

namespace {
struct Pass {
  SmallVector<dhlo::ReduceOp> reductions;
  /// Results with an element at each position of the row.
  SmallVector<int64_t> results;
  /// Values to keep in scratch.
  SmallVector<Value> kept;
};

class RowSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  bool analyse(dlhlo::KernelOp kernel, const SymbolicDims &dims);
  void findKept();
  int64_t getPass(Value v);
  int64_t getValueCost(Value v);
  /// Whether values of this type have an element at each position of the rows.
  bool isFull(Value v) {
    return dims->isEqual(
        dims->getNumElements(cast<RankedTensorType>(v.getType())), numElements);
  }
  void collect(Value v, llvm::DenseSet<Value> &reached,
               llvm::function_ref<bool(Value)> stops);

  void emitRow(KernelBuilder &b, ArrayRef<OpFoldResult> digits);
  void emitPass(KernelBuilder &b, ElementEmitter &e, Pass &pass,
                const Position &row);
  OpFoldResult slotBytes(KernelBuilder &b) {
    // Eight bytes an element hold every compute type.
    return b.mul(b.ceilDiv(b.mul(b.size(width), b.constant(8)), b.constant(64)),
                 b.constant(64));
  }

  const SymbolicDims *dims = nullptr;
  /// Takes kernels whose reductions are not of rows.
  std::unique_ptr<Schedule> fallback;
  SmallVector<Pass> passes;
  /// Results with an element a row.
  SmallVector<int64_t> rowResults;
  /// Extents of the digits of a row's number, and of a row.
  SmallVector<DimExpr> rows;
  DimExpr width, numElements;
  llvm::DenseMap<Value, int64_t> passOf, costs;
  llvm::DenseMap<Value, int64_t> slots;
  int64_t cost = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// The first pass in which a value can be computed.
int64_t RowSchedule::getPass(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return 0;
  auto it = passOf.find(v);
  if (it != passOf.end())
    return it->second;
  int64_t pass = 0;
  for (Value operand : op->getOperands())
    pass = std::max(pass, getPass(operand));
  if (isa<dhlo::ReduceOp>(op))
    ++pass;
  return passOf[v] = pass;
}

/// Rough cost of an element from buffers and reduced values.
int64_t RowSchedule::getValueCost(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return 1;
  if (isa<dhlo::ReduceOp>(op))
    return 0;
  auto it = costs.find(v);
  if (it != costs.end())
    return it->second;
  int64_t sum = getElementCost(*op);
  for (Value operand : op->getOperands())
    sum += getValueCost(operand);
  return costs[v] = std::min<int64_t>(sum, 1000);
}

/// Values at the row's own positions that `v` is computed from.
void RowSchedule::collect(Value v, llvm::DenseSet<Value> &reached,
                          llvm::function_ref<bool(Value)> stops) {
  if (!reached.insert(v).second || stops(v))
    return;
  Operation *op = v.getDefiningOp();
  if (op && (op->hasTrait<dhlo::Elementwise>() || isa<dhlo::ReshapeOp>(op)))
    for (Value operand : op->getOperands())
      collect(operand, reached, stops);
}

bool RowSchedule::analyse(dlhlo::KernelOp kernel, const SymbolicDims &dims) {
  Block &block = kernel.getBody().front();
  dhlo::ReduceOp first;
  for (auto reduce : block.getOps<dhlo::ReduceOp>()) {
    auto type = reduce.getOperand().getType();
    int64_t rank = type.getRank(), count = reduce.getAxes().size();
    if (count == 0 || reduce.getAxes().front() != rank - count)
      return false;
    DimExpr columns = dhlo::getConstDim(kernel.getContext(), 1);
    for (int64_t axis : reduce.getAxes())
      columns = dhlo::mul(columns, dims.getDim(reduce.getOperand(), axis));
    if (!first) {
      first = reduce;
      width = columns;
      numElements = dims.getNumElements(type);
      continue;
    }
    if (!dims.isEqual(columns, width) || !isFull(reduce.getOperand()))
      return false;
  }
  if (!first)
    return false;

  // Passes, and what each result is.
  DimExpr numRows = dims.getNumElements(first.getType());
  int64_t numPasses = 1;
  for (auto reduce : block.getOps<dhlo::ReduceOp>())
    numPasses = std::max(numPasses, getPass(reduce.getResult()) + 1);
  auto results = block.getTerminator()->getOperands();
  for (Value result : results)
    numPasses = std::max(numPasses, getPass(result) + 1);
  passes.resize(numPasses);
  SmallVector<Value> roots = {first.getOperand()};
  for (auto reduce : block.getOps<dhlo::ReduceOp>()) {
    passes[getPass(reduce.getOperand())].reductions.push_back(reduce);
    roots.push_back(reduce.getOperand());
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    auto type = cast<RankedTensorType>(result.getType());
    if (isFull(result)) {
      passes[getPass(result)].results.push_back(i);
      roots.push_back(result);
    } else if (dims.isEqual(dims.getNumElements(type), numRows)) {
      rowResults.push_back(i);
    } else {
      return false;
    }
  }
  // With rows of one element, full and row results cannot be told apart.
  if (dims.isEqual(numRows, numElements))
    return false;
  rows = getIterationSpace(roots, dims, first.getAxes().size());
  rows.pop_back();
  return true;
}

void RowSchedule::findKept() {
  SmallVector<SmallVector<Value>> roots;
  for (Pass &pass : passes) {
    roots.emplace_back();
    for (dhlo::ReduceOp reduce : pass.reductions)
      roots.back().push_back(reduce.getOperand());
    for (int64_t i : pass.results)
      roots.back().push_back(passes.front()
                                 .reductions.front()
                                 ->getBlock()
                                 ->getTerminator()
                                 ->getOperand(i));
  }
  for (size_t p = 0; p + 1 < passes.size(); ++p) {
    llvm::DenseSet<Value> now, later;
    for (Value root : roots[p])
      collect(root, now, [](Value) { return false; });
    // The first values on the way back from later passes that this pass has.
    SmallVector<Value> frontier;
    for (size_t q = p + 1; q < passes.size(); ++q)
      for (Value root : roots[q])
        collect(root, later, [&](Value v) {
          if (slots.count(v))
            return true;
          bool isHere =
              now.contains(v) && getValueCost(v) > kKeepCost && isFull(v);
          if (isHere)
            frontier.push_back(v);
          return isHere;
        });
    for (Value v : frontier) {
      Type element = cast<RankedTensorType>(v.getType()).getElementType();
      if (element.isInteger(1) || slots.count(v))
        continue;
      slots[v] = slots.size();
      passes[p].kept.push_back(v);
    }
  }
}

LogicalResult RowSchedule::match(dlhlo::KernelOp kernel,
                                 const SymbolicDims &dims,
                                 const CodegenOptions &options) {
  this->dims = &dims;
  if (!analyse(kernel, dims)) {
    fallback = createLoopSchedule();
    return fallback->match(kernel, dims, options);
  }
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<dhlo::DimOp>(op))
      continue;
    if (!ElementEmitter::canEmit(&op))
      return op.emitError(
                 "no code generation for this operation in a kernel of kind '")
             << dlhlo::stringifyFusionKind(kernel.getKind()) << "'";
    cost += isa<dhlo::ReduceOp>(op) ? 1 : getElementCost(op);
  }
  findKept();
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Geometry RowSchedule::emitGeometry(KernelBuilder &b) {
  if (fallback)
    return fallback->emitGeometry(b);
  Geometry g;
  g.items = b.constant(1);
  for (DimExpr extent : rows)
    g.items = b.mul(g.items, b.size(extent));
  OpFoldResult work = b.mul(b.size(width), b.constant(cost + 4));
  g.grain = b.add(b.div(b.constant(kGrainWork), b.max(work, b.constant(1))),
                  b.constant(1));
  g.scratchBytes = b.mul(slotBytes(b), b.constant(slots.size()));
  g.flops = b.mul(b.size(numElements), b.constant(cost));
  g.bytes = b.constant(0);
  auto addBytes = [&](Value tensor) {
    g.bytes = b.add(g.bytes, b.mul(b.numElements(tensor),
                                   b.constant(getElementBytes(tensor))));
  };
  for (Value argument : b.getBlock().getArguments())
    addBytes(argument);
  for (Value result : b.getResults())
    addBytes(result);
  return g;
}

static bool isSamePosition(KernelBuilder &b, const Position &lhs,
                           const Position &rhs) {
  SmallVector<const Digit *> x, y;
  for (const Digit &digit : lhs)
    if (!digit.extent.isConst(1))
      x.push_back(&digit);
  for (const Digit &digit : rhs)
    if (!digit.extent.isConst(1))
      y.push_back(&digit);
  return x.size() == y.size() && llvm::all_of(llvm::zip(x, y), [&](auto pair) {
           auto [one, other] = pair;
           return one->index.base == other->index.base &&
                  one->index.step == other->index.step &&
                  b.getDims().isEqual(one->extent, other->extent);
         });
}

void RowSchedule::emitPass(KernelBuilder &b, ElementEmitter &e, Pass &pass,
                           const Position &row) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  auto elementOf = [](dhlo::ReduceOp op) {
    return op.getOperand().getType().getElementType();
  };
  /// Everything that the pass does at a column; gives the values to reduce.
  auto emitColumn = [&](OpFoldResult column, int64_t lanes) {
    Position position = row;
    position.push_back(
        {width, lanes > 1 ? e.lanes(column) : e.uniform(column)});
    SmallVector<Value> values;
    for (dhlo::ReduceOp reduce : pass.reductions)
      values.push_back(e.emit(reduce.getOperand(), position, lanes));
    for (Value kept : pass.kept)
      b.store(e.emit(kept, position, lanes),
              b.scratch(b.mul(slotBytes(b), b.constant(slots[kept]))), column,
              getComputeType(
                  cast<RankedTensorType>(kept.getType()).getElementType()),
              lanes);
    SmallVector<Value> results;
    for (int64_t i : pass.results)
      results.push_back(e.emit(b.getResults()[i], position, lanes));
    for (auto [i, value] : llvm::zip_equal(pass.results, results))
      e.store(value, i, position, lanes);
    return values;
  };
  OpFoldResult n = b.size(width);
  if (pass.reductions.empty()) {
    if (!pass.kept.empty() || !pass.results.empty())
      b.coverLanes(b.constant(0), n, [&](Value column, int64_t lanes) {
        emitColumn(column, lanes);
      });
    return;
  }

  const int64_t kUnroll = getUnroll(b.getOptions());
  size_t count = pass.reductions.size();
  auto accumulate = [&](ArrayRef<Value> values, ValueRange accumulators) {
    SmallVector<Value> next;
    for (auto [i, reduce] : llvm::enumerate(pass.reductions))
      next.push_back(combine(b, reduce.getKind(), elementOf(reduce),
                             accumulators[i], values[i]));
    return next;
  };
  OpFoldResult blocked = b.sub(n, b.rem(n, b.constant(kUnroll * kLanes)));
  // The last vector reaches back over the one before it; a row shorter than a
  // vector is left to the scalars.
  OpFoldResult lanes = b.constant(kLanes), last = b.sub(n, lanes);
  bool isWhole = b.getDims().isMultipleOf(width, kLanes);
  OpFoldResult end =
      isWhole ? n
              : b.select(b.cmp(CmpIPredicate::sge, n, lanes), n, b.constant(0));
  SmallVector<Value> vectors, scalars;
  for (int64_t u = 0; u < kUnroll; ++u)
    for (dhlo::ReduceOp reduce : pass.reductions)
      vectors.push_back(
          neutral(b, reduce.getKind(), elementOf(reduce), kLanes));
  for (dhlo::ReduceOp reduce : pass.reductions)
    scalars.push_back(neutral(b, reduce.getKind(), elementOf(reduce), 1));

  if (getConstantIntValue(blocked) != 0)
    vectors = b.loop(
        b.constant(0), blocked, kUnroll * kLanes, vectors,
        [&](Value column, ValueRange carried) {
          SmallVector<Value> next;
          for (int64_t u = 0; u < kUnroll; ++u)
            next.append(accumulate(
                emitColumn(b.add(OpFoldResult(column), b.constant(u * kLanes)),
                           kLanes),
                carried.slice(u * count, count)));
          return next;
        });
  if (getConstantIntValue(b.sub(n, blocked)) != 0) {
    SmallVector<Value> firsts(vectors.begin(), vectors.begin() + count);
    firsts = b.loop(
        blocked, end, kLanes, firsts, [&](Value column, ValueRange carried) {
          if (isWhole)
            return accumulate(emitColumn(column, kLanes), carried);
          OpFoldResult at = b.min(column, last);
          SmallVector<Value> values = emitColumn(at, kLanes);
          Value isNew = b.lanesFrom(b.sub(column, at));
          for (auto [reduce, value] : llvm::zip_equal(pass.reductions, values))
            value = arith::SelectOp::create(
                b, isNew, value,
                neutral(b, reduce.getKind(), elementOf(reduce), kLanes));
          return accumulate(values, carried);
        });
    llvm::copy(firsts, vectors.begin());
  }
  if (!isWhole)
    scalars = b.loop(end, n, 1, scalars, [&](Value column, ValueRange carried) {
      return accumulate(emitColumn(column, 1), carried);
    });

  for (auto [i, reduce] : llvm::enumerate(pass.reductions)) {
    dhlo::ReduceKind kind = reduce.getKind();
    Type element = elementOf(reduce);
    auto at = [&](int64_t u) { return vectors[u * count + i]; };
    Value sum = combine(b, kind, element, at(0), at(1));
    if (kUnroll == 4)
      sum = combine(b, kind, element, sum,
                    combine(b, kind, element, at(2), at(3)));
    Value result = combine(b, kind, element,
                           combineLanes(b, kind, element, sum), scalars[i]);
    e.provide(
        reduce.getResult(),
        [&b, row, result](const Position &position, int64_t lanes) -> Value {
          return isSamePosition(b, position, row) ? b.splat(result, lanes)
                                                  : Value();
        });
  }
  for (Value kept : pass.kept) {
    int64_t slot = slots[kept];
    Type element =
        getComputeType(cast<RankedTensorType>(kept.getType()).getElementType());
    e.provide(kept,
              [this, &b, row, slot, element](const Position &position,
                                             int64_t lanes) -> Value {
                if (position.empty() ||
                    !b.getDims().isEqual(position.back().extent, width) ||
                    !isSamePosition(
                        b, Position(position.begin(), position.end() - 1), row))
                  return Value();
                return b.load(b.scratch(b.mul(slotBytes(b), b.constant(slot))),
                              position.back().index.base, element, lanes);
              });
  }
}

void RowSchedule::emitRow(KernelBuilder &b, ArrayRef<OpFoldResult> digits) {
  ElementEmitter e(b);
  Position row;
  for (auto [extent, digit] : llvm::zip_equal(rows, digits))
    row.push_back({extent, e.uniform(digit)});
  for (Pass &pass : passes)
    emitPass(b, e, pass, row);
  for (int64_t i : rowResults)
    e.store(e.emit(b.getResults()[i], row, 1), i, row, 1);
}

LogicalResult RowSchedule::emitBody(KernelBuilder &b) {
  if (fallback)
    return fallback->emitBody(b);
  SmallVector<OpFoldResult> extents;
  for (DimExpr extent : rows)
    extents.push_back(b.size(extent));
  forEachItem(b, extents, b.begin(), b.end(),
              [&](ArrayRef<OpFoldResult> digits) { emitRow(b, digits); });
  return success();
}

std::unique_ptr<Schedule> dyn::createRowSchedule() {
  return std::make_unique<RowSchedule>();
}
