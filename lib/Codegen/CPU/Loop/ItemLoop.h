//===- ItemLoop.h - Loops over items and their indices --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_LOOP_ITEMLOOP_H
#define DYN_LIB_CODEGEN_CPU_LOOP_ITEMLOOP_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// Visits the items [begin, end) of a space with the given extents, row-major.
/// Indices are incremented from item to item: only those of the first item take
/// a division.
void forEachItem(
    KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
    mlir::OpFoldResult begin, mlir::OpFoldResult end,
    llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult> coordinates)>
        body);

/// The same with values that are carried from item to item: `body` returns the
/// next ones. Returns the last ones.
llvm::SmallVector<mlir::Value>
forEachItem(KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
            mlir::OpFoldResult begin, mlir::OpFoldResult end,
            mlir::ValueRange inits,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(
                llvm::ArrayRef<mlir::OpFoldResult> coordinates,
                mlir::ValueRange carried)>
                body);

/// Visits the kernel's items if they are the positions on the axes of `tensor`
/// before `axis`: one if there are none.
void forEachLine(
    KernelBuilder &b, mlir::Value tensor, int64_t axis,
    llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult> coordinates)>
        body);

/// The same for the items [begin, end), with the number of each from 0 on.
void forEachLine(
    KernelBuilder &b, mlir::Value tensor, int64_t axis,
    mlir::OpFoldResult begin, mlir::OpFoldResult end,
    llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult> coordinates,
                            mlir::OpFoldResult number)>
        body);

/// Visits groups of `count` consecutive items, of which [begin, end) is a
/// multiple: `body` gets the indices of each.
void forEachFullGroup(
    KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
    mlir::OpFoldResult begin, mlir::OpFoldResult end, int64_t count,
    llvm::function_ref<
        void(llvm::ArrayRef<llvm::SmallVector<mlir::OpFoldResult>> coordinates)>
        body);

/// Visits groups of `count` consecutive items, and the remainder one by one:
/// `body` gets the indices of each.
void forEachGroup(
    KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
    mlir::OpFoldResult begin, mlir::OpFoldResult end, int64_t count,
    llvm::function_ref<
        void(llvm::ArrayRef<llvm::SmallVector<mlir::OpFoldResult>> coordinates)>
        body);

/// Visits the vectors of [begin, end), a range along an axis of size `extent`:
/// of the last one, lanes outside are masked, where the instruction set has
/// masks; else single elements follow.
void forEachVector(KernelBuilder &b, mlir::OpFoldResult begin,
                   mlir::OpFoldResult end, dhlo::DimExpr extent,
                   llvm::function_ref<void(mlir::Value i, int64_t lanes)> body);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_LOOP_ITEMLOOP_H
