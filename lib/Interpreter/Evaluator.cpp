//===- Evaluator.cpp - Values and sizes while a program runs --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "dyn/Dialect/Dist/IR/Dist.h"

#include <optional>

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type Evaluator::getElementType(Type type) const {
  Type elementType = getElementTypeOrSelf(type);
  if (options.float64 && isa<FloatType>(elementType))
    return Float64Type::get(type.getContext());
  return elementType;
}

FailureOr<Tensor> Evaluator::allocate(Operation *op, Type type) {
  auto tensorType = cast<RankedTensorType>(type);
  FailureOr<SmallVector<int64_t>> sizes = evaluateSizes(op, tensorType);
  if (failed(sizes))
    return failure();
  return allocate(op, getElementType(type), *sizes);
}

FailureOr<Tensor> Evaluator::allocate(Operation *op, Type elementType,
                                      ArrayRef<int64_t> sizes) {
  std::optional<int64_t> count = getNumElements(sizes);
  if (!count ||
      *count > options.maxTensorBytes / dyn::getElementBytes(elementType)) {
    InFlightDiagnostic diag = op->emitOpError("makes a tensor of sizes ");
    llvm::interleave(sizes, diag, "x");
    diag << " of " << elementType << ": expected at most "
         << options.maxTensorBytes << " bytes";
    return failure();
  }
  Tensor tensor = Tensor::create(elementType, sizes);
  // No test: memory that the limit allows is there on machines that test.
  if (tensor.isNull())
    return op->emitOpError("runs out of memory: a tensor of ")
           << *count << " elements of " << elementType;
  return tensor;
}

LogicalResult Evaluator::set(Operation *op, Value value, Tensor tensor) {
  auto type = cast<RankedTensorType>(value.getType());
  // No test: as in allocate.
  if (tensor.isNull())
    return op->emitOpError("runs out of memory");
  assert(tensor.getElementType() == getElementType(type) &&
         "an operation gives the element type of its result");
  if (tensor.getRank() != type.getRank())
    return op->emitOpError("expected rank ")
           << type.getRank() << ", found " << tensor.getRank();
  FailureOr<SmallVector<int64_t>> sizes = evaluateSizes(op, type);
  if (failed(sizes))
    return failure();
  for (int64_t axis = 0; axis != type.getRank(); ++axis)
    if (tensor.getSize(axis) != (*sizes)[axis])
      return emitSizeMismatch(op, "axis " + Twine(axis) + " of the result",
                              (*sizes)[axis], tensor.getSize(axis));
  values[value] = std::move(tensor);
  return success();
}

