//===- FusionCost.h - Which operations run as one kernel, and how
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The rules of dlhlo-fuse that are about single operations; those about sets of
// operations (no cycles) are in FusionCluster.h.
//
// What kernels can do decides what may be fused. A kernel computes an element
// of a result by recursion through its body, so that movements of data cost
// nothing there, but an operation that is read at several places is computed
// several times. Row kernels keep a row at hand, contractions apply elementwise
// operations to their results while these are in registers.

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCOST_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCOST_H

#include "dyn/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Most operations and inputs that a fusion grows to: bounds the time to
/// compile a kernel.
constexpr unsigned kMaxOps = 48, kMaxInputs = 16, kMaxOutputs = 4;

/// Most positions at which a fusion computes an operation for one element of
/// its result: each chain of shifted reads doubles them.
constexpr unsigned kMaxPositions = 8;

/// Whether an operation of an entry stays outside of fusions: it needs no
/// kernel.
bool staysOutside(mlir::Operation *op);

/// Whether an operation gives other sizes to the bytes of its first operand: a
/// reshape, or a slice of the first rows.
bool isView(mlir::Operation *op);

/// The kind of a fusion of this operation alone.
FusionKind getKind(mlir::Operation *op);

/// Whether the operation computes each result element from the operand elements
/// at the same place.
bool isElementwise(mlir::Operation *op);

/// Whether the operation can be part of a kernel that computes element by
/// element.
bool isLoopOp(mlir::Operation *op);

/// Whether the operation is computed again for each of its readers rather than
/// stored: it costs nothing in a kernel.
bool isFree(mlir::Operation *op);

/// Whether an element costs much more than a load.
bool isExpensive(mlir::Operation *op);

/// Whether `user` reads an operand at other places than its own.
bool movesData(mlir::Operation *user);

/// Whether `user` reads each element of a value of `numElements` elements at
/// most once.
bool readsOnce(mlir::Operation *user, dhlo::DimExpr numElements,
               const SymbolicDims &dims);

/// A space of rows: leading and trailing number of elements.
struct RowSpace {
  dhlo::DimExpr rows, columns;
};

/// The rows that an operation reduces or normalises, if it does.
std::optional<RowSpace> getRowSpace(mlir::Operation *op);

/// Whether the operation repeats a value of one element a row along the rows.
bool isRowBroadcast(mlir::Operation *op, const RowSpace &space,
                    const SymbolicDims &dims);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSIONCOST_H
