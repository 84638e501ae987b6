//===- ReplaceIndices.cpp - Gathers and scatters at affine indices --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Indices are read as an affine function of their own index. On each axis of
// the tensor, they then are one part of it: `size` elements from `start` on.
//
// Indices that depend on several of their axes, as those of windows do, are
// written as a sum of iotas, which kernels compute in place of a load.
//
// Indices of single elements that are the same for the elements of a row are
// those of rows.

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/Analysis/AffineIndex.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallSet.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_REPLACEINDICESPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// A scatter of at least one of so many elements becomes a selection.
static constexpr int64_t kLeastShare = 8;

namespace {

/// A part of an axis, and the axis of the indices along which its index grows;
/// -1 if it is one element.
struct Part {
  DimExpr start, size;
  int64_t stride = 1;
  int64_t axis = -1;
};

class Replacer {
public:
  explicit Replacer(DimBuilder &symbols)
      : symbols(symbols), dims(symbols.getDims()) {}

  /// The value of the operation by rows, a slice or a selection; null if its
  /// indices are others.
  Value replace(GatherElementsOp op);
  Value replace(ScatterElementsOp op);
  Value replace(GatherOp op);
  Value replace(ScatterNdOp op);

  /// Indices into an axis of this size as a sum of iotas. Null if they are
  /// others, may be out of range, or are such a sum.
  Value getSum(OpBuilder &b, Value indices, DimExpr size) const;

private:
  /// Indices along `axis` of the tensor that are the same along all axes from
  /// `batch` on but that one; the tensor has the same size on all others. Null
  /// if they differ, or there are no other axes.
  Value getRows(OpBuilder &b, Value tensor, Value indices, int64_t axis,
                int64_t batch) const;
  /// The part of an axis of this size that the indices read; nothing if they
  /// may be out of range.
  std::optional<Part> getPart(Value indices, DimExpr size) const;
  /// Whether a part is all of an axis.
  bool isWhole(const Part &part, DimExpr size) const {
    return part.start.isConst(0) && part.stride == 1 &&
           dims.isEqual(part.size, size);
  }
  /// The parts that a scatter replaces, one for each column of its indices.
  std::optional<SmallVector<Part>> getParts(ScatterNdOp op) const;
  /// The updates of a scatter with the axes of its operand.
  Value orderUpdates(TensorBuilder &b, ScatterNdOp op, ArrayRef<Part> parts);

  DimBuilder &symbols;
  const SymbolicDims &dims;
};

} // namespace

Value Replacer::getRows(OpBuilder &b, Value tensor, Value indices, int64_t axis,
                        int64_t batch) const {
  RankedTensorType type = getTensor(indices);
  SmallVector<int64_t> repeated;
  SmallVector<DimExpr> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    DimExpr size = getDim(type, i);
    if (i != axis && !dims.isEqual(size, getDim(getTensor(tensor), i)))
      return {};
    if (i < batch || i == axis)
      sizes.push_back(size);
    else
      repeated.push_back(i);
  }
  Value rows =
      repeated.empty() ? Value() : matchSpread(indices, repeated, dims);
  if (!rows)
    return {};
  return createReshape(b, indices.getLoc(), rows,
                       getTensorType(sizes, type.getElementType()));
}

static bool isSumOfIotas(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  return add ? isSumOfIotas(add.getLhs()) && isSumOfIotas(add.getRhs())
             : bool(value.getDefiningOp<IotaOp>());
}

Value Replacer::getSum(OpBuilder &b, Value indices, DimExpr size) const {
  RankedTensorType type = getTensor(indices);
  std::optional<AffineIndex> index = getAffineIndex(indices, dims);
  if (!index || isSumOfIotas(indices) ||
      !isWithin(*index, getDims(type), size, dims))
    return {};
  Value sum;
  for (auto [axis, step] : llvm::enumerate(index->steps)) {
    if (step.isConst(0))
      continue;
    DimExpr start = sum ? getConstDim(b.getContext(), 0) : index->offset;
    Value iota = IotaOp::create(b, indices.getLoc(), type, axis,
                                b.getArrayAttr(start), b.getArrayAttr(step));
    sum =
        sum ? AddOp::create(b, indices.getLoc(), sum, iota).getResult() : iota;
  }
  return sum;
}

Value Replacer::replace(GatherElementsOp op) {
  OpBuilder b(op);
  int64_t axis = op.getAxis();
  // For each row of a batch by itself, if they are not the same for all.
  for (int64_t batch : {int64_t(0), axis})
    if (Value rows = getRows(b, op.getOperand(), op.getIndices(), axis, batch))
      return GatherOp::create(b, op.getLoc(), op.getType(), op.getOperand(),
                              rows, axis, batch);
  return {};
}

