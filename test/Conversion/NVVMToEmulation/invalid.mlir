// RUN: dyn-opt %s -split-input-file -convert-nvvm-to-emulation -verify-diagnostics

gpu.module @no_row {
  llvm.func @no_row(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    // expected-error @below {{cannot be emulated: no row for this operation}}
    nvvm.cluster.wait
    llvm.return
  }
}

// -----

gpu.module @space {
  llvm.mlir.global internal @shared() {addr_space = 3 : i32} : !llvm.array<4 x i32>
  llvm.func @space(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %address = llvm.mlir.addressof @shared : !llvm.ptr<3>
    // expected-error @below {{cannot be emulated: expected shared memory to be used by its generic address}}
    %v = llvm.load %address : !llvm.ptr<3> -> i32
    llvm.return
  }
}

// -----

gpu.module @shape {
  llvm.func @shape(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %a = llvm.mlir.constant(0 : i32) : i32
    %c = llvm.mlir.constant(0.0 : f32) : f32
    // expected-error @below {{cannot be emulated: expected m16n8k16 of f16 or bf16 with sums of f32}}
    %d = nvvm.mma.sync A[%a, %a] B[%a] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 8>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
}
