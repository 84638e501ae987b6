//===- SegmentFilter.h - The elements that come before another ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A segment's first elements in sorted order are searched with a bound: the
// last one of those that were found. Few elements come before it, unless the
// segment is nearly sorted the other way round, so vectors are compared with
// it, and only for a vector with such an element more is done.

#ifndef DYN_LIB_CODEGEN_CPU_SINGLE_SEGMENTFILTER_H
#define DYN_LIB_CODEGEN_CPU_SINGLE_SEGMENTFILTER_H

#include "Codegen/Common/Problems/SegmentProblem.h"

namespace dyn {

/// Calls `body` with the full vector of elements from `begin` on, if some of
/// them come before `bound`, and with the lanes of these. Returns the next
/// carried values.
llvm::SmallVector<mlir::Value> filterVector(
    ElementEmitter &e, const SegmentProblem &problem, SegmentProblem::Line line,
    mlir::Value begin, mlir::Value bound, mlir::ValueRange carried,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value elements,
                                                      mlir::Value found)>
        body);

/// Calls `body` with the number of each lane in `found`, in their order.
llvm::SmallVector<mlir::Value> forEachFound(
    KernelBuilder &b, mlir::Value found, mlir::ValueRange carried,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value lane,
                                                      mlir::ValueRange carried)>
        body);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_SINGLE_SEGMENTFILTER_H
