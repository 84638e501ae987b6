// RUN: dyn-opt %s -convert-kernel-to-gpu -canonicalize -cse | FileCheck %s

// Two versions: the grid takes that of blocks for rows of more than 1024 elements.
// Each reduction is a butterfly of five steps, and through shared memory.

// CHECK-LABEL: func.func @softmax.grid(
// CHECK:         %[[WIDE:.*]] = arith.cmpi sgt, %{{.*}}, %c1024_i64
// CHECK:         %[[VERSION:.*]] = arith.extui %[[WIDE]]
// CHECK:         %[[IS_BLOCK:.*]] = arith.cmpi eq, %[[VERSION]], %c1_i64
// CHECK:         arith.select %[[IS_BLOCK]]
// CHECK:       gpu.module @softmax
// CHECK:         llvm.func @softmax$warp(
// CHECK:           scf.for {{.*}} iter_args
// CHECK:           %[[M16:.*]] = nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c16_i32
// CHECK:           nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c8_i32
// CHECK:           nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c4_i32
// CHECK:           nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32
// CHECK:           nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32
// CHECK-NOT:       nvvm.barrier
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-5:   nvvm.shfl.sync
// CHECK-NOT:       nvvm.barrier
// CHECK:           scf.for
// CHECK:             llvm.store
// CHECK:         llvm.mlir.global internal @softmax$block$shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32>
// CHECK:         llvm.func @softmax$block(
// CHECK-COUNT-5:   nvvm.shfl.sync
// CHECK:           llvm.store
// CHECK:           nvvm.barrier0
// CHECK-COUNT-8:   llvm.load
// CHECK-COUNT-5:   nvvm.shfl.sync
// CHECK:           nvvm.barrier0
dlhlo.kernel @softmax row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
