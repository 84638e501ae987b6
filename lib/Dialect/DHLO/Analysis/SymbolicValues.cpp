//===- SymbolicValues.cpp - Small tensors as size expressions -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/SymbolicValues.h"

#include "SymbolicElements.h"

#include "dyn/Dialect/DHLO/IR/DimExprSize.h"
#include "dyn/Dialect/DHLO/IR/VisitOp.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

using Element = SymbolicValues::Element;
using Elements = SymbolicValues::Elements;

namespace {
/// Longer chains of operations are not followed in one question, to bound the
/// stack.
constexpr unsigned kMostDepth = 500;
/// Longer expressions are not followed: each may be the square of the previous
/// one.
constexpr unsigned kMostSymbols = 512;

Element cutLong(Element element) {
  return element && isShort(element.numerator, kMostSymbols) ? element
                                                             : Element();
}

/// The static sizes, if there are few elements.
std::optional<ArrayRef<int64_t>> getSmallShape(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  // The product of the sizes may overflow.
  int64_t count = 1;
  bool overflows = false;
  for (int64_t size : type.getShape())
    overflows |= llvm::MulOverflow(count, size, count);
  if (overflows || count > SymbolicValues::kMostElements)
    return std::nullopt;
  return type.getShape();
}

/// Index arithmetic of one row-major tensor.
class Grid {
public:
  explicit Grid(ArrayRef<int64_t> shape) : shape(shape), strides(shape.size()) {
    for (size_t axis = shape.size(); axis-- != 0;) {
      strides[axis] = size;
      size *= shape[axis];
    }
  }
  int64_t getSize() const { return size; }
  SmallVector<int64_t> delinearize(int64_t position) const {
    SmallVector<int64_t> index(shape.size());
    for (size_t axis = 0; axis != shape.size(); ++axis) {
      index[axis] = position / strides[axis];
      position %= strides[axis];
    }
    return index;
  }
  /// The position of an index, or nothing outside the tensor.
  std::optional<int64_t> linearize(ArrayRef<int64_t> index) const {
    int64_t position = 0;
    for (size_t axis = 0; axis != shape.size(); ++axis) {
      if (index[axis] < 0 || index[axis] >= shape[axis])
        return std::nullopt;
      position += index[axis] * strides[axis];
    }
    return position;
  }

private:
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> strides;
  int64_t size = 1;
};

/// Result elements as operand elements: `map` maps an index of the result to an
/// index of the operand. Elements outside of the operand are unknown.
Elements
moveElements(const Elements &operand, ArrayRef<int64_t> operandShape,
             ArrayRef<int64_t> resultShape,
             llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> map) {
  Grid from(operandShape), to(resultShape);
  Elements result(to.getSize());
  if (operand.empty())
    return result;
  for (int64_t position = 0; position != to.getSize(); ++position)
    if (auto source = from.linearize(map(to.delinearize(position))))
      result[position] = operand[*source];
  return result;
}
} // namespace

//===----------------------------------------------------------------------===//
// Movement of data
//===----------------------------------------------------------------------===//

namespace {
/// Evaluates one operation from the elements of its operands.
class Evaluator {
public:
  Evaluator(SymbolicValues &values, Value result, ArrayRef<int64_t> shape)
      : values(values), arithmetic(values.getDims(), result.getContext()),
        elementType(getElementTypeOrSelf(result)), resultShape(shape),
        size(Grid(shape).getSize()) {}

  Elements unknown() const { return Elements(size); }

  Elements visit(ConstantOp op) {
    Elements result(size);
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense)
      return result;
    Type type = dense.getElementType();
    if (isa<IntegerType>(type)) {
      bool isSigned = !type.isUnsignedInteger() && !type.isInteger(1);
      for (auto [element, value] : llvm::zip(result, dense.getValues<APInt>()))
        if (isSigned || value.getActiveBits() < 64)
          element = arithmetic.constant(isSigned ? value.getSExtValue()
                                                 : value.getZExtValue());
    } else if (isa<FloatType>(type)) {
      for (auto [element, value] :
           llvm::zip(result, dense.getValues<APFloat>()))
        element = arithmetic.fraction(value);
    }
    return result;
  }

  Elements visit(FromDimsOp op) {
    Elements result;
    for (auto expr : op.getExprs().getAsRange<DimExprAttr>())
      result.push_back(makeElement(expr));
    return result;
  }

  Elements visit(IotaOp op) {
    Grid grid(resultShape);
    auto start = cast<DimExprAttr>(op.getStart()[0]);
    auto step = cast<DimExprAttr>(op.getStep()[0]);
    Elements result;
    for (int64_t i = 0; i != size; ++i)
      result.push_back(makeElement(
          add(start, mul(step, grid.delinearize(i)[op.getAxis()]))));
    return result;
  }

  Elements visit(ReshapeOp op) {
    const Elements &operand = values.getElements(op.getOperand());
    return operand.empty() ? unknown() : operand;
  }

