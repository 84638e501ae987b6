// RUN: dyn-opt %s --dist-partition --canonicalize --cse --dhlo-verify-dims --split-input-file | FileCheck %s

// CHECK-NOT: dist.mesh
dist.mesh @mesh ["data" = 2, "model" = 2]
dhlo.dim @N

// CHECK-NOT: func.func @main(
// Ranks 0 and 1 differ in "model", 0 and 2 in "data".
// CHECK-LABEL: func.func @main_0
// CHECK-SAME: (%[[X:.*]]: tensor<?x7xf32, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<?x7xf32, #dhlo.dims<N>> {dhlo.name = "y"})
// CHECK-SAME: attributes {dhlo.entry, dist.part = #dist.part<"main", rank = 0, ranks = 4>}
// CHECK: %[[S:.*]] = dhlo.slice %[[X]] starts = [0, 0] strides = [1, 1] : {{.*}} -> tensor<?x4xf32, #dhlo.dims<[[B0:.*]]>>
// CHECK: %[[T:.*]] = dhlo.tanh %[[S]]
// CHECK: dist.exchange_start %[[T]] among [0, 2]
// CHECK: %[[R:.*]] = dist.exchange_wait {{.*}} -> tensor<?x4xf32, #dhlo.dims<N>>
// CHECK: %[[P:.*]] = dhlo.transpose %[[R]]
// CHECK: %[[SENDS:.*]] = dhlo.from_dims [0, 4, 0, 4]
// CHECK: %[[RECEIVES:.*]] = dhlo.from_dims [0, 4, 4, 7]
// CHECK: dist.exchange_start %[[P]] among [0, 1] sends %[[SENDS]] receives %[[RECEIVES]]
// CHECK: %[[Q:.*]] = dist.exchange_wait {{.*}} -> tensor<7x?xf32, #dhlo.dims<N>>
// CHECK: %[[Y:.*]] = dhlo.transpose %[[Q]]
// CHECK: return %[[Y]]
// CHECK-LABEL: func.func @main_1
// CHECK: dhlo.slice %{{.*}} starts = [0, 4] strides = [1, 1] : {{.*}} -> tensor<?x3xf32, #dhlo.dims<[[B0]]>>
// CHECK: among [1, 3]
// CHECK: among [0, 1]
// CHECK-LABEL: func.func @main_2
// CHECK: among [0, 2]
// CHECK: among [2, 3]
// CHECK-LABEL: func.func @main_3
// CHECK: among [1, 3]
// CHECK: among [2, 3]
func.func @main(%x: tensor<?x7xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x7xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<?x7xf32, #dhlo.dims<N>>
  %1 = dist.reshard %0 : tensor<?x7xf32, #dhlo.dims<N>> to <@mesh, [["data"], ["model"]]>
  return %1 : tensor<?x7xf32, #dhlo.dims<N>>
}

// -----

// Arguments and results of which a rank holds a block.

dist.mesh @mesh ["m" = 3]

