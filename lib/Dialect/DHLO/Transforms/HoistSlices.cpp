//===- HoistSlices.cpp - Computes only elements that slices read ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A slice is swapped with its producer if that keeps the sliced axes apart.
// Nothing is computed twice, since the slice must be the only user; a value
// with several users becomes a candidate again once all of them are the same
// slice, as in a residual connection:
//
//   slice(x + f(norm x))  ->  slice x + f(norm (slice x))
//
// New operations are created where the slice was: its sizes are available
// there, even if they are data-dependent.

#include "ConstantValues.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_HOISTSLICESPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// The part of an axis that a slice reads.
struct Part {
  DimExpr start;
  int64_t stride;
  DimExpr size;
};

class Hoister {
public:
  explicit Hoister(const SymbolicDims &dims) : dims(dims), constants(dims) {}

  /// Moves the slice before its operand's producer.
  bool hoist(SliceOp slice);

private:
  bool isWhole(RankedTensorType type, int64_t axis, const Part &part) const {
    return part.start == getConstDim(type.getContext(), 0) &&
           part.stride == 1 && dims.isEqual(getDim(type, axis), part.size);
  }
  /// Whether the part ends at the end of the axis, or is empty.
  bool isEnd(DimExpr whole, const Part &part) const;
  /// All of an axis.
  Part getWhole(RankedTensorType type, int64_t axis) const {
    return {getConstDim(type.getContext(), 0), 1, getDim(type, axis)};
  }
  /// The slice of a value; an existing one if possible.
  Value cut(OpBuilder &b, Value value, ArrayRef<Part> parts);

  // Each returns the value that replaces the slice of its operation, or null.
  Value hoistOver(OpBuilder &b, SliceOp inner);
  Value hoistOver(OpBuilder &b, TransposeOp op);
  Value hoistOver(OpBuilder &b, BroadcastOp op);
  Value hoistOver(OpBuilder &b, ReshapeOp op);
  Value hoistOver(OpBuilder &b, DotGeneralOp op);
  Value hoistOver(OpBuilder &b, AttentionOp op);
  Value hoistElementwise(OpBuilder &b, Operation *op);
  /// Norms and softmax: axes from `first` to `last` must not be sliced.
  Value hoistAlongRows(OpBuilder &b, Operation *op, int64_t first,
                       int64_t last);
  Value reshapeOperands(OpBuilder &b, ReshapeOp op);

  const SymbolicDims &dims;
  ConstantValues constants;
  /// Of the current slice.
  SmallVector<Part> parts;
  RankedTensorType from, to;
};

} // namespace

bool Hoister::isEnd(DimExpr whole, const Part &part) const {
  if (part.stride != 1)
    return false;
  if (dims.isEqual(add(part.start, part.size), whole))
    return true;
  // The last c elements: from max(0, whole - c), of size min(c, whole).
  DimExpr size = dims.expand(part.size), zero = sub(whole, whole);
  auto operands = llvm::seq<unsigned>(
      0, size.getKind() == DimExprKind::Min ? size.getNumOperands() : 0);
  return llvm::any_of(operands, [&](unsigned i) {
    DimExpr c = size.getOperand(i);
    return dims.isEqual(size, min(c, whole)) &&
           dims.isEqual(part.start, max(zero, sub(whole, c)));
  });
}

