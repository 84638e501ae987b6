//===- Passes.td - Passes inside dhlo -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_PASSES
#define DYN_DHLO_PASSES

include "mlir/Pass/PassBase.td"

def SimplifySizesPass : Pass<"dhlo-simplify-sizes", "::mlir::ModuleOp"> {
  let summary = "Turn shape arithmetic into size expressions";
  let description = [{
    Evaluates small tensors that are computed from sizes and constants, element
    by element (`SymbolicValues`), and

    1. declares that the count of a `dhlo.nonzero` is at most the number of its
       operand's elements;
    2. defines the symbol of a `dhlo.bind` by the expression that it is bound
       to, if that provably satisfies the symbol's declared facts: otherwise the
       check at run time is kept;
    3. merges symbols that are provably equal, by one walk over all types and
       attributes, and symbols with their constant value;
    4. replaces integer tensors that are still used as data by `dhlo.from_dims`,
       or by `dhlo.constant`, and erases dead operations.

    Afterwards shape tensors only remain as data, and equal sizes have one name.

    ```mlir
    dhlo.dim @S
    dhlo.dim @K in [0, ?]
    func.func @f(%x: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?xf32, #dhlo.dims<K>> {
      %two = dhlo.constant dense<2> : tensor<i64>
      %s = dhlo.from_dims [@S] : tensor<i64>
      %k = dhlo.mul %s, %two : tensor<i64>
      dhlo.bind @K = %k : tensor<i64>
      ...
    ```

    becomes

    ```mlir
    dhlo.dim @S
    dhlo.dim @K = 2 * @S in [0, ?]
    func.func @f(%x: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?xf32, #dhlo.dims<K>> {
      ...
    ```
  }];
  let statistics = [
    Statistic<"numBounded", "num-bounded", "Counts given a bound">,
    Statistic<"numDefined", "num-defined", "Bound symbols given a definition">,
    Statistic<"numMerged", "num-merged", "Symbols merged with an equal one">,
    Statistic<"numReplaced", "num-replaced", "Small tensors replaced by sizes">
  ];
}

def VerifyDimsPass : Pass<"dhlo-verify-dims"> {
  let summary = "Check that sizes are declared, in scope and consistent";
  let description = [{
    Checks the constraints on sizes that verifiers of single operations cannot
    check, for each symbol table (a module or a kernel) at or below the
    operation that the pass runs on:

    - every symbol used in a type or in an attribute is declared;
    - no definition depends on itself;
    - no size of an attribute, and no number of elements, becomes longer than a
      definition may (constraint C3 of `dhlo.dim`), which is checked before
      anything is expanded;
    - each symbol is bound at most once, and by an operation only if it has no
      definition;
    - a symbol that an operation binds (interface `BindsDims`), and one defined
      by it, is used after that operation and in its scope;
    - no result size provably differs from the size that the operands imply
      (interface `InfersSizes`), and reshapes keep the number of elements.

    Does not change the program.
  }];
  // Sizes of types become expressions, though a program may have no other part of dhlo.
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
}

def PropagateLayoutPass : Pass<"dhlo-propagate-layout", "::mlir::ModuleOp"> {
  let summary = "Convert convolution networks to channels-last";
  let description = [{
    Kernels of convolutions read channels-last data. Each convolution with
    channels first becomes one with channels last between two transposes, and
    its filter is transposed, which the compiler does once. The transposes after
    convolutions sink through elementwise operations, pooling, resizing,
    padding, slices, concatenations, reductions and reshapes that keep channels
    apart, until they reach a transpose before a convolution and the two cancel.
    Transposes of the model itself only move if they reach one of these.

    A transposed convolution whose windows do not overlap becomes a matmul and a
    transpose of blocks.

    Channels stay first in a network of convolutions with few channels, such as
    8, for which vectors of 16 channels would be half empty: vectors are then
    pixels of an image row. All convolutions that images flow between must be of
    f32, with few channels (64 at most by default), without groups, and with
    stride 1 along image rows; the target's numbers decide.

    Before:
    ```mlir
    %1 = dhlo.convolution %x, %w channels_first ... : (tensor<1x8x4x4xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x4x4xf32>
    %2 = dhlo.exp %1 : tensor<1x16x4x4xf32>
    ```
    After:
    ```mlir
    %0 = dhlo.transpose %x permutation = [0, 2, 3, 1] : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
    %1 = dhlo.transpose %w permutation = [2, 3, 1, 0] : (tensor<16x8x3x3xf32>) -> tensor<3x3x8x16xf32>
    %2 = dhlo.convolution %0, %1 channels_last ... : (tensor<1x4x4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
    %3 = dhlo.exp %2 : tensor<1x4x4x16xf32>
    %4 = dhlo.transpose %3 permutation = [0, 3, 1, 2] : (tensor<1x4x4x16xf32>) -> tensor<1x16x4x4xf32>
    ```
  }];
  let options = [
    Option<"device", "device", "bool", /*default=*/"false",
           "Choose layouts for a GPU">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numConvolutions", "convolutions", "Convolutions brought to channels-last">,
    Statistic<"numSunk", "sunk", "Operations that a transpose sank through">,
    Statistic<"numCancelled", "cancelled", "Transposes that met another and vanished">,
    Statistic<"numLeft", "left", "Transposes that are left of those of this pass">
  ];
}

