//===- CellToDHLO.h - Lowers routes to tensors ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_CELLTODHLO_CELLTODHLO_H
#define DYN_CONVERSION_CELLTODHLO_CELLTODHLO_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/CellToDHLO/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/CellToDHLO/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_CELLTODHLO_CELLTODHLO_H
