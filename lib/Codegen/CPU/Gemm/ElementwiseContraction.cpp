//===- ElementwiseContraction.cpp - Contractions, one element at a time ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Contractions and convolutions of every type and layout, slow and simple: each
// element of the results is computed on its own, that of a contraction by a
// loop over the summed indices, in the order of the operation's definition.
// This is the fallback of kernels, whatever is fused with the contraction.

#include "Codegen/CPU/Schedule.h"
#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/Common/Builder/ElementNotes.h"
#include "Codegen/Common/Problems/ConvolutionTerm.h"
#include "Codegen/Common/Problems/GroupOffsets.h"
#include "Codegen/Common/Problems/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::ConvolutionAxes;

namespace {

/// Elements of the results that an item computes.
constexpr int64_t kItemSize = 16;

/// An element of a tensor by one index per axis, packed or not.
Value emitElement(KernelBuilder &b, ElementEmitter &emitter, Value tensor,
                  ArrayRef<OpFoldResult> index) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto packed = dyn_cast_or_null<dlhlo::PackedAttr>(type.getEncoding());
  if (!packed) {
    SmallVector<Value> values;
    for (OpFoldResult i : index)
      values.push_back(b.value(i));
    return emitter.emit(tensor, values, 1);
  }
  int64_t next = 0;
  auto join = [&](int64_t end, int64_t &count) {
    OpFoldResult number = b.constant(0);
    count = 1;
    for (; next < end; ++next) {
      number =
          b.add(b.mul(number, b.constant(type.getDimSize(next))), index[next]);
      count *= type.getDimSize(next);
    }
    return number;
  };
  int64_t batches, depth, columns;
  OpFoldResult g = join(packed.getBatch(), batches);
  OpFoldResult k = join(packed.getBatch() + packed.getRows(), depth);
  OpFoldResult n = join(type.getRank(), columns);
  // Panels of columns, which consist of groups of rows.
  OpFoldResult width = b.constant(16);
  int64_t rows = dlhlo::getGroupSize(packed.getKind());
  OpFoldResult group = b.constant(rows);
  OpFoldResult at = b.add(b.mul(g, b.constant(llvm::divideCeil(columns, 16))),
                          b.div(n, width));
  at = b.add(b.mul(at, b.constant(llvm::divideCeil(depth, rows))),
             b.div(k, group));
  at = b.add(b.mul(at, width), b.rem(n, width));
  at = b.add(b.mul(at, group), b.rem(k, group));
  at = b.add(at, b.constant(dlhlo::getPanelsOffset(type)));
  int64_t buffer = cast<BlockArgument>(tensor).getArgNumber();
  return b.load(b.buffer(buffer), at, type.getElementType(), 1);
}

/// Emits loops over [0, extents[i]) that accumulate `body`.
Value emitSum(KernelBuilder &b, ArrayRef<OpFoldResult> extents, Value init,
              SmallVector<OpFoldResult> index,
              llvm::function_ref<Value(ArrayRef<OpFoldResult>, Value)> body) {
  if (index.size() == extents.size())
    return body(index, init);
  return b.loop(b.constant(0), extents[index.size()], 1, ValueRange{init},
                [&](Value i, ValueRange carried) {
                  SmallVector<OpFoldResult> inner = index;
                  inner.push_back(i);
                  return SmallVector<Value>{
                      emitSum(b, extents, carried[0], inner, body)};
                })[0];
}

Value emitDot(KernelBuilder &b, ElementEmitter &emitter, dhlo::DotGeneralOp op,
              ArrayRef<OpFoldResult> result) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  Type sum = getSumType(cast<RankedTensorType>(op.getType()).getElementType());
  SmallVector<OpFoldResult> extents;
  for (int64_t axis : op.getLhsContract())
    extents.push_back(b.size(op.getLhs(), axis));

  auto getIndex = [&](int64_t rank, ArrayRef<int64_t> contract,
                      ArrayRef<OpFoldResult> summed, int64_t nextFree) {
    SmallVector<OpFoldResult> index(rank);
    for (int64_t i = 0; i < static_cast<int64_t>(op.getBatch()); ++i)
      index[i] = result[i];
    for (auto [axis, i] : llvm::zip(contract, summed))
      index[axis] = i;
    for (OpFoldResult &i : index)
      if (!i)
        i = result[nextFree++];
    return index;
  };
  int64_t lhsFree = lhs.getRank() - op.getBatch() - extents.size();
  return emitSum(
      b, extents, b.number(0, sum), {},
      [&](ArrayRef<OpFoldResult> summed, Value total) {
        Value x = emitElement(b, emitter, op.getLhs(),
                              getIndex(lhs.getRank(), op.getLhsContract(),
                                       summed, op.getBatch()));
        Value y = emitElement(b, emitter, op.getRhs(),
                              getIndex(rhs.getRank(), op.getRhsContract(),
                                       summed, op.getBatch() + lhsFree));
        return multiplyAdd(b, toSum(b, x, lhs.getElementType(), sum),
                           toSum(b, y, rhs.getElementType(), sum), total);
      });
}

