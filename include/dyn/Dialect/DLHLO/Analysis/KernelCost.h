//===- KernelCost.h - The work of a kernel, over its sizes ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The cost of a kernel's definition, not of its code. This one count is behind
// the formulas of --explain, the figures of dyn-run --stats and the recordings
// of --trace, so that a share of the roofline means the same everywhere.
//
// Operations are those of the definition of each dhlo operation, one for each
// multiplication, addition, comparison or elementary function of an element:
//
//   dot_general     2 |result| K, K elements being summed for each
//   convolution     2 |result| (filter elements met by each), whatever the
//                   algorithm: Winograd's computes them with fewer; the same
//                   with a filter for each group of images
//   attention       for each score that a query sees 2 (D + E) and 6 for scale,
//                   mask and softmax, 4 more with a cap; E for each query's
//                   division. With a causal mask a query sees all keys if
//                   nothing is known of the numbers of queries and keys
//   lstm            2 (4H) H for each row and step, and 13 H of the cell
//   softmax 5, layer_norm 6 (7 with a bias), rms_norm 4, gelu 5 or 9,
//   other elementwise operations and rng 1, for each element of the result
//   reduce, arg_reduce, segment_reduce, cumulative, sort, top_k, group, nonzero
//                   1 for each element of the operand
//   reduce_window   1 for each element of a window of each result element
//   resize          2 for each operand element that a result element mixes
//   scatter         1 for each element of the updates
//
// Data movement costs no operations. An operation counts once, even if a kernel
// computes it for each of its users.
//
// Bytes are those of each operand and result, read or written once. Of an
// operand that is gathered from or sliced, at most as many elements as the
// result has count; of a filter that is packed for two algorithms, only the
// direct one's packing.

#ifndef DYN_DIALECT_DLHLO_ANALYSIS_KERNELCOST_H
#define DYN_DIALECT_DLHLO_ANALYSIS_KERNELCOST_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn {

struct KernelCost {
  dhlo::DimExpr flops, bytes;
};

/// The bytes of a tensor that is not packed.
dhlo::DimExpr getBytes(mlir::RankedTensorType type, const SymbolicDims &dims);

/// The operations of one operation of dhlo; 0 for any other.
dhlo::DimExpr countOperations(mlir::Operation *op, const SymbolicDims &dims);

/// The cost of a launch, over the sizes that it passes to the kernel. `dims`
/// are the kernel's.
KernelCost getKernelCost(dlhlo::KernelOp kernel, const SymbolicDims &dims);

} // namespace dyn

#endif // DYN_DIALECT_DLHLO_ANALYSIS_KERNELCOST_H
