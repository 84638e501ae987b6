//===- MovementEmitter.cpp - Operations that map positions ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each operation splits the axes of its result into runs that it treats as a
// whole, aligns the position with the runs, and builds the operand's position.
// Axes that pass unchanged stay in one run, so that indices that span several
// of them are not divided.

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

bool dyn::isMovement(Operation *op) { return op->hasTrait<dhlo::Movement>(); }

namespace {
class MovementEmitter {
public:
  MovementEmitter(ElementEmitter &e, const Position &position, int64_t lanes)
      : e(e), b(e.getBuilder()), position(position), lanes(lanes) {}

  Value emit(Operation *op);

private:
  Value broadcast(dhlo::BroadcastOp op);
  Value transpose(dhlo::TransposeOp op);
  Value slice(dhlo::SliceOp op);
  Value reverse(dhlo::ReverseOp op);
  Value concat(dhlo::ConcatOp op);
  Value pad(dhlo::PadOp op);

  /// Splits the result's axes into runs: maximal ones of axes that `joins` says
  /// belong to the run of the axis before. Returns the first axis of each run.
  SmallVector<Position> alignRuns(Value result,
                                  llvm::function_ref<bool(int64_t)> joins,
                                  SmallVectorImpl<int64_t> &firsts);

  DimExpr expr(Attribute attr) { return cast<DimExpr>(attr); }
  OpFoldResult size(Attribute attr) { return b.size(expr(attr)); }

  ElementEmitter &e;
  KernelBuilder &b;
  const Position &position;
  int64_t lanes;
  Value guard;
};
} // namespace

SmallVector<Position>
MovementEmitter::alignRuns(Value result,
                           llvm::function_ref<bool(int64_t)> joins,
                           SmallVectorImpl<int64_t> &firsts) {
  SmallVector<DimExpr> runs;
  for (auto [axis, size] : llvm::enumerate(getSizes(b, result))) {
    if (axis > 0 && joins(axis)) {
      runs.back() = dhlo::mul(runs.back(), size);
      continue;
    }
    firsts.push_back(axis);
    runs.push_back(size);
  }
  return e.align(position, runs, lanes, guard);
}

Value MovementEmitter::emit(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](dhlo::ReshapeOp op) {
        return e.emit(op.getOperand(), position, lanes);
      })
      .Case([&](dhlo::BroadcastOp op) { return broadcast(op); })
      .Case([&](dhlo::TransposeOp op) { return transpose(op); })
      .Case([&](dhlo::SliceOp op) { return slice(op); })
      .Case([&](dhlo::ReverseOp op) { return reverse(op); })
      .Case([&](dhlo::ConcatOp op) { return concat(op); })
      .Case([&](dhlo::PadOp op) { return pad(op); });
}

Value MovementEmitter::broadcast(dhlo::BroadcastOp op) {
  enum class Kind { Dropped, Same, Maybe };
  SmallVector<DimExpr> from = getSizes(b, op.getOperand()),
                       to = getSizes(b, op.getResult());
  SmallVector<Kind> kinds(to.size(), Kind::Dropped);
  SmallVector<DimExpr> operandSizes(to.size());
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    operandSizes[axis] = from[i];
    if (b.getDims().isEqual(from[i], to[axis]))
      kinds[axis] = Kind::Same;
    else if (!from[i].isConst(1))
      kinds[axis] = Kind::Maybe;
  }
  SmallVector<int64_t> firsts;
  SmallVector<Position> runs = alignRuns(
      op.getResult(),
      [&](int64_t axis) {
        return kinds[axis] == kinds[axis - 1] && kinds[axis] != Kind::Maybe;
      },
      firsts);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    Position operand;
    for (auto [first, run] : llvm::zip_equal(firsts, runs)) {
      if (kinds[first] == Kind::Same) {
        operand.append(run.begin(), run.end());
      } else if (kinds[first] == Kind::Maybe) {
        LaneIndex index = e.join(run);
        Value repeats = b.cmp(CmpIPredicate::eq, b.size(operandSizes[first]),
                              b.constant(1));
        index.base = b.select(repeats, b.constant(0), index.base);
        if (getConstantIntValue(index.step) != 0) {
          index.maybeUnit = getConstantIntValue(index.step) == 1;
          index.step = b.select(repeats, b.constant(0), index.step);
        }
        operand.push_back({operandSizes[first], index});
      }
    }
    return e.emit(op.getOperand(), operand, lanes);
  });
}

