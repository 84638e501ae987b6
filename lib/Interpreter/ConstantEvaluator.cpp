//===- ConstantEvaluator.cpp - Bytes of constants from their recipes ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/ConstantEvaluator.h"

#include "StridedView.h"
#include "WinogradFilter.h"
#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Support/Weights.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using dlhlo::getConstantBytes;

namespace {
/// Finds views of weights for values of a recipe.
class ViewFinder {
public:
  explicit ViewFinder(WeightFiles &weights) { options.weights = &weights; }

  /// The elements of a value, which are in mapped files or in tensors that this
  /// object owns.
  FailureOr<StridedView> getView(Value value);
  /// Frees the tensors: no view is read any more.
  void clear() { tensors.clear(); }

private:
  FailureOr<StridedView> getWeight(dhlo::WeightOp op);
  FailureOr<StridedView> interpret(Value value);

  InterpreterOptions options;
  SmallVector<Tensor> tensors;
};
} // namespace

/// The values of expressions that are constants, as all in recipes are.
static std::optional<SmallVector<int64_t>> getConstants(ArrayAttr exprs) {
  SmallVector<int64_t> values;
  for (auto expr : exprs.getAsRange<dhlo::DimExprAttr>()) {
    if (!expr.isConst())
      return std::nullopt;
    values.push_back(expr.getValue());
  }
  return values;
}

/// Whether every element that the slice reads is one of the operand.
static bool isInside(dhlo::SliceOp op, ArrayRef<int64_t> starts) {
  for (auto [size, start, stride, count] :
       llvm::zip(op.getOperand().getType().getShape(), starts, op.getStrides(),
                 op.getType().getShape())) {
    int64_t last = start + (count - 1) * stride;
    if (count && (start < 0 || start >= size || last < 0 || last >= size))
      return false;
  }
  return true;
}

FailureOr<StridedView> ViewFinder::getWeight(dhlo::WeightOp op) {
  dhlo::WeightAttr source = op.getSource();
  llvm::Expected<ArrayRef<char>> bytes = options.weights->getBytes(
      source.getFile().getValue(), source.getOffset(), source.getLength());
  if (!bytes)
    return op.emitOpError() << llvm::toString(bytes.takeError());
  auto type = cast<RankedTensorType>(op.getType());
  if (getConstantBytes(type) != int64_t(bytes->size()))
    return op.emitOpError("expected ")
           << getConstantBytes(type) << " bytes, found " << bytes->size();
  return StridedView::contiguous(*bytes, type.getShape(),
                                 getElementBytes(type.getElementType()));
}

FailureOr<StridedView> ViewFinder::interpret(Value value) {
  FailureOr<Tensor> tensor = evaluateValue(value, options);
  if (failed(tensor))
    return failure();
  tensors.push_back(*tensor);
  return StridedView::contiguous(tensor->getBytes(), tensor->getSizes(),
                                 tensor->getElementBytes());
}

FailureOr<StridedView> ViewFinder::getView(Value value) {
  Operation *op = value.getDefiningOp();
  auto type = cast<RankedTensorType>(value.getType());
  if (!op || !type.hasStaticShape())
    return interpret(value);
  if (auto weight = dyn_cast<dhlo::WeightOp>(op))
    return getWeight(weight);
  if (!op->hasTrait<dhlo::MovesOneOperand>())
    return interpret(value);
  FailureOr<StridedView> operand = getView(op->getOperand(0));
  if (failed(operand))
    return failure();
  std::optional<StridedView> view =
      llvm::TypeSwitch<Operation *, std::optional<StridedView>>(op)
          .Case([&](dhlo::BroadcastOp op) {
            return operand->broadcast(op.getAxes(), type.getShape());
          })
          .Case([&](dhlo::ReshapeOp) {
            return operand->reshape(type.getShape());
          })
          .Case([&](dhlo::ReverseOp op) {
            return operand->reverse(op.getAxes());
          })
          .Case([&](dhlo::SliceOp op) -> std::optional<StridedView> {
            auto starts = getConstants(op.getStarts());
            if (!starts || !isInside(op, *starts))
              return std::nullopt;
            return operand->slice(*starts, op.getStrides(), type.getShape());
          })
          .Case([&](dhlo::TransposeOp op) {
            return operand->transpose(op.getPermutation());
          })
          .Default([](Operation *) { return std::nullopt; });
  return view ? FailureOr<StridedView>(*view) : interpret(value);
}

