//===- FusionCost.cpp - Which operations run as one kernel, and how
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionCost.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

bool dlhlo::isView(Operation *op) {
  if (llvm::isa<dhlo::ReshapeOp>(op))
    return true;
  auto slice = llvm::dyn_cast<dhlo::SliceOp>(op);
  if (!slice)
    return false;
  auto from = llvm::cast<RankedTensorType>(slice.getOperand().getType());
  auto to = llvm::cast<RankedTensorType>(slice.getType());
  for (auto [axis, start] :
       llvm::enumerate(slice.getStarts().getAsRange<dhlo::DimExprAttr>())) {
    if (!start.isConst(0) || slice.getStrides()[axis] != 1)
      return false;
    if (axis > 0 && dhlo::getDim(from, axis) != dhlo::getDim(to, axis))
      return false;
  }
  return true;
}

bool dlhlo::staysOutside(Operation *op) {
  return !llvm::isa<dhlo::DHLODialect>(op->getDialect()) ||
         llvm::isa<dhlo::BindsDims>(op) ||
         llvm::isa<dhlo::ConstantOp, dhlo::WeightOp, dhlo::FromDimsOp,
                   dhlo::YieldOp, dhlo::DimOp>(op) ||
         isView(op);
}

/// The kind of a reduction over these axes.
static FusionKind getReductionKind(ArrayRef<int64_t> axes, int64_t rank) {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != rank - int64_t(axes.size()) + int64_t(i))
      return FusionKind::Column;
  return FusionKind::Row;
}

FusionKind dlhlo::getKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, FusionKind>(op)
      .Case<dhlo::DotGeneralOp>([](auto) { return FusionKind::Contraction; })
      .Case<dhlo::ConvolutionOp>([](auto) { return FusionKind::Convolution; })
      .Case<dhlo::AttentionOp>([](auto) { return FusionKind::Attention; })
      .Case<dhlo::LayerNormOp, dhlo::RmsNormOp>(
          [](auto) { return FusionKind::Row; })
      .Case([](dhlo::SoftmaxOp softmax) {
        return getReductionKind({int64_t(softmax.getAxis())},
                                softmax.getType().getRank());
      })
      .Case([](dhlo::ReduceOp reduce) {
        return getReductionKind(reduce.getAxes(),
                                reduce.getOperand().getType().getRank());
      })
      .Case([](dhlo::TransposeOp transpose) {
        int64_t last = transpose.getType().getRank() - 1;
        return last >= 0 && transpose.getPermutation()[last] != last
                   ? FusionKind::Transpose
                   : FusionKind::Loop;
      })
      .Case<dhlo::BroadcastOp, dhlo::ReshapeOp, dhlo::SliceOp, dhlo::PadOp,
            dhlo::ConcatOp, dhlo::ReverseOp, dhlo::GatherOp,
            dhlo::GatherElementsOp, dhlo::GatherNdOp, dhlo::IotaOp>(
          [](auto) { return FusionKind::Loop; })
      .Default([](Operation *op) {
        return op->hasTrait<dhlo::Elementwise>() ? FusionKind::Loop
                                                 : FusionKind::Single;
      });
}
