// RUN: dyn-opt %s -dhlo-hoist-repeats | FileCheck %s

dhlo.dim @B
dhlo.dim @S
dhlo.dim @T
dhlo.dim @N = @B * @S

// The query is multiplied once for all keys; what is not repeated stays together.
// CHECK-LABEL: func.func @query
// CHECK-DAG: %[[W:.*]] = dhlo.weight
// CHECK-DAG: %[[W1:.*]] = dhlo.slice %[[W]] starts = [8, 0] {{.*}} -> tensor<8x4xf32>
// CHECK-DAG: %[[Q:.*]] = dhlo.dot_general %arg0, %[[W1]] batch = 0 lhs_contract = [1] rhs_contract = [0] {{.*}} -> tensor<?x4xf32, #dhlo.dims<B>>
// CHECK-DAG: %[[R:.*]] = dhlo.broadcast %[[Q]] axes = [0, 2] {{.*}} -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
// CHECK-DAG: %[[W0:.*]] = dhlo.slice %[[W]] starts = [0, 0] {{.*}} -> tensor<8x4xf32>
// CHECK-DAG: %[[W2:.*]] = dhlo.slice %[[W]] starts = [16, 0] {{.*}} -> tensor<3x4xf32>
// CHECK-DAG: %[[C:.*]] = dhlo.concat %arg1, %arg2 axis = 2 {{.*}} -> tensor<?x?x11xf32, #dhlo.dims<B, S>>
// CHECK-DAG: %[[V:.*]] = dhlo.concat %[[W0]], %[[W2]] axis = 0 {{.*}} -> tensor<11x4xf32>
// CHECK: %[[D:.*]] = dhlo.dot_general %[[C]], %[[V]]
// CHECK: %[[Y:.*]] = dhlo.add %[[D]], %[[R]]
// CHECK: return %[[Y]]
func.func @query(%q: tensor<?x8xf32, #dhlo.dims<B>>, %k: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %t: tensor<?x?x3xf32, #dhlo.dims<B, S>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>> {
  %w = dhlo.weight <"w", offset = 0, length = 304, key = "w"> : tensor<19x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.concat %k, %0, %t axis = 2 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x3xf32, #dhlo.dims<B, S>>) -> tensor<?x?x19xf32, #dhlo.dims<B, S>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x19xf32, #dhlo.dims<B, S>>, tensor<19x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  return %2 : tensor<?x?x4xf32, #dhlo.dims<B, S>>
}

// Both ends of all edges, repeated along axes of size 1 and of their own; the
// matrix lies across, rows are in one axis.
// CHECK-LABEL: func.func @edges
// CHECK-DAG: %[[W0:.*]] = dhlo.slice %{{.*}} starts = [0, 0] {{.*}} -> tensor<4x8xf32>
// CHECK-DAG: %[[W1:.*]] = dhlo.slice %{{.*}} starts = [0, 8] {{.*}} -> tensor<4x8xf32>
// CHECK-DAG: %[[A:.*]] = dhlo.dot_general %{{.*}}, %[[W0]] batch = 0 lhs_contract = [1] rhs_contract = [1] {{.*}} -> tensor<?x4xf32, #dhlo.dims<B>>
// CHECK-DAG: %[[B:.*]] = dhlo.dot_general %arg1, %[[W1]] batch = 0 lhs_contract = [1] rhs_contract = [1] {{.*}} -> tensor<?x4xf32, #dhlo.dims<S>>
// CHECK-DAG: %[[X:.*]] = dhlo.broadcast %[[A]] axes = [0, 2]
// CHECK-DAG: %[[Z:.*]] = dhlo.broadcast %[[B]] axes = [1, 2]
// CHECK-NOT: dhlo.concat
// CHECK: %[[Y:.*]] = dhlo.add %[[X]], %[[Z]] : tensor<?x?x4xf32, #dhlo.dims<B, S>>
// CHECK: dhlo.reshape %[[Y]] {{.*}} -> tensor<?x4xf32, #dhlo.dims<N>>
func.func @edges(%x: tensor<?x1x8xf32, #dhlo.dims<B>>, %z: tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"w", offset = 0, length = 256, key = "w"> : tensor<4x16xf32>
  %0 = dhlo.broadcast %x axes = [0, 1, 2] : (tensor<?x1x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.broadcast %z axes = [1, 2] : (tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %2 = dhlo.concat %0, %1 axis = 2 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x16xf32, #dhlo.dims<B, S>>
  %3 = dhlo.reshape %2 : (tensor<?x?x16xf32, #dhlo.dims<B, S>>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %4 = dhlo.dot_general %3, %w batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<4x16xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %4 : tensor<?x4xf32, #dhlo.dims<N>>
}

// Too narrow; repeated along the columns; repeated or not, which is known at run
// time; a matrix that is not constant; integers.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: dhlo.slice
// CHECK: return
func.func @refused(%q: tensor<?x4xf32, #dhlo.dims<B>>, %r: tensor<?xf32, #dhlo.dims<B>>, %k: tensor<?x?x8xf32, #dhlo.dims<B, S>>,
                   %m: tensor<?x?x8xf32, #dhlo.dims<B, T>>, %p: tensor<?x8xf32, #dhlo.dims<B>>, %v: tensor<8x4xf32>, %i: tensor<?x8xi32, #dhlo.dims<B>>)
    -> (tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x4xf32, #dhlo.dims<B, S>>,
        tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x4xi32, #dhlo.dims<B, S>>) {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %n = dhlo.weight <"w", offset = 128, length = 64, key = "n"> : tensor<4x4xf32>
  %j = dhlo.weight <"w", offset = 0, length = 128, key = "j"> : tensor<8x4xi32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %1 = dhlo.dot_general %0, %n batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<4x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %2 = dhlo.broadcast %r axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %3 = dhlo.dot_general %2, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %4 = dhlo.broadcast %m axes = [0, 1, 2] : (tensor<?x?x8xf32, #dhlo.dims<B, T>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %5 = dhlo.dot_general %4, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %6 = dhlo.broadcast %p axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %7 = dhlo.dot_general %6, %v batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %8 = dhlo.broadcast %i axes = [0, 2] : (tensor<?x8xi32, #dhlo.dims<B>>) -> tensor<?x?x8xi32, #dhlo.dims<B, S>>
  %9 = dhlo.dot_general %8, %j batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xi32, #dhlo.dims<B, S>>, tensor<8x4xi32>) -> tensor<?x?x4xi32, #dhlo.dims<B, S>>
  return %1, %3, %5, %7, %9 : tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x4xi32, #dhlo.dims<B, S>>
}

// The parts name a size that they share in two ways.
// CHECK-LABEL: func.func @named_twice
// CHECK: %[[D:.*]] = dhlo.dot_general %arg1, %{{.*}} -> tensor<?x7x4xf32, #dhlo.dims<B>>
// CHECK: %[[R:.*]] = dhlo.reshape %[[D]] : {{.*}} -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
// CHECK: dhlo.add %[[R]], %{{.*}} : tensor<?x?x4xf32, #dhlo.dims<B, S>>
func.func @named_twice(%q: tensor<?x8xf32, #dhlo.dims<B>>, %k: tensor<?x7x8xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>> {
  %w = dhlo.weight <"w", offset = 0, length = 256, key = "w"> : tensor<16x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.concat %0, %k axis = 2 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x7x8xf32, #dhlo.dims<B>>) -> tensor<?x?x16xf32, #dhlo.dims<B, S>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x16xf32, #dhlo.dims<B, S>>, tensor<16x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  return %2 : tensor<?x?x4xf32, #dhlo.dims<B, S>>
}
