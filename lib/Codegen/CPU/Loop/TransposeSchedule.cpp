//===- TransposeSchedule.cpp - Kernels with transposes --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where a transpose moves the innermost axis, vectors along the result are read
// element by element. But along another dimension of the result, the lead, the
// operand is contiguous. So blocks of 16 positions of the lead by some of the
// innermost dimension are computed with lanes along the lead, transposed in
// registers, and stored with lanes along the innermost dimension: every load
// and store is a vector.
//
//   lead = H * W of [N][H * W][C] where the operand is N x C x H x W
//
// If the innermost dimension is short (3 colours), the block's rows are
// adjacent in memory and are stored together; else a block is square. If the
// lead is short, a block has all of it, with lanes along the innermost
// dimension: the vectors of the operand that it reads are the same for all. The
// remainders of both dimensions are computed as in a loop kernel, and so is
// every other kernel. An element's operations are the same in any case.
//
// An item is a block's positions of the lead and a chunk of the innermost
// dimension.

#include "Codegen/CPU/Schedule.h"
#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/IterationSpace.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
/// Positions of a long innermost dimension in an item.
static constexpr int64_t kChunk = 1024;
/// Up to so many columns, all their lanes are interleaved at once.
static constexpr int64_t kInterleaved = 4;

namespace {
class TransposeSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Whether the kernel has such a transpose; finds `space`, `lead` and
  /// `depth`.
  bool analyse(dlhlo::KernelOp kernel, const SymbolicDims &dims);
  /// The dimension that ends with this axis of the result, or -1.
  int64_t findCoordinate(Value result, int64_t axis, const SymbolicDims &dims);

  OpFoldResult leadBlocks(KernelBuilder &b) {
    return b.ceilDiv(b.size(space[lead]), b.constant(height));
  }
  OpFoldResult chunks(KernelBuilder &b) {
    return b.ceilDiv(b.size(space.back()), b.constant(kChunk));
  }
  /// The extents of an item's indices: those of the space with the lead in
  /// blocks and the innermost dimension in chunks.
  SmallVector<OpFoldResult> getExtents(KernelBuilder &b);
  Position at(ElementEmitter &e, ArrayRef<OpFoldResult> coordinates,
              LaneIndex leadIndex, LaneIndex lastIndex);

  /// Positions [i, i + height) of the lead by [j, j + depth) of the innermost
  /// dimension.
  void emitBlock(KernelBuilder &b, ArrayRef<OpFoldResult> coordinates,
                 OpFoldResult i, OpFoldResult j);
  /// Position i of the lead, [begin, end) of the innermost dimension.
  void emitLine(KernelBuilder &b, ArrayRef<OpFoldResult> coordinates,
                OpFoldResult i, OpFoldResult begin, OpFoldResult end);

  std::unique_ptr<Schedule> fallback;
  bool isBlocked = false;
  SmallVector<DimExpr> space;
  int64_t lead = 0, height = kLanes, depth = kLanes;
  /// The value whose blocks are transposed in registers: the result, or the
  /// transpose, if the operations behind it are elementwise, so that their
  /// other operands are read along the innermost dimension.
  Value turned;
};
} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

int64_t TransposeSchedule::findCoordinate(Value result, int64_t axis,
                                          const SymbolicDims &dims) {
  MLIRContext *context = result.getContext();
  DimExpr before = dhlo::getConstDim(context, 1), coordinates = before;
  for (int64_t i = 0; i <= axis; ++i)
    before = dhlo::mul(before, dims.getDim(result, i));
  for (auto [i, extent] : llvm::enumerate(space)) {
    coordinates = dhlo::mul(coordinates, extent);
    if (dims.isEqual(coordinates, before))
      return i;
  }
  return -1;
}

/// Whether all operations that lead from one value to another are elementwise.
static bool isElementwiseUntil(Value from, Value to) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(from);
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (values[i] != to && !user->hasTrait<dhlo::Elementwise>())
        return false;
      values.insert_range(user->getResults());
    }
  return true;
}