void Evaluator::reportDataError(Operation *op, DataErrorKind kind) {
  // Operations report element by element; one entry is enough.
  if (!dataErrors.empty() && dataErrors.back().op == op &&
      dataErrors.back().kind == kind)
    return;
  dataErrors.push_back({kind, op});
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void Evaluator::enterScope(Block &block) {
  declarations.clear();
  for (auto dim : block.getOps<dhlo::DimOp>())
    declarations[dim.getSymNameAttr()] = dim;
}

std::optional<int64_t> Evaluator::getDimValue(StringAttr name) const {
  auto it = dims.find(name);
  if (it != dims.end())
    return it->second;
  dhlo::DimOp dim = declarations.lookup(name);
  if (!dim || !dim.getDefinitionAttr())
    return std::nullopt;
  return dhlo::evaluate(dim.getDefinitionAttr(), [&](StringAttr operand) {
    return getDimValue(operand);
  });
}

FailureOr<int64_t> Evaluator::evaluateDim(Operation *op, dhlo::DimExpr expr) {
  std::optional<int64_t> value =
      dhlo::evaluate(expr, [&](StringAttr name) { return getDimValue(name); });
  if (value)
    return *value;
  std::string text;
  llvm::raw_string_ostream os(text);
  dhlo::printDimExpr(os, expr);
  return op->emitOpError("needs the size ") << text << ", which has no value";
}

FailureOr<SmallVector<int64_t>> Evaluator::evaluateDims(Operation *op,
                                                        ArrayAttr exprs) {
  SmallVector<int64_t> results;
  for (auto expr : exprs.getAsRange<dhlo::DimExprAttr>()) {
    FailureOr<int64_t> value = evaluateDim(op, expr);
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  return results;
}

FailureOr<SmallVector<int64_t>>
Evaluator::evaluateSizes(Operation *op, RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (!ShapedType::isDynamic(size))
      continue;
    dhlo::DimExpr expr = dhlo::getDim(type, axis);
    assert(expr && "operations have named sizes, and so have checked inputs");
    FailureOr<int64_t> value = evaluateDim(op, expr);
    if (failed(value))
      return failure();
    if (*value < 0)
      return op->emitOpError("expected the size @")
             << expr.getName().getValue() << " of at least 0, found " << *value;
    size = *value;
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// For each operation of the block, the values of the block that it is the last
/// to use.
static DenseMap<Operation *, SmallVector<Value, 2>> findLastUses(Block &block) {
  DenseMap<Operation *, SmallVector<Value, 2>> dying;
  auto visit = [&](Value value) {
    Operation *last = value.getDefiningOp();
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
    if (last)
      dying[last].push_back(value);
  };
  for (BlockArgument argument : block.getArguments())
    visit(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      visit(result);
  return dying;
}

FailureOr<SmallVector<Tensor>> Evaluator::runBlock(Block &block,
                                                   ArrayRef<Tensor> arguments) {
  for (auto [value, tensor] : llvm::zip_equal(block.getArguments(), arguments))
    if (failed(set(block.getParentOp(), value, tensor)))
      return failure();
  DenseMap<Operation *, SmallVector<Value, 2>> dying = findLastUses(block);
  for (Operation &op : block.without_terminator()) {
    if (failed(evaluateOp(&op)))
      return failure();
    for (Value value : dying.lookup(&op))
      values.erase(value);
  }
  SmallVector<Tensor> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(get(operand));
  return results;
}

/// Does nothing: declarations are read when their block is entered.
template <> LogicalResult dyn::evaluate(dhlo::DimOp op, Evaluator &state) {
  return success();
}

namespace {
/// Some operations of a dialect.
template <typename... Ops> struct OpList {
  /// Evaluates `op`; nothing if it is none of them or a terminator, whose
  /// operands `runBlock` reads.
  static std::optional<LogicalResult> evaluate(Operation *op,
                                               Evaluator &state) {
    std::optional<LogicalResult> result;
    (evaluateIfA<Ops>(op, state, result) || ...);
    return result;
  }

private:
  template <typename OpTy>
  static bool evaluateIfA(Operation *op, Evaluator &state,
                          std::optional<LogicalResult> &result) {
    if constexpr (!OpTy::template hasTrait<OpTrait::IsTerminator>())
      if (auto concrete = dyn_cast<OpTy>(op))
        result = dyn::evaluate(concrete, state);
    return result.has_value();
  }
};

using CellOps = OpList<
#define GET_OP_LIST
#include "dyn/Dialect/Cell/IR/CellOps.cpp.inc"
    >;
using DHLOOps = OpList<
#define GET_OP_LIST
#include "dyn/Dialect/DHLO/IR/DHLOOps.cpp.inc"
    >;
// The operations of dist and dlhlo on tensors; those on buffers have no meaning
// here.
using DistOps = OpList<dist::ExchangeStartOp, dist::ExchangeWaitOp,
                       dist::MeshOp, dist::ReshardOp>;
using DLHLOOps = OpList<dlhlo::FusionOp, dlhlo::GetConstantOp,
                        dlhlo::LaunchManyOp, dlhlo::LaunchOp, dlhlo::PackOp>;
} // namespace

LogicalResult Evaluator::evaluateOp(Operation *op) {
  if (auto result = DHLOOps::evaluate(op, *this))
    return *result;
  if (auto result = CellOps::evaluate(op, *this))
    return *result;
  if (auto result = DistOps::evaluate(op, *this))
    return *result;
  if (auto result = DLHLOOps::evaluate(op, *this))
    return *result;
  return op->emitOpError("is not supported by the interpreter");
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

LogicalResult dyn::emitSizeMismatch(Operation *op, Twine what, int64_t expected,
                                    int64_t found) {
  return op->emitOpError("expected size ")
         << expected << " for " << what << ", found " << found;
}

int64_t dyn::product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

SmallVector<int64_t> dyn::getStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (int64_t axis = int64_t(sizes.size()) - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * sizes[axis + 1];
  return strides;
}

bool dyn::increment(MutableArrayRef<int64_t> index, ArrayRef<int64_t> sizes) {
  for (int64_t axis = int64_t(sizes.size()) - 1; axis >= 0; --axis) {
    if (++index[axis] < sizes[axis])
      return true;
    index[axis] = 0;
  }
  return false;
}
