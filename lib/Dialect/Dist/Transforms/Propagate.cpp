//===- Propagate.cpp - Gives each value of an entry a sharding ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An axis that is whole may become divided, never the other way, so that the
// rounds end.

#include "Division.h"
#include "FixedPoint.h"
#include "Stages.h"

#include "dyn/Dialect/Dist/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

#include <numeric>

namespace dyn::dist {
#define GEN_PASS_DEF_PROPAGATEPASS
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"
} // namespace dyn::dist

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

namespace {
class Propagator {
public:
  /// Sums are divided in `segments` if there are any.
  Propagator(func::FuncOp function, const Stages &stages,
             const SymbolicDims &dims, int64_t segments);

  /// Divides what reshards state, then repeats both directions until nothing
  /// changes.
  void run();
  /// Emits remarks and returns the number of operands that are gathered.
  int64_t reportGathers();
  /// Marks contractions whose sums are divided and returns their number.
  int64_t markSums();
  /// Inserts reshards and returns the number of results that are divided.
  int64_t insertReshards();

private:
  Axes readAxes(ShardingAttr sharding);
  /// How `user` finds an operand divided: not at all if another stage has it.
  Axes getGiven(Operation *user, Value operand);
  /// How the sums of `op` are divided; null if they are not.
  SumsAttr getSums(Operation *op);
  bool visitForwards(Operation *op);
  bool visitBackwards(Operation *op);
  /// The sharding that a user needs of an operand.
  Axes getNeeded(OpOperand &use);
  const Division &divide(Operation *op);
  /// Divides axis `axis` of the results of `op`, if that is possible.
  bool refine(Operation *op, int64_t axis, ArrayAttr names);

  func::FuncOp function;
  const Stages &stages;
  const SymbolicDims &dims;
  int64_t segments;
  DenseMap<Operation *, Division> divisions;
  DenseMap<Value, Axes> shardings;
  /// Operations whose sharding reshards after them state.
  DenseSet<Operation *> stated;
};
} // namespace

Propagator::Propagator(func::FuncOp function, const Stages &stages,
                       const SymbolicDims &dims, int64_t segments)
    : function(function), stages(stages), dims(dims), segments(segments) {
  for (BlockArgument argument : function.getArguments()) {
    auto sharding = function.getArgAttrOfType<ShardingAttr>(
        argument.getArgNumber(), DistDialect::kShardingAttr);
    shardings[argument] = sharding ? readAxes(sharding) : getWhole(argument);
  }
  for (Operation &op : function.getBody().front())
    for (Value result : op.getResults()) {
      auto reshard = dyn_cast<ReshardOp>(op);
      shardings[result] =
          reshard ? readAxes(reshard.getSharding()) : getWhole(result);
    }
}

/// The order of sums must not depend on sizes of the mesh, so axes of one rank
/// divide them, too.
Axes Propagator::readAxes(ShardingAttr sharding) {
  if (segments)
    return Axes(sharding.getAxes());
  return getAxes(sharding, SymbolTable::lookupNearestSymbolFrom<MeshOp>(
                               function, sharding.getMesh()));
}

Axes Propagator::getGiven(Operation *user, Value operand) {
  return stages.getMesh(user) == stages.getMesh(operand) ? shardings[operand]
                                                         : getWhole(operand);
}

const Division &Propagator::divide(Operation *op) {
  auto [it, isNew] = divisions.try_emplace(op);
  MeshOp mesh = stages.getMesh(op);
  // Of the segments, so that meshes with fewer ranks divide the same reshapes.
  if (isNew && mesh && !isa<ReshardOp>(op))
    it->second = getDivision(
        op, std::lcm(mesh.getRanks(), std::max<int64_t>(segments, 1)), dims);
  return it->second;
}

