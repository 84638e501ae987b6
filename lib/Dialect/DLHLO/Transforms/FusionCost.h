//===- FusionCost.h - Which operations run as one kernel, and how
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCOST_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCOST_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Whether an operation of an entry stays outside of fusions: it needs no
/// kernel.
bool staysOutside(mlir::Operation *op);

/// Whether an operation gives other sizes to the bytes of its first operand: a
/// reshape, or a slice of the first rows.
bool isView(mlir::Operation *op);

/// The kind of a fusion of this operation alone.
FusionKind getKind(mlir::Operation *op);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCOST_H
