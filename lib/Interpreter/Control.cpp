//===- Control.cpp - Regions, symbols and constants -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "dyn/Support/Weights.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// The legal value of a symbol that is nearest to `value`.
static int64_t clampToFacts(dhlo::DimOp dim, int64_t value) {
  int64_t min = dim ? int64_t(dim.getMin().value_or(0)) : 0;
  int64_t max = dim && dim.getMax() ? int64_t(*dim.getMax())
                                    : std::numeric_limits<int64_t>::max();
  int64_t multiple =
      dim ? std::max<int64_t>(dim.getMultipleOf().value_or(1), 1) : 1;
  int64_t smallest = llvm::divideCeilSigned(min, multiple) * multiple;
  int64_t largest = llvm::divideFloorSigned(max, multiple) * multiple;
  if (value <= smallest)
    return smallest;
  if (value >= largest)
    return largest;
  // The nearest multiple, the smaller one of two.
  int64_t below = llvm::divideFloorSigned(value, multiple) * multiple;
  return value - below <= below + multiple - value ? below : below + multiple;
}

/// The value nearest to `value` that a symbol's facts allow.
static FailureOr<int64_t> getLegalSize(Operation *op, StringAttr name,
                                       int64_t value, Evaluator &state) {
  dhlo::DimOp dim = state.getDeclaration(name);
  int64_t legal = clampToFacts(dim, value);
  if (!dim || !dim.getAtMostAttr())
    return legal;
  FailureOr<int64_t> most = state.evaluateDim(op, dim.getAtMostAttr());
  if (failed(most))
    return failure();
  return std::min(legal, std::max<int64_t>(*most, 0));
}

template <> LogicalResult dyn::evaluate(dhlo::BindOp op, Evaluator &state) {
  int64_t value = state.get(op.getValue()).getInt();
  StringAttr name = op.getSymbolAttr().getAttr();
  FailureOr<int64_t> legal = getLegalSize(op, name, value, state);
  if (failed(legal))
    return failure();
  if (*legal != value)
    state.reportDataError(op, DataErrorKind::Size);
  state.bindDim(name, *legal);
  return success();
}

template <> LogicalResult dyn::evaluate(dhlo::FromDimsOp op, Evaluator &state) {
  FailureOr<SmallVector<int64_t>> values =
      state.evaluateDims(op, op.getExprs());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(values) || failed(result))
    return failure();
  dispatchNumber(result->getElementType(), [&](auto tag) {
    using T = decltype(tag);
    for (auto [out, value] : llvm::zip(result->getMutableData<T>(), *values))
      out = T(ComputeType<T>(value));
  });
  return state.set(op, op.getResult(), *result);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <> LogicalResult dyn::evaluate(dhlo::ConstantOp op, Evaluator &state) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!value)
    return op.emitOpError("expected dense elements");
  Tensor tensor = Tensor::fromAttribute(value);
  if (state.getOptions().float64 && !tensor.isNull())
    tensor = tensor.toFloat64();
  return state.set(op, op.getResult(), tensor);
}

template <> LogicalResult dyn::evaluate(dhlo::WeightOp op, Evaluator &state) {
  dhlo::WeightAttr source = op.getSource();
  WeightFiles *files = state.getOptions().weights;
  if (!files)
    return op.emitOpError("needs weights, and no folder for them is given");
  llvm::Expected<ArrayRef<char>> bytes = files->getBytes(
      source.getFile().getValue(), source.getOffset(), source.getLength());
  if (!bytes)
    return op.emitOpError() << llvm::toString(bytes.takeError());
  auto type = cast<RankedTensorType>(op.getType());
  int64_t elementBytes = getElementBytes(type.getElementType());
  std::optional<int64_t> count = getNumElements(type.getShape());
  if (!count || uint64_t(*count) * elementBytes != bytes->size())
    return op.emitOpError("expected ") << (count ? *count * elementBytes : 0)
                                       << " bytes, found " << bytes->size();
  // Files may hold elements at any address.
  bool isAligned =
      reinterpret_cast<uintptr_t>(bytes->data()) % elementBytes == 0;
  Tensor tensor =
      isAligned ? Tensor::borrow(type.getElementType(), type.getShape(), *bytes)
                : Tensor::copy(type.getElementType(), type.getShape(), *bytes);
  if (state.getOptions().float64 && !tensor.isNull())
    tensor = tensor.toFloat64();
  return state.set(op, op.getResult(), tensor);
}

