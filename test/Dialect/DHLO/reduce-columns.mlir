// RUN: dyn-opt %s -dhlo-reduce-columns | FileCheck %s

dhlo.dim @B
dhlo.dim @S

// The column stands or lies.
// CHECK-LABEL: func.func @scores
// CHECK: %[[V:.*]] = dhlo.reshape %{{.*}} -> tensor<8xf32>
// CHECK: %[[W:.*]] = dhlo.broadcast %[[V]] axes = [2] {{.*}} -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
// CHECK: %[[P:.*]] = dhlo.mul %arg0, %[[W]]
// CHECK: %[[R:.*]] = dhlo.reduce sum %[[P]] axes = [2] {{.*}} -> tensor<?x?xf32, #dhlo.dims<B, S>>
// CHECK: dhlo.reshape %[[R]] {{.*}} -> tensor<?x?x1xf32, #dhlo.dims<B, S>>
// CHECK: dhlo.reduce sum
// CHECK-NOT: dhlo.dot_general
func.func @scores(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> (tensor<?x?x1xf32, #dhlo.dims<B, S>>, tensor<?x?x1xf32, #dhlo.dims<B, S>>) {
  %v = dhlo.weight <"w", offset = 0, length = 32, key = "v"> : tensor<8x1xf32>
  %w = dhlo.weight <"w", offset = 0, length = 32, key = "w"> : tensor<1x8xf32>
  %0 = dhlo.dot_general %x, %v batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x1xf32>) -> tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %1 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<1x8xf32>) -> tensor<?x?x1xf32, #dhlo.dims<B, S>>
  return %0, %1 : tensor<?x?x1xf32, #dhlo.dims<B, S>>, tensor<?x?x1xf32, #dhlo.dims<B, S>>
}

// Two columns, columns that are computed, and sums that must not be of another type.
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-3: dhlo.dot_general
func.func @refused(%x: tensor<?x8xf32, #dhlo.dims<B>>, %v: tensor<8x1xf32>, %h: tensor<?x8xbf16, #dhlo.dims<B>>) -> (tensor<?x2xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>) {
  %w = dhlo.weight <"w", offset = 0, length = 64, key = "w"> : tensor<8x2xf32>
  %u = dhlo.weight <"w", offset = 0, length = 16, key = "u"> : tensor<8x1xbf16>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x2xf32>) -> tensor<?x2xf32, #dhlo.dims<B>>
  %1 = dhlo.dot_general %x, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x1xf32>) -> tensor<?x1xf32, #dhlo.dims<B>>
  %2 = dhlo.dot_general %h, %u batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xbf16, #dhlo.dims<B>>, tensor<8x1xbf16>) -> tensor<?x1xf32, #dhlo.dims<B>>
  return %0, %1, %2 : tensor<?x2xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>
}
