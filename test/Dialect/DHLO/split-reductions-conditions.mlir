// RUN: dyn-opt %s -dhlo-split-reductions | FileCheck %s

// The shortest rows that are reduced by themselves, and each kind of reduction with the types for
// which its order does not matter.

dhlo.dim @N
dhlo.dim @Short in [31, 64]
dhlo.dim @Long in [32, 64]

// CHECK-LABEL: func.func @shortest
// CHECK: %[[R:.*]] = dhlo.reduce max %arg0 axes = [1] : (tensor<?x32xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
// CHECK: dhlo.reduce max %[[R]] axes = [0]
// CHECK: dhlo.reduce max %arg1 axes = [0, 1]
func.func @shortest(%x: tensor<?x32xf32, #dhlo.dims<N>>, %y: tensor<?x31xf32, #dhlo.dims<N>>) -> (tensor<f32>, tensor<f32>) {
  %0 = dhlo.reduce max %x axes = [0, 1] : (tensor<?x32xf32, #dhlo.dims<N>>) -> tensor<f32>
  %1 = dhlo.reduce max %y axes = [0, 1] : (tensor<?x31xf32, #dhlo.dims<N>>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// A dynamic row is as long as its range says at least. Its rows may be few, and their number static.
// CHECK-LABEL: func.func @dynamic
// CHECK: dhlo.reduce min %arg0 axes = [1] : (tensor<4x?xf32, #dhlo.dims<Long>>) -> tensor<4xf32>
// CHECK: dhlo.reduce min %arg1 axes = [0, 1]
// CHECK: dhlo.reduce min %arg2 axes = [0, 1]
func.func @dynamic(%x: tensor<4x?xf32, #dhlo.dims<Long>>, %y: tensor<4x?xf32, #dhlo.dims<Short>>, %z: tensor<64x?xf32, #dhlo.dims<N>>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = dhlo.reduce min %x axes = [0, 1] : (tensor<4x?xf32, #dhlo.dims<Long>>) -> tensor<f32>
  %1 = dhlo.reduce min %y axes = [0, 1] : (tensor<4x?xf32, #dhlo.dims<Short>>) -> tensor<f32>
  %2 = dhlo.reduce min %z axes = [0, 1] : (tensor<64x?xf32, #dhlo.dims<N>>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Booleans, maxima of doubles and of unsigned bytes, and products of integers have no order.
// CHECK-LABEL: func.func @exact
// CHECK: dhlo.reduce and %arg0 axes = [1]
// CHECK: dhlo.reduce or %arg0 axes = [1]
// CHECK: dhlo.reduce max %arg1 axes = [1]
// CHECK: dhlo.reduce min %arg2 axes = [1]
// CHECK: dhlo.reduce prod %arg3 axes = [1]
// CHECK: dhlo.reduce sum %arg3 axes = [1]
func.func @exact(%b: tensor<?x64xi1, #dhlo.dims<N>>, %d: tensor<?x64xf64, #dhlo.dims<N>>, %u: tensor<?x64xui8, #dhlo.dims<N>>, %i: tensor<?x64xi32, #dhlo.dims<N>>)
    -> (tensor<i1>, tensor<i1>, tensor<f64>, tensor<ui8>, tensor<i32>, tensor<i32>) {
  %0 = dhlo.reduce and %b axes = [0, 1] : (tensor<?x64xi1, #dhlo.dims<N>>) -> tensor<i1>
  %1 = dhlo.reduce or %b axes = [0, 1] : (tensor<?x64xi1, #dhlo.dims<N>>) -> tensor<i1>
  %2 = dhlo.reduce max %d axes = [0, 1] : (tensor<?x64xf64, #dhlo.dims<N>>) -> tensor<f64>
  %3 = dhlo.reduce min %u axes = [0, 1] : (tensor<?x64xui8, #dhlo.dims<N>>) -> tensor<ui8>
  %4 = dhlo.reduce prod %i axes = [0, 1] : (tensor<?x64xi32, #dhlo.dims<N>>) -> tensor<i32>
  %5 = dhlo.reduce sum %i axes = [0, 1] : (tensor<?x64xi32, #dhlo.dims<N>>) -> tensor<i32>
  return %0, %1, %2, %3, %4, %5 : tensor<i1>, tensor<i1>, tensor<f64>, tensor<ui8>, tensor<i32>, tensor<i32>
}

// Products and sums of every float type have one.
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-5: dhlo.reduce {{sum|prod}} %arg{{[0-3]}} axes = [0, 1]
// CHECK-NOT: dhlo.reduce
func.func @rounded(%x: tensor<?x64xf32, #dhlo.dims<N>>, %d: tensor<?x64xf64, #dhlo.dims<N>>, %h: tensor<?x64xf16, #dhlo.dims<N>>, %b: tensor<?x64xbf16, #dhlo.dims<N>>)
    -> (tensor<f32>, tensor<f32>, tensor<f64>, tensor<f16>, tensor<bf16>) {
  %0 = dhlo.reduce prod %x axes = [0, 1] : (tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<f32>
  %1 = dhlo.reduce sum %x axes = [0, 1] : (tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<f32>
  %2 = dhlo.reduce prod %d axes = [0, 1] : (tensor<?x64xf64, #dhlo.dims<N>>) -> tensor<f64>
  %3 = dhlo.reduce sum %h axes = [0, 1] : (tensor<?x64xf16, #dhlo.dims<N>>) -> tensor<f16>
  %4 = dhlo.reduce sum %b axes = [0, 1] : (tensor<?x64xbf16, #dhlo.dims<N>>) -> tensor<bf16>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f64>, tensor<f16>, tensor<bf16>
}

// Of four axes the last is reduced first, and the others then together.
// CHECK-LABEL: func.func @four_axes
// CHECK: %[[R:.*]] = dhlo.reduce max %arg0 axes = [3] : {{.*}} -> tensor<2x?x3xf32, #dhlo.dims<N>>
// CHECK: dhlo.reduce max %[[R]] axes = [0, 1, 2] : (tensor<2x?x3xf32, #dhlo.dims<N>>) -> tensor<f32>
func.func @four_axes(%x: tensor<2x?x3x32xf32, #dhlo.dims<N>>) -> tensor<f32> {
  %0 = dhlo.reduce max %x axes = [0, 1, 2, 3] : (tensor<2x?x3x32xf32, #dhlo.dims<N>>) -> tensor<f32>
  return %0 : tensor<f32>
}
