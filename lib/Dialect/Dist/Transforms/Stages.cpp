//===- Stages.cpp - The stage of each operation of a pipeline -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

Stages::Stages(func::FuncOp function, ArrayRef<MeshOp> meshes)
    : meshes(meshes) {
  if (meshes.size() < 2)
    return;
  auto find = [&](StringRef name) {
    return *llvm::find_if(
        meshes, [&](MeshOp mesh) { return mesh.getSymName() == name; });
  };
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator()) {
    if (auto reshard = dyn_cast<ReshardOp>(op)) {
      stages[&op] = find(reshard.getSharding().getMesh().getValue());
      continue;
    }
    MeshOp last;
    for (Value value : getReadValues(&op))
      if (MeshOp mesh = getMesh(value);
          mesh && (!last || last.getFirst() < mesh.getFirst()))
        last = mesh;
    if (last)
      stages[&op] = last;
  }
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (!getMesh(&op))
      if (MeshOp mesh = getMeshOfUsers(&op))
        stages[&op] = mesh;
}

/// The stage that alone reads the results; null if there is none.
MeshOp Stages::getMeshOfUsers(Operation *op) const {
  MeshOp found;
  for (Operation *user : op->getUsers()) {
    MeshOp mesh = getMesh(op->getBlock()->findAncestorOpInBlock(*user));
    if (!mesh || (found && found != mesh))
      return {};
    found = mesh;
  }
  return found;
}

MeshOp Stages::getMesh(Operation *op) const {
  return meshes.size() == 1 ? meshes.front() : stages.lookup(op);
}

MeshOp Stages::getMesh(Value value) const {
  if (Operation *op = value.getDefiningOp())
    return getMesh(op);
  return meshes.size() == 1 ? meshes.front() : MeshOp();
}

FailureOr<SmallVector<MeshOp>> dist::findMeshes(ModuleOp module) {
  SmallVector<MeshOp> meshes = llvm::to_vector(module.getOps<MeshOp>());
  llvm::stable_sort(meshes, [](MeshOp lhs, MeshOp rhs) {
    return lhs.getFirst() < rhs.getFirst();
  });
  int64_t next = 0;
  for (MeshOp mesh : meshes) {
    if (int64_t(mesh.getFirst()) != next)
      return mesh.emitError("expected ranks of meshes to follow one another: "
                            "from ")
             << next << ", found " << mesh.getFirst();
    next += mesh.getRanks();
  }
  return meshes;
}

LogicalResult dist::checkStages(func::FuncOp function, const Stages &stages,
                                const SymbolicDims &dims) {
  if (stages.getMeshes().size() < 2)
    return success();
  auto isDivided = [](auto getAttr, unsigned count) {
    return llvm::any_of(llvm::seq(count), getAttr);
  };
  if (isDivided(
          [&](unsigned i) {
            return bool(function.getArgAttr(i, DistDialect::kShardingAttr));
          },
          function.getNumArguments()) ||
      isDivided(
          [&](unsigned i) {
            return bool(function.getResultAttr(i, DistDialect::kShardingAttr));
          },
          function.getNumResults()))
    return function.emitError("expected inputs and results without '")
           << DistDialect::kShardingAttr
           << "': all ranks have them in full if there are stages";
  DenseMap<StringAttr, MeshOp> bound;
  Block &block = function.getBody().front();
  for (Operation &op : block)
    if (MeshOp mesh = stages.getMesh(&op)) {
      auto sums = op.getAttrOfType<SumsAttr>(DistDialect::kSumsAttr);
      if (sums && sums.getMesh().getAttr() != mesh.getSymNameAttr())
        return op.emitError("expected sums that ranks of @")
               << mesh.getSymName() << " divide, as these compute them, found "
               << sums.getMesh();
      op.walk([&](dhlo::BindsDims binder) {
        for (StringAttr name : binder.getBoundDims())
          bound[name] = mesh;
      });
    }
  for (Operation &op : block)
    for (Value value : getReadValues(&op))
      if (MeshOp at = stages.getMesh(&op), from = stages.getMesh(value);
          at && from && at != from && !isa<RankedTensorType>(value.getType()))
        return op.emitError("expected tensors between stages: ")
               << value.getType() << " is known to the ranks of @"
               << from.getSymName() << " alone";
  for (Operation &op : block)
    for (StringAttr name : findSizeNames(&op, dims))
      if (MeshOp mesh = bound.lookup(name); mesh && mesh != stages.getMesh(&op))
        return op.emitError("expected sizes of inputs between stages: @")
               << name.getValue() << " is known to the ranks of @"
               << mesh.getSymName() << " alone";
  return success();
}
