//===- PlanPass.cpp - States a plan by shardings --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Plan/Passes.h"
#include "dyn/Dialect/Dist/Plan/PlanEntry.h"
#include "dyn/Plan/StageCosts.h"

namespace dyn::dist {
#define GEN_PASS_DEF_PLANPASS
#include "dyn/Dialect/Dist/Plan/Passes.h.inc"
} // namespace dyn::dist

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using plan::Split;

namespace {
struct PlanPass : dist::impl::PlanPassBase<PlanPass> {
  using PlanPassBase::PlanPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (segments && (segments < 0 || !llvm::isPowerOf2_64(segments))) {
      module.emitError("expected a power of two segments, found ")
          << segments.getValue();
      return signalPassFailure();
    }
    llvm::Expected<plan::Machine> read = plan::Machine::read(machine);
    if (!read) {
      module.emitError(llvm::toString(read.takeError()));
      return signalPassFailure();
    }
    for (const std::string &text : at) {
      auto [name, number] = StringRef(text).split('=');
      int64_t value = 0;
      if (number.getAsInteger(10, value) || value < 0) {
        module.emitError("at: expected NAME=VALUE, found '") << text << "'";
        return signalPassFailure();
      }
      sizes[name] = value;
    }
    SymbolicDims dims(module);
    for (auto entry : module.getOps<func::FuncOp>())
      if (entry->hasAttr(dhlo::DHLODialect::kEntryAttr) &&
          failed(planEntry(entry, *read, dims)))
        return signalPassFailure();
  }

private:
  LogicalResult planEntry(func::FuncOp entry, const plan::Machine &machine,
                          const SymbolicDims &dims);
  SmallVector<MeshOp> makeMeshes(func::FuncOp entry, const PlanModel &model,
                                 const plan::Plan &found);
  void divide(const PlanModel::LayerValue &value, ArrayRef<Split> splits,
              MeshOp mesh);
  /// Has sums computed in segments, and those of divided layers by ranks.
  void divideSums(const PlanModel &model, const plan::Plan &found,
                  ArrayRef<MeshOp> meshes);
  void bring(Operation *op, const PlanModel &model, const plan::Plan &found,
             ArrayRef<MeshOp> meshes);

  SizeMap sizes;
  /// Values that stages read of others, by value and mesh.
  DenseMap<std::pair<Value, Operation *>, Value> brought;
};
} // namespace

/// A sharding of a tensor, of which mesh axes divide rows or columns.
static ShardingAttr getSharding(const PlanModel::LayerValue &value,
                                ArrayRef<Split> splits, MeshOp mesh) {
  Builder builder(mesh.getContext());
  auto axes = mesh.getNames().getAsValueRange<StringAttr>();
  auto type = cast<RankedTensorType>(value.value.getType());
  SmallVector<ArrayAttr> divided;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    SmallVector<StringRef> names;
    for (auto [split, name] : llvm::zip(splits, axes))
      if ((split == Split::Rows && axis == value.rows) ||
          (split == Split::Columns && axis == value.columns))
        names.push_back(name);
    divided.push_back(builder.getStrArrayAttr(names));
  }
  return ShardingAttr::get(mesh.getContext(), FlatSymbolRefAttr::get(mesh),
                           divided);
}

void PlanPass::divide(const PlanModel::LayerValue &value,
                      ArrayRef<Split> splits, MeshOp mesh) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(value.value);
  auto reshard = ReshardOp::create(builder, value.value.getLoc(), value.value,
                                   getSharding(value, splits, mesh));
  Value whole = value.value;
  whole.replaceAllUsesExcept(reshard.getResult(), reshard);
  ++numDivided;
}

// All sums have segments, whichever the plan divides: bits do not depend on it,
// nor on the number of ranks.

void PlanPass::divideSums(const PlanModel &model, const plan::Plan &found,
                          ArrayRef<MeshOp> meshes) {
  Builder builder(&getContext());
  for (const PlanModel::Sum &sum : model.sums) {
    if (!plan::hasSegments(model.model.layers[sum.layer], segments))
      continue;
    MeshOp mesh = meshes[found.getStage(sum.layer)];
    SmallVector<StringRef> names;
    for (auto [split, name] :
         llvm::zip(found.splits[sum.layer],
                   mesh.getNames().getAsValueRange<StringAttr>()))
      if (split == Split::Sum)
        names.push_back(name);
    sum.op->setAttr(DistDialect::kSumsAttr,
                    SumsAttr::get(&getContext(), FlatSymbolRefAttr::get(mesh),
                                  sum.pair, builder.getStrArrayAttr(names),
                                  segments));
    ++numSums;
  }
}

