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

// -----

gpu.module @matrix_of_bytes {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i8>
  llvm.func @matrix_of_bytes(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %address = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %shared = llvm.addrspacecast %address : !llvm.ptr<3> to !llvm.ptr
    %at = llvm.addrspacecast %shared : !llvm.ptr to !llvm.ptr<3>
    // expected-error @below {{cannot be emulated: expected matrices of 8 x 8 elements of 16 bits}}
    %0 = nvvm.ldmatrix %at {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}
        : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    llvm.return
  }
}

// -----

gpu.module @matrix_space {
  llvm.func @matrix_space(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %at = llvm.load %params : !llvm.ptr -> !llvm.ptr<3>
    // expected-error @below {{cannot be emulated: expected memory to be used by a cast of its generic address}}
    %0 = nvvm.ldmatrix %at {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
        : (!llvm.ptr<3>) -> i32
    llvm.return
  }
}

// -----

gpu.module @copy_space {
  llvm.func @copy_space(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %to = llvm.load %params : !llvm.ptr -> !llvm.ptr<3>
    %from = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<1>
    // expected-error @below {{cannot be emulated: expected memory to be used by a cast of its generic address}}
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @computed_bf16 {
  llvm.func @computed_bf16(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %p = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %v = llvm.load %p : !llvm.ptr -> bf16
    // expected-error @below {{cannot be emulated: expected bf16 to be moved or converted}}
    %n = llvm.fneg %v : bf16
    llvm.store %n, %p : bf16, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @source_space {
  llvm.mlir.global internal @stage() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
  llvm.func @source_space(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %address = llvm.mlir.addressof @stage : !llvm.ptr<3>
    %shared = llvm.addrspacecast %address : !llvm.ptr<3> to !llvm.ptr
    %to = llvm.addrspacecast %shared : !llvm.ptr to !llvm.ptr<3>
    %from = llvm.load %params : !llvm.ptr -> !llvm.ptr<1>
    // expected-error @below {{cannot be emulated: expected memory to be used by a cast of its generic address}}
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @sums_of_f16 {
  llvm.func @sums_of_f16(%params: !llvm.ptr {llvm.byval = !llvm.array<1 x i64>}) attributes {nvvm.kernel} {
    %a = llvm.mlir.constant(dense<0.0> : vector<2xf16>) : vector<2xf16>
    // expected-error @below {{cannot be emulated: expected m16n8k16 of f16 or bf16 with sums of f32}}
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%a, %a] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    llvm.return
  }
}
