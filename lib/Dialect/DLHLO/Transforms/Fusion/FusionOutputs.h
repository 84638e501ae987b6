//===- FusionOutputs.h - Values that are written where they leave ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONOUTPUTS_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONOUTPUTS_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::dlhlo {

/// Makes each value that a terminator returns the result of its own fusion, up
/// to reshapes whose sizes are known there. A loop's condition and unchanged
/// carried values need no fusion. Returns the number of fusions made, which are
/// copies.
unsigned copyOutputs(mlir::Operation *terminator, const SymbolicDims &dims);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONOUTPUTS_H
