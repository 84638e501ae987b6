//===- Emitter.cpp - Builds dhlo operations with symbolic sizes -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "ElementCount.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// Sizes and types
//===----------------------------------------------------------------------===//

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Sizes Emitter::sizes(ArrayRef<int64_t> values) const {
  Sizes result;
  for (int64_t value : values)
    result.push_back(size(value));
  return result;
}

Sizes Emitter::sizes(Value tensor) const {
  return tensor ? Sizes(getDims(tensorType(tensor))) : Sizes();
}

DimExpr Emitter::dim(Value tensor, int64_t axis) {
  return hasAxis(tensor, axis) ? dhlo::getDim(tensorType(tensor), axis)
                               : size(1);
}

int64_t Emitter::rank(Value tensor) const {
  return tensor ? tensorType(tensor).getRank() : 0;
}

bool Emitter::hasAxes(Value tensor, int64_t number) {
  if (number <= rank(tensor))
    return true;
  fail("expected a tensor of rank at least " + Twine(number) + ", found " +
       Twine(rank(tensor)));
  return false;
}

bool Emitter::hasAxis(Value tensor, int64_t axis) {
  // A negative axis is that of an operator which counts from the end.
  return hasAxes(tensor, axis < 0 ? rank(tensor) - axis : axis + 1);
}

Type Emitter::elementType(Value tensor) const {
  return tensor ? tensorType(tensor).getElementType()
                : Type(Float32Type::get(builder.getContext()));
}

Type Emitter::wideType(ArrayRef<Value> tensors) const {
  MLIRContext *context = builder.getContext();
  return llvm::any_of(tensors, [&](Value v) { return elementType(v).isF64(); })
             ? Type(Float64Type::get(context))
             : Type(Float32Type::get(context));
}

RankedTensorType Emitter::type(ArrayRef<DimExpr> sizes, Type elementType) {
  int64_t elements = 1;
  for (DimExpr size : sizes) {
    std::optional<int64_t> value = getConstantValue(dims.expand(size));
    if (value && !countElements(*value, elements)) {
      fail("expected sizes of at least 0 with a product of at most 2^40, "
           "found " +
           Twine(*value));
      return RankedTensorType::get(SmallVector<int64_t>(sizes.size(), 1),
                                   elementType);
    }
  }
  return symbols.getTensorType(sizes, elementType);
}

DimExpr Emitter::product(ArrayRef<DimExpr> sizes) const {
  DimExpr result = size(1);
  for (DimExpr factor : sizes)
    result = dhlo::mul(result, factor);
  return result;
}

std::optional<int64_t> Emitter::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    fail("expected an axis in [" + Twine(-rank) + ", " + Twine(rank - 1) +
         "], found " + Twine(axis));
    return std::nullopt;
  }
  return axis < 0 ? axis + rank : axis;
}

DimExpr Emitter::broadcastSize(DimExpr lhs, DimExpr rhs) {
  if (lhs.isConst() && rhs.isConst()) {
    int64_t l = lhs.getValue(), r = rhs.getValue();
    if (l == r || r == 1)
      return lhs;
    return l == 1 ? rhs : DimExpr();
  }
  // A size other than 1 is the result's: the other one must be equal or 1.
  if (lhs.isConst())
    return lhs.isConst(1) ? rhs : lhs;
  if (rhs.isConst())
    return rhs.isConst(1) ? lhs : rhs;
  if (dims.isEqual(lhs, rhs) || dims.isAtLeast(lhs, 2))
    return lhs;
  if (dims.isAtLeast(rhs, 2))
    return rhs;
  if (limitSize(lhs, rhs))
    return lhs;
  if (limitSize(rhs, lhs))
    return rhs;
  return dhlo::broadcast(dims.expand(lhs), dims.expand(rhs));
}

DimOp Emitter::getDeclaration(DimExpr size) {
  if (!size.isSymbol() || !isa_and_nonnull<func::FuncOp>(
                              builder.getInsertionBlock()->getParentOp()))
    return {};
  auto symbol = SymbolTable::lookupNearestSymbolFrom<DimOp>(dims.getOperation(),
                                                            size.getName());
  return symbol && !symbol.getDefinitionAttr() ? symbol : DimOp();
}

