//===- Partition.cpp - Makes an entry for each rank -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// All ranks are made of the same operations in the same order, so they meet in
// the same order of exchanges. A rank leaves out those of other stages, but for
// its part of what changes the stage.

#include "AxisSlice.h"
#include "Division.h"
#include "RowExchange.h"
#include "SegmentSums.h"
#include "StageTransfers.h"
#include "Stages.h"

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/CopySizes.h"
#include "dyn/Dialect/DHLO/IR/SizeUses.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"
#include "dyn/Dialect/Dist/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dyn::dist {
#define GEN_PASS_DEF_PARTITIONPASS
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"
} // namespace dyn::dist

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dyn::dhlo::DimExpr;
using dyn::dhlo::typeOf;

namespace {

/// A value or a block of it, which a rank holds.
struct Held {
  Value value;
  Axes axes;
};

/// The ranks that divide an axis.
struct Blocks {
  SmallVector<int64_t> group;
  /// Where each block begins, and the end of the last one.
  SmallVector<DimExpr> bounds;
  /// The block of this rank.
  int64_t index;
};

/// Writes the function of one rank.
class RankWriter {
public:
  RankWriter(func::FuncOp global, const Stages &stages, MeshOp mesh,
             int64_t rank, DimBuilder &dimBuilder)
      : global(global), stages(stages), mesh(mesh), rank(rank),
        dimBuilder(dimBuilder), dims(dimBuilder.getDims()),
        b(global.getContext()) {}

  func::FuncOp write();
  int64_t getNumExchanges() const { return numExchanges; }

private:
  Axes getPortAxes(Attribute sharding, RankedTensorType type);
  Blocks getBlocks(DimExpr size, ArrayAttr names) {
    return getBlocksOf(mesh, rank, size, names);
  }
  Blocks getBlocksOf(MeshOp mesh, int64_t rank, DimExpr size, ArrayAttr names);
  /// The type of what this rank holds of a tensor.
  RankedTensorType getLocalType(RankedTensorType type,
                                ArrayRef<ArrayAttr> axes);
  /// A value by a sharding, of what this rank holds of it.
  Value get(Value value, const Axes &axes);
  Value slice(Value value, int64_t axis, const Blocks &blocks);
  /// Sends and receives ranges of rows; the result has `size` of them.
  Value exchange(Value rows, ArrayRef<int64_t> group, ArrayRef<Attribute> sends,
                 ArrayRef<Attribute> receives, DimExpr size);
  /// Gathers blocks of the first axis, and of any one.
  Value gatherRows(Value rows, DimExpr size, const Blocks &blocks);
  Value gather(Value value, int64_t axis, DimExpr size, const Blocks &blocks);
  /// The block of this rank of the sum of the values of all ranks.
  Value reduce(Value rows, const Blocks &blocks);
  Value moveAxis(Value value, int64_t from, int64_t to);
  /// Has this rank send or receive its part of a value that changes the stage.
  void bring(Value value, MeshOp to, const Axes &axes, int64_t block);
  /// No rows of a tensor, with the axis in front.
  Value makeNoRows(RankedTensorType type, int64_t axis);
  void writeSums(dhlo::DotGeneralOp op, SumsAttr sums);
  void writeOp(Operation *op);
  /// Makes the results of an operation from whole operands.
  Operation *writeWhole(Operation *op);
  bool isConstant(Operation *op);

