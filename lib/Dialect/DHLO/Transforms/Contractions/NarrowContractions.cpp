//===- NarrowContractions.cpp - Multiplies quantised integers as bytes ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With bytes x and w, zero points p and q, and u = w - q:
//
//   sum (x - p) * u  =  sum x * w  -  q * sum x  -  p * sum u
//
// All of it modulo 2^32, as i32 is. The last sum is a constant if w is, which
// has usually no zero point then.

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_NARROWCONTRACTIONSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// The distance between bytes of one signedness and those of the other.
constexpr int64_t kShift = 128;

bool isByte(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// The number that all elements of an integer constant have, looking through
/// repetition and conversions from bytes.
std::optional<int64_t> getSplatInteger(Value value) {
  SmallVector<Type> types;
  while (Operation *op = value.getDefiningOp()) {
    bool isOfBytes = isa<ConvertOp>(op) &&
                     isByte(getTensor(op->getOperand(0)).getElementType());
    if (!isOfBytes && !isa<BroadcastOp, ReshapeOp>(op))
      break;
    types.push_back(getTensor(op->getResult(0)).getElementType());
    value = op->getOperand(0);
  }
  DenseElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || !attr.isSplat() ||
      !isa<IntegerType>(attr.getElementType()))
    return std::nullopt;
  auto read = [](Type type, const APInt &number) {
    return type.isUnsignedInteger()
               ? static_cast<int64_t>(number.getZExtValue())
               : number.getSExtValue();
  };
  int64_t number = read(attr.getElementType(), attr.getSplatValue<APInt>());
  // Bytes of the other signedness reinterpret the same bits.
  for (Type type : llvm::reverse(types))
    if (isByte(type))
      number = read(type, APInt(8, number, /*isSigned=*/true,
                                /*implicitTrunc=*/true));
  return number;
}

/// The bytes of an i32 constant, if all its elements are bytes: small
/// conversions have been folded. Null otherwise.
Value narrowConstant(Value value) {
  DenseIntElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) ||
      !attr.getElementType().isSignlessInteger(32) ||
      llvm::any_of(attr.getValues<APInt>(),
                   [](const APInt &v) { return !v.isSignedIntN(8); }))
    return {};
  OpBuilder builder(value.getDefiningOp());
  auto narrow = llvm::cast<DenseElementsAttr>(attr.mapValues(
      builder.getI8Type(), [](const APInt &v) { return v.trunc(8); }));
  return ConstantOp::create(builder, value.getLoc(), narrow);
}

/// A zero point: `values + number`, broadcast to an operand. `values` may be
/// null.
struct ZeroPoint {
  Value values; ///< i32
  /// For each axis of `values`, the operand's axis.
  SmallVector<int64_t> axes;
  int64_t number = 0;

  bool isZero() const { return !values && number == 0; }
};

/// One operand of a contraction: bytes less a zero point.
struct Side {
  Value operand; ///< of the contraction: bytes, or i32
  Value bytes;
  ZeroPoint zero;
  int64_t batch;
  ArrayRef<int64_t> contract;
  /// For each axis of the operand that is not contracted, the result's axis.
  SmallVector<int64_t> resultAxes;
};

class Narrower {
public:
  /// Whether the contraction became one of bytes.
  bool narrow(DotGeneralOp op);

private:
  /// Sets the reason if it fails.
  std::optional<Side> match(OpOperand &operand, int64_t batch,
                            ArrayRef<int64_t> contract, int64_t firstFree,
                            StringRef &reason);
  static std::optional<ZeroPoint> matchZeroPoint(Value value,
                                                 ArrayRef<int64_t> contract);
};

} // namespace

