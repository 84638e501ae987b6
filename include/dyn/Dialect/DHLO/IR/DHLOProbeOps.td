//===- DHLOProbeOps.td - Probes and loads ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Profiles of routes (docs/Profiles.md) concern dhlo twice: `dhlo.probe` passes
// groups to a recorder, and `#dhlo.load` is the load in a profile.

#ifndef DYN_DHLO_PROBE_OPS
#define DYN_DHLO_PROBE_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_LoadAttr : DHLO_Attr<"Load", "load"> {
  let summary = "the distribution of rows over groups in a profile";
  let description = [{
    `rows` is the average number of rows of a call. `shares` is the share of
    each group in them, in 1024ths. It is the attribute `dhlo.load` of a
    `cell.route`, and is a hint: no result depends on it.
    `dyn/Dialect/DHLO/Analysis/RouteLoad.h` reads it.

    ```mlir
    #dhlo.load<rows = 812, shares = [512, 256, 256, 0]>
    ```

    **Constraints**
    - (C1) There is at least one share; shares and rows are not negative.
    - (C2) The sum of the shares is 1024.
  }];
  let parameters = (ins "int64_t":$rows, ArrayRefParameter<"int64_t">:$shares);
  let assemblyFormat = "`<` `rows` `=` $rows `,` `shares` `=` `[` $shares `]` `>`";
  let genVerifyDecl = 1;
}

def DHLO_ProbeOp : DHLO_Op<"probe", [MemoryEffects<[MemWrite]>]> {
  let summary = "pass groups to a recorder";
  let description = [{
    Passes the results of `dhlo.group` to the recorder of the call, if there is
    one: the number of rows of each group, and the groups of each row of the
    choices. The program cannot observe this. Row i of `seats` belongs to cell
    `order[i]`, or i without an `order`.

    `key` names the router and is unique in a program; `label` and `cell` are
    the model's names for its paths and its cells. `fingerprint` is a hash of
    the producers of the router, without weights. `after` is the key of the
    previous router on the same cells. See docs/Profiles.md.

    ```mlir
    dhlo.probe "layers.3.mlp" (%offsets, %seats) {cell = "token", fingerprint = "82b1c0de5eedf00d"}
        : tensor<9xi64>, tensor<?x2xi64, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) `offsets` has rank 1 and a static size of at least 2.
    - (C2) `seats` has rank 2.
    - (C3) `order` has one element for each row of `seats`.
  }];
  let arguments = (ins StrAttr:$key, DHLO_TensorOf<[I64]>:$offsets,
                       DHLO_TensorOf<[I64]>:$seats,
                       Optional<DHLO_TensorOf<[I64]>>:$order,
                       OptionalAttr<StrAttr>:$label, OptionalAttr<StrAttr>:$cell,
                       OptionalAttr<StrAttr>:$fingerprint,
                       OptionalAttr<StrAttr>:$after);
  let assemblyFormat = [{
    $key `(` $offsets `,` $seats (`,` $order^)? `)` attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_PROBE_OPS
