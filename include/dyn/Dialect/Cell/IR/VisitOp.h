//===- VisitOp.h - The classes of operations of cell ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_CELL_IR_VISITOP_H
#define DYN_DIALECT_CELL_IR_VISITOP_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/IR/VisitOp.h"

namespace dyn::cell {

/// All operations of the dialect.
using Ops = OpList<
#define GET_OP_LIST
#include "dyn/Dialect/Cell/IR/CellOps.cpp.inc"
    >;

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_IR_VISITOP_H
