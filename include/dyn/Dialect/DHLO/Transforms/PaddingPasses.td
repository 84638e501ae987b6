//===- PaddingPasses.td - Passes that skip padding ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_PADDING_PASSES
#define DYN_DHLO_PADDING_PASSES

include "mlir/Pass/PassBase.td"

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

#endif // DYN_DHLO_PADDING_PASSES
