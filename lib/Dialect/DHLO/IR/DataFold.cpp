//===- DataFold.cpp - Folders of constants, data movement and reductions --===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Types are equal only if the names of their sizes are: an operation between
// two names of one size stays until dhlo-simplify-sizes unifies them.

#include "dyn/Dialect/DHLO/IR/DHLO.h"

using namespace mlir;
using namespace dyn::dhlo;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// The same splat with another type; null if the operand is not a splat.
static Attribute resplat(Attribute operand, RankedTensorType type) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(operand);
  if (!dense || !dense.isSplat() || !type.hasStaticShape())
    return {};
  return dense.resizeSplat(type);
}

/// Whether the list is 0, 1, 2, ...
static bool isIdentity(ArrayRef<int64_t> axes) {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != static_cast<int64_t>(i))
      return false;
  return true;
}

/// Whether all expressions are zero.
static bool areZero(ArrayAttr exprs) {
  return llvm::all_of(exprs.getAsRange<DimExprAttr>(),
                      [](DimExprAttr expr) { return expr.isConst(0); });
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (Attribute splat = resplat(adaptor.getOperand(), getType()))
    return splat;
  // Broadcast of a broadcast: the axes compose.
  auto inner = getOperand().getDefiningOp<BroadcastOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> axes;
  auto operand = cast<RankedTensorType>(inner.getOperand().getType());
  for (auto [i, axis] : llvm::enumerate(inner.getAxes())) {
    // The combined operation checks the operand against the result alone, so
    // the sizes in between must be legal by construction, or be checked by it
    // as well.
    DimExprAttr from = getDim(operand, i),
                middle = getDim(inner.getType(), axis);
    if (!from || (!from.isConst(1) && from != middle &&
                  middle != getDim(getType(), getAxes()[axis])))
      return {};
    axes.push_back(getAxes()[axis]);
  }
  getOperandMutable().assign(inner.getOperand());
  setAxes(axes);
  return getResult();
}

/// A size in terms of symbols without definition, as far as these are declared
/// in the enclosing symbol table.
static DimExprAttr expandDefinitions(DimExprAttr size, Operation *user,
                                     unsigned depth = 0) {
  // The verifier may not have excluded cyclic definitions yet.
  constexpr unsigned kMostDepth = 8;
  Operation *table = SymbolTable::getNearestSymbolTable(user);
  if (!table || depth == kMostDepth)
    return size;
  return substitute(size, [&](StringAttr name) -> DimExprAttr {
    auto dim =
        dyn_cast_or_null<DimOp>(SymbolTable::lookupSymbolIn(table, name));
    return dim && dim.getDefinitionAttr()
               ? expandDefinitions(dim.getDefinitionAttr(), user, depth + 1)
               : DimExprAttr();
  });
}

/// Whether tensors of both types have equally many elements for all sizes.
static bool hasSameCount(RankedTensorType lhs, RankedTensorType rhs,
                         Operation *user) {
  auto count = [&](RankedTensorType type, bool isExpanded) {
    DimExprAttr product = getConstDim(type.getContext(), 1);
    for (DimExprAttr size : getDims(type)) {
      if (!size)
        return DimExprAttr();
      product = mul(product, isExpanded ? expandDefinitions(size, user) : size);
    }
    return product;
  };
  auto isSame = [&](bool isExpanded) {
    DimExprAttr product = count(lhs, isExpanded);
    return product && product == count(rhs, isExpanded);
  };
  return isSame(/*isExpanded=*/false) || isSame(/*isExpanded=*/true);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (dense && getType().hasStaticShape())
    return dense.reshape(getType());
  // Reshape of a reshape: one of the two needs no check of sizes, and the check
  // of the other one is that of both.
  auto inner = getOperand().getDefiningOp<ReshapeOp>();
  if (!inner ||
      (!hasSameCount(inner.getOperand().getType(), inner.getType(), *this) &&
       !hasSameCount(inner.getType(), getType(), *this)))
    return {};
  getOperandMutable().assign(inner.getOperand());
  return getResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPermutation()) && getOperand().getType() == getType())
    return getOperand();
  if (Attribute splat = resplat(adaptor.getOperand(), getType()))
    return splat;
  auto inner = getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> permutation;
  for (int64_t axis : getPermutation())
    permutation.push_back(inner.getPermutation()[axis]);
  getOperandMutable().assign(inner.getOperand());
  setPermutation(permutation);
  return getResult();
}

/// Whether the slice is a part of weights, which the compiler cuts.
static bool isPartOfWeights(SliceOp slice) {
  Operation *op = slice;
  while (op && op->getNumOperands() == 1)
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<WeightOp, ConstantOp>(op) &&
         slice.getType().hasStaticShape();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  bool isUnit =
      llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  if (isUnit && areZero(getStarts()) && getOperand().getType() == getType())
    return getOperand();
  if (Attribute splat = resplat(adaptor.getOperand(), getType()))
    return splat;
  // Slice of a slice: start + (start' + i * stride') * stride.
  auto inner = getOperand().getDefiningOp<SliceOp>();
  // With one whose size calls have, a rank's part would keep the whole.
  if (!inner || (isPartOfWeights(inner) && !getType().hasStaticShape()))
    return {};
  SmallVector<Attribute> starts;
  SmallVector<int64_t> strides;
  for (auto [outerStart, outerStride, innerStart, innerStride] : llvm::zip(
           getStarts().getAsRange<DimExprAttr>(), getStrides(),
           inner.getStarts().getAsRange<DimExprAttr>(), inner.getStrides())) {
    int64_t stride;
    if (llvm::MulOverflow(outerStride, innerStride, stride))
      return {};
    starts.push_back(add(innerStart, mul(outerStart, innerStride)));
    strides.push_back(stride);
  }
  getOperandMutable().assign(inner.getOperand());
  setStartsAttr(ArrayAttr::get(getContext(), starts));
  setStrides(strides);
  return getResult();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  if (areZero(getLow()) && areZero(getHigh()) &&
      getOperand().getType() == getType())
    return getOperand();
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  // Empty operands contribute nothing.
  SmallVector<Value> kept;
  for (Value operand : getOperands())
    if (cast<RankedTensorType>(operand.getType()).getDimSize(getAxis()) != 0)
      kept.push_back(operand);
  if (kept.size() == 1 && kept.front().getType() == getType())
    return kept.front();
  if (kept.empty() || kept.size() == getNumOperands())
    return {};
  getOperandsMutable().assign(kept);
  return getResult();
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  // An index into a constant vector.
  auto operand = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  auto indices = dyn_cast_or_null<DenseElementsAttr>(adaptor.getIndices());
  if (!operand || !indices || operand.getType().getRank() != 1 ||
      indices.getNumElements() != 1)
    return {};
  int64_t index = indices.getSplatValue<APInt>().getSExtValue();
  int64_t size = operand.getNumElements();
  if (index < 0)
    index += size;
  // Out of range is a data error.
  if (index < 0 || index >= size)
    return {};
  return DenseElementsAttr::get(getType(),
                                operand.getValues<Attribute>()[index]);
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  if (getAxes().empty() && getOperand().getType() == getType())
    return getOperand();
  return {};
}
