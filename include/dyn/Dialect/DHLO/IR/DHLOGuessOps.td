//===- DHLOGuessOps.td - Guesses that the runtime switches ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Paths may run by a guess before their router has chosen (RFC 9). The runtime
// counts how often a router is guessed right, and stops guessing where it does
// not pay.

#ifndef DYN_DHLO_GUESS_OPS
#define DYN_DHLO_GUESS_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_GuessOp : DHLO_Op<"guess", [DeclareOpInterfaceMethods<DHLO_BindsDims>,
    MemoryEffects<[MemWrite]>]> {
  let summary = "bind a symbol to whether a router is guessed";
  let description = [{
    Binds a symbol to 1 if paths of the router with the key `key` run by a guess
    in this call, else to 0. The sizes of a guess are multiples of the symbol,
    so that a call that does not guess computes nothing for it. A guess pays
    where at least `pays_from` 1024ths of its rows are right. Which value the
    runtime chooses changes no result.

    ```mlir
    dhlo.dim @G in [0, 1]
    dhlo.dim @M = @G * @N
    dhlo.guess @G = "layers.3.mlp" pays_from 312
    ```

    **Constraints**
    - (C1) The key is not empty.
    - (C2) `pays_from` is from 0 to 1024.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, StrAttr:$key, I64Attr:$pays_from);
  let assemblyFormat = "$symbol `=` $key `pays_from` $pays_from attr-dict";
  let hasVerifier = 1;
}

def DHLO_GuessedOp : DHLO_Op<"guessed", [MemoryEffects<[MemWrite]>,
    AllTypesMatch<["routes", "guess", "rest"]>]> {
  let summary = "count the rows of a router that were guessed right";
  let description = [{
    Passes the offsets of a router, of its guess, and of the rows that the guess
    lacks, to the runtime, which counts how often the guess is right. The
    program cannot observe this.

    ```mlir
    dhlo.guessed "layers.3.mlp" (%routes, %guess, %rest) : tensor<9xi64>
    ```

    **Constraints**
    - (C1) The key is not empty.
    - (C2) Offsets have rank 1 and a static size of at least 2.
  }];
  let arguments = (ins StrAttr:$key, DHLO_TensorOf<[I64]>:$routes,
                       DHLO_TensorOf<[I64]>:$guess, DHLO_TensorOf<[I64]>:$rest);
  let assemblyFormat = [{
    $key `(` $routes `,` $guess `,` $rest `)` attr-dict `:` type($routes)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_GUESS_OPS
