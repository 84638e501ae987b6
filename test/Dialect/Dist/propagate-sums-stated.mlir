// Sums that are stated stay, without the option, and operands follow them.

// RUN: dyn-opt %s --dist-propagate | FileCheck %s

dist.mesh @mesh ["model" = 2]

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x16xf32>, %w: tensor<16x4xf32>) -> tensor<4x4xf32> attributes {dhlo.entry} {
  // CHECK: %[[T:.*]] = dhlo.tanh
  // CHECK: %[[H:.*]] = dist.reshard %[[T]] : tensor<4x16xf32> to <@mesh, {{\[\[}}], ["model"]]>
  // CHECK: dhlo.dot_general %[[H]], %{{.*}} {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["model"], segments = 4>}
  %0 = dhlo.tanh %x : tensor<4x16xf32>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["model"], segments = 4>}
      : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
