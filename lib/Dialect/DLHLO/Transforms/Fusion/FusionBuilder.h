//===- FusionBuilder.h - Puts operations into a fusion --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONBUILDER_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONBUILDER_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Whether a value is a splat constant, which costs nothing inside a kernel.
bool isSplatConstant(mlir::Value value);

/// Moves `ops`, which are in one block in this order, into a new fusion at the
/// position of the last one. Values with other users become its results. Splat
/// constants that they use are cloned into it. The caller guarantees that no
/// other operation between them both depends on one of them and is needed by
/// another.
FusionOp createFusion(FusionKind kind, llvm::ArrayRef<mlir::Operation *> ops);

/// A fusion that copies `value`, at the builder's insertion point.
FusionOp createCopy(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONBUILDER_H
