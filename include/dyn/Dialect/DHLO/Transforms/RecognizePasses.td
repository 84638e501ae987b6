//===- RecognizePasses.td - Passes that find composites -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_RECOGNIZE_PASSES
#define DYN_DHLO_RECOGNIZE_PASSES

include "mlir/Pass/PassBase.td"

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

def RecognizeAttentionPass : Pass<"dhlo-recognize-attention", "::mlir::ModuleOp"> {
  let summary = "Recognize attention as contractions and softmax";
  let description = [{
    Replaces a contraction, a softmax along the last axis and a second
    contraction by one `dhlo.attention`. Scales may be on queries, keys or
    scores, also one for each head or query, and reshapes of the leading axes
    anywhere. Masks may be added to the scores or replace them, before a scale
    or after; `key <= query + keys - queries`, as a comparison of
    positions, becomes `causal`, conditions that always hold are dropped, and
    broadcasts of masks are omitted. The model's transposes for its contractions
    are undone. Keys and values that are repeated for groups of query heads are
    no longer repeated, also those of an existing `dhlo.attention`.

    Recognition relies on facts only. It fails if

    - scores or probabilities have other users;
    - scores are replaced by a number that is not -inf and not beyond -2^120;
    - several masks are applied before a scale, and their sum may overflow
      there;
    - a scale differs from key to key;
    - sizes are not provably those of attention.

    A row that could lose all its keys by -inf is NaN (`nan_if_empty`), as its
    softmax was, or zero if the program guards against it, by
    `select(is_nan(p), 0, p)` or by a comparison of all scores of a row with
    -inf.

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

#endif // DYN_DHLO_RECOGNIZE_PASSES
