//===- ItemLoop.cpp - Loops over items and their indices ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ItemLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;

/// The indices of item number `item`.
static SmallVector<Value>
getDigits(KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult item) {
  SmallVector<Value> digits(extents.size());
  for (int64_t i = extents.size() - 1; i >= 0; --i) {
    // An empty tensor has no items; avoid a division by 0.
    OpFoldResult extent = b.max(extents[i], b.constant(1));
    digits[i] = b.value(i == 0 ? item : b.rem(item, extent));
    item = b.div(item, extent);
  }
  return digits;
}

/// The indices of the next item.
static SmallVector<Value>
getNext(KernelBuilder &b, ArrayRef<OpFoldResult> extents, ValueRange digits) {
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
}

/// Indices as operands: those of extent 1 are 0.
static SmallVector<OpFoldResult>
simplify(KernelBuilder &b, ArrayRef<OpFoldResult> extents, ValueRange digits) {
  SmallVector<OpFoldResult> known(digits.begin(), digits.end());
  if (extents.size() > 1)
    for (auto [digit, extent] : llvm::zip_equal(known, extents))
      if (getConstantIntValue(extent) == 1)
        digit = b.constant(0);
  return known;
}

/// The common loop: groups of `count` items from `digits` on, which are those
/// of `begin`, as long as there are full groups. Returns the indices of the
/// next item, and the carried values.
static SmallVector<Value> forGroups(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, int64_t count, ArrayRef<Value> digits, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(ArrayRef<SmallVector<OpFoldResult>>,
                                          ValueRange)>
        body) {
  size_t rank = digits.size();
  SmallVector<Value> first(digits);
  llvm::append_range(first, inits);
  return b.loop(begin, end, count, first,
                [&](Value, ValueRange carried) -> SmallVector<Value> {
                  SmallVector<Value> at(carried.take_front(rank));
                  SmallVector<SmallVector<OpFoldResult>> group;
                  for (int64_t i = 0; i < count; ++i) {
                    group.push_back(simplify(b, extents, at));
                    at = getNext(b, extents, at);
                  }
                  llvm::append_range(at, body(group, carried.drop_front(rank)));
                  return at;
                });
}

SmallVector<Value> dyn::forEachItem(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(ArrayRef<OpFoldResult> digits,
                                          ValueRange carried)>
        body) {
  SmallVector<Value> last = forGroups(
      b, extents, begin, end, 1, getDigits(b, extents, begin), inits,
      [&](ArrayRef<SmallVector<OpFoldResult>> group, ValueRange carried) {
        return body(group.front(), carried);
      });
  last.erase(last.begin(), last.begin() + extents.size());
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

void dyn::forEachWholeGroup(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, int64_t count,
    llvm::function_ref<void(ArrayRef<SmallVector<OpFoldResult>> digits)> body) {
  forGroups(b, extents, begin, end, count, getDigits(b, extents, begin), {},
            [&](ArrayRef<SmallVector<OpFoldResult>> group, ValueRange) {
              body(group);
              return SmallVector<Value>();
            });
}

void dyn::forEachGroup(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, int64_t count,
    llvm::function_ref<void(ArrayRef<SmallVector<OpFoldResult>> digits)> body) {
  auto visit = [&](ArrayRef<SmallVector<OpFoldResult>> group, ValueRange) {
    body(group);
    return SmallVector<Value>();
  };
  SmallVector<Value> digits = getDigits(b, extents, begin);
  OpFoldResult whole = end;
  if (count > 1) {
    whole = b.sub(end, b.rem(b.sub(end, begin), b.constant(count)));
    digits = forGroups(b, extents, begin, whole, count, digits, {}, visit);
    begin = whole;
  }
  forGroups(b, extents, begin, end, 1, digits, {}, visit);
}