SumsAttr Propagator::getSums(Operation *op) {
  auto dot = dyn_cast<dhlo::DotGeneralOp>(op);
  MeshOp mesh = stages.getMesh(op);
  if (auto stated = op->getAttrOfType<SumsAttr>(DistDialect::kSumsAttr))
    return stated;
  if (!dot || !segments || !mesh)
    return {};
  for (auto [pair, lhs, rhs] :
       llvm::enumerate(dot.getLhsContract(), dot.getRhsContract())) {
    ArrayAttr names = getGiven(op, dot.getLhs())[lhs];
    auto size = cast<RankedTensorType>(dot.getLhs().getType()).getDimSize(lhs);
    if (!names.empty() && names == getGiven(op, dot.getRhs())[rhs] &&
        size > 0 && size % segments == 0)
      return SumsAttr::get(op->getContext(),
                           FlatSymbolRefAttr::get(mesh.getSymNameAttr()), pair,
                           names, segments);
  }
  return {};
}

bool Propagator::refine(Operation *op, int64_t axis, ArrayAttr names) {
  const Axes &axes = shardings[op->getResult(0)];
  auto isUsed = [&](Attribute name) {
    return llvm::any_of(
        axes, [&](ArrayAttr used) { return llvm::is_contained(used, name); });
  };
  if (names.empty() || stated.contains(op) || !axes[axis].empty() ||
      !divide(op).canDivide[axis] || llvm::any_of(names, isUsed))
    return false;
  for (Value result : op->getResults())
    shardings[result][axis] = names;
  return true;
}

bool Propagator::visitForwards(Operation *op) {
  bool isChanged = false;
  if (divide(op).canDivide.empty())
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    Axes given = getGiven(op, operand.get());
    auto &axes = divide(op).operands[operand.getOperandNumber()];
    for (auto [names, axis] : llvm::zip_equal(given, axes))
      if (axis >= 0)
        isChanged |= refine(op, axis, names);
  }
  return isChanged;
}

Axes Propagator::getNeeded(OpOperand &use) {
  Operation *user = use.getOwner();
  if (stages.getMesh(user) != stages.getMesh(use.get()))
    return getWhole(use.get());
  if (auto reshard = dyn_cast<ReshardOp>(user))
    return shardings[reshard.getResult()];
  if (auto end = dyn_cast<func::ReturnOp>(user)) {
    auto sharding = function.getResultAttrOfType<ShardingAttr>(
        use.getOperandNumber(), DistDialect::kShardingAttr);
    return sharding ? readAxes(sharding) : getWhole(use.get());
  }
  if (user->getBlock() != &function.getBody().front())
    return getWhole(use.get());
  if (SumsAttr sums = getSums(user))
    return getSumOperandAxes(
        divide(user), cast<dhlo::DotGeneralOp>(user), use.getOperandNumber(),
        shardings[user->getResult(0)], sums.getPair(), sums.getAxes());
  if (divide(user).canDivide.empty())
    return getWhole(use.get());
  return getOperandAxes(divide(user), use.getOperandNumber(),
                        shardings[user->getResult(0)], user->getContext());
}

bool Propagator::visitBackwards(Operation *op) {
  if (divide(op).canDivide.empty() || op->use_empty())
    return false;
  std::optional<Axes> needed;
  for (OpOperand &use : op->getUses()) {
    Axes other = getNeeded(use);
    if (needed && *needed != other)
      return false;
    needed = std::move(other);
  }
  // Only where it is a finer sharding, and can be had in full.
  const Axes &now = shardings[op->getResult(0)];
  for (auto [axis, names] : llvm::enumerate(*needed))
    if (names != now[axis] &&
        (!now[axis].empty() || !divide(op).canDivide[axis]))
      return false;
  bool isChanged = false;
  for (auto [axis, names] : llvm::enumerate(*needed))
    isChanged |= refine(op, axis, names);
  return isChanged;
}

void Propagator::run() {
  Block &block = function.getBody().front();
  // A reshard's sharding is computed, however operands are divided: the
  // weights of a rank follow from it.
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (visitBackwards(&op))
      stated.insert(&op);
  spread(
      block, [&](Operation *op) { return visitForwards(op); },
      [&](Operation *op) { return visitBackwards(op); });
}

