//===- ItemLoop.h - Counts the digits of items ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOVECTOR_ITEMLOOP_H
#define DYN_LIB_CONVERSION_KERNELTOVECTOR_ITEMLOOP_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

namespace dyn {

/// Visits the items [begin, end) of a space with the given extents, row-major.
/// Digits count up from item to item: the division that finds the first item's
/// digits is the only one.
void forEachItem(
    KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
    mlir::OpFoldResult begin, mlir::OpFoldResult end,
    llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult> digits)> body);

/// The same with values that are carried from item to item: `body` gives the
/// next ones. Gives the last ones.
llvm::SmallVector<mlir::Value> forEachItem(
    KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
    mlir::OpFoldResult begin, mlir::OpFoldResult end, mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(
        llvm::ArrayRef<mlir::OpFoldResult> digits, mlir::ValueRange carried)>
        body);

/// Visits groups of `count` items side by side, of which [begin, end) is a
/// multiple: `body` has the digits of each.
void forEachWholeGroup(
    KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
    mlir::OpFoldResult begin, mlir::OpFoldResult end, int64_t count,
    llvm::function_ref<
        void(llvm::ArrayRef<llvm::SmallVector<mlir::OpFoldResult>> digits)>
        body);

/// Visits groups of `count` items side by side, and those that are left one by
/// one: `body` has the digits of each.
void forEachGroup(
    KernelBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> extents,
    mlir::OpFoldResult begin, mlir::OpFoldResult end, int64_t count,
    llvm::function_ref<
        void(llvm::ArrayRef<llvm::SmallVector<mlir::OpFoldResult>> digits)>
        body);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOVECTOR_ITEMLOOP_H
