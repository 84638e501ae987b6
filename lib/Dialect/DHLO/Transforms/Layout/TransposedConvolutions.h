//===- TransposedConvolutions.h - Convolutions of dilated inputs ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_TRANSPOSEDCONVOLUTIONS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_TRANSPOSEDCONVOLUTIONS_H

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

#include "mlir/IR/PatternMatch.h"

namespace dyn::dhlo {

/// A convolution with channels last whose input is dilated becomes convolutions
/// of the input itself and a transpose of their results. `symbols` must outlive
/// the patterns.
void populateTransposedConvolutions(mlir::RewritePatternSet &patterns,
                                    DimBuilder &symbols);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_TRANSPOSEDCONVOLUTIONS_H