  func::FuncOp global;
  const Stages &stages;
  MeshOp mesh;
  int64_t rank;
  DimBuilder &dimBuilder;
  const SymbolicDims &dims;
  OpBuilder b;
  Location loc = global.getLoc();
  /// All that is held of a value, as it was computed first.
  DenseMap<Value, SmallVector<Held, 2>> values;
  /// Operations whose results the compiler can evaluate. Its exponentials and
  /// sums may round in another way than those of kernels, so it has to evaluate
  /// those that it does for one rank: of the whole, which ranks never send.
  DenseSet<Operation *> constants;
  /// Values that have changed the stage, with the mesh where it came.
  llvm::DenseSet<std::pair<Value, Operation *>> brought;
  SmallVector<StageTransfer> transfers;
  int64_t numExchanges = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Axes RankWriter::getPortAxes(Attribute sharding, RankedTensorType type) {
  return sharding ? getAxes(cast<ShardingAttr>(sharding), mesh)
                  : Axes(type.getRank(), b.getArrayAttr({}));
}

Blocks RankWriter::getBlocksOf(MeshOp mesh, int64_t rank, DimExpr size,
                               ArrayAttr names) {
  Blocks blocks;
  blocks.group = getGroup(mesh, rank, names);
  blocks.index = llvm::find(blocks.group, rank) - blocks.group.begin();
  int64_t count = blocks.group.size();
  for (int64_t i = 0; i <= count; ++i)
    blocks.bounds.push_back(getBlockBegin(size, count, i, dims));
  return blocks;
}

RankedTensorType RankWriter::getLocalType(RankedTensorType type,
                                          ArrayRef<ArrayAttr> axes) {
  SmallVector<DimExpr> sizes = dhlo::getDims(type);
  for (auto [size, names] : llvm::zip_equal(sizes, axes)) {
    if (names.empty())
      continue;
    Blocks blocks = getBlocks(size, names);
    size = dims.expand(dhlo::sub(blocks.bounds[blocks.index + 1],
                                 blocks.bounds[blocks.index]));
  }
  return dimBuilder.getTensorType(sizes, type.getElementType());
}

//===----------------------------------------------------------------------===//
// From one sharding to another
//===----------------------------------------------------------------------===//

Value RankWriter::slice(Value value, int64_t axis, const Blocks &blocks) {
  RankedTensorType type = typeOf(value);
  DimExpr begin = blocks.bounds[blocks.index];
  SmallVector<DimExpr> sizes = dhlo::getDims(type);
  sizes[axis] = dims.expand(dhlo::sub(blocks.bounds[blocks.index + 1], begin));
  return sliceAxis(b, loc, value, axis, begin,
                   dimBuilder.getTensorType(sizes, type.getElementType()));
}

Value RankWriter::moveAxis(Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  RankedTensorType type = typeOf(value);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  SmallVector<DimExpr> sizes = llvm::map_to_vector(
      order, [&](int64_t axis) { return dhlo::getDim(type, axis); });
  RankedTensorType result = dhlo::getTensorType(sizes, type.getElementType());
  // Elements keep their order if the axes in between have one index.
  auto between = llvm::seq(std::min(from, to), std::max(from, to) + 1);
  if (llvm::all_of(between, [&](int64_t axis) {
        return axis == from || type.getDimSize(axis) == 1;
      }))
    return dhlo::ReshapeOp::create(b, loc, result, value);
  return dhlo::TransposeOp::create(b, loc, result, value, order);
}

Value RankWriter::exchange(Value rows, ArrayRef<int64_t> group,
                           ArrayRef<Attribute> sends,
                           ArrayRef<Attribute> receives, DimExpr size) {
  auto rangesType = RankedTensorType::get(sends.size(), b.getI64Type());
  auto makeRanges = [&](ArrayRef<Attribute> exprs) -> Value {
    return dhlo::FromDimsOp::create(b, loc, rangesType, b.getArrayAttr(exprs));
  };
  Value from = makeRanges(sends), to = makeRanges(receives);
  ++numExchanges;
  return exchangeRows(b, loc, dimBuilder, rows, size, group, from, to);
}

/// Whether all blocks have the size of the first.
static bool areEqual(const Blocks &blocks, const SymbolicDims &dims) {
  auto getSize = [&](size_t i) {
    return dims.expand(dhlo::sub(blocks.bounds[i + 1], blocks.bounds[i]));
  };
  return llvm::all_of(llvm::seq<size_t>(1, blocks.group.size()),
                      [&](size_t i) { return getSize(i) == getSize(0); });
}

Value RankWriter::gatherRows(Value rows, DimExpr size, const Blocks &blocks) {
  DimExpr zero = dhlo::getConstDim(b.getContext(), 0),
          own = dhlo::getDim(typeOf(rows), 0);
  SmallVector<Attribute> sends, receives;
  for (size_t i = 0; i < blocks.group.size(); ++i) {
    sends.append({zero, own});
    receives.append({blocks.bounds[i], blocks.bounds[i + 1]});
  }
  return exchange(rows, blocks.group, sends, receives, size);
}

Value RankWriter::gather(Value value, int64_t axis, DimExpr size,
                         const Blocks &blocks) {
  // Columns of a matrix: a transpose to rows moves single elements, and leaves
  // the next matmul an operand that is transposed. Where whole blocks follow
  // one another, runs of a block's columns move.
  RankedTensorType type = typeOf(value);
  bool isInner = llvm::any_of(type.getShape().take_front(axis),
                              [](int64_t before) { return before != 1; });
  if (isInner && areEqual(blocks, dims)) {
    auto constant = [&](int64_t n) {
      return dhlo::getConstDim(b.getContext(), n);
    };
    Blocks whole = {blocks.group, {}, blocks.index};
    for (size_t i = 0; i <= blocks.group.size(); ++i)
      whole.bounds.push_back(constant(i));
    SmallVector<DimExpr> sizes = dhlo::getDims(type), all = sizes;
    sizes.insert(sizes.begin(), constant(1));
    all[axis] = size;
    Type element = type.getElementType();
    Value row = dhlo::ReshapeOp::create(
        b, loc, dimBuilder.getTensorType(sizes, element), value);
    Value rows = gatherRows(row, whole.bounds.back(), whole);
    return dhlo::ReshapeOp::create(b, loc,
                                   dimBuilder.getTensorType(all, element),
                                   moveAxis(rows, 0, axis));
  }
  Value rows = moveAxis(value, axis, 0);
  return moveAxis(gatherRows(rows, size, blocks), 0, axis);
}

Value RankWriter::reduce(Value rows, const Blocks &blocks) {
  int64_t ranks = blocks.group.size();
  DimExpr own = dims.expand(
      dhlo::sub(blocks.bounds[blocks.index + 1], blocks.bounds[blocks.index]));
  // The blocks that the ranks have of these rows, one after another.
  Blocks each = {blocks.group, {}, 0};
  SmallVector<Attribute> sends, receives;
  for (int64_t i = 0; i < ranks; ++i) {
    each.bounds.push_back(dims.expand(dhlo::mul(own, i)));
    sends.append({blocks.bounds[i], blocks.bounds[i + 1]});
    receives.append({each.bounds[i], dims.expand(dhlo::mul(own, i + 1))});
  }
  each.bounds.push_back(dims.expand(dhlo::mul(own, ranks)));
  Value all = exchange(rows, blocks.group, sends, receives, each.bounds.back());
  SmallVector<Value> terms;
  for (each.index = 0; each.index < ranks; ++each.index)
    terms.push_back(slice(all, 0, each));
  return addInTree(b, loc, std::move(terms));
}

Value RankWriter::get(Value value, const Axes &axes) {
  SmallVector<Held, 2> &held = values[value];
  for (const Held &each : held)
    if (each.axes == axes)
      return each.value;
  // Blocks that only have to be cut, else those that were computed.
  const Held *from = llvm::find_if(held, [&](const Held &each) {
    return llvm::all_of(llvm::zip_equal(each.axes, axes), [](auto pair) {
      auto [has, wants] = pair;
      return has.empty() || has == wants;
    });
  });
  Held now = from == held.end() ? held.front() : *from;
  // Of a constant, the whole is one as well, and what is computed from it.
  auto result = dyn_cast<OpResult>(value);
  if (from == held.end() && result && constants.contains(result.getOwner())) {
    Operation *op = result.getOwner();
    Axes whole = getWhole(value);
    if (auto reshard = dyn_cast<ReshardOp>(op))
      now = {get(reshard.getOperand(), whole), whole};
    else
      now = {writeWhole(op)->getResult(result.getResultNumber()), whole};
    values[value].push_back(now);
    return get(value, axes);
  }
  RankedTensorType type = typeOf(value);
  // First what is held in other blocks becomes whole, then all is cut.
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (now.axes[axis].empty() || now.axes[axis] == axes[axis])
      continue;
    DimExpr size = dhlo::getDim(type, axis);
    now.value = gather(now.value, axis, size, getBlocks(size, now.axes[axis]));
    now.axes[axis] = b.getArrayAttr({});
    held.push_back(now);
  }
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (now.axes[axis] == axes[axis])
      continue;
    DimExpr size = dhlo::getDim(type, axis);
    now.value = slice(now.value, axis, getBlocks(size, axes[axis]));
    now.axes[axis] = axes[axis];
  }
  held.push_back(now);
  return now.value;
}

