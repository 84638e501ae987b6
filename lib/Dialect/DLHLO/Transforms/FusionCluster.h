//===- FusionCluster.h - Sets of operations that become fusions
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCLUSTER_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCLUSTER_H

#include "FusionCost.h"

#include <map>

namespace dyn::dlhlo {

/// Operations that will be one fusion.
struct Cluster {
  FusionKind kind;
  llvm::SmallVector<mlir::Operation *> ops;
  /// The operation that the others have joined.
  mlir::Operation *root;
};

/// The operations of a segment (those of a block between two that bind symbols
/// or have regions), some of which are in clusters. A cluster and the
/// operations outside of clusters are the nodes of a graph that always stays
/// acyclic, so that an order of the fusions exists.
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
  /// Adds an operation if it keeps the graph acyclic, and the cluster and what
  /// it computes again small.
  bool tryAdd(Cluster *cluster, mlir::Operation *op,
              unsigned maxOutputs = kMaxOutputs);
  /// Values of a cluster, with `added` if given, that are read outside of it.
  unsigned countOutputs(const Cluster *cluster,
                        mlir::Operation *added = nullptr) const;
  /// The number of positions at which a cluster computes an operation, a member
  /// or one to be added, for one element of its result, up to kMaxPositions
  /// + 1.
  unsigned countPositions(const Cluster *cluster, mlir::Operation *op) {
    return findPositions(cluster, op).size();
  }
  /// Takes an operation out of its cluster.
  void remove(mlir::Operation *op);
  /// Lets an equal operation, which comes before it in the same cluster or in
  /// none as well, take an operation's place.
  void replace(mlir::Operation *op, mlir::Operation *equal);
  /// Erases an operation that nobody reads.
  void erase(mlir::Operation *op);

  /// Whether all users of the operation are in the cluster.
  bool hasAllUsers(const Cluster *cluster, mlir::Operation *op) const;

  /// Brings the segment into an order in which clusters stand together, makes
  /// fusions of them, and returns their number.
  unsigned materialize();

private:
  /// Numbers of positions; 0 is that of the cluster's result.
  using Positions = llvm::SmallVector<unsigned, 4>;

  bool createsCycle(const Cluster *cluster, mlir::Operation *op) const;
  Positions findPositions(const Cluster *cluster, mlir::Operation *op);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  llvm::DenseMap<mlir::Operation *, Cluster *> clusterOf;
  std::vector<std::unique_ptr<Cluster>> clusters;
  llvm::DenseMap<mlir::Operation *, Positions> positionsOf;
  /// The number of the position at which an operand is read for a position of
  /// its reader.
  std::map<std::pair<mlir::OpOperand *, unsigned>, unsigned> readPositions;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCLUSTER_H
