//===- CellFlow.cpp - The effect of operations on cells -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/CellFlow.h"

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// In maps of axes: the result repeats the operand along this axis.
static constexpr int64_t kRepeated = -1;
/// No axis of the operand has the same index.
static constexpr int64_t kOther = -2;
/// Larger matrices are not analysed.
static constexpr int64_t kMaxMatrix = 1 << 20;

StringRef dyn::stringifyCellEffect(CellEffect effect) {
  switch (effect) {
  case CellEffect::Keeps:
    return "keeps";
  case CellEffect::Permutes:
    return "permutes";
  case CellEffect::Gathers:
    return "gathers";
  case CellEffect::Mixes:
    return "mixes";
  }
  llvm_unreachable("all effects are handled");
}

CellEffect dyn::compose(CellEffect first, CellEffect second) {
  return std::max(first, second);
}

//===----------------------------------------------------------------------===//
// Constant matrices
//===----------------------------------------------------------------------===//

CellEffect dyn::getMatrixEffect(DenseElementsAttr matrix, int64_t axis) {
  auto type = cast<RankedTensorType>(matrix.getType());
  if (type.getRank() != 2 || type.getNumElements() > kMaxMatrix)
    return CellEffect::Mixes;
  int64_t inner = type.getDimSize(axis), outer = type.getDimSize(1 - axis);
  auto isNonzero = [&](int64_t from, int64_t to) {
    int64_t row = axis == 0 ? from : to, column = axis == 0 ? to : from;
    uint64_t index = row * type.getDimSize(1) + column;
    if (isa<FloatType>(type.getElementType()))
      return !matrix.getValues<APFloat>()[index].isZero();
    return !matrix.getValues<APInt>()[index].isZero();
  };
  bool isDiagonal = inner == outer;
  SmallVector<int64_t> readers(inner, 0);
  for (int64_t to = 0; to < outer; ++to) {
    int64_t source = -1;
    for (int64_t from = 0; from < inner; ++from) {
      if (!isNonzero(from, to))
        continue;
      if (source >= 0)
        return CellEffect::Mixes;
      source = from;
      ++readers[from];
    }
    isDiagonal &= source < 0 || source == to;
  }
  if (isDiagonal)
    return CellEffect::Keeps;
  bool isPermutation =
      inner == outer && llvm::all_of(readers, [](int64_t n) { return n == 1; });
  return isPermutation ? CellEffect::Permutes : CellEffect::Gathers;
}

