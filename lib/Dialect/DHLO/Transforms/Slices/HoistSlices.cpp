//===- HoistSlices.cpp - Computes only elements that slices read ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A slice is swapped with its producer if that keeps the sliced axes apart, as
// indexing maps say: operands are read at the index of the result's element, or
// whatever the index is. Nothing is computed twice, since the slice must be the
// only user; a value with several users becomes a candidate again once all of
// them are the same slice, as in a residual connection:
//
//   slice(x + f(norm x))  ->  slice x + f(norm (slice x))
//
// New operations are created where the slice was: its sizes are available
// there, even if they are data-dependent.

#include "Dialect/DHLO/Transforms/ConstantValues.h"

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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
  /// The part of an operand from which the part of the result is computed.
  /// Nothing if there is no indexing map, or an axis of the operand depends on
  /// a sliced axis in another way than by the same index.
  std::optional<SmallVector<Part>> getOperandParts(OpOperand &operand) const;
  /// Whether the part of an axis of the result reads all that the whole axis
  /// reads, although what an index reads depends on it.
  bool readsAll(Operation *op, int64_t axis) const;
  /// Whether an operand is computed from weights, and would be cut.
  bool isPartOfWeight(Value operand, ArrayRef<Part> part);
  /// The slice of a value; an existing one if possible.
  Value cut(OpBuilder &b, Value value, ArrayRef<Part> parts);

  // Each returns the value that replaces the slice of its operation, or null.
  Value hoistOver(OpBuilder &b, SliceOp inner);
  Value hoistOver(OpBuilder &b, ReshapeOp op);
  Value hoistMapped(OpBuilder &b, Operation *op);
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

std::optional<SmallVector<Part>>
Hoister::getOperandParts(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  auto map = getIndexingMap(op, operand.getOperandNumber(), dims);
  if (!map)
    return std::nullopt;
  RankedTensorType type = getTensor(operand.get());
  SmallVector<Part> result;
  for (auto [i, index] : llvm::enumerate(*map)) {
    if (index.isSame()) {
      result.push_back(parts[index.axis]);
      continue;
    }
    for (int64_t axis = 0; axis < from.getRank(); ++axis)
      if (index.dependsOn(axis) && !isWhole(from, axis, parts[axis]) &&
          (index.kind != AxisIndex::Kind::Mixed || !readsAll(op, axis)))
        return std::nullopt;
    result.push_back(getWhole(type, i));
  }
  return result;
}

bool Hoister::readsAll(Operation *op, int64_t axis) const {
  // The last query of causal attention sees all keys, and so must the last one
  // of the slice.
  auto attention = dyn_cast<AttentionOp>(op);
  constexpr int64_t queries = 2;
  return attention && axis == queries &&
         isEnd(getDim(from, queries), parts[queries]);
}

bool Hoister::isPartOfWeight(Value operand, ArrayRef<Part> part) {
  RankedTensorType type = getTensor(operand);
  for (auto [axis, cut] : llvm::enumerate(part))
    if (!isWhole(type, axis, cut))
      return constants.contains(operand);
  return false;
}

Value Hoister::hoistMapped(OpBuilder &b, Operation *op) {
  if (op->getNumOperands() == 0)
    return {};
  SmallVector<SmallVector<Part>> operandParts;
  for (OpOperand &operand : op->getOpOperands()) {
    auto part = getOperandParts(operand);
    // A weight is packed once, in full.
    if (!part || (isa<DotGeneralOp, ConvolutionOp>(op) &&
                  isPartOfWeight(operand.get(), *part)))
      return {};
    operandParts.push_back(std::move(*part));
  }
  SmallVector<Value> operands;
  for (auto [operand, part] : llvm::zip_equal(op->getOperands(), operandParts))
    operands.push_back(cut(b, operand, part));
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(to);
  return copy->getResult(0);
}

Value Hoister::hoistOver(OpBuilder &b, ReshapeOp op) {
  // Each sliced axis must also be an axis of the operand.
  RankedTensorType type = getTensor(op.getOperand());
  SmallVector<AxisGroup> groups =
      getReshapeGroups(getDims(from), getDims(type), dims);
  SmallVector<Part> before;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    before.push_back(getWhole(type, axis));
  for (int64_t axis = 0; axis < from.getRank(); ++axis) {
    if (isWhole(from, axis, parts[axis]))
      continue;
    std::optional<int64_t> found = getReshapedAxis(groups, axis);
    if (!found)
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

bool Hoister::hoist(SliceOp slice) {
  Operation *op = slice.getOperand().getDefiningOp();
  if (!op || op->getBlock() != slice->getBlock() || op->getNumResults() != 1 ||
      !op->hasOneUse() || !isPure(op))
    return false;
  // Operations have been erased since the last slice.
  constants.forget();
  // A part of weights that is cut before calls, such as that of a rank: joined
  // with one whose size calls have, it would keep the whole.
  if (isa<SliceOp>(op) && constants.contains(op->getResult(0)) &&
      !slice.getType().hasStaticShape())
    return false;
  from = getTensor(slice.getOperand());
  to = slice.getType();
  parts.clear();
  for (auto [axis, start] :
       llvm::enumerate(slice.getStarts().getAsRange<DimExpr>()))
    parts.push_back({start, slice.getStrides()[axis], getDim(to, axis)});

  OpBuilder b(slice);
  Value result;
  if (auto inner = dyn_cast<SliceOp>(op))
    result = hoistOver(b, inner);
  else if (auto reshape = dyn_cast<ReshapeOp>(op))
    result = hoistOver(b, reshape);
  else
    result = hoistMapped(b, op);
  if (!result)
    return false;
  slice.replaceAllUsesWith(result);
  slice.erase();
  eraseDead(op);
  return true;
}

namespace {
struct HoistSlicesPass : dhlo::impl::HoistSlicesPassBase<HoistSlicesPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
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