/// Writes elements in the layout of a constant's type.
static void write(const StridedView &view, dlhlo::PackedAttr packed,
                  MutableArrayRef<char> out) {
  if (packed && packed.getKind() == dlhlo::PackKind::Winograd4)
    return packWinogradFilter(view, out);
  if (packed && packed.getKind() == dlhlo::PackKind::Winograd4Lines)
    return packWinogradLines(view, packed.getBatch(), out);
  if (int64_t group = packed ? dlhlo::getGroupSize(packed.getKind()) : 1;
      group > 1)
    return view.packGroupsTo(packed.getBatch(), packed.getRows(), group, out);
  if (packed)
    return view.packTo(packed.getBatch(), packed.getRows(), out);
  view.copyTo(out);
}

namespace {
/// Parts that are stacked along axis 0, and the operations on the stack: the
/// same as on each part, as axis 0 stays.
struct Stack {
  dhlo::ConcatOp parts;
  SmallVector<dhlo::TransposeOp> transposes; ///< the first one last
};
} // namespace

/// Matches a value that concatenates parts with consecutive bytes.
static std::optional<Stack> matchStack(Value value, dlhlo::PackedAttr packed) {
  if (packed && packed.getBatch() == 0)
    return std::nullopt;
  Stack stack;
  while (auto transpose = value.getDefiningOp<dhlo::TransposeOp>()) {
    if (transpose.getPermutation().empty() ||
        transpose.getPermutation().front() != 0)
      return std::nullopt;
    stack.transposes.push_back(transpose);
    value = transpose.getOperand();
  }
  stack.parts = value.getDefiningOp<dhlo::ConcatOp>();
  if (!stack.parts || stack.parts.getAxis() != 0)
    return std::nullopt;
  return stack;
}

/// Writes the elements of `value` without a copy of its stacked parts.
static LogicalResult write(ViewFinder &finder, Value value,
                           dlhlo::PackedAttr packed,
                           MutableArrayRef<char> out) {
  std::optional<Stack> stack = matchStack(value, packed);
  if (!stack) {
    FailureOr<StridedView> view = finder.getView(value);
    if (failed(view))
      return failure();
    write(*view, packed, out);
    return success();
  }
  int64_t rows = cast<RankedTensorType>(value.getType()).getDimSize(0);
  int64_t rowBytes = rows ? int64_t(out.size()) / rows : 0;
  for (Value part : stack->parts.getOperands()) {
    FailureOr<StridedView> view = finder.getView(part);
    if (failed(view))
      return failure();
    for (dhlo::TransposeOp transpose : llvm::reverse(stack->transposes))
      view = view->transpose(transpose.getPermutation());
    int64_t size =
        cast<RankedTensorType>(part.getType()).getDimSize(0) * rowBytes;
    write(*view, packed, out.take_front(size));
    finder.clear();
    out = out.drop_front(size);
  }
  return success();
}

LogicalResult dyn::evaluateConstant(dlhlo::ConstantOp constant,
                                    WeightFiles &weights,
                                    MutableArrayRef<char> out) {
  auto type = cast<RankedTensorType>(constant.getType());
  int64_t bytes = getConstantBytes(type);
  if (bytes != int64_t(out.size()))
    return constant.emitOpError("has ")
           << bytes << " bytes, and there is room for " << out.size();
  Operation *yield = constant.getRecipe().front().getTerminator();
  if (yield->getNumOperands() != 1)
    return constant.emitOpError(
               "expected a recipe that yields one value, found ")
           << yield->getNumOperands();
  Value value = yield->getOperand(0);
  if (value.getType() != type)
    return constant.emitOpError("expected a recipe that yields ")
           << type << ", found " << value.getType();
  ViewFinder finder(weights);
  auto packed = dyn_cast_or_null<dlhlo::PackedAttr>(type.getEncoding());
  if (auto pack = value.getDefiningOp<dlhlo::PackOp>())
    value = pack.getOperand();
  return write(finder, value, packed, out);
}
