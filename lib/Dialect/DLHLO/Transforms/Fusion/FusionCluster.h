//===- FusionCluster.h - Sets of operations that become fusions -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONCLUSTER_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONCLUSTER_H

#include "FusionRules.h"

#include <map>

namespace dyn::dlhlo {

/// Operations that become one fusion.
struct Cluster {
  FusionKind kind;
  llvm::SmallVector<mlir::Operation *> ops;
  /// The operation that the others were added to.
  mlir::Operation *root;
};

/// The operations of a segment (those of a block between two that bind symbols,
/// have regions or exchange rows), some of which are in clusters. The nodes of
/// the graph are the clusters and the operations outside of clusters. It stays
/// acyclic, so that the fusions can be ordered.
class ClusterGraph {
public:
  explicit ClusterGraph(llvm::ArrayRef<mlir::Operation *> segment);

  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  bool contains(mlir::Operation *op) const { return position.contains(op); }
  Cluster *getCluster(mlir::Operation *op) const {
    return clusterOf.lookup(op);
  }
  /// Whether the operation is of this segment and in no cluster.
  bool isAvailable(mlir::Operation *op) const {
    return op && contains(op) && !getCluster(op);
  }

  Cluster *create(FusionKind kind, mlir::Operation *op);
  /// Adds an operation if the graph stays acyclic, and the cluster and its
  /// recomputation stay small.
  bool tryAdd(Cluster *cluster, mlir::Operation *op,
              unsigned maxOutputs = kMaxOutputs);
  /// Values of a cluster, with `added` if given, that are read outside of it.
  unsigned countOutputs(const Cluster *cluster,
                        mlir::Operation *added = nullptr) const;
  /// The number of positions at which a cluster computes an operation, a member
  /// or one to be added, for one element of its result, up to kMaxPositions +
  /// 1.
  unsigned countPositions(const Cluster *cluster, mlir::Operation *op) {
    return findPositions(cluster, op).size();
  }
  /// Removes an operation from its cluster.
  void remove(mlir::Operation *op);
  /// Replaces an operation by an equal one, which precedes it in the same
  /// cluster, or is in no cluster either.
  void replace(mlir::Operation *op, mlir::Operation *equal);
  /// Erases an operation without users.
  void erase(mlir::Operation *op);

  /// Whether all users of the operation are in the cluster.
  bool hasAllUsers(const Cluster *cluster, mlir::Operation *op) const;

  /// Orders the segment so that clusters are contiguous, converts them to
  /// fusions, and returns their number.
  unsigned materialize();

private:
  /// Identifiers of positions; 0 is the position of the cluster's result.
  using Positions = llvm::SmallVector<unsigned, 4>;

  bool createsCycle(const Cluster *cluster, mlir::Operation *op) const;
  Positions findPositions(const Cluster *cluster, mlir::Operation *op);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  llvm::DenseMap<mlir::Operation *, Cluster *> clusterOf;
  std::vector<std::unique_ptr<Cluster>> clusters;
  llvm::DenseMap<mlir::Operation *, Positions> positionsOf;
  /// The identifier of the position at which an operand is read for a position
  /// of its user.
  std::map<std::pair<mlir::OpOperand *, unsigned>, unsigned> readPositions;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONCLUSTER_H
