// RUN: dyn-opt %s -canonicalize | FileCheck %s

dhlo.dim @N
dhlo.dim @M
dhlo.dim @K
// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32, #dhlo.dims<N>>, %[[V:.*]]: tensor<f32>)
func.func @identities(%x: tensor<?x4xf32, #dhlo.dims<N>>, %v: tensor<f32>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  %0 = dhlo.broadcast %x axes = [0, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.transpose %x permutation = [0, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.slice %x starts = [0, 0] strides = [1, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.pad %x, %v constant low = [0, 0] high = [0, 0] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %4 = dhlo.concat %x axis = 0 : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %0, %1, %2, %3, %4 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @chains
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<4x6xf32>, tensor<4x2x3xf32>, tensor<1x1x2xf32>, tensor<2x5x3x4xf32>) {
  // CHECK-DAG: %[[R:.*]] = dhlo.reshape %[[X]] : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
  // CHECK-DAG: %[[T:.*]] = dhlo.transpose %[[X]] permutation = [2, 0, 1]
  // CHECK-DAG: %[[S:.*]] = dhlo.slice %[[X]] starts = [1, 2, 3] strides = [1, 1, -2]
  // CHECK-DAG: %[[B:.*]] = dhlo.broadcast %[[X]] axes = [0, 2, 3]
  // CHECK: return %[[R]], %[[T]], %[[S]], %[[B]]
  %0 = dhlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %1 = dhlo.reshape %0 : (tensor<24xf32>) -> tensor<4x6xf32>
  %2 = dhlo.transpose %x permutation = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %3 = dhlo.transpose %2 permutation = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %4 = dhlo.slice %x starts = [1, 1, 1] strides = [1, 1, 2] : (tensor<2x3x4xf32>) -> tensor<1x2x2xf32>
  %5 = dhlo.slice %4 starts = [0, 1, 1] strides = [1, 1, -1] : (tensor<1x2x2xf32>) -> tensor<1x1x2xf32>
  %6 = dhlo.broadcast %x axes = [0, 1, 2] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %7 = dhlo.broadcast %6 axes = [0, 2, 3] : (tensor<2x3x4xf32>) -> tensor<2x5x3x4xf32>
  return %1, %3, %5, %7 : tensor<4x6xf32>, tensor<4x2x3xf32>, tensor<1x1x2xf32>, tensor<2x5x3x4xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2x2xi64>, tensor<i64>, tensor<3x2xf32>) {
  // CHECK-DAG: %[[R:.*]] = dhlo.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK-DAG: %[[G:.*]] = dhlo.constant dense<4> : tensor<i64>
  // CHECK-DAG: %[[B:.*]] = dhlo.constant dense<1.000000e+00> : tensor<3x2xf32>
  // CHECK: return %[[R]], %[[G]], %[[B]]
  %c = dhlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %0 = dhlo.reshape %c : (tensor<4xi64>) -> tensor<2x2xi64>
  %i = dhlo.constant dense<-1> : tensor<i64>
  %1 = dhlo.gather %c, %i axis = 0 batch = 0 : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
  %one = dhlo.constant dense<1.0> : tensor<f32>
  %2 = dhlo.broadcast %one axes = [] : (tensor<f32>) -> tensor<3x2xf32>
  return %0, %1, %2 : tensor<2x2xi64>, tensor<i64>, tensor<3x2xf32>
}