Value Hoister::cut(OpBuilder &b, Value value, ArrayRef<Part> parts) {
  RankedTensorType type = getTensor(value);
  SmallVector<Attribute> starts;
  SmallVector<int64_t> strides;
  SmallVector<DimExpr> sizes;
  bool isAll = true;
  for (auto [axis, part] : llvm::enumerate(parts)) {
    starts.push_back(part.start);
    strides.push_back(part.stride);
    sizes.push_back(part.size);
    isAll &= isWhole(type, axis, part);
  }
  if (isAll)
    return value;
  auto slice = SliceOp::create(b, value.getLoc(),
                               getTensorType(sizes, type.getElementType()),
                               value, b.getArrayAttr(starts), strides);
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    auto other = dyn_cast<SliceOp>(user);
    if (!other || other == slice || other->getBlock() != slice->getBlock() ||
        other.getStarts() != slice.getStarts() ||
        other.getStrides() != slice.getStrides() ||
        other.getType() != slice.getType())
      continue;
    if (other->isBeforeInBlock(slice)) {
      slice.erase();
      return other;
    }
    // The caller's list of slices may contain it: it stays, without users.
    other.replaceAllUsesWith(slice.getResult());
  }
  return slice;
}

Value Hoister::hoistOver(OpBuilder &b, SliceOp inner) {
  SmallVector<Part> all;
  auto starts = inner.getStarts().getAsRange<DimExpr>();
  for (auto [start, stride, part] :
       llvm::zip_equal(starts, inner.getStrides(), parts)) {
    int64_t product;
    if (llvm::MulOverflow(stride, part.stride, product))
      return {};
    all.push_back({add(start, mul(part.start, stride)), product, part.size});
  }
  return cut(b, inner.getOperand(), all);
}

Value Hoister::hoistOver(OpBuilder &b, TransposeOp op) {
  SmallVector<Part> before(parts);
  for (auto [i, axis] : llvm::enumerate(op.getPermutation()))
    before[axis] = parts[i];
  Value operand = cut(b, op.getOperand(), before);
  return TransposeOp::create(b, op.getLoc(), to, operand, op.getPermutation());
}

Value Hoister::hoistOver(OpBuilder &b, BroadcastOp op) {
  RankedTensorType type = getTensor(op.getOperand());
  SmallVector<Part> before;
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    DimExpr size = getDim(type, i);
    bool isRepeated = getConstantValue(size) == 1;
    if (!isRepeated && !isWhole(from, axis, parts[axis]) &&
        !dims.isEqual(size, getDim(from, axis)))
      return {};
    before.push_back(isRepeated || isWhole(from, axis, parts[axis])
                         ? getWhole(type, i)
                         : parts[axis]);
  }
  Value operand = cut(b, op.getOperand(), before);
  return BroadcastOp::create(b, op.getLoc(), to, operand, op.getAxesAttr());
}

Value Hoister::hoistElementwise(OpBuilder &b, Operation *op) {
  if (!llvm::all_of(op->getOperands(), [&](Value operand) {
        return dims.hasSameSizes(getTensor(operand), from);
      }))
    return {};
  return hoistAlongRows(b, op, from.getRank(), from.getRank());
}

Value Hoister::hoistAlongRows(OpBuilder &b, Operation *op, int64_t first,
                              int64_t last) {
  for (int64_t axis = first; axis < last; ++axis)
    if (!isWhole(from, axis, parts[axis]))
      return {};
  // Scale and bias only have axes that are not sliced.
  IRMapping map;
  for (Value operand : op->getOperands())
    if (dims.hasSameSizes(getTensor(operand), from))
      map.map(operand, cut(b, operand, parts));
  Operation *copy = b.clone(*op, map);
  copy->getResult(0).setType(to);
  return copy->getResult(0);
}

Value Hoister::hoistOver(OpBuilder &b, ReshapeOp op) {
  // Each sliced axis must also be an axis of the operand: of the same size, and
  // with equally many elements before it.
  RankedTensorType type = getTensor(op.getOperand());
  SmallVector<Part> before;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    before.push_back(getWhole(type, axis));
  auto count = [&](RankedTensorType of, int64_t end) {
    DimExpr product = getConstDim(of.getContext(), 1);
    for (int64_t axis = 0; axis < end; ++axis)
      product = mul(product, getDim(of, axis));
    return product;
  };
  for (int64_t axis = 0; axis < from.getRank(); ++axis) {
    if (isWhole(from, axis, parts[axis]))
      continue;
    auto axes = llvm::seq<int64_t>(0, type.getRank());
    auto found = llvm::find_if(axes, [&](int64_t i) {
      return dims.isEqual(getDim(type, i), getDim(from, axis)) &&
             dims.isEqual(count(type, i), count(from, axis));
    });
    if (found == axes.end())
      return reshapeOperands(b, op);
    before[*found] = parts[axis];
  }
  return ReshapeOp::create(b, op.getLoc(), to, cut(b, op.getOperand(), before));
}