std::optional<ZeroPoint> Narrower::matchZeroPoint(Value value,
                                                  ArrayRef<int64_t> contract) {
  ZeroPoint zero;
  if (std::optional<int64_t> number = getSplatInteger(value)) {
    zero.number = *number;
    return zero;
  }
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return std::nullopt;
  zero.values = broadcast.getOperand();
  zero.axes.assign(broadcast.getAxes());
  // Contracted axes of the zero point have size 1 and are dropped.
  SmallVector<DimExpr> sizes;
  SmallVector<int64_t> axes;
  for (auto [i, axis] : llvm::enumerate(zero.axes)) {
    DimExpr size = getDim(getTensor(zero.values), i);
    if (llvm::is_contained(contract, axis) && !size.isConst(1))
      return std::nullopt;
    if (llvm::is_contained(contract, axis))
      continue;
    sizes.push_back(size);
    axes.push_back(axis);
  }
  if (axes.size() != zero.axes.size()) {
    OpBuilder builder(broadcast);
    zero.values =
        createReshape(builder, value.getLoc(), zero.values,
                      getTensorType(sizes, getTensor(value).getElementType()));
    zero.axes = axes;
  }
  return zero;
}

std::optional<Side> Narrower::match(OpOperand &operand, int64_t batch,
                                    ArrayRef<int64_t> contract,
                                    int64_t firstFree, StringRef &reason) {
  Value value = operand.get();
  Side side = {value, value, {}, batch, contract, {}};
  int64_t rank = getTensor(value).getRank();
  for (int64_t axis = 0; axis != rank; ++axis)
    if (axis < batch)
      side.resultAxes.push_back(axis);
    else
      side.resultAxes.push_back(
          llvm::is_contained(contract, axis) ? -1 : firstFree++);
  if (isByte(getTensor(value).getElementType()))
    return side;
  if (auto sub = value.getDefiningOp<SubOp>()) {
    std::optional<ZeroPoint> zero = matchZeroPoint(sub.getRhs(), contract);
    if (!zero) {
      reason = "its zero point varies along what is summed";
      return std::nullopt;
    }
    side.zero = *zero;
    value = sub.getLhs();
  }
  if (Value narrow = narrowConstant(value)) {
    side.bytes = narrow;
    return side;
  }
  auto convert = value.getDefiningOp<ConvertOp>();
  if (!convert || !isByte(getTensor(convert.getOperand()).getElementType())) {
    reason = "it is not made of bytes";
    return std::nullopt;
  }
  side.bytes = convert.getOperand();
  return side;
}

namespace {
/// Writes the contraction of two operands.
class Writer {
public:
  explicit Writer(DotGeneralOp op)
      : op(op), b(op.getLoc(), op), type(op.getType()) {}

  Value write(Side &lhs, Side &rhs) {
    // p is multiplied with the sum of w - q, which a shift of w does not
    // change.
    Value centred = rhs.operand == rhs.bytes
                        ? convert(rhs.bytes, b.getI32Type())
                        : rhs.operand;
    if (!getTensor(lhs.bytes).getElementType().isUnsignedInteger())
      shift(lhs, kShift);
    if (getTensor(rhs.bytes).getElementType().isUnsignedInteger())
      shift(rhs, -kShift);
    Value result =
        DotGeneralOp::create(b, type, lhs.bytes, rhs.bytes, op.getBatch(),
                             op.getLhsContract(), op.getRhsContract());
    result = subtract(result, lhs, centred, rhs);
    if (rhs.zero.isZero())
      return result;
    return subtract(result, rhs, convert(lhs.bytes, b.getI32Type()), lhs);
  }

private:
  Value convert(Value value, Type element) {
    return ConvertOp::create(
        b, getTensorType(getDims(getTensor(value)), element), value);
  }

  Value constant(RankedTensorType type, const APInt &number) {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value value =
        ConstantOp::create(b, scalar, DenseElementsAttr::get(scalar, number));
    return BroadcastOp::create(b, type, value, b.getDenseI64ArrayAttr({}));
  }

