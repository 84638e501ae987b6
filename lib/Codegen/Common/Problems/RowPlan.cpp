//===- RowPlan.cpp - Passes over rows, and values they keep ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/RowPlan.h"

#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/IterationSpace.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

/// Values that cost more than this are kept for later passes.
static constexpr int64_t kKeepCost = 3;

/// The first pass in which a value can be computed.
int64_t RowPlan::getPass(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return 0;
  auto it = passOf.find(v);
  if (it != passOf.end())
    return it->second;
  int64_t pass = 0;
  for (Value operand : op->getOperands())
    pass = std::max(pass, getPass(operand));
  if (isa<dhlo::ReduceOp>(op))
    ++pass;
  return passOf[v] = pass;
}

/// Whether conditions on its position decide from where an element is read.
static bool isFoundByConditions(Operation *op) {
  return isa<dhlo::ConcatOp, dhlo::PadOp>(op);
}

/// Rough cost of an element, given buffers, reduced and kept values.
int64_t RowPlan::getValueCost(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return 1;
  if (isa<dhlo::ReduceOp>(op))
    return 0;
  if (slots.count(v))
    return 1;
  auto it = costs.find(v);
  if (it != costs.end())
    return it->second;
  int64_t sum = getElementCost(*op);
  if (isFoundByConditions(op))
    sum += kKeepCost;
  for (Value operand : op->getOperands())
    sum += getValueCost(operand);
  return costs[v] = std::min<int64_t>(sum, 1000);
}

/// Values at the row's own positions that `v` is computed from.
void RowPlan::collect(Value v, llvm::DenseSet<Value> &reached,
                      llvm::function_ref<bool(Value)> stops) {
  if (!reached.insert(v).second || stops(v))
    return;
  Operation *op = v.getDefiningOp();
  if (op && (op->hasTrait<dhlo::Elementwise>() || isa<dhlo::ReshapeOp>(op)))
    for (Value operand : op->getOperands())
      collect(operand, reached, stops);
}

std::optional<RowPlan> RowPlan::make(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims) {
  RowPlan plan(dims);
  if (!plan.findReduced(kernel, /*isOfColumns=*/false) ||
      !plan.findPasses(kernel))
    return std::nullopt;
  plan.findDimensions(/*isOfColumns=*/false);
  plan.findKept();
  plan.findResultIndices(kernel);
  return plan;
}

std::optional<RowPlan> RowPlan::makeOfColumns(dlhlo::KernelOp kernel,
                                              const SymbolicDims &dims) {
  RowPlan plan(dims);
  if (!plan.findReduced(kernel, /*isOfColumns=*/true) ||
      !plan.findPasses(kernel))
    return std::nullopt;
  plan.findDimensions(/*isOfColumns=*/true);
  plan.findKept();
  return plan;
}

/// The product of sizes of a tensor's axes.
static DimExpr getProduct(const SymbolicDims &dims, Value tensor, int64_t begin,
                          int64_t end) {
  DimExpr product = dhlo::getConstDim(tensor.getContext(), 1);
  for (int64_t axis = begin; axis < end; ++axis)
    product = dhlo::mul(product, dims.getDim(tensor, axis));
  return product;
}

/// Finds the sizes of what all reductions are over.
bool RowPlan::findReduced(dlhlo::KernelOp kernel, bool isOfColumns) {
  DimExpr stride;
  for (auto reduce : kernel.getBody().front().getOps<dhlo::ReduceOp>()) {
    int64_t rank = reduce.getOperand().getType().getRank();
    ArrayRef<int64_t> axes = reduce.getAxes();
    int64_t end = axes.empty() ? 0 : axes.back() + 1;
    DimExpr apart = getProduct(*dims, reduce.getOperand(), end, rank);
    if (axes.empty() || end - axes.front() != int64_t(axes.size()) ||
        (isOfColumns ? end == rank : !apart.isConst(1)))
      return false;
    DimExpr elements =
        getProduct(*dims, reduce.getOperand(), axes.front(), end);
    if (!first) {
      first = reduce;
      width = elements;
      stride = apart;
      numElements = dims->getNumElements(reduce.getOperand().getType());
      continue;
    }
    if (!dims->isEqual(elements, width) || !dims->isEqual(apart, stride) ||
        !isFull(reduce.getOperand()))
      return false;
  }
  return bool(first);
}

/// Finds the passes, and the kind of each result.
bool RowPlan::findPasses(dlhlo::KernelOp kernel) {
  Block &block = kernel.getBody().front();
  DimExpr numRows = dims->getNumElements(first.getType());
  int64_t numPasses = 1;
  for (auto reduce : block.getOps<dhlo::ReduceOp>())
    numPasses = std::max(numPasses, getPass(reduce.getResult()) + 1);
  auto results = block.getTerminator()->getOperands();
  for (Value result : results)
    numPasses = std::max(numPasses, getPass(result) + 1);
  passes.resize(numPasses);
  roots = {first.getOperand()};
  for (auto reduce : block.getOps<dhlo::ReduceOp>()) {
    passes[getPass(reduce.getOperand())].reductions.push_back(reduce);
    roots.push_back(reduce.getOperand());
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    auto type = cast<RankedTensorType>(result.getType());
    if (isFull(result)) {
      passes[getPass(result)].results.push_back(i);
      roots.push_back(result);
    } else if (dims->isEqual(dims->getNumElements(type), numRows)) {
      rowResults.push_back(i);
    } else {
      return false;
    }
  }
  // With rows of one element, full and row results cannot be told apart.
  return !dims->isEqual(numRows, numElements);
}

