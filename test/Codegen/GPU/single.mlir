// RUN: dyn-opt %s -split-input-file -convert-kernel-to-gpu -canonicalize -cse | FileCheck %s

// A thread counts what comes before its element: before it in the line, then behind it.

// CHECK-LABEL: gpu.module @sort
// CHECK-NOT:     nvvm.barrier0
// CHECK:         %[[BEFORE:.*]] = scf.for %{{.*}} = %c0_i64 to %[[I:.*]] step %{{.*}} -> (i64)
// CHECK:         %[[RANK:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[BEFORE]]) -> (i64)
// CHECK:         arith.cmpi slt, %[[RANK]], %{{.*}}
// CHECK:         scf.if
// CHECK-COUNT-2:   llvm.store
dlhlo.kernel @sort single {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %v, %i = dhlo.sort %x axis = 0 : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %v, %i : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>
}

// -----

// A line for a warp: five steps of a scan, and the last lane's sum for the next 32. A line
// for a thread where lines are adjacent.

// CHECK-LABEL: func.func @sums.grid(
// CHECK:         arith.cmpi sge, %{{.*}}, %c32_i64
// CHECK-LABEL: gpu.module @sums
// CHECK:         llvm.func @sums$warp(
// CHECK:           scf.for {{.*}} -> (f32)
// CHECK-COUNT-5:     nvvm.shfl.sync up
// CHECK-NOT:         nvvm.shfl.sync up
// CHECK:             nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %c31_i32
// CHECK:         llvm.func @sums$thread(
// CHECK-NOT:       nvvm.shfl.sync
dlhlo.kernel @sums single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.cumulative sum %x axis = 0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

// 256 updates at a time: the rows they choose, a list of those for the block, and for each
// element what is for it. It is stored once; nothing is added in memory.

// The assembler is told not to save registers for more than four blocks.

