//===- CompositeVerify.cpp - Verifiers of composite operations ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn::dhlo;

LogicalResult SoftmaxOp::verify() {
  // softmax_c1
  return verifyAxis(*this, getAxis(), getType().getRank());
}

/// Scale and bias of a norm have the operand's sizes from `axis` on.
static LogicalResult verifyNormParameter(Operation *op, StringRef name,
                                         Value parameter, Value operand,
                                         int64_t axis) {
  if (failed(verifyElementType(op, name, parameter,
                               typeOf(operand).getElementType())))
    return failure();
  Sizes sizes = sizesOf(operand);
  return verifySizes(op, name, ArrayRef(sizes).drop_front(axis), parameter);
}

LogicalResult LayerNormOp::verify() {
  // layer_norm_c1
  if (failed(verifyAxis(*this, getAxis(), getType().getRank())))
    return failure();
  // layer_norm_c2
  if (failed(verifyNormParameter(*this, "scale", getScale(), getOperand(),
                                 getAxis())))
    return failure();
  if (!getBias())
    return success();
  return verifyNormParameter(*this, "bias", getBias(), getOperand(), getAxis());
}

LogicalResult RmsNormOp::verify() {
  // rms_norm_c1
  if (failed(verifyAxis(*this, getAxis(), getType().getRank())))
    return failure();
  // rms_norm_c2
  return verifyNormParameter(*this, "scale", getScale(), getOperand(),
                             getAxis());
}

LogicalResult AttentionOp::verify() {
  // attention_c1
  if (failed(verifyRank(*this, "query", getQuery(), 4)) ||
      failed(verifyRank(*this, "key", getKey(), 4)) ||
      failed(verifyRank(*this, "value", getValue(), 4)))
    return failure();
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey());
  Sizes value = sizesOf(getValue());
  if (failed(
          verifySizes(*this, "key", {query[0], {}, {}, query[3]}, getKey())) ||
      failed(verifySizes(*this, "value", {query[0], key[1], key[2], {}},
                         getValue())))
    return failure();
  auto heads = getConstantValue(query[1]), groups = getConstantValue(key[1]);
  if (heads && groups && (*groups == 0 ? *heads != 0 : *heads % *groups != 0))
    return emitOpError("expected a number of query heads divisible by ")
           << *groups << ", found " << *heads;
  if (Value mask = getMask()) {
    Sizes scores = {query[0], query[1], query[2], key[2]};
    if (failed(verifyRank(*this, "mask", mask, 4)))
      return failure();
    for (auto [axis, size] : llvm::enumerate(sizesOf(mask)))
      if (!size.isConst(1) &&
          failed(verifySize(*this, "mask", axis, scores[axis], size)))
        return failure();
  }
  // attention_c2
  Type element = typeOf(getQuery()).getElementType();
  if (failed(verifyElementType(*this, "key", getKey(), element)) ||
      failed(verifyElementType(*this, "value", getValue(), element)) ||
      failed(verifyElementType(*this, "result", getResult(), element)))
    return failure();
  if (getMask() && !typeOf(getMask()).getElementType().isInteger(1) &&
      failed(verifyElementType(*this, "mask", getMask(), element)))
    return failure();
  // attention_c3
  if (auto cap = getCap(); cap && !(cap->isFinite() && *cap > APFloat(0.0)))
    return emitOpError("expected a positive and finite cap, found ")
           << cap->convertToDouble();
  return verifyInferredSizes(*this);
}

LogicalResult LstmOp::verify() {
  // lstm_c1
  if (failed(verifyRank(*this, "gates", getGates(), 4)) ||
      failed(verifyRank(*this, "recurrent", getRecurrent(), 3)))
    return failure();
  bool isBoth = getDirection() == RnnDirection::Bidirectional;
  DimExpr directions = getConstDim(getContext(), isBoth ? 2 : 1);
  Sizes gates = sizesOf(getGates());
  DimExpr hidden = sizesOf(getRecurrent())[1];
  DimExpr width = mul(hidden, 4);
  Sizes state = {directions, gates[1], hidden};
  auto verifyOptional = [&](StringRef name, Value operand,
                            ArrayRef<DimExpr> sizes) {
    return operand ? verifySizes(*this, name, sizes, operand) : success();
  };
  if (failed(verifySizes(*this, "recurrent", {directions, hidden, width},
                         getRecurrent())) ||
      failed(verifySizes(*this, "gates",
                         {gates[0], gates[1], directions, width},
                         getGates())) ||
      failed(verifyOptional("hidden", getInitialHidden(), state)) ||
      failed(verifyOptional("cell", getInitialCell(), state)) ||
      failed(verifyOptional("lengths", getLengths(), {gates[1]})))
    return failure();
  // lstm_c2
  Type element = typeOf(getGates()).getElementType();
  for (auto [name, tensor] :
       {std::pair<StringRef, Value>("recurrent", getRecurrent()),
        {"hidden", getInitialHidden()},
        {"cell", getInitialCell()},
        {"result 0", getHiddens()},
        {"result 1", getLastHidden()},
        {"result 2", getLastCell()}})
    if (tensor && failed(verifyElementType(*this, name, tensor, element)))
      return failure();
  return verifyInferredSizes(*this);
}

LogicalResult ResizeOp::verify() {
  // resize_c1
  RankedTensorType operand = getOperand().getType();
  if (failed(verifyRank(*this, "result", getResult(), operand.getRank())) ||
      failed(verifyElementType(*this, "result", getResult(),
                               operand.getElementType())))
    return failure();
  if (failed(
          verifyCount(*this, "scales", operand.getRank(), getScales().size())))
    return failure();
  // resize_c2
  for (double scale : getScales())
    if (!(scale >= 0.0))
      return emitOpError("expected scales of at least 0, found ") << scale;
  return success();
}

DimExpr FftOp::getLength() {
  // Where only the result is real, the operand is a half.
  return sizesOf(getResultImaginary() ? getReal() : getResult())[getAxis()];
}

LogicalResult FftOp::verify() {
  // fft_c1
  if (failed(verifyAxis(*this, getAxis(), typeOf(getReal()).getRank())))
    return failure();
  // fft_c2
  bool isOfReal = !getImaginary(), isReal = !getResultImaginary();
  if (isOfReal && isReal)
    return emitOpError(
        "expected an imaginary part of the operand or the result");
  if (isReal && !getHalf())
    return emitOpError("expected 'half', as the result is real");
  if (!isOfReal && !isReal && getHalf())
    return emitOpError("expected no 'half', as operand and result are complex");
  // fft_c3
  Type element = typeOf(getReal()).getElementType();
  for (auto [name, tensor] :
       {std::pair<StringRef, Value>("imaginary", getImaginary()),
        {"roots", getRoots()},
        {"result 0", getResult()},
        {"result 1", getResultImaginary()}})
    if (tensor && failed(verifyElementType(*this, name, tensor, element)))
      return failure();
  // fft_c4
  Sizes sizes = sizesOf(getReal());
  if (getImaginary() &&
      failed(verifySizes(*this, "imaginary", sizes, getImaginary())))
    return failure();
  if (failed(verifyInferredSizes(*this)))
    return failure();
  if (isReal &&
      failed(verifySize(*this, "real", getAxis(),
                        add(floorDiv(getLength(), 2), 1), sizes[getAxis()])))
    return failure();
  // fft_c5
  if (!getRoots())
    return success();
  return verifySizes(*this, "roots",
                     {getConstDim(getContext(), 2), getLength()}, getRoots());
}
