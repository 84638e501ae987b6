//===- Fuse.cpp - Clusters operations into fusions ------------------------===//
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

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "FusionCluster.h"
#include "FusionCost.h"
#include "FusionFreeOps.h"
#include "FusionOutputs.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

#include "dyn/Dialect/DHLO/Analysis/HeadTranspose.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_FUSEPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

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

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

class SegmentFuser {
public:
  SegmentFuser(ArrayRef<Operation *> segment, const SymbolicDims &dims,
               const ElementCosts &costs, bool isDevice)
      : graph(segment), dims(dims), costs(costs), isDevice(isDevice) {}

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
    explainDecisions();
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

  /// Adds users of the cluster that `accept` takes, until there are no more.
  template <typename Accept> void growDown(Cluster *cluster, Accept accept) {
    // A value may cease to be an output once all its users are in the cluster.
    size_t fits = cluster->ops.size();
    // The cluster grows while it is visited.
    for (unsigned i = 0; i != cluster->ops.size(); ++i) {
      SmallVector<Operation *> users(cluster->ops[i]->getUsers());
      llvm::sort(users, [](Operation *lhs, Operation *rhs) {
        return lhs != rhs && lhs->isBeforeInBlock(rhs);
      });
      for (Operation *user : users)
        if (graph.isAvailable(user) && accept(user) &&
            graph.tryAdd(cluster, user, 2 * kMaxOutputs) &&
            graph.countOutputs(cluster) <= kMaxOutputs)
          fits = cluster->ops.size();
    }
    // Each prefix of the list was acyclic.
    while (cluster->ops.size() > fits)
      graph.remove(cluster->ops.back());
  }

  /// Adds producers of operands of the cluster, until there are no more.
  template <typename Accept> void growUp(Cluster *cluster, Accept accept) {
    for (unsigned i = 0; i != cluster->ops.size(); ++i)
      for (Value operand : cluster->ops[i]->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (graph.isAvailable(source) && isLoopOp(source) &&
            accept(cluster->ops[i], source))
          graph.tryAdd(cluster, source);
      }
  }

  void growDot(Cluster *cluster) {
    dhlo::DimExpr count = getNumElements(cluster->ops.front()->getResult(0));
    growDown(cluster, [&](Operation *user) {
      return (isElementwise(user) || llvm::isa<dhlo::ReshapeOp>(user)) &&
             hasNumElements(user, count);
    });
    Operation *dot = cluster->ops.front();
    growUp(cluster, [&](Operation *user, Operation *source) {
      if (user == dot || !graph.hasAllUsers(cluster, source))
        return false;
      if (isFree(source) || isRowGather(source))
        return true;
      // Either elements correspond to the result's, or there is one for all.
      bool isOne =
          hasNumElements(source, dhlo::getConstDim(source->getContext(), 1));
      return isElementwise(source) &&
             (isOne || hasNumElements(source, count)) &&
             isFusedCheaper(cluster, source, {.repeats = isOne});
    });
    if (auto grouped = llvm::dyn_cast<dhlo::GroupedDotOp>(dot))
      growRowsOfDot(cluster, grouped.getLhs(), isRowGather);
  }

  /// A contraction that copies its rows can compute them instead: fuses the
  /// cheap producers of the rows if `isWorth` holds for one of them.
  void growRowsOfDot(Cluster *cluster, Value rows,
                     llvm::function_ref<bool(Operation *)> isWorth) {
    // Rows are copied for each of several groups of columns.
    SmallVector<Operation *> sources = findSources(rows, [&](Operation *op) {
      return isPartOfRows(op) && isFusedCheaper(cluster, op, {.repeats = true});
    });
    if (llvm::any_of(sources, isWorth))
      addSources(cluster, sources);
  }

  /// The producers of a value, as far as `accept` takes them.
  SmallVector<Operation *>
  findSources(Value value, llvm::function_ref<bool(Operation *)> accept) {
    SmallVector<Operation *> sources;
    auto add = [&](Value value) {
      Operation *source = value.getDefiningOp();
      if (graph.isAvailable(source) && accept(source) &&
          !llvm::is_contained(sources, source))
        sources.push_back(source);
    };
    add(value);
    for (unsigned i = 0; i != sources.size(); ++i)
      for (Value operand : sources[i]->getOperands())
        add(operand);
    return sources;
  }

