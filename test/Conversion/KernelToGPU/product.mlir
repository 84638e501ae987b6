// RUN: dyn-opt %s -split-input-file -convert-kernel-to-gpu -canonicalize -cse | FileCheck %s

// Two tiles in shared memory, filled between barriers, and sums in registers: four
// vectors of four. A row of blocks for each 64 columns, and so on.

// CHECK-LABEL: func.func @dense.grid(
// CHECK:       gpu.module @dense
// CHECK:         llvm.mlir.global internal @dense$wide$shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1088 x f32>
// CHECK:         llvm.mlir.global internal @dense$wide$shared1() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1088 x f32>
// CHECK:         %[[SUMS:.*]]:4 = scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-8:   scf.if
// CHECK:           nvvm.barrier0
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-64:  math.fma %{{.*}} : vector<4xf32>
// CHECK-NOT:       math.fma
// CHECK:           nvvm.barrier0
// What follows is computed on the sums: on whole vectors, in calls whose columns are
// a multiple of four;
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK:             arith.addf %[[SUMS]]#0, %{{.*}} : vector<4xf32>
// CHECK:             llvm.store %{{.*}} {alignment = 16 : i64}
// CHECK-NOT:         vector.extract
// else one by one at the end.
// CHECK:       llvm.func @dense$narrow(
// CHECK:         %[[SUMS:.*]]:4 = scf.for
// CHECK:             arith.addf %[[SUMS]]#1, %{{.*}} : vector<4xf32>
// CHECK:             llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xf32>
// CHECK:           else
// CHECK:             vector.extract %[[SUMS]]#1[0]
dlhlo.kernel @dense contraction {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<M, K>>, %w: tensor<?x?xf32, #dhlo.dims<K, N>>, %c: tensor<?xf32, #dhlo.dims<N>>):
  dhlo.dim @M in [0, ?]
  dhlo.dim @K in [0, ?]
  dhlo.dim @N in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xf32, #dhlo.dims<M, K>>, tensor<?x?xf32, #dhlo.dims<K, N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  %1 = dhlo.broadcast %c axes = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  %2 = dhlo.add %0, %1 : tensor<?x?xf32, #dhlo.dims<M, N>>
  dlhlo.yield %2 : tensor<?x?xf32, #dhlo.dims<M, N>>
}

// -----

// Bytes are widened on the way to shared memory.

// CHECK-LABEL: gpu.module @bytes
// CHECK:         !llvm.array<1088 x i32>
// CHECK:         arith.extsi %{{.*}} : i8 to i32
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         arith.muli %{{.*}} : vector<4xi32>
dlhlo.kernel @bytes contraction {
^bb0(%x: tensor<2x?x8xi8, #dhlo.dims<M>>, %w: tensor<2x3x8xui8>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 1 lhs_contract = [2] rhs_contract = [2] : (tensor<2x?x8xi8, #dhlo.dims<M>>, tensor<2x3x8xui8>) -> tensor<2x?x3xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<2x?x3xi32, #dhlo.dims<M>>
}

// -----

// Of 16 bits by tensor cores: a warp has four results of 16 x 8, whose lanes have four
// sums of each; elements are moved as they are, and pairs of them read.

// CHECK-LABEL: gpu.module @narrow
// CHECK:         llvm.mlir.global internal @narrow$shared0() {{.*}} : !llvm.array<2560 x bf16>
// CHECK:         %[[SUMS:.*]]:16 = scf.for
// CHECK-NOT:       arith.shli
// CHECK:           llvm.store %{{.*}} {alignment = 2 : i64} : i16
// CHECK:           nvvm.barrier0
// CHECK-COUNT-6:   llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK-COUNT-8:   nvvm.mma.sync
// CHECK-NOT:       nvvm.mma.sync
// CHECK:           nvvm.barrier0
// CHECK:         vector.from_elements %[[SUMS]]#0, %[[SUMS]]#1 : vector<2xf32>
dlhlo.kernel @narrow contraction {
^bb0(%x: tensor<?x768xbf16, #dhlo.dims<d0>>, %w: tensor<768x3072xbf16>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x768xbf16, #dhlo.dims<d0>>, tensor<768x3072xbf16>) -> tensor<?x3072xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x3072xf32, #dhlo.dims<d0>>
}