//===----------------------------------------------------------------------===//
// From one stage to another
//===----------------------------------------------------------------------===//

// One axis moves in the blocks that ranks hold of it, and in those that others
// need; the rest is whole. Which ranks have which blocks is known to all.

/// How the ranks of its stage hold a value when it leaves.
static Axes getLeavingAxes(Value value, MeshOp from) {
  auto reshard = value.getDefiningOp<ReshardOp>();
  return reshard ? getAxes(reshard.getSharding(), from) : getWhole(value);
}

/// The axis that one of the two divides; the first one if none does.
static int64_t getMovedAxis(const Axes &held, const Axes &wanted) {
  for (const Axes &axes : {wanted, held})
    for (auto [axis, names] : llvm::enumerate(axes))
      if (!names.empty())
        return axis;
  return 0;
}

/// The ranks of a mesh that hold the same block as `rank`.
static SmallVector<int64_t> getReplicas(MeshOp mesh, int64_t rank,
                                        ArrayAttr names) {
  auto getIndex = [&](int64_t of) {
    SmallVector<int64_t> group = getGroup(mesh, of, names);
    return llvm::find(group, of) - group.begin();
  };
  int64_t first = mesh.getFirst();
  return llvm::filter_to_vector(
      llvm::seq(first, first + mesh.getRanks()),
      [&](int64_t other) { return getIndex(other) == getIndex(rank); });
}

