//===- DHLOAttrs.td - Attributes of dhlo ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_ATTRS
#define DYN_DHLO_ATTRS

include "dyn/Dialect/DHLO/IR/DHLOBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class DHLO_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<DHLO_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

def DHLO_DimsAttr : DHLO_Attr<"Dims", "dims",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "names of a tensor type's dynamic sizes";
  let description = [{
    The encoding of a tensor type with dynamic sizes: one name per `?`, in
    order. Equal names mean equal sizes.

    ```mlir
    tensor<?x?x384xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) There are as many names as dynamic sizes in the type.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let hasCustomAssemblyFormat = 1;
}

def DHLO_DimExprKind : I32EnumAttr<"DimExprKind", "kind of a size expression", [
    I32EnumAttrCase<"Const", 0, "const">,
    I32EnumAttrCase<"Symbol", 1, "symbol">,
    I32EnumAttrCase<"Add", 2, "add">,
    I32EnumAttrCase<"Mul", 3, "mul">,
    I32EnumAttrCase<"FloorDiv", 4, "floordiv">,
    I32EnumAttrCase<"CeilDiv", 5, "ceildiv">,
    I32EnumAttrCase<"Mod", 6, "mod">,
    I32EnumAttrCase<"Min", 7, "min">,
    I32EnumAttrCase<"Max", 8, "max">,
    I32EnumAttrCase<"Broadcast", 9, "broadcast">]> {
  let cppNamespace = "::dyn::dhlo";
}

def DHLO_DimExprAttr : DHLO_Attr<"DimExpr", "expr"> {
  let summary = "an expression over symbolic sizes";
  let description = [{
    An integer expression over size symbols, always in normal form, so that
    expressions that are equal as polynomials are the same attribute. See
    `DimExpr.h` for the normal form and for the functions that build it.

    ```mlir
    #dhlo.expr<2 * @B * @S + 1>
    #dhlo.expr<(@H - 1) floordiv 2 + 1>
    #dhlo.expr<max(@N, 1)>
    #dhlo.expr<broadcast(@M, @N)>
    ```

    `floordiv` and `mod` round towards minus infinity. `broadcast(a, b)` is
    the size of two broadcast axes: `b` if `a` is 1, else `a`.
  }];
  let parameters = (ins
    "::dyn::dhlo::DimExprKind":$kind,
    "int64_t":$value,
    "::mlir::StringAttr":$name,
    ArrayRefParameter<"::mlir::Attribute">:$operandAttrs
  );
  let hasCustomAssemblyFormat = 1;
  // Only the functions of DimExpr.h build expressions: they normalise.
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "DimExprKind":$kind, "int64_t":$value,
                     "::mlir::StringAttr":$name,
                     "::llvm::ArrayRef<::mlir::Attribute>":$operands), [{
      return $_get($_ctxt, kind, value, name, operands);
    }]>
  ];
  let extraClassDeclaration = [{
    bool isConst() const { return getKind() == DimExprKind::Const; }
    bool isConst(int64_t v) const { return isConst() && getValue() == v; }
    bool isSymbol() const { return getKind() == DimExprKind::Symbol; }
    unsigned getNumOperands() const { return getOperandAttrs().size(); }
    DimExprAttr getOperand(unsigned i) const {
      return ::llvm::cast<DimExprAttr>(getOperandAttrs()[i]);
    }
  }];
}

/// A list of size expressions, printed `[@S - 1, 3]`.
def DHLO_DimExprArray : TypedArrayAttrBase<DHLO_DimExprAttr, "size expressions">;

/// A list of references to size symbols, printed `[@S, @T]`.
def DHLO_DimSymbolArray : TypedArrayAttrBase<FlatSymbolRefAttr, "size symbols">;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

def DHLO_WeightAttr : DHLO_Attr<"Weight", "weight"> {
  let summary = "reference to a tensor's bytes in a file";
  let description = [{
    Refers to weights without holding them: little-endian row-major elements at
    `offset` in `file`, `length` bytes, called `key` in the source model. A
    relative `file` is relative to the folder of the model.

    ```mlir
    #dhlo.weight<"bert.onnx", offset = 4096, length = 1536, key = "encoder.0.bias">
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$file, "uint64_t":$offset,
                        "uint64_t":$length, "::mlir::StringAttr":$key);
  let assemblyFormat = [{
    `<` $file `,` `offset` `=` $offset `,` `length` `=` $length `,` `key` `=` $key `>`
  }];
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class DHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::dyn::dhlo";
  let genSpecializedAttr = 0;
}
class DHLO_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<DHLO_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def DHLO_CompareDirection : DHLO_Enum<"CompareDirection", "comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def DHLO_CompareDirectionAttr : DHLO_EnumAttr<DHLO_CompareDirection, "direction">;

