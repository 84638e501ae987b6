// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Reductions, with each kind that they take.

dhlo.dim @N
dhlo.dim @M
dhlo.dim @R
dhlo.dim @B
dhlo.dim @B1 = @B + 1
dhlo.dim @P

// CHECK-LABEL: func.func @reduce(
func.func @reduce(%x: tensor<?x4x?xf32, #dhlo.dims<N, M>>, %b: tensor<2x?xi1, #dhlo.dims<N>>, %s: tensor<i64>) {
  // CHECK: dhlo.reduce sum %{{.*}} axes = [2] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %0 = dhlo.reduce sum %x axes = [2] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.reduce prod %{{.*}} axes = [0, 1, 2] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<f32>
  %1 = dhlo.reduce prod %x axes = [0, 1, 2] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<f32>
  // CHECK: dhlo.reduce max %{{.*}} axes = [0, 2] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<4xf32>
  %2 = dhlo.reduce max %x axes = [0, 2] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<4xf32>
  // CHECK: dhlo.reduce min %{{.*}} axes = [] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<?x4x?xf32, #dhlo.dims<N, M>>
  %3 = dhlo.reduce min %x axes = [] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<?x4x?xf32, #dhlo.dims<N, M>>
  // CHECK: dhlo.reduce and %{{.*}} axes = [1] : (tensor<2x?xi1, #dhlo.dims<N>>) -> tensor<2xi1>
  %4 = dhlo.reduce and %b axes = [1] : (tensor<2x?xi1, #dhlo.dims<N>>) -> tensor<2xi1>
  // CHECK: dhlo.reduce or %{{.*}} axes = [0] : (tensor<2x?xi1, #dhlo.dims<N>>) -> tensor<?xi1, #dhlo.dims<N>>
  %5 = dhlo.reduce or %b axes = [0] : (tensor<2x?xi1, #dhlo.dims<N>>) -> tensor<?xi1, #dhlo.dims<N>>
  // CHECK: dhlo.reduce sum %{{.*}} axes = [] : (tensor<i64>) -> tensor<i64>
  %6 = dhlo.reduce sum %s axes = [] : (tensor<i64>) -> tensor<i64>
  return
}

// CHECK-LABEL: func.func @arg_reduce(
func.func @arg_reduce(%x: tensor<?x8xf32, #dhlo.dims<N>>, %v: tensor<?xui8, #dhlo.dims<N>>) {
  // CHECK: dhlo.arg_reduce max %{{.*}} axis = 1 : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
  %0 = dhlo.arg_reduce max %x axis = 1 : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.arg_reduce min %{{.*}} axis = 0 last : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<8xi32>
  %1 = dhlo.arg_reduce min %x axis = 0 last : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<8xi32>
  // CHECK: dhlo.arg_reduce min %{{.*}} axis = 0 : (tensor<?xui8, #dhlo.dims<N>>) -> tensor<i64>
  %2 = dhlo.arg_reduce min %v axis = 0 : (tensor<?xui8, #dhlo.dims<N>>) -> tensor<i64>
  return
}

// CHECK-LABEL: func.func @reduce_window(
func.func @reduce_window(%x: tensor<?x64x112x112xf32, #dhlo.dims<N>>, %v: tensor<?xi32, #dhlo.dims<M>>) {
  // CHECK: dhlo.reduce_window max %{{.*}} window = [1, 1, 3, 3] strides = [1, 1, 2, 2] dilations = [1, 1, 1, 1] low = [0, 0, 1, 1] high = [0, 0, 1, 1] : (tensor<?x64x112x112xf32, #dhlo.dims<N>>) -> tensor<?x64x56x56xf32, #dhlo.dims<N>>
  %0 = dhlo.reduce_window max %x window = [1, 1, 3, 3] strides = [1, 1, 2, 2] dilations = [1, 1, 1, 1] low = [0, 0, 1, 1] high = [0, 0, 1, 1] : (tensor<?x64x112x112xf32, #dhlo.dims<N>>) -> tensor<?x64x56x56xf32, #dhlo.dims<N>>
  // CHECK: dhlo.reduce_window sum %{{.*}} window = [3] strides = [1] dilations = [2] low = [@P] high = [@P + 1] : (tensor<?xi32, #dhlo.dims<M>>) -> tensor<?xi32, #dhlo.dims<R>>
  %1 = dhlo.reduce_window sum %v window = [3] strides = [1] dilations = [2] low = [@P] high = [@P + 1] : (tensor<?xi32, #dhlo.dims<M>>) -> tensor<?xi32, #dhlo.dims<R>>
  // CHECK: dhlo.reduce_window prod %{{.*}} window = [2] strides = [1] dilations = [1] low = [0] high = [0] : (tensor<?xi32, #dhlo.dims<M>>) -> tensor<?xi32, #dhlo.dims<R>>
  %2 = dhlo.reduce_window prod %v window = [2] strides = [1] dilations = [1] low = [0] high = [0] : (tensor<?xi32, #dhlo.dims<M>>) -> tensor<?xi32, #dhlo.dims<R>>
  // CHECK: dhlo.reduce_window min %{{.*}} window = [2] strides = [1] dilations = [1] low = [-1] high = [0] : (tensor<?xi32, #dhlo.dims<M>>) -> tensor<?xi32, #dhlo.dims<R>>
  %3 = dhlo.reduce_window min %v window = [2] strides = [1] dilations = [1] low = [-1] high = [0] : (tensor<?xi32, #dhlo.dims<M>>) -> tensor<?xi32, #dhlo.dims<R>>
  return
}

// CHECK-LABEL: func.func @cumulative(
func.func @cumulative(%x: tensor<?x4xf16, #dhlo.dims<N>>, %v: tensor<8xi64>) {
  // CHECK: dhlo.cumulative sum %{{.*}} axis = 0 : tensor<?x4xf16, #dhlo.dims<N>>
  %0 = dhlo.cumulative sum %x axis = 0 : tensor<?x4xf16, #dhlo.dims<N>>
  // CHECK: dhlo.cumulative prod %{{.*}} axis = 1 exclusive : tensor<?x4xf16, #dhlo.dims<N>>
  %1 = dhlo.cumulative prod %x axis = 1 exclusive : tensor<?x4xf16, #dhlo.dims<N>>
  // CHECK: dhlo.cumulative max %{{.*}} axis = 0 reverse : tensor<8xi64>
  %2 = dhlo.cumulative max %v axis = 0 reverse : tensor<8xi64>
  // CHECK: dhlo.cumulative min %{{.*}} axis = 0 exclusive reverse : tensor<8xi64>
  %3 = dhlo.cumulative min %v axis = 0 exclusive reverse : tensor<8xi64>
  return
}

// CHECK-LABEL: func.func @segment_reduce(
func.func @segment_reduce(%rows: tensor<?x32xf32, #dhlo.dims<R>>, %offsets: tensor<?xi64, #dhlo.dims<B1>>, %v: tensor<7xi8>, %o: tensor<3xi32>) {
  // CHECK: dhlo.segment_reduce sum %{{.*}}, %{{.*}} : (tensor<?x32xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<B1>>) -> tensor<?x32xf32, #dhlo.dims<B>>
  %0 = dhlo.segment_reduce sum %rows, %offsets : (tensor<?x32xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<B1>>) -> tensor<?x32xf32, #dhlo.dims<B>>
  // CHECK: dhlo.segment_reduce prod %{{.*}}, %{{.*}} : (tensor<7xi8>, tensor<3xi32>) -> tensor<2xi8>
  %1 = dhlo.segment_reduce prod %v, %o : (tensor<7xi8>, tensor<3xi32>) -> tensor<2xi8>
  // CHECK: dhlo.segment_reduce max %{{.*}}, %{{.*}} : (tensor<7xi8>, tensor<3xi32>) -> tensor<2xi8>
  %2 = dhlo.segment_reduce max %v, %o : (tensor<7xi8>, tensor<3xi32>) -> tensor<2xi8>
  // CHECK: dhlo.segment_reduce min %{{.*}}, %{{.*}} : (tensor<7xi8>, tensor<3xi32>) -> tensor<2xi8>
  %3 = dhlo.segment_reduce min %v, %o : (tensor<7xi8>, tensor<3xi32>) -> tensor<2xi8>
  return
}
