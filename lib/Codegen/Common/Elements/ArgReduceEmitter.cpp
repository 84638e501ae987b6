//===- ArgReduceEmitter.cpp - The index of an extreme element -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The extreme so far and its index are carried along the axis, in lanes that
// are results. If the elements of the axis are side by side, and many, a single
// result has lanes instead: each finds the extreme of its share of them.

#include "Codegen/Common/Elements/ArgReduceEmitter.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using dhlo::ReduceKind;

static constexpr int64_t kLanes = CodegenOptions::kLanes;

namespace {
class ArgReduceEmitter {
public:
  ArgReduceEmitter(ElementEmitter &e, dhlo::ArgReduceOp op,
                   ArrayRef<Position> kept)
      : e(e), b(e.getBuilder()), op(op), kept(kept) {
    element = op.getOperand().getType().getElementType();
    size = b.getDims().getDim(op.getOperand(), op.getAxis());
    isMax = op.getKind() == dhlo::ArgKind::Max;
  }

  Value emit(int64_t lanes);

private:
  using Extreme = SmallVector<Value>; // and its index

  Value emitLoop(int64_t lanes);
  Value emitRow();
  Extreme emitVectors(OpFoldResult end);
  /// The extreme before the first element. No element beats it if all are
  /// infinite: then the result is index 0, or the last one, which wins ties.
  Extreme getNeutral(int64_t lanes);
  /// The better of two extremes.
  Extreme select(Value isFirst, const Extreme &first, ValueRange second);
  /// Whether x, which comes after it, replaces `best`.
  Value wins(Value x, Value best, bool winsTies, int64_t lanes);
  /// Elements `i` of the axis.
  Value getElements(const LaneIndex &i, int64_t lanes);

  ElementEmitter &e;
  KernelBuilder &b;
  dhlo::ArgReduceOp op;
  ArrayRef<Position> kept;
  Type element;
  dhlo::DimExpr size;
  bool isMax;
};
} // namespace

Value ArgReduceEmitter::wins(Value x, Value best, bool winsTies,
                             int64_t lanes) {
  if (!isa<FloatType>(element)) {
    CmpIPredicate more = winsTies ? CmpIPredicate::sge : CmpIPredicate::sgt;
    if (element.isUnsignedInteger())
      more = winsTies ? CmpIPredicate::uge : CmpIPredicate::ugt;
    return isMax ? arith::CmpIOp::create(b, more, x, best)
                 : arith::CmpIOp::create(b, more, best, x);
  }
  CmpFPredicate more = winsTies ? CmpFPredicate::OGE : CmpFPredicate::OGT;
  Value better = isMax ? arith::CmpFOp::create(b, more, x, best)
                       : arith::CmpFOp::create(b, more, best, x);
  // NaN wins over numbers, and over NaN if it wins ties.
  Value isNan = arith::CmpFOp::create(b, CmpFPredicate::UNO, x, x);
  if (!winsTies) {
    Value isNumber = arith::CmpFOp::create(b, CmpFPredicate::ORD, best, best);
    isNan = arith::AndIOp::create(b, isNan, isNumber);
  }
  return arith::OrIOp::create(b, better, isNan);
}

ArgReduceEmitter::Extreme ArgReduceEmitter::getNeutral(int64_t lanes) {
  return {neutral(b, isMax ? ReduceKind::Max : ReduceKind::Min, element, lanes),
          b.number(0, b.getI64Type(), lanes)};
}

ArgReduceEmitter::Extreme ArgReduceEmitter::select(Value isFirst,
                                                   const Extreme &first,
                                                   ValueRange second) {
  return {arith::SelectOp::create(b, isFirst, first[0], second[0]),
          arith::SelectOp::create(b, isFirst, first[1], second[1])};
}

Value ArgReduceEmitter::getElements(const LaneIndex &i, int64_t lanes) {
  Position at;
  for (auto [axis, part] : llvm::enumerate(kept))
    if (axis == op.getAxis())
      at.push_back({size, i});
    else
      at.append(part);
  return e.emit(op.getOperand(), at, lanes);
}

Value ArgReduceEmitter::emitLoop(int64_t lanes) {
  return b.loop(b.constant(0), b.size(size), 1, getNeutral(lanes),
                [&](Value i, ValueRange best) {
                  Value x = getElements(e.uniform(i), lanes);
                  return select(wins(x, best[0], op.getLast(), lanes),
                                {x, b.splat(i, lanes)}, best);
                })[1];
}

ArgReduceEmitter::Extreme ArgReduceEmitter::emitVectors(OpFoldResult end) {
  // Each lane has an element, so its neutral extreme is replaced or equal.
  Extreme best = b.loop(b.constant(0), end, kLanes, getNeutral(kLanes),
                        [&](Value i, ValueRange old) {
                          Value x = getElements(e.lanes(i), kLanes);
                          return select(wins(x, old[0], op.getLast(), kLanes),
                                        {x, b.splat(i, kLanes)}, old);
                        });
  Extreme found;
  for (int64_t i = 0; i < kLanes; ++i) {
    Value block = vector::ExtractOp::create(b, best[1], i);
    Extreme own = {vector::ExtractOp::create(b, best[0], i),
                   b.value(b.add(OpFoldResult(block), b.constant(i)))};
    if (i == 0) {
      found = own;
      continue;
    }
    // Of equal elements, that with the wanted index.
    Value isBetter = wins(own[0], found[0], /*winsTies=*/false, 1);
    Value isWorse = wins(found[0], own[0], /*winsTies=*/false, 1);
    Value isWanted =
        b.cmp(op.getLast() ? CmpIPredicate::sgt : CmpIPredicate::slt, own[1],
              found[1]);
    Value wanted = arith::SelectOp::create(
        b, isWorse, b.number(0, b.getI1Type()), isWanted);
    found = select(arith::OrIOp::create(b, isBetter, wanted), own, found);
  }
  return found;
}

Value ArgReduceEmitter::emitRow() {
  OpFoldResult n = b.size(size);
  OpFoldResult end = b.sub(n, b.rem(n, b.constant(kLanes)));
  Value hasVectors = b.cmp(CmpIPredicate::sgt, end, b.constant(0));
  Extreme best =
      b.valuesIf(hasVectors, getNeutral(1), [&] { return emitVectors(end); });
  return b.loop(end, n, 1, best, [&](Value i, ValueRange old) {
    Value x = getElements(e.uniform(i), 1);
    return select(wins(x, old[0], op.getLast(), 1), {x, i}, old);
  })[1];
}

Value ArgReduceEmitter::emit(int64_t lanes) {
  Type type = op.getType().getElementType();
  return fromIndex(
      b, lanes == 1 && isOfLongRows(b, op) ? emitRow() : emitLoop(lanes), type);
}

bool dyn::isOfLongRows(KernelBuilder &b, dhlo::ArgReduceOp op) {
  dhlo::DimExpr size = b.getDims().getDim(op.getOperand(), op.getAxis());
  if (b.getOptions().isDevice() || b.getDims().isAtMost(size, 2 * kLanes))
    return false;
  auto type = op.getOperand().getType();
  for (int64_t i = op.getAxis() + 1; i < type.getRank(); ++i)
    if (!b.getDims().getDim(op.getOperand(), i).isConst(1))
      return false;
  return true;
}

Value dyn::emitExtremeIndex(ElementEmitter &e, dhlo::ArgReduceOp op,
                            ArrayRef<Position> kept, int64_t lanes) {
  return ArgReduceEmitter(e, op, kept).emit(lanes);
}
