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

SmallVector<Value> dyn::forEachItem(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(ArrayRef<OpFoldResult> digits,
                                          ValueRange carried)>
        body) {
  if (extents.size() <= 1)
    return b.loop(begin, end, 1, inits, [&](Value item, ValueRange carried) {
      SmallVector<OpFoldResult> digits(extents.size(), item);
      return body(digits, carried);
    });
  size_t rank = extents.size();
  SmallVector<Value> first(rank);
  OpFoldResult rest = begin;
  for (int64_t i = rank - 1; i >= 0; --i) {
    first[i] = b.value(i == 0 ? rest : b.rem(rest, extents[i]));
    rest = b.div(rest, extents[i]);
  }
  llvm::append_range(first, inits);
  SmallVector<Value> last = b.loop(
      begin, end, 1, first,
      [&](Value, ValueRange carried) -> SmallVector<Value> {
        ValueRange digits = carried.take_front(rank);
        SmallVector<OpFoldResult> known(digits.begin(), digits.end());
        for (auto [digit, extent] : llvm::zip_equal(known, extents))
          if (getConstantIntValue(extent) == 1)
            digit = b.constant(0);
        SmallVector<Value> values = body(known, carried.drop_front(rank));
        SmallVector<Value> next(digits.begin(), digits.end());
        Value carry;
        for (int64_t i = rank - 1; i >= 0; --i) {
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
        next.append(values);
        return next;
      });
  last.erase(last.begin(), last.begin() + rank);
  return last;
}

void dyn::forEachItem(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end,
    llvm::function_ref<void(ArrayRef<OpFoldResult> digits)> body) {
  forEachItem(b, extents, begin, end, ValueRange(),
              [&](ArrayRef<OpFoldResult> digits, ValueRange) {
                body(digits);
                return SmallVector<Value>();
              });
}
