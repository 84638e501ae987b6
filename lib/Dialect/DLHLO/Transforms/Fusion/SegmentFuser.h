//===- SegmentFuser.h - Clusters the operations of a segment --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_SEGMENTFUSER_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_SEGMENTFUSER_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Support/TargetInfo.h"

namespace dyn::dlhlo {

/// Makes fusions of the operations of a segment, those of a block between two
/// that bind symbols or have regions, and returns their number. With `isDevice`
/// they are for a GPU.
unsigned fuseSegment(llvm::ArrayRef<mlir::Operation *> segment,
                     const SymbolicDims &dims, const ElementCosts &costs,
                     bool isDevice);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_SEGMENTFUSER_H
