//===- Inference.h - Result sizes of dhlo operations ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One function for each family of operations infers the sizes of results from
// the sizes of operands and from attributes. Verifiers, the pass
// dhlo-verify-dims and code that creates operations share them:
//
//   Sizes sizes =
//       inferDotGeneral(getDims(lhsType), getDims(rhsType), 0, {1}, {0});
//   RankedTensorType type =
//       dimBuilder.getTensorType(sizes, lhsType.getElementType());
//
// The functions require arguments that satisfy the operation's constraints:
// axes in range, lists of the right length. If operands give one size twice, a
// constant is preferred.

#ifndef DYN_DIALECT_DHLO_IR_INFERENCE_H
#define DYN_DIALECT_DHLO_IR_INFERENCE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Sizes of one tensor.
using Sizes = llvm::SmallVector<DimExpr>;

/// The broadcast of two lists of sizes, with axes aligned at the end.
Sizes inferBroadcast(llvm::ArrayRef<DimExpr> lhs, llvm::ArrayRef<DimExpr> rhs);

Sizes inferTranspose(llvm::ArrayRef<DimExpr> operand,
                     llvm::ArrayRef<int64_t> permutation);
Sizes inferPad(llvm::ArrayRef<DimExpr> operand, llvm::ArrayRef<DimExpr> low,
               llvm::ArrayRef<DimExpr> high);
Sizes inferConcat(llvm::ArrayRef<Sizes> operands, int64_t axis);
Sizes inferGather(llvm::ArrayRef<DimExpr> operand,
                  llvm::ArrayRef<DimExpr> indices, int64_t axis, int64_t batch);
/// The last size of `indices` is a constant.
Sizes inferGatherNd(llvm::ArrayRef<DimExpr> operand,
                    llvm::ArrayRef<DimExpr> indices, int64_t batch);
Sizes inferReduce(llvm::ArrayRef<DimExpr> operand,
                  llvm::ArrayRef<int64_t> axes);

/// The number of positions of a window of `window` elements, `dilation` apart,
/// in `size` elements at steps of `stride`. Negative if there is none, like the
/// formula.
DimExpr inferWindowCount(DimExpr size, DimExpr window, int64_t stride,
                         int64_t dilation);
Sizes inferReduceWindow(llvm::ArrayRef<DimExpr> operand,
                        llvm::ArrayRef<int64_t> window,
                        llvm::ArrayRef<int64_t> strides,
                        llvm::ArrayRef<int64_t> dilations,
                        llvm::ArrayRef<DimExpr> low,
                        llvm::ArrayRef<DimExpr> high);
/// Rows of the result: one less than the offsets.
Sizes inferSegmentReduce(llvm::ArrayRef<DimExpr> operand, DimExpr offsets);

Sizes inferDotGeneral(llvm::ArrayRef<DimExpr> lhs, llvm::ArrayRef<DimExpr> rhs,
                      int64_t batch, llvm::ArrayRef<int64_t> lhsContract,
                      llvm::ArrayRef<int64_t> rhsContract);
Sizes inferConvolution(llvm::ArrayRef<DimExpr> input,
                       llvm::ArrayRef<DimExpr> filter, Layout layout,
                       llvm::ArrayRef<int64_t> strides,
                       llvm::ArrayRef<DimExpr> low,
                       llvm::ArrayRef<DimExpr> high,
                       llvm::ArrayRef<int64_t> inputDilation,
                       llvm::ArrayRef<int64_t> filterDilation);
Sizes inferAttention(llvm::ArrayRef<DimExpr> query,
                     llvm::ArrayRef<DimExpr> value);
/// Sizes of hiddens, last hidden and last cell.
llvm::SmallVector<Sizes> inferLstm(llvm::ArrayRef<DimExpr> gates,
                                   llvm::ArrayRef<DimExpr> recurrent);

/// The elements of an array of size expressions.
Sizes toSizes(mlir::ArrayAttr exprs);
/// The names of an array of references to size symbols.
llvm::SmallVector<mlir::StringAttr> toNames(mlir::ArrayAttr symbols);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_INFERENCE_H