/// The rows of the block `own` that are in the block `other`, by their index in
/// `own`: none if both have none in common.
static std::array<Attribute, 2>
getCommon(const Blocks &own, const Blocks &other, const SymbolicDims &dims) {
  DimExpr begin = own.bounds[own.index], end = own.bounds[own.index + 1];
  auto locate = [&](DimExpr bound) -> Attribute {
    if (own.group.size() == 1)
      return bound;
    return dims.expand(
        dhlo::sub(dhlo::min(dhlo::max(bound, begin), end), begin));
  };
  if (other.group.size() == 1)
    return {dhlo::getConstDim(begin.getContext(), 0),
            dims.expand(dhlo::sub(end, begin))};
  return {locate(other.bounds[other.index]),
          locate(other.bounds[other.index + 1])};
}

Value RankWriter::makeNoRows(RankedTensorType type, int64_t axis) {
  SmallVector<DimExpr> sizes = dhlo::getDims(type);
  if (!sizes.empty())
    sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin(), dhlo::getConstDim(b.getContext(), 0));
  Type element = type.getElementType();
  auto zero = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                     b.getZeroAttr(element));
  return dhlo::BroadcastOp::create(b, loc, dhlo::getTensorType(sizes, element),
                                   dhlo::ConstantOp::create(b, loc, zero),
                                   ArrayRef<int64_t>());
}

