//===- ReductionEmitter.cpp - Reductions as loops at a position -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The general form: where an element of a reduction is read, loops over the
// reduced positions are emitted, with an accumulator for each lane. It is
// efficient where lanes run along an axis that stays (columns, pooling with
// channels last). Reductions along the lanes have the row schedule.
//
// A contraction that is the sum of a few rows of its RHS is such a loop, too.
//
// Elements are combined in row-major order of the operand, f16 and bf16 in f32,
// so the order depends only on the reduced extents.

#include "dyn/Dialect/DHLO/Analysis/SumOfRows.h"

#include "Codegen/Common/Elements/ArgReduceEmitter.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using dhlo::DimExpr;
using dhlo::ReduceKind;

bool dyn::isReduction(Operation *op) {
  if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op))
    return isSumOfRows(dot);
  return op->hasTrait<dhlo::Reduction>();
}

static Type getElementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

Value dyn::combine(KernelBuilder &b, ReduceKind kind, Type element, Value lhs,
                   Value rhs) {
  bool isFloat = isa<FloatType>(element);
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? arith::AddFOp::create(b, lhs, rhs).getResult()
                   : arith::AddIOp::create(b, lhs, rhs).getResult();
  case ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(b, lhs, rhs).getResult()
                   : arith::MulIOp::create(b, lhs, rhs).getResult();
  case ReduceKind::Max:
    return maximum(b, element, lhs, rhs);
  case ReduceKind::Min:
    return minimum(b, element, lhs, rhs);
  case ReduceKind::And:
    return arith::AndIOp::create(b, lhs, rhs);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, lhs, rhs);
  }
  llvm_unreachable("all kinds are listed");
}

Value dyn::neutral(KernelBuilder &b, ReduceKind kind, Type element,
                   int64_t lanes) {
  Type type = getComputeType(element);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
    return b.number(0, type, lanes);
  case ReduceKind::Prod:
    return b.number(1, type, lanes);
  case ReduceKind::And:
    return b.integer(APInt::getAllOnes(width), type, lanes);
  case ReduceKind::Max:
    if (isa<FloatType>(element))
      return b.number(-infinity, type, lanes);
    return b.integer(isUnsigned ? APInt::getMinValue(width)
                                : APInt::getSignedMinValue(width),
                     type, lanes);
  case ReduceKind::Min:
    if (isa<FloatType>(element))
      return b.number(infinity, type, lanes);
    return b.integer(isUnsigned ? APInt::getMaxValue(width)
                                : APInt::getSignedMaxValue(width),
                     type, lanes);
  }
  llvm_unreachable("all kinds are listed");
}

OpFoldResult dyn::getFirstTap(KernelBuilder &b, OpFoldResult bound,
                              OpFoldResult start, int64_t window,
                              int64_t dilation) {
  OpFoldResult distance = b.max(b.sub(bound, start), b.constant(0));
  return b.min(b.constant(window), b.ceilDiv(distance, b.constant(dilation)));
}

SmallVector<Value>
dyn::packLanes(KernelBuilder &b, ArrayRef<Value> vectors,
               llvm::function_ref<Value(Value, Value)> combine) {
  assert(llvm::isPowerOf2_64(vectors.size()) && "they are combined in pairs");
  SmallVector<Value> parts(vectors);
  int64_t lanes = cast<VectorType>(parts[0].getType()).getNumElements();
  // A part is `packed` runs of n lanes, each reduced from one vector. The
  // halves of the runs are combined, and so are two parts, as long as there are
  // two.
  int64_t packed = 1;
  for (int64_t n = lanes; n > 1; n /= 2) {
    int64_t step = parts.size() > 1 ? 2 : 1;
    SmallVector<int64_t> low, high;
    for (int64_t part = 0; part < step; ++part)
      for (int64_t run = 0; run < packed; ++run)
        for (int64_t i = 0; i < n / 2; ++i) {
          // Numbers of the second operand's lanes follow the first one's.
          low.push_back((part * packed + run) * n + i);
          high.push_back(low.back() + n / 2);
        }
    SmallVector<Value> next;
    for (size_t p = 0; p < parts.size(); p += step) {
      Value x = parts[p], y = parts[p + step - 1];
      next.push_back(combine(vector::ShuffleOp::create(b, x, y, low),
                             vector::ShuffleOp::create(b, x, y, high)));
    }
    parts = std::move(next);
    packed *= step;
  }
  return parts;
}

