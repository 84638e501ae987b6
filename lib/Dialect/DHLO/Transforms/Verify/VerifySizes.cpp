//===- VerifySizes.cpp - Compares sizes by the facts about symbols --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyDims.h"

#include "dyn/Dialect/DHLO/IR/Inference.h"
#include "dyn/Dialect/DHLO/IR/VisitOp.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {
Sizes sizesOf(Value tensor) {
  return getDims(cast<RankedTensorType>(tensor.getType()));
}

std::string toText(DimExpr expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printDimExpr(os, expr);
  return text;
}

class SizeVerifier {
public:
  /// If `unproven` is given, collects comparisons that are not proven there,
  /// instead of reporting those that are proven wrong.
  SizeVerifier(Operation *op, const SymbolicDims &dims,
               SmallVectorImpl<SizeCheck> *unproven = nullptr)
      : op(op), dims(dims), unproven(unproven) {}

  LogicalResult verify() {
    if (auto infers = dyn_cast<InfersSizes>(op))
      if (failed(verifyInferred(infers)))
        return failure();
    if (op->hasTrait<dhlo::Elementwise>())
      return verifyElementwise();
    return visitOp<LogicalResult>(
        Ops(), op,
        [&](auto op) -> decltype(this->verify(op)) { return verify(op); },
        [](Operation *) { return success(); });
  }

private:
  /// Emits an error if `found` is never `expected`.
  LogicalResult compare(DimExpr expected, DimExpr found, const Twine &what) {
    if (!expected || !found)
      return success();
    if (unproven)
      return collect(SizeCheck::Equal, expected, found);
    if (!dims.isDistinct(expected, found))
      return success();
    return op->emitOpError("expected size '")
           << toText(dims.expand(expected)) << "' at " << what << ", found '"
           << toText(dims.expand(found)) << "'";
  }

  LogicalResult collect(SizeCheck::Kind kind, DimExpr lhs, DimExpr rhs) {
    if (SizeCheck check{kind, lhs, rhs}; !isProven(check, dims))
      unproven->push_back(check);
    return success();
  }

  LogicalResult compareAll(ArrayRef<DimExpr> expected, ArrayRef<DimExpr> found,
                           const Twine &what) {
    for (auto [axis, sizes] : llvm::enumerate(llvm::zip(expected, found)))
      if (failed(compare(std::get<0>(sizes), std::get<1>(sizes),
                         "axis " + Twine(axis) + " of " + what)))
        return failure();
    return success();
  }

  LogicalResult verifyInferred(InfersSizes infers) {
    for (auto [index, sizes] : llvm::enumerate(infers.inferSizes()))
      if (failed(compareAll(sizes, sizesOf(op->getResult(index)),
                            "result " + Twine(index))))
        return failure();
    return success();
  }

  LogicalResult verifyElementwise() {
    Sizes sizes = sizesOf(op->getOperand(0));
    for (auto [index, operand] :
         llvm::enumerate(op->getOperands().drop_front()))
      if (failed(compareAll(sizes, sizesOf(operand),
                            "operand " + Twine(index + 1))))
        return failure();
    return compareAll(sizes, sizesOf(op->getResult(0)), "result 0");
  }

  LogicalResult verify(ReshapeOp reshape) {
    DimExpr from = dims.getNumElements(reshape.getOperand().getType());
    DimExpr to = dims.getNumElements(reshape.getType());
    if (unproven)
      return collect(SizeCheck::Equal, from, to);
    if (!dims.isDistinct(from, to))
      return success();
    // reshape_c1
    return op->emitOpError("expected as many elements as the operand has, '")
           << toText(from) << "', found '" << toText(to) << "'";
  }

  LogicalResult verify(BroadcastOp broadcast) {
    Sizes result = sizesOf(broadcast.getResult());
    DimExpr one = getConstDim(op->getContext(), 1);
    for (auto [axis, size] :
         llvm::zip(broadcast.getAxes(), sizesOf(broadcast.getOperand()))) {
      if (unproven) {
        if (size && result[axis])
          if (auto check = getBroadcastCheck(size, result[axis], dims))
            unproven->push_back(*check);
        continue;
      }
      // broadcast_c2
      if (dims.isDistinct(size, one) &&
          failed(compare(size, result[axis],
                         "axis " + Twine(axis) + " of result 0")))
        return failure();
    }
    return success();
  }