int64_t Propagator::reportGathers() {
  int64_t count = 0;
  auto report = [&](Operation *op, const Twine &what, const Twine &why) {
    auto options = remark::RemarkOpts::name(op->getName().getStringRef())
                       .category("dist-propagate");
    remark::missed(op->getLoc(), options)
        << remark::add("gathers {0}{1}", what.str(), why.str());
    ++count;
  };
  for (Operation &op : function.getBody().front().without_terminator()) {
    MeshOp mesh = stages.getMesh(&op);
    if (isa<ReshardOp>(op) || !mesh)
      continue;
    const Division &division = divide(&op);
    SumsAttr sums = getSums(&op);
    if (division.canDivide.empty() && !sums) {
      llvm::SmallSetVector<Value, 4> values;
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (shardings.count(operand) &&
              !isWhole(dropSingle(getGiven(&op, operand), mesh)))
            values.insert(operand);
      });
      if (!values.empty())
        report(&op, Twine(values.size()) + " operands",
               ": it is not known to work on blocks");
      continue;
    }
    if (sums)
      if (int64_t ranks = countRanks(sums.getAxes(), mesh); segments % ranks)
        report(&op, "the axis of its sums",
               ": " + Twine(ranks) + " ranks do not divide " + Twine(segments) +
                   " segments");
    for (OpOperand &operand : op.getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      Axes needed = getNeeded(operand);
      for (auto [axis, names] : llvm::enumerate(getGiven(&op, operand.get())))
        if (needed[axis] != names && countRanks(names, mesh) > 1)
          report(&op, "axis " + Twine(axis) + " of operand " + Twine(number),
                 division.operands[number][axis] < 0
                     ? ": an element of the result needs all of it"
                     : ": the result is divided in another way");
    }
  }
  return count;
}

int64_t Propagator::markSums() {
  int64_t count = 0;
  for (Operation &op : function.getBody().front())
    if (SumsAttr sums = getSums(&op)) {
      op.setAttr(DistDialect::kSumsAttr, sums);
      ++count;
    }
  return count;
}

int64_t Propagator::insertReshards() {
  int64_t count = 0;
  OpBuilder b(function.getContext());
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (isa<ReshardOp>(op))
      continue;
    for (Value result : op.getResults()) {
      const Axes &axes = shardings[result];
      if (isWhole(axes) || result.use_empty())
        continue;
      ++count;
      auto user = dyn_cast<ReshardOp>(*result.user_begin());
      auto sharding = ShardingAttr::get(
          b.getContext(),
          FlatSymbolRefAttr::get(stages.getMesh(&op).getSymNameAttr()), axes);
      if (result.hasOneUse() && user && shardings[user.getResult()] == axes &&
          user.getSharding().getMesh() == sharding.getMesh())
        continue;
      b.setInsertionPointAfter(&op);
      auto reshard = ReshardOp::create(b, op.getLoc(), result, sharding);
      result.replaceAllUsesExcept(reshard, reshard);
    }
  }
  return count;
}

namespace {
struct PropagatePass : dist::impl::PropagatePassBase<PropagatePass> {
  using PropagatePassBase::PropagatePassBase;

  void runOnOperation() override {
    if (segments && (segments < 0 || !llvm::isPowerOf2_64(segments))) {
      getOperation().emitError("expected a power of two segments, found ")
          << segments.getValue();
      return signalPassFailure();
    }
    FailureOr<SmallVector<MeshOp>> meshes = findMeshes(getOperation());
    if (failed(meshes))
      return signalPassFailure();
    if (meshes->empty()) {
      if (segments)
        getOperation().emitRemark("divides no sums: there is no mesh");
      return markAllAnalysesPreserved();
    }
    const auto &dims = getAnalysis<SymbolicDims>();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(dhlo::DHLODialect::kEntryAttr) ||
          getPart(function) || !function.getBody().hasOneBlock())
        continue;
      Stages stages(function, *meshes);
      Propagator propagator(function, stages, dims, segments);
      propagator.run();
      numSums += propagator.markSums();
      numGathered += propagator.reportGathers();
      numDivided += propagator.insertReshards();
    }
    markAnalysesPreserved<SymbolicDims>();
  }
};
} // namespace
