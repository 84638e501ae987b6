//===- SizeUses.h - Operations that depend on sizes -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_SIZEUSES_H
#define DYN_DIALECT_DHLO_IR_SIZEUSES_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Whether an attribute of an operation contains a symbol, so that its result
/// may differ from call to call even if its operands do not.
bool usesSizes(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_SIZEUSES_H