/// The reshape of [N, C] to [..., C] moves before the operation instead, and
/// the slice after it stays for the next round: matmuls with one matrix are
/// often written for rows without batches.
Value Hoister::reshapeOperands(OpBuilder &b, ReshapeOp op) {
  Operation *producer = op.getOperand().getDefiningOp();
  RankedTensorType type = getTensor(op.getOperand());
  int64_t last = from.getRank() - 1;
  if (!producer || !producer->hasOneUse() ||
      producer->getBlock() != op->getBlock() || type.getRank() != 2 ||
      !dims.isEqual(getDim(type, 1), getDim(from, last)))
    return {};
  auto reshape = [&](Value value) {
    SmallVector<DimExpr> sizes = getDims(from);
    sizes.back() = getDim(getTensor(value), 1);
    auto type = getTensorType(sizes, getTensor(value).getElementType());
    return createReshape(b, op.getLoc(), value, type);
  };
  Value result;
  if (auto dot = dyn_cast<DotGeneralOp>(producer)) {
    if (dot.getBatch() != 0 || getTensor(dot.getLhs()).getRank() != 2 ||
        dot.getLhsContract() != ArrayRef<int64_t>{1})
      return {};
    result = DotGeneralOp::create(b, dot.getLoc(), from, reshape(dot.getLhs()),
                                  dot.getRhs(), 0, ArrayRef<int64_t>{last},
                                  dot.getRhsContract());
  } else if (auto broadcast = dyn_cast<BroadcastOp>(producer)) {
    if (broadcast.getAxes() != ArrayRef<int64_t>{1})
      return {};
    result =
        BroadcastOp::create(b, broadcast.getLoc(), from, broadcast.getOperand(),
                            b.getDenseI64ArrayAttr({last}));
  } else if (producer->hasTrait<dhlo::Elementwise>() && isPure(producer) &&
             llvm::all_of(producer->getOperands(), [&](Value operand) {
               return dims.hasSameSizes(getTensor(operand), type);
             })) {
    IRMapping map;
    for (Value operand : producer->getOperands())
      map.map(operand, reshape(operand));
    Operation *copy = b.clone(*producer, map);
    copy->getResult(0).setType(from);
    result = copy->getResult(0);
  } else {
    return {};
  }
  return cut(b, result, parts);
}

Value Hoister::hoistOver(OpBuilder &b, DotGeneralOp op) {
  int64_t batch = op.getBatch(), axis = batch;
  // Result axes are the batch axes, the free axes of the LHS, those of the RHS.
  auto getParts = [&](Value operand, ArrayRef<int64_t> contract) {
    RankedTensorType type = getTensor(operand);
    SmallVector<Part> result;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (i < batch)
        result.push_back(parts[i]);
      else if (llvm::is_contained(contract, i))
        result.push_back(getWhole(type, i));
      else
        result.push_back(parts[axis++]);
    }
    return result;
  };
  SmallVector<Part> lhs = getParts(op.getLhs(), op.getLhsContract());
  SmallVector<Part> rhs = getParts(op.getRhs(), op.getRhsContract());
  // A weight is packed once, in full.
  auto isPartOfConstant = [&](Value operand, ArrayRef<Part> parts) {
    RankedTensorType type = getTensor(operand);
    for (auto [i, part] : llvm::enumerate(parts))
      if (!isWhole(type, i, part))
        return constants.contains(operand);
    return false;
  };
  if (isPartOfConstant(op.getLhs(), lhs) || isPartOfConstant(op.getRhs(), rhs))
    return {};
  Value left = cut(b, op.getLhs(), lhs), right = cut(b, op.getRhs(), rhs);
  return DotGeneralOp::create(b, op.getLoc(), to, left, right, op.getBatch(),
                              op.getLhsContract(), op.getRhsContract());
}

