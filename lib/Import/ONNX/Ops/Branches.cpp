//===- Branches.cpp - Values of two branches ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Branches.h"
#include "../Ragged.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The attribute of the cast that represents a tensor of dynamic rank.
static constexpr StringRef kOpenRankAttr = "open_rank";

bool onnx::hasOpenRank(Value value) {
  return isSequence(value) && value.getDefiningOp()->hasAttr(kOpenRankAttr);
}

/// Whether both are sequences of equally many tensors, which merge one by one.
static bool areEquivalent(Emitter &e, Value lhs, Value rhs) {
  SmallVector<Value> left = getTensors(lhs), right = getTensors(rhs);
  if (isRagged(lhs) || isRagged(rhs))
    return isRagged(lhs) && isRagged(rhs) &&
           getRagged(lhs).axis == getRagged(rhs).axis &&
           e.rank(left[0]) == e.rank(right[0]) &&
           e.elementType(left[0]) == e.elementType(right[0]);
  if (left.size() != right.size())
    return false;
  for (auto [l, r] : llvm::zip_equal(left, right))
    if (e.rank(l) != e.rank(r) || e.elementType(l) != e.elementType(r))
      return false;
  return true;
}

/// The form of sequences of both: sizes that differ between the two may be
/// equal in each.
static std::optional<Form> getCommonForm(Emitter &e, Value lhs, Value rhs) {
  auto left = getForm(e, lhs), right = getForm(e, rhs);
  if (!left || !right)
    return std::nullopt;
  if (left->axis && right->axis && left->axis != right->axis)
    return std::nullopt;
  int64_t axis = left->axis.value_or(right->axis.value_or(-1));
  auto both = joinForms(*left, *right, [](DimExpr, DimExpr) { return true; });
  if (!both || !both->elementType)
    return std::nullopt;
  both->axis = axis < 0 ? std::nullopt : std::optional<int64_t>(axis);
  return both;
}

bool onnx::canMerge(Emitter &e, Value lhs, Value rhs, bool anyRank) {
  if (hasOpenRank(lhs) || hasOpenRank(rhs)) {
    lhs = getTensors(lhs).front();
    rhs = getTensors(rhs).front();
  }
  if (isSequence(lhs) != isSequence(rhs))
    return false;
  if (isSequence(lhs))
    return areEquivalent(e, lhs, rhs) || getCommonForm(e, lhs, rhs);
  return (anyRank || e.rank(lhs) == e.rank(rhs)) &&
         e.elementType(lhs) == e.elementType(rhs);
}

/// Converts two values to one kind, each in its branch.
static bool makeEquivalent(OpContext &c, Branch &onTrue, Value &lhs,
                           Branch &onFalse, Value &rhs) {
  Emitter &e = c.e;
  if (isSequence(lhs) && !hasOpenRank(lhs) && !hasOpenRank(rhs)) {
    if (areEquivalent(e, lhs, rhs))
      return true;
    auto form = getCommonForm(e, lhs, rhs);
    for (auto [branch, value] :
         {std::pair<Branch *, Value *>(&onTrue, &lhs), {&onFalse, &rhs}}) {
      // An empty sequence has any sizes, such as those of the other one.
      Form own = *form;
      if (auto given = getForm(e, *value); given->elementType)
        own.sizes = given->sizes;
      else
        for (DimExpr &size : own.sizes)
          if (size && !branch->body.isVisible(size))
            size = e.size(0);
      *value = branch->body.fill(
          [&] { return makeRagged(c, toRagged(c, *value, own)); });
    }
    return lhs && rhs;
  }
  auto getRank = [&](Value value) { return e.rank(getTensors(value).front()); };
  if (!hasOpenRank(lhs) && !hasOpenRank(rhs) && getRank(lhs) == getRank(rhs))
    return true;
  int64_t maxRank = std::max(getRank(lhs), getRank(rhs));
  for (auto [branch, value] :
       {std::pair<Branch *, Value *>(&onTrue, &lhs), {&onFalse, &rhs}})
    branch->body.fill([&] {
      SmallVector<Value> parts = getTensors(*value);
      Sizes sizes = e.sizes(parts.front());
      if (parts.size() == 1)
        parts.push_back(e.constantInt(e.builder.getI64Type(), sizes.size()));
      sizes.insert(sizes.begin(), maxRank - sizes.size(), e.size(1));
      parts.front() = e.reshape(parts.front(), sizes);
      Type type =
          TupleType::get(e.builder.getContext(), TypeRange(ValueRange(parts)));
      auto cast =
          UnrealizedConversionCastOp::create(e.builder, e.loc, type, parts);
      cast->setAttr(kOpenRankAttr, e.builder.getUnitAttr());
      *value = cast.getResult(0);
    });
  return true;
}

