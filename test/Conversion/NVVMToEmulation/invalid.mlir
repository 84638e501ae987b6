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
