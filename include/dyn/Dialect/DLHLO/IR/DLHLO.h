//===- DLHLO.h - The dlhlo dialect
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DLHLO_IR_DLHLO_H
#define DYN_DIALECT_DLHLO_IR_DLHLO_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "dyn/Dialect/DLHLO/IR/DLHLODialect.h.inc"
#include "dyn/Dialect/DLHLO/IR/DLHLOEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOTypes.h.inc"
#define GET_OP_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOOps.h.inc"

#endif // DYN_DIALECT_DLHLO_IR_DLHLO_H