void Emitter::redeclare() {
  symbols.reread();
  values = std::make_unique<SymbolicValues>(dims);
}

bool Emitter::isNotOne(DimExpr size) {
  size = dims.expand(size);
  if (dims.isDistinct(size, this->size(1)))
    return true;
  DimOp symbol = getDeclaration(size);
  if (!symbol || symbol.getMinAttr() || symbol.getMaxAttr())
    return false;
  symbol.setMin(2);
  redeclare();
  return true;
}

/// If a table of `limit` rows is sliced to a size and combined elementwise with
/// that size, as positions are in transformers, a legal call has at most
/// `limit` of them: any other would not broadcast. The declaration gets this
/// upper bound, and the two sizes become equal.
bool Emitter::limitSize(DimExpr size, DimExpr cut) {
  size = dims.expand(size);
  cut = dims.expand(cut);
  if (cut.getKind() != DimExprKind::Min || cut.getNumOperands() != 2)
    return false;
  DimExpr limit = cut.getOperand(0), other = cut.getOperand(1);
  if (other.isConst())
    std::swap(limit, other);
  // Sliced to 1 it would be broadcast.
  if (other != size || !limit.isConst() || limit.getValue() < 2)
    return false;
  DimOp symbol = getDeclaration(size);
  if (!symbol ||
      limit.getValue() < static_cast<int64_t>(symbol.getMin().value_or(0)))
    return false;
  if (!symbol.getMinAttr())
    symbol.setMin(0);
  symbol.setMax(limit.getValue());
  redeclare();
  return true;
}

std::optional<Sizes> Emitter::broadcastSizes(ArrayRef<Value> tensors) {
  Sizes result;
  for (Value tensor : tensors) {
    if (!tensor)
      return std::nullopt;
    Sizes own = sizes(tensor);
    if (own.size() > result.size())
      result.insert(result.begin(), own.size() - result.size(), size(1));
    size_t shift = result.size() - own.size();
    for (size_t i = 0; i < own.size(); ++i) {
      DimExpr both = broadcastSize(result[i + shift], own[i]);
      if (!both) {
        fail("sizes " + Twine(result[i + shift].getValue()) + " and " +
             Twine(own[i].getValue()) + " cannot be broadcast");
        return std::nullopt;
      }
      result[i + shift] = both;
    }
  }
  return result;
}

bool Emitter::isOne(DimExpr size) const {
  return dims.isEqual(size, this->size(1));
}

//===----------------------------------------------------------------------===//
// Facts in branches
//===----------------------------------------------------------------------===//

void Emitter::setFacts(ArrayRef<Fact> now) {
  if (now == ArrayRef<Fact>(facts))
    return;
  // The declarations state a fact as long as it holds.
  SymbolTable declared(dims.getOperation());
  for (const Fact &fact : facts)
    declared.lookup<DimOp>(fact.symbol).removeDefinitionAttr();
  facts.assign(now.begin(), now.end());
  for (const Fact &fact : facts)
    declared.lookup<DimOp>(fact.symbol).setDefinitionAttr(fact.value);
  redeclare();
}

/// The value of a symbol of `difference` where that is zero: of one that is
/// added or subtracted once.
static std::optional<Fact> solve(DimExpr difference, const SymbolicDims &dims) {
  std::optional<Fact> fact;
  walkSymbols(difference, [&](StringAttr name) {
    if (fact)
      return;
    DimExpr symbol = getSymbolDim(name);
    DimExpr rest = substitute(difference, [&](StringAttr other) {
      return other == name ? getConstDim(name.getContext(), 0) : DimExpr();
    });
    bool isLeft = false;
    walkSymbols(rest, [&](StringAttr other) { isLeft |= other == name; });
    DimExpr value;
    if (difference == dhlo::add(rest, symbol))
      value = dhlo::mul(rest, -1);
    else if (difference == dhlo::sub(rest, symbol))
      value = rest;
    if (value && !isLeft && dims.getRange(value).max >= 0)
      fact = Fact{name, value};
  });
  return fact;
}

