//===- DLHLOLibraryOps.td - Calls of GEMM libraries -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A library call is an alternative to running a kernel: it takes the same
// buffers and sizes, and the runtime chooses at the launch, where sizes and
// libraries are known. So no stage between kernels and machine code is
// affected.

#ifndef DYN_DLHLO_LIBRARY_OPS
#define DYN_DLHLO_LIBRARY_OPS

include "dyn/Dialect/DLHLO/IR/DLHLOOpBase.td"

def DLHLO_LibraryGemmOp : DLHLO_Op<"library_gemm",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel that a GEMM library may compute";
  let description = [{
    The kernel computes, for matrices in row-major order without gaps and for
    each i < batch, accumulating in f32,

    ```
    result[i] = activation(left[i] * right[i] + addend[i] + bias)
    ```

    where `sizes` are batch, M, N and K, over the kernel's dims, and operands
    are indices of its arguments. A `transposed` operand is stored as K x M, or
    N x K. The bias has a number for each column. Launches of at least `from`
    multiply-adds are left to the library, if the runtime finds one that
    supports such GEMMs; the order of sums is then the library's.

    ```mlir
    dlhlo.library_gemm @dense sizes [1, @d0 * @d1, 1536, 384] left 0 right 1 transposed
        bias 2 activation gelu_tanh from 1073741824
    ```

    **Constraints**
    - (C1) The symbol is a kernel with one result.
    - (C2) There are four sizes, over dims of the kernel.
    - (C3) Operands are arguments of the kernel. LHS and RHS have one element
      type of f32, f16 and bf16; the bias and the addend have the result's,
      which is that of LHS and RHS or f32.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, DHLO_DimExprArray:$sizes,
                       I64Attr:$left, UnitAttr:$left_transposed,
                       I64Attr:$right, UnitAttr:$right_transposed,
                       OptionalAttr<I64Attr>:$bias, OptionalAttr<I64Attr>:$addend,
                       DLHLO_ActivationAttr:$activation, I64Attr:$from);
  let assemblyFormat = [{
    $kernel `sizes` custom<DimExprs>($sizes)
    `left` $left (`transposed` $left_transposed^)?
    `right` $right (`transposed` $right_transposed^)?
    (`bias` $bias^)? (`addend` $addend^)? `activation` `` $activation
    `from` $from attr-dict
  }];
}

#endif // DYN_DLHLO_LIBRARY_OPS
