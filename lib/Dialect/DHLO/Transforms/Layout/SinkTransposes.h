//===- SinkTransposes.h - Moves transposes from operands to results -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_SINKTRANSPOSES_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_SINKTRANSPOSES_H

#include "mlir/IR/PatternMatch.h"

namespace dyn::dhlo {

/// Moves marked transposes from the operands of operations to their results.
/// `numSunk` counts the operations.
void populateSinkTransposes(mlir::RewritePatternSet &patterns,
                            int64_t &numSunk);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_SINKTRANSPOSES_H
