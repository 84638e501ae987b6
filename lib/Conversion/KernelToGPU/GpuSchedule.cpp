//===- GpuSchedule.cpp - The schedule of each kind of kernel --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuSchedule.h"

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"

using namespace mlir;
using namespace dyn;
using dlhlo::FusionKind;

LogicalResult
dyn::checkOperations(dlhlo::KernelOp kernel,
                     llvm::function_ref<bool(Operation *)> isOwn) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<dhlo::DimOp>(op) && !ElementEmitter::canEmit(&op) &&
        !(isOwn && isOwn(&op)))
      return op.emitError("no code generation for a GPU for this operation in "
                          "a kernel of kind '")
             << dlhlo::stringifyFusionKind(kernel.getKind()) << "'";
  return success();
}

std::unique_ptr<GpuSchedule> dyn::createGpuSchedule(FusionKind kind) {
  switch (kind) {
  case FusionKind::Loop:
  case FusionKind::Column:
  case FusionKind::Transpose:
    return createGpuLoopSchedule();
  case FusionKind::Row:
    return createGpuRowSchedule();
  case FusionKind::Contraction:
  case FusionKind::Convolution:
    return createGpuProductSchedule();
  default:
    return nullptr;
  }
}
