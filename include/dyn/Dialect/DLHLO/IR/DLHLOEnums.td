//===- DLHLOEnums.td - Enumerations of dlhlo ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_ENUMS
#define DYN_DLHLO_ENUMS

include "mlir/IR/EnumAttr.td"

def DLHLO_FusionKind : I32EnumAttr<"FusionKind", "how a fusion is scheduled", [
    I32EnumAttrCase<"Loop", 0, "loop">,
    I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Column", 2, "column">,
    I32EnumAttrCase<"Contraction", 3, "contraction">,
    I32EnumAttrCase<"Convolution", 4, "convolution">,
    I32EnumAttrCase<"Attention", 5, "attention">,
    I32EnumAttrCase<"Transpose", 6, "transpose">,
    I32EnumAttrCase<"Single", 7, "single">]> {
  let cppNamespace = "::dyn::dlhlo";
  let genSpecializedAttr = 0;
  let description = [{
    - `loop`: every result is computed element by element, by indexing maps and
      elementwise functions, over one common index space.
    - `row`: as loop, with reductions over the trailing axes of the space; a
      thread works on full rows.
    - `column`: reductions over other axes.
    - `contraction`: a `dhlo.dot_general` or `dhlo.grouped_dot`, an epilogue of
      loop operations on its result, and a prologue that computes the rows of
      its LHS.
    - `convolution`: a `dhlo.convolution` or `dhlo.grouped_convolution`, and
      loop operations on its result.
    - `attention`: a `dhlo.attention`.
    - `transpose`: a permutation that changes the last axis, with loop
      operations.
    - `single`: one operation with a schedule of its own (sort, scatter, ...).
  }];
}
def DLHLO_PackKind : I32EnumAttr<"PackKind", "order of a packed constant", [
    I32EnumAttrCase<"Panels16", 0, "panels16">,
    I32EnumAttrCase<"Winograd4", 1, "winograd4">,
    I32EnumAttrCase<"Panels16x4", 2, "panels16x4">,
    I32EnumAttrCase<"Panels16x2", 3, "panels16x2">,
    I32EnumAttrCase<"Winograd4Lines", 4, "winograd4_lines">]> {
  let cppNamespace = "::dyn::dlhlo";
  let genSpecializedAttr = 0;
}
/// The activation function of a GEMM library, with the values of
/// dyn_activation_t.
def DLHLO_Activation : I32EnumAttr<"Activation", "what is applied to sums", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Relu", 1, "relu">,
    I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">]> {
  let cppNamespace = "::dyn::dlhlo";
  let genSpecializedAttr = 0;
}
/// The kind of data error of a site, with the values of dyn_site_kind_t.
def DLHLO_SiteKind : I32EnumAttr<"SiteKind", "kind of a data error", [
    I32EnumAttrCase<"Index", 1, "index">,
    I32EnumAttrCase<"Division", 2, "division">,
    I32EnumAttrCase<"Size", 3, "size">,
    I32EnumAttrCase<"Conversion", 4, "conversion">,
    I32EnumAttrCase<"Shift", 5, "shift">,
    I32EnumAttrCase<"SizeMismatch", 6, "size_mismatch">]> {
  let cppNamespace = "::dyn::dlhlo";
  let genSpecializedAttr = 0;
}

#endif // DYN_DLHLO_ENUMS
