//===- Stages.h - The stage of each operation of a pipeline ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_STAGES_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_STAGES_H

#include "dyn/Dialect/Dist/IR/Dist.h"
#include "dyn/Dialect/Dist/Transforms/StageSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace dyn::dist {

/// Which meshes of a module are stages, and which operations of an entry they
/// compute (`dist.mesh`).
class Stages {
public:
  /// Of one mesh, all operations are.
  Stages(mlir::func::FuncOp function, llvm::ArrayRef<MeshOp> meshes);

  llvm::ArrayRef<MeshOp> getMeshes() const { return meshes; }
  /// The mesh of an operation of the function's block; null if all stages that
  /// need its results compute them.
  MeshOp getMesh(mlir::Operation *op) const;
  MeshOp getMesh(mlir::Value value) const;

private:
  MeshOp getMeshOfUsers(mlir::Operation *op) const;

  llvm::SmallVector<MeshOp> meshes;
  llvm::DenseMap<mlir::Operation *, MeshOp> stages;
};

/// The meshes of a module by their first ranks. Fails with a message if their
/// ranks do not follow one another.
mlir::FailureOr<llvm::SmallVector<MeshOp>> findMeshes(mlir::ModuleOp module);

/// Checks that inputs and results are on all ranks, if there are stages, and
/// that no stage needs sizes or routes that another one computes.
mlir::LogicalResult checkStages(mlir::func::FuncOp function,
                                const Stages &stages, const SymbolicDims &dims);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_STAGES_H