Value Replacer::replace(ScatterElementsOp op) {
  TensorBuilder b(op, symbols);
  if (op.getAxis() != 0)
    return {};
  Value rows = getRows(b, op.getOperand(), op.getIndices(), 0, 0);
  if (!rows)
    return {};
  DimExpr count = getDim(getTensor(rows), 0);
  rows = b.reshape(rows, {count, getConstDim(b.getContext(), 1)});
  return ScatterNdOp::create(b, op.getType(), op.getOperand(), rows,
                             op.getUpdates(), op.getKind());
}

std::optional<Part> Replacer::getPart(Value indices, DimExpr size) const {
  std::optional<AffineIndex> index = getAffineIndex(indices, dims);
  if (!index)
    return std::nullopt;
  Part part;
  part.start = index->offset;
  part.size = getConstDim(indices.getContext(), 1);
  for (auto [axis, step] : llvm::enumerate(index->steps)) {
    DimExpr count = getDim(getTensor(indices), axis);
    if (step.isConst(0) || count.isConst(1))
      continue;
    if (part.axis >= 0 || !step.isConst() || step.getValue() < 1)
      return std::nullopt;
    part.axis = axis;
    part.stride = step.getValue();
    part.size = count;
  }
  // The start of no elements may be out of range.
  if (part.stride != 1 && !dims.isAtLeast(part.size, 1))
    return std::nullopt;
  DimExpr last =
      dims.expand(add(part.start, mul(add(part.size, -1), part.stride)));
  // Constants may count from the end.
  if (part.start.isConst() && part.start.getValue() < 0 && last.isConst() &&
      last.getValue() < 0) {
    part.start = add(part.start, size);
    last = add(last, size);
  }
  if (!dims.isAtLeast(dims.expand(part.start), 0) ||
      !dims.isAtMost(add(last, 1), size))
    return std::nullopt;
  return part;
}

Value Replacer::replace(GatherOp op) {
  RankedTensorType type = getTensor(op.getOperand());
  int64_t axis = op.getAxis(), rank = getTensor(op.getIndices()).getRank();
  if (op.getBatch() != 0)
    return {};
  std::optional<Part> part = getPart(op.getIndices(), getDim(type, axis));
  if (!part)
    return {};
  OpBuilder b(op);
  SmallVector<DimExpr> sizes = getDims(type);
  sizes[axis] = part->size;
  SmallVector<Attribute> starts(type.getRank(), getConstDim(b.getContext(), 0));
  starts[axis] = part->start;
  SmallVector<int64_t> strides(type.getRank(), 1);
  strides[axis] = part->stride;
  Value slice = SliceOp::create(
      b, op.getLoc(), getTensorType(sizes, type.getElementType()),
      op.getOperand(), b.getArrayAttr(starts), strides);
  // The axes of the indices stand in place of the axis.
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != axis)
      axes.push_back(i < axis ? i : i + rank - 1);
    else if (part->axis >= 0)
      axes.push_back(axis + part->axis);
  if (part->axis < 0) {
    sizes.erase(sizes.begin() + axis);
    slice = createReshape(b, op.getLoc(), slice,
                          getTensorType(sizes, type.getElementType()));
  }
  if (slice.getType() == op.getType())
    return slice;
  return BroadcastOp::create(b, op.getLoc(), op.getType(), slice, axes);
}

std::optional<SmallVector<Part>> Replacer::getParts(ScatterNdOp op) const {
  RankedTensorType type = getTensor(op.getOperand());
  RankedTensorType indices = getTensor(op.getIndices());
  int64_t last = indices.getRank() - 1;
  auto columns = getConstantValue(getDim(indices, last));
  SmallVector<Value> values = {op.getIndices()};
  if (auto concat = op.getIndices().getDefiningOp<ConcatOp>())
    if (static_cast<int64_t>(concat.getAxis()) == last)
      values = concat.getOperands();
  if (!columns || *columns != int64_t(values.size()))
    return std::nullopt;
  SmallVector<Part> parts;
  llvm::SmallSet<int64_t, 4> used;
  for (auto [axis, value] : llvm::enumerate(values)) {
    if (!getDim(getTensor(value), last).isConst(1))
      return std::nullopt;
    std::optional<Part> part = getPart(value, getDim(type, axis));
    if (!part || part->stride != 1 ||
        (part->axis >= 0 && !used.insert(part->axis).second))
      return std::nullopt;
    parts.push_back(*part);
  }
  // No element is replaced twice.
  for (int64_t axis = 0; axis < last; ++axis)
    if (!used.contains(axis) && !getDim(indices, axis).isConst(1))
      return std::nullopt;
  for (int64_t axis = columns.value(); axis < type.getRank(); ++axis)
    parts.push_back({getConstDim(op.getContext(), 0), getDim(type, axis)});
  return parts;
}

