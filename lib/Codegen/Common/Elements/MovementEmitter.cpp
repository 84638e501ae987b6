//===- MovementEmitter.cpp - Operations that map positions ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The axes of an operation's result are split into runs that its indexing map
// treats as a whole. The position is aligned with the runs, and the operand's
// position is built from them. Axes that pass unchanged stay in one run, so
// that indices that span several of them are not divided.

#include "Codegen/Common/Elements/ConcatStarts.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;
using Kind = dhlo::AxisIndex::Kind;

bool dyn::isMovement(Operation *op) { return op->hasTrait<dhlo::Movement>(); }

namespace {
class MovementEmitter {
public:
  MovementEmitter(ElementEmitter &e, const Position &position, int64_t lanes)
      : e(e), b(e.getBuilder()), position(position), lanes(lanes) {}

  Value emit(Operation *op);

private:
  /// A run of axes of the result.
  struct Run {
    Position position;
    /// The first of the operand's axes with these indices; -1 if it has none.
    int64_t source;
    dhlo::AxisIndex index = dhlo::AxisIndex::mixed();
  };
  using IndexingMap = dhlo::IndexingMap;

  /// Emits the operand's element at the index that the map says.
  Value emitMapped(Operation *op);
  Value concat(dhlo::ConcatOp op);
  /// The same where lanes may be in different operands.
  Value concatApart(dhlo::ConcatOp op, ArrayRef<Run> runs, Value index,
                    ArrayRef<OpFoldResult> starts);
  Value pad(dhlo::PadOp op);
  /// The operand's index for an index that may be outside of [0, n), by up to
  /// `low` below, of a pad that repeats elements.
  OpFoldResult reflect(dhlo::PadOp op, OpFoldResult i, OpFoldResult n,
                       OpFoldResult low);

  /// Splits the result's axes into maximal runs of those that an operand has at
  /// the same indices, next to each other, or does not have.
  SmallVector<Run> alignRuns(Value result, const IndexingMap &map);
  /// The index on an axis of the operand of size `extent`, for the result's
  /// index.
  LaneIndex mapIndex(Operation *op, const dhlo::AxisIndex &map, LaneIndex index,
                     DimExpr extent);

  ElementEmitter &e;
  KernelBuilder &b;
  const Position &position;
  int64_t lanes;
  Value guard;
};
} // namespace

SmallVector<MovementEmitter::Run>
MovementEmitter::alignRuns(Value result, const IndexingMap &map) {
  SmallVector<DimExpr> sizes = getSizes(b, result), extents;
  SmallVector<int64_t> sources(sizes.size(), -1);
  for (auto [axis, index] : llvm::enumerate(map))
    if (index.kind != Kind::Repeated)
      sources[index.axis] = axis;
  auto joins = [&](int64_t axis) {
    int64_t before = sources[axis - 1], source = sources[axis];
    if (before < 0 || source < 0)
      return before == source;
    return map[before].isSame() && map[source].isSame() && source == before + 1;
  };
  SmallVector<Run> runs;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (axis > 0 && joins(axis)) {
      extents.back() = dhlo::mul(extents.back(), size);
      continue;
    }
    extents.push_back(size);
    Run &run = runs.emplace_back();
    run.source = sources[axis];
    if (run.source >= 0)
      run.index = map[run.source];
  }
  for (auto [run, aligned] :
       llvm::zip_equal(runs, e.align(position, extents, lanes, guard)))
    run.position = std::move(aligned);
  return runs;
}

Value MovementEmitter::emit(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](dhlo::ReshapeOp op) {
        return e.emit(op.getOperand(), position, lanes);
      })
      .Case([&](dhlo::ConcatOp op) { return concat(op); })
      .Case([&](dhlo::PadOp op) { return pad(op); })
      .Default([&](Operation *op) { return emitMapped(op); });
}