Value Hoister::hoistOver(OpBuilder &b, AttentionOp op) {
  // Fewer queries; no other axis is sliced.
  constexpr int64_t rows = 2;
  for (int64_t axis : {0, 1, 3})
    if (!isWhole(from, axis, parts[axis]))
      return {};
  // The last query sees all keys, and so must the last one of the slice.
  const Part &part = parts[rows];
  if (op.getCausal() && !isEnd(getDim(from, rows), part))
    return {};
  auto cutRows = [&](Value value) {
    RankedTensorType type = getTensor(value);
    SmallVector<Part> before;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      before.push_back(axis == rows ? part : getWhole(type, axis));
    return cut(b, value, before);
  };
  Value mask = op.getMask();
  bool isRepeated =
      mask && getConstantValue(getDim(getTensor(mask), rows)) == 1;
  if (mask && !isRepeated &&
      !dims.isEqual(getDim(getTensor(mask), rows), getDim(from, rows)))
    return {};
  Value query = cutRows(op.getQuery());
  if (mask && !isRepeated)
    mask = cutRows(mask);
  auto result = cast<AttentionOp>(b.clone(*op));
  result.getQueryMutable().assign(query);
  if (mask)
    result.getMaskMutable().assign(mask);
  result.getResult().setType(to);
  return result;
}

bool Hoister::hoist(SliceOp slice) {
  Operation *op = slice.getOperand().getDefiningOp();
  if (!op || op->getBlock() != slice->getBlock() || op->getNumResults() != 1 ||
      !op->hasOneUse() || !isPure(op))
    return false;
  from = getTensor(slice.getOperand());
  to = slice.getType();
  parts.clear();
  for (auto [axis, start] :
       llvm::enumerate(slice.getStarts().getAsRange<DimExpr>()))
    parts.push_back({start, slice.getStrides()[axis], getDim(to, axis)});

  OpBuilder b(slice);
  auto over = [&](auto op) { return hoistOver(b, op); };
  Value result =
      TypeSwitch<Operation *, Value>(op)
          // Each is hoisted over in a way of its own.
          .Case<SliceOp, TransposeOp, BroadcastOp, ReshapeOp, DotGeneralOp,
                AttentionOp>(over)
          .Case<LayerNormOp, RmsNormOp>([&](auto norm) {
            return hoistAlongRows(b, op, norm.getAxis(), from.getRank());
          })
          .Case<SoftmaxOp>([&](SoftmaxOp softmax) {
            int64_t axis = softmax.getAxis();
            return hoistAlongRows(b, op, axis, axis + 1);
          })
          .Default([&](Operation *) {
            return op->hasTrait<dhlo::Elementwise>() && op->getNumOperands() > 0
                       ? hoistElementwise(b, op)
                       : Value();
          });
  if (!result)
    return false;
  slice.replaceAllUsesWith(result);
  slice.erase();
  constants.forget();
  eraseDead(op);
  return true;
}

namespace {
struct HoistSlicesPass : dhlo::impl::HoistSlicesPassBase<HoistSlicesPass> {
  void runOnOperation() override {
    SymbolicDims dims(getOperation());
    Hoister hoister(dims);
    // A round may remove the last other user of a value that the next one
    // moves.
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      auto slices = collectOps<SliceOp>(getOperation());
      for (SliceOp slice : llvm::reverse(slices)) {
        if (slice->use_empty()) {
          slice.erase();
        } else if (hoister.hoist(slice)) {
          ++numHoisted;
          isChanged = true;
          break;
        }
      }
    }
    if (numHoisted == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
