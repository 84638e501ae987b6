//===- ProductFill.cpp - Loads of an operand to shared memory -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductFill.h"

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "WidthVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

bool dyn::isStored(const ProductForm::Operand &operand, Type element) {
  return isa<BlockArgument>(operand.tensor) &&
         getStorageType(getElementTypeOrSelf(operand.tensor)) ==
             getStorageType(element);
}

static int64_t getBytes(Type element) {
  return getStorageType(element).getIntOrFloatBitWidth() / 8;
}

ProductFill::ProductFill(ProductForm &form, ProductTile &tile, bool isLeft,
                         int64_t multiple, const SymbolicDims &dims)
    : form(form), tile(tile), isLeft(isLeft),
      operand(isLeft ? form.left : form.right),
      factor(isLeft ? tile.left : tile.right) {
  if (!isStored(operand, tile.element))
    return;
  if (multiple > 1 && !isNeverMultiple(operand.line, multiple, dims))
    lanes = tile.getLanes(factor);
  constexpr int64_t kLeastCopy = 4;
  copies = lanes * getBytes(tile.element) >= kLeastCopy;
}

void ProductFill::emitAt(KernelBuilder &b, Value shared,
                         const ProductForm::Place &from,
                         const ProductForm::RowTile &rows, OpFoldResult along,
                         OpFoldResult line) {
  GpuThread self(b);
  OpFoldResult step = factor.isAlongSum ? along : line;
  OpFoldResult free = factor.isAlongSum ? line : along;
  ProductForm::Place at = from;
  at.step = b.add(from.step, step);
  OpFoldResult &own = isLeft ? at.row : at.column;
  own = b.add(own, free);
  Value isInside = arith::AndIOp::create(
      b,
      b.cmp(CmpIPredicate::slt, own, isLeft ? rows.end : b.size(form.columns)),
      b.cmp(CmpIPredicate::slt, at.step, rows.depth));
  OpFoldResult place = tile.getPlace(b, factor, free, step);
  if (!copies) {
    Value stored = self.emitStored(isInside, tile.element, 1, [&] {
      return isLeft ? form.emitLeft(b, at) : form.emitRight(b, at);
    });
    return self.storeShared(stored, shared, place);
  }
  ProductForm::Element found =
      isLeft ? form.findLeft(b, at) : form.findRight(b, at);
  if (found.isThere)
    isInside = arith::AndIOp::create(b, isInside, found.isThere);
  Type storage = getStorageType(tile.element);
  Value buffer = b.buffer(cast<BlockArgument>(operand.tensor).getArgNumber());
  self.copyAsync(b.address(shared, place, storage),
                 b.address(buffer, found.number, storage),
                 lanes * getBytes(tile.element), isInside);
}

void ProductFill::emit(KernelBuilder &b, Value shared,
                       const ProductForm::Place &from,
                       const ProductForm::RowTile &rows) {
  OpFoldResult thread = GpuThread(b).getThread();
  int64_t length = factor.isAlongSum ? tile.steps : factor.free;
  int64_t lines = factor.isAlongSum ? factor.free : tile.steps;
  // The threads load a part of some contiguous runs at once.
  int64_t width = length / lanes;
  if (lanes == 1)
    width = std::min(width, tile.getFillWidth(factor));
  int64_t height = kBlockThreads / width;
  OpFoldResult inLine =
      b.mul(b.rem(thread, b.constant(width)), b.constant(lanes));
  for (int64_t y = 0; y < lines; y += height) {
    OpFoldResult line = b.add(b.div(thread, b.constant(width)), b.constant(y));
    auto emitLines = [&] {
      for (int64_t x = 0; x < length; x += width * lanes)
        emitAt(b, shared, from, rows, b.add(inLine, b.constant(x)), line);
    };
    if (lines < height)
      b.ifThen(b.cmp(CmpIPredicate::slt, line, b.constant(lines)), emitLines);
    else
      emitLines();
  }
}
