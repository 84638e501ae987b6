//===- PortNames.cpp - Names of the inputs and outputs of an entry --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/PortNames.h"

#include "dyn/Dialect/DHLO/IR/DHLO.h"

using namespace mlir;
using namespace dyn;

std::string dhlo::getInputName(func::FuncOp entry, unsigned index) {
  if (auto name =
          entry.getArgAttrOfType<StringAttr>(index, DHLODialect::kNameAttr))
    return name.str();
  return "input" + std::to_string(index);
}

std::string dhlo::getOutputName(func::FuncOp entry, unsigned index) {
  if (auto name =
          entry.getResultAttrOfType<StringAttr>(index, DHLODialect::kNameAttr))
    return name.str();
  return "output" + std::to_string(index);
}
