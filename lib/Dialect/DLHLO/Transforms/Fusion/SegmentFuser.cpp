//===- SegmentFuser.cpp - Clusters the operations of a segment ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each segment of a block is clustered in five steps; an operation is in at
// most one cluster, so earlier steps have priority.
//
//   1. Operations that cost nothing (broadcast, iota, reshape) are cloned for
//      each of their users.
//   2. Contractions and convolutions fuse elementwise consumers as an epilogue,
//      which works on results in registers. Cheap producers of other operands
//      of the epilogue, with one element for each of the result's or one for
//      all, are computed there too. A grouped GEMM fuses the gather that
//      produces its rows. Attention fuses the transposes between heads and
//      rows; on a device, any movement of its operands' elements, and cheap
//      producers of its queries.
//   3. Reductions and normalisations of rows alternately fuse consumers that
//      work row by row, other reductions of the same rows or of the same value,
//      and then producers.
//   4. Contractions fuse cheap producers of their LHS if it is of floats and
//      the RHS is a packed constant: they are computed where rows would be
//      copied.
//   5. The remaining operations, from the last to the first, fuse their
//      producers, as long as nothing expensive is computed twice.
//
// Reshapes at the boundary of a cluster are removed from it: outside they are
// views. Of equal ones, in a cluster or outside, one is kept.

#include "SegmentFuser.h"

#include "FusionDecisions.h"
#include "FusionFreeOps.h"
#include "FusionGrowth.h"

#include "dyn/Dialect/DHLO/Analysis/HeadTranspose.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

/// Whether a contraction that copies its rows can compute this in them. A
/// reshape that splits rows would cost a division for each element.
static bool isPartOfRows(Operation *op) {
  if (auto reshape = llvm::dyn_cast<dhlo::ReshapeOp>(op)) {
    auto from = llvm::cast<RankedTensorType>(reshape.getOperand().getType());
    RankedTensorType to = reshape.getType();
    return from.getRank() > 0 && to.getRank() > 0 &&
           dhlo::getDim(from, from.getRank() - 1) ==
               dhlo::getDim(to, to.getRank() - 1);
  }
  return isFree(op) || llvm::isa<dhlo::ConcatOp>(op) || isRowGather(op) ||
         isElementwise(op);
}

/// Whether a contraction can compute its rows where it would copy them.
static bool computesRows(dhlo::DotGeneralOp dot) {
  auto lhs = llvm::cast<RankedTensorType>(dot.getLhs().getType());
  auto rhs = llvm::cast<RankedTensorType>(dot.getRhs().getType());
  auto packed = llvm::dyn_cast_or_null<PackedAttr>(rhs.getEncoding());
  return packed && isPanels(packed.getKind()) && dot.getBatch() == 0 &&
         llvm::isa<FloatType>(lhs.getElementType()) &&
         dot.getLhsContract() == ArrayRef<int64_t>{lhs.getRank() - 1};
}

namespace {

class SegmentFuser {
public:
  SegmentFuser(ArrayRef<Operation *> segment, const SymbolicDims &dims,
               const ElementCosts &costs, bool isDevice)
      : graph(segment), dims(dims), decisions(costs), isDevice(isDevice) {}

  unsigned run() {
    for (Operation *op : graph.getOps())
      if (graph.isAvailable(op) && isGemm(op))
        growDot(graph.create(getKind(op), op));
    for (Operation *op : graph.getOps())
      if (graph.isAvailable(op) && llvm::isa<dhlo::AttentionOp>(op))
        growAttention(graph.create(FusionKind::Attention, op));
    for (Operation *op : graph.getOps())
      if (graph.isAvailable(op) && !staysOutside(op) &&
          getKind(op) == FusionKind::Row)
        growRows(graph.create(FusionKind::Row, op), *getRowSpace(op));
    for (Operation *op : graph.getOps())
      if (auto dot = llvm::dyn_cast<dhlo::DotGeneralOp>(op))
        if (Cluster *cluster = graph.getCluster(op);
            cluster && computesRows(dot))
          growRowsOfDot(cluster, dot.getLhs(),
                        [](Operation *source) { return !isFree(source); });
    for (Operation *op : llvm::reverse(graph.getOps()))
      if (graph.isAvailable(op) && !staysOutside(op))
        growLoop(graph.create(getKind(op), op));
    decisions.explain(graph);
    trimReshapes(graph);
    mergeFreeOps(graph);
    return graph.materialize();
  }

private:
  static bool isGemm(Operation *op) {
    return getKind(op) == FusionKind::Contraction ||
           getKind(op) == FusionKind::Convolution;
  }

