//===- VectorContraction.cpp - Contractions of any type by vectors --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Contractions that no GEMM computes: of f64 or wide integers, or of axes that
// are not next to each other. Lanes are elements along the last axis of the
// result. A few rows of these, along the last free axis of the LHS, share what
// is read of the RHS. Sums have the order of the definition.

#include "Codegen/CPU/Gemm/Gemm.h"
#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Problems/SumArithmetic.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
/// Rows of the result whose sums are in registers at once, at most.
static constexpr int64_t kMostRows = 4;
/// Columns of an item.
static constexpr int64_t kColumns = 4 * kLanes;

namespace {
class VectorContractionSchedule : public Schedule {
public:
  explicit VectorContractionSchedule(dhlo::DotGeneralOp op) : op(op) {
    columnAxis = op.getType().getRank() - 1;
    int64_t batch = op.getBatch();
    int64_t lastRow = op.getLhs().getType().getRank() -
                      static_cast<int64_t>(op.getLhsContract().size()) - 1;
    if (lastRow >= batch && lastRow != columnAxis)
      rowAxis = lastRow;
  }

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &,
                      const CodegenOptions &options) override {
    // Sums of all rows take half of the registers.
    const RegisterInfo &registers = options.target.cpu.registers;
    Type sum = getSumType(op.getType().getElementType());
    int64_t vectors = llvm::divideCeil(kLanes * sum.getIntOrFloatBitWidth(),
                                       registers.vectorBits);
    rows = std::clamp<int64_t>(registers.vectorRegisters / (2 * vectors), 1,
                               kMostRows);
    return success();
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  OpFoldResult getExtent(KernelBuilder &b, int64_t axis) {
    return b.size(op.getResult(), axis);
  }
  /// Items along each axis of the result.
  SmallVector<OpFoldResult> getExtents(KernelBuilder &b);
  /// The position in an operand for indices of the result's axes and of those
  /// that are summed.
  Position getPosition(KernelBuilder &b, Value operand,
                       ArrayRef<int64_t> contract, int64_t firstFree,
                       ArrayRef<LaneIndex> result, ArrayRef<LaneIndex> summed);
  /// The sums of each row along the contracted axes, the first of which have
  /// the indices `summed`.
  SmallVector<Value> emitSums(KernelBuilder &b, ElementEmitter &e,
                              ArrayRef<SmallVector<LaneIndex>> indices,
                              SmallVector<LaneIndex> summed, ValueRange sums);
  /// Computes `count` rows from `index` on, in the columns from there on.
  void emitTile(KernelBuilder &b, ArrayRef<OpFoldResult> index, int64_t count,
                int64_t lanes);
  void emitItem(KernelBuilder &b, ArrayRef<OpFoldResult> coordinates);

  dhlo::DotGeneralOp op;
  int64_t columnAxis;
  std::optional<int64_t> rowAxis;
  int64_t rows = 1;
};
} // namespace

SmallVector<OpFoldResult>
VectorContractionSchedule::getExtents(KernelBuilder &b) {
  SmallVector<OpFoldResult> extents;
  for (int64_t axis = 0; axis <= columnAxis; ++axis)
    extents.push_back(getExtent(b, axis));
  if (rowAxis)
    extents[*rowAxis] = b.ceilDiv(extents[*rowAxis], b.constant(rows));
  extents[columnAxis] = b.ceilDiv(extents[columnAxis], b.constant(kColumns));
  return extents;
}

Geometry VectorContractionSchedule::emitGeometry(KernelBuilder &b) {
  OpFoldResult items = b.constant(1);
  for (OpFoldResult extent : getExtents(b))
    items = b.mul(items, extent);
  OpFoldResult depth = b.constant(1);
  for (int64_t axis : op.getLhsContract())
    depth = b.mul(depth, b.size(op.getLhs(), axis));
  OpFoldResult grain = b.div(b.constant(b.getCpu().grainWork / kColumns),
                             b.max(depth, b.constant(1)));
  return {items, b.max(grain, b.constant(1)), b.constant(0)};
}

Position VectorContractionSchedule::getPosition(KernelBuilder &b, Value operand,
                                                ArrayRef<int64_t> contract,
                                                int64_t firstFree,
                                                ArrayRef<LaneIndex> result,
                                                ArrayRef<LaneIndex> summed) {
  Position position;
  int64_t batch = op.getBatch();
  for (int64_t axis = 0, rank = cast<ShapedType>(operand.getType()).getRank();
       axis < rank; ++axis) {
    const auto *found = llvm::find(contract, axis);
    position.push_back({b.getDims().getDim(operand, axis),
                        axis < batch ? result[axis]
                        : found == contract.end()
                            ? result[firstFree++]
                            : summed[found - contract.begin()]});
  }
  return position;
}

