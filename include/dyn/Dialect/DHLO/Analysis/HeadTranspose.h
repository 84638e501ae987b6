//===- HeadTranspose.h - Transposes of attention's heads ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_ANALYSIS_HEADTRANSPOSE_H
#define DYN_DIALECT_DHLO_ANALYSIS_HEADTRANSPOSE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn {

/// Whether an operation exchanges heads and rows: [B, H, S, D] and [B, S, H,
/// D]. Kernels of attention read and write both. False for null.
bool swapsHeads(mlir::Operation *op);

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_HEADTRANSPOSE_H
