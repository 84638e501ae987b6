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

// A multiplication for each element of the result; batches stay in front.
// CHECK-LABEL: func.func @outer
// CHECK: %[[X:.*]] = dhlo.reshape %arg0 {{.*}} -> tensor<?x32xf32, #dhlo.dims<B>>
// CHECK: %[[A:.*]] = dhlo.broadcast %[[X]] axes = [0, 1] {{.*}} -> tensor<?x32x?xf32, #dhlo.dims<B, S>>
// CHECK: %[[Y:.*]] = dhlo.reshape %arg1 {{.*}} -> tensor<?x?xf32, #dhlo.dims<B, S>>
// CHECK: %[[C:.*]] = dhlo.broadcast %[[Y]] axes = [0, 2] {{.*}} -> tensor<?x32x?xf32, #dhlo.dims<B, S>>
// CHECK: %[[P:.*]] = dhlo.mul %[[A]], %[[C]]
// CHECK: return %[[P]]
func.func @outer(%x: tensor<?x32x1xf32, #dhlo.dims<B>>, %y: tensor<?x?x1xf32, #dhlo.dims<B, S>>) -> tensor<?x32x?xf32, #dhlo.dims<B, S>> {
  %0 = dhlo.dot_general %x, %y batch = 1 lhs_contract = [2] rhs_contract = [2] : (tensor<?x32x1xf32, #dhlo.dims<B>>, tensor<?x?x1xf32, #dhlo.dims<B, S>>) -> tensor<?x32x?xf32, #dhlo.dims<B, S>>
  return %0 : tensor<?x32x?xf32, #dhlo.dims<B, S>>
}

// Terms are added in the order of the sum.
// CHECK-LABEL: func.func @coordinates
// CHECK: dhlo.slice %arg0 starts = [0, 0]
// CHECK: dhlo.slice %arg1 starts = [0, 0]
// CHECK: %[[P0:.*]] = dhlo.mul
// CHECK: dhlo.slice %arg0 starts = [1, 0]
// CHECK: dhlo.slice %arg1 starts = [1, 0]
// CHECK: %[[P1:.*]] = dhlo.mul
// CHECK: %[[S1:.*]] = dhlo.add %[[P0]], %[[P1]] : tensor<?x64xf64, #dhlo.dims<B>>
// CHECK: dhlo.slice %arg1 starts = [2, 0]
// CHECK: %[[P2:.*]] = dhlo.mul
// CHECK: dhlo.add %[[S1]], %[[P2]]
func.func @coordinates(%x: tensor<3x?xf64, #dhlo.dims<B>>, %y: tensor<3x64xf64>) -> tensor<?x64xf64, #dhlo.dims<B>> {
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<3x?xf64, #dhlo.dims<B>>, tensor<3x64xf64>) -> tensor<?x64xf64, #dhlo.dims<B>>
  return %0 : tensor<?x64xf64, #dhlo.dims<B>>
}

// Five terms, terms that are adjacent in memory, less than a vector of
// columns, no columns, and 16-bit floats, whose sums are rounded once.
// CHECK-LABEL: func.func @no_short_sums
// CHECK-COUNT-5: dhlo.dot_general
func.func @no_short_sums(%x: tensor<?x5xf32, #dhlo.dims<B>>, %y: tensor<5x64xf32>, %u: tensor<?x3xf32, #dhlo.dims<B>>, %v: tensor<64x3xf32>, %w: tensor<3x8xf32>, %t: tensor<3xf32>, %h: tensor<?x3xbf16, #dhlo.dims<B>>, %k: tensor<3x64xbf16>)
    -> (tensor<?x64xf32, #dhlo.dims<B>>, tensor<?x64xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?xf32, #dhlo.dims<B>>, tensor<?x64xbf16, #dhlo.dims<B>>) {
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x5xf32, #dhlo.dims<B>>, tensor<5x64xf32>) -> tensor<?x64xf32, #dhlo.dims<B>>
  %1 = dhlo.dot_general %u, %v batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x3xf32, #dhlo.dims<B>>, tensor<64x3xf32>) -> tensor<?x64xf32, #dhlo.dims<B>>
  %2 = dhlo.dot_general %u, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x3xf32, #dhlo.dims<B>>, tensor<3x8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %3 = dhlo.dot_general %u, %t batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x3xf32, #dhlo.dims<B>>, tensor<3xf32>) -> tensor<?xf32, #dhlo.dims<B>>
  %4 = dhlo.dot_general %h, %k batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x3xbf16, #dhlo.dims<B>>, tensor<3x64xbf16>) -> tensor<?x64xbf16, #dhlo.dims<B>>
  return %0, %1, %2, %3, %4 : tensor<?x64xf32, #dhlo.dims<B>>, tensor<?x64xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?xf32, #dhlo.dims<B>>, tensor<?x64xbf16, #dhlo.dims<B>>
}