  dhlo::DimExpr getNumElements(Value value) const {
    return dims.getNumElements(llvm::cast<RankedTensorType>(value.getType()));
  }
  bool hasNumElements(Operation *op, dhlo::DimExpr count) const {
    return op->getNumResults() == 1 &&
           dims.isEqual(getNumElements(op->getResult(0)), count);
  }

  void growDot(Cluster *cluster) {
    dhlo::DimExpr count = getNumElements(cluster->ops.front()->getResult(0));
    growDown(graph, cluster, [&](Operation *user) {
      return (isElementwise(user) || llvm::isa<dhlo::ReshapeOp>(user)) &&
             hasNumElements(user, count);
    });
    Operation *dot = cluster->ops.front();
    growUp(graph, cluster, [&](Operation *user, Operation *source) {
      if (user == dot || !graph.hasAllUsers(cluster, source))
        return false;
      if (isFree(source) || isRowGather(source))
        return true;
      // Either elements correspond to the result's, or there is one for all.
      bool isOne =
          hasNumElements(source, dhlo::getConstDim(source->getContext(), 1));
      return isElementwise(source) &&
             (isOne || hasNumElements(source, count)) &&
             decisions.isFusedCheaper(cluster, source, {.repeats = isOne});
    });
    if (auto grouped = llvm::dyn_cast<dhlo::GroupedDotOp>(dot))
      growRowsOfDot(cluster, grouped.getLhs(), isRowGather);
  }

  /// A contraction that copies its rows can compute them instead: fuses the
  /// cheap producers of the rows if `isWorth` holds for one of them.
  void growRowsOfDot(Cluster *cluster, Value rows,
                     llvm::function_ref<bool(Operation *)> isWorth) {
    // Rows are copied for each of several groups of columns.
    SmallVector<Operation *> sources =
        findSources(graph, rows, [&](Operation *op) {
          return isPartOfRows(op) &&
                 decisions.isFusedCheaper(cluster, op, {.repeats = true});
        });
    if (llvm::any_of(sources, isWorth))
      addSources(graph, cluster, sources);
  }

  /// Fuses transposes so that heads are read and written within rows.
  void growAttention(Cluster *cluster) {
    auto op = llvm::cast<dhlo::AttentionOp>(cluster->ops.front());
    if (isDevice)
      growOperandsOfAttention(cluster, op);
    else
      for (Value operand : {op.getQuery(), op.getKey(), op.getValue()})
        if (Operation *source = operand.getDefiningOp();
            swapsHeads(source) && graph.hasAllUsers(cluster, source) &&
            graph.isAvailable(source))
          graph.tryAdd(cluster, source);
    Operation *user = op->hasOneUse() ? *op->user_begin() : nullptr;
    if (graph.isAvailable(user) && swapsHeads(user))
      graph.tryAdd(cluster, user);
  }

  /// Operands of a device's attention are written to shared memory element by
  /// element. A query is read by one block, and computed again for each step
  /// along the keys, at a fraction of the step's multiplications; a key is read
  /// by all blocks of its head.
  void growOperandsOfAttention(Cluster *cluster, dhlo::AttentionOp op) {
    addSources(
        graph, cluster,
        findSources(graph, op.getQuery(), [&](Operation *source) {
          return isNearMovement(source) ||
                 (isElementwise(source) &&
                  decisions.isFusedCheaper(cluster, source, {.repeats = true}));
        }));
    for (Value operand : {op.getKey(), op.getValue()})
      addSources(graph, cluster, findSources(graph, operand, isNearMovement));
  }

  void growRows(Cluster *cluster, const RowSpace &space) {
    do
      growRowsOnce(cluster, space);
    while (addSiblings(cluster, space));
  }

  /// Whether an operation is a reduction of these rows that is in no cluster.
  bool reducesRows(Operation *op, const RowSpace &space) const {
    if (!graph.isAvailable(op) || !llvm::isa<dhlo::ReduceOp>(op))
      return false;
    std::optional<RowSpace> other = getRowSpace(op);
    return other && dims.isEqual(other->rows, space.rows) &&
           dims.isEqual(other->columns, space.columns);
  }

