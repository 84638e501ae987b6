//===- KernelCost.cpp - The work of a kernel, over its sizes --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Dialect/DHLO/IR/VisitOp.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

namespace {
/// Counts the operations of one dhlo operation.
class OperationCounter {
public:
  explicit OperationCounter(const SymbolicDims &dims) : dims(dims) {}

  DimExpr countAny(Operation *op);

private:
  static RankedTensorType type(Value v) {
    return llvm::cast<RankedTensorType>(v.getType());
  }
  DimExpr elements(Value v) { return dims.getNumElements(type(v)); }
  DimExpr size(Value v, int64_t axis) { return dims.getDim(v, axis); }
  DimExpr perElement(Value v, int64_t operations) {
    return dhlo::mul(elements(v), operations);
  }

  DimExpr count(dhlo::DotGeneralOp op);
  DimExpr count(dhlo::GroupedDotOp op);
  DimExpr count(dhlo::Convolves op);
  DimExpr count(dhlo::AttentionOp op);
  DimExpr count(dhlo::LstmOp op);
  DimExpr count(dhlo::ResizeOp op);
  DimExpr count(dhlo::FftOp op);
  DimExpr count(dhlo::SoftmaxOp op) { return perElement(op.getResult(), 5); }
  DimExpr count(dhlo::LayerNormOp op) {
    return perElement(op.getResult(), op.getBias() ? 7 : 6);
  }
  DimExpr count(dhlo::RmsNormOp op) { return perElement(op.getResult(), 4); }
  DimExpr count(dhlo::GeluOp op) {
    return perElement(op.getResult(),
                      op.getKind() == dhlo::GeluKind::Tanh ? 9 : 5);
  }
  DimExpr count(dhlo::ReduceWindowOp op);
  DimExpr count(dhlo::GroupOp op) { return elements(op.getIds()); }
  DimExpr count(dhlo::SuppressOp op) { return elements(op.getResult()); }
  DimExpr count(dhlo::NonzeroOp op) { return elements(op.getOperand()); }
  DimExpr count(dhlo::ScatterNdOp op) { return elements(op.getUpdates()); }
  DimExpr count(dhlo::ScatterElementsOp op) {
    return elements(op.getUpdates());
  }
  DimExpr count(dhlo::RngOp op) { return elements(op.getResult()); }

  const SymbolicDims &dims;
};
} // namespace

DimExpr OperationCounter::count(dhlo::DotGeneralOp op) {
  DimExpr multiplications = elements(op.getResult());
  for (int64_t axis : op.getLhsContract())
    multiplications = dhlo::mul(multiplications, size(op.getLhs(), axis));
  return dhlo::mul(multiplications, 2);
}

DimExpr OperationCounter::count(dhlo::GroupedDotOp op) {
  return dhlo::mul(dhlo::mul(elements(op.getResult()), size(op.getRhs(), 1)),
                   2);
}

DimExpr OperationCounter::count(dhlo::Convolves op) {
  dhlo::ConvolutionAxes axes(op);
  DimExpr window = dhlo::getConstDim(op.getContext(), 2);
  for (int64_t i = 0; i < axes.spatial; ++i)
    window = dhlo::mul(window, size(op.getFilter(), axes.filterSpatial + i));
  // If the input is dilated, each of its elements meets the window once for
  // each filter of its group; the zeros between them are not multiplied.
  if (llvm::any_of(op.getInputDilation(), [](int64_t d) { return d > 1; }))
    return dhlo::mul(dhlo::mul(elements(op.getInput()), window),
                     dhlo::floorDiv(size(op.getFilter(), axes.filterNumber),
                                    op.getGroups()));
  return dhlo::mul(dhlo::mul(elements(op.getResult()), window),
                   size(op.getFilter(), axes.filterChannel));
}

DimExpr OperationCounter::count(dhlo::AttentionOp op) {
  DimExpr matrices = dhlo::mul(size(op.getQuery(), 0), size(op.getQuery(), 1));
  DimExpr queries = size(op.getQuery(), 2), keys = size(op.getKey(), 2);
  DimExpr depth = size(op.getQuery(), 3), width = size(op.getValue(), 3);
  // Twice the number of scores: with a causal mask the last query sees all
  // keys, and each query before it one key less, down to none.
  DimExpr scores = dhlo::mul(dhlo::mul(queries, keys), 2);
  if (op.getCausal() && dims.isAtMost(queries, keys))
    scores = dhlo::sub(scores, dhlo::mul(queries, dhlo::add(queries, -1)));
  else if (op.getCausal() && dims.isAtMost(keys, queries))
    scores = dhlo::mul(keys, dhlo::add(keys, 1));
  DimExpr perScore = dhlo::add(dhlo::add(depth, width), op.getCap() ? 5 : 3);
  return dhlo::mul(matrices, dhlo::add(dhlo::mul(scores, perScore),
                                       dhlo::mul(queries, width)));
}

DimExpr OperationCounter::count(dhlo::LstmOp op) {
  // Gates are [T, B, D, 4H].
  DimExpr hidden = size(op.getRecurrent(), 1);
  DimExpr multiplications =
      dhlo::mul(dhlo::mul(elements(op.getGates()), hidden), 2);
  DimExpr states = elements(op.getHiddens());
  return dhlo::add(multiplications, dhlo::mul(states, 13));
}

