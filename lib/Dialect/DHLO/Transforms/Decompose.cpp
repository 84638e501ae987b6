//===- Decompose.cpp - Composite operations in terms of others ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Transforms/Decompose.h"

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/IR/VisitOp.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

namespace dyn::dhlo {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

using Tensor = RankedTensorType;

class Decomposer {
public:
  Decomposer(Operation *op, DimBuilder &symbols)
      : b(op->getLoc(), op), symbols(symbols) {}

  Value visit(SoftmaxOp op);
  Value visit(LayerNormOp op);
  Value visit(RmsNormOp op);
  Value visit(GeluOp op);
  Value visit(AttentionOp op);

private:
  static Tensor type(Value v) { return cast<Tensor>(v.getType()); }

  Value add(Value x, Value y) { return AddOp::create(b, x, y); }
  Value sub(Value x, Value y) { return SubOp::create(b, x, y); }
  Value mul(Value x, Value y) { return MulOp::create(b, x, y); }
  Value div(Value x, Value y) { return DivOp::create(b, x, y); }
  Value broadcast(Value x, Tensor to, ArrayRef<int64_t> axes) {
    return BroadcastOp::create(b, to, x, axes);
  }
  /// A number, broadcast to the type of `to`.
  Value number(double x, Tensor to) {
    Type element = to.getElementType();
    Value constant = ConstantOp::create(
        b, DenseElementsAttr::get(
               Tensor::get({}, element),
               static_cast<Attribute>(b.getFloatAttr(element, x))));
    return broadcast(constant, to, {});
  }
  Value reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes) {
    SmallVector<DimExpr> sizes;
    for (auto [axis, size] : llvm::enumerate(getDims(type(x))))
      if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
        sizes.push_back(size);
    return ReduceOp::create(b, getTensorType(sizes, type(x).getElementType()),
                            kind, x, axes);
  }
  /// Broadcasts a reduced value along the reduced axes.
  Value spread(Value reduced, Tensor to, ArrayRef<int64_t> axes) {
    SmallVector<int64_t> kept;
    for (int64_t axis = 0; axis < to.getRank(); ++axis)
      if (!llvm::is_contained(axes, axis))
        kept.push_back(axis);
    return broadcast(reduced, to, kept);
  }
  Value mean(Value x, ArrayRef<int64_t> axes) {
    Value sum = reduce(ReduceKind::Sum, x, axes);
    DimExpr count = getConstDim(b.getContext(), 1);
    for (int64_t axis : axes)
      count = dhlo::mul(count, getDim(type(x), axis));
    if (auto n = getConstantValue(count))
      return div(sum, number(static_cast<double>(*n), type(sum)));
    Value n =
        FromDimsOp::create(b, Tensor::get({}, b.getI64Type()),
                           b.getArrayAttr({static_cast<Attribute>(count)}));
    n = ConvertOp::create(b, Tensor::get({}, type(x).getElementType()), n);
    return div(sum, broadcast(n, type(sum), {}));
  }
  /// 1 / sqrt(v + eps).
  Value inverseRoot(Value v, double eps) {
    return RsqrtOp::create(b, add(v, number(eps, type(v))));
  }
  static SmallVector<int64_t> from(int64_t axis, Tensor type) {
    return llvm::to_vector(llvm::seq<int64_t>(axis, type.getRank()));
  }
  Value select(Value predicate, Value onTrue, Value onFalse) {
    return SelectOp::create(b, onTrue.getType(), predicate, onTrue, onFalse);
  }
  Value equals(Value x, double y) {
    return CompareOp::create(b, withElementType(type(x), b.getI1Type()),
                             CompareDirection::EQ, x, number(y, type(x)));
  }
  Value repeatHeads(Value x, DimExpr heads);
  Value seesCausally(Tensor scores);

  ImplicitLocOpBuilder b;
  DimBuilder &symbols;
};

} // namespace