/// Brings what an operation reads, and its stage does not compute, to its
/// stage.
void PlanPass::bring(Operation *op, const PlanModel &model,
                     const plan::Plan &found, ArrayRef<MeshOp> meshes) {
  auto getLayer = [&](Value value) -> std::optional<size_t> {
    auto it = model.layers.find(value);
    return it == model.layers.end() ? std::nullopt
                                    : std::optional<size_t>(it->second);
  };
  std::optional<size_t> own = model.getLayer(op);
  if (!own)
    return;
  size_t stage = found.getStage(*own);
  const plan::Layer &layer = model.model.layers[*own];
  llvm::SetVector<Value> values;
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (std::optional<size_t> from = getLayer(value))
        if (model.model.layers[*from].isInput || found.getStage(*from) != stage)
          values.insert(value);
  });
  for (Value value : values) {
    size_t from = *getLayer(value);
    PlanModel::LayerValue as = {value};
    plan::Splits splits(2, Split::None);
    for (const plan::Operand &operand : layer.operands)
      if (operand.layer == from && model.values[from].value == value) {
        as = model.values[from];
        splits = plan::getOperandSplits(layer, operand, found.splits[*own]);
      }
    Value &here = brought[{value, meshes[stage]}];
    if (!here) {
      OpBuilder builder(op);
      here = ReshardOp::create(builder, value.getLoc(), value,
                               getSharding(as, splits, meshes[stage]));
      ++numBrought;
    }
    value.replaceUsesWithIf(
        here, [&](OpOperand &use) { return op->isAncestor(use.getOwner()); });
  }
}

/// The meshes of the stages of a plan, or that of the program's shardings.
SmallVector<MeshOp> PlanPass::makeMeshes(func::FuncOp entry,
                                         const PlanModel &model,
                                         const plan::Plan &found) {
  if (model.mesh)
    return {model.mesh};
  SymbolTable symbols(getOperation());
  OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
  SmallVector<MeshOp> meshes;
  for (auto [i, stage] : llvm::enumerate(found.stages)) {
    std::string name =
        found.stages.size() == 1 ? "plan" : "stage" + std::to_string(i);
    meshes.push_back(MeshOp::create(builder, entry.getLoc(), name,
                                    builder.getStrArrayAttr({"outer", "inner"}),
                                    stage.mesh.sizes, stage.mesh.first));
    symbols.insert(meshes.back());
  }
  return meshes;
}

LogicalResult PlanPass::planEntry(func::FuncOp entry,
                                  const plan::Machine &machine,
                                  const SymbolicDims &dims) {
  FailureOr<PlanModel> model = buildPlanModel(entry, dims, sizes);
  if (failed(model))
    return failure();
  plan::PlanOptions options;
  options.maxStages = maxStages;
  options.microBatches = microBatches;
  options.segments = segments;
  FailureOr<plan::Plan> found = planRanks(entry, *model, machine, options);
  if (failed(found))
    return failure();
  const plan::Stage &last = found->stages.back();
  int64_t ranks = last.mesh.first + last.mesh.getRanks();
  if (ranks == 1) {
    entry.emitRemark("plan: one rank is fastest");
    // It has the bits of more, so it computes sums in segments, too.
    if (llvm::none_of(model->sums, [&](const PlanModel::Sum &sum) {
          return plan::hasSegments(model->model.layers[sum.layer], segments);
        }))
      return success();
  }
  SmallVector<MeshOp> meshes = makeMeshes(entry, *model, *found);
  if (meshes.size() > 1) {
    brought.clear();
    for (Operation &op :
         llvm::make_early_inc_range(entry.front().without_terminator()))
      bring(&op, *model, *found, meshes);
  }
  divideSums(*model, *found, meshes);
  Builder builder(&getContext());
  for (size_t i = 0; i < model->values.size(); ++i) {
    const plan::Layer &layer = model->model.layers[i];
    const PlanModel::LayerValue &value = model->values[i];
    if (plan::isByPaths(found->splits[i]) && layer.routes->given.empty()) {
      value.route->setAttr(DistDialect::kPlacementAttr,
                           builder.getDenseI64ArrayAttr(found->placement[i]));
      ++numPlaced;
    }
    plan::Splits splits = plan::getValueSplits(layer, found->splits[i]);
    if (value.value && !layer.isInput && !layer.given &&
        llvm::any_of(splits, [](Split s) { return s != Split::None; }))
      divide(value, splits, meshes[found->getStage(i)]);
  }
  for (unsigned i = 0; meshes.size() == 1 && i < entry.getNumResults(); ++i)
    if (isa<RankedTensorType>(entry.getResultTypes()[i]) &&
        !entry.getResultAttr(i, DistDialect::kShardingAttr))
      entry.setResultAttr(
          i, DistDialect::kShardingAttr,
          getSharding({entry.front().getTerminator()->getOperand(i)},
                      plan::Splits(), meshes.front()));
  if (found->microBatches > 1)
    entry->setAttr(DistDialect::kMicroBatchesAttr,
                   Builder(entry).getI64IntegerAttr(found->microBatches));
  if (ranks == 1)
    return success();
  InFlightDiagnostic remark = entry.emitRemark("plan: ") << ranks << " ranks, ";
  if (meshes.size() > 1)
    remark << meshes.size() << " stages, ";
  if (found->microBatches > 1)
    remark << found->microBatches << " micro-batches, ";
  remark << int64_t(found->seconds * 1e6) << " microseconds";
  return success();
}