  /// Adds those of the operations whose users are all in the cluster.
  void addSources(Cluster *cluster, ArrayRef<Operation *> sources) {
    // An operation with two users is added after both.
    for (bool changes = true; changes;) {
      changes = false;
      for (Operation *source : sources)
        changes |= graph.isAvailable(source) &&
                   graph.hasAllUsers(cluster, source) &&
                   graph.tryAdd(cluster, source);
    }
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
    addSources(cluster, findSources(op.getQuery(), [&](Operation *source) {
                 return isNearMovement(source) ||
                        (isElementwise(source) &&
                         isFusedCheaper(cluster, source, {.repeats = true}));
               }));
    for (Value operand : {op.getKey(), op.getValue()})
      addSources(cluster, findSources(operand, isNearMovement));
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
    growDown(cluster, [&](Operation *user) {
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
    growUp(cluster, [&](Operation *user, Operation *source) {
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
    growUp(cluster, [&](Operation *user, Operation *source) {
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
    return isFusedCheaper(cluster, source, often);
  }

  /// Compares the costs of a value in the cluster's kernel and in its own.
  bool isFusedCheaper(Cluster *cluster, Operation *source,
                      Recomputation often) {
    FusionCost cost = getFusionCost(source, often, costs);
    if (!isFree(source))
      decisions[source] = {cluster, cost};
    return cost.isFusedCheaper();
  }

  /// Remarks on the last decision about each operation. A kernel may be unable
  /// to hold what it would compute for less.
  void explainDecisions() {
    for (auto &[op, decision] : decisions) {
      bool isFused = graph.getCluster(op) == decision.cluster;
      StringRef root = decision.cluster->root->getName().getStringRef();
      auto options = remark::RemarkOpts::name(op->getName().getStringRef())
                         .category("dlhlo-fuse");
      auto remark = isFused ? remark::passed(op->getLoc(), options)
                            : remark::missed(op->getLoc(), options);
      if (isFused)
        remark << remark::add("computed in the kernel of {0}", root);
      else if (decision.cost.isFusedCheaper())
        remark << remark::add("the kernel of {0} cannot compute it", root);
      else
        remark << remark::add("not computed again in the kernel of {0}", root);
      if (decision.cost.fused == FusionCost::kUnbounded)
        remark << remark::metric("fused", "unbounded");
      else
        remark << remark::metric("fused", decision.cost.fused);
      remark << remark::metric("split", decision.cost.split);
    }
  }

  struct Decision {
    Cluster *cluster;
    FusionCost cost;
  };

  ClusterGraph graph;
  const SymbolicDims &dims;
  const ElementCosts &costs;
  bool isDevice;
  /// Operations that the current loop computes several times at a position.
  llvm::SmallPtrSet<Operation *, 16> repeated;
  llvm::MapVector<Operation *, Decision> decisions;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct FusePass : dlhlo::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    TargetInfo target = TargetInfo::forProgram(device);
    if (failed(target.overrideByFile(targetInfo, getOperation())))
      return signalPassFailure();
    costs = target.elements();
    auto &dims = getAnalysis<SymbolicDims>();
    markAnalysesPreserved<SymbolicDims>();
    DimBuilder symbols(dims);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(dhlo::DHLODialect::kEntryAttr) ||
          function.isExternal())
        continue;
      function.walk([&](dhlo::NonzeroOp op) { expandNonzero(op, symbols); });
      fuseRegion(function.getBody(), dims);
      function.walk([](dhlo::ConstantOp op) {
        if (op.use_empty())
          op.erase();
      });
      unsigned copies = copyOutputs(function.front().getTerminator(), dims);
      function.walk([&](dhlo::WhileOp loop) {
        copies += copyOutputs(loop.getBody().front().getTerminator(), dims);
      });
      numFusions += copies;
      numCopies += copies;
    }
  }

private:
  /// dhlo.nonzero -> a search with a buffer for every element, and a view of
  /// the rows found.
  void expandNonzero(dhlo::NonzeroOp op, DimBuilder &symbols) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto operand = llvm::cast<RankedTensorType>(op.getOperand().getType());
    RankedTensorType all = symbols.getTensorType(
        {symbols.getDims().getNumElements(operand),
         dhlo::getConstDim(op.getContext(), operand.getRank())},
        builder.getI64Type());
    auto search = FindNonzeroOp::create(
        builder, loc, all, RankedTensorType::get({}, builder.getI64Type()),
        op.getOperand());
    dhlo::BindOp::create(builder, loc, op.getCountAttr(), search.getCount());
    auto zero = dhlo::getConstDim(op.getContext(), 0);
    auto found =
        dhlo::SliceOp::create(builder, loc, op.getType(), search.getIndices(),
                              builder.getArrayAttr({zero, zero}),
                              builder.getDenseI64ArrayAttr({1, 1}));
    op.replaceAllUsesWith(found.getResult());
    op.erase();
  }

  void fuseRegion(Region &region, const SymbolicDims &dims) {
    for (Block &block : region) {
      cloneFreeOps(block);
      SmallVector<Operation *> segment;
      SmallVector<Operation *> ops;
      for (Operation &op : block)
        ops.push_back(&op);
      for (Operation *op : ops) {
        if (!llvm::isa<dhlo::BindsDims>(op) && op != &block.back()) {
          segment.push_back(op);
          continue;
        }
        numFusions += SegmentFuser(segment, dims, costs, device).run();
        segment.clear();
        for (Region &nested : op->getRegions())
          fuseRegion(nested, dims);
      }
    }
  }

  ElementCosts costs;
};

} // namespace
