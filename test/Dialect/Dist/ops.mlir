// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s

// CHECK: dist.mesh @mesh ["data" = 2, "model" = 4]
dist.mesh @mesh ["data" = 2, "model" = 4]
// CHECK: dist.mesh @late ["model" = 2] first = 8
dist.mesh @late ["model" = 2] first = 8
dhlo.dim @N

// CHECK-LABEL: func.func @global
// CHECK-SAME: %{{.*}}: tensor<?x64xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, {{\[\[}}"data"], []]>}
// CHECK-SAME: -> (tensor<?x64xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, {{\[\[}}], []]>})
func.func @global(%x: tensor<?x64xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, [["data"], []]>})
    -> (tensor<?x64xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, [[], []]>}) {
  // CHECK: dist.reshard %{{.*}} : tensor<?x64xf32, #dhlo.dims<N>> to <@mesh, {{\[\[}}"data", "model"], []]>
  %0 = dist.reshard %x : tensor<?x64xf32, #dhlo.dims<N>> to <@mesh, [["data", "model"], []]>
  return %0 : tensor<?x64xf32, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @local
// CHECK-SAME: dist.part = #dist.part<"main", rank = 0, ranks = 2>
func.func @local(%x: tensor<4x8xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>) -> tensor<7x8xf32>
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // CHECK: %[[T:.*]] = dist.exchange_start %{{.*}} among [0, 1] sends %{{.*}} receives %{{.*}} : (tensor<4x8xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r
      : (tensor<4x8xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  // CHECK: dist.exchange_wait %[[T]] : !dist.request -> tensor<7x8xf32>
  %y = dist.exchange_wait %t : !dist.request -> tensor<7x8xf32>
  return %y : tensor<7x8xf32>
}

// CHECK-LABEL: func.func @sums
func.func @sums(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // CHECK: dhlo.dot_general {{.*}} {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["model"], segments = 8>}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["model"], segments = 8>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK: func.func @micro_batches({{.*}} attributes {dhlo.entry, dist.micro_batches = 4 : i64}
func.func @micro_batches(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry, dist.micro_batches = 4 : i64} {
  // CHECK: dist.reshard %{{.*}} {dist.block = 3 : i64} : tensor<4xf32> to <@late, {{\[\[}}]]>
  %0 = dist.reshard %x {dist.block = 3 : i64} : tensor<4xf32> to <@late, [[]]>
  return %0 : tensor<4xf32>
}
