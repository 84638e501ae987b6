//===- FusionRules.h - Which operations run as one kernel, and how --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The rules of dlhlo-fuse that are about single operations; those about sets of
// operations (no cycles) are in FusionCluster.h.
//
// Fusion is limited by what kernels can do. A kernel computes an element of a
// result by recursion through its body, so that data movement costs nothing
// there, but an operation that is read at several positions is computed several
// times: FusionCost.h compares that with a kernel of its own. Row kernels keep
// a row in memory, contractions apply elementwise operations to their results
// while these are in registers.

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONRULES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONRULES_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// The maximum number of operations, inputs and outputs of a fusion: bounds the
/// time to compile a kernel.
constexpr unsigned kMaxOps = 48, kMaxInputs = 16, kMaxOutputs = 4;

/// The maximum number of positions at which a fusion computes an operation for
/// one element of its result: each chain of shifted reads doubles them.
constexpr unsigned kMaxPositions = 8;

/// Whether an operation gives elements that the model holds.
bool isStored(mlir::Operation *op);

/// Whether an operation of an entry stays outside of fusions, since it needs no
/// kernel.
bool staysOutside(mlir::Operation *op);

/// Whether an operation changes the sizes of its first operand without moving
/// bytes: a reshape, or a slice of the first rows.
bool isView(mlir::Operation *op);

/// The value of whose bytes this is a view by reshapes.
mlir::Value skipReshapes(mlir::Value value);

/// The kind of a fusion of this operation alone.
FusionKind getKind(mlir::Operation *op);

/// Whether the operation computes each result element from the operand elements
/// at the same position.
bool isElementwise(mlir::Operation *op);

/// Whether the operation can be part of a kernel that computes element by
/// element.
bool isLoopOp(mlir::Operation *op);

/// Whether the operation is computed again for each user rather than stored: it
/// costs nothing in a kernel.
bool isFree(mlir::Operation *op);

/// Whether an element costs much more than a load.
bool isExpensive(mlir::Operation *op);

/// Whether `user` reads an operand at other positions than its own.
bool movesData(mlir::Operation *user);

/// Whether an operation only moves elements, and adjacent ones to adjacent
/// positions.
bool isNearMovement(mlir::Operation *op);

/// Whether an operation, which may be null, gathers full rows: a vector of a
/// row costs one more load, of the row's index.
bool isRowGather(mlir::Operation *op);

/// Whether `user` reads each element of a value of `numElements` elements at
/// most once.
bool readsOnce(mlir::Operation *user, dhlo::DimExpr numElements,
               const SymbolicDims &dims);

/// A space of rows: the number of rows and of elements in each.
struct RowSpace {
  dhlo::DimExpr rows, columns;
};

/// The rows that an operation reduces or normalises, if it does.
std::optional<RowSpace> getRowSpace(mlir::Operation *op);

/// Whether the operation repeats a value with one element for each row along
/// the rows.
bool isRowBroadcast(mlir::Operation *op, const RowSpace &space,
                    const SymbolicDims &dims);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONRULES_H
