//===- Sequence.cpp - Sequences of tensors while a model is imported ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sequence.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

SmallVector<Value> onnx::getTensors(Value value) {
  if (!isSequence(value))
    return {value};
  return SmallVector<Value>(
      value.getDefiningOp<UnrealizedConversionCastOp>().getInputs());
}

Value onnx::makeSequence(OpContext &c, ArrayRef<Value> tensors) {
  if (llvm::is_contained(tensors, Value()))
    return {};
  if (static_cast<int64_t>(tensors.size()) > kMaxTensors)
    return c.e.fail("expected at most " + Twine(kMaxTensors) +
                    " tensors in a sequence, found " + Twine(tensors.size()));
  for (Value tensor : tensors) {
    if (isSequence(tensor))
      return c.e.fail("expected tensors in a sequence, found a sequence");
    if (c.e.elementType(tensor) != c.e.elementType(tensors.front()))
      return c.e.fail("expected tensors of equal element type in a sequence");
  }
  Type type =
      TupleType::get(c.e.builder.getContext(), TypeRange(ValueRange(tensors)));
  return UnrealizedConversionCastOp::create(c.e.builder, c.e.loc, type, tensors)
      .getResult(0);
}

LogicalResult onnx::expectTensors(OpContext &c, ArrayRef<Value> values) {
  return llvm::any_of(values, isSequence)
             ? c.error("expected a graph that gives tensors, found a sequence")
             : success();
}
