//===- Recipe.cpp - Recipes of constants as JSON --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/ConstantEvaluator.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace dyn;

template <typename T> static std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << value;
  return text;
}

std::string dyn::getRecipe(dlhlo::ConstantOp constant) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  DenseMap<Value, int64_t> numbers;
  auto writeStep = [&](Operation &op) {
    json.attribute("op", op.getName().getStringRef());
    if (op.getNumOperands())
      json.attributeArray("operands", [&] {
        for (Value operand : op.getOperands())
          json.value(numbers.lookup(operand));
      });
    if (auto weight = dyn_cast<dhlo::WeightOp>(op)) {
      dhlo::WeightAttr source = weight.getSource();
      json.attributeObject("source", [&] {
        json.attribute("file", source.getFile().getValue());
        json.attribute("offset", int64_t(source.getOffset()));
        json.attribute("length", int64_t(source.getLength()));
        json.attribute("key", llvm::json::fixUTF8(source.getKey().getValue()));
      });
    } else if (!op.getAttrs().empty()) {
      json.attributeObject("attributes", [&] {
        for (NamedAttribute attr : op.getAttrs())
          json.attribute(attr.getName().getValue(), print(attr.getValue()));
      });
    }
    for (Value result : op.getResults()) {
      numbers.try_emplace(result, numbers.size());
      json.attribute("type", print(result.getType()));
    }
  };
  json.object([&] {
    json.attribute("type", print(constant.getType()));
    json.attributeArray("steps", [&] {
      for (Operation &op : constant.getRecipe().front().without_terminator())
        json.object([&] { writeStep(op); });
    });
  });
  return text;
}
