//===- SizeChecks.cpp - Checks of sizes that calls must make --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Transforms/SizeChecks.h"

#include "VerifyDims.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Dialect/DHLO/IR/VisitOp.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// The constraints between sizes of an operation's operands. The result sizes
/// that follow from them are compared by `verifySizes`.
class OperandSizes {
public:
  OperandSizes(const SymbolicDims &dims, SmallVectorImpl<SizeCheck> &unproven)
      : dims(dims), unproven(unproven) {}

  void collect(Operation *op) {
    visitOp<void>(
        Ops(), op, [&](auto op) -> decltype(this->add(op)) { add(op); },
        [](Operation *) {});
  }

private:
  using Sizes = SmallVector<DimExpr>;

  static Sizes get(Value tensor) {
    return getDims(cast<RankedTensorType>(tensor.getType()));
  }

  void equal(DimExpr lhs, DimExpr rhs) {
    if (lhs && rhs && !dims.isEqual(lhs, rhs))
      unproven.push_back({SizeCheck::Equal, lhs, rhs});
  }
  void equal(ArrayRef<DimExpr> lhs, ArrayRef<DimExpr> rhs) {
    for (auto [a, b] : llvm::zip(lhs, rhs))
      equal(a, b);
  }
  void atMost(DimExpr lhs, DimExpr rhs) {
    if (lhs && rhs && !dims.isAtMost(lhs, rhs))
      unproven.push_back({SizeCheck::AtMost, lhs, rhs});
  }
  /// All sizes except that of one axis.
  void atMostBut(int64_t axis, ArrayRef<DimExpr> lhs, ArrayRef<DimExpr> rhs) {
    for (auto [i, a, b] : llvm::enumerate(lhs, rhs))
      if (static_cast<int64_t>(i) != axis)
        atMost(a, b);
  }

  /// An axis that is repeated must have an element, if the result has any.
  void repeats(Value operand, Value result) {
    DimExpr one = getConstDim(operand.getContext(), 1);
    for (auto [from, to] : llvm::zip(get(operand), get(result)))
      if (from && to && !dims.isEqual(from, to))
        atMost(min(to, one), from);
  }

  void add(GatherOp op) {
    Sizes operand = get(op.getOperand()), indices = get(op.getIndices());
    size_t batch = op.getBatch();
    equal(ArrayRef(operand).take_front(batch),
          ArrayRef(indices).take_front(batch));
  }
  void add(GatherNdOp op) {
    Sizes operand = get(op.getOperand()), indices = get(op.getIndices());
    size_t batch = op.getBatch();
    equal(ArrayRef(operand).take_front(batch),
          ArrayRef(indices).take_front(batch));
  }
  void add(GatherElementsOp op) {
    atMostBut(op.getAxis(), get(op.getIndices()), get(op.getOperand()));
  }
  void add(ScatterElementsOp op) {
    Sizes indices = get(op.getIndices());
    equal(indices, get(op.getUpdates()));
    atMostBut(op.getAxis(), indices, get(op.getOperand()));
  }
  void add(ScatterNdOp op) {
    Sizes operand = get(op.getOperand()), indices = get(op.getIndices());
    auto length = getConstantValue(indices.back());
    if (!length)
      return;
    indices.pop_back();
    indices.append(operand.begin() + *length, operand.end());
    equal(indices, get(op.getUpdates()));
  }
  /// An empty axis has no maximum or minimum.
  void add(ArgReduceOp op) {
    atMost(getConstDim(op.getContext(), 1), get(op.getOperand())[op.getAxis()]);
  }
  void add(TopKOp op) {
    int64_t axis = op.getAxis();
    atMost(get(op.getValues())[axis], get(op.getOperand())[axis]);
    equal(get(op.getValues()), get(op.getIndices()));
  }
  void add(LayerNormOp op) {
    Sizes operand = get(op.getOperand());
    equal(ArrayRef(operand).drop_front(op.getAxis()), get(op.getScale()));
    if (op.getBias())
      equal(get(op.getScale()), get(op.getBias()));
  }
  void add(RmsNormOp op) {
    Sizes operand = get(op.getOperand());
    equal(ArrayRef(operand).drop_front(op.getAxis()), get(op.getScale()));
  }
  void add(GroupedDotOp op) {
    Sizes rhs = get(op.getRhs());
    equal(get(op.getLhs()).back(), rhs[1]);
    equal(dhlo::add(rhs[0], 1), get(op.getOffsets()).front());
  }
  void add(SegmentReduceOp op) {
    Sizes result = get(op.getResult());
    equal(dhlo::add(result.front(), 1), get(op.getOffsets()).front());
    equal(ArrayRef(result).drop_front(),
          ArrayRef(get(op.getOperand())).drop_front());
  }
  void add(AttentionOp op) {
    Sizes query = get(op.getQuery()), key = get(op.getKey()),
          value = get(op.getValue());
    equal(query[0], key[0]);
    addHeads(query[1], key[1]);
    equal(query[3], key[3]);
    equal(ArrayRef(key).take_front(3), ArrayRef(value).take_front(3));
    if (!op.getMask())
      return;
    Sizes scores = {query[0], query[1], query[2], key[2]};
    for (auto [mask, score] : llvm::zip(get(op.getMask()), scores))
      if (auto check = getBroadcastCheck(mask, score, dims))
        unproven.push_back(*check);
  }

