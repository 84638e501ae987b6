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
#include "Stages.h"

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"
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
      : function(function), block(function.getBody().front()), count(count),
        dimBuilder(dimBuilder), dims(dimBuilder.getDims()),
        b(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult findBatch();
  /// Finds the values that are divided, from inputs forwards, and where all
  /// users need blocks.
  void findAxes();
  bool visitForwards(Operation *op);
  bool visitBackwards(Operation *op);
  const Division &divide(Operation *op);
  int64_t getAxis(Value value) const {
    auto it = axes.find(value);
    return it == axes.end() ? -1 : it->second;
  }
  /// The axis of which an operation needs a block of an operand; -1 if it needs
  /// all of it.
  int64_t getNeededAxis(OpOperand &use);
  /// The size as a multiple of the batch; null if it is none.
  DimExpr getFactor(DimExpr size) const;
  bool dependsOnBatch(DimExpr size) const;
  LogicalResult check(Operation *op);

  DimExpr replaceBatch(DimExpr size, DimExpr by) const;
  RankedTensorType getBlockType(RankedTensorType type, int64_t axis);
  Value getBlock(Value value, int64_t axis);
  void writeBlock(Operation *op);

  func::FuncOp function;
  Block &block;
  int64_t count;
  DimBuilder &dimBuilder;
  const SymbolicDims &dims;
  OpBuilder b;
  StringAttr batch;
  DenseMap<Operation *, Division> divisions;
  /// The axes of divided values whose rows are those of the batch.
  DenseMap<Value, int64_t> axes;
  /// The number of the block that is written, its begin and size, and what is
  /// known of it: values by axis.
  int64_t number = 0;
  DimExpr begin, size;
  DenseMap<std::pair<Value, int64_t>, Value> blocks;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is divided
//===----------------------------------------------------------------------===//

LogicalResult BatchSplitter::findBatch() {
  auto getName = [&](Value value, int64_t axis) -> StringAttr {
    DimExpr size = dims.expand(dims.getDim(value, axis));
    return size.getKind() == dhlo::DimExprKind::Symbol ? size.getName()
                                                       : StringAttr();
  };
  for (Value input : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    for (int64_t axis = 0; type && axis < type.getRank(); ++axis)
      if (StringAttr name = getName(input, axis);
          name && (!batch || name == batch)) {
        batch = name;
        axes[input] = axis;
        break;
      }
    if (!batch)
      break;
  }
  if (!batch)
    return function.emitError(
        "micro-batches: expected the batch, a size of the first input, to be "
        "dynamic");
  return success();
}

const Division &BatchSplitter::divide(Operation *op) {
  auto [it, isNew] = divisions.try_emplace(op);
  Division &division = it->second;
  if (!isNew)
    return division;
  auto reshape = dyn_cast<dhlo::ReshapeOp>(op);
  if (!reshape) {
    division = getDivision(op, /*ranks=*/1, dims);
    return division;
  }
  // Blocks end between elements of both sides: they are whole rows.
  RankedTensorType from = typeOf(reshape.getOperand()), to = reshape.getType();
  division.operands.emplace_back(from.getRank(), -1);
  division.canDivide.assign(to.getRank(), false);
  for (const AxisGroup &group :
       getReshapeGroups(dhlo::getDims(from), dhlo::getDims(to), dims))
    if (group.isProven && !group.from.empty() && !group.to.empty()) {
      division.operands.front()[group.from.front()] = group.to.front();
      division.canDivide[group.to.front()] = true;
    }
  return division;
}

bool BatchSplitter::visitForwards(Operation *op) {
  if (op->getNumResults() == 0 || getAxis(op->getResult(0)) >= 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t axis = getAxis(operand.get());
    if (axis < 0)
      continue;
    if (!isa<ReshardOp>(op)) {
      const Division &division = divide(op);
      if (division.canDivide.empty())
        return false;
      axis = division.operands[operand.getOperandNumber()][axis];
    }
    if (axis < 0)
      continue;
    for (Value result : op->getResults())
      axes[result] = axis;
    return true;
  }
  return false;
}

int64_t BatchSplitter::getNeededAxis(OpOperand &use) {
  Operation *user = use.getOwner();
  if (user->getBlock() != &block || user->getNumResults() == 0)
    return -1;
  int64_t axis = getAxis(user->getResult(0));
  if (axis < 0 || isa<ReshardOp>(user))
    return axis;
  const Division &division = divide(user);
  if (division.canDivide.empty())
    return -1;
  ArrayRef<int64_t> map = division.operands[use.getOperandNumber()];
  const int64_t *it = llvm::find(map, axis);
  return it == map.end() ? -1 : it - map.begin();
}

bool BatchSplitter::visitBackwards(Operation *op) {
  if (op->getNumResults() == 0 || op->use_empty() ||
      getAxis(op->getResult(0)) >= 0)
    return false;
  std::optional<int64_t> needed;
  for (OpOperand &use : op->getUses()) {
    int64_t axis = getNeededAxis(use);
    if (axis < 0 || (needed && *needed != axis))
      return false;
    needed = axis;
  }
  bool canDivide = isa<ReshardOp>(op) || (!divide(op).canDivide.empty() &&
                                          divide(op).canDivide[*needed]);
  if (!canDivide)
    return false;
  for (Value result : op->getResults())
    axes[result] = *needed;
  return true;
}

void BatchSplitter::findAxes() {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Operation &op : block.without_terminator())
      isChanged |= visitForwards(&op);
    for (Operation &op : llvm::reverse(block.without_terminator()))
      isChanged |= visitBackwards(&op);
  }
}

