//===- Cell.h - The cell dialect ------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_CELL_IR_CELL_H
#define DYN_DIALECT_CELL_IR_CELL_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::cell {

/// See Cell_MovesCells in CellOps.td.
template <typename ConcreteType>
class MovesCells : public mlir::OpTrait::TraitBase<ConcreteType, MovesCells> {};

} // namespace dyn::cell

#include "dyn/Dialect/Cell/IR/CellDialect.h.inc"
#include "dyn/Dialect/Cell/IR/CellEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Cell/IR/CellAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/Cell/IR/CellTypes.h.inc"
#define GET_OP_CLASSES
#include "dyn/Dialect/Cell/IR/CellOps.h.inc"

#endif // DYN_DIALECT_CELL_IR_CELL_H
