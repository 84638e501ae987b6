//===- ConcatStarts.h - Where operands of a concatenation begin -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_CONCATSTARTS_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_CONCATSTARTS_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// The indices along the joined axis at which the operands begin, and the one
/// at which the last operand ends.
llvm::SmallVector<mlir::OpFoldResult> getConcatStarts(KernelBuilder &b,
                                                      dhlo::ConcatOp op);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_CONCATSTARTS_H