DimExpr OperationCounter::count(dhlo::ResizeOp op) {
  if (op.getMode() == dhlo::ResizeMode::Nearest)
    return dhlo::getConstDim(op.getContext(), 0);
  int64_t taps = 2;
  for (int64_t axis = 0; axis < type(op.getResult()).getRank(); ++axis)
    if (!dims.isEqual(size(op.getOperand(), axis), size(op.getResult(), axis)))
      taps *= op.getMode() == dhlo::ResizeMode::Cubic ? 4 : 2;
  return perElement(op.getResult(), taps);
}

DimExpr OperationCounter::count(dhlo::FftOp op) {
  // 5 n log2(n) by the usual count, and half of it for real numbers. A length
  // that has a name is counted as one of 1024: sizes have no logarithm.
  auto length = dhlo::getConstantValue(op.getLength());
  int64_t steps =
      length ? llvm::Log2_64_Ceil(std::max<int64_t>(*length, 2)) : 10;
  bool isReal = !op.getImaginary() || !op.getResultImaginary();
  Value whole = op.getResultImaginary() ? op.getReal() : op.getResult();
  DimExpr twice = perElement(whole, 5 * steps * (isReal ? 1 : 2));
  return dhlo::floorDiv(twice, 2);
}

DimExpr OperationCounter::count(dhlo::ReduceWindowOp op) {
  // A window may be longer than the axis, as those of global averages are.
  DimExpr window = dhlo::getConstDim(op.getContext(), 1);
  for (auto [axis, extent] : llvm::enumerate(op.getWindow()))
    window =
        dhlo::mul(window, dhlo::min(dhlo::getConstDim(op.getContext(), extent),
                                    size(op.getOperand(), axis)));
  return dhlo::mul(elements(op.getResult()), window);
}

DimExpr OperationCounter::countAny(Operation *op) {
  return visitOp<DimExpr>(
      dhlo::Ops(), op,
      [&](auto op) -> decltype(this->count(op)) { return count(op); },
      [&](Operation *op) {
        if (op->hasTrait<dhlo::Reduction>() ||
            op->hasTrait<dhlo::AlongSegments>() ||
            llvm::isa<dlhlo::FindNonzeroOp>(op))
          return elements(op->getOperand(0));
        return op->hasTrait<dhlo::Elementwise>()
                   ? elements(op->getResult(0))
                   : dhlo::getConstDim(op->getContext(), 0);
      });
}

DimExpr dyn::countOperations(Operation *op, const SymbolicDims &dims) {
  return OperationCounter(dims).countAny(op);
}

/// Bytes of `count` elements of a type.
static DimExpr getBytes(RankedTensorType type, DimExpr count) {
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return dhlo::mul(count, (bits + 7) / 8);
}

DimExpr dyn::getBytes(RankedTensorType type, const SymbolicDims &dims) {
  return ::getBytes(type, dims.getNumElements(type));
}

/// Bytes that a kernel reads of an argument.
static DimExpr getBytesRead(BlockArgument argument, const SymbolicDims &dims) {
  auto type = llvm::cast<RankedTensorType>(argument.getType());
  MLIRContext *context = type.getContext();
  if (type.getEncoding() && llvm::isa<dlhlo::PackedAttr>(type.getEncoding())) {
    int64_t elementBytes = type.getElementTypeBitWidth() / 8;
    return dhlo::getConstDim(context,
                             dlhlo::getConstantBytes(type) -
                                 dlhlo::getPanelsOffset(type) * elementBytes);
  }
  DimExpr all = dims.getNumElements(type);
  DimExpr taken = dhlo::getConstDim(context, 0);
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    bool isTaken =
        use.getOperandNumber() == 0 &&
        (user->hasTrait<dhlo::Gathers>() || llvm::isa<dhlo::SliceOp>(user));
    if (!isTaken)
      return getBytes(type, all);
    taken = dhlo::add(taken, dims.getNumElements(llvm::cast<RankedTensorType>(
                                 user->getResult(0).getType())));
  }
  return getBytes(type, dims.isAtMost(all, taken)
                            ? all
                            : dims.expand(dhlo::min(all, taken)));
}

KernelCost dyn::getKernelCost(dlhlo::KernelOp kernel,
                              const SymbolicDims &dims) {
  Block &body = kernel.getBody().front();
  OperationCounter counter(dims);
  DimExpr zero = dhlo::getConstDim(kernel.getContext(), 0);
  KernelCost cost{zero, zero};
  for (Operation &op : body.without_terminator())
    cost.flops = dhlo::add(cost.flops, counter.countAny(&op));
  for (BlockArgument argument : body.getArguments())
    cost.bytes = dhlo::add(cost.bytes, getBytesRead(argument, dims));
  for (Value result : body.getTerminator()->getOperands()) {
    auto type = llvm::cast<RankedTensorType>(result.getType());
    cost.bytes = dhlo::add(cost.bytes, getBytes(type, dims));
  }
  return {dims.expand(cost.flops), dims.expand(cost.bytes)};
}
