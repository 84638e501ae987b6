//===- DLHLOGuessOps.td - Guesses over buffers ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_GUESS_OPS
#define DYN_DLHLO_GUESS_OPS

include "dyn/Dialect/DLHLO/IR/DLHLOBufferOps.td"

def DLHLO_GuessOp : DLHLO_Op<"guess", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "ask whether a router is guessed";
  let description = [{
    1 if paths of router `index`, one of the module's `dlhlo.probes`, run by a
    guess in this call, else 0. See `dhlo.guess`.

    ```mlir
    %g = dlhlo.guess 0 pays_from 312
    ```
  }];
  let arguments = (ins I64Attr:$index, I64Attr:$pays_from);
  let results = (outs Index:$result);
  let assemblyFormat = "$index `pays_from` $pays_from attr-dict";
}

def DLHLO_GuessedOp : DLHLO_Op<"guessed", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "count the rows of a router that were guessed right";
  let description = [{
    Passes the offsets of router `index`, of its guess, and of the rows that the
    guess lacks, to the runtime. See `dhlo.guessed`.

    ```mlir
    dlhlo.guessed 0 buffers (%routes, %guess, %rest)
    ```
  }];
  let arguments = (ins I64Attr:$index, DLHLO_BufferType:$routes,
                       DLHLO_BufferType:$guess, DLHLO_BufferType:$rest);
  let assemblyFormat = [{
    $index `buffers` `(` $routes `,` $guess `,` $rest `)` attr-dict
  }];
}

#endif // DYN_DLHLO_GUESS_OPS