SmallVector<Fact> Emitter::getFactsOf(Value condition, bool holds) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return {};
  if (isa<ReshapeOp, NotOp>(op))
    return getFactsOf(op->getOperand(0), holds ^ isa<NotOp>(op));
  if (holds ? isa<AndOp>(op) : isa<OrOp>(op)) {
    SmallVector<Fact> both = getFactsOf(op->getOperand(0), holds);
    llvm::append_range(both, getFactsOf(op->getOperand(1), holds));
    return both;
  }
  auto compare = dyn_cast<CompareOp>(op);
  if (!compare || compare.getDirection() !=
                      (holds ? CompareDirection::EQ : CompareDirection::NE))
    return {};
  std::optional<Sizes> lhs = elements(compare.getLhs());
  std::optional<Sizes> rhs = elements(compare.getRhs());
  if (!lhs || !rhs || lhs->size() != 1 || !lhs->front() || !rhs->front())
    return {};
  DimExpr difference = dims.expand(dhlo::sub(lhs->front(), rhs->front()));
  std::optional<Fact> fact = solve(difference, dims);
  return fact ? SmallVector<Fact>{*fact} : SmallVector<Fact>();
}

//===----------------------------------------------------------------------===//
// Integers as size expressions
//===----------------------------------------------------------------------===//

std::optional<Sizes> Emitter::elements(Value tensor) {
  if (!tensor || !isa<IntegerType>(elementType(tensor)))
    return std::nullopt;
  RankedTensorType type = tensorType(tensor);
  if (!type.hasStaticShape() ||
      type.getNumElements() > SymbolicValues::kMostElements)
    return std::nullopt;
  Sizes result(type.getNumElements());
  for (auto [expr, element] : llvm::zip(result, values->getElements(tensor)))
    if (element.isInteger())
      expr = dims.expand(element.numerator);
  return result;
}

std::optional<SmallVector<int64_t>> Emitter::constants(Value tensor) {
  std::optional<Sizes> exprs = elements(tensor);
  if (!exprs)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (DimExpr expr : *exprs) {
    if (!expr || !expr.isConst())
      return std::nullopt;
    result.push_back(expr.getValue());
  }
  return result;
}

void Emitter::forget() {
  values = std::make_unique<SymbolicValues>(dims);
  boundElements.clear();
}

std::optional<SmallVector<double>> Emitter::constantFloats(Value tensor) {
  if (!tensor || !isa<FloatType>(elementType(tensor)))
    return std::nullopt;
  RankedTensorType type = tensorType(tensor);
  SmallVector<double> result;
  if (auto op = tensor.getDefiningOp<ConstantOp>()) {
    auto attr = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!attr)
      return std::nullopt;
    for (APFloat value : attr.getValues<APFloat>()) {
      bool lost;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      result.push_back(value.convertToDouble());
    }
    return result;
  }
  if (!type.hasStaticShape() ||
      type.getNumElements() > SymbolicValues::kMostElements)
    return std::nullopt;
  for (const SymbolicValues::Element &element : values->getElements(tensor)) {
    DimExpr numerator = element ? dims.expand(element.numerator) : DimExpr();
    if (!numerator || !numerator.isConst())
      return std::nullopt;
    result.push_back(static_cast<double>(numerator.getValue()) /
                     element.denominator);
  }
  if (static_cast<int64_t>(result.size()) != type.getNumElements())
    return std::nullopt;
  return result;
}

DimExpr Emitter::bind(Value scalar, StringRef hint) {
  if (!scalar)
    return {};
  if (auto known = elements(scalar))
    if (known->size() == 1 && known->front())
      return known->front();
  DimExpr symbol = symbols.createSymbol(hint);
  if (!isa<IntegerType>(elementType(scalar)) ||
      elementType(scalar).getIntOrFloatBitWidth() < 32)
    scalar = convert(scalar, builder.getI64Type());
  BindOp::create(builder, loc, FlatSymbolRefAttr::get(symbol.getName()),
                 scalar);
  return symbol;
}

