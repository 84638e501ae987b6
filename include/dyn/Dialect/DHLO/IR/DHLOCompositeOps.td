//===- DHLOCompositeOps.td - Composite operations -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_COMPOSITE_OPS
#define DYN_DHLO_COMPOSITE_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

// The interpreter implements each of them and, except lstm, resize and fft, each
// has a decomposition into operations of the other families (pass
// dhlo-decompose). That of fft is one of several forms (dhlo-expand-fourier).

def DHLO_SoftmaxOp : DHLO_Op<"softmax", [DeclareOpInterfaceMethods<DHLO_MapsIndices>, DeclareOpInterfaceMethods<DHLO_PermutesAxes>, Pure, SameOperandsAndResultType, DHLO_NormalizesRows]> {
  let summary = "softmax along an axis";
  let description = [{
    exp(x - max) / sum(exp(x - max)) along the axis, or its logarithm if `log`.

    ```mlir
    %y = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
  }];
  let arguments = (ins DHLO_FloatTensor:$operand, I64Attr:$axis, UnitAttr:$log);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = "$operand `axis` `=` $axis (`log` $log^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def DHLO_LayerNormOp : DHLO_Op<"layer_norm", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, AllTypesMatch<["operand", "result"]>, DHLO_NormalizesRows]> {
  let summary = "normalise to mean 0 and variance 1";
  let description = [{
    Normalises over the axes from `axis` on: (x - mean) / sqrt(variance + eps) *
    scale + bias, with the variance about the mean, over all elements. Scale and
    bias have the sizes of the normalised axes; bias may be absent.

    ```mlir
    %y = dhlo.layer_norm %x, %g, %b axis = 2 eps = 1.0e-12
        : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<384xf32>, tensor<384xf32>) -> tensor<?x?x384xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) Scale and bias have the operand's sizes from the axis on.
  }];
  let arguments = (ins DHLO_FloatTensor:$operand, DHLO_FloatTensor:$scale,
                       Optional<DHLO_FloatTensor>:$bias, I64Attr:$axis, F64Attr:$eps);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale (`,` $bias^)? `axis` `=` $axis `eps` `=` $eps attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_RmsNormOp : DHLO_Op<"rms_norm", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, AllTypesMatch<["operand", "result"]>, DHLO_NormalizesRows]> {
  let summary = "normalise by the root of the mean square";
  let description = [{
    x / sqrt(mean(x * x) + eps) * scale over the axes from `axis` on.

    ```mlir
    %y = dhlo.rms_norm %x, %g axis = 1 eps = 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) Scale has the operand's sizes from the axis on.
  }];
  let arguments = (ins DHLO_FloatTensor:$operand, DHLO_FloatTensor:$scale,
                       I64Attr:$axis, F64Attr:$eps);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `axis` `=` $axis `eps` `=` $eps attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_GeluOp : DHLO_Op<"gelu", [Pure, SameOperandsAndResultType, DHLO_Elementwise, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    x * (1 + erf(x / sqrt(2))) / 2, or its approximation by tanh.

    ```mlir
    %y = dhlo.gelu erf %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins DHLO_GeluKindAttr:$kind, DHLO_FloatTensor:$operand);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = "`` $kind $operand attr-dict `:` type($result)";
}

def DHLO_AttentionOp : DHLO_Op<"attention", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure]> {
  let summary = "scaled dot-product attention";
  let description = [{
    softmax(scale * q k^T + mask) v for each batch and head. q is [B, H, S, D],
    k is [B, G, T, D], v is [B, G, T, E], and H is a multiple of G (head h reads
    group h floordiv (H / G)). The mask, if any, is added to the scores (float)
    or removes those where it is false (i1); it has rank 4, and its sizes are
    those of the scores [B, H, S, T] or 1. With `causal`, query i sees keys j <=
    i + T - S. With `cap`, a score x is cap * tanh(x / cap) before the mask
    (Gemma 2, 2024). A row whose keys are all removed, by the mask, by adding
    -inf or by `causal`, gives zeros; with `nan_if_empty` NaN, as the softmax of
    -inf alone does. Without any key (T = 0) it gives zeros in both cases. A
    value of a removed key that is not finite makes a row NaN, as 0 times
    infinity in softmax(s) v, or is ignored.

    ```mlir
    %y = dhlo.attention %q, %k, %v scale = 0.125
        : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x12x?x64xf32, #dhlo.dims<B, T>>,
           tensor<?x12x?x64xf32, #dhlo.dims<B, T>>) -> tensor<?x12x?x64xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) All ranks are 4, and sizes agree as described, where known.
    - (C2) Float element types are equal.
    - (C3) The cap is positive and finite.
  }];
  let arguments = (ins DHLO_FloatTensor:$query, DHLO_FloatTensor:$key,
                       DHLO_FloatTensor:$value, Optional<DHLO_Tensor>:$mask,
                       F64Attr:$scale, OptionalAttr<F64Attr>:$cap,
                       UnitAttr:$causal, UnitAttr:$nan_if_empty);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? `scale` `=` $scale (`cap` `=` $cap^)?
    (`causal` $causal^)? (`nan_if_empty` $nan_if_empty^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_LstmOp : DHLO_Op<"lstm", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, AttrSizedOperandSegments]> {
  let summary = "the recurrence of a long short-term memory";
  let description = [{
    The sequential part of ONNX's LSTM with sigmoid, tanh, tanh. The rest, the
    inputs multiplied by their weights plus the bias, is an operand: it is one
    matmul for all steps. With T steps, batch B, hidden H and D directions:
    gates [T, B, D, 4H], recurrent weights [D, H, 4H], gates in the order i, o,
    f, c; initial states [D, B, H]; absent ones are zero. For each step

        i, o, f, c' = gates[t] + h * recurrent
        c = sigmoid(f) * c + sigmoid(i) * tanh(c')
        h = sigmoid(o) * tanh(c)

    Results: all hidden states [T, D, B, H], last hidden and last cell [D, B, H].
    With lengths [B], rows past a length are zero and the last states are those of
    the last valid step; a reverse direction starts there.

    ```mlir
    %y, %h, %c = dhlo.lstm bidirectional %gates, %r
        : (tensor<?x?x2x1024xf32, #dhlo.dims<T, B>>, tensor<2x256x1024xf32>)
       -> (tensor<?x2x?x256xf32, #dhlo.dims<T, B>>, tensor<2x?x256xf32, #dhlo.dims<B>>, tensor<2x?x256xf32, #dhlo.dims<B>>)
    ```

    **Constraints**
    - (C1) Sizes agree as described, where known; D is 2 if bidirectional, else
      1.
    - (C2) Float element types are equal.
  }];
  let arguments = (ins DHLO_RnnDirectionAttr:$direction, DHLO_FloatTensor:$gates,
                       DHLO_FloatTensor:$recurrent,
                       Optional<DHLO_FloatTensor>:$initial_hidden,
                       Optional<DHLO_FloatTensor>:$initial_cell,
                       Optional<DHLO_IndexTensor>:$lengths);
  let results = (outs DHLO_FloatTensor:$hiddens, DHLO_FloatTensor:$last_hidden,
                      DHLO_FloatTensor:$last_cell);
  let assemblyFormat = [{
    `` $direction $gates `,` $recurrent
    (`hidden` $initial_hidden^)? (`cell` $initial_cell^)? (`lengths` $lengths^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_ResizeOp : DHLO_Op<"resize", [DeclareOpInterfaceMethods<DHLO_MapsIndices>, DeclareOpInterfaceMethods<DHLO_PermutesAxes>, Pure]> {
  let summary = "interpolate to other sizes";
  let description = [{
    Resamples along every axis whose size changes. The sizes come from the
    result type; `scales` are result size over operand size as given by the
    model (used for coordinates; 0 means the ratio of the sizes). A coordinate
    is a multiple of 1 over the scale, rounded to f32, as in PyTorch.
    Coordinates outside read the nearest edge. `coefficient` is that of cubic
    interpolation, `round` that of nearest.

    ```mlir
    %y = dhlo.resize nearest asymmetric floor %x scales = [1.0, 1.0, 2.0, 2.0] coefficient = -0.75
        : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>) -> tensor<?x8x?x?xf32, #dhlo.dims<N, H2, W2>>
    ```

    **Constraints**
    - (C1) Ranks and element types are equal; there is one scale per axis.
    - (C2) Scales are not negative.
  }];
  let arguments = (ins DHLO_ResizeModeAttr:$mode, DHLO_ResizeCoordAttr:$coord,
                       DHLO_RoundModeAttr:$round, DHLO_NumberTensor:$operand,
                       DenseF64ArrayAttr:$scales, F64Attr:$coefficient);
  let results = (outs DHLO_NumberTensor:$result);
  let assemblyFormat = [{
    `` $mode `` $coord `` $round $operand `scales` `=` $scales `coefficient` `=` $coefficient
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_FftOp : DHLO_Op<"fft", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, AttrSizedOperandSegments]> {
  let summary = "discrete Fourier transform along an axis";
  let description = [{
    The sums over j of x[j] * exp(-2 pi i j k / n) for each k below n, along an
    axis of n elements; with `inverse`, the exponent is positive. Nothing is
    divided by n. Real and imaginary parts are tensors of their own:

    - of both parts, both parts: complex numbers;
    - of a real part alone, both parts: the transform of real numbers. With
      `half`, the results are the first n floordiv 2 + 1 elements; the others
      are conjugates of these;
    - of both parts with `half`, a real part alone: such a half gives n real
      numbers, the size of the result. Imaginary parts that are zero for real
      numbers are not read: those of the first element, and for an even n of
      the last one.

    `roots`, if given, are the cosines and the sines of 2 pi k / n for each k
    below n, which code reads in place of computing them.

    ```mlir
    %r, %i = dhlo.fft %x half axis = 1
        : (tensor<?x400xf32, #dhlo.dims<B>>) -> (tensor<?x201xf32, #dhlo.dims<B>>, tensor<?x201xf32, #dhlo.dims<B>>)
    %y = dhlo.fft inverse %r, %i half axis = 1
        : (tensor<?x201xf32, #dhlo.dims<B>>, tensor<?x201xf32, #dhlo.dims<B>>) -> tensor<?x400xf32, #dhlo.dims<B>>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) The operand or the result has an imaginary part; `half` is given if
      the result has none, and not if both have one.
    - (C3) Element types are equal.
    - (C4) Both parts have the same sizes. The result has the operand's sizes,
      except along the axis with `half`: there, one of them has n elements, and
      the other n floordiv 2 + 1.
    - (C5) Roots have the sizes 2 and n.
  }];
  let arguments = (ins DHLO_WideFloatTensor:$real,
                       Optional<DHLO_WideFloatTensor>:$imaginary,
                       Optional<DHLO_WideFloatTensor>:$roots, I64Attr:$axis,
                       UnitAttr:$inverse, UnitAttr:$half);
  let results = (outs DHLO_WideFloatTensor:$result,
                      Optional<DHLO_WideFloatTensor>:$result_imaginary);
  let assemblyFormat = [{
    (`inverse` $inverse^)? $real (`,` $imaginary^)? (`roots` $roots^)? (`half` $half^)?
    `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The number n of elements that are transformed.
    ::dyn::dhlo::DimExpr getLength();
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_COMPOSITE_OPS
