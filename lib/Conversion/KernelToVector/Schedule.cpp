//===- Schedule.cpp - The schedule of each kind of kernel -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelToVector/Schedule.h"

using namespace dyn;
using dlhlo::FusionKind;

Schedule::~Schedule() = default;

namespace {
/// Stands in where a kind has no schedule: refuses.
class NoSchedule : public Schedule {
  mlir::LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                            const CodegenOptions &) override {
    return kernel.emitError("no schedule for kernels of kind '")
           << dlhlo::stringifyFusionKind(kernel.getKind()) << "'";
  }
  Geometry emitGeometry(KernelBuilder &b) override { return {}; }
  mlir::LogicalResult emitBody(KernelBuilder &b) override {
    return mlir::failure();
  }
};
} // namespace

std::unique_ptr<Schedule> dyn::createSchedule(FusionKind kind) {
  switch (kind) {
  case FusionKind::Loop:
  case FusionKind::Transpose:
  case FusionKind::Column:
    return createLoopSchedule();
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
  return std::make_unique<NoSchedule>();
}
