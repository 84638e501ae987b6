//===- BufferPlannerMemory.cpp - Memory of the values of a segment --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferPlanner.h"

#include "Readers.h"

#include "dyn/Dialect/DLHLO/Transforms/Explain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

LogicalResult BufferPlanner::reserveMemory(Segment segment) {
  llvm::DenseMap<Operation *, int64_t> time;
  for (auto [i, op] : llvm::enumerate(segment))
    time[op] = i;
  // Launches that run together begin with the first and end with the last one.
  auto getBegin = [&](Operation *op) {
    Operation *first = together.lookup(op).first;
    return time.lookup(first ? first : op);
  };
  auto getTime = [&](Operation *op) {
    Operation *last = together.lookup(op).second;
    return time.lookup(last ? last : op);
  };

  // The time of the last read of a value or of a view of it.
  auto getEnd = [&](Value value, int64_t begin) {
    int64_t end = begin;
    bool isLocal = visitReaders(value, [&](Operation *reader) {
      Operation *last = getEndOfRead(reader);
      if (!time.contains(last) || mayGive(reader))
        return false;
      end = std::max(end, getTime(last));
      return true;
    });
    return isLocal ? end : MemoryPlan::kEnd;
  };

  MemoryPlan memory(dims, comparer, options.reuse);
  SmallVector<Value> lasting;
  SmallVector<std::pair<Value, Destination>> leaving;
  for (Operation *op : segment) {
    // The result of an exchange is written from its beginning on.
    auto start = llvm::dyn_cast<dist::ExchangeStartOp>(op);
    if ((!start && !llvm::isa<LaunchOp, dhlo::FromDimsOp>(op)) ||
        isOnlyBound(op))
      continue;
    auto results =
        start ? dist::getWait(start)->getResults() : op->getResults();
    for (Value result : results) {
      if (Value old = updated.lookup(result)) {
        buffers.map(result, getBuffer(old));
        continue;
      }
      auto found = destinations.find(result);
      if (found != destinations.end()) {
        leaving.push_back({result, found->second});
        continue;
      }
      Operation *maker = getEndOfRead(op);
      int64_t end = time.contains(maker) ? getEnd(result, getTime(maker))
                                         : MemoryPlan::kEnd;
      if (end == MemoryPlan::kEnd) {
        lasting.push_back(result);
        continue;
      }
      memory.add(
          result,
          getByteSize(llvm::cast<RankedTensorType>(result.getType()), dims),
          getBegin(op), end);
      if (options.redZone)
        lastReads[segment[end]].push_back(result);
    }
  }
  if (!memory.getValues().empty()) {
    if (!current.local || !options.reuse)
      current.local = makeArena();
    if (failed(reserveArena(segment, *current.local, memory)))
      return failure();
  }
  for (Value value : lasting) {
    MemoryPlan own(dims, comparer, options.reuse);
    dhlo::DimExpr bytes =
        getByteSize(llvm::cast<RankedTensorType>(value.getType()), dims);
    own.add(value, bytes, 0, MemoryPlan::kEnd);
    if (failed(reserveArena(segment, leaseArena(value, bytes), own)))
      return failure();
  }

  for (auto [value, destination] : leaving) {
    Operation *op = value.getDefiningOp();
    if (destination.arena) {
      Value memory = reserveCarried(value, destination.arena);
      if (!memory)
        return failure();
      buffers.map(value, memory);
      continue;
    }
    // The output may have other sizes than the value whose bytes it has.
    SmallVector<Value> sizes;
    Operation *terminator = op->getBlock()->getTerminator();
    auto outputType = llvm::cast<RankedTensorType>(
        terminator->getOperand(destination.output).getType());
    if (failed(shape.getSizes(builder, outputType, op, sizes)))
      return failure();
    buffers.map(value, OutputOp::create(builder, value.getLoc(), bufferType,
                                        destination.output, sizes));
  }
  return success();
}

