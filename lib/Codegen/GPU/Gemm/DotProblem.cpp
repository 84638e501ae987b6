//===- DotProblem.cpp - dhlo.dot_general as GEMM --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// ElementEmitter reads operands in their own layout: a position in an operand
// has an index for each run of axes with one role.

#include "Codegen/GPU/GpuSchedule.h"
#include "GemmProblem.h"

#include "Codegen/Common/Problems/SumArithmetic.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

namespace {
/// The role of an operand's axis in the contraction.
enum class Role { Batch, Free, Sum };

/// Adjacent axes of an operand with the same role and consecutive numbers.
struct Run {
  Role role;
  int64_t number; ///< of its first axis among those of the role
  DimExpr extent;
};

/// An operand as a batch of matrices.
struct Matrices {
  SmallVector<Run> runs;
  DimExpr free; ///< M of the LHS, N of the RHS
};

class DotProblem : public TensorProblem {
public:
  DotProblem(dhlo::DotGeneralOp op, const SymbolicDims &dims);

  Position getResult(ElementEmitter &e, const Indices &indices,
                     int64_t lanes) override {
    return {{batch, e.uniform(indices.batch)},
            {rows, e.uniform(indices.row)},
            {columns,
             lanes > 1 ? e.lanes(indices.column) : e.uniform(indices.column)}};
  }

private:
  Matrices makeMatrices(Value tensor, ArrayRef<int64_t> contract,
                        const SymbolicDims &dims);
  Operand makeOperand(Value tensor, const Matrices &factor);
  Position getPosition(KernelBuilder &b, const Matrices &factor,
                       OpFoldResult batch, OpFoldResult free,
                       OpFoldResult step);
  Position getLhs(KernelBuilder &b, const Indices &indices) override {
    return getPosition(b, rowMatrices, indices.batch, indices.row,
                       indices.step);
  }
  Position getRhs(KernelBuilder &b, const Indices &indices) override {
    return getPosition(b, columnMatrices, indices.batch, indices.column,
                       indices.step);
  }

  dhlo::DotGeneralOp op;
  Matrices rowMatrices, columnMatrices;
};
} // namespace

Matrices DotProblem::makeMatrices(Value tensor, ArrayRef<int64_t> contract,
                                  const SymbolicDims &dims) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Matrices factor;
  factor.free = dhlo::getConstDim(op.getContext(), 1);
  int64_t numFree = 0, lastNumber = 0;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    auto *it = llvm::find(contract, axis);
    Role role = axis < static_cast<int64_t>(op.getBatch()) ? Role::Batch
                : it != contract.end()                     ? Role::Sum
                                                           : Role::Free;
    // Contracted axes are numbered by their index in the list.
    int64_t number = role == Role::Sum ? it - contract.begin() : numFree++;
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

GemmProblem::Operand DotProblem::makeOperand(Value tensor,
                                             const Matrices &factor) {
  Operand operand = {tensor, false, dhlo::getConstDim(op.getContext(), 1)};
  if (factor.runs.empty() || factor.runs.back().role == Role::Batch)
    return operand;
  const Run &last = factor.runs.back();
  operand.isAlongSum = last.role == Role::Sum;
  // Contracted axes may be listed in another order than that in memory.
  bool isFastest = llvm::all_of(factor.runs, [&](const Run &run) {
    return run.role != last.role || run.number <= last.number;
  });
  if (isFastest)
    operand.line = last.extent;
  return operand;
}

DotProblem::DotProblem(dhlo::DotGeneralOp op, const SymbolicDims &dims)
    : op(op), rowMatrices(makeMatrices(op.getLhs(), op.getLhsContract(), dims)),
      columnMatrices(makeMatrices(op.getRhs(), op.getRhsContract(), dims)) {
  sum = getSumType(op.getType().getElementType());
  batch = depth = parts = dhlo::getConstDim(op.getContext(), 1);
  for (int64_t axis = 0; axis < static_cast<int64_t>(op.getBatch()); ++axis)
    batch = dhlo::mul(batch, dims.getDim(op.getLhs(), axis));
  for (int64_t axis : op.getLhsContract())
    depth = dhlo::mul(depth, dims.getDim(op.getLhs(), axis));
  rows = rowMatrices.free;
  columns = columnMatrices.free;
  lhs = makeOperand(op.getLhs(), rowMatrices);
  rhs = makeOperand(op.getRhs(), columnMatrices);
}

Position DotProblem::getPosition(KernelBuilder &b, const Matrices &factor,
                                 OpFoldResult batch, OpFoldResult free,
                                 OpFoldResult step) {
  ElementEmitter e(b);
  Position position(factor.runs.size());
  for (auto [role, index] :
       {std::pair(Role::Batch, batch), {Role::Free, free}, {Role::Sum, step}}) {
    // The index of a role is split over its runs, in the order of their
    // numbers.
    SmallVector<size_t> indices;
    for (auto [i, run] : llvm::enumerate(factor.runs))
      if (run.role == role)
        indices.push_back(i);
    llvm::sort(indices, [&](size_t x, size_t y) {
      return factor.runs[x].number < factor.runs[y].number;
    });
    SmallVector<DimExpr> extents;
    for (size_t i : indices)
      extents.push_back(factor.runs[i].extent);
    for (auto [i, coordinate] :
         llvm::zip_equal(indices, delinearize(b, index, extents)))
      position[i] = {factor.runs[i].extent, e.uniform(coordinate)};
  }
  return position;
}

std::unique_ptr<GemmProblem> dyn::createDotProblem(dhlo::DotGeneralOp op,
                                                   const SymbolicDims &dims) {
  return std::make_unique<DotProblem>(op, dims);
}