LaneIndex MovementEmitter::mapIndex(Operation *op, const dhlo::AxisIndex &map,
                                    LaneIndex index, DimExpr extent) {
  if (map.kind == Kind::Broadcast) {
    Value repeats = b.cmp(CmpIPredicate::eq, b.size(extent), b.constant(1));
    index.base = b.select(repeats, b.constant(0), index.base);
    if (getConstantIntValue(index.step) != 0) {
      index.maybeUnit = getConstantIntValue(index.step) == 1;
      index.step = b.select(repeats, b.constant(0), index.step);
    }
    return index;
  }
  assert(map.kind == Kind::Strided && "no other kind is emitted here");
  OpFoldResult stride = b.constant(map.stride);
  // The size is at hand, unlike the start that is computed from it.
  if (isa<dhlo::ReverseOp>(op))
    index.base = b.sub(b.sub(b.size(extent), b.constant(1)), index.base);
  else
    index.base = b.add(b.size(map.start), b.mul(index.base, stride));
  index.maybeUnit &= map.stride == 1;
  index.step = b.mul(index.step, stride);
  return index;
}

Value MovementEmitter::emitMapped(Operation *op) {
  Value result = op->getResult(0), source = op->getOperand(0);
  SmallVector<Run> runs =
      alignRuns(result, *getIndexingMap(op, 0, b.getDims()));
  return e.guarded(result, position, lanes, guard, [&] {
    llvm::stable_sort(
        runs, [](const Run &x, const Run &y) { return x.source < y.source; });
    Position operand;
    for (const Run &run : runs) {
      if (run.source < 0)
        continue;
      if (run.index.isSame()) {
        operand.append(run.position.begin(), run.position.end());
        continue;
      }
      DimExpr extent = b.getDims().getDim(source, run.source);
      operand.push_back(
          {extent, mapIndex(op, run.index, e.join(run.position), extent)});
    }
    return e.emit(source, operand, lanes);
  });
}

Value MovementEmitter::concat(dhlo::ConcatOp op) {
  int64_t axis = op.getAxis();
  SmallVector<Run> runs = alignRuns(op.getResult(), op.getIndexingMap(0));
  const Run *joined =
      llvm::find_if(runs, [](const Run &run) { return !run.index.isSame(); });
  LaneIndex index = e.join(joined->position);
  bool varies = !index.isUniform() && lanes > 1;
  std::optional<int64_t> known = e.getPart(op);
  SmallVector<OpFoldResult> starts = getConcatStarts(b, op);
  starts.pop_back();
  if (e.canDiverge(lanes) && index.isApart() && !known)
    return concatApart(op, runs, e.toValue(index, lanes), starts);

  // No start lies between the lanes.
  OpFoldResult last = e.last(index, lanes);
  for (OpFoldResult start : ArrayRef(starts).drop_front()) {
    if (!varies || known)
      break;
    Value first = b.cmp(CmpIPredicate::slt, index.base, start);
    Value other = b.cmp(CmpIPredicate::slt, last, start);
    Value together = arith::CmpIOp::create(b, CmpIPredicate::eq, first, other);
    guard = guard ? arith::AndIOp::create(b, guard, together).getResult()
                  : together;
  }
  Type type = KernelBuilder::laneType(
      getComputeType(op.getType().getElementType()), lanes);
  std::function<Value(size_t)> from = [&](size_t i) -> Value {
    auto take = [&] {
      Position operand;
      for (const Run &run : runs) {
        if (run.index.isSame()) {
          operand.append(run.position.begin(), run.position.end());
          continue;
        }
        LaneIndex shifted = index;
        shifted.base = b.sub(index.base, starts[i]);
        operand.push_back(
            {b.getDims().getDim(op.getOperands()[i], axis), shifted});
      }
      return e.emit(op.getOperands()[i], operand, lanes);
    };
    if (known || i + 1 == starts.size())
      return take();
    return b.ifElse(b.cmp(CmpIPredicate::slt, index.base, starts[i + 1]), type,
                    take, [&] { return from(i + 1); });
  };
  return e.guarded(op.getResult(), position, lanes, guard,
                   [&] { return from(known.value_or(0)); });
}