//===----------------------------------------------------------------------===//
// Whether rows are computed apart
//===----------------------------------------------------------------------===//

DimExpr BatchSplitter::replaceBatch(DimExpr size, DimExpr by) const {
  return dims.expand(dhlo::substitute(dims.expand(size), [&](StringAttr name) {
    return name == batch ? by : DimExpr();
  }));
}

bool BatchSplitter::dependsOnBatch(DimExpr size) const {
  bool isFound = false;
  dhlo::walkSymbols(dims.expand(size),
                    [&](StringAttr name) { isFound |= name == batch; });
  return isFound;
}

DimExpr BatchSplitter::getFactor(DimExpr size) const {
  DimExpr factor = replaceBatch(size, dhlo::getConstDim(batch.getContext(), 1));
  DimExpr whole = dhlo::mul(factor, dhlo::getSymbolDim(batch));
  return dims.isEqual(size, whole) ? factor : DimExpr();
}

/// Checks that an operation with a divided result, or operand, computes its
/// rows apart.
LogicalResult BatchSplitter::check(Operation *op) {
  int64_t axis = op->getNumResults() ? getAxis(op->getResult(0)) : -1;
  if (isa<func::ReturnOp>(op))
    return success();
  bool isReshard = isa<ReshardOp>(op);
  for (Value value : getReadValues(op)) {
    int64_t from = getAxis(value);
    if (from < 0)
      continue;
    bool isApart = axis >= 0 && !op->getNumRegions();
    for (OpOperand &operand : op->getOpOperands())
      if (isApart && operand.get() == value && !isReshard)
        isApart = getNeededAxis(operand) == from && divide(op).canDivide[axis];
    if (!isApart)
      return op->emitOpError("micro-batches: expected rows to be computed "
                             "apart, found that they are read together along "
                             "axis ")
             << from << " of an operand";
  }
  if (axis < 0)
    return success();
  bool isOfBatch = false;
  AttrTypeWalker walker;
  walker.addWalk(
      [&](dhlo::DimExprAttr expr) { isOfBatch |= dependsOnBatch(expr); });
  walker.walk(op->getAttrDictionary());
  for (Value result : op->getResults())
    for (auto [i, size] : llvm::enumerate(dhlo::getDims(typeOf(result))))
      isOfBatch |= int64_t(i) == axis ? !getFactor(size) : dependsOnBatch(size);
  if (isOfBatch || isa<dhlo::BindsDims>(op))
    return op->emitOpError("micro-batches: expected sizes that do not depend "
                           "on the batch @")
           << batch.getValue() << ", but for multiples of it along axis "
           << axis;
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

RankedTensorType BatchSplitter::getBlockType(RankedTensorType type,
                                             int64_t axis) {
  SmallVector<DimExpr> sizes = dhlo::getDims(type);
  sizes[axis] = dims.expand(dhlo::mul(getFactor(sizes[axis]), size));
  return dimBuilder.getTensorType(sizes, type.getElementType());
}

Value BatchSplitter::getBlock(Value value, int64_t axis) {
  Value &known = blocks[{value, axis}];
  if (known)
    return known;
  // Of an input, or of a value that is computed in full.
  RankedTensorType type = typeOf(value);
  DimExpr start =
      dims.expand(dhlo::mul(getFactor(dhlo::getDim(type, axis)), begin));
  known = sliceAxis(b, value.getLoc(), value, axis, start,
                    getBlockType(type, axis));
  return known;
}

void BatchSplitter::writeBlock(Operation *op) {
  int64_t axis = getAxis(op->getResult(0));
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t needed = getNeededAxis(operand);
    operands.push_back(needed < 0 ? operand.get()
                                  : getBlock(operand.get(), needed));
  }
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  if (isa<ReshardOp>(op))
    copy->setAttr(DistDialect::kBlockAttr, b.getI64IntegerAttr(number));
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    to.setType(getBlockType(typeOf(from), axis));
    blocks[{from, axis}] = to;
  }
}

LogicalResult BatchSplitter::run() {
  if (failed(findBatch()))
    return failure();
  findAxes();
  for (Operation &op : block)
    if (failed(check(&op)))
      return failure();
  SmallVector<Operation *> divided;
  for (Operation &op : block.without_terminator())
    if (op.getNumResults() && getAxis(op.getResult(0)) >= 0)
      divided.push_back(&op);
  Operation *end = block.getTerminator();
  b.setInsertionPoint(end);
  SmallVector<SmallVector<Value>> results(end->getNumOperands());
  DimExpr whole = dhlo::getSymbolDim(batch);
  for (number = 0; number < count; ++number) {
    blocks.clear();
    begin = getBlockBegin(whole, count, number, dims);
    size = dims.expand(
        dhlo::sub(getBlockBegin(whole, count, number + 1, dims), begin));
    for (Operation *op : divided)
      writeBlock(op);
    for (auto [parts, value] : llvm::zip_equal(results, end->getOperands()))
      if (int64_t axis = getAxis(value);
          axis >= 0 && !isa<BlockArgument>(value))
        parts.push_back(getBlock(value, axis));
  }
  for (auto [i, parts] : llvm::enumerate(results)) {
    Value value = end->getOperand(i);
    if (!parts.empty())
      end->setOperand(i,
                      dhlo::ConcatOp::create(b, value.getLoc(), value.getType(),
                                             parts, getAxis(value)));
  }
  for (Operation *op : llvm::reverse(divided))
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