Value Decomposer::visit(SoftmaxOp op) {
  Value x = op.getOperand();
  SmallVector<int64_t> axes = {static_cast<int64_t>(op.getAxis())};
  Value shifted =
      sub(x, spread(reduce(ReduceKind::Max, x, axes), type(x), axes));
  Value e = ExpOp::create(b, shifted);
  Value sum = reduce(ReduceKind::Sum, e, axes);
  if (op.getLog())
    return sub(shifted, spread(LogOp::create(b, sum), type(x), axes));
  return div(e, spread(sum, type(x), axes));
}

Value Decomposer::visit(LayerNormOp op) {
  Value x = op.getOperand();
  SmallVector<int64_t> axes = from(op.getAxis(), type(x));
  Value centred = sub(x, spread(mean(x, axes), type(x), axes));
  Value factor = inverseRoot(mean(mul(centred, centred), axes),
                             op.getEps().convertToDouble());
  Value y = mul(centred, spread(factor, type(x), axes));
  y = mul(y, broadcast(op.getScale(), type(x), axes));
  if (op.getBias())
    y = add(y, broadcast(op.getBias(), type(x), axes));
  return y;
}

Value Decomposer::visit(RmsNormOp op) {
  Value x = op.getOperand();
  SmallVector<int64_t> axes = from(op.getAxis(), type(x));
  Value factor =
      inverseRoot(mean(mul(x, x), axes), op.getEps().convertToDouble());
  Value y = mul(x, spread(factor, type(x), axes));
  return mul(y, broadcast(op.getScale(), type(x), axes));
}

Value Decomposer::visit(GeluOp op) {
  Value x = op.getOperand();
  auto constant = [&](double v) { return number(v, type(x)); };
  Value core;
  if (op.getKind() == GeluKind::Erf) {
    core = ErfOp::create(b, mul(x, constant(std::sqrt(0.5))));
  } else {
    Value cube = mul(mul(x, x), x);
    Value sum = add(x, mul(cube, constant(0.044715)));
    core = TanhOp::create(b, mul(sum, constant(std::sqrt(2 / M_PI))));
  }
  return mul(mul(x, constant(0.5)), add(core, constant(1)));
}

/// [B, G, T, D] -> [B, H, T, D]: the keys of each group, for all query heads of
/// it.
Value Decomposer::repeatHeads(Value x, DimExpr heads) {
  SmallVector<DimExpr> sizes = getDims(type(x));
  if (symbols.getDims().isEqual(sizes[1], heads))
    return x;
  DimExpr sharing = symbols.getOrCreateSymbol(floorDiv(heads, sizes[1]));
  Type element = type(x).getElementType();
  Value repeated = broadcast(
      x,
      getTensorType({sizes[0], sizes[1], sharing, sizes[2], sizes[3]}, element),
      {0, 1, 3, 4});
  sizes[1] = heads;
  return ReshapeOp::create(b, getTensorType(sizes, element), repeated);
}

/// Whether query i sees key j: j <= i + T - S.
Value Decomposer::seesCausally(Tensor scores) {
  DimExpr zero = getConstDim(b.getContext(), 0);
  DimExpr one = getConstDim(b.getContext(), 1);
  Tensor type = withElementType(scores, b.getI64Type());
  DimExpr offset = dhlo::sub(getDim(scores, 3), getDim(scores, 2));
  auto positions = [&](int64_t axis, DimExpr start) {
    return IotaOp::create(b, type, axis,
                          b.getArrayAttr({static_cast<Attribute>(start)}),
                          b.getArrayAttr({static_cast<Attribute>(one)}));
  };
  // One after the other: compilers order arguments as they like.
  Value queries = positions(2, offset);
  Value keys = positions(3, zero);
  return CompareOp::create(b, withElementType(scores, b.getI1Type()),
                           CompareDirection::LE, keys, queries);
}