SmallVector<Value>
dyn::combineLanes(KernelBuilder &b, ArrayRef<Value> vectors,
                  llvm::function_ref<Value(Value, Value)> combine) {
  SmallVector<Value> results;
  for (Value part : packLanes(b, vectors, combine)) {
    int64_t packed = cast<VectorType>(part.getType()).getNumElements();
    for (int64_t i = 0; i < packed; ++i)
      results.push_back(vector::ExtractOp::create(b, part, i));
  }
  return results;
}

/// Nested loops over [0, extents), carrying values.
static SmallVector<Value> loopNest(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, ValueRange inits,
    SmallVector<OpFoldResult> index,
    llvm::function_ref<SmallVector<Value>(ArrayRef<OpFoldResult>, ValueRange)>
        body) {
  if (index.size() == extents.size())
    return body(index, inits);
  OpFoldResult extent = extents[index.size()];
  if (getConstantIntValue(extent) == 1) {
    index.push_back(b.constant(0));
    return loopNest(b, extents, inits, index, body);
  }
  return b.loop(b.constant(0), extent, 1, inits,
                [&](Value iv, ValueRange carried) {
                  SmallVector<OpFoldResult> inner = index;
                  inner.push_back(iv);
                  return loopNest(b, extents, carried, inner, body);
                });
}

/// The indices of the result axes of a reduction, one position per operand
/// axis; reduced axes are empty.
static SmallVector<Position> alignKept(ElementEmitter &e, Value operand,
                                       ArrayRef<int64_t> reduced,
                                       const Position &position, int64_t lanes,
                                       Value &guard) {
  KernelBuilder &b = e.getBuilder();
  SmallVector<DimExpr> sizes = getSizes(b, operand);
  for (int64_t axis : reduced)
    sizes[axis] = dhlo::getConstDim(b.getContext(), 1);
  return e.align(position, sizes, lanes, guard);
}

static Value emitReduce(ElementEmitter &e, dhlo::ReduceOp op,
                        const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  Value operand = op.getOperand();
  Type element = getElementType(operand);
  ArrayRef<int64_t> axes = op.getAxes();
  Value guard;
  SmallVector<Position> kept =
      alignKept(e, operand, axes, position, lanes, guard);
  SmallVector<DimExpr> sizes = getSizes(b, operand);
  SmallVector<OpFoldResult> extents;
  for (int64_t axis : axes)
    extents.push_back(b.size(sizes[axis]));
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    Value init = neutral(b, op.getKind(), element, lanes);
    return loopNest(b, extents, init, {},
                    [&](ArrayRef<OpFoldResult> index,
                        ValueRange carried) -> SmallVector<Value> {
                      Position at;
                      size_t next = 0;
                      for (auto [axis, coordinates] : llvm::enumerate(kept)) {
                        if (next < axes.size() &&
                            axes[next] == static_cast<int64_t>(axis))
                          at.push_back({sizes[axis], e.uniform(index[next++])});
                        else
                          at.append(coordinates.begin(), coordinates.end());
                      }
                      Value x = e.emit(operand, at, lanes);
                      return {combine(b, op.getKind(), element, carried[0], x)};
                    })
        .front();
  });
}

/// A vector of indices, those outside of [0, n) of the nearest inside. `inside`
/// becomes false in their lanes.
static LaneIndex clampLanes(KernelBuilder &b, LaneIndex index, OpFoldResult n,
                            Value &inside) {
  Value isInside = b.cmp(CmpIPredicate::ult, index.base, n);
  inside = inside ? arith::AndIOp::create(b, inside, isInside).getResult()
                  : isInside;
  index.base = b.max(b.min(index.base, b.sub(n, b.constant(1))), b.constant(0));
  return index;
}