std::optional<Sizes> Emitter::sizesFrom(Value tensor, StringRef hint) {
  if (!tensor)
    return std::nullopt;
  RankedTensorType type = tensorType(tensor);
  if (type.getRank() > 1 || !type.hasStaticShape() ||
      type.getNumElements() > 64) {
    fail("expected a vector of a known number of sizes, at most 64");
    return std::nullopt;
  }
  int64_t number = type.getNumElements();
  Sizes result(number);
  if (std::optional<Sizes> known = elements(tensor))
    result = *known;
  // The symbol is bound where the tensor is defined, so that it is defined
  // wherever the tensor is.
  OpBuilder::InsertionGuard guard(builder);
  if (Operation *op = tensor.getDefiningOp())
    builder.setInsertionPointAfter(op);
  else
    builder.setInsertionPointToStart(tensor.getParentBlock());
  for (int64_t i = 0; i < number; ++i) {
    if (result[i])
      continue;
    DimExpr &bound = boundElements[{tensor, i}];
    if (!bound) {
      Value element = tensor;
      if (type.getRank() == 1)
        element = reshape(sliceAxis(tensor, 0, size(i), size(1)), {});
      bound = bind(element, hint);
    }
    result[i] = bound;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The attribute of a number in an element type; integers are truncated.
static TypedAttr makeNumber(Type elementType, double value) {
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return FloatAttr::get(floatType, value);
  auto integer = static_cast<int64_t>(value);
  return IntegerAttr::get(elementType,
                          APInt(elementType.getIntOrFloatBitWidth(), integer,
                                /*isSigned=*/true, /*implicitTrunc=*/true));
}

Value Emitter::constant(Type elementType, double value) {
  return ConstantOp::create(
      builder, loc,
      cast<ElementsAttr>(DenseElementsAttr::get(
          RankedTensorType::get({}, elementType),
          cast<mlir::Attribute>(makeNumber(elementType, value)))));
}

Value Emitter::constantInt(Type elementType, int64_t value) {
  APInt integer(elementType.getIntOrFloatBitWidth(), value, /*isSigned=*/true,
                /*implicitTrunc=*/true);
  return ConstantOp::create(
      builder, loc,
      cast<ElementsAttr>(DenseElementsAttr::get(
          RankedTensorType::get({}, elementType), integer)));
}

Value Emitter::constantInts(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    builder.getI64Type());
  return ConstantOp::create(
      builder, loc, cast<ElementsAttr>(DenseElementsAttr::get(type, values)));
}

Value Emitter::constantFloats(Type elementType, ArrayRef<double> values) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, elementType);
  SmallVector<mlir::Attribute> attrs;
  for (double value : values)
    attrs.push_back(makeNumber(elementType, value));
  return ConstantOp::create(
      builder, loc, cast<ElementsAttr>(DenseElementsAttr::get(type, attrs)));
}

Value Emitter::full(Type elementType, double value, ArrayRef<DimExpr> sizes) {
  return broadcastTo(constant(elementType, value), sizes);
}

Value Emitter::fromSizes(ArrayRef<DimExpr> exprs) {
  SmallVector<int64_t> values;
  for (DimExpr expr : exprs)
    if (expr.isConst())
      values.push_back(expr.getValue());
  if (values.size() == exprs.size())
    return constantInts(values);
  SmallVector<mlir::Attribute> attrs(exprs.begin(), exprs.end());
  return FromDimsOp::create(
      builder, loc,
      RankedTensorType::get({static_cast<int64_t>(exprs.size())},
                            builder.getI64Type()),
      builder.getArrayAttr(attrs));
}

Value Emitter::fromSize(DimExpr expr) {
  if (expr.isConst())
    return constantInt(builder.getI64Type(), expr.getValue());
  return FromDimsOp::create(builder, loc,
                            RankedTensorType::get({}, builder.getI64Type()),
                            builder.getArrayAttr({expr}));
}

Value Emitter::iota(int64_t axis, ArrayRef<DimExpr> sizes, Type elementType) {
  return IotaOp::create(builder, loc, type(sizes, elementType), axis,
                        builder.getArrayAttr({size(0)}),
                        builder.getArrayAttr({size(1)}));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

bool Emitter::broadcastOperands(Value &lhs, Value &rhs) {
  if (!lhs || !rhs)
    return false;
  if (elementType(lhs) != elementType(rhs)) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "expected operands of equal element types, found "
        << elementType(lhs) << " and " << elementType(rhs);
    fail(text);
    return false;
  }
  std::optional<Sizes> both = broadcastSizes({lhs, rhs});
  if (!both)
    return false;
  lhs = broadcastTo(lhs, *both);
  rhs = broadcastTo(rhs, *both);
  return lhs && rhs;
}

