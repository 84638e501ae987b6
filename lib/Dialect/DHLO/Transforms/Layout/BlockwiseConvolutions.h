//===- BlockwiseConvolutions.h - Transposed convolutions as matmuls -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_BLOCKWISECONVOLUTIONS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_BLOCKWISECONVOLUTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace dyn::dhlo {

/// A transposed convolution with channels last whose windows do not overlap is
/// a matmul: each input pixel gives one block of output pixels.
void populateBlockwiseConvolutions(mlir::RewritePatternSet &patterns);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_BLOCKWISECONVOLUTIONS_H
