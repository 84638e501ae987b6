//===- Demand.cpp - Which values are needed at which cells ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Demand.h"
#include "PackRows.h"

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/IR/PortNames.h"

#include "mlir/Transforms/RegionUtils.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// A mask's number at or below which a key has no weight, whatever the scores;
/// and the number used on request, which assumes reasonable scores.
const double kRemoves = -std::ldexp(1.0, 120);
constexpr double kRemovesOnRequest = -1e4;

static bool isGemm(Operation *op) { return isa<DotGeneralOp, AttentionOp>(op); }

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

std::optional<double> Demand::getRemoval(AttentionOp op) {
  Value mask = op.getMask();
  ArrayRef<DimExpr> sizes = known.getFlow().getSizes();
  if (!mask)
    return std::nullopt;
  // Keys, values and the mask have the cells of the grid.
  for (auto [value, axis] :
       {std::pair(op.getKey(), 2), std::pair(op.getValue(), 2),
        std::pair(cast<TypedValue<RankedTensorType>>(mask), 3)})
    if (!dims.isEqual(getDim(getTensor(value), 0), sizes[0]) ||
        !dims.isEqual(getDim(getTensor(value), axis), sizes[1]))
      return std::nullopt;
  return known.evaluate(mask, {0, 3});
}

void Demand::findAttention(AttentionOp op) {
  std::optional<double> number = getRemoval(op);
  if (!number)
    return;
  bool isBool = getTensor(op.getMask()).getElementType().isInteger(1);
  if (isBool ? *number != 0
             : !(*number <= (isRequested ? kRemovesOnRequest : kRemoves))) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "the mask of this attention leaves keys of masked rows in: ";
    if (isBool)
      os << "it is true there";
    else
      os << "it adds " << *number << ", beside which great scores are not lost";
    setObstacle({op.getLoc(), text});
    return;
  }
  bool isSoft = !isBool && !std::isinf(*number);
  if (isSoft && op.getCausal()) {
    setObstacle({op.getLoc(), "this attention is causal, and its mask is no "
                              "condition: a row without keys sees them all"});
    return;
  }
  removing[op] = *number;
  if (isSoft)
    softMasks.push_back({op, *number});
}

//===----------------------------------------------------------------------===//
// Demand
//===----------------------------------------------------------------------===//

bool Demand::isSink(Operation *op) {
  // Something must be constant that is not constant in one of the operands.
  if (std::optional<Sink> sink = matchKnownSink(op, known)) {
    auto operands = getRowOperands(op, sink->axes, known.getFlow());
    if (operands && reachesDot(op->getResult(0), sink->axes)) {
      sinks.push_back(*sink);
      return true;
    }
  }
  if (std::optional<Sink> sink = matchPositionSink(op, known.getFlow()))
    if (reachesDot(op->getOperand(0), sink->axes)) {
      sinks.push_back(*sink);
      return true;
    }
  return false;
}

bool Demand::reachesDot(Value value, ArrayRef<int64_t> axes) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &entry.front())
    return false;
  auto [found, isNew] = reaching.insert({op, false});
  if (!isNew)
    return found->second;
  bool result = removing.contains(op);
  if (!result) {
    if (auto operands = getRowOperands(op, axes, known.getFlow()))
      result = llvm::any_of(*operands, [&](const RowOperand &row) {
        return areWholeCells(row.axes) &&
               (isa<DotGeneralOp>(op) ||
                reachesDot(op->getOperand(row.index), row.axes));
      });
    else
      result = leadsToAttention(op);
  }
  reaching[op] = result;
  return result;
}

bool Demand::leadsToAttention(Operation *op) {
  llvm::SetVector<Operation *> above;
  above.insert(op);
  for (unsigned i = 0; i < above.size(); ++i) {
    if (removing.contains(above[i]))
      return true;
    for (Value operand : above[i]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        above.insert(source);
  }
  return false;
}

void Demand::wantAll(Value value, const Obstacle &reason) {
  Operation *op = value.getDefiningOp();
  if (!op || all.contains(op))
    return;
  all.insert({op, reason});
  if (isSink(op)) {
    const Sink &sink = sinks.back();
    // A constant stays constant on rows, with the cells of its operands.
    Value wanted = sink.kind == Sink::Known ? value : op->getOperand(0);
    CellAxes axes = sink.axes;
    wantKept(wanted, axes, reason);
    return;
  }
  llvm::SetVector<Value> captured;
  if (op->getNumRegions() != 0)
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  bool hasKeys = removing.contains(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (hasKeys && (i == 1 || i == 2) && reachesDot(operand, {0, 2}))
      wantKept(operand, {0, 2}, reason);
    else
      wantAll(operand, reason);
  if (hasKeys && (reachesDot(op->getOperand(1), {0, 2}) ||
                  reachesDot(op->getOperand(2), {0, 2})))
    sinks.push_back({Sink::Keys, op, {0, 2}, 0, DimExpr()});
  for (Value operand : captured)
    wantAll(operand, reason);
}

void Demand::wantKept(Value value, ArrayRef<int64_t> axes,
                      const Obstacle &reason) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (op->getBlock() != &entry.front())
    return wantAll(value, reason);
  auto found = kept.find(op);
  if (found != kept.end()) {
    if (ArrayRef(found->second) != axes)
      wantAll(value, reason);
    return;
  }
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    bool isBetween = dims.isEqual(getDim(attention.getType(), 2),
                                  known.getFlow().getSizes()[1]);
    if (!removing.contains(op) || !isBetween || axes != ArrayRef<int64_t>{0, 2})
      return wantAll(value, {op->getLoc(),
                             "it is not known that the mask removes the keys "
                             "of masked rows from this attention"});
    kept.insert({op, CellAxes(axes)});
    attentions.insert(attention);
    addCost(op, axes);
    for (Value operand : op->getOperands().take_front(3))
      wantKept(operand, axes, reason);
    wantAll(attention.getMask(), reason);
    return;
  }
  auto operands = getRowOperands(op, axes, known.getFlow());
  if (!operands) {
    std::string text =
        "rows are not kept apart by " + op->getName().getStringRef().str();
    return wantAll(value, {op->getLoc(), text});
  }
  kept.insert({op, CellAxes(axes)});
  addCost(op, axes);
  SmallVector<bool> areRows(op->getNumOperands(), false);
  for (const RowOperand &row : *operands) {
    areRows[row.index] = areWholeCells(row.axes);
    if (areRows[row.index])
      wantKept(op->getOperand(row.index), row.axes, reason);
  }
  for (auto [operand, isRow] : llvm::zip_equal(op->getOperands(), areRows))
    if (!isRow)
      wantAll(operand, {op->getLoc(), "all rows are read by " +
                                          op->getName().getStringRef().str()});
}