Value Emitter::compare(CompareDirection direction, Value lhs, Value rhs) {
  if (!broadcastOperands(lhs, rhs))
    return {};
  return CompareOp::create(
      builder, loc, withElementType(tensorType(lhs), builder.getI1Type()),
      direction, lhs, rhs);
}

Value Emitter::select(Value predicate, Value onTrue, Value onFalse) {
  std::optional<Sizes> all = broadcastSizes({predicate, onTrue, onFalse});
  if (!all)
    return {};
  predicate = broadcastTo(predicate, *all);
  onTrue = broadcastTo(onTrue, *all);
  onFalse = broadcastTo(onFalse, *all);
  if (!predicate || !onTrue || !onFalse)
    return {};
  if (elementType(onTrue) != elementType(onFalse))
    return fail("expected equal element types to choose from");
  return SelectOp::create(builder, loc, onTrue.getType(), predicate, onTrue,
                          onFalse);
}

Value Emitter::convert(Value operand, Type elementType) {
  if (!operand || this->elementType(operand) == elementType)
    return operand;
  return ConvertOp::create(
      builder, loc, withElementType(tensorType(operand), elementType), operand);
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

Value Emitter::broadcastTo(Value operand, ArrayRef<DimExpr> sizes) {
  if (!operand)
    return {};
  int64_t shift = static_cast<int64_t>(sizes.size()) - rank(operand);
  if (shift < 0)
    return fail("expected a tensor of rank at most " + Twine(sizes.size()) +
                ", found " + Twine(rank(operand)));
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < rank(operand); ++i)
    axes.push_back(i + shift);
  return broadcast(operand, axes, sizes);
}

Value Emitter::broadcast(Value operand, ArrayRef<int64_t> axes,
                         ArrayRef<DimExpr> sizes) {
  if (!operand)
    return {};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    DimExpr own = dim(operand, i), other = sizes[axis];
    if (own.isConst() && !own.isConst(1) && other.isConst() && own != other)
      return fail("size " + Twine(own.getValue()) + " cannot be broadcast to " +
                  Twine(other.getValue()));
  }
  RankedTensorType result = type(sizes, elementType(operand));
  // Provably equal sizes may have different names; the operand's are kept.
  bool same = axes.size() == sizes.size();
  for (int64_t i = 0; same && i < rank(operand); ++i)
    same = dims.isEqual(dim(operand, i), sizes[i]);
  if (same && operand.getType() == result)
    return operand;
  if (same)
    return reshape(operand, sizes);
  return BroadcastOp::create(builder, loc, result, operand, axes);
}

Value Emitter::reshape(Value operand, ArrayRef<DimExpr> sizes) {
  if (!operand)
    return {};
  RankedTensorType result = type(sizes, elementType(operand));
  if (result == operand.getType())
    return operand;
  DimExpr before = dims.getNumElements(tensorType(operand));
  DimExpr after = dims.getNumElements(result);
  if (before.isConst() && after.isConst() && before != after)
    return fail("cannot reshape " + Twine(before.getValue()) + " elements to " +
                Twine(after.getValue()));
  return ReshapeOp::create(builder, loc, result, operand);
}

Value Emitter::unsqueeze(Value operand, ArrayRef<int64_t> axes) {
  if (!operand)
    return {};
  Sizes result = sizes(operand);
  for (int64_t axis : axes) {
    int64_t number = result.size(), missing = axis < 0 ? -axis : axis - number;
    if (missing > 0 && !hasAxes(operand, rank(operand) + missing))
      return {};
    result.insert(result.begin() + axis, size(1));
  }
  return reshape(operand, result);
}

Value Emitter::squeeze(Value operand, ArrayRef<int64_t> axes) {
  if (!operand)
    return {};
  Sizes result;
  for (int64_t i = 0; i < rank(operand); ++i)
    if (!llvm::is_contained(axes, i))
      result.push_back(dim(operand, i));
  return reshape(operand, result);
}

Value Emitter::transpose(Value operand, ArrayRef<int64_t> permutation) {
  if (!operand)
    return {};
  Sizes result;
  bool identity = true;
  for (auto [i, axis] : llvm::enumerate(permutation)) {
    if (!hasAxis(operand, axis))
      return {};
    result.push_back(dim(operand, axis));
    identity &= static_cast<int64_t>(i) == axis;
  }
  if (identity)
    return operand;
  return TransposeOp::create(builder, loc, type(result, elementType(operand)),
                             operand, permutation);
}

