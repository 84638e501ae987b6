//===- OpEmitters.h - Values of operations, by family ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_OPEMITTERS_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_OPEMITTERS_H

#include "Codegen/Common/Elements/ElementEmitter.h"

namespace dyn {

/// Marks a `dhlo.exp` whose operand is never positive, within a kernel that is
/// being scheduled.
inline constexpr llvm::StringLiteral kIsDistanceAttr = "dyn.is_distance";

/// Marks a `dhlo.reduce` of maxima whose result does not matter where an
/// operand is a NaN, within a kernel that is being scheduled.
inline constexpr llvm::StringLiteral kIgnoresNanAttr = "dyn.ignores_nan";

/// The result of an elementwise operation from the values of its operands, all
/// of the same number of lanes.
mlir::Value emitElementwise(KernelBuilder &b, mlir::Operation *op,
                            mlir::ValueRange operands);

// Each returns null if the operation is not of its family.
mlir::Value emitMovement(ElementEmitter &e, mlir::Operation *op,
                         const Position &position, int64_t lanes);
mlir::Value emitGather(ElementEmitter &e, mlir::Operation *op,
                       const Position &position, int64_t lanes);
mlir::Value emitReduction(ElementEmitter &e, mlir::Value tensor,
                          const Position &position, int64_t lanes);
mlir::Value emitGenerated(ElementEmitter &e, mlir::Operation *op,
                          const Position &position, int64_t lanes);

mlir::Value emitSampling(ElementEmitter &e, mlir::Operation *op,
                         const Position &position, int64_t lanes);

/// Whether the family's emitter handles the operation.
bool isMovement(mlir::Operation *op);
bool isGather(mlir::Operation *op);
bool isReduction(mlir::Operation *op);
bool isGenerated(mlir::Operation *op);
bool isSampling(mlir::Operation *op);

/// The combining function of two computed values, for elements of the dhlo
/// type `element`.
mlir::Value combine(KernelBuilder &b, dhlo::ReduceKind kind, mlir::Type element,
                    mlir::Value lhs, mlir::Value rhs);
/// Combines the lanes of each vector in a fixed tree: vectors of the results,
/// in order. A power of two of vectors share the work, with the same tree for
/// each.
llvm::SmallVector<mlir::Value>
packLanes(KernelBuilder &b, llvm::ArrayRef<mlir::Value> vectors,
          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
/// The same results as scalars.
llvm::SmallVector<mlir::Value>
combineLanes(KernelBuilder &b, llvm::ArrayRef<mlir::Value> vectors,
             llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
/// Its neutral element, in compute type.
mlir::Value neutral(KernelBuilder &b, dhlo::ReduceKind kind, mlir::Type element,
                    int64_t lanes);
/// The number of the first tap of a window whose index is at least `bound`, of
/// taps from `start` on that are `dilation` apart; `window` if there is none.
mlir::OpFoldResult getFirstTap(KernelBuilder &b, mlir::OpFoldResult bound,
                               mlir::OpFoldResult start, int64_t window,
                               int64_t dilation);
/// The maximum or minimum, NaN if either is.
mlir::Value maximum(KernelBuilder &b, mlir::Type element, mlir::Value lhs,
                    mlir::Value rhs);
mlir::Value minimum(KernelBuilder &b, mlir::Type element, mlir::Value lhs,
                    mlir::Value rhs);
/// The maximum of two floats, `rhs` if either is a NaN: one instruction.
mlir::Value maximumOfNumbers(KernelBuilder &b, mlir::Value lhs,
                             mlir::Value rhs);
/// Whether elements of a tensor are nonzero, as NaN is.
mlir::Value isNonzero(ElementEmitter &e, mlir::Value tensor,
                      const Position &position, int64_t lanes);
/// Converts an i64 to the compute type of `element`.
mlir::Value fromIndex(KernelBuilder &b, mlir::Value index, mlir::Type element);

/// Whether an operation gathers rows of `width` elements from an argument of
/// the kernel, each by its own indices.
bool gathersRows(mlir::Operation *op, dhlo::DimExpr width,
                 const SymbolicDims &dims);
/// Prefetches the first `bytes` of the row that such an operation reads for the
/// result's row at `position`.
void prefetchRow(ElementEmitter &e, mlir::Operation *op,
                 const Position &position, int64_t bytes);

/// Replaces softmax and norms in the kernel by reductions and elementwise
/// operations.
void expandComposites(dlhlo::KernelOp kernel);

/// Rough cost of an element of an operation's result, in the unit of
/// CpuInfo::grainWork.
int64_t getElementCost(mlir::Operation &op);
/// Bytes of an element as stored.
int64_t getElementBytes(mlir::Value tensor);

/// The sizes of a tensor's axes.
llvm::SmallVector<dhlo::DimExpr> getSizes(KernelBuilder &b, mlir::Value tensor);
/// The product of sizes.
dhlo::DimExpr product(mlir::MLIRContext *context,
                      llvm::ArrayRef<dhlo::DimExpr> sizes);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_OPEMITTERS_H
