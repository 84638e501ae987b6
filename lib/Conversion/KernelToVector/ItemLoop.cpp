//===- ItemLoop.cpp - Counts the digits of items --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ItemLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;

void dyn::forEachItem(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end,
    llvm::function_ref<void(ArrayRef<OpFoldResult> digits)> body) {
  if (extents.size() <= 1) {
    b.loop(begin, end, 1, [&](Value item) {
      SmallVector<OpFoldResult> digits(extents.size(), item);
      body(digits);
    });
    return;
  }
  SmallVector<Value> first(extents.size());
  OpFoldResult rest = begin;
  for (int64_t i = extents.size() - 1; i >= 0; --i) {
    first[i] = b.value(i == 0 ? rest : b.rem(rest, extents[i]));
    rest = b.div(rest, extents[i]);
  }
  b.loop(begin, end, 1, first,
         [&](Value, ValueRange digits) -> SmallVector<Value> {
           SmallVector<OpFoldResult> known(digits.begin(), digits.end());
           for (auto [digit, extent] : llvm::zip_equal(known, extents))
             if (getConstantIntValue(extent) == 1)
               digit = b.constant(0);
           body(known);
           SmallVector<Value> next(digits.begin(), digits.end());
           Value carry;
           for (int64_t i = extents.size() - 1; i >= 0; --i) {
             Value up = b.value(b.add(OpFoldResult(digits[i]), b.constant(1)));
             if (carry)
               up = arith::SelectOp::create(b, carry, up, digits[i]);
             if (i == 0) {
               next[i] = up;
               break;
             }
             Value full = b.cmp(arith::CmpIPredicate::eq, up, extents[i]);
             next[i] = b.value(b.select(full, b.constant(0), OpFoldResult(up)));
             carry = full;
           }
           return next;
         });
}
