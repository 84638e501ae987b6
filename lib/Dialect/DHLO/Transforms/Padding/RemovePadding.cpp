//===- RemovePadding.cpp - Computes on valid tokens only ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// If the mask proves that dropped cells reach no result (Demand.h), rows are
// packed (PackRows.h) at the cells to keep (KeptCells.h), and unpacked at sinks
// (Sinks.h).

#include "KeptCells.h"
#include "PackRows.h"

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/IR/PortNames.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_REMOVEPADDINGPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Computes on rows of kept cells, up to the sinks.
static void removePadding(func::FuncOp entry, Demand &demand,
                          DimBuilder &symbols) {
  const CellFlow &flow = demand.getKnown().getFlow();
  demand.hoistMasks();
  KeptCells kept(entry, demand);
  Operation *anchor = kept.getAnchor();
  TensorBuilder b(anchor, symbols);
  b.setLoc(demand.getKnown().getMask().getLoc());
  PackRows rows(kept.build(b), anchor, flow, symbols);
  for (AttentionOp op : demand.getAttentions())
    rows.addAttention(op);

  // All rows are packed before the first replacement, which changes the
  // operands.
  SmallVector<SmallVector<Value>> packed;
  for (const Sink &sink : demand.getSinks()) {
    SmallVector<Value> values;
    if (sink.kind == Sink::Known)
      values.push_back(rows.pack(sink.op->getResult(0), sink.axes));
    else if (sink.kind == Sink::Position)
      values.push_back(rows.pack(sink.op->getOperand(0), sink.axes));
    else
      for (unsigned i : {1, 2})
        values.push_back(rows.pack(sink.op->getOperand(i), sink.axes));
    packed.push_back(std::move(values));
  }
  for (auto [sink, values] : llvm::zip_equal(demand.getSinks(), packed)) {
    TensorBuilder b = rows.getBuilder(sink.op);
    auto grid = [&](unsigned i, Value value, std::optional<double> dropped) {
      return rows.unpack(b, values[i], getTensor(value), sink.axes, dropped);
    };
    if (sink.kind == Sink::Keys) {
      for (unsigned i : {1, 2}) {
        Value operand = sink.op->getOperand(i);
        sink.op->setOperand(i, grid(i - 1, operand, std::nullopt));
      }
      continue;
    }
    Value result = sink.op->getResult(0), replacement;
    if (sink.kind == Sink::Known) {
      replacement = grid(0, result, sink.number);
    } else {
      // The seats of the position, by the operation that read the rows.
      Value seats;
      SmallVector<DimExpr> sizes = {getDim(getTensor(result), 0)};
      DimExpr one = getConstDim(b.getContext(), 1);
      DimExpr zero = getConstDim(b.getContext(), 0);
      if (auto gather = dyn_cast<GatherOp>(sink.op)) {
        Value index = b.reshape(gather.getIndices(), {one});
        seats = GatherOp::create(
            b, b.getTensorType({sizes[0], one}, b.getI64Type()),
            rows.getSeats(), index, 1, 0);
      } else {
        seats = SliceOp::create(
            b, b.getTensorType({sizes[0], one}, b.getI64Type()),
            rows.getSeats(), b.getArrayAttr({zero, sink.position}),
            ArrayRef<int64_t>{1, 1});
      }
      replacement = b.reshape(b.gatherRows(values[0], b.reshape(seats, sizes)),
                              b.sizesOf(result));
    }
    result.replaceAllUsesWith(replacement);
  }
  // Erases the grid's operations without users.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(entry.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RemovePaddingPass
    : dhlo::impl::RemovePaddingPassBase<RemovePaddingPass> {
  using RemovePaddingPassBase::RemovePaddingPassBase;

  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (!entry->hasAttr(DHLODialect::kEntryAttr) || entry.isExternal())
        continue;
      if (!mask.empty() ? failed(runOnRequest(entry, symbols))
                        : (runByProof(entry, symbols), false))
        return signalPassFailure();
    }
    if (numEntries == 0)
      markAllAnalysesPreserved();
  }

private:
  LogicalResult runOnRequest(func::FuncOp entry, DimBuilder &symbols);
  void runByProof(func::FuncOp entry, DimBuilder &symbols);
  /// Sets rows of outputs to zero where the mask is zero.
  void clearOutputs(func::FuncOp entry, Value input, DimBuilder &symbols);
  void apply(func::FuncOp entry, Demand &demand, DimBuilder &symbols);
};
} // namespace

/// The name of a mask in remarks.
static std::string describeMask(func::FuncOp entry, Value mask) {
  if (auto argument = dyn_cast<BlockArgument>(mask))
    return "'" + getInputName(entry, argument.getArgNumber()) + "'";
  return "this mask";
}

