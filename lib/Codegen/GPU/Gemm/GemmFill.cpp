//===- GemmFill.cpp - Loads of an operand to shared memory ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmFill.h"

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"
#include "Codegen/GPU/WidthVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

bool dyn::isStored(const GemmProblem::Operand &operand, Type element) {
  return isa<BlockArgument>(operand.tensor) &&
         getStorageType(getElementTypeOrSelf(operand.tensor)) ==
             getStorageType(element);
}

static int64_t getBytes(Type element) {
  return getStorageType(element).getIntOrFloatBitWidth() / 8;
}

GemmFill::GemmFill(GemmProblem &problem, GemmTile &tile, bool isLhs,
                   int64_t multiple, const SymbolicDims &dims)
    : problem(problem), tile(tile), isLhs(isLhs),
      operand(isLhs ? problem.lhs : problem.rhs),
      factor(isLhs ? tile.lhs : tile.rhs) {
  if (!isStored(operand, tile.element))
    return;
  if (multiple > 1 && !isNeverMultiple(operand.line, multiple, dims))
    lanes = tile.getLanes(factor);
  constexpr int64_t kMinCopy = 4;
  copies = lanes * getBytes(tile.element) >= kMinCopy;
}

void GemmFill::emitAt(KernelBuilder &b, Value shared,
                      const GemmProblem::Indices &from,
                      const GemmProblem::RowTile &rows, OpFoldResult along,
                      OpFoldResult line) {
  GpuThread self(b);
  OpFoldResult step = factor.isAlongSum ? along : line;
  OpFoldResult free = factor.isAlongSum ? line : along;
  GemmProblem::Indices at = from;
  at.step = b.add(from.step, step);
  OpFoldResult &own = isLhs ? at.row : at.column;
  own = b.add(own, free);
  Value isInside =
      arith::AndIOp::create(b,
                            b.cmp(CmpIPredicate::slt, own,
                                  isLhs ? rows.end : b.size(problem.columns)),
                            b.cmp(CmpIPredicate::slt, at.step, rows.depth));
  OpFoldResult offset = tile.getOffset(b, factor, free, step);
  if (!copies) {
    Value stored = self.emitStored(isInside, tile.element, 1, [&] {
      return isLhs ? problem.emitLhs(b, at) : problem.emitRhs(b, at);
    });
    return self.storeShared(stored, shared, offset);
  }
  GemmProblem::Element found =
      isLhs ? problem.findLhs(b, at) : problem.findRhs(b, at);
  if (found.isInside)
    isInside = arith::AndIOp::create(b, isInside, found.isInside);
  Type storage = getStorageType(tile.element);
  Value buffer = b.buffer(cast<BlockArgument>(operand.tensor).getArgNumber());
  self.copyAsync(b.address(shared, offset, storage),
                 b.address(buffer, found.number, storage),
                 lanes * getBytes(tile.element), isInside);
}

void GemmFill::emit(KernelBuilder &b, Value shared,
                    const GemmProblem::Indices &from,
                    const GemmProblem::RowTile &rows) {
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
