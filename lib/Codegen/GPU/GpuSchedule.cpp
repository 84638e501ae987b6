//===- GpuSchedule.cpp - The schedule of each kind of kernel --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuSchedule.h"

#include "Codegen/GPU/Attention/GpuAttentionSchedule.h"

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/Common/Problems/RowPlan.h"

using namespace mlir;
using namespace dyn;
using dlhlo::FusionKind;

LogicalResult
dyn::checkOperations(dlhlo::KernelOp kernel,
                     llvm::function_ref<bool(Operation *)> isOwn) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<dhlo::DimOp, dhlo::BindOp>(op) && !ElementEmitter::canEmit(&op) &&
        !(isOwn && isOwn(&op)))
      return op.emitError("no code generation for a GPU for this operation in "
                          "a kernel of kind '")
             << dlhlo::stringifyFusionKind(kernel.getKind()) << "'";
  return success();
}

/// Whether a GPU has an attention kernel for these types: its threads keep sums
/// for all columns of values in registers, and tensor cores take multiples of
/// an instruction's sizes.
static bool hasAttention(dhlo::AttentionOp op) {
  // Dynamic sizes are negative.
  int64_t depth = op.getQuery().getType().getDimSize(3);
  int64_t width = op.getType().getDimSize(3);
  Type element = op.getType().getElementType();
  if (element.isF32())
    return width > 0 && width <= 256;
  auto isMultiple = [](int64_t size) {
    return size > 0 && size <= 128 && size % 16 == 0;
  };
  return (element.isF16() || element.isBF16()) && isMultiple(depth) &&
         isMultiple(width);
}

bool dyn::hasGpuSchedule(Operation *op) {
  auto attention = dyn_cast<dhlo::AttentionOp>(op);
  return !attention || hasAttention(attention);
}

SmallVector<OpFoldResult> dyn::delinearize(KernelBuilder &b,
                                           OpFoldResult number,
                                           ArrayRef<dhlo::DimExpr> extents) {
  SmallVector<OpFoldResult> coordinates(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    coordinates[i] = i > 0 ? b.rem(number, b.size(extents[i])) : number;
    number = b.div(number, b.size(extents[i]));
  }
  return coordinates;
}

/// The schedule of a kernel of one operation.
static std::unique_ptr<GpuSchedule> createSingle(dlhlo::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (isa<dhlo::SortOp, dhlo::TopKOp>(op))
      return createGpuSortSchedule(&op);
    if (auto cumulative = dyn_cast<dhlo::CumulativeOp>(op))
      return createGpuCumulativeSchedule(cumulative);
    if (isa<dhlo::ScatterNdOp, dhlo::ScatterElementsOp>(op))
      return createGpuScatterSchedule(&op);
    if (auto nonzero = dyn_cast<dlhlo::FindNonzeroOp>(op))
      return createGpuNonzeroSchedule(nonzero);
    if (auto group = dyn_cast<dhlo::GroupOp>(op))
      return createGpuGroupSchedule(group);
    if (auto suppress = dyn_cast<dhlo::SuppressOp>(op))
      return createGpuSuppressSchedule(suppress);
    if (auto lstm = dyn_cast<dhlo::LstmOp>(op))
      return createGpuLstmSchedule(lstm);
  }
  // Windows, segments and the rest are computed element by element.
  return createGpuLoopSchedule();
}

/// The schedule of a kernel of attention.
static std::unique_ptr<GpuSchedule> createAttention(dlhlo::KernelOp kernel,
                                                    const SymbolicDims &dims) {
  std::optional<AttentionProblem> problem =
      AttentionProblem::make(kernel, dims);
  if (!problem)
    return nullptr;
  return problem->getOp().getType().getElementType().isF32()
             ? createFmaAttentionSchedule(*problem)
             : createMmaAttentionSchedule(*problem);
}

/// The schedule of a kernel of reductions.
static std::unique_ptr<GpuSchedule> createReduction(std::optional<RowPlan> plan,
                                                    const GpuInfo &gpu) {
  if (plan)
    return createGpuRowSchedule(std::move(*plan), gpu);
  // As on the host, reductions over different rows are computed where they are
  // read.
  return createGpuLoopSchedule();
}

std::unique_ptr<GpuSchedule> dyn::createGpuSchedule(dlhlo::KernelOp kernel,
                                                    const SymbolicDims &dims,
                                                    const GpuInfo &gpu) {
  switch (kernel.getKind()) {
  case FusionKind::Loop:
  case FusionKind::Transpose:
    return createGpuLoopSchedule();
  case FusionKind::Row:
    return createReduction(RowPlan::make(kernel, dims), gpu);
  case FusionKind::Column:
    return createReduction(RowPlan::makeOfColumns(kernel, dims), gpu);
  case FusionKind::Contraction:
  case FusionKind::Convolution:
    return createGpuGemmSchedule();
  case FusionKind::Single:
    return createSingle(kernel);
  case FusionKind::Attention:
    return createAttention(kernel, dims);
  }
  llvm_unreachable("every kind has a schedule");
}
