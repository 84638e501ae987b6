//===- IterationSpace.cpp - The iteration space of a kernel ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Starts with the axes of the first result as atoms and walks to the leaves,
// keeping for each value the atoms that make up each of its axes. At a leaf,
// two adjacent atoms can be one dimension if they are adjacent in the leaf, or
// it has neither. An axis that an operation treats on its own is cut off from
// the adjacent ones, and above that operation it is opaque.

#include "Codegen/Common/Problems/IterationSpace.h"

#include "Codegen/Common/Elements/OpEmitters.h"
#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/Analysis/SumOfRows.h"

#include <set>

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

namespace {
/// A part of an axis: an atom of the space, or something else (-1).
struct Part {
  int64_t atom;
  DimExpr extent;
};
using Axis = SmallVector<Part, 2>;
using Axes = SmallVector<Axis>;

class SpaceBuilder {
public:
  SpaceBuilder(const SymbolicDims &dims, MLIRContext *context)
      : dims(dims), context(context) {}

  SmallVector<DimExpr> run(ArrayRef<Value> results, int64_t trailing);

private:
  void visit(Value tensor, const Axes &axes);
  void visitOperands(Operation *op, const Axes &axes);
  /// An operand that is read at the indices of its indexing map.
  void visitMapped(OpOperand &operand, const Axes &axes);
  void visitLeaf(const Axes &axes);
  /// Distributes parts over the axes of sizes `sizes`.
  Axes regroup(const Axes &axes, ArrayRef<DimExpr> sizes);
  void cutAround(const Axis &axis);
  Axis opaque(DimExpr size) {
    return size.isConst(1) ? Axis() : Axis{{-1, size}};
  }
  SmallVector<DimExpr> sizesOf(Value tensor) {
    SmallVector<DimExpr> sizes;
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    for (int64_t axis = 0; axis < rank; ++axis)
      sizes.push_back(dims.getDim(tensor, axis));
    return sizes;
  }

  const SymbolicDims &dims;
  MLIRContext *context;
  SmallVector<DimExpr> atoms;
  /// Whether atoms i and i + 1 must be different dimensions.
  SmallVector<bool> cuts;
  /// An atom that is better split, and its parts.
  std::optional<std::pair<int64_t, SmallVector<DimExpr>>> split;
  /// The atom that is one dimension whatever is below.
  int64_t unsplittable = -1;
  std::set<std::vector<const void *>> seen;
};
} // namespace

void SpaceBuilder::cutAround(const Axis &axis) {
  for (auto [i, part] : llvm::enumerate(axis)) {
    if (part.atom < 0)
      continue;
    if ((i == 0 || axis[i - 1].atom != part.atom - 1) && part.atom > 0)
      cuts[part.atom - 1] = true;
    if ((i + 1 == axis.size() || axis[i + 1].atom != part.atom + 1) &&
        part.atom < static_cast<int64_t>(cuts.size()))
      cuts[part.atom] = true;
  }
}

void SpaceBuilder::visitLeaf(const Axes &axes) {
  SmallVector<int64_t> order;
  for (const Axis &axis : axes)
    for (const Part &part : axis)
      order.push_back(part.atom);
  for (int64_t i = 0, e = cuts.size(); i < e; ++i) {
    auto *first = llvm::find(order, i), *second = llvm::find(order, i + 1);
    bool hasFirst = first != order.end(), hasSecond = second != order.end();
    if (hasFirst != hasSecond || (hasFirst && second != first + 1))
      cuts[i] = true;
  }
}

Axes SpaceBuilder::regroup(const Axes &axes, ArrayRef<DimExpr> sizes) {
  SmallVector<Part> parts;
  SmallVector<DimExpr> extents;
  for (const Axis &axis : axes)
    for (const Part &part : axis) {
      parts.push_back(part);
      extents.push_back(part.extent);
    }
  Axes result(sizes.size());
  for (const AxisGroup &group : getReshapeGroups(extents, sizes, dims)) {
    // Only one side has it, or it is an axis of size 1.
    if (group.to.empty() || sizes[group.to.front()].isConst(1))
      continue;
    SmallVector<Part> from;
    for (int64_t i : group.from)
      from.push_back(parts[i]);
    if (group.to.size() == 1) {
      result[group.to.front()].assign(from.begin(), from.end());
      continue;
    }
    if (from.size() == 1 && from.front().atom >= 0 &&
        from.front().atom != unsplittable && !split) {
      SmallVector<DimExpr> extents;
      for (int64_t axis : group.to)
        extents.push_back(sizes[axis]);
      split = {from.front().atom, extents};
    }
    for (const Part &part : from)
      cutAround({part});
    for (int64_t axis : group.to)
      result[axis] = opaque(sizes[axis]);
  }
  return result;
}

void SpaceBuilder::visit(Value tensor, const Axes &axes) {
  std::vector<const void *> key = {tensor.getAsOpaquePointer()};
  for (const Axis &axis : axes) {
    for (const Part &part : axis)
      key.push_back(reinterpret_cast<const void *>(part.atom * 2 + 1));
    key.push_back(nullptr);
  }
  if (!seen.insert(key).second)
    return;
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return visitLeaf(axes);
  visitOperands(op, axes);
}