  /// Adds reductions that read the same value as one of the cluster, and those
  /// that are its producers: one pass over the rows serves all of them. Returns
  /// whether there were any.
  bool addSiblings(Cluster *cluster, const RowSpace &space) {
    size_t size = cluster->ops.size();
    for (unsigned i = 0; i != cluster->ops.size(); ++i) {
      Operation *op = cluster->ops[i];
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (reducesRows(source, space))
          graph.tryAdd(cluster, source);
        if (!llvm::isa<dhlo::ReduceOp>(op))
          continue;
        // Each user may have its own reshape.
        SmallVector<Operation *> users(skipReshapes(operand).getUsers());
        for (unsigned j = 0; j != users.size(); ++j)
          if (llvm::isa<dhlo::ReshapeOp>(users[j]))
            users.append(users[j]->user_begin(), users[j]->user_end());
          else if (reducesRows(users[j], space))
            graph.tryAdd(cluster, users[j]);
      }
    }
    return cluster->ops.size() != size;
  }

  void growRowsOnce(Cluster *cluster, const RowSpace &space) {
    dhlo::DimExpr count = dhlo::mul(space.rows, space.columns);
    growDown(graph, cluster, [&](Operation *user) {
      if (isElementwise(user) || llvm::isa<dhlo::ReshapeOp>(user))
        return hasNumElements(user, count) || hasNumElements(user, space.rows);
      if (isRowBroadcast(user, space, dims))
        return true;
      if (staysOutside(user))
        return false;
      std::optional<RowSpace> other = getRowSpace(user);
      return other && dims.isEqual(other->rows, space.rows) &&
             dims.isEqual(other->columns, space.columns);
    });
    growUp(graph, cluster, [&](Operation *user, Operation *source) {
      if (getKind(source) == FusionKind::Transpose)
        return false;
      // The producer of a row reduction's operand may be an output as well.
      if (!graph.hasAllUsers(cluster, source))
        return isElementwise(source) && hasNumElements(source, count) &&
               (!movesData(user) ||
                (getRowSpace(user) &&
                 user->getOperand(0).getDefiningOp() == source));
      return shouldRecompute(cluster, source);
    });
  }

  void growLoop(Cluster *cluster) {
    Operation *root = cluster->ops.front();
    if (cluster->kind == FusionKind::Attention ||
        cluster->kind == FusionKind::Single)
      return;
    bool hasTranspose = cluster->kind == FusionKind::Transpose;
    // Another loop may have repeated what this kernel computes once.
    repeated.clear();
    dhlo::DimExpr count = getNumElements(root->getResult(0));
    growUp(graph, cluster, [&](Operation *user, Operation *source) {
      bool isTranspose = getKind(source) == FusionKind::Transpose;
      if (isTranspose && (hasTranspose || cluster->kind != FusionKind::Loop))
        return false;
      bool fits = graph.hasAllUsers(cluster, source)
                      ? shouldRecompute(cluster, source)
                      : isElementwise(source) && !movesData(user) &&
                            hasNumElements(source, count);
      hasTranspose |= fits && isTranspose;
      return fits;
    });
    if (cluster->kind == FusionKind::Loop &&
        llvm::any_of(cluster->ops, [](Operation *op) {
          return getKind(op) == FusionKind::Transpose;
        }))
      cluster->kind = FusionKind::Transpose;
  }

  /// Whether all users of an operation, which are in the cluster, should
  /// compute it again.
  bool shouldRecompute(Cluster *cluster, Operation *source) {
    dhlo::DimExpr count = getNumElements(source->getResult(0));
    Recomputation often;
    often.positions = graph.countPositions(cluster, source);
    often.repeats = llvm::any_of(source->getUsers(), [&](Operation *reader) {
      return repeated.contains(reader) || !readsOnce(reader, count, dims);
    });
    // Row kernels compute what a row has one of once for each row.
    if (often.repeats && cluster->kind != FusionKind::Row)
      repeated.insert(source);
    return decisions.isFusedCheaper(cluster, source, often);
  }

  ClusterGraph graph;
  const SymbolicDims &dims;
  FusionDecisions decisions;
  bool isDevice;
  /// Operations that the current loop computes several times at a position.
  llvm::SmallPtrSet<Operation *, 16> repeated;
};

} // namespace

unsigned dlhlo::fuseSegment(ArrayRef<Operation *> segment,
                            const SymbolicDims &dims, const ElementCosts &costs,
                            bool isDevice) {
  return SegmentFuser(segment, dims, costs, isDevice).run();
}
