//===- DLHLOAttrs.td - Attributes of dlhlo --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_ATTRS
#define DYN_DLHLO_ATTRS

include "dyn/Dialect/DLHLO/IR/DLHLOBase.td"
include "dyn/Dialect/DLHLO/IR/DLHLOEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

def DLHLO_FusionKindAttr : EnumAttr<DLHLO_Dialect, DLHLO_FusionKind, "kind"> {
  let assemblyFormat = "$value";
}

def DLHLO_ActivationAttr : EnumAttr<DLHLO_Dialect, DLHLO_Activation, "activation"> {
  let assemblyFormat = "$value";
}

def DLHLO_PackedAttr : AttrDef<DLHLO_Dialect, "Packed",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "packed";
  let summary = "layout of a packed constant";
  let description = [{
    The encoding of a static tensor type whose elements are not in row-major
    order. `panels16` is for the RHS of a contraction, viewed as G matrices of K
    x N: for each matrix, columns in panels of 16, the last filled with zeros,
    `packed[g][n / 16][k][n % 16]`. The first `batch` axes are collapsed into G,
    the next `rows` axes into K, the rest into N. `panels16x4` is the same for
    bytes, four of which are multiplied and summed at once: rows in groups of 4,
    the last filled with zeros, `packed[g][n / 16][k / 4][n % 16][k % 4]`.
    `panels16x2` is the same for bf16 and groups of 2. `winograd4` is for the
    filter of a convolution, of 3 x 3 x C x N: its windows transformed by
    Winograd's F(4x4, 3x3), 36 matrices of C x N in panels
    (dyn/Support/Winograd.h), followed by the filter in panels, for calls with
    few results. `winograd4_lines` is for filters with channels first, G x N x C
    x 3 x W: the three rows of each transformed by F(4, 3),
    `packed[g][i][n][c][w]` for six i. The layout only depends on the sizes and
    the element type.

    ```mlir
    tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
    tensor<768x3072xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>
    tensor<3x3x64x64xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>
    tensor<10x16x16x3x3xf32, #dlhlo.packed<winograd4_lines, batch = 1, rows = 2>>
    ```

    **Constraints**
    - (C1) `batch` and `rows` are not negative and together at most the rank.
    - (C2) `winograd4` is of 3 x 3 x C x N in f32, with `batch = 0`, `rows = 3`.
    - (C3) `panels16x4` is of integers of 8 bits, `panels16x2` of bf16.
    - (C4) `winograd4_lines` is of N x C x 3 x W in f32 after the `batch` axes,
      with `rows = 2`.
  }];
  let parameters = (ins EnumParameter<DLHLO_PackKind>:$kind,
                        "int64_t":$batch, "int64_t":$rows);
  let assemblyFormat = "`<` $kind `,` `batch` `=` $batch `,` `rows` `=` $rows `>`";
}

def DLHLO_SiteAttr : AttrDef<DLHLO_Dialect, "Site"> {
  let mnemonic = "site";
  let summary = "a location in the model of possible data errors";
  let description = [{
    The kind of error, the operation, and its location in the source model.

    ```mlir
    #dlhlo.site<index, op = "dhlo.gather", location = "/embed/Gather">
    ```
  }];
  let parameters = (ins EnumParameter<DLHLO_SiteKind>:$kind,
                        StringRefParameter<>:$op, StringRefParameter<>:$location);
  let assemblyFormat = "`<` $kind `,` `op` `=` $op `,` `location` `=` $location `>`";
}

def DLHLO_RangeAttr : AttrDef<DLHLO_Dialect, "Range"> {
  let mnemonic = "range";
  let summary = "bytes of a constant that a path reads";
  let description = [{
    ```mlir
    #dlhlo.range<@w, path = 3, offset = 4096, bytes = 1024>
    ```

    **Constraints**
    - (C1) The path, the offset and the number of bytes are not negative.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$constant, "int64_t":$path,
                        "int64_t":$offset, "int64_t":$bytes);
  let assemblyFormat = [{
    `<` $constant `,` `path` `=` $path `,` `offset` `=` $offset `,` `bytes` `=`
    $bytes `>`
  }];
  let genVerifyDecl = 1;
}
def DLHLO_RangeArrayAttr : TypedArrayAttrBase<DLHLO_RangeAttr, "ranges of constants">;

#endif // DYN_DLHLO_ATTRS
