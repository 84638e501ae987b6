// RUN: dyn-opt %s -split-input-file -convert-kernel-to-gpu -canonicalize -cse | FileCheck %s

// Which tile there is to be follows from the sizes, and so do the blocks.

// CHECK-LABEL: func.func @dense.grid(
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %{{.*}}, %c16_i64
// CHECK:         %[[LARGE:.*]] = arith.cmpi sge, %{{.*}}, %c108_i64
// CHECK:         %[[WIDE:.*]] = arith.select %[[LARGE]], %c2_i64
// CHECK:         arith.select %{{.*}}, %[[WIDE]], %c3_i64

// Two tiles in shared memory, of four stages each, and sums in registers: four vectors of
// four. Copies of three steps are under way before the first one is multiplied: the LHS
// is transposed on its way, element by element, the RHS comes by 16 bytes.

// CHECK-LABEL: gpu.module @dense
// CHECK:         llvm.mlir.global internal @dense$wide$shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4352 x f32>
// CHECK:         llvm.mlir.global internal @dense$wide$shared1() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x f32>
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c3_i64
// CHECK:           scf.if
// CHECK-COUNT-4:     nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = {{ *}}ca, %{{.*}}
// CHECK:             nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = {{ *}}cg, %{{.*}}
// CHECK:           nvvm.cp.async.commit.group
// CHECK:         %[[SUMS:.*]]:6 = scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, i64, i64)
// CHECK-NEXT:      nvvm.cp.async.wait.group 2
// CHECK-NEXT:      nvvm.barrier0
// CHECK:           scf.if
// CHECK-COUNT-5:     nvvm.cp.async.shared.global
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-64:  math.fma %{{.*}} : vector<4xf32>
// CHECK-NOT:       math.fma
// CHECK-NOT:       nvvm.barrier0
// What follows is computed on the sums: on full vectors, in calls whose columns are
// a multiple of four;
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK:             arith.addf %[[SUMS]]#0, %{{.*}} : vector<4xf32>
// CHECK:             llvm.store %{{.*}} {alignment = 16 : i64}
// CHECK-NOT:         vector.extract
// else one by one at the end. A thread of a flat tile has one row, of a large one 8 x 8 sums.
// CHECK:       llvm.func @dense$few(
// CHECK-COUNT-32:  math.fma
// CHECK-NOT:       math.fma
// CHECK:       !llvm.array<4224 x f32>
// CHECK:       llvm.func @dense$large(
// CHECK-COUNT-256: math.fma
// CHECK-NOT:       math.fma
// CHECK:       llvm.func @dense$narrow(
// CHECK:         scf.for
// CHECK-COUNT-8:     nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = {{ *}}ca, %{{.*}}
// CHECK:         %[[SUMS:.*]]:6 = scf.for
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

// Bytes are widened on the way to shared memory: nothing is copied, to two stages in turn.

// CHECK-LABEL: gpu.module @bytes
// CHECK:         !llvm.array<2176 x i32>
// CHECK-NOT:     nvvm.cp.async
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

// Of 16 bits by tensor cores: a warp has 2 x 2 results of 16 x 8, whose lanes have four sums of
// each. Lines are known to be a multiple of 16 bytes. The RHS lies across the sum, and
// its matrices are transposed.

// CHECK-LABEL: gpu.module @narrow
// CHECK:         llvm.mlir.global internal @narrow$medium$shared0() {{.*}} : !llvm.array<8192 x bf16>
// CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = {{ *}}cg, %{{.*}}
// CHECK-NOT:     nvvm.cp.async.shared.global
// CHECK:         %[[SUMS:.*]]:18 = scf.for
// CHECK:           nvvm.cp.async.wait.group 2
// CHECK:           nvvm.barrier0
// CHECK:           nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK:           nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK-COUNT-8:   nvvm.mma.sync
// CHECK-NOT:       nvvm.mma.sync
// CHECK-NOT:       nvvm.barrier0
// CHECK:         vector.from_elements %[[SUMS]]#0, %[[SUMS]]#1 : vector<2xf32>
// A warp of a flat tile has one result, of twice as many steps, of a large one 4 x 4.
// CHECK:       llvm.func @narrow$few(
// CHECK:           nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 2
// CHECK-COUNT-4:   nvvm.mma.sync
// CHECK-NOT:       nvvm.mma.sync
// CHECK:       !llvm.array<12288 x bf16>
// CHECK:       llvm.func @narrow$large(
// CHECK:           nvvm.cp.async.wait.group 1
// CHECK-COUNT-32:  nvvm.mma.sync
// CHECK-NOT:       nvvm.mma.sync
dlhlo.kernel @narrow contraction {
^bb0(%x: tensor<?x768xbf16, #dhlo.dims<d0>>, %w: tensor<768x3072xbf16>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x768xbf16, #dhlo.dims<d0>>, tensor<768x3072xbf16>) -> tensor<?x3072xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x3072xf32, #dhlo.dims<d0>>
}

// -----

// What is computed on the way goes through registers, while the other operand is copied.

// CHECK-LABEL: gpu.module @computed
// CHECK:         scf.for
// CHECK-COUNT-8:   llvm.store %{{.*}} {alignment = 2 : i64} : i16
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16
// CHECK-NOT:       nvvm.cp.async.shared.global
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           nvvm.cp.async.wait.group 2
// CHECK-NOT:     llvm.func
dlhlo.kernel @computed contraction {
^bb0(%x: tensor<40x64xf16>, %w: tensor<64x64xf16>):
  %0 = dhlo.neg %x : tensor<40x64xf16>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<40x64xf16>, tensor<64x64xf16>) -> tensor<40x64xf16>
  dlhlo.yield %1 : tensor<40x64xf16>
}

// -----

// Elements of 16 bits whose lines are odd cannot be copied: their only version goes through
// registers.

// CHECK-LABEL: gpu.module @odd
// CHECK-NOT:     nvvm.cp.async
// CHECK:         llvm.func @odd(
// CHECK-NOT:     llvm.func
// CHECK:         nvvm.mma.sync
dlhlo.kernel @odd contraction {
^bb0(%x: tensor<40x33xf16>, %w: tensor<33x31xf16>):
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<40x33xf16>, tensor<33x31xf16>) -> tensor<40x31xf16>
  dlhlo.yield %0 : tensor<40x31xf16>
}

// -----

// Nor can an LHS be whose adjacent elements in memory are apart in the sum.

// CHECK-LABEL: gpu.module @swapped
// CHECK-COUNT-8:   llvm.store %{{.*}} {alignment = 2 : i64} : i16
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16
dlhlo.kernel @swapped contraction {
^bb0(%x: tensor<40x8x8xf16>, %w: tensor<8x8x64xf16>):
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2, 1] rhs_contract = [0, 1] : (tensor<40x8x8xf16>, tensor<8x8x64xf16>) -> tensor<40x64xf16>
  dlhlo.yield %0 : tensor<40x64xf16>
}
