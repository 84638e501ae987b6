//===- Schedule.cpp - The schedule of each kind of kernel -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelToVector/Schedule.h"

#include "llvm/Support/ErrorHandling.h"

using namespace dyn;
using dlhlo::FusionKind;

Schedule::~Schedule() = default;

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

/// Elements of a head of values that threads of a GPU have registers for.
static constexpr int64_t kDeviceWidth = 256;

bool dyn::hasSchedule(mlir::Operation *op, bool isDevice) {
  // The one operation whose schedules look at types.
  auto attention = llvm::dyn_cast<dhlo::AttentionOp>(op);
  if (!attention)
    return true;
  mlir::RankedTensorType type = attention.getType();
  // Of a size that is known.
  int64_t width = type.getDimSize(3);
  return type.getElementType().isF32() &&
         (!isDevice || (width > 0 && width <= kDeviceWidth));
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
