//===- CellEnums.td - Enumerations of cell --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CELL_ENUMS
#define DYN_CELL_ENUMS

include "mlir/IR/EnumAttr.td"

def Cell_CombineKind : I32EnumAttr<"CombineKind", "how the rows of a cell become one", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Last", 1, "last">,
  I32EnumAttrCase<"Max", 2, "max">]> {
  let cppNamespace = "::dyn::cell";
  let genSpecializedAttr = 0;
}

def Cell_PredictionKind : I32EnumAttr<"PredictionKind", "what a prediction follows from", [
  I32EnumAttrCase<"Majority", 0, "majority">, I32EnumAttrCase<"After", 1, "after">,
  I32EnumAttrCase<"Early", 2, "early">]> {
  let cppNamespace = "::dyn::cell";
  let genSpecializedAttr = 0;
}

#endif // DYN_CELL_ENUMS
