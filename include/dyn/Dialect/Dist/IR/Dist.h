//===- Dist.h - The dist dialect ------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DIST_IR_DIST_H
#define DYN_DIALECT_DIST_IR_DIST_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "dyn/Dialect/Dist/IR/DistDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Dist/IR/DistAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/Dist/IR/DistTypes.h.inc"
#define GET_OP_CLASSES
#include "dyn/Dialect/Dist/IR/DistOps.h.inc"

namespace dyn::dist {

/// The ranks with which `rank` of a mesh shares all coordinates but those along
/// `axes`, itself among them, in row-major order of those coordinates. `axes`
/// are axes of the mesh, as one axis of a sharding has them: rank i of the
/// group holds block i.
llvm::SmallVector<int64_t> getGroup(MeshOp mesh, int64_t rank,
                                    mlir::ArrayAttr axes);

/// The operation that ends an exchange.
inline ExchangeWaitOp getWait(ExchangeStartOp start) {
  return llvm::cast<ExchangeWaitOp>(*start.getRequest().user_begin());
}

/// The part that a function or an entry is; null if it is none.
inline PartAttr getPart(mlir::Operation *op) {
  return op->getAttrOfType<PartAttr>(DistDialect::kPartAttr);
}

/// The part that the function around `op` is; null if it is none.
PartAttr getPartOf(mlir::Operation *op);

/// The ranks that compute the stage of a part: all, if there is one stage.
llvm::SmallVector<int64_t> getStageRanks(PartAttr part);

/// Checks that a sharding has an axis for each one of `type`, and that its mesh
/// exists and has the axes that it names.
mlir::LogicalResult verifySharding(mlir::Operation *op, ShardingAttr sharding,
                                   mlir::RankedTensorType type,
                                   mlir::SymbolTableCollection &symbols);

/// Checks that there is such a mesh, and that it has these axes.
mlir::LogicalResult verifyMeshAxes(mlir::Operation *op,
                                   mlir::FlatSymbolRefAttr mesh,
                                   llvm::ArrayRef<mlir::ArrayAttr> axes,
                                   mlir::SymbolTableCollection &symbols);

} // namespace dyn::dist

#endif // DYN_DIALECT_DIST_IR_DIST_H
