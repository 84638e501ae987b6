//===- DotForm.cpp - dhlo.dot_general as products of matrices -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Factors are read as they lie, by ElementEmitter: with a digit of their
// positions for each run of axes that belong together.

#include "GpuSchedule.h"
#include "ProductForm.h"

#include "Products/SumArithmetic.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

namespace {
/// What an axis of a factor is in the product.
enum class Role { Batch, Free, Sum };

/// Neighbouring axes of a factor with one role and in one order.
struct Run {
  Role role;
  int64_t number; ///< of its first axis among those of the role
  DimExpr extent;
};

/// A factor as matrices.
struct Factor {
  Value tensor;
  SmallVector<Run> runs;
  DimExpr free; ///< rows of the left one, columns of the right one
};

class DotForm : public ProductForm {
public:
  DotForm(dhlo::DotGeneralOp op, const SymbolicDims &dims);

  Value emitLeft(KernelBuilder &b, const Place &place) override {
    return emitElement(b, left, place.batch, place.row, place.step);
  }
  Value emitRight(KernelBuilder &b, const Place &place) override {
    return emitElement(b, right, place.batch, place.column, place.step);
  }
  Position getResult(ElementEmitter &e, const Place &place,
                     int64_t lanes) override {
    return {
        {batch, e.uniform(place.batch)},
        {rows, e.uniform(place.row)},
        {columns, lanes > 1 ? e.lanes(place.column) : e.uniform(place.column)}};
  }

private:
  Factor makeFactor(Value tensor, ArrayRef<int64_t> contract,
                    const SymbolicDims &dims);
  Value emitElement(KernelBuilder &b, const Factor &factor, OpFoldResult batch,
                    OpFoldResult free, OpFoldResult step);

  dhlo::DotGeneralOp op;
  Factor left, right;
};
} // namespace

Factor DotForm::makeFactor(Value tensor, ArrayRef<int64_t> contract,
                           const SymbolicDims &dims) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Factor factor;
  factor.tensor = tensor;
  factor.free = dhlo::getConstDim(op.getContext(), 1);
  int64_t numFree = 0, lastNumber = 0;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    auto *place = llvm::find(contract, axis);
    Role role = axis < static_cast<int64_t>(op.getBatch()) ? Role::Batch
                : place != contract.end()                  ? Role::Sum
                                                           : Role::Free;
    // Axes of the sum are numbered by their place in the list.
    int64_t number = role == Role::Sum ? place - contract.begin() : numFree++;
    DimExpr extent = dims.getDim(tensor, axis);
    if (role == Role::Free)
      factor.free = dhlo::mul(factor.free, extent);
    Run *last = factor.runs.empty() ? nullptr : &factor.runs.back();
    if (last && last->role == role &&
        (role != Role::Sum || number == lastNumber + 1))
      last->extent = dhlo::mul(last->extent, extent);
    else
      factor.runs.push_back({role, number, extent});
    lastNumber = number;
  }
  return factor;
}

DotForm::DotForm(dhlo::DotGeneralOp op, const SymbolicDims &dims)
    : op(op), left(makeFactor(op.getLhs(), op.getLhsContract(), dims)),
      right(makeFactor(op.getRhs(), op.getRhsContract(), dims)) {
  sum = getSumType(op.getType().getElementType());
  batch = depth = dhlo::getConstDim(op.getContext(), 1);
  for (int64_t axis = 0; axis < static_cast<int64_t>(op.getBatch()); ++axis)
    batch = dhlo::mul(batch, dims.getDim(op.getLhs(), axis));
  for (int64_t axis : op.getLhsContract())
    depth = dhlo::mul(depth, dims.getDim(op.getLhs(), axis));
  rows = left.free;
  columns = right.free;
  auto isAlongSum = [](const Factor &factor) {
    return !factor.runs.empty() && factor.runs.back().role == Role::Sum;
  };
  isLeftAlongSum = isAlongSum(left);
  isRightAlongSum = isAlongSum(right);
}

Value DotForm::emitElement(KernelBuilder &b, const Factor &factor,
                           OpFoldResult batch, OpFoldResult free,
                           OpFoldResult step) {
  ElementEmitter e(b);
  Position position(factor.runs.size());
  for (auto [role, index] :
       {std::pair(Role::Batch, batch), {Role::Free, free}, {Role::Sum, step}}) {
    // The runs of a role share its index, in their order.
    SmallVector<size_t> places;
    for (auto [i, run] : llvm::enumerate(factor.runs))
      if (run.role == role)
        places.push_back(i);
    llvm::sort(places, [&](size_t lhs, size_t rhs) {
      return factor.runs[lhs].number < factor.runs[rhs].number;
    });
    SmallVector<DimExpr> extents;
    for (size_t i : places)
      extents.push_back(factor.runs[i].extent);
    for (auto [i, digit] :
         llvm::zip_equal(places, getDigits(b, index, extents)))
      position[i] = {factor.runs[i].extent, e.uniform(digit)};
  }
  return toSum(b, e.emit(factor.tensor, position, 1),
               getElementTypeOrSelf(factor.tensor), sum);
}

std::unique_ptr<ProductForm> dyn::createDotForm(dhlo::DotGeneralOp op,
                                                const SymbolicDims &dims) {
  return std::make_unique<DotForm>(op, dims);
}
