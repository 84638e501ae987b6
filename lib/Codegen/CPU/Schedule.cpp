//===- Schedule.cpp - The schedule of each kind of kernel -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Schedule.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "llvm/Support/ErrorHandling.h"

using namespace dyn;
using dlhlo::FusionKind;

Schedule::~Schedule() = default;

void Geometry::setInOrder(KernelBuilder &b, mlir::OpFoldResult elements) {
  mlir::Value first = b.getResults().front();
  int64_t bytes = getElementBytes(first);
  for (mlir::Value result : b.getResults())
    if (getElementBytes(result) != bytes)
      return;
  itemBytes = b.mul(elements, b.constant(bytes));
  resultBytes = b.mul(b.numElements(first), b.constant(bytes));
}

mlir::LogicalResult DelegatingSchedule::match(dlhlo::KernelOp kernel,
                                              const SymbolicDims &dims,
                                              const CodegenOptions &options) {
  chosen = choose(kernel, dims);
  return chosen ? chosen->match(kernel, dims, options) : mlir::failure();
}

Geometry DelegatingSchedule::emitGeometry(KernelBuilder &b) {
  return chosen->emitGeometry(b);
}

mlir::LogicalResult DelegatingSchedule::emitBody(KernelBuilder &b) {
  return chosen->emitBody(b);
}

/// Whether a GPU has an attention kernel for these types: its threads keep sums
/// for all columns of values in registers, and tensor cores take multiples of
/// an instruction's sizes.
static bool hasDeviceAttention(dhlo::AttentionOp op) {
  // Dynamic sizes are negative.
  int64_t depth = op.getQuery().getType().getDimSize(3);
  int64_t width = op.getType().getDimSize(3);
  mlir::Type element = op.getType().getElementType();
  if (element.isF32())
    return width > 0 && width <= 256;
  auto isMultiple = [](int64_t size) {
    return size > 0 && size <= 128 && size % 16 == 0;
  };
  return (element.isF16() || element.isBF16()) && isMultiple(depth) &&
         isMultiple(width);
}

bool dyn::hasSchedule(mlir::Operation *op, bool isDevice) {
  // The only operation whose schedules depend on types.
  auto attention = llvm::dyn_cast<dhlo::AttentionOp>(op);
  if (!attention)
    return true;
  return isDevice ? hasDeviceAttention(attention)
                  : attention.getType().getElementType().isF32();
}

std::unique_ptr<Schedule> dyn::createSchedule(FusionKind kind) {
  switch (kind) {
  case FusionKind::Loop:
  case FusionKind::Column:
    return createLoopSchedule();
  case FusionKind::Transpose:
    return createTransposeSchedule();
  case FusionKind::Single:
    return createSingleSchedule();
  case FusionKind::Row:
    return createRowSchedule();
  case FusionKind::Contraction:
    return createContractionSchedule();
  case FusionKind::Convolution:
    return createConvolutionSchedule();
  case FusionKind::Attention:
    return createAttentionSchedule();
  }
  llvm_unreachable("every kind has a schedule");
}
