// RUN: dyn-opt %s -convert-kernel-to-gpu -canonicalize | FileCheck %s
// Which schedule and versions each kind of kernel gets, at sizes on both sides of each
// condition, at 0, 1 and primes.

// Loops: a grid of no blocks, one, and one for every 1024 elements, whatever is left over.
// CHECK-LABEL: func.func @empty.grid(
// CHECK:         %[[BLOCKS:.*]] = llvm.getelementptr %{{.*}}[1]
// CHECK-NEXT:    llvm.store %c0_i64, %[[BLOCKS]]
dlhlo.kernel @empty loop {
^bb0(%x: tensor<0xf32>):
  %0 = dhlo.neg %x : tensor<0xf32>
  dlhlo.yield %0 : tensor<0xf32>
}

// CHECK-LABEL: func.func @scalar.grid(
// CHECK:         %[[BLOCKS:.*]] = llvm.getelementptr %{{.*}}[1]
// CHECK-NEXT:    llvm.store %c1_i64, %[[BLOCKS]]
dlhlo.kernel @scalar loop {
^bb0(%x: tensor<f32>):
  %0 = dhlo.neg %x : tensor<f32>
  dlhlo.yield %0 : tensor<f32>
}

// CHECK-LABEL: func.func @prime.grid(
// CHECK:         %[[BLOCKS:.*]] = llvm.getelementptr %{{.*}}[1]
// CHECK-NEXT:    llvm.store %c2_i64, %[[BLOCKS]]
dlhlo.kernel @prime loop {
^bb0(%x: tensor<1031xf32>):
  %0 = dhlo.neg %x : tensor<1031xf32>
  dlhlo.yield %0 : tensor<1031xf32>
}