void RankWriter::bring(Value value, MeshOp to, const Axes &axes,
                       int64_t block) {
  // All stages compute what constants decide: the receiver's kernels might
  // round in another way than the compiler does.
  if (constants.contains(value.getDefiningOp()))
    return;
  MeshOp from = stages.getMesh(value);
  if (!from || from == to || (mesh != from && mesh != to) ||
      !brought.insert({value, to}).second)
    return;
  RankedTensorType type = typeOf(value);
  Axes held = getLeavingAxes(value, from), arriving = getWhole(value);
  int64_t axis = getMovedAxis(held, axes);
  ArrayAttr fromNames = b.getArrayAttr({}), toNames = fromNames;
  // A tensor without axes is a row.
  DimExpr size = dhlo::getConstDim(b.getContext(), 1);
  RankedTensorType row = RankedTensorType::get(1, type.getElementType());
  if (type.getRank()) {
    fromNames = held[axis];
    toNames = arriving[axis] = axes[axis];
    size = dhlo::getDim(type, axis);
  }
  bool isReceived = mesh == to;
  Value rows;
  if (isReceived) {
    rows = makeNoRows(type, axis);
  } else {
    Axes leaving = getWhole(value);
    if (type.getRank())
      leaving[axis] = fromNames;
    rows = get(value, leaving);
    rows = type.getRank() ? moveAxis(rows, axis, 0)
                          : dhlo::ReshapeOp::create(b, loc, row, rows);
  }
  DimExpr zero = dhlo::getConstDim(b.getContext(), 0);
  SmallVector<int64_t> among = {rank};
  SmallVector<Attribute> sends = {zero, zero}, receives = {zero, zero};
  for (int64_t i = 0; i < from.getRanks(); ++i)
    for (int64_t j = 0; j < to.getRanks(); ++j) {
      int64_t sender = from.getFirst() + i, receiver = to.getFirst() + j;
      SmallVector<int64_t> replicas = getReplicas(from, sender, fromNames);
      if ((isReceived ? receiver : sender) != rank ||
          replicas[j % replicas.size()] != sender)
        continue;
      Blocks has = getBlocksOf(from, sender, size, fromNames);
      Blocks wants = getBlocksOf(to, receiver, size, toNames);
      among.push_back(isReceived ? sender : receiver);
      auto [begin, end] = isReceived ? getCommon(wants, has, dims)
                                     : getCommon(has, wants, dims);
      (isReceived ? receives : sends).append({begin, end});
      (isReceived ? sends : receives).append({zero, zero});
    }
  if (among.size() == 1 && !isReceived)
    return;
  DimExpr count = zero;
  if (isReceived) {
    Blocks own = getBlocks(size, toNames);
    count = dims.expand(
        dhlo::sub(own.bounds[own.index + 1], own.bounds[own.index]));
  }
  Value result = exchange(rows, among, sends, receives, count);
  auto start = result.getDefiningOp<ExchangeWaitOp>()
                   .getRequest()
                   .getDefiningOp<ExchangeStartOp>();
  transfers.push_back({start, from, isReceived, block});
  if (!isReceived)
    return;
  result = type.getRank() ? moveAxis(result, 0, axis)
                          : dhlo::ReshapeOp::create(b, loc, type, result);
  values[value] = {{result, arriving}};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The sharding in which an operation computes: that of the reshards that are
/// the only users of its results.
static std::optional<Axes> getComputed(Operation *op, MeshOp mesh,
                                       const Division &division) {
  std::optional<Axes> found;
  for (Value result : op->getResults())
    for (Operation *user : result.getUsers()) {
      auto reshard = dyn_cast<ReshardOp>(user);
      if (!reshard ||
          reshard.getSharding().getMesh().getAttr() != mesh.getSymNameAttr())
        return std::nullopt;
      Axes axes = getAxes(reshard.getSharding(), mesh);
      if (found && *found != axes)
        return std::nullopt;
      found = std::move(axes);
    }
  if (found)
    for (auto [names, canDivide] : llvm::zip(*found, division.canDivide))
      if (!names.empty() && !canDivide)
        return std::nullopt;
  return found;
}

/// The axis of a sum whose blocks ranks add: the first one that has a row for
/// each of them, as far as known.
static int64_t getReducedAxis(RankedTensorType type, int64_t ranks) {
  for (auto [axis, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size) || size >= ranks)
      return axis;
  return 0;
}

void RankWriter::writeSums(dhlo::DotGeneralOp op, SumsAttr sums) {
  Division division = getDivision(op, mesh.getRanks(), dims);
  Axes wanted = getComputed(op, mesh, division).value_or(getWhole(op));
  ArrayAttr names = dropSingle(sums.getAxes(), mesh);
  if (sums.getSegments() % countRanks(names, mesh) != 0)
    names = b.getArrayAttr({});
  int64_t ranks = countRanks(names, mesh);
  Axes axes = dropDivided(wanted, names);
  auto getOperand = [&](unsigned i) {
    return get(op->getOperand(i),
               getSumOperandAxes(division, op, i, axes, sums.getPair(), names));
  };
  Value lhs = getOperand(0), rhs = getOperand(1);
  RankedTensorType type = getLocalType(op.getType(), axes);
  Value sum = sumSegments(b, op, lhs, rhs, type, sums.getPair(),
                          sums.getSegments() / ranks);
  if (ranks > 1) {
    // A sum without axes is a row.
    if (type.getRank() == 0)
      sum = dhlo::ReshapeOp::create(
          b, loc, RankedTensorType::get(1, type.getElementType()), sum);
    auto it = llvm::find(wanted, names);
    bool staysDivided = it != wanted.end();
    int64_t axis =
        staysDivided ? it - wanted.begin() : getReducedAxis(typeOf(sum), ranks);
    DimExpr size = dhlo::getDim(typeOf(sum), axis);
    Blocks blocks = getBlocks(size, names);
    Value rows = reduce(moveAxis(sum, axis, 0), blocks);
    if (staysDivided)
      axes[axis] = names;
    else
      rows = gather(rows, 0, size, blocks);
    sum = moveAxis(rows, 0, axis);
    if (type.getRank() == 0)
      sum = dhlo::ReshapeOp::create(b, loc, type, sum);
  }
  values[op] = {{sum, axes}};
}

bool RankWriter::isConstant(Operation *op) {
  if (isa<dhlo::WeightOp, dhlo::ConstantOp>(op))
    return true;
  // The ranks of one stage divide its sums.
  if (stages.getMeshes().size() > 1 && op->hasAttr(DistDialect::kSumsAttr))
    return false;
  return op->getNumOperands() && !op->getNumRegions() &&
         isMemoryEffectFree(op) && !dhlo::usesSizes(op) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) {
                        auto tensor = dyn_cast<RankedTensorType>(type);
                        return tensor && tensor.hasStaticShape();
                      }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return constants.contains(operand.getDefiningOp());
         });
}

