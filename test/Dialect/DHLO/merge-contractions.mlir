// RUN: dyn-opt %s -dhlo-merge-contractions -split-input-file | FileCheck %s

// Queries, keys and values: one matmul, whose columns are sliced.
dhlo.dim @N
// CHECK-LABEL: func.func @qkv
// CHECK: %[[W:.*]] = dhlo.concat %{{.*}}, %{{.*}} axis = 1 : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<8x10xf32>
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0, %[[W]]
// CHECK: %[[B:.*]] = dhlo.concat %{{.*}}, %{{.*}} axis = 0 : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
// CHECK: %[[C:.*]] = dhlo.broadcast %[[B]] axes = [1]
// CHECK: %[[Z:.*]] = dhlo.add %[[Y]], %[[C]]
// CHECK: %[[P:.*]] = dhlo.slice %[[Z]] starts = [0, 0]
// CHECK: %[[Q:.*]] = dhlo.slice %[[Z]] starts = [0, 4]
// CHECK: dhlo.reshape %[[P]]
// CHECK: dhlo.reshape %[[Q]]
// CHECK-NOT: dhlo.dot_general
func.func @qkv(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x2x2xf32, #dhlo.dims<N>>, tensor<?x2x3xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %w0 = dhlo.weight <"m", offset = 0, length = 128, key = "w0"> : tensor<8x4xf32>
  %b0 = dhlo.weight <"m", offset = 128, length = 16, key = "b0"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %b0 axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.add %0, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.reshape %2 : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x2x2xf32, #dhlo.dims<N>>
  // What the second is made from moves before the first.
  %w1 = dhlo.weight <"m", offset = 256, length = 192, key = "w1"> : tensor<6x8xf32>
  %w1t = dhlo.transpose %w1 permutation = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %b1 = dhlo.weight <"m", offset = 448, length = 24, key = "b1"> : tensor<6xf32>
  %4 = dhlo.dot_general %x, %w1t batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  %5 = dhlo.broadcast %b1 axes = [1] : (tensor<6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  %6 = dhlo.add %5, %4 : tensor<?x6xf32, #dhlo.dims<N>>
  %7 = dhlo.reshape %6 : (tensor<?x6xf32, #dhlo.dims<N>>) -> tensor<?x2x3xf32, #dhlo.dims<N>>
  return %3, %7 : tensor<?x2x2xf32, #dhlo.dims<N>>, tensor<?x2x3xf32, #dhlo.dims<N>>
}

// -----

// What follows one of them works on results in registers.
// CHECK-LABEL: func.func @epilogue
// CHECK-COUNT-2: dhlo.dot_general
func.func @epilogue(%x: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {
  %w0 = dhlo.weight <"m", offset = 0, length = 128, key = "w0"> : tensor<8x4xf32>
  %w1 = dhlo.weight <"m", offset = 128, length = 128, key = "w1"> : tensor<8x4xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = dhlo.tanh %0 : tensor<2x4xf32>
  %2 = dhlo.dot_general %x, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %3 = dhlo.reshape %2 : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %1, %3 : tensor<2x4xf32>, tensor<4x2xf32>
}

// The matrix is an input.
// CHECK-LABEL: func.func @not_constant
// CHECK-COUNT-2: dhlo.dot_general
func.func @not_constant(%x: tensor<2x8xf32>, %w1: tensor<8x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %w0 = dhlo.weight <"m", offset = 0, length = 128, key = "w0"> : tensor<8x4xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = dhlo.reshape %0 : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %2 = dhlo.dot_general %x, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %3 = dhlo.reshape %2 : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %1, %3 : tensor<4x2xf32>, tensor<4x2xf32>
}

// Matrices of different elements.
// CHECK-LABEL: func.func @signedness
// CHECK-COUNT-2: dhlo.dot_general
func.func @signedness(%x: tensor<2x8xui8>) -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  %w0 = dhlo.weight <"m", offset = 0, length = 32, key = "w0"> : tensor<8x4xi8>
  %w1 = dhlo.weight <"m", offset = 32, length = 32, key = "w1"> : tensor<8x4xui8>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xui8>, tensor<8x4xi8>) -> tensor<2x4xi32>
  %1 = dhlo.reshape %0 : (tensor<2x4xi32>) -> tensor<4x2xi32>
  %2 = dhlo.dot_general %x, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xui8>, tensor<8x4xui8>) -> tensor<2x4xi32>
  %3 = dhlo.reshape %2 : (tensor<2x4xi32>) -> tensor<4x2xi32>
  return %1, %3 : tensor<4x2xi32>, tensor<4x2xi32>
}
