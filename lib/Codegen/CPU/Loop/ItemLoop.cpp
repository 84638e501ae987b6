//===- ItemLoop.cpp - Loops over items and their indices ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Loop/ItemLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;

/// The indices of item number `item`.
static SmallVector<Value> delinearize(KernelBuilder &b,
                                      ArrayRef<OpFoldResult> extents,
                                      OpFoldResult item) {
  SmallVector<Value> coordinates(extents.size());
  for (int64_t i = extents.size() - 1; i >= 0; --i) {
    // An empty tensor has no items; avoid a division by 0.
    OpFoldResult extent = b.max(extents[i], b.constant(1));
    coordinates[i] = b.value(i == 0 ? item : b.rem(item, extent));
    item = b.div(item, extent);
  }
  return coordinates;
}

/// The indices of the next item.
static SmallVector<Value> getNext(KernelBuilder &b,
                                  ArrayRef<OpFoldResult> extents,
                                  ValueRange coordinates) {
  SmallVector<Value> next(coordinates.begin(), coordinates.end());
  Value carry;
  for (int64_t i = extents.size() - 1; i >= 0; --i) {
    Value up = b.value(b.add(OpFoldResult(coordinates[i]), b.constant(1)));
    if (carry)
      up = arith::SelectOp::create(b, carry, up, coordinates[i]);
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
static SmallVector<OpFoldResult> simplify(KernelBuilder &b,
                                          ArrayRef<OpFoldResult> extents,
                                          ValueRange coordinates) {
  SmallVector<OpFoldResult> known(coordinates.begin(), coordinates.end());
  if (extents.size() > 1)
    for (auto [coordinate, extent] : llvm::zip_equal(known, extents))
      if (getConstantIntValue(extent) == 1)
        coordinate = b.constant(0);
  return known;
}

/// The common loop: groups of `count` items from `coordinates` on, which are
/// those of `begin`, as long as there are full groups. Returns the indices of
/// the next item, and the carried values.
static SmallVector<Value> forGroups(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, int64_t count, ArrayRef<Value> coordinates,
    ValueRange inits,
    llvm::function_ref<SmallVector<Value>(ArrayRef<SmallVector<OpFoldResult>>,
                                          ValueRange)>
        body) {
  size_t rank = coordinates.size();
  SmallVector<Value> first(coordinates);
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
    llvm::function_ref<SmallVector<Value>(ArrayRef<OpFoldResult> coordinates,
                                          ValueRange carried)>
        body) {
  SmallVector<Value> last = forGroups(
      b, extents, begin, end, 1, delinearize(b, extents, begin), inits,
      [&](ArrayRef<SmallVector<OpFoldResult>> group, ValueRange carried) {
        return body(group.front(), carried);
      });
  last.erase(last.begin(), last.begin() + extents.size());
  return last;
}

void dyn::forEachItem(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end,
    llvm::function_ref<void(ArrayRef<OpFoldResult> coordinates)> body) {
  forEachItem(b, extents, begin, end, ValueRange(),
              [&](ArrayRef<OpFoldResult> coordinates, ValueRange) {
                body(coordinates);
                return SmallVector<Value>();
              });
}

/// The sizes of the axes before `axis`, at least one of them.
static SmallVector<OpFoldResult> getLineExtents(KernelBuilder &b, Value tensor,
                                                int64_t axis) {
  SmallVector<OpFoldResult> extents;
  for (int64_t i = 0; i < axis; ++i)
    extents.push_back(b.size(tensor, i));
  if (extents.empty())
    extents.push_back(b.constant(1));
  return extents;
}

void dyn::forEachLine(
    KernelBuilder &b, Value tensor, int64_t axis,
    llvm::function_ref<void(ArrayRef<OpFoldResult> coordinates)> body) {
  forEachItem(b, getLineExtents(b, tensor, axis), b.begin(), b.end(),
              [&](ArrayRef<OpFoldResult> coordinates) {
                body(coordinates.take_front(axis));
              });
}

void dyn::forEachLine(
    KernelBuilder &b, Value tensor, int64_t axis, OpFoldResult begin,
    OpFoldResult end,
    llvm::function_ref<void(ArrayRef<OpFoldResult>, OpFoldResult)> body) {
  forEachItem(b, getLineExtents(b, tensor, axis), begin, end,
              ValueRange{b.indexConstant(0)},
              [&](ArrayRef<OpFoldResult> coordinates,
                  ValueRange number) -> SmallVector<Value> {
                body(coordinates.take_front(axis), number[0]);
                return {b.value(b.add(number[0], b.constant(1)))};
              });
}

void dyn::forEachFullGroup(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, int64_t count,
    llvm::function_ref<void(ArrayRef<SmallVector<OpFoldResult>> coordinates)>
        body) {
  forGroups(b, extents, begin, end, count, delinearize(b, extents, begin), {},
            [&](ArrayRef<SmallVector<OpFoldResult>> group, ValueRange) {
              body(group);
              return SmallVector<Value>();
            });
}

void dyn::forEachGroup(
    KernelBuilder &b, ArrayRef<OpFoldResult> extents, OpFoldResult begin,
    OpFoldResult end, int64_t count,
    llvm::function_ref<void(ArrayRef<SmallVector<OpFoldResult>> coordinates)>
        body) {
  auto visit = [&](ArrayRef<SmallVector<OpFoldResult>> group, ValueRange) {
    body(group);
    return SmallVector<Value>();
  };
  SmallVector<Value> coordinates = delinearize(b, extents, begin);
  OpFoldResult middle = end;
  if (count > 1) {
    middle = b.sub(end, b.rem(b.sub(end, begin), b.constant(count)));
    coordinates =
        forGroups(b, extents, begin, middle, count, coordinates, {}, visit);
    begin = middle;
  }
  forGroups(b, extents, begin, end, 1, coordinates, {}, visit);
}

void dyn::forEachVector(KernelBuilder &b, OpFoldResult begin, OpFoldResult end,
                        dhlo::DimExpr extent,
                        llvm::function_ref<void(Value, int64_t)> body) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  if (!b.getOptions().hasMasks())
    return b.laneLoop(begin, end, body);
  b.loop(begin, end, kLanes, [&](Value i) {
    // Ranges begin at multiples of vectors.
    if (b.getDims().isMultipleOf(extent, kLanes))
      return body(i, kLanes);
    OpFoldResult rest = b.sub(end, OpFoldResult(i));
    b.withLanes(b.min(rest, b.constant(kLanes)), [&] { body(i, kLanes); });
  });
}