Value MovementEmitter::concatApart(dhlo::ConcatOp op, ArrayRef<Run> runs,
                                   Value index, ArrayRef<OpFoldResult> starts) {
  int64_t axis = op.getAxis();
  Type type = getComputeType(op.getType().getElementType());
  Value result = b.number(0, type, lanes);
  for (auto [start, operand] : llvm::zip_equal(starts, op.getOperands())) {
    OpFoldResult shifted = b.sub(index, start), size = b.size(operand, axis);
    Value isHere = b.cmp(CmpIPredicate::ult, shifted, size);
    // Lanes elsewhere read an element that there is, too.
    result = b.ifElse(
        b.any(isHere), KernelBuilder::laneType(type, lanes),
        [&] {
          Position position;
          for (const Run &run : runs) {
            if (run.index.isSame()) {
              position.append(run.position.begin(), run.position.end());
              continue;
            }
            position.push_back(
                {b.getDims().getDim(operand, axis),
                 e.uniform(b.max(b.min(shifted, b.sub(size, b.constant(1))),
                                 b.constant(0)))});
          }
          Value read = e.emit(operand, position, lanes);
          return arith::SelectOp::create(b, isHere, read, result).getResult();
        },
        [&] { return result; });
  }
  return result;
}

OpFoldResult MovementEmitter::reflect(dhlo::PadOp op, OpFoldResult i,
                                      OpFoldResult n, OpFoldResult low) {
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult end = b.sub(n, one);
  if (op.getMode() == dhlo::PadMode::Edge)
    return b.max(zero, b.min(i, end));
  bool isWrap = op.getMode() == dhlo::PadMode::Wrap;
  OpFoldResult period = b.max(isWrap ? n : b.mul(end, b.constant(2)), one);
  // Whole periods make an index that is not negative.
  OpFoldResult periods = b.ceilDiv(b.max(low, zero), period);
  OpFoldResult r = b.rem(b.add(i, b.mul(periods, period)), period);
  if (isWrap)
    return r;
  return b.select(b.cmp(CmpIPredicate::sgt, r, end), b.sub(period, r), r);
}

Value MovementEmitter::pad(dhlo::PadOp op) {
  SmallVector<Run> runs = alignRuns(op.getResult(), op.getIndexingMap(0));
  bool isConstant = op.getMode() == dhlo::PadMode::Constant;

  Position operand;
  Value inside;
  auto also = [&](Value &all, Value one) {
    std::tie(all, one) = b.spread(all ? all : one, one);
    all = arith::AndIOp::create(b, all, one);
  };
  for (const Run &run : runs) {
    if (run.index.isSame()) {
      operand.append(run.position.begin(), run.position.end());
      continue;
    }
    DimExpr extent = b.getDims().getDim(op.getOperand(), run.source);
    OpFoldResult n = b.size(extent), zero = b.constant(0);
    LaneIndex index = e.join(run.position);
    if (e.canDiverge(lanes) && index.isApart())
      index = e.uniform(e.toValue(index, lanes));
    OpFoldResult low = b.size(cast<DimExpr>(op.getLow()[run.source]));
    index.base = b.sub(index.base, low);
    bool isLast = run.source + 1 == op.getType().getRank();
    if (isLast && e.getPart(op) == 1) {
      operand.push_back({extent, index});
      continue;
    }
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
      // Lanes outside read an element that there is, too.
      if (index.isVector())
        index.base = b.max(b.min(index.base, b.sub(n, b.constant(1))), zero);
    } else if (!varies) {
      index.base = reflect(op, index.base, n, low);
    }
    operand.push_back({extent, index});
  }
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    auto take = [&] { return e.emit(op.getOperand(), operand, lanes); };
    if (!inside)
      return take();
    Type type = KernelBuilder::laneType(
        getComputeType(op.getType().getElementType()), lanes);
    auto fill = [&] {
      return b.splat(e.emit(op.getValue(), Position(), 1), lanes);
    };
    return b.ifElse(
        b.any(inside), type,
        [&] {
          Value read = take();
          if (!isa<VectorType>(inside.getType()))
            return read;
          return arith::SelectOp::create(b, inside, read, fill()).getResult();
        },
        fill);
  });
}

Value dyn::emitMovement(ElementEmitter &e, Operation *op,
                        const Position &position, int64_t lanes) {
  return MovementEmitter(e, position, lanes).emit(op);
}