  /// Converts to bytes of the other signedness, whose zero point is larger by
  /// `by`.
  void shift(Side &side, int64_t by) {
    RankedTensorType from = getTensor(side.bytes);
    Value bits =
        XorOp::create(b, from, side.bytes, constant(from, APInt(8, kShift)));
    side.bytes =
        convert(bits, IntegerType::get(b.getContext(), 8,
                                       from.getElementType().isUnsignedInteger()
                                           ? IntegerType::Signless
                                           : IntegerType::Unsigned));
    side.zero.number += by;
  }

  /// Subtracts the zero point of `side` times the sums of `wide`, which is the
  /// operand of the `other` side.
  Value subtract(Value dot, const Side &side, Value wide, const Side &other) {
    const ZeroPoint &zero = side.zero;
    if (zero.isZero())
      return dot;
    SmallVector<DimExpr> sizes;
    SmallVector<int64_t> axes;
    for (auto [axis, resultAxis] : llvm::enumerate(other.resultAxes))
      if (resultAxis >= 0) {
        sizes.push_back(getDim(getTensor(wide), axis));
        axes.push_back(resultAxis);
      }
    SmallVector<int64_t> summed(other.contract);
    llvm::sort(summed);
    auto sumType = getTensorType(sizes, b.getI32Type());
    Value sum = ReduceOp::create(b, sumType, ReduceKind::Sum, wide, summed);
    auto number = [&](RankedTensorType type) {
      return constant(type, APInt(32, zero.number, /*isSigned=*/true,
                                  /*implicitTrunc=*/true));
    };
    if (!zero.values) {
      sum = MulOp::create(b, sum, number(sumType));
      Value term =
          BroadcastOp::create(b, type, sum, b.getDenseI64ArrayAttr(axes));
      return SubOp::create(b, dot, term);
    }
    Value values = zero.values;
    if (zero.number)
      values = AddOp::create(b, values, number(getTensor(values)));
    SmallVector<int64_t> factorAxes;
    for (int64_t axis : zero.axes)
      factorAxes.push_back(side.resultAxes[axis]);
    Value factor = BroadcastOp::create(b, type, values,
                                       b.getDenseI64ArrayAttr(factorAxes));
    Value sums =
        BroadcastOp::create(b, type, sum, b.getDenseI64ArrayAttr(axes));
    return SubOp::create(b, dot, MulOp::create(b, factor, sums));
  }

  DotGeneralOp op;
  ImplicitLocOpBuilder b;
  RankedTensorType type;
};
} // namespace

bool Narrower::narrow(DotGeneralOp op) {
  if (!op.getType().getElementType().isInteger(32) ||
      op.getType().getElementType().isUnsignedInteger())
    return false;
  Type lhsElement = getTensor(op.getLhs()).getElementType();
  Type rhsElement = getTensor(op.getRhs()).getElementType();
  // Already as kernels expect it.
  if (isByte(lhsElement) && lhsElement.isUnsignedInteger() &&
      isByte(rhsElement) && !rhsElement.isUnsignedInteger())
    return false;
  StringRef reason;
  int64_t batch = op.getBatch();
  int64_t lhsFree =
      getTensor(op.getLhs()).getRank() - batch - op.getLhsContract().size();
  std::optional<Side> lhs =
      match(op.getLhsMutable(), batch, op.getLhsContract(), batch, reason);
  if (!lhs) {
    op.emitRemark("not a contraction of bytes: the LHS is refused, ") << reason;
    return false;
  }
  std::optional<Side> rhs = match(op.getRhsMutable(), batch,
                                  op.getRhsContract(), batch + lhsFree, reason);
  if (!rhs) {
    op.emitRemark("not a contraction of bytes: the RHS is refused, ") << reason;
    return false;
  }
  op.replaceAllUsesWith(Writer(op).write(*lhs, *rhs));
  eraseDead(op);
  return true;
}

namespace {
struct NarrowContractionsPass
    : dhlo::impl::NarrowContractionsPassBase<NarrowContractionsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    Narrower narrower;
    for (DotGeneralOp op : collectOps<DotGeneralOp>(getOperation()))
      numNarrowed += narrower.narrow(op);
    if (numNarrowed == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