/// Whether a kernel may round in another way than the compiler does.
static bool mayRoundInAnotherWay(Operation *op) {
  return !op->hasTrait<dhlo::Movement>() &&
         (!op->hasTrait<dhlo::Elementwise>() ||
          op->hasTrait<dhlo::Expensive>());
}

Operation *RankWriter::writeWhole(Operation *op) {
  IRMapping map;
  for (Value value : getReadValues(op))
    map.map(value, get(value, getWhole(value)));
  Operation *copy = b.clone(*op, map);
  // Values of regions are whole.
  copy->walk([](ReshardOp nested) {
    nested.replaceAllUsesWith(nested.getOperand());
    nested.erase();
  });
  return copy;
}

/// The block of the batch that a reshard is of.
static int64_t getBlock(Operation *op) {
  auto block = op->getAttrOfType<IntegerAttr>(DistDialect::kBlockAttr);
  return block ? block.getInt() : 0;
}

void RankWriter::writeOp(Operation *op) {
  loc = op->getLoc();
  MeshOp at = stages.getMesh(op);
  auto reshard = dyn_cast<ReshardOp>(op);
  if (isConstant(op)) {
    constants.insert(op);
  } else if (at) {
    for (Value value : getReadValues(op))
      bring(value, at,
            reshard ? getAxes(reshard.getSharding(), at) : getWhole(value),
            getBlock(op));
    if (at != mesh)
      return;
  }
  if (auto sums = op->getAttrOfType<SumsAttr>(DistDialect::kSumsAttr))
    return writeSums(cast<dhlo::DotGeneralOp>(op), sums);
  if (reshard) {
    std::optional<Held> stated;
    // The sharding of a constant may be that of another stage.
    if (at == mesh) {
      Axes axes = getAxes(reshard.getSharding(), mesh);
      stated = Held{get(reshard.getOperand(), axes), axes};
    }
    // All that is held of the operand is held of the result.
    SmallVector<Held, 2> held = values[reshard.getOperand()];
    if (stated)
      held.insert(held.begin(), *stated);
    values[reshard] = std::move(held);
    return;
  }
  Division division = getDivision(op, mesh.getRanks(), dims);
  std::optional<Axes> axes;
  if (at && !division.canDivide.empty() &&
      !(constants.contains(op) && mayRoundInAnotherWay(op)))
    axes = getComputed(op, mesh, division);
  if (!axes || isWhole(*axes)) {
    Operation *copy = writeWhole(op);
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), copy->getResults()))
      values[from] = {{to, getWhole(from)}};
    return;
  }
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(
        get(operand.get(), getOperandAxes(division, operand.getOperandNumber(),
                                          *axes, b.getContext())));
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    to.setType(getLocalType(typeOf(from), *axes));
    values[from] = {{to, *axes}};
  }
}

