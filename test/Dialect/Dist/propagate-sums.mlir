// RUN: dyn-opt %s --dist-propagate=segments=8 --remarks-filter=dist-propagate --verify-diagnostics --split-input-file | FileCheck %s

dist.mesh @mesh ["data" = 2, "model" = 4]
dhlo.dim @N

// The two matmuls of a perceptron: columns of the first one, and sums of the second one.

// CHECK-LABEL: func.func @mlp
func.func @mlp(%x: tensor<?x64xf32, #dhlo.dims<N>>, %w0: tensor<64x256xf32>, %w1: tensor<256x64xf32>)
    -> tensor<?x64xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %v0 = dist.reshard %w0 : tensor<64x256xf32> to <@mesh, [[], ["model"]]>
  %v1 = dist.reshard %w1 : tensor<256x64xf32> to <@mesh, [["model"], []]>
  // CHECK: dhlo.dot_general
  // CHECK-NOT: dist.sums
  // CHECK: dhlo.tanh
  %0 = dhlo.dot_general %x, %v0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x256xf32>) -> tensor<?x256xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x256xf32, #dhlo.dims<N>>
  // CHECK: %[[E:.*]] = dhlo.dot_general {{.*}} {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["model"], segments = 8>}
  // CHECK-NEXT: return %[[E]]
  %2 = dhlo.dot_general %1, %v1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x256xf32, #dhlo.dims<N>>, tensor<256x64xf32>) -> tensor<?x64xf32, #dhlo.dims<N>>
  return %2 : tensor<?x64xf32, #dhlo.dims<N>>
}

// Of several contracted axes, the one that is divided on both sides. A result
// that is asked for in blocks is divided by the axes of its sums.

// CHECK-LABEL: func.func @pairs
func.func @pairs(%x: tensor<4x3x16xf32> {dist.sharding = #dist.sharding<@mesh, [[], [], ["model"]]>},
                 %w: tensor<3x16x5xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["model"], []]>})
    -> (tensor<4x5xf32> {dist.sharding = #dist.sharding<@mesh, [["model"], []]>}) attributes {dhlo.entry} {
  // CHECK: dhlo.dot_general {{.*}} {dist.sums = #dist.sums<@mesh, pair = 1, axes = ["model"], segments = 8>}
  // CHECK-NEXT: dist.reshard %{{.*}} : tensor<4x5xf32> to <@mesh, {{\[\[}}"model"], []]>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1, 2] rhs_contract = [0, 1]
      : (tensor<4x3x16xf32>, tensor<3x16x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Sums of 20 elements have no 8 equal segments, and those of a size that is
// known at run time are not known to.

// CHECK-LABEL: func.func @sizes
// CHECK-NOT: dist.sums
func.func @sizes(%x: tensor<4x20xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["model"]]>},
                 %w: tensor<20x?xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, [["model"], []]>})
    -> tensor<4x4xf32> attributes {dhlo.entry} {
  // expected-remark @+2 {{gathers axis 1 of operand 0: an element of the result needs all of it}}
  // expected-remark @+1 {{gathers axis 0 of operand 1: an element of the result needs all of it}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<4x20xf32>, tensor<20x?xf32, #dhlo.dims<N>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %1 = dist.reshard %0 : tensor<4x?xf32, #dhlo.dims<N>> to <@mesh, [[], ["data"]]>
  // expected-remark @+2 {{gathers axis 1 of operand 0: an element of the result needs all of it}}
  // expected-remark @+1 {{gathers axis 1 of operand 1: an element of the result needs all of it}}
  %2 = dhlo.dot_general %1, %1 batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<4x?xf32, #dhlo.dims<N>>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// With one rank, sums have the same segments, and nothing is gathered.

dist.mesh @mesh ["model" = 1]

// CHECK-LABEL: func.func @one
func.func @one(%x: tensor<4x16xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["model"]]>},
               %w: tensor<16x4xf32> {dist.sharding = #dist.sharding<@mesh, [["model"], []]>})
    -> tensor<4x4xf32> attributes {dhlo.entry} {
  // CHECK: dist.sums = #dist.sums<@mesh, pair = 0, axes = ["model"], segments = 8>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

dist.mesh @mesh ["model" = 3]

// CHECK-LABEL: func.func @three
func.func @three(%x: tensor<4x16xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["model"]]>},
                 %w: tensor<16x4xf32> {dist.sharding = #dist.sharding<@mesh, [["model"], []]>})
    -> tensor<4x4xf32> attributes {dhlo.entry} {
  // expected-remark @+2 {{gathers the axis of its sums: 3 ranks do not divide 8 segments}}
  // CHECK: dist.sums
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