  /// Each head of keys is shared by the same number of query heads.
  void addHeads(DimExpr queries, DimExpr keys) {
    if (!queries || !keys || dims.isEqual(queries, keys))
      return;
    DimExpr one = getConstDim(queries.getContext(), 1);
    atMost(min(queries, one), keys);
    equal(mod(queries, max(keys, one)), getConstDim(queries.getContext(), 0));
  }

  void add(LstmOp op) {
    Sizes gates = get(op.getGates()), recurrent = get(op.getRecurrent());
    DimExpr batch = gates[1], directions = recurrent[0], hidden = recurrent[1];
    equal(recurrent[2], mul(hidden, 4));
    equal(ArrayRef(gates).drop_front(2), {directions, recurrent[2]});
    for (Value state : {op.getInitialHidden(), op.getInitialCell()})
      if (state)
        equal(get(state), {directions, batch, hidden});
    if (op.getLengths())
      equal(get(op.getLengths()), {batch});
  }
  void add(FftOp op) {
    Sizes real = get(op.getReal());
    DimExpr length = dims.getDim(
        op.getResultImaginary() ? op.getReal() : op.getResult(), op.getAxis());
    if (op.getImaginary())
      equal(real, get(op.getImaginary()));
    if (!op.getResultImaginary())
      equal(real[op.getAxis()], dhlo::add(floorDiv(length, 2), 1));
    if (op.getRoots())
      equal(get(op.getRoots())[1], length);
  }
  void add(Convolves op) {
    ConvolutionAxes axes(op);
    Sizes input = get(op.getInput()), filter = get(op.getFilter());
    equal(input[axes.channel], mul(filter[axes.filterChannel], op.getGroups()));
    equal(mod(filter[axes.filterNumber],
              getConstDim(op.getContext(), op.getGroups())),
          getConstDim(op.getContext(), 0));
    if (Value offsets = op.getImageOffsets())
      equal(dhlo::add(filter[0], 1), get(offsets).front());
  }

  void add(PadOp op) {
    if (op.getMode() != PadMode::Constant)
      repeats(op.getOperand(), op.getResult());
  }
  void add(ResizeOp op) { repeats(op.getOperand(), op.getResult()); }

  const SymbolicDims &dims;
  SmallVectorImpl<SizeCheck> &unproven;
};

} // namespace

bool dyn::dhlo::isProven(const SizeCheck &check, const SymbolicDims &dims) {
  return check.kind == SizeCheck::Equal ? dims.isEqual(check.lhs, check.rhs)
                                        : dims.isAtMost(check.lhs, check.rhs);
}

std::optional<SizeCheck>
dyn::dhlo::getBroadcastCheck(DimExpr size, DimExpr wide,
                             const SymbolicDims &dims) {
  DimExpr one = getConstDim(size.getContext(), 1);
  if (dims.isEqual(size, one) || dims.isEqual(size, wide))
    return std::nullopt;
  DimExpr both = broadcast(size, wide);
  auto isBroadcast = [&](DimExpr expr) {
    return dims.expand(expr).getKind() == DimExprKind::Broadcast;
  };
  SizeCheck check{SizeCheck::Equal, both, wide, size, wide};
  if (isBroadcast(wide) || !isBroadcast(both)) {
    // Broadcasts and sizes above 1 are assumed to be the result of legal
    // operands, but whether this operand is legal is being checked: any size
    // except 1 must equal that size.
    DimExpr isOther = min(one, max(add(size, -1), sub(one, size)));
    check.lhs = add(one, mul(add(wide, -1), isOther));
    check.rhs = size;
  }
  return isProven(check, dims) ? std::nullopt : std::optional(check);
}

DimExpr dyn::dhlo::substitute(DimExpr size, ArrayAttr names, ArrayAttr exprs) {
  return substitute(size, [&](StringAttr name) -> DimExpr {
    for (auto [bound, expr] :
         llvm::zip_equal(names.getAsRange<FlatSymbolRefAttr>(),
                         exprs.getAsRange<DimExprAttr>()))
      if (bound.getAttr() == name)
        return expr;
    return {};
  });
}

SmallVector<SizeCheck> dyn::dhlo::getUnprovenSizes(TypeRange expected,
                                                   ArrayAttr names,
                                                   ArrayAttr exprs,
                                                   TypeRange given,
                                                   const SymbolicDims &dims) {
  SmallVector<SizeCheck> unproven;
  for (auto [wanted, found] : llvm::zip_equal(expected, given))
    for (auto [lhs, rhs] :
         llvm::zip_equal(getDims(cast<RankedTensorType>(wanted)),
                         getDims(cast<RankedTensorType>(found)))) {
      if (!lhs || !rhs)
        continue;
      SizeCheck check{SizeCheck::Equal, substitute(lhs, names, exprs), rhs};
      if (!isProven(check, dims))
        unproven.push_back(check);
    }
  return unproven;
}

SmallVector<SizeCheck> dyn::dhlo::getUnprovenSizes(Operation *op,
                                                   const SymbolicDims &dims) {
  SmallVector<SizeCheck> unproven;
  collectSizes(op, dims, unproven);
  OperandSizes(dims, unproven).collect(op);
  return unproven;
}