// Two numbers of 8 bytes are an access, so that lines of six are always full.
// CHECK-LABEL: gpu.module @doubles
// CHECK:         llvm.func @doubles(
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<2xf64>
dlhlo.kernel @doubles loop {
^bb0(%x: tensor<?x6xf64, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.neg %x : tensor<?x6xf64, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x6xf64, #dhlo.dims<d0>>
}

// A short column is a thread's. Longer ones are shared by threads of all warps, and the
// longest by several of each warp, too: eight columns are next to each other.
// CHECK-LABEL: func.func @column.grid(
// CHECK:         arith.cmpi sgt, %{{.*}}, %c16_i64
// CHECK:         arith.cmpi sgt, %{{.*}}, %c128_i64
// CHECK:         arith.cmpi sgt, %{{.*}}, %c512_i64
// CHECK-LABEL: gpu.module @column
// CHECK:         llvm.func @column$thread(
// CHECK-COUNT-16:  llvm.load {{.*}} -> f32
// CHECK-NOT:       llvm.load {{.*}} -> f32
// CHECK-NOT:       nvvm.
// CHECK:           llvm.return
// CHECK:         !llvm.array<256 x f32>
// CHECK:         llvm.func @column$warps(
// CHECK-COUNT-16:  llvm.load {{.*}} -> f32
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           nvvm.barrier0
// CHECK-COUNT-8:   llvm.load {{.*}} -> f32
// CHECK-NOT:       llvm.load {{.*}} -> f32
// CHECK:         !llvm.array<64 x f32>
// CHECK:         llvm.func @column$block(
// CHECK-COUNT-2:   nvvm.shfl.sync
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           nvvm.barrier0
// CHECK-COUNT-8:   llvm.load {{.*}} -> f32
// CHECK:         llvm.func @column$long(
// CHECK:           scf.for %{{.*}} to %{{.*}} step %c256_i64
dlhlo.kernel @column column {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.reduce sum %x axes = [0] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d1>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d1>>
}

// Columns of a known width have one version. An operand that is read in two passes is
// loaded once.
// CHECK-LABEL: gpu.module @column_100 {
// CHECK-NOT:     llvm.func @column_100$
// CHECK:         llvm.func @column_100$warps(
// CHECK-COUNT-13:  llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:           nvvm.barrier0
// CHECK-COUNT-8:   llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT:       llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:           nvvm.barrier0
// CHECK-NOT:     llvm.func @column_100$
dlhlo.kernel @column_100 column {
^bb0(%x: tensor<?x100x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x100x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x100x?xf32, #dhlo.dims<d0, d1>>
}

// Reductions over columns that differ, transpositions and windows are loops over results.
// CHECK-LABEL: gpu.module @columns_apart
// CHECK:         llvm.func @columns_apart(
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           llvm.return
dlhlo.kernel @columns_apart column {
^bb0(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>):
  %0 = dhlo.reduce sum %x axes = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %1 = dhlo.reduce sum %y axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  dlhlo.yield %0, %1 : tensor<8xf32>, tensor<4xf32>
}


// CHECK-LABEL: gpu.module @transpose
// CHECK:         llvm.func @transpose$wide(
// CHECK:         llvm.func @transpose$narrow(
dlhlo.kernel @transpose transpose {
^bb0(%x: tensor<?x8xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x8xf32, #dhlo.dims<d0>>) -> tensor<8x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<8x?xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @window
// CHECK:         llvm.func @window(
dlhlo.kernel @window single {
^bb0(%x: tensor<1x1x8x8xf32>):
  %0 = dhlo.reduce_window max %x window = [1, 1, 2, 2] strides = [1, 1, 2, 2] dilations = [1, 1, 1, 1] low = [0, 0, 0, 0] high = [0, 0, 0, 0] : (tensor<1x1x8x8xf32>) -> tensor<1x1x4x4xf32>
  dlhlo.yield %0 : tensor<1x1x4x4xf32>
}

// Reductions over rows that differ have no threads in common.
// CHECK-LABEL: gpu.module @rows_apart
// CHECK:         llvm.func @rows_apart(
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           llvm.return
dlhlo.kernel @rows_apart row {
^bb0(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>):
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.reduce sum %y axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  dlhlo.yield %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// Rows of a known width have the one version for it.
// CHECK-LABEL: gpu.module @row_0 {
// CHECK-NOT:     llvm.func @row_0$
// CHECK:         llvm.func @row_0$part(
// CHECK-NOT:     llvm.func @row_0$
dlhlo.kernel @row_0 row {
^bb0(%x: tensor<?x0xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x0xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x0xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_64 {
// CHECK-NOT:     llvm.func @row_64$
// CHECK:         llvm.func @row_64$part(
// CHECK-NOT:     llvm.func @row_64$
dlhlo.kernel @row_64 row {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x64xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x64xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_67 {
// CHECK-NOT:     llvm.func @row_67$
// CHECK:         llvm.func @row_67$warp(
// CHECK-NOT:     llvm.func @row_67$
dlhlo.kernel @row_67 row {
^bb0(%x: tensor<?x67xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x67xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x67xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_512 {
// CHECK-NOT:     llvm.func @row_512$
// CHECK:         llvm.func @row_512$warp(
// CHECK-NOT:     llvm.func @row_512$
dlhlo.kernel @row_512 row {
^bb0(%x: tensor<?x512xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x512xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x512xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_521 {
// CHECK-NOT:     llvm.func @row_521$
// CHECK:         llvm.func @row_521$warps(
// CHECK-NOT:     llvm.func @row_521$
dlhlo.kernel @row_521 row {
^bb0(%x: tensor<?x521xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x521xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x521xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_2048 {
// CHECK-NOT:     llvm.func @row_2048$
// CHECK:         llvm.func @row_2048$warps(
// CHECK-NOT:     llvm.func @row_2048$
dlhlo.kernel @row_2048 row {
^bb0(%x: tensor<?x2048xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x2048xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x2048xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_2053 {
// CHECK-NOT:     llvm.func @row_2053$
// CHECK:         llvm.func @row_2053$block(
// CHECK-NOT:     llvm.func @row_2053$
dlhlo.kernel @row_2053 row {
^bb0(%x: tensor<?x2053xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x2053xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x2053xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_8192 {
// CHECK-NOT:     llvm.func @row_8192$
// CHECK:         llvm.func @row_8192$block(
// CHECK-NOT:     llvm.func @row_8192$
dlhlo.kernel @row_8192 row {
^bb0(%x: tensor<?x8192xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x8192xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8192xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: gpu.module @row_8209 {
// CHECK-NOT:     llvm.func @row_8209$
// CHECK:         llvm.func @row_8209$long(
// CHECK-NOT:     llvm.func @row_8209$
dlhlo.kernel @row_8209 row {
^bb0(%x: tensor<?x8209xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x8209xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8209xf32, #dhlo.dims<d0>>
}

// Attention of f32 has its sums in registers, whatever the width; of f16 it is by tensor cores.
// CHECK-LABEL: gpu.module @attention_f32
// CHECK:         llvm.func @attention_f32$few(
// CHECK:         llvm.func @attention_f32$many(
// CHECK-NOT:     nvvm.mma.sync
// CHECK-LABEL: gpu.module @attention_f16
// CHECK:         llvm.func @attention_f16(
// CHECK:           nvvm.mma.sync
dlhlo.kernel @attention_f32 attention {
^bb0(%q: tensor<1x1x7x7xf32>):
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x1x7x7xf32>, tensor<1x1x7x7xf32>, tensor<1x1x7x7xf32>) -> tensor<1x1x7x7xf32>
  dlhlo.yield %0 : tensor<1x1x7x7xf32>
}
dlhlo.kernel @attention_f16 attention {
^bb0(%q: tensor<1x1x7x16xf16>):
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x1x7x16xf16>, tensor<1x1x7x16xf16>, tensor<1x1x7x16xf16>) -> tensor<1x1x7x16xf16>
  dlhlo.yield %0 : tensor<1x1x7x16xf16>
}