void RowPlan::findDimensions(bool isOfColumns) {
  if (!isOfColumns) {
    // Axes behind the reduced ones have one element.
    int64_t trailing =
        first.getOperand().getType().getRank() - first.getAxes().front();
    rows = getIterationSpace(roots, *dims, trailing);
    rows.pop_back();
    return;
  }
  // The space has dimensions before, along and behind the columns, unless no
  // value tells them apart.
  Value operand = first.getOperand();
  ArrayRef<int64_t> axes = first.getAxes();
  DimExpr before = getProduct(*dims, operand, 0, axes.front());
  DimExpr after = getProduct(*dims, operand, axes.back() + 1,
                             first.getOperand().getType().getRank());
  SmallVector<DimExpr> space = getIterationSpace(roots, *dims);
  auto isProduct = [&](ArrayRef<DimExpr> sizes, DimExpr expected) {
    return dims->isEqual(product(operand.getContext(), sizes), expected);
  };
  for (size_t begin = 0; begin < space.size(); ++begin)
    for (size_t end = begin + 1; end < space.size(); ++end) {
      ArrayRef<DimExpr> all = space;
      if (!isProduct(all.take_front(begin), before) ||
          !isProduct(all.slice(begin, end - begin), width) ||
          !isProduct(all.drop_front(end), after))
        continue;
      rows.assign(space.begin(), space.begin() + begin);
      behind.assign(space.begin() + end, space.end());
      return;
    }
  rows = {before};
  behind = {after};
}

void RowPlan::findKept() {
  SmallVector<SmallVector<Value>> roots;
  for (RowPass &pass : passes) {
    roots.emplace_back();
    for (dhlo::ReduceOp reduce : pass.reductions)
      roots.back().push_back(reduce.getOperand());
    for (int64_t i : pass.results)
      roots.back().push_back(passes.front()
                                 .reductions.front()
                                 ->getBlock()
                                 ->getTerminator()
                                 ->getOperand(i));
  }
  for (size_t p = 0; p + 1 < passes.size(); ++p) {
    costs.clear();
    llvm::DenseSet<Value> now, later;
    for (Value root : roots[p])
      collect(root, now, [](Value) { return false; });
    // The first values that this pass can compute, on the way back from later
    // ones.
    SmallVector<Value> frontier;
    for (size_t q = p + 1; q < passes.size(); ++q)
      for (Value root : roots[q])
        collect(root, later, [&](Value v) {
          if (slots.count(v))
            return true;
          bool isHere =
              now.contains(v) && getValueCost(v) > kKeepCost && isFull(v);
          if (isHere)
            frontier.push_back(v);
          return isHere;
        });
    for (Value v : frontier) {
      Type element = cast<RankedTensorType>(v.getType()).getElementType();
      if (element.isInteger(1) || slots.count(v))
        continue;
      slots[v] = slots.size();
      passes[p].kept.push_back(v);
    }
  }
}

bool RowPlan::hasConditions(Value v) const {
  llvm::SetVector<Operation *> reached;
  auto reach = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !isa<dhlo::ReduceOp>(op))
      reached.insert(op);
  };
  reach(v);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Value operand : reached[i]->getOperands())
      if (!slots.count(operand))
        reach(operand);
  return llvm::any_of(reached, isFoundByConditions);
}

void RowPlan::keepBeforeReductions() {
  auto isCostly = [&](Value v) { return hasConditions(v); };
  for (size_t p = 0; p < passes.size(); ++p) {
    if (passes[p].reductions.empty() || llvm::none_of(passes[p].kept, isCostly))
      continue;
    RowPass keeping;
    keeping.kept = llvm::filter_to_vector(passes[p].kept, isCostly);
    llvm::erase_if(passes[p].kept, isCostly);
    passes.insert(passes.begin() + p++, std::move(keeping));
  }
}

void RowPlan::findResultIndices(dlhlo::KernelOp kernel) {
  auto results = kernel.getBody().front().getTerminator()->getOperands();
  llvm::SmallSet<int64_t, 4> taken;
  SmallVector<Value> values;
  for (RowPass &pass : passes)
    llvm::append_range(values, pass.kept);
  for (Value kept : values) {
    Type type = getComputeType(getElementTypeOrSelf(kept));
    auto result = llvm::find_if(passes.back().results, [&](int64_t i) {
      return getStorageType(getElementTypeOrSelf(results[i])) == type &&
             !taken.contains(i);
    });
    if (result == passes.back().results.end())
      return resultIndices.clear();
    taken.insert(*result);
    resultIndices[kept] = *result;
  }
}
