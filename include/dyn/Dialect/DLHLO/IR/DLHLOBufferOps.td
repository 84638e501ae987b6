//===- DLHLOBufferOps.td - Entries over buffers ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The operations of an entry after `dlhlo-plan-buffers`, in addition to `arith`
// on `index` and `scf`. An entry is then a function from the addresses of its
// inputs and the values of its dims to nothing:
//
//   func.func @dyn.entry.main(%x: !dlhlo.buffer, %N: index) {
//     %bytes = ...                                    // shape program
//     %arena = dlhlo.reserve %c0 bytes %bytes         // memory of the segment
//     %y = dlhlo.output 0 sizes (%N)
//     %t = dlhlo.view %arena[%c0]
//     dlhlo.dispatch @k0 dims (%N) buffers (%x, %t) site_base = 0
//     dlhlo.dispatch @k1 dims (%N) buffers (%t, %y) site_base = 0
//     return
//   }
//
// Operations that call the runtime end the function with the call's status if
// the runtime reports that the call has failed.

#ifndef DYN_DLHLO_BUFFER_OPS
#define DYN_DLHLO_BUFFER_OPS

include "dyn/Dialect/DLHLO/IR/DLHLOOpBase.td"

def DLHLO_BufferType : TypeDef<DLHLO_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "address of dense data";
  let description = [{
    The address of a tensor's elements, dense and in row-major order except for
    packed constants. The type of the elements is only known to kernels.
  }];
}

def DLHLO_ReserveOp : DLHLO_Op<"reserve", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory of a segment";
  let description = [{
    At least `bytes` of memory of the arena, aligned to 64 bytes, valid until
    the next reserve of the same arena.

    ```mlir
    %a = dlhlo.reserve %arena bytes %n
    ```
  }];
  let arguments = (ins Index:$arena, Index:$bytes);
  let results = (outs DLHLO_BufferType:$result);
  let assemblyFormat = "$arena `bytes` $bytes attr-dict";
}

def DLHLO_ViewOp : DLHLO_Op<"view", [Pure]> {
  let summary = "part of a buffer";
  let description = [{
    The address `offset` bytes after another one.

    ```mlir
    %b = dlhlo.view %a[%offset]
    ```
  }];
  let arguments = (ins DLHLO_BufferType:$base, Index:$offset);
  let results = (outs DLHLO_BufferType:$result);
  let assemblyFormat = "$base `[` $offset `]` attr-dict";
}

def DLHLO_OutputOp : DLHLO_Op<"output", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory of an output";
  let description = [{
    Requests the memory of output `index` of the entry, with these sizes, from
    the host. Occurs once for each output.

    ```mlir
    %y = dlhlo.output 0 sizes (%N, %c384)
    ```
  }];
  let arguments = (ins I64Attr:$index, Variadic<Index>:$sizes);
  let results = (outs DLHLO_BufferType:$result);
  let assemblyFormat = "$index `sizes` `(` $sizes `)` attr-dict";
}

def DLHLO_ConstantBufferOp : DLHLO_Op<"constant_buffer", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "address of a constant";
  let description = [{
    ```mlir
    %w = dlhlo.constant_buffer @w0
    ```

    **Constraints**
    - (C1) The symbol is a `dlhlo.constant`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$constant);
  let results = (outs DLHLO_BufferType:$result);
  let assemblyFormat = "$constant attr-dict";
}

def DLHLO_DispatchOp : DLHLO_Op<"dispatch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a kernel on buffers";
  let description = [{
    Runs all work items of a kernel. Buffers are the kernel's operands, then its
    results. Data errors of the kernel's site i are those of site `site_base +
    i` of the module.

    ```mlir
    dlhlo.dispatch @k0 dims (%N) buffers (%x, %y) site_base = 4
    ```

    **Constraints**
    - (C1) The symbol is a kernel with as many dims and buffers.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Index>:$dims,
                       Variadic<DLHLO_BufferType>:$buffers, I64Attr:$site_base);
  let assemblyFormat = [{
    $kernel `dims` `(` $dims `)` `buffers` `(` $buffers `)` `site_base` `=`
    $site_base attr-dict
  }];
}

def DLHLO_CheckOp : DLHLO_Op<"check", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stop if a kernel has reported a data error";
  let description = [{
    Ends the call if the error word is set. Occurs before the host acts on data
    that a kernel computed.

    ```mlir
    dlhlo.check
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def DLHLO_FailIfOp : DLHLO_Op<"fail_if", [MemoryEffects<[MemWrite]>]> {
  let summary = "stop with a data error";
  let description = [{
    If the condition holds, ends the call with the data error of a site of the
    module and the invalid value.

    ```mlir
    dlhlo.fail_if %negative value %size site = 7
    ```
  }];
  let arguments = (ins I1:$condition, Index:$value, I64Attr:$site);
  let assemblyFormat = "$condition `value` $value `site` `=` $site attr-dict";
}

def DLHLO_LoadOp : DLHLO_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "read a scalar of a buffer";
  let description = [{
    Reads the first element of a buffer of the result's type; booleans are
    bytes.

    ```mlir
    %k = dlhlo.load %b : i64
    ```
  }];
  let arguments = (ins DLHLO_BufferType:$buffer);
  let results = (outs AnyTypeOf<[I1, I32, I64]>:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($result)";
}

def DLHLO_StoreOp : DLHLO_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "write a size into a buffer";
  let description = [{
    Writes a value as element `position` of a buffer of elements of `type`.

    ```mlir
    dlhlo.store %n, %b[2] as i64
    ```
  }];
  let arguments = (ins Index:$value, DLHLO_BufferType:$buffer, I64Attr:$position,
                       TypeAttr:$type);
  let assemblyFormat = "$value `,` $buffer `[` $position `]` `as` $type attr-dict";
}

def DLHLO_PoisonOp : DLHLO_Op<"poison", [MemoryEffects<[MemWrite]>]> {
  let summary = "forbid access to memory";
  let description = [{
    From here on the code of kernels must not access the `bytes` bytes of the
    buffer: they are a red zone or a dead value. Occurs in entries that are
    compiled for AddressSanitizer, which reports a kernel that accesses them.
    The buffer begins at a multiple of 8 bytes.

    ```mlir
    dlhlo.poison %t bytes %n
    ```
  }];
  let arguments = (ins DLHLO_BufferType:$buffer, Index:$bytes);
  let assemblyFormat = "$buffer `bytes` $bytes attr-dict";
}

def DLHLO_UnpoisonOp : DLHLO_Op<"unpoison", [MemoryEffects<[MemWrite]>]> {
  let summary = "allow access to memory";
  let description = [{
    From here on the `bytes` bytes of the buffer hold a live value; see
    `dlhlo.poison`.

    ```mlir
    dlhlo.unpoison %t bytes %n
    ```
  }];
  let arguments = (ins DLHLO_BufferType:$buffer, Index:$bytes);
  let assemblyFormat = "$buffer `bytes` $bytes attr-dict";
}

#endif // DYN_DLHLO_BUFFER_OPS