func::FuncOp RankWriter::write() {
  // A copy without a body, for the attributes.
  auto local = cast<func::FuncOp>(global->cloneWithoutRegions());
  SmallVector<Axes> arguments, results;
  SmallVector<Type> inputTypes, resultTypes;
  for (auto [i, type] : llvm::enumerate(global.getArgumentTypes())) {
    Attribute sharding =
        local.removeArgAttr(i, b.getStringAttr(DistDialect::kShardingAttr));
    arguments.push_back(getPortAxes(sharding, cast<RankedTensorType>(type)));
    inputTypes.push_back(
        getLocalType(cast<RankedTensorType>(type), arguments.back()));
  }
  for (auto [i, type] : llvm::enumerate(global.getResultTypes())) {
    Attribute sharding =
        local.removeResultAttr(i, b.getStringAttr(DistDialect::kShardingAttr));
    results.push_back(getPortAxes(sharding, cast<RankedTensorType>(type)));
    resultTypes.push_back(
        getLocalType(cast<RankedTensorType>(type), results.back()));
  }
  local.setFunctionType(b.getFunctionType(inputTypes, resultTypes));
  local.setSymName((global.getSymName() + "_" + Twine(rank)).str());
  int64_t ranks = 0;
  for (MeshOp each : stages.getMeshes())
    ranks += each.getRanks();
  SmallVector<int64_t> stage;
  if (stages.getMeshes().size() > 1)
    llvm::append_range(
        stage,
        llvm::seq<int64_t>(mesh.getFirst(), mesh.getFirst() + mesh.getRanks()));
  local->setAttr(DistDialect::kPartAttr,
                 PartAttr::get(b.getContext(), global.getSymNameAttr(), rank,
                               ranks, stage));
  Block *block = &local.getBody().emplaceBlock();
  b.setInsertionPointToEnd(block);
  for (auto [argument, axes, type] :
       llvm::zip_equal(global.getArguments(), arguments, inputTypes))
    values[argument] = {{block->addArgument(type, argument.getLoc()), axes}};
  Block &body = global.getBody().front();
  for (Operation &op : body.without_terminator())
    writeOp(&op);
  loc = body.getTerminator()->getLoc();
  for (Value value : body.getTerminator()->getOperands())
    for (MeshOp to : stages.getMeshes())
      bring(value, to, getWhole(value), StageTransfer::kLastBlock);
  SmallVector<Value> outputs;
  for (auto [value, axes] :
       llvm::zip_equal(body.getTerminator()->getOperands(), results))
    outputs.push_back(get(value, axes));
  func::ReturnOp::create(b, loc, outputs);
  overlapTransfers(transfers);
  // Values that no operation of this stage reads. A combine may be an exchange,
  // in which each rank of the stage takes part even if another one sends its
  // result on.
  if (stages.getMeshes().size() > 1)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op) && !isa<cell::CombineOp>(op))
        op.erase();
  return local;
}

