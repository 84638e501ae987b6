//===- DHLOVerify.cpp - Verifiers of dhlo operations
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/DHLO.h"

using namespace mlir;
using namespace dyn::dhlo;
LogicalResult SoftmaxOp::verify() { return success(); }
LogicalResult LayerNormOp::verify() { return success(); }
LogicalResult RmsNormOp::verify() { return success(); }
LogicalResult AttentionOp::verify() { return success(); }
LogicalResult LstmOp::verify() { return success(); }
LogicalResult ResizeOp::verify() { return success(); }
LogicalResult DotGeneralOp::verify() { return success(); }
LogicalResult ConvolutionOp::verify() { return success(); }
LogicalResult IfOp::verify() { return success(); }
LogicalResult WhileOp::verify() { return success(); }
LogicalResult IotaOp::verify() { return success(); }
LogicalResult BroadcastOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult TransposeOp::verify() { return success(); }
LogicalResult SliceOp::verify() { return success(); }
LogicalResult PadOp::verify() { return success(); }
LogicalResult ConcatOp::verify() { return success(); }
LogicalResult ReverseOp::verify() { return success(); }
LogicalResult GatherOp::verify() { return success(); }
LogicalResult GatherElementsOp::verify() { return success(); }
LogicalResult GatherNdOp::verify() { return success(); }
LogicalResult ScatterNdOp::verify() { return success(); }
LogicalResult ScatterElementsOp::verify() { return success(); }
LogicalResult NonzeroOp::verify() { return success(); }
LogicalResult SortOp::verify() { return success(); }
LogicalResult TopKOp::verify() { return success(); }
LogicalResult IsNanOp::verify() { return success(); }
LogicalResult IsInfOp::verify() { return success(); }
LogicalResult CompareOp::verify() { return success(); }
LogicalResult SelectOp::verify() { return success(); }
LogicalResult ConvertOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ArgReduceOp::verify() { return success(); }
LogicalResult ReduceWindowOp::verify() { return success(); }
LogicalResult CumulativeOp::verify() { return success(); }
LogicalResult SegmentReduceOp::verify() { return success(); }
LogicalResult DimOp::verify() { return success(); }
LogicalResult WeightOp::verify() { return success(); }
LogicalResult FromDimsOp::verify() { return success(); }