Value emitConvolution(KernelBuilder &b, ElementEmitter &emitter,
                      dhlo::Convolves op, ArrayRef<OpFoldResult> result) {
  ConvolutionAxes axes(op);
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  Type sum = getSumType(element);
  SmallVector<OpFoldResult> extents;
  for (int64_t i = 0; i < axes.spatial; ++i)
    extents.push_back(b.size(op.getFilter(), axes.filterSpatial + i));
  extents.push_back(b.size(op.getFilter(), axes.filterChannel));

  auto emitWith = [&](Value filter) {
    return emitSum(
        b, extents, b.number(0, sum), {},
        [&](ArrayRef<OpFoldResult> summed, Value total) {
          ConvolutionTerm term(b, op, result, summed);
          if (filter)
            term.filter[0] = filter;
          return b.ifElse(
              term.inside, sum,
              [&] {
                Value value =
                    emitElement(b, emitter, op.getInput(), term.input);
                Value weight =
                    emitElement(b, emitter, op.getFilter(), term.filter);
                return multiplyAdd(b, toSum(b, value, element, sum),
                                   toSum(b, weight, element, sum), total);
              },
              [&] { return total; });
        });
  };
  if (!op.getImageOffsets())
    return emitWith(Value());
  // Images in no group have zeros as results.
  GroupOffsets offsets = {op, op.getImageOffsets(),
                          b.getDims().getDim(op.getInput(), 0)};
  Value filter = offsets.emitGroup(b, result[0]);
  return b.ifElse(
      b.cmp(CmpIPredicate::ult, filter, b.size(op.getFilter(), 0)), sum,
      [&] { return emitWith(filter); }, [&] { return b.number(0, sum); });
}

class ElementwiseContractionSchedule : public Schedule {
public:
  explicit ElementwiseContractionSchedule(StringRef reason) : reason(reason) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &) override {
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      auto convolution = dyn_cast<dhlo::Convolves>(op);
      if (convolution && convolution.getImageOffsets() &&
          !isa<BlockArgument>(convolution.getImageOffsets()))
        return op.emitError(
            "expected offsets that are an operand of the kernel");
      if (isa<dhlo::DotGeneralOp, dhlo::Convolves>(op))
        contractions.push_back(&op);
      else if (!isa<dhlo::DimOp>(op) && !ElementEmitter::canEmit(&op))
        return op.emitError("no schedule computes ")
               << op.getName() << " together with a contraction";
    }
    return success();
  }

  Geometry emitGeometry(KernelBuilder &b) override {
    OpFoldResult most = b.constant(0);
    for (Value result : b.getResults())
      most = b.max(most, b.numElements(result));
    OpFoldResult items = b.ceilDiv(most, b.constant(kItemSize));
    OpFoldResult depth = b.constant(1);
    for (Operation *op : contractions)
      depth = b.max(depth, getDepth(b, op));
    OpFoldResult grain =
        b.max(b.constant(1),
              b.div(b.constant(b.getCpu().grainWork / kItemSize), depth));
    return {items, grain, b.constant(0)};
  }

  LogicalResult emitBody(KernelBuilder &b) override {
    noteElements(b, b.getFunction(), contractions.front(), reason);
    OpFoldResult size = b.constant(kItemSize);
    OpFoldResult begin = b.mul(b.begin(), size), end = b.mul(b.end(), size);
    for (auto [number, result] : llvm::enumerate(b.getResults())) {
      DimExprs sizes = dhlo::getDims(cast<RankedTensorType>(result.getType()));
      dhlo::DimExpr total =
          b.getDims().getNumElements(cast<RankedTensorType>(result.getType()));
      b.loop(begin, b.min(end, b.size(total)), 1, [&](Value i) {
        ElementEmitter emitter(b);
        for (Operation *op : contractions)
          emitter.provide(op->getResult(0),
                          [&, op](const Position &position, int64_t lanes) {
                            return emitTerm(b, emitter, op, position, lanes);
                          });
        // One index per axis.
        Position position;
        OpFoldResult rest = i;
        for (dhlo::DimExpr extent : llvm::reverse(sizes)) {
          OpFoldResult value = b.size(extent);
          position.insert(position.begin(),
                          {extent, emitter.uniform(b.rem(rest, value))});
          rest = b.div(rest, value);
        }
        emitter.store(emitter.emit(result, position, 1), number, position, 1);
      });
    }
    return success();
  }

private:
  using DimExprs = SmallVector<dhlo::DimExpr>;

  static OpFoldResult getDepth(KernelBuilder &b, Operation *op) {
    OpFoldResult depth = b.constant(1);
    if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op)) {
      for (int64_t axis : dot.getLhsContract())
        depth = b.mul(depth, b.size(dot.getLhs(), axis));
      return depth;
    }
    auto convolution = cast<dhlo::Convolves>(op);
    ConvolutionAxes axes(convolution);
    int64_t rank = convolution.getFilter().getType().getRank();
    for (int64_t axis = axes.filterGroups; axis < rank; ++axis)
      if (axis != axes.filterNumber)
        depth = b.mul(depth, b.size(convolution.getFilter(), axis));
    return depth;
  }

  static Value emitTerm(KernelBuilder &b, ElementEmitter &emitter,
                        Operation *op, const Position &position,
                        int64_t lanes) {
    assert(lanes == 1 && "this schedule goes element by element");
    Value guard;
    DimExprs sizes =
        dhlo::getDims(cast<RankedTensorType>(op->getResult(0).getType()));
    SmallVector<OpFoldResult> index;
    for (const Position &axis : emitter.align(position, sizes, lanes, guard))
      index.push_back(emitter.join(axis).base);
    if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op))
      return emitDot(b, emitter, dot, index);
    return emitConvolution(b, emitter, cast<dhlo::Convolves>(op), index);
  }

  StringRef reason;
  SmallVector<Operation *> contractions;
};

} // namespace

std::unique_ptr<Schedule>
dyn::createElementwiseContractionSchedule(StringRef reason) {
  return std::make_unique<ElementwiseContractionSchedule>(reason);
}