bool TransposeSchedule::analyse(dlhlo::KernelOp kernel,
                                const SymbolicDims &dims) {
  Block &block = kernel.getBody().front();
  if (block.getTerminator()->getNumOperands() != 1)
    return false;
  Value result = block.getTerminator()->getOperand(0);
  auto type = cast<RankedTensorType>(result.getType());
  Type element = type.getElementType();
  if (!element.isF32() && !element.isInteger(32))
    return false;
  // A transpose that moves the innermost axis. Operations behind it may pad
  // axes, or join parts along them.
  int64_t leadAxis = -1, lastAxis = type.getRank() - 1;
  turned = result;
  for (auto op : block.getOps<dhlo::TransposeOp>()) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    if (op.getType().getRank() == type.getRank() &&
        permutation.back() != lastAxis) {
      leadAxis = llvm::find(permutation, lastAxis) - permutation.begin();
      turned =
          isElementwiseUntil(op.getResult(), result) ? op.getResult() : result;
    }
  }
  space = getIterationSpace(result, dims);
  if (leadAxis < 0 || space.size() < 2)
    return false;
  lead = findCoordinate(result, leadAxis, dims);
  if (lead < 0 || lead + 1 == static_cast<int64_t>(space.size()))
    return false;
  // Joined innermost dimensions make long vectors, such as those of the pixels
  // of blocks that lie side by side.
  auto isNarrow = [](DimExpr extent) {
    auto size = dhlo::getConstantValue(extent);
    return size && *size < kLanes;
  };
  while (lead + 2 < static_cast<int64_t>(space.size()) &&
         isNarrow(space.back())) {
    DimExpr inner = space.pop_back_val();
    space.back() = dhlo::mul(space.back(), inner);
  }
  // Blocks must pay off.
  auto getShort = [](DimExpr extent) {
    auto size = dhlo::getConstantValue(extent);
    return size && *size < kLanes ? *size : kLanes;
  };
  height = getShort(space[lead]);
  depth = getShort(space.back());
  if (height < kLanes || depth < kLanes)
    turned = result;
  bool isAdjacent = lead + 2 == static_cast<int64_t>(space.size());
  return std::min(height, depth) > 0 &&
         (depth == kLanes || (height == kLanes && isAdjacent));
}

LogicalResult TransposeSchedule::match(dlhlo::KernelOp kernel,
                                       const SymbolicDims &dims,
                                       const CodegenOptions &options) {
  // Refuses kernels that no loop can compute.
  fallback = createLoopSchedule();
  if (failed(fallback->match(kernel, dims, options)))
    return failure();
  isBlocked = analyse(kernel, dims);
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> TransposeSchedule::getExtents(KernelBuilder &b) {
  SmallVector<OpFoldResult> extents;
  for (DimExpr extent : space)
    extents.push_back(b.size(extent));
  extents[lead] = leadBlocks(b);
  extents.back() = chunks(b);
  return extents;
}

Geometry TransposeSchedule::emitGeometry(KernelBuilder &b) {
  if (!isBlocked)
    return fallback->emitGeometry(b);
  Geometry g; // of blocks, which are not in order
  g.scratchBytes = b.constant(0);
  g.items = b.constant(1);
  for (OpFoldResult extent : getExtents(b))
    g.items = b.mul(g.items, extent);
  OpFoldResult one = b.constant(1);
  OpFoldResult bytes = b.constant(0);
  auto addBytes = [&](Value tensor) {
    bytes = b.add(bytes, b.mul(b.numElements(tensor),
                               b.constant(getElementBytes(tensor))));
  };
  for (Value argument : b.getBlock().getArguments())
    addBytes(argument);
  for (Value result : b.getResults())
    addBytes(result);
  OpFoldResult perItem = b.max(b.div(bytes, b.max(g.items, one)), one);
  g.grain = b.max(b.div(b.constant(b.getCpu().grainWork), perItem), one);
  return g;
}

Position TransposeSchedule::at(ElementEmitter &e,
                               ArrayRef<OpFoldResult> coordinates,
                               LaneIndex leadIndex, LaneIndex lastIndex) {
  Position position;
  for (auto [extent, coordinate] : llvm::zip_equal(space, coordinates))
    position.push_back({extent, e.uniform(coordinate)});
  position[lead].index = leadIndex;
  position.back().index = lastIndex;
  return position;
}

/// Transposes 16 vectors of 16 lanes: lane i of vector j becomes lane j of
/// vector i. Each step exchanges, between two vectors, the lanes whose numbers
/// differ in one bit.
static void turn(KernelBuilder &b, MutableArrayRef<Value> rows) {
  for (int64_t bit = 1; bit < kLanes; bit *= 2)
    for (int64_t i = 0; i < kLanes; ++i) {
      if (i & bit)
        continue;
      SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        bool isUpper = lane & bit;
        low.push_back(isUpper ? kLanes + lane - bit : lane);
        high.push_back(isUpper ? kLanes + lane : lane + bit);
      }
      Value x = rows[i], y = rows[i + bit];
      rows[i] = vector::ShuffleOp::create(b, x, y, low);
      rows[i + bit] = vector::ShuffleOp::create(b, x, y, high);
    }
}

/// Interleaves the lanes of vectors: lane 0 of each, lane 1 of each, and so on.
static Value interleave(KernelBuilder &b, ArrayRef<Value> columns) {
  int64_t count = columns.size();
  // All in one vector first, which is padded to a power of two.
  SmallVector<Value> parts(columns);
  while (!llvm::isPowerOf2_64(parts.size()))
    parts.push_back(parts.back());
  for (int64_t lanes = kLanes; parts.size() > 1; lanes *= 2) {
    SmallVector<int64_t> all =
        llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] =
          vector::ShuffleOp::create(b, parts[2 * i], parts[2 * i + 1], all);
    parts.resize(parts.size() / 2);
  }
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < kLanes; ++lane)
    for (int64_t column = 0; column < count; ++column)
      order.push_back(column * kLanes + lane);
  return vector::ShuffleOp::create(b, parts[0], parts[0], order);
}

