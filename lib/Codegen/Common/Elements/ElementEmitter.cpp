//===- ElementEmitter.cpp - Values of a kernel body at a position ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/Common/Builder/ElementNotes.h"
#include "Codegen/Common/Elements/LaneNumbers.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

static bool isConst(OpFoldResult v, int64_t value) {
  return getConstantIntValue(v) == value;
}

static Type getElementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

SmallVector<DimExpr> dyn::getSizes(KernelBuilder &b, Value tensor) {
  SmallVector<DimExpr> sizes;
  for (int64_t axis = 0,
               rank = cast<RankedTensorType>(tensor.getType()).getRank();
       axis < rank; ++axis)
    sizes.push_back(b.getDims().getDim(tensor, axis));
  return sizes;
}

DimExpr dyn::product(MLIRContext *context, ArrayRef<DimExpr> sizes) {
  DimExpr result = dhlo::getConstDim(context, 1);
  for (DimExpr size : sizes)
    result = dhlo::mul(result, size);
  return result;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

LaneIndex ElementEmitter::uniform(OpFoldResult i) { return {i, b.constant(0)}; }

LaneIndex ElementEmitter::lanes(OpFoldResult i) { return {i, b.constant(1)}; }

OpFoldResult ElementEmitter::last(const LaneIndex &index, int64_t lanes) {
  return b.add(index.base, b.mul(index.step, b.constant(lanes - 1)));
}

Value ElementEmitter::toValue(const LaneIndex &index, int64_t lanes) {
  if (lanes == 1 || isConst(index.step, 0))
    return b.splat(b.value(index.base), lanes);
  return b.value(b.add(index.base, b.mul(b.laneNumbers(lanes), index.step)));
}

LaneIndex ElementEmitter::join(ArrayRef<Coordinate> coordinates) {
  SmallVector<std::pair<LaneIndex, DimExpr>> terms;
  DimExpr stride = dhlo::getConstDim(b.getContext(), 1);
  for (const Coordinate &coordinate : llvm::reverse(coordinates)) {
    terms.push_back({coordinate.index, stride});
    stride = dhlo::mul(stride, coordinate.extent);
  }
  return combine(dhlo::getConstDim(b.getContext(), 0), terms);
}

LaneIndex
ElementEmitter::combine(DimExpr offset,
                        ArrayRef<std::pair<LaneIndex, DimExpr>> terms) {
  LaneIndex result = uniform(b.size(offset));
  for (const auto &[index, factor] : terms) {
    OpFoldResult scale = b.size(factor);
    result.base = b.add(b.mul(index.base, scale), result.base);
    result.mayDiverge |= index.mayDiverge;
    // A step that is 0 or 1 at run time stays so if it is the only one.
    if (!isConst(index.step, 0)) {
      bool isFirst = isConst(result.step, 0);
      result.maybeUnit = isFirst && index.maybeUnit && isConst(scale, 1);
      result.step = b.add(b.mul(index.step, scale), result.step);
    }
  }
  if (result.isVector() && !isConst(result.step, 0)) {
    auto type = cast<VectorType>(b.value(result.base).getType());
    return uniform(toValue(result, type.getNumElements()));
  }
  return result;
}

Position ElementEmitter::atIndex(Value tensor, ValueRange index,
                                 int64_t lanes) {
  Position position;
  for (auto [axis, size] : llvm::enumerate(getSizes(b, tensor))) {
    bool isLast = axis + 1 == index.size();
    position.push_back({size, isLast && lanes > 1 ? this->lanes(index[axis])
                                                  : uniform(index[axis])});
  }
  return position;
}

SmallVector<Position> ElementEmitter::align(const Position &position,
                                            ArrayRef<DimExpr> sizes,
                                            int64_t lanes, Value &guard) {
  SmallVector<Position> result(sizes.size());
  SmallVector<DimExpr> extents;
  for (const Coordinate &coordinate : position)
    extents.push_back(coordinate.extent);
  for (const AxisGroup &axes : getReshapeGroups(extents, sizes, b.getDims())) {
    ArrayRef<int64_t> targets = axes.to;
    // Only one side has it, or it is an axis of size 1.
    if (axes.from.empty() || targets.empty() ||
        sizes[targets.front()].isConst(1))
      continue;
    Position group;
    for (int64_t i : axes.from)
      group.push_back(position[i]);
    if (targets.size() == 1) {
      result[targets.front()] = group;
      continue;
    }
    LaneIndex number = join(group);
    auto step = getConstantIntValue(number.step);
    // A short axis ends between the lanes of every vector.
    bool isShort = llvm::any_of(targets.drop_front(), [&](int64_t axis) {
      auto extent = dhlo::getConstantValue(sizes[axis]);
      return step && extent && std::abs(*step) * (lanes - 1) >= *extent;
    });
    if (canDiverge(lanes) && (number.isApart() || isShort)) {
      LaneNumbers numbers(*this, number, lanes);
      for (int64_t axis : llvm::reverse(targets.drop_front()))
        result[axis] = {{sizes[axis], uniform(numbers.divide(sizes[axis]))}};
      result[targets.front()] = {
          {sizes[targets.front()], uniform(numbers.get())}};
      continue;
    }
    for (auto [i, axis] : llvm::enumerate(llvm::reverse(targets))) {
      OpFoldResult extent = b.size(sizes[axis]);
      bool isFirst = i + 1 == targets.size();
      Coordinate coordinate = {sizes[axis], number};
      if (!isFirst) {
        coordinate.index.base = b.rem(number.base, extent);
        number.base = b.div(number.base, extent);
        if (!isConst(number.step, 0) && lanes > 1) {
          // All lanes stay in the range of this index, or the code does not
          // run.
          OpFoldResult end = last(coordinate.index, lanes);
          Value fits = b.cmp(CmpIPredicate::slt, end, extent);
          if (getConstantIntValue(number.step).value_or(-1) < 0)
            fits = arith::AndIOp::create(
                b, fits, b.cmp(CmpIPredicate::sge, end, b.constant(0)));
          guard =
              guard ? arith::AndIOp::create(b, guard, fits).getResult() : fits;
        }
        number.step = b.constant(0);
        number.maybeUnit = false;
      }
      result[axis] = {coordinate};
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool ElementEmitter::canEmit(Operation *op) {
  return op->hasTrait<dhlo::Elementwise>() || isMovement(op) || isGather(op) ||
         isReduction(op) || isGenerated(op) || isSampling(op);
}

void ElementEmitter::provide(Value tensor, Provider provider) {
  providers[tensor] = std::move(provider);
  memo.clear();
}

Value ElementEmitter::emit(Value tensor, ValueRange index, int64_t lanes) {
  return emit(tensor, atIndex(tensor, index, lanes), lanes);
}

Value ElementEmitter::emit(Value tensor, const Position &position,
                           int64_t lanes) {
  std::vector<const void *> key = {nullptr, tensor.getAsOpaquePointer(),
                                   reinterpret_cast<const void *>(lanes)};
  for (const Coordinate &coordinate : position)
    for (const void *part :
         {coordinate.extent.getAsOpaquePointer(),
          static_cast<const void *>(coordinate.index.base.getOpaqueValue()),
          static_cast<const void *>(coordinate.index.step.getOpaqueValue())})
      key.push_back(part);
  // Values of this block and those around it dominate the insertion point.
  for (Block *block = b.getInsertionBlock(); block;) {
    key[0] = block;
    auto it = memo.find(key);
    if (it != memo.end())
      return it->second;
    Operation *parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
  }
  key[0] = b.getInsertionBlock();
  Value result = compute(tensor, position, lanes);
  memo[key] = result;
  return result;
}

/// The operation because of which consecutive elements of a result are not
/// consecutive in an argument: the first on the way to the result that moves
/// elements.
static Operation *findMover(BlockArgument argument) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(argument);
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (!user->hasTrait<dhlo::Elementwise>() &&
          !isa<dhlo::ReshapeOp, dlhlo::YieldOp>(user))
        return user;
      values.insert_range(user->getResults());
    }
  return *argument.user_begin();
}

/// Notes that a vector is read element by element, if it is.
static void noteStridedLoad(KernelBuilder &b, Value loaded,
                            BlockArgument argument) {
  if (!hasNotes(b))
    return;
  Operation *op = loaded.getDefiningOp();
  while (op && !isa<vector::FromElementsOp>(op) && op->getNumOperands() > 0)
    op = op->getOperand(0).getDefiningOp();
  if (isa_and_present<vector::FromElementsOp>(op))
    noteElements(b, op, findMover(argument),
                 "consecutive elements of its result are apart in its operand");
}

Value ElementEmitter::compute(Value tensor, const Position &position,
                              int64_t lanes) {
  // Nothing depends on the lane: one element for all.
  if (lanes > 1 && llvm::all_of(position, [](const Coordinate &coordinate) {
        return coordinate.index.isUniform();
      }))
    return b.splat(emit(tensor, position, 1), lanes);

  auto provider = providers.find(tensor);
  if (provider != providers.end()) {
    // They hold vectors of consecutive elements.
    if (lanes > 1 && llvm::any_of(position, [](const Coordinate &coordinate) {
          return coordinate.index.isVector();
        }))
      return perLane(tensor, position, lanes,
                     "lanes diverge on the way to what the kernel computed");
    if (Value provided = provider->second(position, lanes))
      return provided;
  }
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    Value loaded = loadAt(b.buffer(argument.getArgNumber()),
                          getElementType(tensor), position, lanes);
    noteStridedLoad(b, loaded, argument);
    return loaded;
  }

  Operation *op = tensor.getDefiningOp();
  Location loc = b.getLoc();
  b.setLoc(op->getLoc());
  Value result;
  if (op->hasTrait<dhlo::Elementwise>()) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(emit(operand, position, lanes));
    result = emitElementwise(b, op, operands);
  } else if (isMovement(op)) {
    result = emitMovement(*this, op, position, lanes);
  } else if (isGather(op)) {
    result = emitGather(*this, op, position, lanes);
  } else if (isReduction(op)) {
    result = emitReduction(*this, tensor, position, lanes);
  } else if (isSampling(op)) {
    result = emitSampling(*this, op, position, lanes);
  } else {
    result = emitGenerated(*this, op, position, lanes);
  }
  b.setLoc(loc);
  return result;
}