// CHECK-LABEL: func.func @empty_parts
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<0xf32>)
func.func @empty_parts(%x: tensor<4xf32>, %y: tensor<0xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  // CHECK: %[[BOTH:.*]] = dhlo.concat %[[X]], %[[X]] axis = 0
  // CHECK: return %[[X]], %[[BOTH]]
  %0 = dhlo.concat %y, %x axis = 0 : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = dhlo.concat %x, %y, %x axis = 0 : (tensor<4xf32>, tensor<0xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @reduce_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @reduce_nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = dhlo.reduce sum %x axes = [] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A reshape of a reshape is one if the sizes of either are seen to fit: the other's
// are checked.
dhlo.dim @B
dhlo.dim @BN = @B * @N
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32, #dhlo.dims<B, N>>, %[[Y:.*]]: tensor<?xf32, #dhlo.dims<N>>)
func.func @reshapes(%x: tensor<?x?xf32, #dhlo.dims<B, N>>, %y: tensor<?xf32, #dhlo.dims<N>>)
    -> (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x2xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) {
  // CHECK-DAG: %[[FIRST:.*]] = dhlo.reshape %[[X]] : (tensor<?x?xf32, #dhlo.dims<B, N>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  // CHECK-DAG: %[[SECOND:.*]] = dhlo.reshape %[[X]] : (tensor<?x?xf32, #dhlo.dims<B, N>>) -> tensor<?x2xf32, #dhlo.dims<N>>
  // CHECK-DAG: %[[OTHER:.*]] = dhlo.reshape %[[Y]] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<B>>
  // CHECK-DAG: %[[THIRD:.*]] = dhlo.reshape %[[OTHER]] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<N>>
  // CHECK: return %[[FIRST]], %[[SECOND]], %[[THIRD]]
  %0 = dhlo.reshape %x : (tensor<?x?xf32, #dhlo.dims<B, N>>) -> tensor<?xf32, #dhlo.dims<BN>>
  %1 = dhlo.reshape %0 : (tensor<?xf32, #dhlo.dims<BN>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %2 = dhlo.reshape %x : (tensor<?x?xf32, #dhlo.dims<B, N>>) -> tensor<2x?xf32, #dhlo.dims<N>>
  %3 = dhlo.reshape %2 : (tensor<2x?xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %4 = dhlo.reshape %y : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<B>>
  %5 = dhlo.reshape %4 : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<N>>
  return %1, %3, %5 : tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x2xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
}

// Sizes between that nobody has compared stay: what N is broadcast to may be
// neither 1 nor K.
// CHECK-LABEL: func.func @broadcasts
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32, #dhlo.dims<N>>)
func.func @broadcasts(%x: tensor<?xf32, #dhlo.dims<N>>) -> (tensor<?xf32, #dhlo.dims<K>>, tensor<2x?xf32, #dhlo.dims<M>>) {
  // CHECK: %[[M:.*]] = dhlo.broadcast %[[X]] axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  // CHECK: %[[K:.*]] = dhlo.broadcast %[[M]] axes = [0] : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<?xf32, #dhlo.dims<K>>
  // CHECK: %[[W:.*]] = dhlo.broadcast %[[X]] axes = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<2x?xf32, #dhlo.dims<M>>
  // CHECK: return %[[K]], %[[W]]
  %0 = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<?xf32, #dhlo.dims<K>>
  %2 = dhlo.broadcast %0 axes = [1] : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<2x?xf32, #dhlo.dims<M>>
  return %1, %2 : tensor<?xf32, #dhlo.dims<K>>, tensor<2x?xf32, #dhlo.dims<M>>
}

// A part of a weight that the compiler cuts stays apart from one whose size calls have.
// CHECK-LABEL: func.func @part_of_weight
// CHECK: %[[W:.*]] = dhlo.weight
// CHECK: %[[C:.*]] = dhlo.slice %[[W]] starts = [0, 2] {{.*}} -> tensor<8x2xf32>
// CHECK: dhlo.slice %[[C]] starts = [0, 0] {{.*}} -> tensor<?x2xf32, #dhlo.dims<P>>
// CHECK: dhlo.slice %[[W]] starts = [1, 2] {{.*}} -> tensor<3x2xf32>
// CHECK-NOT: dhlo.slice
dhlo.dim @P in [0, 8]
func.func @part_of_weight() -> (tensor<?x2xf32, #dhlo.dims<P>>, tensor<3x2xf32>) {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "f"> : tensor<8x4xf32>
  %0 = dhlo.slice %w starts = [0, 2] strides = [1, 1] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = dhlo.slice %0 starts = [0, 0] strides = [1, 1] : (tensor<8x2xf32>) -> tensor<?x2xf32, #dhlo.dims<P>>
  %2 = dhlo.slice %0 starts = [1, 0] strides = [1, 1] : (tensor<8x2xf32>) -> tensor<3x2xf32>
  return %1, %2 : tensor<?x2xf32, #dhlo.dims<P>>, tensor<3x2xf32>
}