  Elements visit(BroadcastOp op) {
    auto shape = getSmallShape(op.getOperand());
    if (!shape)
      return unknown();
    return moveElements(values.getElements(op.getOperand()), *shape,
                        resultShape, [&](ArrayRef<int64_t> index) {
                          SmallVector<int64_t> from;
                          for (auto [axis, size] :
                               llvm::zip(op.getAxes(), *shape))
                            from.push_back(size == 1 ? 0 : index[axis]);
                          return from;
                        });
  }

  Elements visit(TransposeOp op) {
    auto shape = getSmallShape(op.getOperand());
    if (!shape)
      return unknown();
    return moveElements(values.getElements(op.getOperand()), *shape,
                        resultShape, [&](ArrayRef<int64_t> index) {
                          SmallVector<int64_t> from(index.size());
                          for (auto [i, axis] :
                               llvm::enumerate(op.getPermutation()))
                            from[axis] = index[i];
                          return from;
                        });
  }

  Elements visit(ReverseOp op) {
    return moveElements(values.getElements(op.getOperand()), resultShape,
                        resultShape, [&](ArrayRef<int64_t> index) {
                          SmallVector<int64_t> from(index);
                          for (int64_t axis : op.getAxes())
                            from[axis] = resultShape[axis] - 1 - index[axis];
                          return from;
                        });
  }

  Elements visit(SliceOp op) {
    auto shape = getSmallShape(op.getOperand());
    if (!shape)
      return unknown();
    SmallVector<int64_t> starts;
    for (auto start : op.getStarts().getAsRange<DimExprAttr>()) {
      auto constant = getConstantValue(values.getDims().expand(start));
      if (!constant)
        return unknown();
      starts.push_back(*constant);
    }
    return moveElements(values.getElements(op.getOperand()), *shape,
                        resultShape, [&](ArrayRef<int64_t> index) {
                          SmallVector<int64_t> from;
                          for (auto [i, start, stride] :
                               llvm::zip(index, starts, op.getStrides()))
                            from.push_back(start + i * stride);
                          return from;
                        });
  }

  Elements visit(PadOp op) {
    auto shape = getSmallShape(op.getOperand());
    const Elements &value = values.getElements(op.getValue());
    if (!shape || value.empty() || op.getMode() != PadMode::Constant)
      return unknown();
    Element filler = value.front();
    SmallVector<int64_t> low;
    for (auto width : op.getLow().getAsRange<DimExprAttr>()) {
      auto constant = getConstantValue(values.getDims().expand(width));
      if (!constant)
        return unknown();
      low.push_back(*constant);
    }
    const Elements &operand = values.getElements(op.getOperand());
    Grid from(*shape), to(resultShape);
    Elements result(size, filler);
    for (int64_t position = 0; position != size; ++position) {
      SmallVector<int64_t> index = to.delinearize(position);
      for (auto [i, width] : llvm::zip(index, low))
        i -= width;
      if (auto source = from.linearize(index))
        result[position] = operand.empty() ? Element() : operand[*source];
    }
    return result;
  }

  Elements visit(ConcatOp op) {
    Grid to(resultShape);
    Elements result(size);
    int64_t offset = 0;
    for (Value operand : op.getOperands()) {
      auto shape = getSmallShape(operand);
      if (!shape)
        return unknown();
      const Elements &elements = values.getElements(operand);
      Grid from(*shape);
      for (auto [position, element] : llvm::enumerate(elements)) {
        SmallVector<int64_t> index = from.delinearize(position);
        index[op.getAxis()] += offset;
        if (auto target = to.linearize(index))
          result[*target] = element;
      }
      offset += (*shape)[op.getAxis()];
    }
    return result;
  }