/// The index of one lane.
static OpFoldResult ofLane(KernelBuilder &b, const LaneIndex &index,
                           OpFoldResult lane) {
  if (!index.isVector())
    return b.add(index.base, b.mul(index.step, lane));
  Value at = arith::IndexCastOp::create(b, b.getIndexType(), b.value(lane));
  return vector::ExtractOp::create(b, b.value(index.base), OpFoldResult(at))
      .getResult();
}

Value ElementEmitter::perLane(Value tensor, const Position &position,
                              int64_t lanes, StringRef reason) {
  Type type = getComputeType(getElementType(tensor));
  auto emitLane = [&](OpFoldResult lane) {
    Position single = position;
    for (Coordinate &coordinate : single)
      coordinate.index = uniform(ofLane(b, coordinate.index, lane));
    return emit(tensor, single, 1);
  };
  // A register of a device cannot be indexed at run time.
  if (b.getOptions().isDevice()) {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(emitLane(b.constant(lane)));
    return vector::FromElementsOp::create(b, VectorType::get({lanes}, type),
                                          elements);
  }
  Value zero = b.number(0, type, lanes);
  Value result =
      b.loop(b.constant(0), b.lanesInside(lanes), 1, zero,
             [&](Value lane, ValueRange carried) -> SmallVector<Value> {
               Value element = emitLane(lane);
               Value at = arith::IndexCastOp::create(b, b.getIndexType(), lane);
               return {vector::InsertOp::create(b, element, carried[0],
                                                OpFoldResult(at))};
             })
          .front();
  if (!reason.empty())
    noteElements(b, result.getDefiningOp(), tensor.getDefiningOp(), reason);
  return result;
}