Value Replacer::orderUpdates(TensorBuilder &b, ScatterNdOp op,
                             ArrayRef<Part> parts) {
  int64_t numAxes = getTensor(op.getIndices()).getRank() - 1;
  SmallVector<int64_t> order;
  SmallVector<DimExpr> sizes;
  for (const Part &part : parts) {
    sizes.push_back(part.size);
    if (part.axis >= 0)
      order.push_back(part.axis);
  }
  // Axes of one element may be anywhere, and then those of the operand follow.
  for (int64_t axis = 0, rank = getTensor(op.getUpdates()).getRank();
       axis < rank; ++axis)
    if (axis >= numAxes || !llvm::is_contained(order, axis))
      order.push_back(axis);
  Value updates = op.getUpdates();
  if (!llvm::is_sorted(order))
    updates = b.transpose(updates, order);
  return createReshape(b, op.getLoc(), updates,
                       b.getTensorType(sizes, op.getType().getElementType()));
}

Value Replacer::replace(ScatterNdOp op) {
  if (op.getKind() != ScatterKind::Replace)
    return {};
  std::optional<SmallVector<Part>> parts = getParts(op);
  RankedTensorType type = op.getType();
  DimExpr all = dims.getNumElements(type);
  DimExpr changed = dims.getNumElements(getTensor(op.getUpdates()));
  if (!parts || !dims.isAtMost(all, dims.expand(mul(changed, kLeastShare))))
    return {};
  TensorBuilder b(op, symbols);
  Value updates = orderUpdates(b, op, *parts);
  SmallVector<Attribute> low, high;
  Value isNew;
  auto require = [&](Value condition) {
    isNew = isNew ? AndOp::create(b, isNew, condition).getResult() : condition;
  };
  for (auto [axis, part] : llvm::enumerate(*parts)) {
    DimExpr size = getDim(type, axis), end = add(part.start, part.size);
    low.push_back(part.start);
    high.push_back(sub(size, end));
    if (isWhole(part, size))
      continue;
    Value index = b.iota(axis, op.getOperand());
    if (!part.start.isConst(0))
      require(b.compare(CompareDirection::GE, index,
                        b.fillSize(part.start, op.getOperand())));
    if (!dims.isEqual(end, size))
      require(b.compare(CompareDirection::LT, index,
                        b.fillSize(end, op.getOperand())));
  }
  if (!isNew)
    return createReshape(b, op.getLoc(), updates, type);
  auto zero = ConstantOp::create(
      b, RankedTensorType::get({}, type.getElementType()),
      DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                             b.getZeroAttr(type.getElementType())));
  Value padded = PadOp::create(b, type, updates, zero, PadMode::Constant,
                               b.getArrayAttr(low), b.getArrayAttr(high));
  return SelectOp::create(b, type, isNew, padded, op.getOperand());
}

namespace {
struct ReplaceIndicesPass
    : dhlo::impl::ReplaceIndicesPassBase<ReplaceIndicesPass> {
  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    Replacer replacer(symbols);
    numRows += replaceAll<GatherElementsOp>(replacer) +
               replaceAll<ScatterElementsOp>(replacer);
    numSliced += replaceAll<GatherOp>(replacer);
    numPadded += replaceAll<ScatterNdOp>(replacer);
    numSums += replaceIndices<GatherOp>(replacer) +
               replaceIndices<GatherElementsOp>(replacer);
    if (numRows + numSliced + numPadded + numSums == 0)
      markAllAnalysesPreserved();
  }

  /// Returns how many operations were replaced.
  template <typename Op> unsigned replaceAll(Replacer &replacer) {
    unsigned count = 0;
    for (Op op : collectOps<Op>(getOperation()))
      if (Value value = replacer.replace(op)) {
        op.replaceAllUsesWith(value);
        op.erase();
        ++count;
      }
    return count;
  }

  /// Returns how many operations have a sum of iotas as indices now.
  template <typename Op> unsigned replaceIndices(Replacer &replacer) {
    unsigned count = 0;
    for (Op op : collectOps<Op>(getOperation())) {
      OpBuilder b(op);
      DimExpr size = getDim(getTensor(op.getOperand()), op.getAxis());
      Value sum = replacer.getSum(b, op.getIndices(), size);
      if (!sum)
        continue;
      op.getIndicesMutable().assign(sum);
      ++count;
    }
    return count;
  }
};
} // namespace
