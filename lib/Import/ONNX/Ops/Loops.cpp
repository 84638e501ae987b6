//===- Loops.cpp - Counted loops for operators that run step by step ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

SmallVector<Value> onnx::emitCountedLoop(OpContext &c, DimExpr count,
                                         ArrayRef<Value> inits, LoopBody body) {
  Emitter &e = c.e;
  if (llvm::is_contained(inits, Value()))
    return {};
  Value number = e.fromSize(count);
  Value enter = e.compare(dhlo::CompareDirection::GT, number, 0.0);
  SmallVector<Value> carried{e.constantInt(e.builder.getI64Type(), 0)};
  carried.append(inits.begin(), inits.end());
  SmallVector<Type> types;
  SmallVector<Location> locs;
  for (Value value : carried) {
    types.push_back(value.getType());
    locs.push_back(e.loc);
  }
  ArrayAttr none = e.builder.getArrayAttr({});
  auto loop = dhlo::WhileOp::create(e.builder, e.loc, types, enter, carried,
                                    none, none, none, none);
  OpBuilder::InsertionGuard guard(e.builder);
  Block *block = e.builder.createBlock(&loop.getBody(), {}, types, locs);
  SmallVector<Value> states(block->args_begin() + 1, block->args_end());
  SmallVector<Value> next = body(block->getArgument(0), states);
  if (next.size() != inits.size() || llvm::is_contained(next, Value()))
    return {};
  Value step = e.add(block->getArgument(0), 1.0);
  SmallVector<Value> yielded{
      e.compare(dhlo::CompareDirection::LT, step, number), step};
  yielded.append(next);
  dhlo::YieldOp::create(e.builder, e.loc, yielded);
  return SmallVector<Value>(loop->result_begin() + 1, loop->result_end());
}

Value onnx::readRow(OpContext &c, Value x, Value step) {
  return c.e.gather(x, step, 0);
}

Value onnx::writeRow(OpContext &c, Value x, Value step, Value row) {
  Emitter &e = c.e;
  if (!x || !row)
    return {};
  return dhlo::ScatterNdOp::create(
      e.builder, e.loc, x.getType(), x, e.reshape(step, e.sizes({1, 1})),
      e.unsqueeze(row, {0}), dhlo::ScatterKind::Replace);
}