// CHECK-LABEL: func.func @main_0
// CHECK-SAME: (%{{.*}}: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NOT: dist.exchange
// CHECK-LABEL: func.func @main_2
// CHECK-SAME: (%{{.*}}: tensor<1x4xf32>) -> tensor<1x4xf32>
func.func @main(%x: tensor<7x4xf32> {dist.sharding = #dist.sharding<@mesh, [["m"], []]>})
    -> (tensor<7x4xf32> {dist.sharding = #dist.sharding<@mesh, [["m"], []]>}) attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<7x4xf32>
  %1 = dist.reshard %0 : tensor<7x4xf32> to <@mesh, [["m"], []]>
  return %1 : tensor<7x4xf32>
}

// -----

// Each rank reads its columns of a weight.

dist.mesh @mesh ["m" = 2]

// CHECK-LABEL: func.func @main_1
// CHECK: %[[W:.*]] = dhlo.weight
// CHECK: %[[V:.*]] = dhlo.slice %[[W]] starts = [0, 16] strides = [1, 1] : (tensor<64x32xf32>) -> tensor<64x16xf32>
// CHECK: dhlo.dot_general %{{.*}}, %[[V]] {{.*}} -> tensor<8x16xf32>
func.func @main(%x: tensor<8x64xf32>) -> tensor<8x32xf32> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 8192, key = "w"> : tensor<64x32xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %1 = dist.reshard %0 : tensor<8x32xf32> to <@mesh, [[], ["m"]]>
  return %1 : tensor<8x32xf32>
}

// -----

// Behind axes of size 1, rows need no transpose.

dist.mesh @mesh ["m" = 2]

// CHECK-LABEL: func.func @main_0
// CHECK: %[[T:.*]] = dhlo.tanh
// CHECK: %[[R:.*]] = dhlo.reshape %[[T]] : (tensor<1x4x3xf32>) -> tensor<4x1x3xf32>
// CHECK: dist.exchange_start %[[R]]
// CHECK: %[[W:.*]] = dist.exchange_wait
// CHECK: dhlo.reshape %[[W]] : (tensor<8x1x3xf32>) -> tensor<1x8x3xf32>
func.func @main(%x: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<1x8x3xf32>
  %1 = dist.reshard %0 : tensor<1x8x3xf32> to <@mesh, [[], ["m"], []]>
  return %1 : tensor<1x8x3xf32>
}

// -----

// A size that an operation binds is another one on each rank.

dist.mesh @mesh ["m" = 2]
dhlo.dim @K in [0, 100]

// CHECK-LABEL: func.func @main_0
// CHECK: dhlo.bind @K =
// CHECK: dist.exchange_wait {{.*}} -> tensor<?xf32, #dhlo.dims<K>>
// CHECK-LABEL: func.func @main_1
// CHECK: dhlo.bind @[[K1:K_.*]] =
// CHECK: dist.exchange_wait {{.*}} -> tensor<?xf32, #dhlo.dims<[[K1]]>>
func.func @main(%k: tensor<i64>, %x: tensor<f32>) -> tensor<f32> attributes {dhlo.entry} {
  dhlo.bind @K = %k : tensor<i64>
  %0 = dhlo.broadcast %x axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<K>>
  %1 = dhlo.exp %0 : tensor<?xf32, #dhlo.dims<K>>
  %2 = dist.reshard %1 : tensor<?xf32, #dhlo.dims<K>> to <@mesh, [["m"]]>
  %3 = dhlo.reduce sum %2 axes = [0] : (tensor<?xf32, #dhlo.dims<K>>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Regions are computed by all ranks, whatever they ask for.

dist.mesh @mesh ["m" = 2]

// CHECK-LABEL: func.func @main_0
// CHECK: dhlo.if
// CHECK-NEXT: dhlo.tanh
// CHECK-NEXT: dhlo.yield
// CHECK-NOT: dist.
// CHECK: return
func.func @main(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> attributes {dhlo.entry} {
  %0 = dhlo.if %c -> (tensor<8xf32>) {
    %1 = dhlo.tanh %x : tensor<8xf32>
    %2 = dist.reshard %1 : tensor<8xf32> to <@mesh, [["m"]]>
    dhlo.yield %2 : tensor<8xf32>
  } else {
    dhlo.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Equal blocks of columns are gathered one after another, and moved by runs.

dist.mesh @mesh ["m" = 2]
dhlo.dim @N

// CHECK-LABEL: func.func @main_1
// CHECK: %[[T:.*]] = dhlo.tanh
// CHECK: %[[B:.*]] = dhlo.reshape %[[T]] : {{.*}} -> tensor<1x?x4xf32, #dhlo.dims<N>>
// CHECK: %[[SENDS:.*]] = dhlo.from_dims [0, 1, 0, 1]
// CHECK: %[[RECEIVES:.*]] = dhlo.from_dims [0, 1, 1, 2]
// CHECK: dist.exchange_start %[[B]] among [0, 1] sends %[[SENDS]] receives %[[RECEIVES]]
// CHECK: %[[Q:.*]] = dist.exchange_wait {{.*}} -> tensor<2x?x4xf32, #dhlo.dims<N>>
// CHECK: %[[Y:.*]] = dhlo.transpose %[[Q]] permutation = [1, 0, 2]
// CHECK: %[[R:.*]] = dhlo.reshape %[[Y]] : {{.*}} -> tensor<?x8xf32, #dhlo.dims<N>>
// CHECK: return %[[R]]
func.func @main(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dist.reshard %0 : tensor<?x8xf32, #dhlo.dims<N>> to <@mesh, [[], ["m"]]>
  return %1 : tensor<?x8xf32, #dhlo.dims<N>>
}