// CHECK-LABEL: gpu.module @scatter
// CHECK:         llvm.func @scatter({{.*}} nvvm.minctasm = 4 : i32
// CHECK:         %[[ROWS:.*]] = llvm.mlir.addressof @scatter$shared0
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} -> (f32)
// CHECK:           llvm.atomicrmw umin
// CHECK-COUNT-5:   nvvm.shfl.sync up
// CHECK-COUNT-3:   nvvm.barrier0
// CHECK:           scf.for {{.*}} -> (f32)
// CHECK:             arith.addf
// CHECK:           nvvm.barrier0
// CHECK:         llvm.store %[[SUM]]
dlhlo.kernel @scatter single {
^bb0(%x: tensor<7x64xf32>, %i: tensor<?x1xi64, #dhlo.dims<d1>>, %u: tensor<?x64xf32, #dhlo.dims<d1>>):
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<7x64xf32>, tensor<?x1xi64, #dhlo.dims<d1>>, tensor<?x64xf32, #dhlo.dims<d1>>) -> tensor<7x64xf32>
  dlhlo.yield %0 : tensor<7x64xf32>
}

// -----

// Each index is looked at by a thread, whatever the result's size; then an element's
// thread goes along the indices of its line.

// CHECK-LABEL: gpu.module @elements
// CHECK:         scf.if
// CHECK:           llvm.atomicrmw umin
// CHECK:         scf.if
// CHECK:           %[[VALUE:.*]] = scf.for {{.*}} -> (f32)
// CHECK:           llvm.store %[[VALUE]]
dlhlo.kernel @elements single {
^bb0(%x: tensor<7x64xf32>, %i: tensor<?x64xi64, #dhlo.dims<d1>>, %u: tensor<?x64xf32, #dhlo.dims<d1>>):
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_elements %x, %i, %u replace axis = 0 : (tensor<7x64xf32>, tensor<?x64xi64, #dhlo.dims<d1>>, tensor<?x64xf32, #dhlo.dims<d1>>) -> tensor<7x64xf32>
  dlhlo.yield %0 : tensor<7x64xf32>
}

// -----

// A block counts what lies before its run, then writes its own rows; the last stores the
// number.

// CHECK-LABEL: gpu.module @nonzero
// CHECK:         %[[OWN:.*]] = scf.for {{.*}} -> (i64)
// CHECK-COUNT-2: nvvm.barrier0
// CHECK:         %[[ROW:.*]] = scf.for {{.*}} -> (i64)
// CHECK-COUNT-2:   nvvm.barrier0
// CHECK:           scf.if
// CHECK-COUNT-2:     llvm.store {{.*}} : i64
// CHECK:         scf.if
// CHECK:           llvm.store %[[ROW]]
dlhlo.kernel @nonzero single {
^bb0(%x: tensor<?x3xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @n = 3 * @d0
  %i, %n = dlhlo.find_nonzero %x : (tensor<?x3xf32, #dhlo.dims<d0>>) -> (tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>)
  dlhlo.yield %i, %n : tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>
}

// -----

// A block for each list: its threads compare a box with those before it that were kept, and agree.

// CHECK-LABEL: func.func @suppress.grid(
// CHECK-LABEL: gpu.module @suppress
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               arith.divf
// CHECK:           nvvm.barrier0
// CHECK:           llvm.store {{.*}} : i8
// CHECK:           nvvm.barrier0
dlhlo.kernel @suppress single {
^bb0(%x: tensor<?x9x4xf32, #dhlo.dims<N>>, %c: tensor<?x9xi1, #dhlo.dims<N>>, %t: tensor<f32>, %n: tensor<i64>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<?x9x4xf32, #dhlo.dims<N>>, tensor<?x9xi1, #dhlo.dims<N>>, tensor<f32>, tensor<i64>) -> tensor<?x9xi1, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x9xi1, #dhlo.dims<N>>
}

// -----

// One block: counts by warps, offsets by a scan, positions by warps, and the positions of a row
// sorted by a thread.

// CHECK-LABEL: func.func @group.grid(
// CHECK:         llvm.store %c1_i64
// CHECK-LABEL: gpu.module @group
// CHECK:         llvm.func @group({{.*}} nvvm.minctasm = 4 : i32
// CHECK:         llvm.atomicrmw umin
// CHECK:         scf.for
// CHECK-COUNT-10:  nvvm.shfl.sync bfly
// CHECK:         nvvm.barrier0
// CHECK-COUNT-10: nvvm.shfl.sync up
// CHECK-COUNT-3: nvvm.barrier0
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-10:    nvvm.shfl.sync up
// CHECK:         nvvm.barrier0
// CHECK:         arith.minui
// CHECK:         arith.maxui
dlhlo.kernel @group single {
^bb0(%x: tensor<?x2xi64, #dhlo.dims<N>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @N2 = 2 * @N
  %o, %r, %p = dhlo.group %x : (tensor<?x2xi64, #dhlo.dims<N>>) -> (tensor<9xi64>, tensor<?xi64, #dhlo.dims<N2>>, tensor<?x2xi64, #dhlo.dims<N>>)
  dlhlo.yield %o, %r, %p : tensor<9xi64>, tensor<?xi64, #dhlo.dims<N2>>, tensor<?x2xi64, #dhlo.dims<N>>
}

// -----

// Two hidden states, so that a step has one barrier, and a cell state.

// CHECK-LABEL: gpu.module @lstm
// CHECK:         llvm.mlir.global internal @lstm$shared0() {{.*}} : !llvm.array<16 x f32>
// CHECK:         llvm.mlir.global internal @lstm$shared1() {{.*}} : !llvm.array<8 x f32>
// CHECK:         nvvm.barrier0
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for {{.*}} -> (f32, f32, f32, f32)
// CHECK:           nvvm.barrier0
// CHECK-NOT:     nvvm.barrier0
dlhlo.kernel @lstm single {
^bb0(%g: tensor<?x?x2x32xf32, #dhlo.dims<T, B>>, %r: tensor<2x8x32xf32>):
  dhlo.dim @T in [0, ?]
  dhlo.dim @B in [0, ?]
  %0, %1, %2 = dhlo.lstm bidirectional %g, %r : (tensor<?x?x2x32xf32, #dhlo.dims<T, B>>, tensor<2x8x32xf32>) -> (tensor<?x2x?x8xf32, #dhlo.dims<T, B>>, tensor<2x?x8xf32, #dhlo.dims<B>>, tensor<2x?x8xf32, #dhlo.dims<B>>)
  dlhlo.yield %0 : tensor<?x2x?x8xf32, #dhlo.dims<T, B>>
}

// -----

// Reductions over different rows are computed where they are read, element by element.

// CHECK-LABEL: gpu.module @different
// CHECK-NOT:     nvvm.shfl
// CHECK:         llvm.func @different(
dlhlo.kernel @different row {
^bb0(%x: tensor<4x8xf32>):
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.reduce sum %x axes = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  dlhlo.yield %0, %1 : tensor<4xf32>, tensor<8xf32>
}
