//===- DHLOContractionOps.td - Contractions -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_CONTRACTION_OPS
#define DYN_DHLO_CONTRACTION_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_DotGeneralOp : DHLO_Op<"dot_general", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, DHLO_Contraction]> {
  let summary = "contraction of two tensors";
  let description = [{
    The first `batch` axes of both operands are batch axes; `lhs_contract` and
    `rhs_contract` are contracted, in pairs. The result's axes are the batch
    axes, then the free axes of lhs, then those of rhs. Contractions of f16 and
    bf16 accumulate in f32, those of i8 and ui8 in i32 if the result is i32.

    Each result element is one chain of fused multiply-adds over ascending
    index, from zero.

    ```mlir
    %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
        : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<384x1536xf32>) -> tensor<?x?x1536xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) The contracting lists have equal length and hold distinct axes that
      are not batch axes.
    - (C2) Batch and contracting sizes of both operands agree, where known.
    - (C3) The result's sizes are as described.
    - (C4) The operands' element types are equal, except for i8 with ui8.
    - (C5) The result's element type is that of lhs, or i32 for bytes, or f32
      for f16 and bf16.
  }];
  let arguments = (ins DHLO_NumberTensor:$lhs, DHLO_NumberTensor:$rhs,
                       I64Attr:$batch, DenseI64ArrayAttr:$lhs_contract,
                       DenseI64ArrayAttr:$rhs_contract);
  let results = (outs DHLO_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` `=` $batch `lhs_contract` `=` $lhs_contract
    `rhs_contract` `=` $rhs_contract attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_GroupedDotOp : DHLO_Op<"grouped_dot", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, NoMemoryEffect, DHLO_MayFail, DHLO_Contraction]> {
  let summary = "grouped GEMM: a matmul for each group of rows";
  let description = [{
    Rows `offsets[g]` up to `offsets[g + 1]` of lhs, along axis 0, are
    multiplied by matrix g of rhs: `result[r, ..., n]` is the sum of `lhs[r,
    ..., k] * rhs[g, k, n]`, as in `dhlo.dot_general`. Rows outside of all
    groups give zeros. An offset that is less than the previous one or out of
    range is a data error and is read as the nearest legal one.

    ```mlir
    %y = dhlo.grouped_dot %x, %w, %offsets
        : (tensor<?x64xf32, #dhlo.dims<R>>, tensor<8x64x96xf32>, tensor<9xi64>) -> tensor<?x96xf32, #dhlo.dims<R>>
    ```

    **Constraints**
    - (C1) lhs has rank 2 or more, rhs rank 3, offsets rank 1.
    - (C2) The last size of lhs is that of axis 1 of rhs; there is one more
      offset than there are matrices, where known.
    - (C3) The result has the sizes of lhs except for the last one, that of axis
      2 of rhs.
    - (C4) The operands' element types are equal; the result's is the same, or
      f32 for f16 and bf16.
  }];
  let arguments = (ins DHLO_FloatTensor:$lhs, DHLO_FloatTensor:$rhs,
                       DHLO_TensorOf<[I64]>:$offsets);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $offsets attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// Common to convolutions with one filter and with several.
defvar DHLO_ConvolutionAttributes = (ins
    DHLO_LayoutAttr:$layout, DenseI64ArrayAttr:$strides,
    DHLO_DimExprArray:$low, DHLO_DimExprArray:$high,
    DenseI64ArrayAttr:$input_dilation, DenseI64ArrayAttr:$filter_dilation,
    I64Attr:$groups);
defvar DHLO_ConvolutionFormat = [{
    $layout `strides` `=` $strides `low` `=` custom<DimExprs>($low)
    `high` `=` custom<DimExprs>($high) `input_dilation` `=` $input_dilation
    `filter_dilation` `=` $filter_dilation `groups` `=` $groups
    attr-dict `:` functional-type(operands, results)
}];

def DHLO_ConvolutionOp : DHLO_Op<"convolution", [DeclareOpInterfaceMethods<DHLO_InfersSizes>,
    DeclareOpInterfaceMethods<DHLO_MapsIndices>, DHLO_Convolves, Pure]> {
  let summary = "convolution";
  let description = [{
    Convolution over any number of spatial axes. The input is N, C, spatial...
    or N, spatial..., C by `layout`, and so is the result. The filter is O,
    C / groups, spatial... with channels_first and spatial..., C / groups, O
    with channels_last.

    Spatially, the input is dilated by `input_dilation` (zeros between elements;
    a transposed convolution) and padded by `low` and `high` zeros. The filter's
    elements are `filter_dilation` apart, and its positions are `strides` apart.
    Channels are split into `groups`. Sums as in `dhlo.dot_general`, over
    ascending filter positions, then channels.

    ```mlir
    %y = dhlo.convolution %x, %w channels_first strides = [2, 2] low = [3, 3] high = [3, 3]
        input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
        : (tensor<?x3x?x?xf32, #dhlo.dims<N, H, W>>, tensor<64x3x7x7xf32>) -> tensor<?x64x?x?xf32, #dhlo.dims<N, H1, W1>>
    ```

    **Constraints**
    - (C1) Ranks of input, filter and result are equal and at least 3.
    - (C2) Each list has one value per spatial axis; strides and dilations are
      at least 1, groups too.
    - (C3) The input's channels are groups times the filter's, and the filters'
      number is a multiple of groups, where known.
    - (C4) The result's spatial size is ((size - 1) * input_dilation + 1 + low +
      high - filter_dilation * (window - 1) - 1) floordiv stride + 1, where known.
    - (C5) Element types are equal.
  }];
  let arguments = !con((ins DHLO_FloatTensor:$input, DHLO_FloatTensor:$filter),
                       DHLO_ConvolutionAttributes);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = !strconcat("$input `,` $filter ", DHLO_ConvolutionFormat);
  let hasVerifier = 1;
}

def DHLO_GroupedConvolutionOp : DHLO_Op<"grouped_convolution", [DeclareOpInterfaceMethods<DHLO_InfersSizes>,
    DeclareOpInterfaceMethods<DHLO_MapsIndices>, DHLO_Convolves, NoMemoryEffect, DHLO_MayFail]> {
  let summary = "convolution with a filter for each group of images";
  let description = [{
    The filter operand holds several filters along an additional first axis. The
    images `offsets[f]` up to `offsets[f + 1]` of the input, along axis 0, are
    convolved with filter f, as by `dhlo.convolution`. Images outside of all
    groups give zeros. An offset that is less than the previous one or out of
    range is a data error and is read as the nearest legal one. `groups` are
    groups of channels, those of each filter.

    ```mlir
    // Ten filters.
    %y = dhlo.grouped_convolution %x, %w, %offsets channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
        input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
        : (tensor<?x32x32x8xf32, #dhlo.dims<N>>, tensor<10x3x3x8x8xf32>, tensor<11xi64>) -> tensor<?x32x32x8xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) Ranks of input and result are equal and at least 3; the filter
      operand has one more axis, and offsets have rank 1.
    - (C2) Each list has one value per spatial axis; strides and dilations are
      at least 1, groups too.
    - (C3) The input's channels are groups times those of a filter, and the
      number of channels of the result is a multiple of groups, where known.
    - (C4) The result's sizes are those of `dhlo.convolution` with one of the
      filters, where known.
    - (C5) Element types of input, filter and result are equal.
    - (C6) There is one more offset than there are filters, where known.
  }];
  let arguments = !con((ins DHLO_FloatTensor:$input, DHLO_FloatTensor:$filter,
                            DHLO_TensorOf<[I64]>:$offsets),
                       DHLO_ConvolutionAttributes);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = !strconcat("$input `,` $filter `,` $offsets ",
                                  DHLO_ConvolutionFormat);
  let extraClassDeclaration = [{
    ::mlir::Value getImageOffsets() { return getOffsets(); }
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_CONTRACTION_OPS