double Demand::countRest(RankedTensorType type, ArrayRef<int64_t> axes) const {
  double count = 1;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (!llvm::is_contained(axes, axis))
      count *= dims.getEstimate(getDim(type, axis));
  return count;
}

void Demand::addCost(Operation *op, ArrayRef<int64_t> axes) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  double width = result.getElementTypeBitWidth() / 8.0;
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    double terms = 1;
    for (int64_t axis : dot.getRhsContract())
      terms *= dims.getEstimate(getDim(getTensor(dot.getRhs()), axis));
    flops += 2 * countRest(result, axes) * terms;
    ++numContractions;
  } else if (isa<AttentionOp>(op)) {
    // Each is read and written.
    bytes += 2 * width * countRest(result, axes);
    for (Value operand : op->getOperands().take_front(3))
      bytes += 2 * width * countRest(getTensor(operand), axes);
  }
}

Operation *Demand::getFirstSink() const {
  Operation *first = nullptr;
  for (const Sink &sink : sinks)
    if (!first || sink.op->isBeforeInBlock(first))
      first = sink.op;
  return first;
}

/// Finds what the masks follow from, up to what is in front of the first sink.
void Demand::findLateSources() {
  Operation *first = getFirstSink();
  if (!first)
    return;
  auto isLate = [&](Operation *op) {
    return op && op->getBlock() == first->getBlock() &&
           !op->isBeforeInBlock(first);
  };
  llvm::SetVector<Operation *> sources;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); isLate(op))
      sources.insert(op);
  };
  add(known.getMask());
  for (SoftMask mask : softMasks)
    add(mask.op.getMask());
  for (unsigned i = 0; i < sources.size(); ++i) {
    Operation *op = sources[i];
    llvm::for_each(op->getOperands(), add);
    if (op->getNumRegions() != 0 ||
        llvm::any_of(sinks, [&](const Sink &sink) { return sink.op == op; }))
      setObstacle({op->getLoc(), "a mask of attention follows from this"});
  }
  lateSources = sources.takeVector();
  llvm::sort(lateSources, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  // Sizes are known behind the operation that binds them.
  if (!lateSources.empty())
    for (auto binds : first->getBlock()->getOps<BindsDims>())
      if (isLate(binds) && !lateSources.back()->isBeforeInBlock(binds))
        setObstacle({binds->getLoc(),
                     "sizes are bound between attention and its mask"});
}

void Demand::hoistMasks() {
  Operation *first = getFirstSink();
  for (Operation *op : lateSources)
    op->moveBefore(first);
}

bool Demand::run() {
  entry.walk([&](AttentionOp op) {
    if (op->getBlock() == &entry.front())
      findAttention(op);
  });
  if (removing.empty())
    return false;
  Operation *terminator = entry.front().getTerminator();
  for (auto [i, output] : llvm::enumerate(terminator->getOperands()))
    wantAll(output,
            {terminator->getLoc(), "masked rows are part of the output '" +
                                       getOutputName(entry, i) + "'"});
  // A contraction that is needed at all cells is computed there.
  entry.walk([&](Operation *op) {
    if (!isGemm(op) || op->getBlock() != &entry.front())
      return;
    auto found = all.find(op);
    bool isKeysOnly = llvm::any_of(sinks, [&](const Sink &sink) {
      return sink.kind == Sink::Keys && sink.op == op;
    });
    if (found != all.end() && !isKeysOnly &&
        (kept.contains(op) || removing.contains(op)))
      setObstacle(found->second);
  });
  if (!obstacle && numContractions != 0)
    findLateSources();
  return !obstacle && numContractions != 0;
}
