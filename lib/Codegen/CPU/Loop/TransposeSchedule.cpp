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
// adjacent in memory and are stored together; else a block is square. The
// remainders of both dimensions are computed as in a loop kernel, and so is
// every other kernel. An element's operations are the same in any case.
//
// An item is 16 positions of the lead and a chunk of the innermost dimension.

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
/// The maximum size of a short innermost dimension.
static constexpr int64_t kShort = 4;

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
    return b.ceilDiv(b.size(space[lead]), b.constant(kLanes));
  }
  OpFoldResult chunks(KernelBuilder &b) {
    return b.ceilDiv(b.size(space.back()), b.constant(kChunk));
  }
  /// The extents of an item's indices: those of the space with the lead in
  /// blocks and the innermost dimension in chunks.
  SmallVector<OpFoldResult> getExtents(KernelBuilder &b);
  Position at(ElementEmitter &e, ArrayRef<OpFoldResult> coordinates,
              LaneIndex leadIndex, LaneIndex lastIndex);

  /// Positions [i, i + 16) of the lead by [j, j + depth) of the innermost
  /// dimension.
  void emitBlock(KernelBuilder &b, ArrayRef<OpFoldResult> coordinates,
                 OpFoldResult i, OpFoldResult j);
  /// Position i of the lead, [begin, end) of the innermost dimension.
  void emitLine(KernelBuilder &b, ArrayRef<OpFoldResult> coordinates,
                OpFoldResult i, OpFoldResult begin, OpFoldResult end);

  std::unique_ptr<Schedule> fallback;
  bool isBlocked = false;
  SmallVector<DimExpr> space;
  int64_t lead = 0, depth = kLanes;
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
  // A transpose whose result has the axes of the kernel's.
  dhlo::TransposeOp transpose;
  for (auto op : block.getOps<dhlo::TransposeOp>())
    if (op.getType().getRank() == type.getRank() &&
        llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), [&](int64_t axis) {
          return dims.isEqual(dims.getDim(op.getResult(), axis),
                              dims.getDim(result, axis));
        }))
      transpose = op;
  if (!transpose || transpose.getPermutation().back() == type.getRank() - 1)
    return false;
  space = getIterationSpace(result, dims);
  auto last = llvm::find(transpose.getPermutation(), type.getRank() - 1);
  if (space.size() < 2)
    return false;
  lead =
      findCoordinate(result, last - transpose.getPermutation().begin(), dims);
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
  auto leadSize = dhlo::getConstantValue(space[lead]);
  if (leadSize && *leadSize < kLanes)
    return false;
  auto size = dhlo::getConstantValue(space.back());
  bool isShort =
      size && *size <= kShort && lead + 2 == static_cast<int64_t>(space.size());
  if (size && *size < kLanes && !isShort)
    return false;
  depth = isShort ? *size : kLanes;
  return depth > 0;
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

void TransposeSchedule::emitBlock(KernelBuilder &b,
                                  ArrayRef<OpFoldResult> coordinates,
                                  OpFoldResult i, OpFoldResult j) {
  Value result = b.getResults()[0];
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  ElementEmitter e(b);
  SmallVector<Value> vectors;
  for (int64_t column = 0; column < depth; ++column) {
    LaneIndex last = e.uniform(b.add(j, b.constant(column)));
    vectors.push_back(
        e.emit(result, at(e, coordinates, e.lanes(i), last), kLanes));
  }
  auto store = [&](Value v, int64_t row, int64_t lanes) {
    LaneIndex first = e.uniform(b.add(i, b.constant(row)));
    Position position = at(e, coordinates, first, e.uniform(j));
    b.store(v, b.resultBuffer(0), e.join(position).base, element, lanes);
  };
  if (depth < kLanes)
    return store(interleave(b, vectors), 0, kLanes * depth);
  turn(b, vectors);
  for (auto [row, v] : llvm::enumerate(vectors))
    store(v, row, kLanes);
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
        OpFoldResult i = b.mul(coordinates[lead], b.constant(kLanes));
        OpFoldResult iEnd = b.min(b.add(i, b.constant(kLanes)), leadSize);
        OpFoldResult j = b.mul(coordinates.back(), b.constant(kChunk));
        OpFoldResult jEnd = b.min(b.add(j, b.constant(kChunk)), lastSize);
        // Full blocks up to `middle`, if the lead has 16 positions here.
        OpFoldResult isFull = b.div(b.sub(iEnd, i), b.constant(kLanes));
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
