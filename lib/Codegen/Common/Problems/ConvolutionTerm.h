//===- ConvolutionTerm.h - The terms of a convolution's sums --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_CONVOLUTIONTERM_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_CONVOLUTIONTERM_H

#include "Codegen/Common/Builder/KernelBuilder.h"
#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

namespace dyn {

/// One term of the sum of an element of a convolution's result: indices of the
/// element of the input and of the filter, and whether that of the input is
/// inside. Where it is not, or between dilated elements, the input's index is
/// meaningless and there is no term.
struct ConvolutionTerm {
  /// The term of the result's element `result` at the filter's tap and channel
  /// `summed`, spatial axes first. If there are several filters, `filter` has
  /// no index for their number.
  ConvolutionTerm(KernelBuilder &b, dhlo::Convolves op,
                  llvm::ArrayRef<mlir::OpFoldResult> result,
                  llvm::ArrayRef<mlir::OpFoldResult> summed);

  llvm::SmallVector<mlir::OpFoldResult> input, filter;
  mlir::Value inside;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_CONVOLUTIONTERM_H