void RemovePaddingPass::apply(func::FuncOp entry, Demand &demand,
                              DimBuilder &symbols) {
  Value value = demand.getKnown().getMask();
  emitRemark(value.getLoc())
      << "padding is removed: no row where " << describeMask(entry, value)
      << " is zero reaches an output; " << demand.getNumDots()
      << (demand.getNumDots() == 1 ? " contraction is" : " contractions are")
      << " computed on the other rows";
  numContractions += demand.getNumDots();
  numAttentions += demand.getAttentions().size();
  ++numEntries;
  removePadding(entry, demand, symbols);
}

void RemovePaddingPass::clearOutputs(func::FuncOp entry, Value input,
                                     DimBuilder &symbols) {
  MaskedCells cells(input, symbols.getDims());
  Operation *terminator = entry.front().getTerminator();
  TensorBuilder b(terminator, symbols);
  for (OpOperand &output : terminator->getOpOperands()) {
    RankedTensorType type = getTensor(output.get());
    auto axes = cells.find(type);
    if (!axes)
      continue;
    Value isValid = isNonzero(b, input);
    isValid = BroadcastOp::create(b, withElementType(type, b.getI1Type()),
                                  isValid, b.getDenseI64ArrayAttr(*axes));
    output.set(SelectOp::create(b, type, isValid, output.get(),
                                b.fillZero(output.get())));
  }
}

LogicalResult RemovePaddingPass::runOnRequest(func::FuncOp entry,
                                              DimBuilder &symbols) {
  std::string names;
  Value input;
  for (BlockArgument argument : entry.getArguments()) {
    std::string name = getInputName(entry, argument.getArgNumber());
    names += (names.empty() ? "'" : ", '") + name + "'";
    if (name == mask)
      input = argument;
  }
  if (!input)
    return entry.emitError("the model has no input called '")
           << mask << "' to remove padding by; it has " << names;
  if (getTensor(input).getRank() != 2)
    return entry.emitError("expected a mask of rank 2 to remove padding by, "
                           "found '")
           << mask << "' of type " << input.getType();
  clearOutputs(entry, input, symbols);
  Demand demand(entry, input, /*isRequested=*/true, symbols.getDims());
  if (demand.run()) {
    apply(entry, demand, symbols);
    return success();
  }
  std::optional<Obstacle> obstacle = demand.getObstacle();
  if (!obstacle)
    return entry.emitError("padding cannot be removed: no attention has a mask "
                           "that follows from '")
           << mask << "'";
  return emitError(obstacle->loc)
         << "padding cannot be removed: " << obstacle->text;
}

void RemovePaddingPass::runByProof(func::FuncOp entry, DimBuilder &symbols) {
  // Values of rank 2 that masks are computed from, inputs first.
  llvm::SetVector<Value> candidates;
  llvm::SetVector<Value> visited;
  entry.walk([&](AttentionOp op) {
    if (op.getMask())
      visited.insert(op.getMask());
  });
  for (unsigned i = 0; i < visited.size(); ++i)
    if (Operation *op = visited[i].getDefiningOp())
      if (op->getBlock() == &entry.front())
        visited.insert(op->operand_begin(), op->operand_end());
  auto isGrid = [&](Value value) {
    RankedTensorType type = getTensor(value);
    return type.getRank() == 2 && type.getDimSize(0) != 1 &&
           type.isDynamicDim(1);
  };
  for (Value value : entry.getArguments())
    if (visited.contains(value) && isGrid(value))
      candidates.insert(value);
  for (Operation &op : entry.front())
    for (Value value : op.getResults())
      if (visited.contains(value) && isGrid(value))
        candidates.insert(value);

  std::optional<Obstacle> obstacle;
  Value blocked;
  for (Value value : candidates) {
    Demand demand(entry, value, /*isRequested=*/false, symbols.getDims());
    if (demand.run()) {
      if (demand.getFlops() < minIntensity * demand.getBytes()) {
        emitRemark(value.getLoc())
            << "padding stays: moving rows takes longer than the contractions "
               "of "
               "masked rows, "
            << static_cast<int64_t>(demand.getFlops()) << " operations to "
            << static_cast<int64_t>(demand.getBytes()) << " bytes";
        return;
      }
      return apply(entry, demand, symbols);
    }
    if (demand.getObstacle() && !obstacle) {
      obstacle = demand.getObstacle();
      blocked = value;
    }
  }
  if (!obstacle)
    return;
  InFlightDiagnostic remark = emitRemark(obstacle->loc)
                              << "padding stays: " << obstacle->text;
  if (isa<BlockArgument>(blocked) &&
      StringRef(obstacle->text).starts_with("masked rows are part"))
    remark << "; --unpad="
           << getInputName(entry, cast<BlockArgument>(blocked).getArgNumber())
           << " makes them zeros";
}
