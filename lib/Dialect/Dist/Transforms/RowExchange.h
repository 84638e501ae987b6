//===- RowExchange.h - An exchange of rows between ranks ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_ROWEXCHANGE_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_ROWEXCHANGE_H

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"
#include "dyn/Dialect/Dist/IR/Dist.h"

namespace dyn::dist {

/// Begins and ends an exchange of ranges of rows among ranks. The result has
/// `count` rows.
ExchangeWaitOp exchangeRows(mlir::OpBuilder &b, mlir::Location loc,
                            DimBuilder &dims, mlir::Value rows,
                            dhlo::DimExpr count, llvm::ArrayRef<int64_t> among,
                            mlir::Value sends, mlir::Value receives);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_ROWEXCHANGE_H
