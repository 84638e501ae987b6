//===- ContractionPasses.td - Passes on contractions and reductions -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_CONTRACTION_PASSES
#define DYN_DHLO_CONTRACTION_PASSES

include "mlir/Pass/PassBase.td"

def FoldBatchNormPass : Pass<"dhlo-fold-batch-norm", "::mlir::ModuleOp"> {
  let summary = "Fold scale and shift into the weights before them";
  let description = [{
    If the result of a convolution with constant filters, or of a contraction
    with a constant RHS, is multiplied by one constant for each channel or for
    all, its weights are multiplied instead; constants that are added to the
    channels, before or after, become one. A constant is any value that is
    computed from weights alone, and it stays one: the multiplication of weights
    is an operation that `dlhlo-hoist-constants` turns into a recipe, run when
    constants are written.

    Nothing is folded if the result in between has other users, since the
    contraction would be computed twice.

    ```mlir
    %y = dhlo.convolution %x, %w channels_first ... : (..., tensor<16x8x3x3xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
    %s = dhlo.broadcast %scale axes = [1] : (tensor<16xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
    %z = dhlo.mul %y, %s : tensor<?x16x4x4xf32, #dhlo.dims<N>>
    ```

    becomes

    ```mlir
    %s = dhlo.broadcast %scale axes = [0] : (tensor<16xf32>) -> tensor<16x8x3x3xf32>
    %v = dhlo.mul %w, %s : tensor<16x8x3x3xf32>
    %z = dhlo.convolution %x, %v channels_first ... : (..., tensor<16x8x3x3xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
    ```
  }];
  let statistics = [
    Statistic<"numScales", "scales", "Scales folded into weights">,
    Statistic<"numShifts", "shifts", "Shifts folded into another">
  ];
}

def NarrowContractionsPass : Pass<"dhlo-narrow-contractions", "::mlir::ModuleOp"> {
  let summary = "Multiply quantised integers as bytes";
  let description = [{
    Quantised models multiply bytes less their zero points, as i32:
    `dot_general(convert(x) - p, convert(w) - q)`. Contractions of bytes are
    four times as fast as those of i32, and zero points can be moved out of the
    sum, exactly, since sums of i32 wrap: with u = w - q,

        sum (x - p) * u           = sum x * u - p * sum u
        sum x * (w - q)           = sum x * w - q * sum x

    So the result is the contraction of the bytes, minus the zero point of each
    operand times the sums of the other one. If w is constant, so is `sum u`. A
    zero point that is zero, as usual for weights, costs nothing.

    Kernels multiply ui8 by i8. Bytes of the other signedness are shifted by
    128, which changes their zero point: `x = (x xor 0x80) - 128` for x in i8,
    and the opposite for w in ui8.

    Contractions are rejected, with a remark, if their bytes are not converted to
    i32 right before the contraction, or if a zero point varies along contracted
    axes.

    ```mlir
    %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
    %1 = dhlo.broadcast %p axes = [] : (tensor<i32>) -> tensor<?x8xi32, #dhlo.dims<N>>
    %2 = dhlo.sub %0, %1 : tensor<?x8xi32, #dhlo.dims<N>>
    %3 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
    %y = dhlo.dot_general %2, %3 batch = 0 lhs_contract = [1] rhs_contract = [0]
        : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
    ```

    becomes

    ```mlir
    %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
        : (tensor<?x8xui8, #dhlo.dims<N>>, tensor<8x4xi8>) -> tensor<?x4xi32, #dhlo.dims<N>>
    %1 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
    %2 = dhlo.reduce sum %1 axes = [0] : (tensor<8x4xi32>) -> tensor<4xi32>
    %3 = dhlo.broadcast %2 axes = [1] : (tensor<4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
    %4 = dhlo.broadcast %p axes = [] : (tensor<i32>) -> tensor<?x4xi32, #dhlo.dims<N>>
    %5 = dhlo.mul %4, %3 : tensor<?x4xi32, #dhlo.dims<N>>
    %y = dhlo.sub %0, %5 : tensor<?x4xi32, #dhlo.dims<N>>
    ```
  }];
  let statistics = [
    Statistic<"numNarrowed", "narrowed", "Contractions that became contractions of bytes">
  ];
}

