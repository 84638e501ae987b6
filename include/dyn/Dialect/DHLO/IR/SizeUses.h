//===- SizeUses.h - Which operations depend on sizes
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_SIZEUSES_H
#define DYN_DIALECT_DHLO_IR_SIZEUSES_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Whether an attribute of an operation has a symbol in it, so that the
/// operation may do something else at each call, whatever its operands are.
bool usesSizes(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_SIZEUSES_H