/// Checks that a rank knows the size of each divided axis of its inputs.
static LogicalResult checkInputs(func::FuncOp function, MeshOp mesh,
                                 const SymbolicDims &dims) {
  llvm::SmallDenseSet<StringAttr> bound;
  auto visit =
      [&](llvm::function_ref<LogicalResult(unsigned, int64_t, DimExpr, bool)>
              check) -> LogicalResult {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto sharding = function.getArgAttrOfType<ShardingAttr>(
          i, DistDialect::kShardingAttr);
      std::optional<Axes> axes;
      if (sharding)
        axes = getAxes(sharding, mesh);
      for (auto [axis, size] :
           llvm::enumerate(dhlo::getDims(cast<RankedTensorType>(type))))
        if (failed(check(i, axis, dims.expand(size),
                         axes && !(*axes)[axis].empty())))
          return failure();
    }
    return success();
  };
  (void)visit([&](unsigned, int64_t, DimExpr size, bool isDivided) {
    if (!isDivided && size.getKind() == dhlo::DimExprKind::Symbol)
      bound.insert(size.getName());
    return success();
  });
  return visit([&](unsigned i, int64_t axis, DimExpr size,
                   bool isDivided) -> LogicalResult {
    LogicalResult result = success();
    dhlo::walkSymbols(size, [&](StringAttr name) {
      if (isDivided && succeeded(result) && !bound.contains(name))
        result = function.emitError("argument ")
                 << i << ", axis " << axis << ": expected the size @"
                 << name.getValue() << " on an axis that is not divided, too";
    });
    return result;
  });
}

namespace {
struct PartitionPass : dist::impl::PartitionPassBase<PartitionPass> {
  void runOnOperation() override {
    FailureOr<SmallVector<MeshOp>> meshes = findMeshes(getOperation());
    if (failed(meshes))
      return signalPassFailure();
    if (meshes->empty())
      return markAllAnalysesPreserved();
    auto &dims = getAnalysis<SymbolicDims>();
    DimBuilder dimBuilder(dims);
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr(dhlo::DHLODialect::kEntryAttr) &&
          !getPart(function) &&
          failed(partition(function, *meshes, dimBuilder)))
        return signalPassFailure();
    for (MeshOp mesh : *meshes)
      mesh.erase();
  }

private:
  LogicalResult partition(func::FuncOp function, ArrayRef<MeshOp> meshes,
                          DimBuilder &dimBuilder) {
    if (!function.getBody().hasOneBlock() ||
        !llvm::all_of(function.getArgumentTypes(),
                      llvm::IsaPred<RankedTensorType>) ||
        !llvm::all_of(function.getResultTypes(),
                      llvm::IsaPred<RankedTensorType>))
      return function.emitError(
          "expected a function of one block, with tensors in its signature");
    if (failed(checkStages(function, Stages(function, meshes),
                           dimBuilder.getDims())) ||
        failed(checkInputs(function, meshes.front(), dimBuilder.getDims())))
      return failure();
    SymbolTable symbols(getOperation());
    for (MeshOp mesh : meshes)
      for (int64_t i = 0; i < mesh.getRanks(); ++i) {
        int64_t rank = mesh.getFirst() + i;
        // A size is bound by one operation, so each rank has its own.
        OwningOpRef<func::FuncOp> own(function.clone());
        if (rank != 0)
          CopySizes(function, dimBuilder).apply(*own);
        Stages stages(*own, meshes);
        RankWriter writer(*own, stages, mesh, rank, dimBuilder);
        func::FuncOp local = writer.write();
        symbols.insert(local, Block::iterator(function));
        ++numFunctions;
        numExchanges += writer.getNumExchanges();
      }
    symbols.erase(function);
    return success();
  }
};
} // namespace