Value ElementEmitter::guarded(Value tensor, const Position &position,
                              int64_t lanes, Value guard,
                              llvm::function_ref<Value()> together) {
  if (!guard)
    return together();
  Type type =
      KernelBuilder::laneType(getComputeType(getElementType(tensor)), lanes);
  bool hadNoGuard = llvm::any_of(position, [](const Coordinate &coordinate) {
    return coordinate.index.mayDiverge;
  });
  return b.ifElse(guard, type, together, [&] {
    if (hadNoGuard || !canDiverge(lanes))
      return perLane(tensor, position, lanes,
                     "vectors of its result cross an edge");
    Position apart = position;
    for (Coordinate &coordinate : apart)
      coordinate.index.mayDiverge = true;
    return emit(tensor, apart, lanes);
  });
}

Value ElementEmitter::loadAt(Value buffer, Type element,
                             const Position &position, int64_t lanes) {
  LaneIndex at = join(position);
  if (at.isVector())
    return b.gather(buffer, b.value(at.base), element);
  if (lanes == 1 || isConst(at.step, 0))
    return b.splat(b.load(buffer, at.base, element, 1), lanes);
  if (isConst(at.step, 1))
    return b.load(buffer, at.base, element, lanes);
  if (isConst(at.step, -1))
    return b.loadReversed(buffer, at.base, element, lanes);
  if (at.maybeUnit) {
    Type type = KernelBuilder::laneType(getComputeType(element), lanes);
    return b.ifElse(
        b.cmp(CmpIPredicate::eq, at.step, b.constant(1)), type,
        [&] { return b.load(buffer, at.base, element, lanes); },
        [&] { return b.splat(b.load(buffer, at.base, element, 1), lanes); });
  }
  return b.loadStrided(buffer, at.base, at.step, element, lanes);
}