Value Emitter::moveAxis(Value operand, int64_t from, int64_t to) {
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank(operand); ++i)
    if (i != from)
      permutation.push_back(i);
  permutation.insert(permutation.begin() + to, from);
  return transpose(operand, permutation);
}

static ArrayAttr toArray(OpBuilder &builder, ArrayRef<DimExpr> exprs) {
  SmallVector<mlir::Attribute> attrs(exprs.begin(), exprs.end());
  return builder.getArrayAttr(attrs);
}

Value Emitter::slice(Value operand, ArrayRef<DimExpr> starts,
                     ArrayRef<int64_t> strides, ArrayRef<DimExpr> sizes) {
  if (!operand)
    return {};
  RankedTensorType result = type(sizes, elementType(operand));
  bool whole = llvm::all_of(strides, [](int64_t s) { return s == 1; }) &&
               llvm::all_of(starts, [](DimExpr e) { return e.isConst(0); }) &&
               dims.hasSameSizes(tensorType(operand), result);
  if (whole)
    return operand;
  return SliceOp::create(builder, loc, result, operand,
                         toArray(builder, starts), strides);
}

Value Emitter::sliceAxis(Value operand, int64_t axis, DimExpr start,
                         DimExpr count, int64_t stride) {
  if (!operand || !hasAxis(operand, axis))
    return {};
  Sizes result = sizes(operand), starts(result.size(), size(0));
  SmallVector<int64_t> strides(result.size(), 1);
  result[axis] = count;
  starts[axis] = start;
  strides[axis] = stride;
  return slice(operand, starts, strides, result);
}

std::optional<SmallVector<Value>> Emitter::split(Value operand, int64_t axis,
                                                 ArrayRef<DimExpr> lengths) {
  DimExpr whole = dims.expand(dim(operand, axis)), start = size(0);
  SmallVector<Value> parts;
  for (DimExpr length : lengths) {
    parts.push_back(sliceAxis(operand, axis, start, length));
    if (!parts.back())
      return std::nullopt;
    start = dhlo::add(start, length);
  }
  if (start.isConst() && whole.isConst() && start != whole) {
    fail("expected split sizes with a sum of " + Twine(whole.getValue()) +
         ", found " + Twine(start.getValue()));
    return std::nullopt;
  }
  return parts;
}

