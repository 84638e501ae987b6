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

mlir::LogicalResult dyn::checkElements(dlhlo::KernelOp kernel) {
  for (mlir::Operation &op : kernel.getBody().front().without_terminator())
    if (!llvm::isa<dhlo::DimOp>(op) && !ElementEmitter::canEmit(&op))
      return op.emitError(
                 "no code generation for this operation in a kernel of kind '")
             << dlhlo::stringifyFusionKind(kernel.getKind()) << "'";
  return mlir::success();
}

bool dyn::hasCpuSchedule(mlir::Operation *op) {
  // The only operations whose schedules depend on types. Convolutions of f64
  // are computed element by element.
  if (!llvm::isa<dhlo::AttentionOp, dhlo::Convolves>(op))
    return true;
  mlir::Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  return element.isF32() || (llvm::isa<dhlo::Convolves>(op) && element.isF64());
}

std::unique_ptr<Schedule> dyn::createSchedule(FusionKind kind) {
  switch (kind) {
  case FusionKind::Loop:
    return createLoopSchedule();
  case FusionKind::Column:
    return createColumnSchedule();
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
