//===- PlanPass.cpp - States a plan by shardings --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Plan/Passes.h"
#include "dyn/Dialect/Dist/Plan/PlanModel.h"
#include "dyn/Plan/Plan.h"
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
  void divide(const PlanModel::LayerValue &value, ArrayRef<Split> splits,
              MeshOp mesh, ArrayRef<StringRef> axes);

  SizeMap sizes;
};
} // namespace

/// A sharding of a tensor, of which mesh axes divide rows or columns.
static ShardingAttr getSharding(const PlanModel::LayerValue &value,
                                ArrayRef<Split> splits, MeshOp mesh,
                                ArrayRef<StringRef> axes) {
  Builder builder(mesh.getContext());
  auto type = cast<RankedTensorType>(value.value.getType());
  SmallVector<ArrayAttr> divided;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    SmallVector<StringRef> names;
    for (auto [split, name] : llvm::zip_equal(splits, axes))
      if ((split == Split::Rows && axis == value.rows) ||
          (split == Split::Columns && axis == value.columns))
        names.push_back(name);
    divided.push_back(builder.getStrArrayAttr(names));
  }
  return ShardingAttr::get(mesh.getContext(), FlatSymbolRefAttr::get(mesh),
                           divided);
}

void PlanPass::divide(const PlanModel::LayerValue &value,
                      ArrayRef<Split> splits, MeshOp mesh,
                      ArrayRef<StringRef> axes) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(value.value);
  auto reshard = ReshardOp::create(builder, value.value.getLoc(), value.value,
                                   getSharding(value, splits, mesh, axes));
  Value whole = value.value;
  whole.replaceAllUsesExcept(reshard.getResult(), reshard);
  ++numDivided;
}

LogicalResult PlanPass::planEntry(func::FuncOp entry,
                                  const plan::Machine &machine,
                                  const SymbolicDims &dims) {
  FailureOr<PlanModel> model = buildPlanModel(entry, dims, sizes);
  if (failed(model))
    return failure();
  plan::PlanOptions options;
  options.maxStages = 1;
  options.microBatches = 1;
  llvm::Expected<plan::Plan> found = makePlan(model->model, machine, options);
  if (!found)
    return entry.emitError(llvm::toString(found.takeError()));
  const plan::Mesh &grid = found->stages.front().mesh;
  if (grid.getRanks() == 1) {
    entry.emitRemark("plan: one rank is fastest");
    return success();
  }
  MeshOp mesh = model->mesh;
  if (!mesh) {
    auto module = getOperation();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    mesh =
        MeshOp::create(builder, entry.getLoc(), "plan",
                       builder.getStrArrayAttr({"outer", "inner"}), grid.sizes);
    SymbolTable(module).insert(mesh);
  }
  SmallVector<StringRef> axes =
      llvm::to_vector(mesh.getNames().getAsValueRange<StringAttr>());
  for (auto [layer, value, splits] :
       llvm::zip_equal(model->model.layers, model->values, found->splits)) {
    plan::Splits divided = plan::getValueSplits(splits);
    if (value.value && !layer.isInput && !layer.given &&
        llvm::any_of(divided, [](Split s) { return s != Split::None; }))
      divide(value, divided, mesh, axes);
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (isa<RankedTensorType>(entry.getResultTypes()[i]) &&
        !entry.getResultAttr(i, DistDialect::kShardingAttr))
      entry.setResultAttr(
          i, DistDialect::kShardingAttr,
          getSharding({entry.front().getTerminator()->getOperand(i)},
                      plan::Splits(axes.size(), Split::None), mesh, axes));
  entry.emitRemark("plan: ")
      << grid.getRanks() << " ranks, " << int64_t(found->seconds * 1e6)
      << " microseconds";
  return success();
}