static ArrayAttr toSymbols(OpContext &c, ArrayRef<DimExpr> symbols) {
  SmallVector<mlir::Attribute> attrs;
  for (DimExpr symbol : symbols)
    attrs.push_back(FlatSymbolRefAttr::get(symbol.getName()));
  return c.e.builder.getArrayAttr(attrs);
}

static ArrayAttr toExprs(OpContext &c, ArrayRef<DimExpr> exprs) {
  SmallVector<mlir::Attribute> attrs(exprs.begin(), exprs.end());
  return c.e.builder.getArrayAttr(attrs);
}

/// Whether sizes are equal where the facts hold.
static bool isEqualUnder(Emitter &e, ArrayRef<Fact> facts, DimExpr lhs,
                         DimExpr rhs) {
  auto apply = [&](DimExpr size) {
    size = e.dims.expand(size);
    for (const Fact &fact : facts)
      size = dhlo::substitute(size, [&](StringAttr name) {
        return name == fact.symbol ? fact.value : DimExpr();
      });
    return size;
  };
  return !facts.empty() && e.dims.isEqual(apply(lhs), apply(rhs));
}

std::optional<SmallVector<Value>>
onnx::emitBranches(OpContext &c, Value condition, Branch &onTrue,
                   Branch &onFalse, bool anyRank) {
  Emitter &e = c.e;
  SmallVector<Value> thenTensors, elseTensors;
  for (auto [a, b] : llvm::zip_equal(onTrue.values, onFalse.values)) {
    if (!canMerge(e, a, b, anyRank) ||
        !makeEquivalent(c, onTrue, a, onFalse, b))
      return std::nullopt;
    // Sequences leave a branch tensor by tensor.
    thenTensors.append(getTensors(a));
    elseTensors.append(getTensors(b));
  }

  Sizes binds, thenDims, elseDims;
  // A size by its name outside, if both branches have one.
  auto getOuter = [&](DimExpr l, DimExpr r) -> DimExpr {
    bool isEqual = e.dims.isEqual(l, r);
    if ((isEqual || isEqualUnder(e, onFalse.facts, l, r)) &&
        onTrue.body.isVisible(l) && onFalse.body.isVisible(l))
      return l;
    if ((isEqual || isEqualUnder(e, onTrue.facts, l, r)) &&
        onTrue.body.isVisible(r) && onFalse.body.isVisible(r))
      return r;
    return {};
  };
  SmallVector<Type> types;
  for (auto [a, b] : llvm::zip_equal(thenTensors, elseTensors)) {
    Sizes sizes;
    for (auto [l, r] : llvm::zip_equal(e.sizes(a), e.sizes(b))) {
      if (DimExpr outer = getOuter(l, r)) {
        sizes.push_back(outer);
        continue;
      }
      DimExpr left = e.dims.expand(l), right = e.dims.expand(r);
      size_t i = 0;
      while (i < binds.size() && (thenDims[i] != left || elseDims[i] != right))
        ++i;
      if (i == binds.size()) {
        binds.push_back(e.symbols.createSymbol("if"));
        thenDims.push_back(left);
        elseDims.push_back(right);
      }
      sizes.push_back(binds[i]);
    }
    types.push_back(e.type(sizes, e.elementType(a)));
  }
  onTrue.body.yield(thenTensors);
  onFalse.body.yield(elseTensors);
  auto op = dhlo::IfOp::create(e.builder, e.loc, types, condition,
                               toSymbols(c, binds), toExprs(c, thenDims),
                               toExprs(c, elseDims));
  op.getThenRegion().takeBody(onTrue.body.region);
  op.getElseRegion().takeBody(onFalse.body.region);

  SmallVector<Value> results(op.getResults()), merged;
  ArrayRef<Value> rest = results;
  for (Value value : onTrue.values) {
    ArrayRef<Value> own = rest.take_front(getTensors(value).size());
    rest = rest.drop_front(own.size());
    if (!isSequence(value)) {
      merged.push_back(own.front());
      continue;
    }
    auto cast = UnrealizedConversionCastOp::create(
        e.builder, e.loc,
        TupleType::get(e.builder.getContext(), TypeRange(ValueRange(own))),
        own);
    // The attributes describe its kind.
    cast->setAttrs(value.getDefiningOp()->getAttrs());
    merged.push_back(cast.getResult(0));
  }
  return merged;
}