SmallVector<Value>
VectorContractionSchedule::emitSums(KernelBuilder &b, ElementEmitter &e,
                                    ArrayRef<SmallVector<LaneIndex>> indices,
                                    SmallVector<LaneIndex> summed,
                                    ValueRange sums) {
  ArrayRef<int64_t> contract = op.getLhsContract();
  if (summed.size() < contract.size()) {
    OpFoldResult extent = b.size(op.getLhs(), contract[summed.size()]);
    return b.loop(b.constant(0), extent, 1, sums,
                  [&](Value i, ValueRange carried) {
                    SmallVector<LaneIndex> inner = summed;
                    inner.push_back(e.uniform(i));
                    return emitSums(b, e, indices, inner, carried);
                  });
  }
  int64_t batch = op.getBatch(), lanes = 1;
  if (auto type = dyn_cast<VectorType>(sums.front().getType()))
    lanes = type.getNumElements();
  int64_t lhsFree = op.getLhs().getType().getRank() - batch - contract.size();
  auto getFactor = [&](Value operand, ArrayRef<int64_t> axes, int64_t firstFree,
                       ArrayRef<LaneIndex> index) {
    Position position = getPosition(b, operand, axes, firstFree, index, summed);
    bool isUniform = llvm::all_of(position, [](const Coordinate &coordinate) {
      return coordinate.index.isUniform();
    });
    Type element = getElementTypeOrSelf(operand);
    Value factor = e.emit(operand, position, isUniform ? 1 : lanes);
    Type sum = getElementTypeOrSelf(sums.front());
    return b.splat(toSum(b, factor, element,
                         KernelBuilder::laneType(sum, isUniform ? 1 : lanes)),
                   lanes);
  };
  SmallVector<Value> next;
  for (auto [index, sum] : llvm::zip_equal(indices, sums))
    next.push_back(multiplyAdd(
        b, getFactor(op.getLhs(), contract, batch, index),
        getFactor(op.getRhs(), op.getRhsContract(), batch + lhsFree, index),
        sum));
  return next;
}

void VectorContractionSchedule::emitTile(KernelBuilder &b,
                                         ArrayRef<OpFoldResult> index,
                                         int64_t count, int64_t lanes) {
  ElementEmitter e(b);
  SmallVector<SmallVector<LaneIndex>> indices(count);
  for (auto [i, row] : llvm::enumerate(indices))
    for (int64_t axis = 0; axis <= columnAxis; ++axis) {
      OpFoldResult at = index[axis];
      if (axis == rowAxis)
        at = b.add(at, b.constant(i));
      row.push_back(axis == columnAxis && lanes > 1 ? e.lanes(at)
                                                    : e.uniform(at));
    }
  Type sum = getSumType(op.getType().getElementType());
  SmallVector<Value> zeros(count, b.number(0, sum, lanes));
  SmallVector<Value> sums = emitSums(b, e, indices, {}, zeros);
  for (auto [row, value] : llvm::zip_equal(indices, sums)) {
    ElementEmitter ofRow(b);
    ofRow.provide(op.getResult(),
                  [&](const Position &, int64_t) { return value; });
    Position position;
    for (auto [axis, at] : llvm::enumerate(row))
      position.push_back({b.getDims().getDim(op.getResult(), axis), at});
    for (auto [number, result] : llvm::enumerate(b.getResults()))
      ofRow.store(ofRow.emit(result, position, lanes), number, position, lanes);
  }
}

void VectorContractionSchedule::emitItem(KernelBuilder &b,
                                         ArrayRef<OpFoldResult> coordinates) {
  SmallVector<OpFoldResult> index(coordinates);
  OpFoldResult first = b.mul(index[columnAxis], b.constant(kColumns));
  OpFoldResult columns = getExtent(b, columnAxis);
  OpFoldResult end = b.min(b.add(first, b.constant(kColumns)), columns);
  auto emitRows = [&](int64_t count) {
    forEachVector(b, first, end, b.getDims().getDim(op.getResult(), columnAxis),
                  [&](Value column, int64_t lanes) {
                    index[columnAxis] = column;
                    emitTile(b, index, count, lanes);
                  });
  };
  if (!rowAxis)
    return emitRows(1);
  OpFoldResult row = b.mul(index[*rowAxis], b.constant(rows));
  OpFoldResult behind = b.add(row, b.constant(rows));
  index[*rowAxis] = row;
  if (b.getDims().isMultipleOf(b.getDims().getDim(op.getResult(), *rowAxis),
                               rows))
    return emitRows(rows);
  OpFoldResult numRows = getExtent(b, *rowAxis);
  b.ifThen(
      b.cmp(CmpIPredicate::sle, behind, numRows), [&] { emitRows(rows); },
      [&] {
        b.loop(row, numRows, 1, [&](Value one) {
          index[*rowAxis] = one;
          emitRows(1);
        });
      });
}

LogicalResult VectorContractionSchedule::emitBody(KernelBuilder &b) {
  forEachItem(
      b, getExtents(b), b.begin(), b.end(),
      [&](ArrayRef<OpFoldResult> coordinates) { emitItem(b, coordinates); });
  return success();
}

bool dyn::hasVectorContraction(dlhlo::KernelOp kernel, dhlo::DotGeneralOp op,
                               const SymbolicDims &dims) {
  Attribute encoding = op.getRhs().getType().getEncoding();
  return op.getType().getRank() > 0 &&
         !isa_and_present<dlhlo::PackedAttr>(encoding) &&
         GemmEpilogue::canEmit(kernel, op.getResult(), dims) &&
         llvm::all_of(kernel.getBody().front().without_terminator(),
                      [&](Operation &other) {
                        return &other == op || isa<dhlo::DimOp>(other) ||
                               ElementEmitter::canEmit(&other);
                      });
}

std::unique_ptr<Schedule>
dyn::createVectorContractionSchedule(dhlo::DotGeneralOp op) {
  return std::make_unique<VectorContractionSchedule>(op);
}
