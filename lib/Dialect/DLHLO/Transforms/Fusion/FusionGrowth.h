//===- FusionGrowth.h - Adds users and producers to clusters --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONGROWTH_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONGROWTH_H

#include "FusionCluster.h"

namespace dyn::dlhlo {

/// Adds users of the cluster that `accept` takes, until there are no more.
void growDown(ClusterGraph &graph, Cluster *cluster,
              llvm::function_ref<bool(mlir::Operation *user)> accept);

/// Adds producers of operands of the cluster, until there are no more: those
/// that a loop can compute and that `accept` takes.
void growUp(
    ClusterGraph &graph, Cluster *cluster,
    llvm::function_ref<bool(mlir::Operation *user, mlir::Operation *source)>
        accept);

/// The producers of a value that are in no cluster, as far as `accept` takes
/// them.
llvm::SmallVector<mlir::Operation *>
findSources(const ClusterGraph &graph, mlir::Value value,
            llvm::function_ref<bool(mlir::Operation *)> accept);

/// Adds those of the operations whose users are all in the cluster.
void addSources(ClusterGraph &graph, Cluster *cluster,
                llvm::ArrayRef<mlir::Operation *> sources);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONGROWTH_H