def RecognizeCompositesPass : Pass<"dhlo-recognize-composites", "::mlir::ModuleOp"> {
  let summary = "Recognize softmax, norms and GELU among primitive operations";
  let description = [{
    Exporters write operations that an operator set lacks as a dozen primitive
    ones. If intermediate values have no other users, these are recognized:

    - `dhlo.gelu`: x, a number and 1 + erf, 1 + tanh or logistic of a polynomial
      in x, multiplied; the coefficients must be those of a GELU within the
      rounding of the constants;
    - `dhlo.softmax`: exponentials of x - max over their sum, or the logarithm;
    - `dhlo.layer_norm` and `dhlo.rms_norm`: x, with or without its mean
      subtracted, times the inverse root of its mean square and a number, over
      the last axes; then optionally a scale and a bias over these axes. A mean
      is a sum divided by a value that provably is the number of its elements.

    Broadcasts and axes of size 1 in between are looked through.

    ```mlir
    %0 = dhlo.mul %x, %rsqrt2 : tensor<4xf32>
    %1 = dhlo.erf %0 : tensor<4xf32>
    %2 = dhlo.add %1, %one : tensor<4xf32>
    %3 = dhlo.mul %x, %half : tensor<4xf32>
    %y = dhlo.mul %3, %2 : tensor<4xf32>
    ```

    becomes

    ```mlir
    %y = dhlo.gelu erf %x : tensor<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numGelu", "gelu", "GELU found">,
    Statistic<"numSoftmax", "softmax", "Softmax found">,
    Statistic<"numNorms", "norms", "Normalisations found">
  ];
}

def DecomposePass : Pass<"dhlo-decompose", "::mlir::ModuleOp"> {
  let summary = "Decompose composite operations";
  let description = [{
    Replaces composites by operations of the other families with the result of
    the interpreter: f16 and bf16 are computed in f32 and rounded once, and a
    row of attention that has lost all its keys is zero. `dhlo.lstm` and
    `dhlo.resize` have no decomposition and are kept.

    The compiler only decomposes operations without a kernel
    (`decompose-unscheduled`); this pass is for users who need primitives.

    ```mlir
    %y = dhlo.softmax %x axis = 1 : tensor<4x8xf32>
    ```

    becomes

    ```mlir
    %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
    %3 = dhlo.exp %2 : tensor<4x8xf32>
    %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %y = dhlo.div %3, %5 : tensor<4x8xf32>
    ```
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "Operations to decompose, without the dialect's name; all if empty">
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed", "Operations decomposed">
  ];
}

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

    Contractions are rejected, with a remark, if their RHS is not constant, if
    their bytes are not converted to i32 right before the contraction, or if a
    zero point varies along contracted axes.

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

def HoistSlicesPass : Pass<"dhlo-hoist-slices", "::mlir::ModuleOp"> {
  let summary = "Compute only elements that slices read";
  let description = [{
    A slice that is the only user of a value is swapped with the value's
    producer, if that keeps the sliced axes apart: its indexing maps say that
    operands are read at the same index, as those of elementwise operations, of
    softmax and norms along other axes, of contractions along free axes and of
    attention along its queries, or a reshape keeps the axis, or it is a slice,
    too. A language model of which only the logits of the last token are
    used then computes one row from the last layer's attention on. A value with
    several users is sliced once all of them are the same slice, so nothing is
    computed twice; the bits stay the same.

    A reshape of rows [N, C] to [..., C] between a matmul and its slice moves
    before the matmul. Not sliced are weights, which are packed in full, and
    queries of causal attention except the last ones.

    ```mlir
    %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %1 = dhlo.tanh %0 : tensor<?x4xf32, #dhlo.dims<N>>
    %y = dhlo.slice %1 starts = [@N - 1, 0] strides = [1, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<1x4xf32>
    ```

    becomes

    ```mlir
    %0 = dhlo.slice %x starts = [@N - 1, 0] strides = [1, 1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<1x8xf32>
    %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
    %y = dhlo.tanh %1 : tensor<1x4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Operations that a slice was moved before">
  ];
}

def HoistRepeatsPass : Pass<"dhlo-hoist-repeats", "::mlir::ModuleOp"> {
  let summary = "Multiply operands before their repetition";
  let description = [{
    Rows that are multiplied by a constant matrix are often a concatenation of
    their own values and values that many rows share: each key of an attention
    by additive scores and the query, the nodes at both ends of an edge, each
    position and the features of the full image. The contraction becomes a sum
    of contractions, one for each part of at least 8 columns that is repeated
    along some axes, computed before it is repeated, and one for all other
    parts. Only the order of sums changes.

    ```mlir
    %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
    %1 = dhlo.concat %0, %k axis = 2 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x16xf32, #dhlo.dims<B, S>>
    %y = dhlo.dot_general %1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x16xf32, #dhlo.dims<B, S>>, tensor<16x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
    ```

    becomes

    ```mlir
    %0 = dhlo.slice %w starts = [0, 0] strides = [1, 1] : (tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = dhlo.dot_general %q, %0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
    %2 = dhlo.broadcast %1 axes = [0, 2] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
    %3 = dhlo.slice %w starts = [8, 0] strides = [1, 1] : (tensor<16x4xf32>) -> tensor<8x4xf32>
    %4 = dhlo.dot_general %k, %3 batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
    %y = dhlo.add %4, %2 : tensor<?x?x4xf32, #dhlo.dims<B, S>>
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Contractions that a repeated part was hoisted out of">
  ];
}

def ReduceColumnsPass : Pass<"dhlo-reduce-columns", "::mlir::ModuleOp"> {
  let summary = "Compute matmuls with one column as sums of rows";
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
  }];
  let statistics = [
    Statistic<"numReduced", "reduced", "Contractions that became sums">
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

def RecognizeAttentionPass : Pass<"dhlo-recognize-attention", "::mlir::ModuleOp"> {
  let summary = "Recognize attention as contractions and softmax";
  let description = [{
    Replaces a contraction, a softmax along the last axis and a second
    contraction by one `dhlo.attention`. Scales may be on queries, keys or
    scores, and reshapes of the leading axes anywhere. Masks may be added to the
    scores or replace them; `key <= query + keys - queries`, as a comparison of
    positions, becomes `causal`, conditions that always hold are dropped, and
    broadcasts of masks are omitted. The model's transposes for its contractions
    are undone. Keys and values that are repeated for groups of query heads are
    no longer repeated, also those of an existing `dhlo.attention`.

    Recognition relies on facts only. It fails if

    - scores or probabilities have other users;
    - a mask is applied before a scale, or scores are replaced by a number that
      is not -inf and not beyond -2^120;
    - a row could lose all its keys by -inf and nothing guards against the
      resulting NaN of a softmax (attention gives zeros, as does the guard
      `select(is_nan(p), 0, p)`);
    - sizes are not provably those of attention.

    Scores are assumed to be finite: if they overflow, a NaN remains that a
    guard would have set to zero.

    ```mlir
    %s = dhlo.dot_general %q, %kt batch = 2 lhs_contract = [3] rhs_contract = [2] : ...
    %c = dhlo.broadcast %scale axes = [] : (tensor<f32>) -> tensor<?x4x?x?xf32, #dhlo.dims<B, S, T>>
    %x = dhlo.mul %s, %c : tensor<?x4x?x?xf32, #dhlo.dims<B, S, T>>
    %p = dhlo.softmax %x axis = 3 : tensor<?x4x?x?xf32, #dhlo.dims<B, S, T>>
    %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : ...
    ```

    becomes

    ```mlir
    %k = dhlo.transpose %kt permutation = [0, 1, 3, 2] : ...
    %y = dhlo.attention %q, %k, %v scale = 1.250000e-01 : ...
    ```
  }];
  let statistics = [
    Statistic<"numAttentions", "attentions", "Attentions found">,
    Statistic<"numCausal", "causal", "Attentions found to be causal">,
    Statistic<"numShared", "shared",
              "Attentions that read repeated heads where they are">
  ];
}

def RemovePaddingPass : Pass<"dhlo-remove-padding", "::mlir::ModuleOp"> {
  let summary = "Compute on valid tokens only";
  let description = [{
    Sentences of a batch are padded to the longest one, and a mask [B, S] marks
    the valid tokens. If the mask removes the keys of masked tokens from all
    attention, and the model drops their rows (it multiplies them by the mask,
    or only reads the first row), their values affect no result, and they are
    not computed: contractions and norms run on rows [T], one for each valid
    token; attention gets its grid back by a gather, and its rows are gathered
    after it. T is data-dependent (`dhlo.nonzero`).

    This is only done if it is provably correct (`MaskedCells.h`, `CellFlow.h`).
    A masked row that the model reads, such as the first one, is kept; and if a
    mask is a large negative number, so are the tokens of a sentence without
    valid ones: its rows see them. So values are those of the full grid,
    provided that values multiplied by zero are finite, and a row has the same
    bits however it is padded.

    With `mask`, the name of an input, rows of outputs where it is zero become
    zeros, and it is an error if they cannot be dropped; a mask that adds -10^4
    or less is assumed to remove keys.

    ```mlir
    %h = dhlo.dot_general %x, %w ... : (tensor<?x?x64xf32, #dhlo.dims<B, S>>, tensor<64x64xf32>) -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
    %a = dhlo.attention ... mask %bias ...
    %y = dhlo.mul %h, %m : tensor<?x?x64xf32, #dhlo.dims<B, S>>
    ```

    becomes

    ```mlir
    %cells = dhlo.nonzero %keep binds @tokens : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2xi64, #dhlo.dims<tokens>>
    %r = dhlo.gather %x_rows, ... -> tensor<?x64xf32, #dhlo.dims<tokens>>
    %h = dhlo.dot_general %r, %w ... -> tensor<?x64xf32, #dhlo.dims<tokens>>
    ...
    %y = dhlo.gather %p, %seats ... -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
    ```
  }];
  let options = [
    Option<"mask", "mask", "std::string", "",
           "The input whose zeros mark rows that may be dropped from outputs">,
    Option<"minIntensity", "min-intensity", "double", "128",
           "Operations that a dropped row must save for each byte that is moved "
           "for it; not asked with a mask">
  ];
  let statistics = [
    Statistic<"numEntries", "entries", "Entries that lost their padding">,
    Statistic<"numContractions", "contractions", "Contractions computed on rows">,
    Statistic<"numAttentions", "attentions", "Attentions between packed rows">
  ];
}

def WidenFloatsPass : Pass<"dhlo-widen-floats", "::mlir::ModuleOp"> {
  let summary = "Compute a model of f32 in f64";
  let description = [{
    Makes every f32 value an f64 one: inputs, results, constants and
    intermediate values. Weights, random numbers and values of sizes are
    unchanged and converted; so are operands of 16 bits of matmuls that
    accumulate in f32. The result, run by the interpreter, is the
    reference where two implementations in f32 differ.

    ```mlir
    %w = dhlo.weight <"m.onnx", offset = 64, length = 8, key = "w"> : tensor<2xf32>
    %y = dhlo.add %x, %w : tensor<2xf32>
    ```

    becomes

    ```mlir
    %0 = dhlo.weight <"m.onnx", offset = 64, length = 8, key = "w"> : tensor<2xf32>
    %w = dhlo.convert %0 : (tensor<2xf32>) -> tensor<2xf64>
    %y = dhlo.add %x, %w : tensor<2xf64>
    ```
  }];
  let statistics = [
    Statistic<"numValues", "values", "Values that were f32">
  ];
}

#endif // DYN_DHLO_PASSES