/// The last of the elements that the first `count` lanes of all rows are, one
/// row behind the other.
static Value joinLast(KernelBuilder &b, ArrayRef<Value> rows, int64_t count) {
  int64_t first = kLanes * count - kLanes;
  Value joined = rows[first / count];
  for (int64_t row = first / count; row < kLanes; ++row) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      int64_t at = first + lane, own = at / count;
      // Lanes of the rows before are where they belong.
      bool isPlaced = own < row && row > first / count;
      order.push_back(isPlaced     ? lane
                      : own == row ? kLanes + at % count
                                   : vector::ShuffleOp::kPoisonIndex);
    }
    joined = vector::ShuffleOp::create(b, joined, rows[row], order);
  }
  return joined;
}

void TransposeSchedule::emitBlock(KernelBuilder &b,
                                  ArrayRef<OpFoldResult> coordinates,
                                  OpFoldResult i, OpFoldResult j) {
  Value result = b.getResults()[0];
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  ElementEmitter e(b);
  auto storeAt = [&](Value v, OpFoldResult offset) {
    Position position = at(e, coordinates, e.uniform(i), e.uniform(j));
    b.store(v, b.resultBuffer(0), b.add(e.join(position).base, offset), element,
            cast<VectorType>(v.getType()).getNumElements());
  };
  auto emitRow = [&](ElementEmitter &along, int64_t row) {
    LaneIndex line = along.uniform(b.add(i, b.constant(row)));
    Position position = at(along, coordinates, line, along.lanes(j));
    along.store(along.emit(result, position, kLanes), 0, position, kLanes);
  };
  if (height < kLanes) {
    for (int64_t row = 0; row < height; ++row)
      emitRow(e, row);
    return;
  }
  SmallVector<Value> vectors;
  for (int64_t column = 0; column < depth; ++column) {
    LaneIndex last = e.uniform(b.add(j, b.constant(column)));
    vectors.push_back(
        e.emit(turned, at(e, coordinates, e.lanes(i), last), kLanes));
  }
  if (depth <= kInterleaved)
    return storeAt(interleave(b, vectors), b.constant(0));
  vectors.resize(kLanes, vectors.back());
  turn(b, vectors);
  if (depth == kLanes) {
    for (auto [row, v] : llvm::enumerate(vectors)) {
      ElementEmitter along(b);
      along.provide(turned, [v = v](const Position &, int64_t) { return v; });
      emitRow(along, row);
    }
    return;
  }
  // Each row overwrites what is behind the one before.
  for (int64_t row = 0; (row - kLanes) * depth + kLanes <= 0; ++row)
    storeAt(vectors[row], b.constant(row * depth));
  storeAt(joinLast(b, vectors, depth), b.constant(kLanes * (depth - 1)));
}

void TransposeSchedule::emitLine(KernelBuilder &b,
                                 ArrayRef<OpFoldResult> coordinates,
                                 OpFoldResult i, OpFoldResult begin,
                                 OpFoldResult end) {
  b.loop(begin, end, 1, [&](Value j) {
    ElementEmitter e(b);
    Position position = at(e, coordinates, e.uniform(i), e.uniform(j));
    e.store(e.emit(b.getResults()[0], position, 1), 0, position, 1);
  });
}

LogicalResult TransposeSchedule::emitBody(KernelBuilder &b) {
  if (!isBlocked)
    return fallback->emitBody(b);
  OpFoldResult leadSize = b.size(space[lead]), lastSize = b.size(space.back());
  forEachItem(
      b, getExtents(b), b.begin(), b.end(),
      [&](ArrayRef<OpFoldResult> coordinates) {
        OpFoldResult i = b.mul(coordinates[lead], b.constant(height));
        OpFoldResult iEnd = b.min(b.add(i, b.constant(height)), leadSize);
        OpFoldResult j = b.mul(coordinates.back(), b.constant(kChunk));
        OpFoldResult jEnd = b.min(b.add(j, b.constant(kChunk)), lastSize);
        // Full blocks up to `middle`, if the lead has the positions here.
        OpFoldResult isFull = b.div(b.sub(iEnd, i), b.constant(height));
        OpFoldResult blocks =
            b.mul(isFull, b.div(b.sub(jEnd, j), b.constant(depth)));
        b.loop(b.constant(0), blocks, 1, [&](Value block) {
          emitBlock(b, coordinates, i,
                    b.add(j, b.mul(OpFoldResult(block), b.constant(depth))));
        });
        OpFoldResult middle = b.add(j, b.mul(blocks, b.constant(depth)));
        b.loop(i, iEnd, 1, [&](Value line) {
          emitLine(b, coordinates, line, middle, jEnd);
        });
      });
  return success();
}

std::unique_ptr<Schedule> dyn::createTransposeSchedule() {
  return std::make_unique<TransposeSchedule>();
}
