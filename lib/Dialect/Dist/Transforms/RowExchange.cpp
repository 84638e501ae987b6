//===- RowExchange.cpp - An exchange of rows between ranks ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExchange.h"

#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn;

dist::ExchangeWaitOp dist::exchangeRows(OpBuilder &b, Location loc,
                                        DimBuilder &dims, Value rows,
                                        dhlo::DimExpr count,
                                        ArrayRef<int64_t> among, Value sends,
                                        Value receives) {
  auto request = ExchangeStartOp::create(
      b, loc, RequestType::get(b.getContext()), rows, among, sends, receives);
  dhlo::Sizes sizes = dhlo::sizesOf(rows);
  sizes.front() = count;
  Type element = dhlo::typeOf(rows).getElementType();
  return ExchangeWaitOp::create(b, loc, dims.getTensorType(sizes, element),
                                request);
}
