//===- BufferPlannerControl.cpp - Memory of branches and loops ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferPlanner.h"

#include "Readers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

LogicalResult BufferPlanner::checkHandedOn(Operation *op, TypeRange expected,
                                           ArrayAttr names, ArrayAttr exprs,
                                           TypeRange given) {
  return shape.check(
      builder, op, dhlo::getUnprovenSizes(expected, names, exprs, given, dims),
      op);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

// A branch yields the addresses of its results, wherever they are: nothing is
// copied. Only one branch runs, so both number their arenas from the same one,
// and an arena grows to the larger size.
LogicalResult BufferPlanner::planIf(dhlo::IfOp op) {
  Location loc = op.getLoc();
  Value condition = loadScalar(loc, op.getCondition(), builder.getI1Type());
  SmallVector<Type> types(op.getNumResults(), BufferType::get(op.getContext()));
  types.append(op.getBinds().size(), builder.getIndexType());
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);

  int64_t firstArena = arenas, lastArena = arenas;
  SmallVector<SmallVector<dhlo::DimExpr>> exprs(op.getBinds().size());
  auto planBranch = [&](Region &from, Block *to,
                        ArrayAttr sizes) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    arenas = firstArena;
    shape.pushScope();
    if (failed(planBlock(from.front())))
      return failure();
    SmallVector<Value> yielded;
    Operation *yield = from.front().getTerminator();
    if (failed(checkHandedOn(op, op.getResultTypes(), op.getBinds(), sizes,
                             yield->getOperandTypes())))
      return failure();
    for (Value value : yield->getOperands())
      yielded.push_back(getBuffer(value));
    for (auto [i, expr] : llvm::enumerate(sizes.getAsRange<dhlo::DimExpr>())) {
      exprs[i].push_back(expr);
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
    if (failed(bindSize(op, name.getAttr(),
                        branch.getResult(op.getNumResults() + i), exprs[i])))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether the value that the loop carries at `index` is unchanged or lies
/// outside of the loop: then only its address is carried.
static bool isInvariant(dhlo::WhileOp loop, unsigned index) {
  Block &body = loop.getBody().front();
  Value next = getViewSource(body.getTerminator()->getOperand(index + 1));
  return next == body.getArgument(index) ||
         !loop.getBody().isAncestor(next.getParentRegion());
}

/// The operand that a launch's kernel may update in place, whose result is then
/// the operand's memory: that of a scatter, which copies the operand unless it
/// is there already. Null if there is none.
static Value getUpdated(LaunchOp launch, const SymbolTable &symbols) {
  auto kernel = symbols.lookup<KernelOp>(launch.getKernelAttr().getAttr());
  Block &body = kernel.getBody().front();
  Operation *op = body.getTerminator()->getOperand(0).getDefiningOp();
  if (launch.getNumResults() != 1 ||
      !llvm::isa_and_present<dhlo::ScatterNdOp, dhlo::ScatterElementsOp>(op))
    return {};
  auto argument = llvm::dyn_cast<BlockArgument>(op->getOperand(0));
  if (!argument || !argument.hasOneUse())
    return {};
  return launch.getInputs()[argument.getArgNumber()];
}

/// The launch that may update the value that the loop carries at `index` in
/// place: nothing else in the loop reads it. Null if there is none.
static LaunchOp getUpdate(dhlo::WhileOp loop, unsigned index,
                          const SymbolTable &symbols) {
  Block &body = loop.getBody().front();
  BlockArgument carried = body.getArgument(index);
  Value next = body.getTerminator()->getOperand(index + 1);
  auto launch = next.getDefiningOp<LaunchOp>();
  bool isUpdate = launch && launch->getBlock() == &body &&
                  carried.hasOneUse() &&
                  getUpdated(launch, symbols) == carried &&
                  next.getType() == carried.getType();
  return isUpdate ? launch : LaunchOp();
}

/// Whether nothing but the loop reads the value that it starts with at `index`,
/// so that it may update that as well.
static bool isInitOwn(dhlo::WhileOp loop, unsigned index) {
  Value init = loop.getInits()[index];
  auto launch = init.getDefiningOp<LaunchOp>();
  return launch && launch->getBlock() == loop->getBlock() && init.hasOneUse() &&
         init.getType() == loop.getBody().getArgument(index).getType();
}

// The loop carries the condition, the addresses of the carried values, the
// sizes of the loop, and the parity of the iteration. A value that an iteration
// computes for the next one lies in one of two arenas, by parity, so that the
// next iteration can read it while it writes its successor. One that is updated
// stays where it is, or, if others read the first one, has one arena, to which
// the first iteration copies it.
LogicalResult BufferPlanner::planWhile(dhlo::WhileOp loop) {
  Location loc = loop.getLoc();
  unsigned numValues = loop.getInits().size();
  Block &body = loop.getBody().front();
  Operation *terminator = body.getTerminator();
  ArrayAttr names = loop.getLoopDims();
  auto check = [&](ArrayAttr sizes, TypeRange given) {
    return checkHandedOn(loop, body.getArgumentTypes(), names, sizes, given);
  };
  if (failed(check(loop.getInitDims(), loop.getInits().getTypes())))
    return failure();
  auto bind = [&](ArrayAttr symbols, ValueRange values) -> LogicalResult {
    for (auto [i, name] :
         llvm::enumerate(symbols.getAsRange<FlatSymbolRefAttr>())) {
      dhlo::DimExpr exprs[] = {
          llvm::cast<dhlo::DimExpr>(loop.getInitDims()[i]),
          llvm::cast<dhlo::DimExpr>(loop.getNextDims()[i])};
      if (failed(bindSize(loop, name.getAttr(), values[i], exprs)))
        return failure();
    }
    return success();
  };

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
  if (failed(bind(names, state.drop_front(1 + numValues))))
    return failure();
  Value parity = state.back();

  for (unsigned i = 0; i != numValues; ++i) {
    if (isInvariant(loop, i))
      continue;
    LaunchOp update = getUpdate(loop, i, symbols);
    if (update && isInitOwn(loop, i)) {
      updated[update.getResult(0)] = body.getArgument(i);
      continue;
    }
    Value arena = getIndex(loc, arenas);
    if (!update)
      arena = arith::AddIOp::create(builder, loc, arena, parity);
    arenas += update ? 1 : 2;
    maxArenas = std::max(maxArenas, arenas);
    if (failed(setDestination(terminator->getOpOperand(1 + i), {-1, arena})))
      return failure();
  }
  if (failed(planBlock(body)))
    return failure();

  if (failed(check(loop.getNextDims(),
                   terminator->getOperands().drop_front().getTypes())))
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
  builder.setInsertionPointAfter(lowered);

  for (unsigned i = 0; i != numValues; ++i)
    buffers.map(loop.getResult(i), lowered.getResult(1 + i));
  if (failed(bind(loop.getResultDims(),
                  lowered.getResults().drop_front(1 + numValues))))
    return failure();
  // Results are the loop's carried values, under their own names.
  SmallVector<Attribute> results;
  for (auto name : loop.getResultDims().getAsRange<FlatSymbolRefAttr>())
    results.push_back(dhlo::getSymbolDim(name.getAttr()));
  return check(builder.getArrayAttr(results), loop.getResultTypes());
}