void SpaceBuilder::visitMapped(OpOperand &operand, const Axes &axes) {
  auto map =
      getIndexingMap(operand.getOwner(), operand.getOperandNumber(), dims);
  Axes operandAxes;
  for (auto [axis, index] : llvm::enumerate(*map)) {
    if (index.isSame()) {
      operandAxes.push_back(axes[index.axis]);
      continue;
    }
    // Indices are read as a whole, at the position of the element.
    bool isCut = index.kind != dhlo::AxisIndex::Kind::Found &&
                 index.kind != dhlo::AxisIndex::Kind::Repeated;
    for (const Axis &cut :
         ArrayRef(axes).slice(index.axis, isCut ? index.count : 0))
      cutAround(cut);
    operandAxes.push_back(opaque(dims.getDim(operand.get(), axis)));
  }
  visit(operand.get(), operandAxes);
}

/// Whether elements of the operands are computed for each element of the
/// result; all others end the walk.
static bool readsElements(Operation *op) {
  if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op))
    return isSumOfRows(dot);
  // Other gathers and reductions end the walk at their results.
  return op->hasTrait<dhlo::Elementwise>() || isMovement(op) ||
         isa<dhlo::GatherOp, dhlo::ReduceOp, dhlo::ReduceWindowOp>(op);
}

void SpaceBuilder::visitOperands(Operation *op, const Axes &axes) {
  if (auto constant = dyn_cast<dhlo::ConstantOp>(op)) {
    if (!cast<ElementsAttr>(constant.getValue()).isSplat())
      visitLeaf(axes);
  } else if (auto reshape = dyn_cast<dhlo::ReshapeOp>(op)) {
    visit(reshape.getOperand(), regroup(axes, sizesOf(reshape.getOperand())));
  } else if (readsElements(op)) {
    for (OpOperand &operand : op->getOpOperands())
      visitMapped(operand, axes);
  } else {
    for (const Axis &axis : axes)
      cutAround(axis);
  }
}

SmallVector<DimExpr> SpaceBuilder::run(ArrayRef<Value> results,
                                       int64_t trailing) {
  SmallVector<DimExpr> sizes = sizesOf(results.front());
  DimExpr last = dhlo::getConstDim(context, 1);
  for (DimExpr size : ArrayRef(sizes).take_back(trailing))
    last = dhlo::mul(last, size);
  for (DimExpr size : ArrayRef(sizes).drop_back(trailing))
    if (!size.isConst(1))
      atoms.push_back(size);
  int64_t fixed = -1;
  if (trailing > 0) {
    fixed = atoms.size();
    atoms.push_back(last);
  }
  // Each round splits one atom; a few are all that models have.
  for (int round = 0;; ++round) {
    cuts.assign(atoms.empty() ? 0 : atoms.size() - 1, false);
    seen.clear();
    split.reset();
    unsplittable = fixed;
    Axes space;
    for (auto [i, extent] : llvm::enumerate(atoms))
      space.push_back({{static_cast<int64_t>(i), extent}});
    for (Value result : results)
      visit(result, regroup(space, sizesOf(result)));
    if (!split || round == 8)
      break;
    auto [atom, extents] = *split;
    atoms.erase(atoms.begin() + atom);
    atoms.insert(atoms.begin() + atom, extents.begin(), extents.end());
    if (fixed >= 0)
      fixed += extents.size() - 1;
  }
  if (fixed > 0)
    cuts[fixed - 1] = true;
  SmallVector<DimExpr> coordinates;
  for (auto [i, extent] : llvm::enumerate(atoms)) {
    if (i > 0 && !cuts[i - 1])
      coordinates.back() = dhlo::mul(coordinates.back(), extent);
    else
      coordinates.push_back(extent);
  }
  return coordinates;
}

SmallVector<DimExpr> dyn::getIterationSpace(ArrayRef<Value> results,
                                            const SymbolicDims &dims,
                                            int64_t trailing) {
  return SpaceBuilder(dims, results.front().getContext())
      .run(results, trailing);
}

SmallVector<ResultGroup> dyn::getResultGroups(dlhlo::KernelOp kernel,
                                              const SymbolicDims &dims) {
  OperandRange results =
      kernel.getBody().front().getTerminator()->getOperands();
  auto getType = [&](int64_t i) {
    return cast<RankedTensorType>(results[i].getType());
  };
  SmallVector<ResultGroup> groups;
  for (int64_t i = 0, count = results.size(); i < count; ++i) {
    auto *group = llvm::find_if(groups, [&](const ResultGroup &group) {
      return dims.hasSameNumElements(getType(group.results.front()),
                                     getType(i));
    });
    if (group == groups.end()) {
      groups.emplace_back();
      group = &groups.back();
    }
    group->results.push_back(i);
  }
  for (ResultGroup &group : groups) {
    SmallVector<Value> values;
    for (int64_t i : group.results)
      values.push_back(results[i]);
    group.space = getIterationSpace(values, dims);
    if (group.space.empty())
      group.space.push_back(dhlo::getConstDim(kernel.getContext(), 1));
  }
  return groups;
}