def DHLO_ReduceKind : DHLO_Enum<"ReduceKind", "combining function", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]>;
def DHLO_ReduceKindAttr : DHLO_EnumAttr<DHLO_ReduceKind, "reduce_kind">;

def DHLO_ArgKind : DHLO_Enum<"ArgKind", "which extreme", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]>;
def DHLO_ArgKindAttr : DHLO_EnumAttr<DHLO_ArgKind, "arg_kind">;

def DHLO_ScatterKind : DHLO_Enum<"ScatterKind", "how updates combine", [
  I32EnumAttrCase<"Replace", 0, "replace">, I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">]>;
def DHLO_ScatterKindAttr : DHLO_EnumAttr<DHLO_ScatterKind, "scatter_kind">;

def DHLO_PadMode : DHLO_Enum<"PadMode", "what stands outside", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
  I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]>;
def DHLO_PadModeAttr : DHLO_EnumAttr<DHLO_PadMode, "pad_mode">;

def DHLO_Layout : DHLO_Enum<"Layout", "position of the channel axis", [
  I32EnumAttrCase<"ChannelsFirst", 0, "channels_first">,
  I32EnumAttrCase<"ChannelsLast", 1, "channels_last">]>;
def DHLO_LayoutAttr : DHLO_EnumAttr<DHLO_Layout, "layout">;

def DHLO_GeluKind : DHLO_Enum<"GeluKind", "which GELU", [
  I32EnumAttrCase<"Erf", 0, "erf">, I32EnumAttrCase<"Tanh", 1, "tanh">]>;
def DHLO_GeluKindAttr : DHLO_EnumAttr<DHLO_GeluKind, "gelu_kind">;

def DHLO_ResizeMode : DHLO_Enum<"ResizeMode", "interpolation", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">,
  I32EnumAttrCase<"Cubic", 2, "cubic">]>;
def DHLO_ResizeModeAttr : DHLO_EnumAttr<DHLO_ResizeMode, "resize_mode">;

def DHLO_ResizeCoord : DHLO_Enum<"ResizeCoord", "map of output to input coordinates", [
  I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
  I32EnumAttrCase<"PytorchHalfPixel", 1, "pytorch_half_pixel">,
  I32EnumAttrCase<"AlignCorners", 2, "align_corners">,
  I32EnumAttrCase<"Asymmetric", 3, "asymmetric">]>;
def DHLO_ResizeCoordAttr : DHLO_EnumAttr<DHLO_ResizeCoord, "resize_coord">;

def DHLO_RoundMode : DHLO_Enum<"RoundMode", "rounding of nearest coordinates", [
  I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
  I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
  I32EnumAttrCase<"Floor", 2, "floor">, I32EnumAttrCase<"Ceil", 3, "ceil">]>;
def DHLO_RoundModeAttr : DHLO_EnumAttr<DHLO_RoundMode, "round_mode">;

def DHLO_RngKind : DHLO_Enum<"RngKind", "distribution", [
  I32EnumAttrCase<"Uniform", 0, "uniform">, I32EnumAttrCase<"Normal", 1, "normal">]>;
def DHLO_RngKindAttr : DHLO_EnumAttr<DHLO_RngKind, "rng_kind">;

def DHLO_RnnDirection : DHLO_Enum<"RnnDirection", "order of the steps", [
  I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"Reverse", 1, "reverse">,
  I32EnumAttrCase<"Bidirectional", 2, "bidirectional">]>;
def DHLO_RnnDirectionAttr : DHLO_EnumAttr<DHLO_RnnDirection, "rnn_direction">;

#endif // DYN_DHLO_ATTRS