static Value emitReduceWindow(ElementEmitter &e, dhlo::ReduceWindowOp op,
                              const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  Value operand = op.getOperand();
  Type element = getElementType(operand);
  SmallVector<DimExpr> from = getSizes(b, operand),
                       to = getSizes(b, op.getResult());
  auto expr = [](Attribute attr) { return cast<DimExpr>(attr); };
  SmallVector<int64_t> windowed;
  auto isWindowed = [&](int64_t i) {
    return op.getWindow()[i] != 1 || op.getStrides()[i] != 1 ||
           !expr(op.getLow()[i]).isConst(0) ||
           !expr(op.getHigh()[i]).isConst(0);
  };
  SmallVector<int64_t> firsts;
  SmallVector<DimExpr> runs;
  for (int64_t i = 0, rank = to.size(); i < rank; ++i) {
    if (i > 0 && !isWindowed(i) && !isWindowed(i - 1)) {
      runs.back() = dhlo::mul(runs.back(), to[i]);
      continue;
    }
    firsts.push_back(i);
    runs.push_back(to[i]);
  }
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);

  // Along a windowed axis: the first element's index, and the part [lower,
  // upper) of the window that lies inside. Lanes along such an axis share the
  // loop if the whole window is inside for all of them; else each element of
  // the window is checked in each lane.
  struct Axis {
    LaneIndex start;
    OpFoldResult lower, upper;
  };
  SmallVector<Axis> axes(parts.size());
  for (auto [k, first] : llvm::enumerate(firsts)) {
    if (!isWindowed(first))
      continue;
    OpFoldResult n = b.size(from[first]), zero = b.constant(0);
    OpFoldResult window = b.constant(op.getWindow()[first]),
                 stride = b.constant(op.getStrides()[first]),
                 dilation = b.constant(op.getDilations()[first]);
    LaneIndex start = e.join(parts[k]);
    start.base =
        b.sub(b.mul(start.base, stride), b.size(expr(op.getLow()[first])));
    start.step = b.mul(start.step, stride);
    start.maybeUnit = false;
    if (e.canDiverge(lanes) && start.isApart()) {
      // No element is read of an axis that has none.
      OpFoldResult count =
          b.select(b.cmp(CmpIPredicate::sgt, n, zero), window, zero);
      axes[k] = {e.uniform(e.toValue(start, lanes)), zero, count};
      continue;
    }
    if (lanes > 1 && !start.isUniform()) {
      OpFoldResult reach = b.mul(b.sub(window, b.constant(1)), dilation);
      Value fits = arith::AndIOp::create(
          b, b.cmp(CmpIPredicate::sge, start.base, zero),
          b.cmp(CmpIPredicate::slt, b.add(e.last(start, lanes), reach), n));
      guard = guard ? arith::AndIOp::create(b, guard, fits).getResult() : fits;
      axes[k] = {start, zero, window};
      continue;
    }
    auto getFirst = [&](OpFoldResult bound) {
      return getFirstTap(b, bound, start.base, op.getWindow()[first],
                         op.getDilations()[first]);
    };
    axes[k] = {start, getFirst(zero), getFirst(n)};
  }
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    SmallVector<OpFoldResult> extents;
    for (auto [k, first] : llvm::enumerate(firsts))
      if (isWindowed(first))
        extents.push_back(
            b.max(b.sub(axes[k].upper, axes[k].lower), b.constant(0)));
    Value init = neutral(b, op.getKind(), element, lanes);
    return loopNest(
               b, extents, init, {},
               [&](ArrayRef<OpFoldResult> index,
                   ValueRange carried) -> SmallVector<Value> {
                 Position at;
                 Value inside;
                 size_t next = 0;
                 for (auto [k, first] : llvm::enumerate(firsts)) {
                   if (!isWindowed(first)) {
                     at.append(parts[k].begin(), parts[k].end());
                     continue;
                   }
                   LaneIndex i = axes[k].start;
                   i.base = b.add(i.base,
                                  b.mul(b.add(axes[k].lower, index[next++]),
                                        b.constant(op.getDilations()[first])));
                   if (i.isVector())
                     i = clampLanes(b, i, b.size(from[first]), inside);
                   at.push_back({from[first], i});
                 }
                 Value x = e.emit(operand, at, lanes);
                 Value sum = combine(b, op.getKind(), element, carried[0], x);
                 if (inside)
                   sum = arith::SelectOp::create(b, inside, sum, carried[0]);
                 return {sum};
               })
        .front();
  });
}

static Value emitArgReduce(ElementEmitter &e, dhlo::ArgReduceOp op,
                           const Position &position, int64_t lanes) {
  if (lanes > 1 && isOfLongRows(e.getBuilder(), op))
    return e.perLane(op.getResult(), position, lanes, /*reason=*/"");
  Value guard;
  SmallVector<Position> kept =
      alignKept(e, op.getOperand(), op.getAxis(), position, lanes, guard);
  return e.guarded(op.getResult(), position, lanes, guard,
                   [&] { return emitExtremeIndex(e, op, kept, lanes); });
}

