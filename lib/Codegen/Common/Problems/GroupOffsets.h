//===- GroupOffsets.h - The offsets of groups of rows ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Group g has the rows `offsets[g]` up to `offsets[g + 1]`. Offsets are data:
// an illegal one, less than the one before or out of range, is an error and
// reads as the nearest legal one.

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_GROUPOFFSETS_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_GROUPOFFSETS_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// The offsets that operation `op` of a kernel reads, an argument.
struct GroupOffsets {
  mlir::Operation *op;
  mlir::Value offsets;
  dhlo::DimExpr rows; ///< the maximum number of rows

  /// Offset `i`, where the one before is `least`, 0 for the first.
  mlir::Value emitOffset(KernelBuilder &b, mlir::OpFoldResult i,
                         mlir::OpFoldResult least, bool reports) const;
  /// The group of row `row`; -1 before the first one, and the number of groups
  /// after the last. Reads all offsets.
  mlir::Value emitGroup(KernelBuilder &b, mlir::OpFoldResult row) const;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_GROUPOFFSETS_H
