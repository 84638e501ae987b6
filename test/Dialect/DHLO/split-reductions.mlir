// RUN: dyn-opt %s -dhlo-split-reductions | FileCheck %s

dhlo.dim @N
// CHECK-LABEL: func.func @range
// CHECK: %[[A:.*]] = dhlo.reduce min %arg0 axes = [2] : (tensor<?x?x64xf32, #dhlo.dims<N, N>>) -> tensor<?x?xf32, #dhlo.dims<N, N>>
// CHECK: %[[B:.*]] = dhlo.reduce min %[[A]] axes = [0, 1] : (tensor<?x?xf32, #dhlo.dims<N, N>>) -> tensor<f32>
// CHECK: dhlo.reduce max %arg0 axes = [2]
func.func @range(%x: tensor<?x?x64xf32, #dhlo.dims<N, N>>) -> (tensor<f32>, tensor<f32>) {
  %0 = dhlo.reduce min %x axes = [0, 1, 2] : (tensor<?x?x64xf32, #dhlo.dims<N, N>>) -> tensor<f32>
  %1 = dhlo.reduce max %x axes = [0, 1, 2] : (tensor<?x?x64xf32, #dhlo.dims<N, N>>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// Sums of floats depend on the order, those of integers do not.
// CHECK-LABEL: func.func @sums
// CHECK: dhlo.reduce sum %arg0 axes = [0, 1]
// CHECK: dhlo.reduce sum %arg1 axes = [1]
func.func @sums(%x: tensor<?x64xf32, #dhlo.dims<N>>, %y: tensor<?x64xi64, #dhlo.dims<N>>) -> (tensor<f32>, tensor<i64>) {
  %0 = dhlo.reduce sum %x axes = [0, 1] : (tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<f32>
  %1 = dhlo.reduce sum %y axes = [0, 1] : (tensor<?x64xi64, #dhlo.dims<N>>) -> tensor<i64>
  return %0, %1 : tensor<f32>, tensor<i64>
}

// Left as they are: short rows, static sizes, an axis that stays, one axis alone.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: dhlo.reduce
// CHECK-NOT: dhlo.reduce
func.func @others(%x: tensor<?x8xf32, #dhlo.dims<N>>, %y: tensor<64x64xf32>, %z: tensor<?x8x64xf32, #dhlo.dims<N>>, %w: tensor<?xf32, #dhlo.dims<N>>)
    -> (tensor<f32>, tensor<f32>, tensor<?xf32, #dhlo.dims<N>>, tensor<f32>) {
  %0 = dhlo.reduce max %x axes = [0, 1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<f32>
  %1 = dhlo.reduce max %y axes = [0, 1] : (tensor<64x64xf32>) -> tensor<f32>
  %2 = dhlo.reduce max %z axes = [1, 2] : (tensor<?x8x64xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %3 = dhlo.reduce max %w axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<?xf32, #dhlo.dims<N>>, tensor<f32>
}
