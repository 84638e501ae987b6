//===- ArgReduceEmitter.h - The index of an extreme element ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_ARGREDUCEEMITTER_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_ARGREDUCEEMITTER_H

#include "Codegen/Common/Elements/ElementEmitter.h"

namespace dyn {

/// Whether the elements of the axis are side by side, and maybe many, so that
/// the extreme of one row after the other is found by vectors along it.
bool isOfLongRows(KernelBuilder &b, dhlo::ArgReduceOp op);

/// The result at a position, whose coordinates `kept` has for each axis of the
/// operand.
mlir::Value emitExtremeIndex(ElementEmitter &e, dhlo::ArgReduceOp op,
                             llvm::ArrayRef<Position> kept, int64_t lanes);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_ARGREDUCEEMITTER_H
