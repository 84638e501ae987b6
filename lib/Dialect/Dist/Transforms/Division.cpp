//===- Division.cpp - Operations on blocks of their operands --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Division.h"

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dyn::dhlo::AxisIndex;
using dyn::dhlo::DimExpr;
using dyn::dhlo::typeOf;

Axes dist::getWhole(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return Axes(type ? type.getRank() : 0,
              ArrayAttr::get(value.getContext(), {}));
}

bool dist::isWhole(ArrayRef<ArrayAttr> axes) {
  return llvm::all_of(axes, [](ArrayAttr names) { return names.empty(); });
}

int64_t dist::countRanks(ArrayAttr names, MeshOp mesh) {
  int64_t ranks = 1;
  for (StringAttr name : names.getAsRange<StringAttr>())
    ranks *= mesh.getSize(name);
  return ranks;
}

ArrayAttr dist::dropSingle(ArrayAttr names, MeshOp mesh) {
  return ArrayAttr::get(names.getContext(),
                        llvm::filter_to_vector(names, [&](Attribute name) {
                          return mesh.getSize(cast<StringAttr>(name)) > 1;
                        }));
}

Axes dist::dropSingle(ArrayRef<ArrayAttr> axes, MeshOp mesh) {
  return llvm::map_to_vector(
      axes, [&](ArrayAttr names) { return dropSingle(names, mesh); });
}

Axes dist::getAxes(ShardingAttr sharding, MeshOp mesh) {
  return dropSingle(sharding.getAxes(), mesh);
}

Axes dist::dropDivided(ArrayRef<ArrayAttr> axes, ArrayAttr names) {
  return llvm::map_to_vector(axes, [&](ArrayAttr used) {
    bool isDivided = llvm::any_of(
        used, [&](Attribute name) { return llvm::is_contained(names, name); });
    return isDivided ? ArrayAttr::get(names.getContext(), {}) : used;
  });
}

DimExpr dist::getBlockBegin(DimExpr size, int64_t count, int64_t index,
                            const SymbolicDims &dims) {
  if (index == count)
    return size;
  if (dims.isMultipleOf(size, count))
    return dhlo::mul(dhlo::floorDiv(size, count), index);
  DimExpr each =
      dhlo::ceilDiv(size, dhlo::getConstDim(size.getContext(), count));
  DimExpr begin = dhlo::mul(each, index);
  // The first block begins at 0 whatever the size is.
  return index == 0 ? begin : dhlo::min(size, begin);
}

/// A reshape keeps an axis that is one on both sides. Of axes that are joined
/// or split, the first ones are divided in the same blocks if these end between
/// elements of both.
static Division divideReshape(dhlo::ReshapeOp op, int64_t ranks,
                              const SymbolicDims &dims) {
  RankedTensorType from = typeOf(op.getOperand()), to = op.getType();
  Division result;
  result.operands.emplace_back(from.getRank(), -1);
  result.canDivide.assign(to.getRank(), false);
  for (const AxisGroup &group :
       getReshapeGroups(dhlo::getDims(from), dhlo::getDims(to), dims)) {
    if (group.from.empty() || group.to.empty() || !group.isProven)
      continue;
    int64_t before = group.from.front(), after = group.to.front();
    if (!group.isAxis() &&
        (!dims.isMultipleOf(dhlo::getDim(from, before), ranks) ||
         !dims.isMultipleOf(dhlo::getDim(to, after), ranks)))
      continue;
    result.operands.front()[before] = after;
    result.canDivide[after] = true;
  }
  return result;
}

/// Whether each block of an axis of more elements has at least two, or none, by
/// any number that divides `ranks`.
static bool hasNoBlocksOfOne(int64_t size, int64_t ranks) {
  if (ShapedType::isDynamic(size))
    return true; // Kernels do not know which they get.
  for (int64_t count = 2; count <= ranks; ++count) {
    int64_t each = llvm::divideCeil(size, count);
    if (ranks % count == 0 && size > 1 && (each == 1 || size % each == 1))
      return false;
  }
  return true;
}

/// Leaves out axes whose blocks might be computed by another kernel than the
/// whole, which adds in another order: the algorithm of a convolution follows
/// from the number of its filters, and elements between which a kernel strides
/// over what it adds are in one row if there is one.
static void keepOrderOfSums(Operation *op, int64_t ranks, Division &division) {
  if (op->hasTrait<dhlo::Gathers>())
    return; // They look up elements, and add none.
  if (isa<dhlo::Convolves>(op))
    std::fill(division.canDivide.begin() + 1, division.canDivide.end(), false);
  RankedTensorType type = typeOf(op->getResult(0));
  auto check = [&](int64_t axis) {
    if (axis >= 0 && !hasNoBlocksOfOne(type.getDimSize(axis), ranks))
      division.canDivide[axis] = false;
  };
  for (ArrayRef<int64_t> axes : division.operands)
    for (const int64_t *it = llvm::find(axes, -1); it != axes.end(); ++it)
      check(*it);
  // Whichever axis of a matrix on the right is in front.
  if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op))
    for (int64_t axis : llvm::drop_begin(division.operands[1], dot.getBatch()))
      check(axis);
}

Division dist::getDivision(Operation *op, int64_t ranks,
                           const SymbolicDims &dims, bool ignoresUnread) {
  if (auto reshape = dyn_cast<dhlo::ReshapeOp>(op))
    return divideReshape(reshape, ranks, dims);
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (op->getNumRegions() || op->getNumOperands() == 0 ||
      op->getNumResults() == 0 || !isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperandTypes(), isTensor) ||
      !llvm::all_of(op->getResultTypes(), isTensor) ||
      !llvm::all_of(op->getResults(), [&](Value value) {
        return (ignoresUnread && value.use_empty()) ||
               dims.hasSameSizes(typeOf(value), typeOf(op->getResult(0)));
      }))
    return {};
  Division result;
  result.canDivide.assign(typeOf(op->getResult(0)).getRank(), true);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto map = getIndexingMap(op, i, dims);
    if (!map)
      return {};
    auto &axes = result.operands.emplace_back();
    for (const AxisIndex &index : *map) {
      axes.push_back(index.isSame() ? index.axis : -1);
      // An index that another operand holds may be any of the whole axis.
      if (index.isSame() || index.kind == AxisIndex::Kind::Found)
        continue;
      for (auto [axis, canDivide] : llvm::enumerate(result.canDivide))
        canDivide &= !index.dependsOn(axis);
    }
  }
  keepOrderOfSums(op, ranks, result);
  return result;
}

Axes dist::getOperandAxes(const Division &division, unsigned operand,
                          ArrayRef<ArrayAttr> results, MLIRContext *context) {
  return llvm::map_to_vector(
      division.operands[operand], [&](int64_t axis) -> ArrayAttr {
        return axis < 0 ? ArrayAttr::get(context, {}) : results[axis];
      });
}

Axes dist::getSumOperandAxes(const Division &division, dhlo::DotGeneralOp op,
                             unsigned operand, ArrayRef<ArrayAttr> results,
                             int64_t pair, ArrayAttr names) {
  Axes axes = getOperandAxes(division, operand, dropDivided(results, names),
                             op.getContext());
  axes[(operand ? op.getRhsContract() : op.getLhsContract())[pair]] = names;
  return axes;
}