def FoldTransposesPass : Pass<"dhlo-fold-transposes", "::mlir::ModuleOp"> {
  let summary = "Contract axes where they are";
  let description = [{
    The transpose of an operand of a matmul only brings the batch axes to the
    front; its other axes stay in the order of the memory, and the matmul
    contracts the last one in place of the first. A transpose that moves no
    batch axis disappears, others move whole rows.

    Transposes of constants stay, since the compiler evaluates them, as do those
    after which the contracted axes would not be the first or last ones.

    ```mlir
    %t = dhlo.transpose %k permutation = [0, 2, 1] : (tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x64x?xf32, #dhlo.dims<B, S>>
    %y = dhlo.dot_general %q, %t batch = 1 lhs_contract = [2] rhs_contract = [1]
        : (tensor<?x8x64xf32, #dhlo.dims<B>>, tensor<?x64x?xf32, #dhlo.dims<B, S>>) -> tensor<?x8x?xf32, #dhlo.dims<B, S>>
    ```

    becomes

    ```mlir
    %y = dhlo.dot_general %q, %k batch = 1 lhs_contract = [2] rhs_contract = [2]
        : (tensor<?x8x64xf32, #dhlo.dims<B>>, tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x8x?xf32, #dhlo.dims<B, S>>
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "Operands whose transposes move less">
  ];
}

def ReduceColumnsPass : Pass<"dhlo-reduce-columns", "::mlir::ModuleOp"> {
  let summary = "Compute matmuls with one column, or short sums, without a GEMM";
  let description = [{
    A matmul of rows of f32 with one constant column, as for scores and gates,
    becomes the sum of the rows' elements times the column's. GEMM kernels
    compute 16 columns at a time; a row kernel computes only one, and fuses
    producers of the rows and consumers of the result.

    ```mlir
    %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x1xf32>) -> tensor<?x1xf32, #dhlo.dims<N>>
    ```

    becomes

    ```mlir
    %0 = dhlo.reshape %w : (tensor<8x1xf32>) -> tensor<8xf32>
    %1 = dhlo.broadcast %0 axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
    %2 = dhlo.mul %x, %1 : tensor<?x8xf32, #dhlo.dims<N>>
    %3 = dhlo.reduce sum %2 axes = [1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    %y = dhlo.reshape %3 : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
    ```

    A matmul whose sums have up to four terms, as of coordinates or of positions
    and frequencies, becomes multiplications and additions: its result takes
    longer to write than to compute, which loops do at the rate of a copy.
  }];
  let statistics = [
    Statistic<"numReduced", "reduced", "Contractions that became sums">,
    Statistic<"numExpanded", "expanded", "Contractions that became multiplications">
  ];
}

def SplitReductionsPass : Pass<"dhlo-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Reduce full tensors row by row";
  let description = [{
    The minimum and maximum of a full tensor, as used by models that quantise at
    run time, become those of the rows' minima and maxima: many threads can
    compute these, and a row kernel may compute them along with the rows. Only
    reductions that give the same bits in any order are split, over all axes of
    a tensor with a dynamic size and at least 32 elements along its last axis.

    ```mlir
    %y = dhlo.reduce max %x axes = [0, 1] : (tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<f32>
    ```

    becomes

    ```mlir
    %0 = dhlo.reduce max %x axes = [1] : (tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    %y = dhlo.reduce max %0 axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<f32>
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "split", "Reductions split">
  ];
}

def ExpandFourierPass : Pass<"dhlo-expand-fourier", "::mlir::ModuleOp"> {
  let summary = "Choose how Fourier transforms are computed";
  let description = [{
    The only place where the form of a transform is chosen:

    - A transform of a few elements, of a known number, is a matmul with
      matrices of cosines and sines, which are constants. So is each transform
      for devices, which have no kernel for it.
    - A known number with a large prime factor: a convolution, by
      transforms of a power of two (Bluestein 1970).
    - Any other keeps the operation and gets its roots: a constant, or for an
      unknown number a table that each call computes once for all transforms of
      this number.

    ```mlir
    %r, %i = dhlo.fft %x half axis = 1 : (tensor<?x4xf32, #dhlo.dims<B>>) -> (tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x3xf32, #dhlo.dims<B>>)
    ```

    becomes

    ```mlir
    %r = dhlo.dot_general %x, %cosines batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x4xf32, #dhlo.dims<B>>, tensor<3x4xf32>) -> tensor<?x3xf32, #dhlo.dims<B>>
    %0 = dhlo.dot_general %x, %sines batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x4xf32, #dhlo.dims<B>>, tensor<3x4xf32>) -> tensor<?x3xf32, #dhlo.dims<B>>
    %i = dhlo.neg %0 : tensor<?x3xf32, #dhlo.dims<B>>
    ```
  }];
  let options = [
    Option<"device", "device", "bool", "false",
           "Whether the program is for a device">
  ];
  let statistics = [
    Statistic<"numMultiplied", "multiplied", "Transforms that became matmuls">,
    Statistic<"numConvolved", "convolved", "Transforms that became convolutions">,
    Statistic<"numRooted", "rooted", "Transforms given their roots">
  ];
}

#endif // DYN_DHLO_CONTRACTION_PASSES
