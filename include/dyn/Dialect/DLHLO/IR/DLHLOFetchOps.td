//===- DLHLOFetchOps.td - Weights of paths, fetched before they are read --===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_FETCH_OPS
#define DYN_DLHLO_FETCH_OPS

include "dyn/Dialect/DLHLO/IR/DLHLOBufferOps.td"

def DLHLO_FetchOp : DLHLO_Op<"fetch", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "announce the weights of paths that have rows";
  let description = [{
    Tells the runtime which bytes of constants the following kernels read: the
    ranges of the paths that have rows by `offsets`, in the order in which they
    are read. Path p has rows if `offsets[p]` is less than `offsets[p + 1]`;
    without offsets, all ranges are read. A runtime with a limit of memory reads
    them from the file meanwhile. The program cannot observe this: a kernel waits
    for the bytes that are missing.

    `predicted` ranges may be read: a guess, made before the router has chosen
    its paths. Their offsets may be those of another router, whose path p is
    followed by the path that reads the range. They are read when nothing else
    is, and replace no bytes that are expected as soon.

    ```mlir
    dlhlo.fetch %offsets [#dlhlo.range<@w, path = 0, offset = 0, bytes = 4096>,
                          #dlhlo.range<@w, path = 1, offset = 4096, bytes = 4096>] : tensor<3xi64>
    dlhlo.fetch predicted [#dlhlo.range<@w, path = 1, offset = 4096, bytes = 4096>]
    ```

    **Constraints**
    - (C1) `offsets` is a vector of at least two numbers.
    - (C2) Paths are among those of `offsets`.
    - (C3) The symbols are `dlhlo.constant`s that contain the ranges.
  }];
  let arguments = (ins
      Optional<AnyTypeOf<[DHLO_TensorOf<[I64]>, DLHLO_BufferType]>>:$offsets,
      DLHLO_RangeArrayAttr:$ranges, UnitAttr:$predicted);
  let assemblyFormat = [{
    (`predicted` $predicted^)? ($offsets^)? $ranges attr-dict
    (`:` type($offsets)^)?
  }];
  let hasVerifier = 1;
}

#endif // DYN_DLHLO_FETCH_OPS
