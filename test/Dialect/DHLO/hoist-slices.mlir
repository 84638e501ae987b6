// RUN: dyn-opt %s -dhlo-hoist-slices | FileCheck %s

dhlo.dim @B
dhlo.dim @S
dhlo.dim @L = min(1, @S)
dhlo.dim @N = @B * @S
dhlo.dim @M

// The last row of a residual block: both readers of %x come to read the slice.
// CHECK-LABEL: func.func @residual
// CHECK: %[[X:.*]] = dhlo.slice %arg0 starts = [0, max(0, @S - 1), 0]
// CHECK-NOT: dhlo.slice
// CHECK: %[[N:.*]] = dhlo.layer_norm %[[X]], %arg2, %arg2 axis = 2 {{.*}} -> tensor<?x?x8xf32, #dhlo.dims<B, L>>
// CHECK: %[[D:.*]] = dhlo.dot_general %[[N]], %arg1 batch = 0 lhs_contract = [2] rhs_contract = [0] {{.*}} -> tensor<?x?x8xf32, #dhlo.dims<B, L>>
// CHECK: %[[G:.*]] = dhlo.gelu erf %[[D]]
// CHECK: %[[Y:.*]] = dhlo.add %[[X]], %[[G]] : tensor<?x?x8xf32, #dhlo.dims<B, L>>
// CHECK: return %[[Y]]
func.func @residual(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %w: tensor<8x8xf32>, %g: tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, L>> {
  %2 = dhlo.layer_norm %x, %g, %g axis = 2 eps = 1.0e-5 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %3 = dhlo.dot_general %2, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %4 = dhlo.gelu erf %3 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %5 = dhlo.add %x, %4 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %6 = dhlo.slice %5 starts = [0, max(0, @S - 1), 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, L>>
  return %6 : tensor<?x?x8xf32, #dhlo.dims<B, L>>
}

// Matmuls written for rows without batches: the reshape moves, then the slice.
// CHECK-LABEL: func.func @rows
// CHECK: %[[X:.*]] = dhlo.slice %arg0 starts = [0, max(0, @S - 1), 0] {{.*}} -> tensor<?x?x8xf32, #dhlo.dims<B, L>>
// CHECK: %[[D:.*]] = dhlo.dot_general %[[X]], %arg1 batch = 0 lhs_contract = [2] rhs_contract = [0] {{.*}} -> tensor<?x?x4xf32, #dhlo.dims<B, L>>
// CHECK: %[[B:.*]] = dhlo.broadcast %arg2 axes = [2] : (tensor<4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, L>>
// CHECK: %[[Y:.*]] = dhlo.add %[[D]], %[[B]]
// CHECK: return %[[Y]]
func.func @rows(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, L>> {
  %0 = dhlo.reshape %x : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.broadcast %b axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.add %1, %2 : tensor<?x4xf32, #dhlo.dims<N>>
  %4 = dhlo.reshape %3 : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %5 = dhlo.slice %4 starts = [0, max(0, @S - 1), 0] strides = [1, 1, 1] : (tensor<?x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x4xf32, #dhlo.dims<B, L>>
  return %5 : tensor<?x?x4xf32, #dhlo.dims<B, L>>
}

// Heads: through the transpose and the reshape of a slice of columns.
// CHECK-LABEL: func.func @attention
// CHECK: %[[S:.*]] = dhlo.slice %arg0 starts = [0, max(0, @S - 1), 8] {{.*}} -> tensor<?x?x8xf32, #dhlo.dims<B, L>>
// CHECK: %[[R:.*]] = dhlo.reshape %[[S]] {{.*}} -> tensor<?x?x2x4xf32, #dhlo.dims<B, L>>
// CHECK: %[[Q:.*]] = dhlo.transpose %[[R]] permutation = [0, 2, 1, 3]
// CHECK: %[[M:.*]] = dhlo.slice %arg2 starts = [0, 0, max(0, @S - 1), 0]
// CHECK: %[[A:.*]] = dhlo.attention %[[Q]], %arg1, %arg1 mask %[[M]] scale = {{.*}} causal
// CHECK: %[[T:.*]] = dhlo.transpose %[[A]] permutation = [0, 2, 1, 3]
// CHECK: return %[[T]]
func.func @attention(%qkv: tensor<?x?x24xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %m: tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, L>> {
  %0 = dhlo.slice %qkv starts = [0, 0, 8] strides = [1, 1, 1] : (tensor<?x?x24xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reshape %0 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %2 = dhlo.transpose %1 permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %3 = dhlo.attention %2, %k, %k mask %m scale = 0.5 causal : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %4 = dhlo.transpose %3 permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %5 = dhlo.slice %4 starts = [0, max(0, @S - 1), 0, 0] strides = [1, 1, 1, 1] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, L>>
  return %5 : tensor<?x?x2x4xf32, #dhlo.dims<B, L>>
}

// Strides multiply; softmax and rms_norm along other axes.
// CHECK-LABEL: func.func @compose
// CHECK: %[[S:.*]] = dhlo.slice %arg0 starts = [7, 0] strides = [-6, 1] : (tensor<9x8xf32>) -> tensor<2x8xf32>
// CHECK: %[[R:.*]] = dhlo.rms_norm %[[S]], %arg1 axis = 1
// CHECK: dhlo.softmax %[[R]] axis = 1 : tensor<2x8xf32>
func.func @compose(%x: tensor<9x8xf32>, %g: tensor<8xf32>) -> tensor<2x8xf32> {
  %0 = dhlo.slice %x starts = [1, 0] strides = [2, 1] : (tensor<9x8xf32>) -> tensor<4x8xf32>
  %1 = dhlo.rms_norm %0, %g axis = 1 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = dhlo.softmax %1 axis = 1 : tensor<4x8xf32>
  %3 = dhlo.slice %2 starts = [3, 0] strides = [-3, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return %3 : tensor<2x8xf32>
}

// Not: along what is normalised, what has another reader, part of a weight,
// first queries of causal attention, operations that may fail.
// CHECK-LABEL: func.func @stays
// CHECK: dhlo.softmax %arg0 axis = 1 : tensor<4x8xf32>
// CHECK: dhlo.exp %arg0 : tensor<4x8xf32>
// CHECK: dhlo.dot_general %arg0, {{.*}} -> tensor<4x8xf32>
// CHECK: dhlo.attention {{.*}} -> tensor<1x1x4x8xf32>
// CHECK: dhlo.convert {{.*}} -> tensor<4x8xi32>
func.func @stays(%x: tensor<4x8xf32>, %q: tensor<1x1x4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<1x1x2x8xf32>, tensor<4x2xi32>) {
  %0 = dhlo.softmax %x axis = 1 : tensor<4x8xf32>
  %1 = dhlo.slice %0 starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %2 = dhlo.exp %x : tensor<4x8xf32>
  %3 = dhlo.slice %2 starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %w = dhlo.constant dense<1.0> : tensor<8x8xf32>
  %4 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = dhlo.slice %4 starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %6 = dhlo.attention %q, %q, %q scale = 1.0 causal : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %7 = dhlo.slice %6 starts = [0, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<1x1x4x8xf32>) -> tensor<1x1x2x8xf32>
  %8 = dhlo.convert %x : (tensor<4x8xf32>) -> tensor<4x8xi32>
  %9 = dhlo.slice %8 starts = [0, 0] strides = [1, 1] : (tensor<4x8xi32>) -> tensor<4x2xi32>
  return %1, %3, %2, %5, %7, %9 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<1x1x2x8xf32>, tensor<4x2xi32>
}

// Whatever has indexing maps: concatenation and reduction along other axes,
// the first queries and the last head of attention that is not causal.
// CHECK-LABEL: func.func @mapped
// CHECK: %[[X:.*]] = dhlo.slice %arg0 starts = [1, 0, 0] {{.*}} -> tensor<2x3x8xf32>
// CHECK: %[[Y:.*]] = dhlo.slice %arg1 starts = [1, 0, 0] {{.*}} -> tensor<2x1x8xf32>
// CHECK: %[[C:.*]] = dhlo.concat %[[X]], %[[Y]] axis = 1 : {{.*}} -> tensor<2x4x8xf32>
// CHECK: %[[R:.*]] = dhlo.reduce sum %[[C]] axes = [1] : (tensor<2x4x8xf32>) -> tensor<2x8xf32>
// CHECK: %[[Q:.*]] = dhlo.slice %arg2 starts = [0, 1, 0, 0] {{.*}} -> tensor<1x1x2x8xf32>
// CHECK: %[[K:.*]] = dhlo.slice %arg2 starts = [0, 1, 0, 0] {{.*}} -> tensor<1x1x4x8xf32>
// CHECK: %[[A:.*]] = dhlo.attention %[[Q]], %[[K]], %[[K]] scale = {{.*}} -> tensor<1x1x2x8xf32>
// CHECK: return %[[R]], %[[A]]
func.func @mapped(%x: tensor<4x3x8xf32>, %y: tensor<4x1x8xf32>, %q: tensor<1x2x4x8xf32>) -> (tensor<2x8xf32>, tensor<1x1x2x8xf32>) {
  %0 = dhlo.concat %x, %y axis = 1 : (tensor<4x3x8xf32>, tensor<4x1x8xf32>) -> tensor<4x4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x4x8xf32>) -> tensor<4x8xf32>
  %2 = dhlo.slice %1 starts = [1, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %3 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %4 = dhlo.slice %3 starts = [0, 1, 0, 0] strides = [1, 1, 1, 1] : (tensor<1x2x4x8xf32>) -> tensor<1x1x2x8xf32>
  return %2, %4 : tensor<2x8xf32>, tensor<1x1x2x8xf32>
}

// Not: the concatenated axis, an axis of which a mask may have all or one.
// CHECK-LABEL: func.func @moved
// CHECK: dhlo.concat %arg0, %arg0 axis = 0 : {{.*}} -> tensor<8x8xf32>
// CHECK: dhlo.attention {{.*}} -> tensor<1x1x?x8xf32, #dhlo.dims<S>>
func.func @moved(%x: tensor<4x8xf32>, %q: tensor<1x1x?x8xf32, #dhlo.dims<S>>, %m: tensor<1x1x?x?xf32, #dhlo.dims<M, S>>) -> (tensor<2x8xf32>, tensor<1x1x?x8xf32, #dhlo.dims<L>>) {
  %0 = dhlo.concat %x, %x axis = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = dhlo.slice %0 starts = [3, 0] strides = [1, 1] : (tensor<8x8xf32>) -> tensor<2x8xf32>
  %2 = dhlo.attention %q, %q, %q mask %m scale = 1.0 causal : (tensor<1x1x?x8xf32, #dhlo.dims<S>>, tensor<1x1x?x8xf32, #dhlo.dims<S>>, tensor<1x1x?x8xf32, #dhlo.dims<S>>, tensor<1x1x?x?xf32, #dhlo.dims<M, S>>) -> tensor<1x1x?x8xf32, #dhlo.dims<S>>
  %3 = dhlo.slice %2 starts = [0, 0, max(0, @S - 1), 0] strides = [1, 1, 1, 1] : (tensor<1x1x?x8xf32, #dhlo.dims<S>>) -> tensor<1x1x?x8xf32, #dhlo.dims<L>>
  return %1, %3 : tensor<2x8xf32>, tensor<1x1x?x8xf32, #dhlo.dims<L>>
}

// A product of strides that has no number.
// CHECK-LABEL: func.func @overflow
// CHECK: strides = [4611686018427387904]
// CHECK: strides = [4]
func.func @overflow(%x: tensor<8xf32>) -> tensor<1xf32> {
  %0 = dhlo.slice %x starts = [3] strides = [4611686018427387904] : (tensor<8xf32>) -> tensor<1xf32>
  %1 = dhlo.exp %0 : tensor<1xf32>
  %2 = dhlo.slice %1 starts = [0] strides = [4] : (tensor<1xf32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
}
