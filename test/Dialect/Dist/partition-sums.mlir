// RUN: dyn-opt %s --dist-partition --canonicalize --cse --dhlo-verify-dims --split-input-file | FileCheck %s

// Two of four segments on each rank. Rows of the sums are exchanged, added, and
// gathered.

dist.mesh @mesh ["m" = 2]

// CHECK-LABEL: func.func @main_1
// CHECK-DAG: %[[X0:.*]] = dhlo.slice %{{.*}} starts = [0, 4] strides = [1, 1] : (tensor<5x8xf32>) -> tensor<5x2xf32>
// CHECK-DAG: %[[W0:.*]] = dhlo.slice %{{.*}} starts = [4, 0] strides = [1, 1] : (tensor<8x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[S0:.*]] = dhlo.dot_general %[[X0]], %[[W0]]
// CHECK-NOT: dist.sums
// CHECK-DAG: dhlo.slice %{{.*}} starts = [0, 6]
// CHECK-DAG: dhlo.slice %{{.*}} starts = [6, 0]
// CHECK: %[[S1:.*]] = dhlo.dot_general
// CHECK: %[[S:.*]] = dhlo.add %[[S0]], %[[S1]] : tensor<5x3xf32>
// CHECK: %[[SENDS:.*]] = dhlo.from_dims [0, 3, 3, 5]
// CHECK: %[[RECEIVES:.*]] = dhlo.from_dims [0, 2, 2, 4]
// CHECK: dist.exchange_start %[[S]] among [0, 1] sends %[[SENDS]] receives %[[RECEIVES]]
// CHECK: %[[ALL:.*]] = dist.exchange_wait {{.*}} -> tensor<4x3xf32>
// CHECK: %[[T0:.*]] = dhlo.slice %[[ALL]] starts = [0, 0]
// CHECK: %[[T1:.*]] = dhlo.slice %[[ALL]] starts = [2, 0]
// CHECK: %[[T:.*]] = dhlo.add %[[T0]], %[[T1]] : tensor<2x3xf32>
// CHECK: dist.exchange_start %[[T]]
// CHECK: %[[Y:.*]] = dist.exchange_wait {{.*}} -> tensor<5x3xf32>
// CHECK: return %[[Y]]
func.func @main(%x: tensor<5x8xf32>, %w: tensor<8x3xf32>) -> tensor<5x3xf32> attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 4>}
      : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----

// A result that is asked for in blocks is not gathered. With one row, columns
// would be chosen otherwise.

dist.mesh @mesh ["m" = 2]

// CHECK-LABEL: func.func @main_0
// CHECK-SAME: -> tensor<1x4xf32>
// CHECK-COUNT-1: dist.exchange_start
// CHECK-NOT: dist.exchange_start
// CHECK: return
// CHECK-LABEL: func.func @main_1
func.func @main(%x: tensor<1x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["m"]]>}, %w: tensor<8x8xf32>)
    -> (tensor<1x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["m"]]>}) attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 2>}
      : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %1 = dist.reshard %0 : tensor<1x8xf32> to <@mesh, [[], ["m"]]>
  return %1 : tensor<1x8xf32>
}

// -----

// Ranks that do not divide the segments add all of them.

dist.mesh @mesh ["m" = 3]

// CHECK-LABEL: func.func @main_0
// CHECK: dist.exchange_start
// CHECK: dist.exchange_start
// CHECK-COUNT-2: dhlo.dot_general
// CHECK: dhlo.add
// CHECK-NEXT: return
func.func @main(%x: tensor<5x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["m"]]>},
                %w: tensor<8x3xf32> {dist.sharding = #dist.sharding<@mesh, [["m"], []]>})
    -> tensor<5x3xf32> attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 2>}
      : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
