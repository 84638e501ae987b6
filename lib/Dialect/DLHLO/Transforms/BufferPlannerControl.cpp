//===- BufferPlannerControl.cpp - Memory of branches and loops
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferPlanner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

// A branch gives the addresses of its results, wherever they lie: nothing is
// copied. Only one branch runs, so both count their arenas from the same
// number, and an arena grows to what the greater needs.
LogicalResult BufferPlanner::planIf(dhlo::IfOp op) {
  Location loc = op.getLoc();
  Value condition = loadScalar(loc, op.getCondition(), builder.getI1Type());
  SmallVector<Type> types(op.getNumResults(), BufferType::get(op.getContext()));
  types.append(op.getBinds().size(), builder.getIndexType());
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);

  int64_t firstArena = arenas, lastArena = arenas;
  auto planBranch = [&](Region &from, Block *to,
                        ArrayAttr sizes) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    arenas = firstArena;
    shape.pushScope();
    if (failed(planBlock(from.front())))
      return failure();
    SmallVector<Value> yielded;
    for (Value value : from.front().getTerminator()->getOperands())
      yielded.push_back(getBuffer(value));
    for (auto expr : sizes.getAsRange<dhlo::DimExpr>()) {
      yielded.push_back(shape.get(builder, expr, op));
      if (!yielded.back())
        return failure();
    }
    scf::YieldOp::create(builder, loc, yielded);
    shape.popScope();
    lastArena = std::max(lastArena, arenas);
    return success();
  };
  if (failed(planBranch(op.getThenRegion(), branch.thenBlock(),
                        op.getThenDims())) ||
      failed(
          planBranch(op.getElseRegion(), branch.elseBlock(), op.getElseDims())))
    return failure();
  arenas = lastArena;

  for (auto [result, buffer] : llvm::zip(op.getResults(), branch.getResults()))
    buffers.map(result, buffer);
  for (auto [i, name] :
       llvm::enumerate(op.getBinds().getAsRange<FlatSymbolRefAttr>()))
    shape.bind(name.getAttr(), branch.getResult(op.getNumResults() + i));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether the value that the loop carries at `index` stays what it is or lies
/// outside of the loop: then its address alone is carried.
static bool isInvariant(dhlo::WhileOp loop, unsigned index) {
  Block &body = loop.getBody().front();
  Value next = getViewSource(body.getTerminator()->getOperand(index + 1));
  return next == body.getArgument(index) ||
         !loop.getBody().isAncestor(next.getParentRegion());
}

// Carried are whether to go on, the addresses of the carried values, the sizes
// of the loop, and the parity of the iteration. A value that an iteration makes
// for the next lies in one of two arenas of its own, by parity, so that the
// next iteration can read it while it writes its successor.
LogicalResult BufferPlanner::planWhile(dhlo::WhileOp loop) {
  Location loc = loop.getLoc();
  unsigned numValues = loop.getInits().size();
  Block &body = loop.getBody().front();
  Operation *terminator = body.getTerminator();

  SmallVector<Value> inits = {
      loadScalar(loc, loop.getEnter(), builder.getI1Type())};
  for (Value init : loop.getInits())
    inits.push_back(getBuffer(init));
  for (auto expr : loop.getInitDims().getAsRange<dhlo::DimExpr>())
    inits.push_back(shape.get(builder, expr, loop));
  inits.push_back(getIndex(loc, 0));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locations(types.size(), loc);

  auto lowered = scf::WhileOp::create(builder, loc, types, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *before =
      builder.createBlock(&lowered.getBefore(), {}, types, locations);
  scf::ConditionOp::create(builder, loc, before->getArgument(0),
                           before->getArguments());
  Block *after = builder.createBlock(&lowered.getAfter(), {}, types, locations);
  ValueRange state = after->getArguments();
  for (unsigned i = 0; i != numValues; ++i)
    buffers.map(body.getArgument(i), state[1 + i]);
  shape.pushScope();
  auto loopDims = loop.getLoopDims().getAsRange<FlatSymbolRefAttr>();
  for (auto [i, name] : llvm::enumerate(loopDims))
    shape.bind(name.getAttr(), state[1 + numValues + i]);
  Value parity = state.back();

  for (unsigned i = 0; i != numValues; ++i) {
    if (isInvariant(loop, i))
      continue;
    Value arena =
        arith::AddIOp::create(builder, loc, getIndex(loc, arenas), parity);
    arenas += 2;
    maxArenas = std::max(maxArenas, arenas);
    if (failed(setDestination(terminator->getOpOperand(1 + i), {-1, arena})))
      return failure();
  }
  if (failed(planBlock(body)))
    return failure();

  SmallVector<Value> next = {
      loadScalar(loc, terminator->getOperand(0), builder.getI1Type())};
  for (Value value : terminator->getOperands().drop_front())
    next.push_back(getBuffer(value));
  for (auto expr : loop.getNextDims().getAsRange<dhlo::DimExpr>()) {
    next.push_back(shape.get(builder, expr, loop));
    if (!next.back())
      return failure();
  }
  next.push_back(arith::SubIOp::create(builder, loc, getIndex(loc, 1), parity));
  scf::YieldOp::create(builder, loc, next);
  shape.popScope();

  for (unsigned i = 0; i != numValues; ++i)
    buffers.map(loop.getResult(i), lowered.getResult(1 + i));
  auto resultDims = loop.getResultDims().getAsRange<FlatSymbolRefAttr>();
  for (auto [i, name] : llvm::enumerate(resultDims))
    shape.bind(name.getAttr(), lowered.getResult(1 + numValues + i));
  return success();
}