void ElementEmitter::store(Value value, int64_t result,
                           const Position &position, int64_t lanes) {
  LaneIndex at = join(position);
  assert((lanes == 1 || isConst(at.step, 1)) && "lanes must be contiguous");
  b.store(value, b.resultBuffer(result), at.base,
          getElementType(b.getResults()[result]), lanes);
}

Value ElementEmitter::getTable(dhlo::ConstantOp op) {
  Value &table = tables[op];
  if (!table) {
    // Elements as stored: bytes for booleans, signless integers.
    auto elements = cast<ElementsAttr>(op.getValue());
    Type element = elements.getElementType();
    Type storage = getStorageType(element);
    auto type = RankedTensorType::get({elements.getNumElements()}, storage);
    DenseElementsAttr data;
    if (isa<IntegerType>(element)) {
      SmallVector<APInt> values;
      for (const APInt &v : elements.getValues<APInt>())
        values.push_back(v.zext(storage.getIntOrFloatBitWidth()));
      data = DenseElementsAttr::get(type, values);
    } else {
      data = DenseElementsAttr::get(
          type, llvm::to_vector(elements.getValues<APFloat>()));
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(b.getFunction());
    std::string name = (b.getKernel().getSymName() + ".constant" +
                        Twine(static_cast<int64_t>(tables.size())))
                           .str();
    auto global = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(storage, elements.getNumElements()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, data,
        /*alignment=*/64);
    b.setInsertionPointToStart(&b.getFunction().getFunctionBody().front());
    table = LLVM::AddressOfOp::create(b, global);
  }
  return table;
}