Value Emitter::pad(Value operand, Value value, PadMode mode,
                   ArrayRef<DimExpr> low, ArrayRef<DimExpr> high) {
  if (!operand || !value)
    return {};
  auto isZero = [](DimExpr e) { return e.isConst(0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return operand;
  Sizes result;
  for (int64_t i = 0; i < rank(operand); ++i)
    result.push_back(
        dhlo::add(dhlo::add(low[i], high[i]), dims.expand(dim(operand, i))));
  return PadOp::create(builder, loc, type(result, elementType(operand)),
                       operand, value, mode, toArray(builder, low),
                       toArray(builder, high));
}

Value Emitter::concat(ArrayRef<Value> operands, int64_t axis) {
  if (llvm::is_contained(operands, Value()) || !hasAxis(operands.front(), axis))
    return {};
  // Axes other than the concatenated one are equal; constants are known best.
  Sizes result = sizes(operands.front());
  for (Value operand : operands.drop_front()) {
    if (rank(operand) != static_cast<int64_t>(result.size()))
      return fail("expected tensors of equal rank, found " +
                  Twine(result.size()) + " and " + Twine(rank(operand)));
    if (elementType(operand) != elementType(operands.front()))
      return fail("expected tensors of equal element type");
    for (int64_t i = 0; i < rank(operand); ++i) {
      DimExpr other = dim(operand, i);
      if (i == axis)
        result[i] = dhlo::add(dims.expand(result[i]), dims.expand(other));
      else if (other.isConst() && result[i].isConst() && other != result[i])
        return fail("expected equal sizes along axis " + Twine(i) + ", found " +
                    Twine(result[i].getValue()) + " and " +
                    Twine(other.getValue()));
      else if (other.isConst())
        result[i] = other;
    }
  }
  if (operands.size() == 1)
    return operands.front();
  return ConcatOp::create(builder, loc,
                          type(result, elementType(operands.front())), operands,
                          axis);
}

Value Emitter::reverse(Value operand, ArrayRef<int64_t> axes) {
  if (!operand || axes.empty())
    return operand;
  return ReverseOp::create(builder, loc, operand, axes);
}

Value Emitter::index(Value indices) {
  if (!indices)
    return {};
  Type element = elementType(indices);
  if (!isa<IntegerType>(element))
    return fail("expected integer indices");
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
    return indices;
  return convert(indices, builder.getI64Type());
}

Value Emitter::gather(Value operand, Value indices, int64_t axis,
                      int64_t batch) {
  indices = index(indices);
  if (!operand || !indices || !hasAxis(operand, axis) ||
      !hasAxes(indices, batch))
    return {};
  Sizes result, from = sizes(operand), chosen = sizes(indices);
  result.append(from.begin(), from.begin() + axis);
  result.append(chosen.begin() + batch, chosen.end());
  result.append(from.begin() + axis + 1, from.end());
  return GatherOp::create(builder, loc, type(result, elementType(operand)),
                          operand, indices, axis, batch);
}

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

Value Emitter::reduce(ReduceKind kind, Value operand, ArrayRef<int64_t> axes,
                      bool keepDims) {
  if (!operand)
    return {};
  SmallVector<int64_t> sorted(axes);
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  Value result = operand;
  if (!sorted.empty()) {
    Sizes kept;
    for (int64_t i = 0; i < rank(operand); ++i)
      if (!llvm::is_contained(sorted, i))
        kept.push_back(dim(operand, i));
    result = ReduceOp::create(builder, loc, type(kept, elementType(operand)),
                              kind, operand, sorted);
  }
  return keepDims ? unsqueeze(result, sorted) : result;
}

Value Emitter::count(Value operand, ArrayRef<int64_t> axes, Type elementType) {
  DimExpr number = size(1);
  for (int64_t axis : axes)
    number = dhlo::mul(number, dims.expand(dim(operand, axis)));
  if (number.isConst())
    return constant(elementType, static_cast<double>(number.getValue()));
  return convert(fromSize(number), elementType);
}

Value Emitter::mean(Value operand, ArrayRef<int64_t> axes, bool keepDims) {
  if (!operand)
    return {};
  return div(reduce(ReduceKind::Sum, operand, axes, keepDims),
             count(operand, axes, elementType(operand)));
}

Value Emitter::dot(Value lhs, Value rhs, int64_t batch,
                   ArrayRef<int64_t> lhsContract, ArrayRef<int64_t> rhsContract,
                   Type element) {
  if (!lhs || !rhs || !hasAxes(lhs, batch) || !hasAxes(rhs, batch))
    return {};
  for (auto [l, r] : llvm::zip_equal(lhsContract, rhsContract)) {
    if (!hasAxis(lhs, l) || !hasAxis(rhs, r))
      return {};
    DimExpr left = dim(lhs, l), right = dim(rhs, r);
    if (left.isConst() && right.isConst() && left != right)
      return fail("expected equal sizes to sum over, found " +
                  Twine(left.getValue()) + " and " + Twine(right.getValue()));
  }
  Sizes result;
  for (int64_t i = 0; i < rank(lhs); ++i)
    if (!llvm::is_contained(lhsContract, i))
      result.push_back(dim(lhs, i));
  for (int64_t i = batch; i < rank(rhs); ++i)
    if (!llvm::is_contained(rhsContract, i))
      result.push_back(dim(rhs, i));
  return DotGeneralOp::create(
      builder, loc, type(result, element ? element : elementType(lhs)), lhs,
      rhs, batch, lhsContract, rhsContract);
}

Value Emitter::softmax(Value operand, int64_t axis, bool log) {
  return operand
             ? SoftmaxOp::create(builder, loc, operand, axis, log).getResult()
             : Value();
}

DimExpr Emitter::windowSize(DimExpr size, DimExpr low, DimExpr high,
                            int64_t window, int64_t stride,
                            int64_t dilation) const {
  DimExpr span = dhlo::add(dhlo::add(dims.expand(size), dhlo::add(low, high)),
                           -(dilation * (window - 1) + 1));
  return dhlo::add(dhlo::floorDiv(span, stride), 1);
}
