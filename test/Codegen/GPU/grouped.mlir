// RUN: dyn-opt %s -convert-kernel-to-gpu -canonicalize -cse | FileCheck %s

// A slot for each 64 rows, or 16 where groups have no more, and two more than there are groups,
// whatever the offsets; a block bisects for its run of rows, and multiplies by the matrix of
// that.

// CHECK-LABEL: func.func @experts.grid(
// CHECK:         %[[ROWS:.*]] = arith.divui %{{.*}}, %c8_i64
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %c16_i64
// CHECK:         %[[VERSION:.*]] = arith.extui %[[FEW]]
// CHECK:         %[[TILES:.*]] = arith.divui %{{.*}}, %c64_i64
// CHECK:         %[[SLOTS:.*]] = arith.addi %[[TILES]], %c10_i64
// CHECK:         %[[BLOCKS:.*]] = arith.muli %[[SLOTS]], %c2_i64
// CHECK:         arith.divui %{{.*}}, %c16_i64
// CHECK:         %[[ARE_FEW:.*]] = arith.cmpi eq, %[[VERSION]], %c1_i64
// CHECK:         arith.select %[[ARE_FEW]], %{{.*}}, %[[BLOCKS]]
// CHECK-LABEL: gpu.module @experts
// CHECK:         llvm.atomicrmw umin
// CHECK:         %[[SPAN:.*]]:2 = scf.for %{{.*}} = %c0_i64 to %c4_i64 {{.*}} -> (i64, i64)
// CHECK:         %[[GROUP:.*]] = arith.addi %[[SPAN]]#0, %c-1_i64
// CHECK:         arith.cmpi ult, %[[GROUP]], %c8_i64
// CHECK:         arith.muli %[[GROUP]]
// CHECK:         nvvm.cp.async.shared.global
// CHECK:         scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, i64, i64)
// CHECK:           nvvm.barrier0
dlhlo.kernel @experts contraction {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<R>>, %w: tensor<8x64x96xf32>, %o: tensor<9xi64>):
  dhlo.dim @R in [0, ?]
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<?x64xf32, #dhlo.dims<R>>, tensor<8x64x96xf32>, tensor<9xi64>) -> tensor<?x96xf32, #dhlo.dims<R>>
  dlhlo.yield %0 : tensor<?x96xf32, #dhlo.dims<R>>
}

// A GEMM for each image; its block looks for the image's filter.

// CHECK-LABEL: gpu.module @filters
// CHECK:         %[[FILTER:.*]]:2 = scf.for {{.*}} -> (i64, i64)
// CHECK:           llvm.atomicrmw umin
// CHECK:         %[[HAS:.*]] = arith.cmpi ult, %[[FILTER]]#1, %c2_i64
// CHECK:         %[[DEPTH:.*]] = arith.select %[[HAS]], %c72_i64, %c0_i64
// CHECK:         scf.for %{{.*}} = %c0_i64 to %[[DEPTH]]
dlhlo.kernel @filters convolution {
^bb0(%x: tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, %w: tensor<2x16x8x3x3xf32>, %o: tensor<3xi64>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.grouped_convolution %x, %w, %o channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<2x16x8x3x3xf32>, tensor<3xi64>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
}
