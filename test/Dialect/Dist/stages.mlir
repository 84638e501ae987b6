// RUN: dyn-opt %s --dist-propagate --dist-partition | FileCheck %s

// The second stage receives the rows of a tanh, and sends the result to the first one. Each function reads
// the weights of its stage alone. A rank begins to receive before it computes what it can without.

dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1
dhlo.dim @N

// CHECK-LABEL: func.func @main_0
// CHECK-SAME:    dist.part = #dist.part<"main", rank = 0, ranks = 2, stage = [0]>
// CHECK-NOT:   key = "late"
// CHECK:       %[[W:.*]] = dhlo.weight {{.*}} key = "early"
// CHECK-NOT:   key = "late"
// CHECK:       %[[X:.*]] = dhlo.dot_general %{{.*}}, %[[W]]
// CHECK:       %[[S:.*]] = dhlo.from_dims [0, 0, 0, @N]
// CHECK:       %[[R:.*]] = dhlo.from_dims [0, 0, 0, 0]
// CHECK:       %[[T:.*]] = dist.exchange_start %[[X]] among [0, 1] sends %[[S]] receives %[[R]]
// CHECK:       dist.exchange_wait %[[T]] : !dist.request -> tensor<0x4xf32>
// CHECK:       dist.exchange_start %{{.*}} among [0, 1]
// CHECK:       %[[Y:.*]] = dist.exchange_wait {{.*}} -> tensor<?x2xf32, #dhlo.dims<N>>
// CHECK:       return %[[Y]]

// CHECK-LABEL: func.func @main_1
// CHECK:       %[[T:.*]] = dist.exchange_start %{{.*}} among [1, 0]
// CHECK-NOT:   key = "early"
// CHECK:       %[[W:.*]] = dhlo.weight {{.*}} key = "late"
// CHECK-NOT:   key = "early"
// CHECK:       %[[V:.*]] = dhlo.tanh %[[W]]
// CHECK:       %[[X:.*]] = dist.exchange_wait %[[T]] : !dist.request -> tensor<?x4xf32, #dhlo.dims<N>>
// CHECK:       %[[Y:.*]] = dhlo.dot_general %[[X]], %[[V]]
// CHECK:       %[[T:.*]] = dist.exchange_start %[[Y]] among [1, 0]
// CHECK:       dist.exchange_wait %[[T]] : !dist.request -> tensor<0x2xf32>
// CHECK:       return %[[Y]]
func.func @main(%x: tensor<?x3xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 48, key = "early"> : tensor<3x4xf32>
  %w1 = dhlo.weight <"w.bin", offset = 48, length = 32, key = "late"> : tensor<4x2xf32>
  %v1 = dhlo.tanh %w1 : tensor<4x2xf32>
  %0 = dist.reshard %x : tensor<?x3xf32, #dhlo.dims<N>> to <@early, [[], []]>
  %1 = dhlo.dot_general %0, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x3xf32, #dhlo.dims<N>>, tensor<3x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dist.reshard %1 : tensor<?x4xf32, #dhlo.dims<N>> to <@late, [[], []]>
  %3 = dhlo.dot_general %2, %v1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x2xf32>) -> tensor<?x2xf32, #dhlo.dims<N>>
  return %3 : tensor<?x2xf32, #dhlo.dims<N>>
}