int64_t BufferPlanner::leaseArena(Value value, dhlo::DimExpr bytes) {
  auto &free = current.free;
  auto found = llvm::find_if(free, [&](const Arenas::Lease &lease) {
    return comparer.isEqual(lease.bytes, bytes);
  });
  if (found == free.end() && !free.empty())
    found = std::prev(free.end());
  int64_t arena = found == free.end() ? makeArena() : found->arena;
  if (found != free.end())
    free.erase(found);
  current.leases.push_back({arena, bytes, getLastReader(value)});
  return arena;
}

void BufferPlanner::endLeases(Operation *next) {
  if (!options.reuse)
    return;
  auto isOver = [&](const Arenas::Lease &lease) {
    return lease.end && lease.end->isBeforeInBlock(next);
  };
  llvm::copy_if(current.leases, std::back_inserter(current.free), isOver);
  llvm::erase_if(current.leases, isOver);
}

LogicalResult BufferPlanner::reserveArena(Segment segment, int64_t number,
                                          const MemoryPlan &memory) {
  // There is a red zone before each slot, and after the last one.
  Operation *first = segment.front();
  Location loc = first->getLoc();
  dhlo::DimExpr formula =
      dhlo::getConstDim(builder.getContext(), options.redZone);
  for (dhlo::DimExpr size : memory.getSlots())
    formula = dhlo::add(dhlo::add(formula, size), options.redZone);
  bool isBounded = shape.isBounded(formula);
  auto add = [&](Value lhs, Value rhs) {
    return isBounded ? builder.createOrFold<arith::AddIOp>(loc, lhs, rhs)
                     : ShapeProgram::add(builder, loc, lhs, rhs);
  };
  SmallVector<Value> offsets = {getIndex(loc, options.redZone)};
  for (dhlo::DimExpr size : memory.getSlots()) {
    Value bytes = shape.get(builder, size, first);
    if (!bytes)
      return failure();
    offsets.push_back(add(offsets.back(), bytes));
    if (options.redZone)
      offsets.back() = add(offsets.back(), getIndex(loc, options.redZone));
  }
  Value arena = ReserveOp::create(builder, loc, bufferType,
                                  getIndex(loc, number), offsets.back());
  arena.getDefiningOp()->setAttr(kFormulaAttr, formula);
  if (options.redZone)
    PoisonOp::create(builder, loc, arena, offsets.back());
  for (Value value : memory.getValues()) {
    buffers.map(value, ViewOp::create(builder, value.getLoc(), bufferType,
                                      arena, offsets[memory.getSlot(value)]));
    if (!options.redZone)
      continue;
    auto type = llvm::cast<RankedTensorType>(value.getType());
    valueBytes[value] = shape.get(builder, getByteSize(type, dims), first);
    if (!valueBytes[value])
      return failure();
  }
  numValues += memory.getValues().size();
  numSlots += memory.getSlots().size();
  return success();
}

Value BufferPlanner::reserveCarried(Value value, Value arena) {
  Location loc = value.getLoc();
  auto type = llvm::cast<RankedTensorType>(value.getType());
  dhlo::DimExpr formula = getByteSize(type, dims);
  Value bytes = shape.get(builder, formula, value.getDefiningOp());
  if (!bytes)
    return {};
  auto reserve = [&](Value all) {
    Value memory = ReserveOp::create(builder, loc, bufferType, arena, all);
    memory.getDefiningOp()->setAttr(kFormulaAttr,
                                    dhlo::add(formula, options.redZone));
    return memory;
  };
  if (!options.redZone)
    return reserve(bytes);
  Value zone = getIndex(loc, options.redZone);
  Value all = ShapeProgram::add(builder, loc, bytes, zone);
  Value memory = reserve(all);
  PoisonOp::create(builder, loc, memory, all);
  UnpoisonOp::create(builder, loc, memory, bytes);
  return memory;
}