Value Decomposer::visit(AttentionOp op) {
  Value query = op.getQuery();
  SmallVector<DimExpr> sizes = getDims(type(query));
  Type element = type(query).getElementType();
  Value key = repeatHeads(op.getKey(), sizes[1]);
  Value value = repeatHeads(op.getValue(), sizes[1]);
  Tensor scores = getTensorType(
      {sizes[0], sizes[1], sizes[2], getDim(type(key), 2)}, element);

  Value x = DotGeneralOp::create(b, scores, query, key, 2,
                                 b.getDenseI64ArrayAttr({3}),
                                 b.getDenseI64ArrayAttr({3}));
  x = mul(x, number(op.getScale().convertToDouble(), scores));
  if (auto cap = op.getCap()) {
    Value most = number(cap->convertToDouble(), scores);
    x = mul(TanhOp::create(b, div(x, most)), most);
  }
  Value seen = op.getCausal() ? seesCausally(scores) : Value();
  if (Value mask = op.getMask()) {
    bool removes = type(mask).getElementType().isInteger(1);
    auto wide = withElementType(scores, type(mask).getElementType());
    if (type(mask) != wide)
      mask = broadcast(mask, wide, {0, 1, 2, 3});
    if (!removes)
      x = add(x, mask);
    else
      seen = seen ? AndOp::create(b, seen, mask).getResult() : mask;
  }
  if (seen)
    x = select(seen, x, number(-INFINITY, scores));

  // A row whose keys are all removed gives zeros, or NaN.
  Value max = reduce(ReduceKind::Max, x, {3});
  if (!op.getNanIfEmpty())
    max = select(equals(max, -INFINITY), number(0, type(max)), max);
  Value e = ExpOp::create(b, sub(x, spread(max, scores, {3})));
  Value sum = reduce(ReduceKind::Sum, e, {3});
  sum = select(equals(sum, 0), number(1, type(sum)), sum);
  Value y = DotGeneralOp::create(b, op.getType(), e, value, 2,
                                 b.getDenseI64ArrayAttr({3}),
                                 b.getDenseI64ArrayAttr({2}));
  return div(y, spread(sum, op.getType(), {3}));
}

Value dhlo::computeInF32(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto convert = [&](Value value, Type element) -> Value {
    auto type = cast<Tensor>(value.getType());
    return ConvertOp::create(b, withElementType(type, element), value);
  };
  auto result = cast<Tensor>(op->getResult(0).getType());
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands()) {
    bool isNarrow =
        getElementTypeOrSelf(operand.getType()) == result.getElementType();
    state.addOperands(isNarrow ? convert(operand, b.getF32Type()) : operand);
  }
  state.addTypes(withElementType(result, b.getF32Type()));
  state.addAttributes(op->getAttrs());
  return convert(b.create(state)->getResult(0), result.getElementType());
}

Value dhlo::decompose(Operation *op, DimBuilder &symbols) {
  Decomposer decomposer(op, symbols);
  return visitOp<Value>(
      Ops(), op,
      [&](auto composite) -> decltype(decomposer.visit(composite)) {
        Type element = composite.getType().getElementType();
        return element.isF16() || element.isBF16()
                   ? computeInF32(composite)
                   : decomposer.visit(composite);
      },
      [](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct DecomposePass : dhlo::impl::DecomposePassBase<DecomposePass> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    // A decomposition may contain composites.
    bool changed = true;
    while (changed) {
      changed = false;
      auto composites = collectOps<Operation *>(getOperation());
      llvm::erase_if(composites, [&](Operation *op) {
        bool isWanted = ops.empty() ||
                        llvm::is_contained(ops, op->getName().stripDialect());
        return !isWanted || !isa<DHLODialect>(op->getDialect());
      });
      for (Operation *op : composites)
        if (Value result = decompose(op, symbols)) {
          op->getResult(0).replaceAllUsesWith(result);
          op->erase();
          ++numDecomposed;
          changed = true;
        }
    }
  }
};
} // namespace
