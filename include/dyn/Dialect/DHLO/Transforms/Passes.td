//===- Passes.td - Passes inside dhlo -*- tablegen -*-===//
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
       check at run time stays;
    3. merges symbols that are provably equal, by one walk over all types and
       attributes, and symbols with their constant value;
    4. replaces integer tensors that are still used as data by
       `dhlo.from_dims`, or by `dhlo.constant`, and erases what is dead.

    Afterwards no shape tensor is left but as data, and equal sizes have one
    name.

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
    What operations cannot check of their own sizes, for each symbol table (a
    module or a kernel) at or below the operation that the pass runs on:

    - every symbol used in a type or in an attribute is declared;
    - no definition depends on itself;
    - no size of an attribute, and no number of elements, becomes longer than a
      definition may (constraint C3 of `dhlo.dim`), which is asked before
      anything is expanded;
    - each symbol is bound at most once, and by an operation only if it has no
      definition;
    - a symbol that an operation binds (interface `BindsDims`), and one defined
      by it, is used after that operation and in its scope;
    - no result size is provably different from what the operands say
      (interface `InfersSizes`), and reshapes keep the number of elements.

    Changes nothing.
  }];
}

def PropagateLayoutPass : Pass<"dhlo-propagate-layout", "::mlir::ModuleOp"> {
  let summary = "Bring convolution networks to channels-last";
  let description = [{
    Kernels of convolutions read channels-last data. Each convolution with
    channels first becomes one with channels last between two transposes, and its
    filter is transposed, which the compiler does once. The transposes behind
    convolutions sink through elementwise operations, pooling, resizing, padding,
    slices, concatenations, reductions and reshapes that keep channels apart,
    until they meet one before a convolution and both vanish. Transposes that
    the model itself contains move only where they meet one of these.

    A transposed convolution whose windows do not overlap becomes a product and
    a transpose of blocks.

    Channels stay first in a network of convolutions with few channels, as with
    8, where vectors of 16 channels would be half empty: vectors are pixels of a
    line there. All convolutions that images flow between must be of f32, with at
    most 64 channels, without groups, and move along lines pixel by pixel.

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
  let statistics = [
    Statistic<"numConvolutions", "convolutions", "Convolutions brought to channels-last">,
    Statistic<"numSunk", "sunk", "Operations that a transpose sank through">,
    Statistic<"numCancelled", "cancelled", "Transposes that met another and vanished">,
    Statistic<"numLeft", "left", "Transposes that are left of those of this pass">
  ];
}

def RecognizeCompositesPass : Pass<"dhlo-recognize-composites", "::mlir::ModuleOp"> {
  let summary = "Find softmax, norms and GELU among primitive operations";
  let description = [{
    Exporters write what an operator set lacks as a dozen primitive operations.
    Found are, with nothing in between read elsewhere:

    - `dhlo.gelu`: a product of x, a number and 1 + erf, 1 + tanh or logistic of
      a polynomial in x, whose coefficients must be those of a GELU within the
      rounding of the constants;
    - `dhlo.softmax`: exponentials of x - max over their sum, or the logarithm;
    - `dhlo.layer_norm` and `dhlo.rms_norm`: x, less its mean or not, times the
      inverse root of its mean square and a number, over the last axes; then a
      scale and a bias over these axes, if they are there. A mean is a sum
      divided by what is provably the number of its elements.

    Broadcasts and axes of size 1 in between do not matter.

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
    Replaces composites by operations of the other families that compute what
    the interpreter does: f16 and bf16 are computed in f32 and rounded once, and
    a row of attention that has lost all its keys is zero. `dhlo.lstm` and
    `dhlo.resize` have no decomposition and stay.

    The compiler decomposes what has no kernel (`decompose-unscheduled`); this
    pass is for those who want primitives.

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
    A convolution with constant filters, or a product with a constant right
    side, whose result is multiplied by one constant for each channel or for all,
    gets its weights multiplied instead; constants that are added to the channels, before
    or after, become one. A constant is whatever is computed from weights
    alone, and it stays so: the products of weights are operations that
    `dlhlo-hoist-constants` turns into a recipe, run when constants are written.

    Nothing is folded if the result in between is read elsewhere, since the
    product would be computed twice.

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

def MergeProductsPass : Pass<"dhlo-merge-products", "::mlir::ModuleOp"> {
  let summary = "Join products that share their left side";
  let description = [{
    Products of one tensor with several constant matrices, such as those of
    queries, keys and values, become one product with the matrices side by side
    (a recipe, run when constants are written) and slices of its columns;
    constant vectors that are added to the columns are joined, too. The bits stay
    the same. Not in the pipeline: with the CPU kernels a BERT gains nothing by
    it, for a third of its launches less.

    Only products whose results are reshaped, transposed or sliced next are
    joined: other operations would not be computed on results in registers any
    more.

    ```mlir
    %0 = dhlo.dot_general %x, %wq batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %1 = dhlo.dot_general %x, %wk batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
    ```

    becomes

    ```mlir
    %w = dhlo.concat %wq, %wk axis = 1 : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<8x10xf32>
    %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x10xf32>) -> tensor<?x10xf32, #dhlo.dims<N>>
    %0 = dhlo.slice %y starts = [0, 0] strides = [1, 1] : (tensor<?x10xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %1 = dhlo.slice %y starts = [0, 4] strides = [1, 1] : (tensor<?x10xf32, #dhlo.dims<N>>) -> tensor<?x6xf32, #dhlo.dims<N>>
    ```
  }];
  let statistics = [
    Statistic<"numMerged", "merged", "Products joined with others">
  ];
}

def NarrowProductsPass : Pass<"dhlo-narrow-products", "::mlir::ModuleOp"> {
  let summary = "Multiply quantised integers as bytes";
  let description = [{
    Quantised models multiply bytes less their zero points, as i32:
    `dot_general(convert(x) - p, convert(w) - q)`. Products of bytes are four
    times as fast as those of i32, and zero points can be taken out of the sum,
    exactly, since sums of i32 wrap: with u = w - q,

        sum (x - p) * u           = sum x * u - p * sum u
        sum x * (w - q)           = sum x * w - q * sum x

    So the product of what the bytes are, and less of it the zero point of each
    side times the sums of the other side. Where w is constant, so is `sum u`. A
    zero point that is zero, as weights have it, costs nothing.

    Kernels multiply ui8 by i8. Bytes of the other kind are shifted by 128, which
    goes into their zero point: `x = (x xor 0x80) - 128` for x in i8, and the
    opposite for w in ui8.

    Refused, with a remark, are products whose right side is not constant, those
    of bytes that are not converted to i32 right before the product, and zero
    points that vary along what is summed.

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
    Statistic<"numNarrowed", "narrowed", "Products that became products of bytes">
  ];
}

def HoistSlicesPass : Pass<"dhlo-hoist-slices", "::mlir::ModuleOp"> {
  let summary = "Compute only what slices read";
  let description = [{
    A slice that is the only reader of a value swaps places with the operation
    that computes it, if that keeps the sliced axes apart: elementwise
    operations, softmax and norms along other axes, broadcasts, transposes,
    reshapes that keep the axis, slices, products along axes that are not summed
    over, and the queries of attention. A language model that is asked for the
    logits of the last token then computes one row from the last layer's
    attention on. What several operations read is sliced once all of them read
    the same slice, so nothing is computed twice; the bits stay the same.

    A reshape of rows [N, C] to [..., C] between a product and its slice moves
    before the product. Not sliced are weights, which are packed as a whole, and
    queries of causal attention but the last ones.

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
  let summary = "Multiply what is repeated once";
  let description = [{
    Rows that meet a constant matrix are often concatenated from what is their
    own and what many of them share: each key of an attention by additive scores
    beside the query, the nodes at both ends of an edge, each place beside the
    features of a whole image. The product is a sum of products, one for each
    part of at least 8 columns that is repeated along some axes, computed before
    it is repeated, and one for all others together. Sums are in another order
    then, nothing else changes.

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
    Statistic<"numHoisted", "hoisted", "Products that a repeated part was taken out of">
  ];
}

def ReduceColumnsPass : Pass<"dhlo-reduce-columns", "::mlir::ModuleOp"> {
  let summary = "Sum rows where a product has one column";
  let description = [{
    A product of rows of f32 with one constant column, as scores and gates have
    it, becomes the sum of the rows' elements times the column's. Kernels of
    products work on 16 columns at a time; one of rows computes no other, and
    takes in what leads to the rows and what follows.

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
    Statistic<"numReduced", "reduced", "Products that became sums">
  ];
}

def SplitReductionsPass : Pass<"dhlo-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Reduce whole tensors row by row";
  let description = [{
    The least and greatest element of a whole tensor, as models want it that
    quantise at run time, becomes that of the rows' least and greatest elements:
    many threads can do that, and a kernel that computes rows finds theirs on the
    way. Only reductions that give the same bits in any order are split, over all
    axes of a tensor with a dynamic size and at least 32 elements along its last
    axis.

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
  let summary = "Find attention in products and softmax";
  let description = [{
    Replaces a product, a softmax along the last axis and a second product by
    one `dhlo.attention`. Scales may stand on queries, keys or scores, and
    reshapes of the leading axes anywhere. Masks may be added to the scores or
    put in their place; `key <= query + keys - queries`, stated by comparing
    positions, becomes `causal`, conditions that always hold are dropped, and
    broadcasts of masks are left out. Transposes that the model made for its
    products are undone. Keys and values that are repeated for groups of query
    heads are not repeated any more, also of a `dhlo.attention` that was there.

    Recognition rests on facts alone. It refuses if

    - scores or probabilities are read elsewhere too;
    - a mask lies below a scale, or the number that stands for removed scores is
      not -inf and not beyond -2^120, where it is put in their place;
    - a row could lose all its keys by -inf and nothing guards against the NaN
      that a softmax makes of it (attention gives zeros, as does the guard
      `select(is_nan(p), 0, p)`);
    - sizes are not provably those of attention.

    Scores are taken to be finite: where they overflow, NaN remains that a guard
    would have made zero.

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
  let summary = "Compute on tokens that are there";
  let description = [{
    A batch of sentences is padded to the longest, and a mask [B, S] says which
    tokens are there. Where the mask keeps the keys of other tokens out of all
    attention, and the model drops their rows (it multiplies them with the mask,
    or reads the first row alone), nothing can tell what they hold, and they are
    not computed: products and norms run on rows [T], one for each token that is
    there; attention gets its grid back by a gather, and its rows are gathered
    behind it. T is found in the data (`dhlo.nonzero`).

    Whether that is so is proven (`MaskedCells.h`, `CellFlow.h`). A row that the
    model reads although it is masked, such as the first one, stays; and where a
    mask is a great negative number, so do the tokens of a sentence that has none
    that are there: its rows see them. So values are those of the whole grid,
    given that what is multiplied with zero is finite, and a row has the same bits
    however it is padded.

    With `mask`, the name of an input, rows of outputs where it is zero become
    zeros, and that they cannot be dropped is an error; a mask that adds -10^4 or
    less is taken to remove keys.

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
    Statistic<"numProducts", "products", "Products computed on rows">,
    Statistic<"numAttentions", "attentions", "Attentions between packed rows">
  ];
}

def WidenFloatsPass : Pass<"dhlo-widen-floats", "::mlir::ModuleOp"> {
  let summary = "compute in f64 what the model computes in f32";
  let description = [{
    Makes every f32 value an f64 one: inputs, results, constants and what is
    between. Weights, random numbers and values of sizes stay what they are and are
    converted. The interpreter of the result judges where two implementations in
    f32 disagree.

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
