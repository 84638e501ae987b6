//===- DLHLOProbeOps.td - Probes over buffers -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_PROBE_OPS
#define DYN_DLHLO_PROBE_OPS

include "dyn/Dialect/DLHLO/IR/DLHLOBufferOps.td"

def DLHLO_ProbeOp : DLHLO_Op<"probe", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "pass groups in buffers to a recorder";
  let description = [{
    Passes the groups of router `index`, one of the module's `dlhlo.probes`, to
    the recorder of the call: the buffers of its offsets, of its positions with
    `cells` rows of `choices` each, and of the order of the cells, if they were
    sorted.

    ```mlir
    dlhlo.probe 0 cells %N choices %k buffers (%offsets, %seats)
    ```

    **Constraints**
    - (C1) There are two or three buffers.
  }];
  let arguments = (ins I64Attr:$index, Index:$cells, Index:$choices,
                       Variadic<DLHLO_BufferType>:$buffers);
  let assemblyFormat = [{
    $index `cells` $cells `choices` $choices `buffers` `(` $buffers `)` attr-dict
  }];
  let hasVerifier = 1;
}

#endif // DYN_DLHLO_PROBE_OPS
