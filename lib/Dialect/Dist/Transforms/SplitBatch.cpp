//===- SplitBatch.cpp - Makes blocks of the batch for a pipeline ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block is what the program computes of another size of the batch, so it
// needs no other kernels, and its rows have the bits of the whole. That holds
// where each row of the batch is computed from the same row of operands.

#include "AxisSlice.h"
#include "Division.h"

#include "dyn/Dialect/DHLO/Analysis/CopySizes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"
#include "dyn/Dialect/Dist/Transforms/BatchAxes.h"
#include "dyn/Dialect/Dist/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn::dist {
#define GEN_PASS_DEF_SPLITBATCHPASS
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"
} // namespace dyn::dist

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dyn::dhlo::DimExpr;
using dyn::dhlo::typeOf;

namespace {
class BatchSplitter {
public:
  BatchSplitter(func::FuncOp function, int64_t count, DimBuilder &dimBuilder)
      : block(function.getBody().front()), count(count), dimBuilder(dimBuilder),
        dims(dimBuilder.getDims()), axes(function, dims),
        b(function.getContext()) {}

  LogicalResult run();

private:
  RankedTensorType getBlockType(RankedTensorType type) const;
  /// Gives a copy, and operations inside of it, the sizes of the block.
  void resize(Operation *copy) const;
  Value getBlock(Value value, int64_t axis);
  void writeBlock(Operation *op);

  Block &block;
  int64_t count;
  DimBuilder &dimBuilder;
  const SymbolicDims &dims;
  BatchAxes axes;
  OpBuilder b;
  /// The number of the block that is written, its begin and size, and what is
  /// known of it: values by axis.
  int64_t number = 0;
  DimExpr begin, size;
  DenseMap<std::pair<Value, int64_t>, Value> blocks;
};
} // namespace

RankedTensorType BatchSplitter::getBlockType(RankedTensorType type) const {
  SmallVector<DimExpr> sizes =
      llvm::map_to_vector(dhlo::getDims(type), [&](DimExpr dim) {
        return axes.replaceBatch(dim, size);
      });
  return dimBuilder.getTensorType(sizes, type.getElementType());
}

void BatchSplitter::resize(Operation *copy) const {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](RankedTensorType type) -> std::pair<Type, WalkResult> {
        return {getBlockType(type), WalkResult::skip()};
      });
  replacer.addReplacement(
      [&](dhlo::DimExprAttr expr) -> std::pair<Attribute, WalkResult> {
        return {axes.replaceBatch(expr, size), WalkResult::skip()};
      });
  replacer.recursivelyReplaceElementsIn(copy, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

Value BatchSplitter::getBlock(Value value, int64_t axis) {
  Value &known = blocks[{value, axis}];
  if (known)
    return known;
  // Of an input, or of a value that is computed in full. Its other axes stay
  // whole, even if they are as long as the batch.
  RankedTensorType type = typeOf(value);
  SmallVector<DimExpr> sizes(dhlo::getDims(type));
  DimExpr start = dims.expand(dhlo::mul(axes.getFactor(sizes[axis]), begin));
  sizes[axis] = axes.replaceBatch(sizes[axis], size);
  known = sliceAxis(b, value.getLoc(), value, axis, start,
                    dimBuilder.getTensorType(sizes, type.getElementType()));
  return known;
}

void BatchSplitter::writeBlock(Operation *op) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t needed = axes.getNeededAxis(operand);
    operands.push_back(needed < 0 ? operand.get()
                                  : getBlock(operand.get(), needed));
  }
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  if (number != 0)
    CopySizes(op, dimBuilder).apply(copy);
  resize(copy);
  if (isa<ReshardOp>(op))
    copy->setAttr(DistDialect::kBlockAttr, b.getI64IntegerAttr(number));
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
    blocks[{from, axes.getAxis(from)}] = to;
}

LogicalResult BatchSplitter::run() {
  if (std::optional<BatchAxes::Obstacle> obstacle = axes.find())
    return obstacle->emitError();
  SmallVector<Operation *> divided;
  for (Operation &op : block.without_terminator())
    if (axes.isDivided(&op))
      divided.push_back(&op);
  Operation *end = block.getTerminator();
  b.setInsertionPoint(end);
  SmallVector<SmallVector<Value>> results(end->getNumOperands());
  DimExpr whole = axes.getBatch();
  for (number = 0; number < count; ++number) {
    blocks.clear();
    begin = getBlockBegin(whole, count, number, dims);
    size = dims.expand(
        dhlo::sub(getBlockBegin(whole, count, number + 1, dims), begin));
    for (Operation *op : divided)
      writeBlock(op);
    for (auto [parts, value] : llvm::zip_equal(results, end->getOperands()))
      if (int64_t axis = axes.getAxis(value);
          axis >= 0 && !isa<BlockArgument>(value))
        parts.push_back(getBlock(value, axis));
  }
  for (auto [i, parts] : llvm::enumerate(results)) {
    Value value = end->getOperand(i);
    if (!parts.empty())
      end->setOperand(i,
                      dhlo::ConcatOp::create(b, value.getLoc(), value.getType(),
                                             parts, axes.getAxis(value)));
  }
  // Operations on the whole batch may read some of these, too.
  for (Operation *op : llvm::reverse(divided))
    if (op->use_empty())
      op->erase();
  return success();
}

namespace {
struct SplitBatchPass : dist::impl::SplitBatchPassBase<SplitBatchPass> {
  void runOnOperation() override {
    SymbolicDims dims(getOperation());
    DimBuilder dimBuilder(dims);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto wanted = cast_or_null<IntegerAttr>(
          function->removeAttr(DistDialect::kMicroBatchesAttr));
      if (!wanted || wanted.getInt() == 1)
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError("micro-batches: expected a function of one block");
        return signalPassFailure();
      }
      int64_t count = wanted.getInt();
      if (failed(BatchSplitter(function, count, dimBuilder).run()))
        return signalPassFailure();
      numBlocks += count;
    }
  }
};
} // namespace
