// RUN: dyn-opt %s -convert-kernel-to-gpu -canonicalize -cse -split-input-file | FileCheck %s

// The width chooses one of five versions. Those but the last read each element once:
// the second pass finds it in a register, and the third one what the second keeps.

// CHECK-LABEL: func.func @softmax.grid(
// CHECK:         arith.cmpi sgt, %[[WIDTH:.*]], %c64_i64
// CHECK:         arith.cmpi sgt, %[[WIDTH]], %c512_i64
// CHECK:         arith.cmpi sgt, %[[WIDTH]], %c2048_i64
// CHECK:         arith.cmpi sgt, %[[WIDTH]], %c8192_i64
// CHECK:       gpu.module @softmax

// A butterfly of eight lanes.
// CHECK:         llvm.func @softmax$part(
// CHECK-COUNT-8:   llvm.load {{.*}} -> f32
// CHECK-NOT:       llvm.load {{.*}} -> f32
// CHECK-NOT:       scf.for
// CHECK:           nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c4_i32
// CHECK:           nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32
// CHECK:           nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32
// CHECK-COUNT-3:   nvvm.shfl.sync
// CHECK-NOT:       nvvm.barrier
// CHECK-COUNT-8:   llvm.store

// CHECK:         llvm.func @softmax$warp(
// CHECK-COUNT-16:  llvm.load {{.*}} -> f32
// CHECK-NOT:       llvm.load {{.*}} -> f32
// CHECK-COUNT-10:  nvvm.shfl.sync
// CHECK-NOT:       nvvm.barrier
// CHECK-COUNT-16:  llvm.store

// Through shared memory, in the order of the warps of a row.
// CHECK:         llvm.mlir.global internal @softmax$warps$shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32>
// CHECK:         llvm.func @softmax$warps(
// CHECK-COUNT-16:  llvm.load {{.*}} -> f32
// CHECK-COUNT-5:   nvvm.shfl.sync
// CHECK:           llvm.store
// CHECK:           nvvm.barrier0
// CHECK-COUNT-4:   llvm.load
// CHECK-NOT:       llvm.load
// CHECK-COUNT-5:   nvvm.shfl.sync
// CHECK:           nvvm.barrier0

// CHECK:         llvm.func @softmax$block(
// CHECK-NOT:       scf.for
// CHECK-COUNT-5:   nvvm.shfl.sync
// CHECK:           nvvm.barrier0
// CHECK-COUNT-8:   llvm.load {{.*}} -> f32
// CHECK-NOT:       llvm.load
// CHECK-COUNT-5:   nvvm.shfl.sync

// Eight accesses a step, in each of three passes.
// CHECK:         llvm.func @softmax$long(
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-8:     llvm.load {{.*}} -> f32
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-8:     llvm.load {{.*}} -> f32
// CHECK:           scf.for
// CHECK-COUNT-8:     llvm.load {{.*}} -> f32
dlhlo.kernel @softmax row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

// A static width has one version, of as many threads as leave the fewest vectors over: three
// accesses of 64. Nothing is behind the end of a row.

// CHECK-LABEL: gpu.module @static_width
// CHECK:         llvm.func @static_width$warps(
// CHECK:           arith.divui %{{.*}}, %c64_i64
// CHECK-COUNT-3:   llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT:       llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-5:   nvvm.shfl.sync
// CHECK:           nvvm.barrier0
// CHECK-COUNT-2:   llvm.load {{.*}} -> f32
// CHECK-NOT:     llvm.func
dlhlo.kernel @static_width row {
^bb0(%x: tensor<?x768xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x768xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x768xf32, #dhlo.dims<d0>>
}

// -----

// Four operands and what is kept of them leave 12 elements of each a thread to
// registers: 3072 of a block.

// CHECK-LABEL: gpu.module @operands
// CHECK:         llvm.func @operands$long(
// CHECK-NOT:     llvm.func
dlhlo.kernel @operands row {
^bb0(%a: tensor<?x6144xf32, #dhlo.dims<d0>>, %b: tensor<?x6144xf32, #dhlo.dims<d0>>, %c: tensor<?x6144xf32, #dhlo.dims<d0>>, %d: tensor<?x6144xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.add %a, %b : tensor<?x6144xf32, #dhlo.dims<d0>>
  %1 = dhlo.add %0, %c : tensor<?x6144xf32, #dhlo.dims<d0>>
  %2 = dhlo.add %1, %d : tensor<?x6144xf32, #dhlo.dims<d0>>
  %3 = dhlo.softmax %2 axis = 1 : tensor<?x6144xf32, #dhlo.dims<d0>>
  dlhlo.yield %3 : tensor<?x6144xf32, #dhlo.dims<d0>>
}
