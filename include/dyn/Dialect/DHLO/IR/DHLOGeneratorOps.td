//===- DHLOGeneratorOps.td - Indices and random numbers -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_GENERATOR_OPS
#define DYN_DHLO_GENERATOR_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_IotaOp : DHLO_Op<"iota", [Pure, DHLO_Generated]> {
  let summary = "indices along an axis";
  let description = [{
    Each element is `start + step * index` of its index along `axis`, where
    start and step are size expressions.

    ```mlir
    %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<S>>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) There is one start and one step.
  }];
  let arguments = (ins I64Attr:$axis, DHLO_DimExprArray:$start,
                       DHLO_DimExprArray:$step);
  let results = (outs DHLO_NumberTensor:$result);
  let assemblyFormat = [{
    `axis` `=` $axis `start` `=` custom<DimExprs>($start)
    `step` `=` custom<DimExprs>($step) attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def DHLO_RngOp : DHLO_Op<"rng", [Pure]> {
  let summary = "random numbers from a counter";
  let description = [{
    Philox4x32-10 numbers. Element i of the operation with stream number
    `stream` only depends on the seed of the call (or `seed`, if given), the
    stream and i, so results are reproducible, with any number of threads.
    Uniform numbers are in [low, high), normal ones have mean `low` and
    deviation `high`.

    In detail: the key is the seed, its low word first; the counter of block b
    is the words of b, then those of the stream, low word first. A block gives
    words w0 to w3. With `unit(w) = (w >> 8) * 2^-24`:

    - Uniform, f32: element i uses word i mod 4 of block i floordiv 4 and is
      `fma(unit(w), high - low, low)`, all in f32, or `low` if that is not below
      `high`. f16 and bf16 numbers are the f32 ones, rounded.
    - Uniform, f64: element i uses words 2 (i mod 2), the low one, and the next
      one of block i floordiv 2, as a 64-bit integer u, with `(u >> 11) * 2^-53`
      for the unit and f64 for the rest.
    - Normal: elements 2 j and 2 j + 1 use words 2 (j mod 2) and the next one of
      block j floordiv 2, `r = sqrt(-2 log(unit(w) + 2^-24))` and `t = 2 pi
      unit(next)`; they are `fma(r cos(t), high, low)` and `fma(r sin(t), high,
      low)`, the last step in the type, f32 for f16 and bf16.

    ```mlir
    %r = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<?xf32, #dhlo.dims<N>>
    ```
  }];
  let arguments = (ins DHLO_RngKindAttr:$kind, F64Attr:$low, F64Attr:$high,
                       I64Attr:$stream, OptionalAttr<I64Attr>:$seed);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = [{
    `` $kind `low` `=` $low `high` `=` $high `stream` `=` $stream
    (`seed` `=` $seed^)? attr-dict `:` type($result)
  }];
}

#endif // DYN_DHLO_GENERATOR_OPS
