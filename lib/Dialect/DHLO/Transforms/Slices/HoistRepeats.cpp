//===- HoistRepeats.cpp - Multiplies operands before their repetition -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A contraction over concatenated columns is a sum of contractions, one for
// each part:
//
//   dot(concat(x, y), w)  =  dot(x, w[rows of x])  +  dot(y, w[rows of y])
//
// A part that is the same for many rows, such as the query that is concatenated
// with each of the keys that it is compared with, is multiplied before it is
// repeated. The other parts stay together in one contraction, in the same
// order.

#include "Dialect/DHLO/Transforms/ConstantValues.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_HOISTREPEATSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// The minimum columns of a part: fewer do not save the cost of the addition.
constexpr int64_t kLeastColumns = 8;

/// Some columns of the LHS, and the rows of the matrix that they multiply.
struct Part {
  Value value;
  int64_t first, count;
  /// The source that `value` repeats, without the repeated axes, and the axes
  /// of `value` that it has, except the last. Null if nothing is repeated.
  Value repeated;
  SmallVector<int64_t> axes;
};

class Hoister {
public:
  explicit Hoister(const SymbolicDims &dims) : dims(dims), constants(dims) {}

  /// Whether the contraction was split.
  bool hoist(DotGeneralOp op);

private:
  static bool matchColumns(Value rows, SmallVectorImpl<Part> &parts);
  void matchRepeat(Part &part, OpBuilder &builder) const;

  const SymbolicDims &dims;
  ConstantValues constants;
};

/// Writes the contractions of the parts, whose LHS have the axes of `rows`.
class Writer {
public:
  Writer(DotGeneralOp op, RankedTensorType rows)
      : op(op), b(op.getLoc(), op), rows(rows) {}

  Value write(ArrayRef<Part> parts);

private:
  /// Contracts the last axis of `lhs` with these rows of the matrix.
  Value multiply(Value lhs, Value matrix);
  /// `count` rows of the matrix, from `first`.
  Value takeRows(int64_t first, int64_t count);
  /// Concatenates the values along an axis.
  Value join(ArrayRef<Value> values, int64_t axis);

  DotGeneralOp op;
  ImplicitLocOpBuilder b;
  RankedTensorType rows;
};

} // namespace

/// Splits rows into the operands that they are concatenated from.
bool Hoister::matchColumns(Value rows, SmallVectorImpl<Part> &parts) {
  int64_t last = getTensor(rows).getRank() - 1, first = 0;
  SmallVector<Value> values = {rows};
  if (auto concat = rows.getDefiningOp<ConcatOp>())
    if (static_cast<int64_t>(concat.getAxis()) == last)
      values = concat.getOperands();
  for (Value value : values) {
    auto count = getConstantValue(getDim(getTensor(value), last));
    if (!count)
      return false;
    parts.push_back({value, first, *count, {}, {}});
    first += *count;
  }
  return true;
}

void Hoister::matchRepeat(Part &part, OpBuilder &builder) const {
  auto broadcast = part.value.getDefiningOp<BroadcastOp>();
  RankedTensorType to = getTensor(part.value);
  if (!broadcast || part.count < kLeastColumns)
    return;
  RankedTensorType from = getTensor(broadcast.getOperand());
  SmallVector<DimExpr> sizes;
  SmallVector<int64_t> kept;
  for (auto [i, axis] : llvm::enumerate(broadcast.getAxes())) {
    DimExpr size = getDim(from, i);
    if (dims.isEqual(size, getDim(to, axis))) {
      sizes.push_back(size);
      kept.push_back(axis);
    } else if (!size.isConst(1)) {
      return; // only the run time knows whether it is repeated
    }
  }
  if (kept.empty() || kept.back() != to.getRank() - 1)
    return;
  bool isRepeated = false;
  for (int64_t axis = 0; axis != to.getRank(); ++axis)
    isRepeated |= !llvm::is_contained(kept, axis) &&
                  dims.getRange(getDim(to, axis)).max > 1;
  if (!isRepeated)
    return;
  part.repeated =
      createReshape(builder, broadcast.getLoc(), broadcast.getOperand(),
                    getTensorType(sizes, from.getElementType()));
  part.axes.assign(kept.begin(), std::prev(kept.end()));
}