//===----------------------------------------------------------------------===//
// Indexing maps
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getIdentity(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

/// Whether the map of the first result is that of each.
static bool haveEqualSizes(ResultRange results, const SymbolicDims &dims) {
  return llvm::all_of(results.drop_front(), [&](Value result) {
    return dims.hasSameSizes(typeOf(results.front()), typeOf(result));
  });
}

std::optional<SmallVector<int64_t>>
CellFlow::getAxisMap(Operation *op, unsigned operand) const {
  if (op->getNumRegions() != 0)
    return std::nullopt;
  std::optional<IndexingMap> map = getIndexingMap(op, operand, dims);
  if (!map || !haveEqualSizes(op->getResults(), dims))
    return std::nullopt;
  SmallVector<int64_t> axes(typeOf(op->getResult(0)).getRank(), kRepeated);
  for (auto [axis, index] : llvm::enumerate(*map))
    for (auto [resultAxis, from] : llvm::enumerate(axes))
      if (index.dependsOn(resultAxis))
        from = index.isSame() ? axis : kOther;
  return axes;
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

std::optional<CellAxes> CellFlow::reshape(RankedTensorType from,
                                          ArrayRef<int64_t> axes,
                                          RankedTensorType to) const {
  SmallVector<AxisGroup> groups =
      getReshapeGroups(dhlo::getDims(from), dhlo::getDims(to), dims);
  CellAxes result;
  for (int64_t axis : axes)
    result.push_back(axis < 0 ? kRepeated
                              : getReshapedAxis(groups, axis).value_or(kOther));
  if (!llvm::is_contained(result, kOther))
    return result;
  // Several axes are collapsed into one, or one is expanded into several.
  SmallVector<int64_t> cells;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis != axes.front() + static_cast<int64_t>(i))
      return std::nullopt;
    if (!getDim(from, axis).isConst(1))
      cells.push_back(axis);
  }
  const auto *group = llvm::find_if(groups, [&](const AxisGroup &group) {
    return group.isProven && ArrayRef<int64_t>(group.from) == ArrayRef(cells);
  });
  if (cells.empty() || group == groups.end())
    return std::nullopt;
  if (axes.size() > 1 || sizes.size() == 1)
    return group->to.size() == 1 ? std::optional(CellAxes{group->to.front()})
                                 : std::nullopt;
  if (group->to.size() != sizes.size())
    return std::nullopt;
  for (auto [i, axis, size] : llvm::enumerate(group->to, sizes))
    if (axis != group->to.front() + static_cast<int64_t>(i) ||
        !dims.isEqual(getDim(to, axis), size))
      return std::nullopt;
  return group->to;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::optional<CellAxes> CellFlow::getOperandAxes(Operation *op,
                                                 unsigned operand,
                                                 ArrayRef<int64_t> axes) const {
  if (auto reshapeOp = dyn_cast<ReshapeOp>(op))
    return reshape(reshapeOp.getType(), axes, typeOf(reshapeOp.getOperand()));
  auto map = getAxisMap(op, operand);
  if (!map)
    return std::nullopt;
  CellAxes result;
  for (int64_t axis : axes) {
    result.push_back(axis < 0 ? kRepeated : (*map)[axis]);
    if (result.back() == kOther)
      return std::nullopt;
  }
  return result;
}

CellFlow::Step CellFlow::getOtherStep(Operation *op, unsigned operand,
                                      int64_t axis) const {
  Step step;
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    // A constant matrix moves cells if each of its sums has one term.
    ArrayRef<int64_t> contract =
        operand == 0 ? dot.getLhsContract() : dot.getRhsContract();
    ArrayRef<int64_t> other =
        operand == 0 ? dot.getRhsContract() : dot.getLhsContract();
    DenseElementsAttr matrix;
    if (dot.getBatch() != 0 || contract.size() != 1 || contract[0] != axis ||
        !matchPattern(op->getOperand(1 - operand), m_Constant(&matrix)))
      return step;
    step.effect = getMatrixEffect(matrix, other[0]);
    if (step.effect != CellEffect::Mixes)
      step.axes = {operand == 0 ? typeOf(dot.getResult()).getRank() - 1 : 0};
    return step;
  }
  auto moved = [&](CellEffect effect, int64_t resultAxis) {
    step.effect = effect;
    step.axes = {resultAxis};
    return step;
  };
  // A sort permutes each segment of the other axes independently.
  if (isa<ReverseOp>(op) ||
      (isa<SortOp>(op) && typeOf(op->getOperand(0)).getRank() == 1))
    return moved(CellEffect::Permutes, axis);
  if (isa<SliceOp>(op))
    return moved(CellEffect::Gathers, axis);
  auto gather = dyn_cast<GatherOp>(op);
  if (gather && operand == 0 &&
      axis == static_cast<int64_t>(gather.getAxis()) &&
      typeOf(gather.getIndices()).getRank() == 1) {
    // Constant indices that contain each cell once.
    DenseElementsAttr indices;
    bool isPermutation = false;
    if (matchPattern(gather.getIndices(), m_Constant(&indices))) {
      SmallVector<int64_t> sorted;
      for (const APInt &index : indices.getValues<APInt>())
        sorted.push_back(index.getSExtValue());
      llvm::sort(sorted);
      isPermutation =
          sorted == getIdentity(typeOf(gather.getOperand()).getDimSize(axis));
    }
    return moved(isPermutation ? CellEffect::Permutes : CellEffect::Gathers,
                 axis);
  }
  return step;
}

CellFlow::Step CellFlow::getStep(Operation *op, unsigned operand,
                                 ArrayRef<int64_t> axes) const {
  if (auto reshapeOp = dyn_cast<ReshapeOp>(op)) {
    auto result =
        reshape(typeOf(reshapeOp.getOperand()), axes, reshapeOp.getType());
    return result ? Step{CellEffect::Keeps, *result} : Step();
  }
  auto map = getAxisMap(op, operand);
  if (!map)
    return {};
  Step step{CellEffect::Keeps, {}};
  for (int64_t axis : axes) {
    const auto *found = axis < 0 ? map->end() : llvm::find(*map, axis);
    if (axis < 0) {
      step.axes.push_back(kRepeated);
    } else if (found != map->end()) {
      step.axes.push_back(found - map->begin());
    } else {
      Step other = getOtherStep(op, operand, axis);
      if (other.effect == CellEffect::Mixes)
        return other;
      step.effect = compose(step.effect, other.effect);
      step.axes.push_back(other.axes.front());
    }
  }
  return step;
}
