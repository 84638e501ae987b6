//===- DLHLO.h - The dlhlo dialect ----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DLHLO_IR_DLHLO_H
#define DYN_DIALECT_DLHLO_IR_DLHLO_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "dyn/Dialect/DLHLO/IR/DLHLODialect.h.inc"
#include "dyn/Dialect/DLHLO/IR/DLHLOEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOTypes.h.inc"
#define GET_OP_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOOps.h.inc"

namespace dyn::dlhlo {

/// Bytes of a constant of a static tensor type, in the layout of its encoding:
/// row-major, or `#dlhlo.packed`. -1 if a size is unknown or the number does
/// not fit 63 bits.
int64_t getConstantBytes(mlir::RankedTensorType type);

/// The number of rows whose elements of a column are adjacent in a packed
/// layout.
int64_t getGroupSize(PackKind kind);

/// Whether a layout consists of panels only.
inline bool isPanels(PackKind kind) {
  return kind != PackKind::Winograd4 && kind != PackKind::Winograd4Lines;
}

/// Elements before the panels of a packed type: Winograd's matrices.
int64_t getPanelsOffset(mlir::RankedTensorType type);

} // namespace dyn::dlhlo

#endif // DYN_DIALECT_DLHLO_IR_DLHLO_H