  Elements visit(GatherOp op) {
    auto shape = getSmallShape(op.getOperand());
    auto indicesShape = getSmallShape(op.getIndices());
    if (!shape || !indicesShape || op.getBatch() != 0)
      return unknown();
    // Copied, since the second question may move the answer to the first.
    Elements operand = values.getElements(op.getOperand());
    const Elements &indices = values.getElements(op.getIndices());
    if (operand.empty() || indices.empty())
      return unknown();
    Grid grid(*indicesShape);
    size_t axis = op.getAxis(), indexRank = indicesShape->size();
    return moveElements(
        operand, *shape, resultShape, [&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> from(index.take_front(axis));
          const Element &chosen =
              indices[*grid.linearize(index.slice(axis, indexRank))];
          std::optional<int64_t> at = chosen.isInteger()
                                          ? getConstantValue(chosen.numerator)
                                          : std::nullopt;
          // Indices outside of the operand give unknown elements.
          if (at && *at < 0)
            *at += (*shape)[axis];
          from.push_back(at.value_or(-1));
          llvm::append_range(from, index.drop_front(axis + indexRank));
          return from;
        });
  }

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  Elements visitElementwise(Operation *op) {
    SmallVector<Elements> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(values.getElements(operand));
      if (operands.back().empty())
        return unknown();
    }
    Elements result(size);
    for (int64_t i = 0; i != size; ++i) {
      SmallVector<Element> inputs;
      for (const Elements &operand : operands)
        inputs.push_back(operand[i]);
      result[i] = arithmetic.apply(op, inputs);
    }
    return result;
  }

  Elements visit(SelectOp op) {
    Elements result = visitElementwise(op);
    auto compare = op.getPredicate().getDefiningOp<CompareOp>();
    if (!compare)
      return result;
    // A select that facts do not decide may still be a maximum or the like.
    Elements lhs = values.getElements(compare.getLhs());
    Elements rhs = values.getElements(compare.getRhs());
    Elements onTrue = values.getElements(op.getOnTrue());
    Elements onFalse = values.getElements(op.getOnFalse());
    if (lhs.empty() || rhs.empty() || onTrue.empty() || onFalse.empty())
      return result;
    for (int64_t i = 0; i != size; ++i)
      if (!result[i])
        result[i] = arithmetic.choose(elementType, compare.getDirection(),
                                      lhs[i], rhs[i], onTrue[i], onFalse[i]);
    return result;
  }

  Elements visit(ReduceOp op) {
    auto shape = getSmallShape(op.getOperand());
    if (!shape)
      return unknown();
    const Elements &operand = values.getElements(op.getOperand());
    Grid from(*shape), to(resultShape);
    if (operand.empty() && from.getSize() != 0)
      return unknown();
    bool isEmpty = from.getSize() == 0;
    if (isEmpty && op.getKind() != ReduceKind::Sum &&
        op.getKind() != ReduceKind::Prod)
      return unknown();
    Element neutral =
        arithmetic.constant(op.getKind() == ReduceKind::Prod ? 1 : 0);
    Elements result(size, neutral);
    SmallVector<bool> isFirst(size, true);
    for (auto [position, element] : llvm::enumerate(operand)) {
      SmallVector<int64_t> kept;
      for (auto [axis, i] : llvm::enumerate(from.delinearize(position)))
        if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(axis)))
          kept.push_back(i);
      int64_t target = *to.linearize(kept);
      result[target] =
          isFirst[target] ? element
                          : cutLong(arithmetic.reduce(elementType, op.getKind(),
                                                      result[target], element));
      isFirst[target] = false;
    }
    return result;
  }

private:
  /// An element of the result with the value of a size expression.
  Element makeElement(DimExpr expr) const {
    return arithmetic.hold(elementType, {values.getDims().expand(expr)});
  }

  SymbolicValues &values;
  ElementArithmetic arithmetic;
  Type elementType;
  ArrayRef<int64_t> resultShape;
  int64_t size;
};
} // namespace

//===----------------------------------------------------------------------===//
// SymbolicValues
//===----------------------------------------------------------------------===//

Elements SymbolicValues::compute(Value tensor) {
  std::optional<ArrayRef<int64_t>> shape = getSmallShape(tensor);
  if (!shape || llvm::is_contained(*shape, 0))
    return {};
  Evaluator evaluator(*this, tensor, *shape);
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return evaluator.unknown();
  return visitOp<Elements>(
      Ops(), op,
      [&](auto op) -> decltype(evaluator.visit(op)) {
        return evaluator.visit(op);
      },
      [&](Operation *op) {
        return op->hasTrait<dhlo::Elementwise>()
                   ? evaluator.visitElementwise(op)
                   : evaluator.unknown();
      });
}

const Elements &SymbolicValues::getElements(Value tensor) {
  auto it = known.find(tensor);
  if (it != known.end())
    return it->second;
  if (depth == kMostDepth)
    return none;
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  Elements elements = compute(tensor);
  llvm::transform(elements, elements.begin(), cutLong);
  return known[tensor] = std::move(elements);
}

std::optional<SmallVector<DimExpr>> SymbolicValues::getIntegers(Value tensor) {
  std::optional<ArrayRef<int64_t>> shape = getSmallShape(tensor);
  if (!shape)
    return std::nullopt;
  const Elements &elements = getElements(tensor);
  if (elements.empty() && !llvm::is_contained(*shape, 0))
    return std::nullopt;
  SmallVector<DimExpr> result;
  for (const Element &element : elements) {
    if (!element.isInteger() || element.mayBeNegativeZero)
      return std::nullopt;
    result.push_back(element.numerator);
  }
  return result;
}

DimExpr SymbolicValues::getScalar(Value tensor) {
  auto integers = getIntegers(tensor);
  return integers && integers->size() == 1 ? integers->front() : DimExpr();
}

std::optional<SmallVector<int64_t>> SymbolicValues::getConstants(Value tensor) {
  auto integers = getIntegers(tensor);
  if (!integers)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (DimExpr expr : *integers) {
    std::optional<int64_t> value = getConstantValue(dims.expand(expr));
    if (!value)
      return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

void SymbolicValues::forget(Operation *op) {
  for (Value result : op->getResults())
    known.erase(result);
}
