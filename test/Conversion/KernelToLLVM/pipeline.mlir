// RUN: dyn-opt %s '-pass-pipeline=builtin.module(dyn-kernel-pipeline{isa=v3})' | FileCheck %s
// RUN: dyn-opt %s -convert-kernel-to-vector=isa=v3 -convert-kernel-to-llvm | FileCheck %s

// CHECK: llvm.func @k.geometry(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: llvm.func @k.body(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-NOT: scf.
// CHECK-NOT: unrealized_conversion_cast
dlhlo.kernel @k loop {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.exp %x : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
