//===- Failure.h - Operations that fail for some data ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_FAILURE_H
#define DYN_DIALECT_DHLO_IR_FAILURE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Whether an operation can set the error word for some data of its element
/// types: unlike those of integers, conversions and divisions of floats cannot,
/// nor divisions by a constant that is not 0.
bool mayFailForTypes(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_FAILURE_H
