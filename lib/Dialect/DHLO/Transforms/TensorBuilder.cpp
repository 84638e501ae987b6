//===- TensorBuilder.cpp - A builder that infers types of dhlo operations -===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

using namespace mlir;
using namespace dyn;
using dyn::dhlo::DimExpr;
using dyn::dhlo::Sizes;

Value TensorBuilder::fill(TypedAttr value, ArrayRef<DimExpr> sizes) {
  auto scalar = RankedTensorType::get({}, value.getType());
  Value constant = dhlo::ConstantOp::create(
      *this, DenseElementsAttr::get(scalar, static_cast<Attribute>(value)));
  return dhlo::BroadcastOp::create(*this, getTensorType(sizes, value.getType()),
                                   constant, ArrayRef<int64_t>());
}

Value TensorBuilder::fillLeast(Type element, ArrayRef<DimExpr> sizes) {
  if (auto type = dyn_cast<FloatType>(element))
    return fill(getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                                   /*Negative=*/true)),
                sizes);
  unsigned width = element.getIntOrFloatBitWidth();
  APInt least = element.isUnsignedInteger() ? APInt::getMinValue(width)
                                            : APInt::getSignedMinValue(width);
  return fill(getIntegerAttr(element, least), sizes);
}

Value TensorBuilder::fillZero(Value like) {
  return fill(cast<TypedAttr>(getZeroAttr(typeOf(like).getElementType())),
              sizesOf(like));
}

Value TensorBuilder::fillInteger(int64_t value, Value like) {
  return fill(getI64IntegerAttr(value), sizesOf(like));
}

Value TensorBuilder::fillSize(DimExpr size, Value like) {
  if (size.isConst())
    return fillInteger(size.getValue(), like);
  Value scalar = dhlo::FromDimsOp::create(
      *this, RankedTensorType::get({}, getI64Type()), getArrayAttr({size}));
  return dhlo::BroadcastOp::create(*this,
                                   getTensorType(sizesOf(like), getI64Type()),
                                   scalar, ArrayRef<int64_t>());
}

Value TensorBuilder::iota(int64_t axis, Value like) {
  auto exprs = [&](int64_t value) {
    return getArrayAttr({dhlo::getConstDim(getContext(), value)});
  };
  auto type = getTensorType(sizesOf(like), getI64Type());
  return dhlo::IotaOp::create(*this, type, axis, exprs(0), exprs(1));
}

Value TensorBuilder::reshape(Value value, ArrayRef<DimExpr> sizes) {
  RankedTensorType type = getTensorType(sizes, typeOf(value).getElementType());
  if (type == value.getType())
    return value;
  return dhlo::ReshapeOp::create(*this, type, value);
}

Value TensorBuilder::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  Sizes sizes = dhlo::inferTranspose(sizesOf(value), permutation);
  return dhlo::TransposeOp::create(
      *this, getTensorType(sizes, typeOf(value).getElementType()), value,
      permutation);
}

Value TensorBuilder::convert(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return dhlo::ConvertOp::create(
      *this, dhlo::withElementType(typeOf(value), element), value);
}

Value TensorBuilder::gatherRows(Value value, Value indices) {
  Sizes sizes = dhlo::inferGather(sizesOf(value), sizesOf(indices), 0, 0);
  return dhlo::GatherOp::create(
      *this, getTensorType(sizes, typeOf(value).getElementType()), value,
      indices, /*axis=*/0, /*batch=*/0);
}

Value TensorBuilder::select(Value mask, Value value, Value other) {
  RankedTensorType type = typeOf(value);
  if (typeOf(mask).getRank() != type.getRank())
    mask = dhlo::BroadcastOp::create(
        *this, dhlo::withElementType(type, getI1Type()), mask,
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(mask).getRank())));
  return dhlo::SelectOp::create(*this, type, mask, value, other);
}

Value TensorBuilder::compare(dhlo::CompareDirection direction, Value lhs,
                             Value rhs) {
  return dhlo::CompareOp::create(
      *this, dhlo::withElementType(typeOf(lhs), getI1Type()), direction, lhs,
      rhs);
}

Value TensorBuilder::isValid(Value integers) {
  return compare(dhlo::CompareDirection::GE, integers,
                 fillInteger(0, integers));
}

Value TensorBuilder::clampToZero(Value integers) {
  return dhlo::MaximumOp::create(*this, integers, fillInteger(0, integers));
}

Value TensorBuilder::argsort(Value vector, bool descending) {
  auto sort = dhlo::SortOp::create(
      *this, vector.getType(),
      dhlo::withElementType(typeOf(vector), getI64Type()), vector,
      /*axis=*/0, descending);
  return sort.getIndices();
}