Value Writer::multiply(Value lhs, Value matrix) {
  SmallVector<DimExpr> sizes = getDims(getTensor(lhs));
  int64_t last = sizes.size() - 1;
  sizes.back() = getDim(op.getType(), op.getType().getRank() - 1);
  return DotGeneralOp::create(
      b, getTensorType(sizes, op.getType().getElementType()), lhs, matrix, 0,
      ArrayRef<int64_t>{last}, op.getRhsContract());
}

Value Writer::takeRows(int64_t first, int64_t count) {
  RankedTensorType type = getTensor(op.getRhs());
  int64_t axis = op.getRhsContract()[0];
  SmallVector<DimExpr> sizes = getDims(type);
  sizes[axis] = getConstDim(b.getContext(), count);
  SmallVector<Attribute> starts(2, getConstDim(b.getContext(), 0));
  starts[axis] = getConstDim(b.getContext(), first);
  return SliceOp::create(b, getTensorType(sizes, type.getElementType()),
                         op.getRhs(), b.getArrayAttr(starts),
                         SmallVector<int64_t>(2, 1));
}

Value Writer::join(ArrayRef<Value> values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  SmallVector<DimExpr> sizes = getDims(getTensor(values.front()));
  for (Value value : values.drop_front())
    sizes[axis] = add(sizes[axis], getDim(getTensor(value), axis));
  Type element = getTensor(values.front()).getElementType();
  return ConcatOp::create(b, getTensorType(sizes, element), values, axis);
}

Value Writer::write(ArrayRef<Part> parts) {
  int64_t last = rows.getRank() - 1;
  SmallVector<DimExpr> sizes = getDims(rows);
  sizes.back() = getDim(op.getType(), op.getType().getRank() - 1);
  RankedTensorType type = getTensorType(sizes, op.getType().getElementType());

  SmallVector<Value> terms, values, matrices;
  for (size_t i = 0; i != parts.size();) {
    if (parts[i].repeated) {
      const Part &part = parts[i++];
      Value product = multiply(part.repeated, takeRows(part.first, part.count));
      SmallVector<int64_t> axes(part.axes);
      axes.push_back(last);
      terms.push_back(
          BroadcastOp::create(b, type, product, b.getDenseI64ArrayAttr(axes)));
      continue;
    }
    // Consecutive parts are also consecutive in the matrix.
    int64_t first = parts[i].first, end = first;
    for (; i != parts.size() && !parts[i].repeated; ++i) {
      values.push_back(parts[i].value);
      end += parts[i].count;
    }
    matrices.push_back(takeRows(first, end - first));
  }
  Value sum;
  if (!values.empty()) {
    sum = multiply(join(values, last), join(matrices, op.getRhsContract()[0]));
    // Equal sizes of the parts may have several expressions.
    sum = createReshape(b, op.getLoc(), sum, type);
  }
  for (Value term : terms)
    sum = sum ? AddOp::create(b, sum, term).getResult() : term;
  return createReshape(b, op.getLoc(), sum, op.getType());
}

bool Hoister::hoist(DotGeneralOp op) {
  RankedTensorType lhs = getTensor(op.getLhs());
  if (op.getBatch() != 0 || getTensor(op.getRhs()).getRank() != 2 ||
      op.getLhsContract() != ArrayRef<int64_t>{lhs.getRank() - 1} ||
      op.getRhsContract().size() != 1 ||
      !isa<FloatType>(op.getType().getElementType()) ||
      !constants.contains(op.getRhs()) || constants.contains(op.getLhs()))
    return false;
  // Row axes may have been collapsed into one.
  Value rows = op.getLhs();
  if (auto reshape = rows.getDefiningOp<ReshapeOp>()) {
    RankedTensorType from = getTensor(reshape.getOperand());
    if (from.getRank() > 0 &&
        getDim(from, from.getRank() - 1) == getDim(lhs, lhs.getRank() - 1))
      rows = reshape.getOperand();
  }
  SmallVector<Part> parts;
  if (!matchColumns(rows, parts))
    return false;
  OpBuilder builder(op);
  for (Part &part : parts)
    matchRepeat(part, builder);
  if (llvm::none_of(parts, [](const Part &part) { return part.repeated; }))
    return false;
  op.replaceAllUsesWith(Writer(op, getTensor(rows)).write(parts));
  constants.forget();
  eraseDead(op);
  return true;
}

namespace {
struct HoistRepeatsPass : dhlo::impl::HoistRepeatsPassBase<HoistRepeatsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    Hoister hoister(dims);
    for (DotGeneralOp op : collectOps<DotGeneralOp>(getOperation()))
      numHoisted += hoister.hoist(op);
    if (numHoisted == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
