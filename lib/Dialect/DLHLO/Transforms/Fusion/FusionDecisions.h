//===- FusionDecisions.h - Decisions by costs, with remarks ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONDECISIONS_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONDECISIONS_H

#include "FusionCluster.h"
#include "FusionCost.h"

#include "llvm/ADT/MapVector.h"

namespace dyn::dlhlo {

/// Decides by costs what a cluster's kernel computes, and records it.
class FusionDecisions {
public:
  explicit FusionDecisions(const ElementCosts &costs) : costs(costs) {}

  /// Compares the costs of a value in the cluster's kernel and in its own.
  bool isFusedCheaper(Cluster *cluster, mlir::Operation *source,
                      Recomputation often);

  /// Remarks on the last decision about each operation. A kernel may be unable
  /// to hold what it would compute for less.
  void explain(const ClusterGraph &graph) const;

private:
  struct Decision {
    Cluster *cluster;
    FusionCost cost;
  };

  const ElementCosts &costs;
  llvm::MapVector<mlir::Operation *, Decision> decisions;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONDECISIONS_H