static Value emitSegmentReduce(ElementEmitter &e, dhlo::SegmentReduceOp op,
                               const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  Value operand = op.getOperand();
  Type element = getElementType(operand);
  SmallVector<DimExpr> from = getSizes(b, operand),
                       to = getSizes(b, op.getResult());
  SmallVector<DimExpr> runs = {
      to[0], product(b.getContext(), ArrayRef(to).drop_front())};
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  LaneIndex segment = e.join(parts[0]);
  if (lanes > 1 && !segment.isUniform())
    return e.perLane(op.getResult(), position, lanes,
                     "elements of a vector are of different segments");
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    OpFoldResult rows = b.size(from[0]), zero = b.constant(0);
    DimExpr count = b.getDims().getDim(op.getOffsets(), 0);
    auto offset = [&](OpFoldResult i) -> OpFoldResult {
      Value v = e.emit(op.getOffsets(), Position{{count, e.uniform(i)}}, 1);
      if (!v.getType().isInteger(64))
        v = arith::ExtSIOp::create(b, b.getI64Type(), v);
      b.fail(op, b.cmp(CmpIPredicate::ugt, v, rows));
      return b.min(b.max(v, zero), rows);
    };
    OpFoldResult lower = offset(segment.base);
    OpFoldResult upper = offset(b.add(segment.base, b.constant(1)));
    b.fail(op, b.cmp(CmpIPredicate::slt, upper, lower));
    Value init = neutral(b, op.getKind(), element, lanes);
    return b
        .loop(lower, upper, 1, init,
              [&](Value row, ValueRange carried) -> SmallVector<Value> {
                Position at = {{from[0], e.uniform(row)}};
                at.append(parts[1].begin(), parts[1].end());
                return {combine(b, op.getKind(), element, carried[0],
                                e.emit(operand, at, lanes))};
              })
        .front();
  });
}

/// A chain of FMAs over a few rows.
static Value emitSumOfRows(ElementEmitter &e, dhlo::DotGeneralOp op,
                           const Position &position, int64_t lanes) {
  /// Up to this many terms are unrolled.
  constexpr int64_t kUnrolled = 4;
  KernelBuilder &b = e.getBuilder();
  MLIRContext *context = b.getContext();
  SmallVector<DimExpr> from = getSizes(b, op.getRhs());
  ArrayRef<DimExpr> sizes(from);
  int64_t batch = op.getBatch(), summed = op.getLhsContract().size();
  DimExpr rows = product(context, sizes.slice(batch, summed));
  SmallVector<DimExpr> runs = {
      product(context, sizes.take_front(batch)),
      product(context, sizes.drop_front(batch + summed))};
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  auto addRow = [&](OpFoldResult row, Value sum) {
    Position lhs = parts[0];
    lhs.push_back({rows, e.uniform(row)});
    Position rhs = lhs;
    rhs.append(parts[1].begin(), parts[1].end());
    return b.fma(e.emit(op.getLhs(), lhs, lanes),
                 e.emit(op.getRhs(), rhs, lanes), sum);
  };
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    Value sum =
        b.number(0, getComputeType(getElementType(op.getResult())), lanes);
    if (rows.getValue() > kUnrolled)
      return b
          .loop(b.constant(0), b.size(rows), 1, sum,
                [&](Value row, ValueRange carried) -> SmallVector<Value> {
                  return {addRow(row, carried[0])};
                })
          .front();
    for (int64_t row = 0; row < rows.getValue(); ++row)
      sum = addRow(b.constant(row), sum);
    return sum;
  });
}

Value dyn::emitReduction(ElementEmitter &e, Value tensor,
                         const Position &position, int64_t lanes) {
  return llvm::TypeSwitch<Operation *, Value>(tensor.getDefiningOp())
      .Case(
          [&](dhlo::ReduceOp op) { return emitReduce(e, op, position, lanes); })
      .Case([&](dhlo::DotGeneralOp op) {
        return emitSumOfRows(e, op, position, lanes);
      })
      .Case([&](dhlo::ReduceWindowOp op) {
        return emitReduceWindow(e, op, position, lanes);
      })
      .Case([&](dhlo::ArgReduceOp op) {
        return emitArgReduce(e, op, position, lanes);
      })
      .Case([&](dhlo::SegmentReduceOp op) {
        return emitSegmentReduce(e, op, position, lanes);
      });
}