Value MovementEmitter::transpose(dhlo::TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> firsts;
  SmallVector<Position> runs = alignRuns(
      op.getResult(),
      [&](int64_t axis) {
        return permutation[axis] == permutation[axis - 1] + 1;
      },
      firsts);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    // Runs in the order of the operand's axes.
    SmallVector<int64_t> order(
        llvm::to_vector(llvm::seq<int64_t>(0, firsts.size())));
    llvm::sort(order, [&](int64_t x, int64_t y) {
      return permutation[firsts[x]] < permutation[firsts[y]];
    });
    Position operand;
    for (int64_t run : order)
      operand.append(runs[run].begin(), runs[run].end());
    return e.emit(op.getOperand(), operand, lanes);
  });
}

Value MovementEmitter::slice(dhlo::SliceOp op) {
  SmallVector<DimExpr> from = getSizes(b, op.getOperand()),
                       to = getSizes(b, op.getResult());
  SmallVector<bool> whole;
  for (auto [axis, start, stride] :
       llvm::enumerate(op.getStarts(), op.getStrides()))
    whole.push_back(stride == 1 && expr(start).isConst(0) &&
                    b.getDims().isEqual(from[axis], to[axis]));
  SmallVector<int64_t> firsts;
  SmallVector<Position> runs = alignRuns(
      op.getResult(),
      [&](int64_t axis) { return whole[axis] && whole[axis - 1]; }, firsts);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    Position operand;
    for (auto [first, run] : llvm::zip_equal(firsts, runs)) {
      if (whole[first]) {
        operand.append(run.begin(), run.end());
        continue;
      }
      LaneIndex index = e.join(run);
      OpFoldResult stride = b.constant(op.getStrides()[first]);
      index.base =
          b.add(size(op.getStarts()[first]), b.mul(index.base, stride));
      index.maybeUnit &= op.getStrides()[first] == 1;
      index.step = b.mul(index.step, stride);
      operand.push_back({from[first], index});
    }
    return e.emit(op.getOperand(), operand, lanes);
  });
}

Value MovementEmitter::reverse(dhlo::ReverseOp op) {
  auto isReversed = [&](int64_t axis) {
    return llvm::is_contained(op.getAxes(), axis);
  };
  SmallVector<int64_t> firsts;
  SmallVector<Position> runs = alignRuns(
      op.getResult(),
      [&](int64_t axis) { return !isReversed(axis) && !isReversed(axis - 1); },
      firsts);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    Position operand;
    for (auto [first, run] : llvm::zip_equal(firsts, runs)) {
      if (!isReversed(first)) {
        operand.append(run.begin(), run.end());
        continue;
      }
      DimExpr extent = b.getDims().getDim(op.getOperand(), first);
      LaneIndex index = e.join(run);
      index.base = b.sub(b.sub(b.size(extent), b.constant(1)), index.base);
      index.step = b.mul(index.step, b.constant(-1));
      index.maybeUnit = false;
      operand.push_back({extent, index});
    }
    return e.emit(op.getOperand(), operand, lanes);
  });
}

Value MovementEmitter::concat(dhlo::ConcatOp op) {
  int64_t axis = op.getAxis();
  SmallVector<int64_t> firsts;
  SmallVector<Position> runs = alignRuns(
      op.getResult(), [&](int64_t i) { return i != axis && i != axis + 1; },
      firsts);
  size_t axisRun = llvm::find(firsts, axis) - firsts.begin();
  LaneIndex index = e.join(runs[axisRun]);
  OpFoldResult last = e.last(index, lanes);
  bool varies = getConstantIntValue(index.step) != 0 && lanes > 1;

  // The start of each operand, and that no start lies between the lanes.
  SmallVector<OpFoldResult> starts = {b.constant(0)};
  for (Value operand : op.getOperands().drop_back()) {
    starts.push_back(b.add(starts.back(), b.size(operand, axis)));
    if (!varies)
      continue;
    Value first = b.cmp(CmpIPredicate::slt, index.base, starts.back());
    Value other = b.cmp(CmpIPredicate::slt, last, starts.back());
    Value together = arith::CmpIOp::create(b, CmpIPredicate::eq, first, other);
    guard = guard ? arith::AndIOp::create(b, guard, together).getResult()
                  : together;
  }
  Type type = KernelBuilder::laneType(
      getComputeType(op.getType().getElementType()), lanes);
  std::function<Value(size_t)> from = [&](size_t i) -> Value {
    auto take = [&] {
      Position operand;
      for (auto [k, run] : llvm::enumerate(runs)) {
        if (k != axisRun) {
          operand.append(run.begin(), run.end());
          continue;
        }
        LaneIndex shifted = index;
        shifted.base = b.sub(index.base, starts[i]);
        operand.push_back(
            {b.getDims().getDim(op.getOperands()[i], axis), shifted});
      }
      return e.emit(op.getOperands()[i], operand, lanes);
    };
    if (i + 1 == starts.size())
      return take();
    return b.ifElse(b.cmp(CmpIPredicate::slt, index.base, starts[i + 1]), type,
                    take, [&] { return from(i + 1); });
  };
  return e.guarded(op.getResult(), position, lanes, guard,
                   [&] { return from(0); });
}