  LogicalResult verify(SliceOp slice) {
    Sizes operand = sizesOf(slice.getOperand());
    for (auto [axis, bounds] : llvm::enumerate(
             llvm::zip(toSizes(slice.getStarts()), slice.getStrides(),
                       sizesOf(slice.getResult())))) {
      auto [start, stride, count] = bounds;
      if (unproven) {
        collectBounds(start, stride, count, operand[axis]);
        continue;
      }
      if (!dims.isAtLeast(count, 1))
        continue;
      DimExpr last = add(start, mul(add(count, -1), stride));
      for (DimExpr index : {start, last}) {
        bool isBefore = dims.getRange(index).max < 0;
        bool isAfter = dims.getRange(sub(index, operand[axis])).min >= 0;
        // slice_c3
        if (isBefore || isAfter)
          return op->emitOpError("expected to read inside axis ")
                 << axis << " of size '" << toText(operand[axis])
                 << "', found index '" << toText(dims.expand(index)) << "'";
      }
    }
    return success();
  }

  /// An empty slice reads nothing; otherwise the first and the last element are
  /// inside of the operand.
  void collectBounds(DimExpr start, int64_t stride, DimExpr count,
                     DimExpr size) {
    if (!start || !count || !size)
      return;
    DimExpr zero = getConstDim(op->getContext(), 0);
    DimExpr some = dhlo::min(count, getConstDim(op->getContext(), 1));
    DimExpr last = add(start, mul(add(count, -1), stride));
    // Often the check is the same whether or not there are elements.
    if (stride > 0 && dims.isAtLeast(start, 0) &&
        (start.isConst(0) || dims.isAtMost(add(last, 1), size)))
      return (void)collect(SizeCheck::AtMost, add(last, 1), size);
    (void)collect(SizeCheck::AtMost, zero,
                  mul(some, stride < 0 ? last : start));
    (void)collect(SizeCheck::AtMost,
                  mul(some, add(stride < 0 ? start : last, 1)), size);
  }

  LogicalResult verify(DotGeneralOp dot) {
    Sizes lhs = sizesOf(dot.getLhs()), rhs = sizesOf(dot.getRhs());
    // dot_general_c2
    for (int64_t axis = 0; axis != static_cast<int64_t>(dot.getBatch()); ++axis)
      if (failed(compare(lhs[axis], rhs[axis],
                         "axis " + Twine(axis) + " of operand 1")))
        return failure();
    for (auto [from, to] :
         llvm::zip(dot.getLhsContract(), dot.getRhsContract()))
      if (failed(compare(lhs[from], rhs[to],
                         "axis " + Twine(to) + " of operand 1")))
        return failure();
    return success();
  }

  LogicalResult verify(ConcatOp concat) {
    Sizes first = sizesOf(concat.getOperands().front());
    first[concat.getAxis()] = DimExpr();
    // concat_c3
    for (auto [index, operand] : llvm::enumerate(concat.getOperands()))
      if (failed(
              compareAll(first, sizesOf(operand), "operand " + Twine(index))))
        return failure();
    return success();
  }

  /// Compares sizes of yielded values with those of results; a bound symbol
  /// stands for its expression in this region.
  LogicalResult verifyYield(Region &region, unsigned skipped, ArrayAttr names,
                            ArrayAttr exprs, TypeRange results,
                            const Twine &what) {
    Operation *yield = region.front().getTerminator();
    for (auto [index, pair] : llvm::enumerate(
             llvm::zip(results, yield->getOperands().drop_front(skipped)))) {
      Sizes expected = getDims(cast<RankedTensorType>(std::get<0>(pair)));
      for (DimExpr &size : expected)
        size = size ? substitute(size, names, exprs) : DimExpr();
      if (failed(compareAll(expected, sizesOf(std::get<1>(pair)),
                            what + " value " + Twine(index))))
        return failure();
    }
    return success();
  }

  LogicalResult verify(IfOp ifOp) {
    if (failed(verifyYield(ifOp.getThenRegion(), 0, ifOp.getBinds(),
                           ifOp.getThenDims(), ifOp.getResultTypes(),
                           "yielded then")))
      return failure();
    return verifyYield(ifOp.getElseRegion(), 0, ifOp.getBinds(),
                       ifOp.getElseDims(), ifOp.getResultTypes(),
                       "yielded else");
  }

  LogicalResult verify(WhileOp whileOp) {
    return verifyYield(whileOp.getBody(), 1, whileOp.getLoopDims(),
                       whileOp.getNextDims(),
                       whileOp.getBody().getArgumentTypes(), "yielded");
  }

  Operation *op;
  const SymbolicDims &dims;
  SmallVectorImpl<SizeCheck> *unproven;
};
} // namespace

LogicalResult dyn::dhlo::verifySizes(Operation *op, const SymbolicDims &dims) {
  return SizeVerifier(op, dims).verify();
}

void dyn::dhlo::collectSizes(Operation *op, const SymbolicDims &dims,
                             SmallVectorImpl<SizeCheck> &unproven) {
  (void)SizeVerifier(op, dims, &unproven).verify();
}
