// RUN: dyn-opt %s -dyn-gpu-kernel-pipeline | FileCheck %s

// The grid's function is the host's; a module of the GPU has nothing but the LLVM and
// NVVM dialects.

// CHECK-LABEL: llvm.func @scale.grid(
// CHECK:         llvm.store
// CHECK:       gpu.module @scale
// CHECK-NOT:     scf.
// CHECK-NOT:     arith.
// CHECK:         llvm.func @scale(
// CHECK:           nvvm.read.ptx.sreg.tid.x
// CHECK:           llvm.cond_br
// CHECK:           llvm.fmul %{{.*}} : vector<4xf32>
// CHECK-NOT:     arith.
// CHECK:           llvm.return
dlhlo.kernel @scale loop {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.mul %x, %x : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