template <>
LogicalResult dyn::evaluate(dlhlo::GetConstantOp op, Evaluator &state) {
  auto constant = SymbolTable::lookupNearestSymbolFrom<dlhlo::ConstantOp>(
      op, op.getConstantAttr());
  assert(constant && "the verifier looks the constant up (get_constant_c1)");
  Operation *yield = constant.getRecipe().front().getTerminator();
  FailureOr<Tensor> tensor =
      evaluateValue(yield->getOperand(0), state.getOptions());
  if (failed(tensor))
    return failure();
  return state.set(op, op.getResult(), *tensor);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Binds symbols to one value each. Values that violate facts are data errors,
/// and are kept: tensors have these sizes.
static LogicalResult bindDims(Operation *op, ArrayAttr names,
                              ArrayRef<int64_t> values, Evaluator &state) {
  for (auto [name, value] :
       llvm::zip_equal(names.getAsRange<FlatSymbolRefAttr>(), values)) {
    state.bindDim(name.getAttr(), value);
    FailureOr<int64_t> legal = getLegalSize(op, name.getAttr(), value, state);
    if (failed(legal))
      return failure();
    if (*legal != value)
      state.reportDataError(op, DataErrorKind::Size);
  }
  return success();
}

static LogicalResult setResults(Operation *op, ArrayRef<Tensor> tensors,
                                Evaluator &state) {
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(), tensors))
    if (failed(state.set(op, result, tensor)))
      return failure();
  return success();
}

template <> LogicalResult dyn::evaluate(dhlo::IfOp op, Evaluator &state) {
  bool isThen = state.get(op.getCondition()).getInt() != 0;
  Region &region = isThen ? op.getThenRegion() : op.getElseRegion();
  FailureOr<SmallVector<Tensor>> results = state.runBlock(region.front(), {});
  if (failed(results))
    return failure();
  // The branch's sizes are evaluated after it, since they may use what it
  // binds.
  FailureOr<SmallVector<int64_t>> sizes =
      state.evaluateDims(op, isThen ? op.getThenDims() : op.getElseDims());
  if (failed(sizes))
    return failure();
  if (failed(bindDims(op, op.getBinds(), *sizes, state)))
    return failure();
  return setResults(op, *results, state);
}

template <> LogicalResult dyn::evaluate(dhlo::WhileOp op, Evaluator &state) {
  SmallVector<Tensor> carried;
  for (Value init : op.getInits())
    carried.push_back(state.get(init));
  FailureOr<SmallVector<int64_t>> sizes =
      state.evaluateDims(op, op.getInitDims());
  if (failed(sizes))
    return failure();
  bool isGoing = state.get(op.getEnter()).getInt() != 0;
  for (int64_t iteration = 0; isGoing; ++iteration) {
    if (iteration == state.getOptions().maxIterations)
      return op.emitOpError("does not end after ")
             << iteration << " iterations";
    if (failed(bindDims(op, op.getLoopDims(), *sizes, state)))
      return failure();
    FailureOr<SmallVector<Tensor>> yielded =
        state.runBlock(op.getBody().front(), carried);
    if (failed(yielded))
      return failure();
    sizes = state.evaluateDims(op, op.getNextDims());
    if (failed(sizes))
      return failure();
    isGoing = yielded->front().getInt() != 0;
    carried.assign(yielded->begin() + 1, yielded->end());
  }
  if (failed(bindDims(op, op.getResultDims(), *sizes, state)))
    return failure();
  return setResults(op, carried, state);
}

template <> LogicalResult dyn::evaluate(dlhlo::FusionOp op, Evaluator &state) {
  SmallVector<Tensor> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(state.get(input));
  FailureOr<SmallVector<Tensor>> results =
      state.runBlock(op.getBody().front(), inputs);
  if (failed(results))
    return failure();
  return setResults(op, *results, state);
}

template <>
LogicalResult dyn::evaluate(dlhlo::LaunchManyOp op, Evaluator &state) {
  FailureOr<SmallVector<Tensor>> results =
      state.runBlock(op.getBody().front(), {});
  if (failed(results))
    return failure();
  return setResults(op, *results, state);
}

template <> LogicalResult dyn::evaluate(dlhlo::LaunchOp op, Evaluator &state) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<dlhlo::KernelOp>(
      op, op.getKernelAttr());
  assert(kernel && "the verifier looks the kernel up (launch_c1)");
  FailureOr<SmallVector<int64_t>> sizes = state.evaluateDims(op, op.getDims());
  if (failed(sizes))
    return failure();
  SmallVector<Tensor> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(state.get(input));
  // Only a kernel's own symbols are visible in it.
  Evaluator inner(state.getOptions(), state.getDataErrorList());
  Block &block = kernel.getBody().front();
  inner.enterScope(block);
  for (auto [dim, size] : llvm::zip_equal(kernel.getDims(), *sizes))
    inner.bindDim(dim.getSymNameAttr(), size);
  FailureOr<SmallVector<Tensor>> results = inner.runBlock(block, inputs);
  if (failed(results))
    return failure();
  return setResults(op, *results, state);
}