Value MovementEmitter::pad(dhlo::PadOp op) {
  auto isPadded = [&](int64_t axis) {
    return !expr(op.getLow()[axis]).isConst(0) ||
           !expr(op.getHigh()[axis]).isConst(0);
  };
  SmallVector<int64_t> firsts;
  SmallVector<Position> runs = alignRuns(
      op.getResult(),
      [&](int64_t axis) { return !isPadded(axis) && !isPadded(axis - 1); },
      firsts);
  bool isConstant = op.getMode() == dhlo::PadMode::Constant;

  Position operand;
  Value inside;
  auto also = [&](Value &all, Value one) {
    all = all ? arith::AndIOp::create(b, all, one).getResult() : one;
  };
  for (auto [first, run] : llvm::zip_equal(firsts, runs)) {
    if (!isPadded(first)) {
      operand.append(run.begin(), run.end());
      continue;
    }
    DimExpr extent = b.getDims().getDim(op.getOperand(), first);
    OpFoldResult n = b.size(extent), zero = b.constant(0);
    LaneIndex index = e.join(run);
    index.base = b.sub(index.base, size(op.getLow()[first]));
    bool varies = getConstantIntValue(index.step) != 0 && lanes > 1;
    Value above = b.cmp(CmpIPredicate::sge, index.base, zero);
    Value below = b.cmp(CmpIPredicate::slt, index.base, n);
    if (varies) {
      OpFoldResult last = e.last(index, lanes);
      Value lastAbove = b.cmp(CmpIPredicate::sge, last, zero);
      Value lastBelow = b.cmp(CmpIPredicate::slt, last, n);
      if (isConstant) {
        also(guard,
             arith::CmpIOp::create(b, CmpIPredicate::eq, above, lastAbove));
        also(guard,
             arith::CmpIOp::create(b, CmpIPredicate::eq, below, lastBelow));
      } else {
        for (Value condition : {above, below, lastAbove, lastBelow})
          also(guard, condition);
      }
    }
    if (isConstant) {
      also(inside, above);
      also(inside, below);
    } else if (!varies) {
      // Smallest non-negative remainder of a value of any sign.
      auto wrap = [&](OpFoldResult i, OpFoldResult period) {
        Value divisor = b.value(b.max(period, b.constant(1)));
        Value r = arith::RemSIOp::create(b, b.value(i), divisor);
        return b.select(b.cmp(CmpIPredicate::slt, r, zero),
                        b.add(r, OpFoldResult(divisor)), r);
      };
      OpFoldResult end = b.sub(n, b.constant(1));
      if (op.getMode() == dhlo::PadMode::Edge) {
        index.base = b.max(zero, b.min(index.base, end));
      } else if (op.getMode() == dhlo::PadMode::Wrap) {
        index.base = wrap(index.base, n);
      } else {
        OpFoldResult period = b.mul(end, b.constant(2));
        OpFoldResult i = wrap(index.base, period);
        index.base =
            b.select(b.cmp(CmpIPredicate::sgt, i, end), b.sub(period, i), i);
      }
    }
    operand.push_back({extent, index});
  }
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    auto take = [&] { return e.emit(op.getOperand(), operand, lanes); };
    if (!inside)
      return take();
    Type type = KernelBuilder::laneType(
        getComputeType(op.getType().getElementType()), lanes);
    return b.ifElse(inside, type, take, [&] {
      return b.splat(e.emit(op.getValue(), Position(), 1), lanes);
    });
  });
}

Value dyn::emitMovement(ElementEmitter &e, Operation *op,
                        const Position &position, int64_t lanes) {
  return MovementEmitter(e, position, lanes).emit(op);
}
