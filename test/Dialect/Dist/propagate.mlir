// RUN: dyn-opt %s --dist-propagate --remarks-filter=dist-propagate --verify-diagnostics | FileCheck %s

dist.mesh @mesh ["data" = 2, "model" = 4]
dhlo.dim @N

// The two matmuls of a perceptron: columns of the first one are divided, and
// gathered for the sums of the second one.

// CHECK-LABEL: func.func @mlp
func.func @mlp(%x: tensor<?x64xf32, #dhlo.dims<N>>, %w0: tensor<64x256xf32>, %w1: tensor<256x64xf32>)
    -> tensor<?x64xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %v0 = dist.reshard %w0 : tensor<64x256xf32> to <@mesh, [[], ["model"]]>
  %v1 = dist.reshard %w1 : tensor<256x64xf32> to <@mesh, [[], ["model"]]>
  // CHECK: %[[D:.*]] = dhlo.dot_general
  // CHECK: %[[D1:.*]] = dist.reshard %[[D]] : {{.*}} to <@mesh, {{\[\[}}], ["model"]]>
  %0 = dhlo.dot_general %x, %v0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x256xf32>) -> tensor<?x256xf32, #dhlo.dims<N>>
  // CHECK: %[[G:.*]] = dhlo.tanh %[[D1]]
  // CHECK: dist.reshard %[[G]] : {{.*}} to <@mesh, {{\[\[}}], ["model"]]>
  %1 = dhlo.tanh %0 : tensor<?x256xf32, #dhlo.dims<N>>
  // CHECK: %[[E:.*]] = dhlo.dot_general
  // CHECK: dist.reshard %[[E]] : {{.*}} to <@mesh, {{\[\[}}], ["model"]]>
  // expected-remark @+1 {{gathers axis 1 of operand 0: an element of the result needs all of it}}
  %2 = dhlo.dot_general %1, %v1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x256xf32, #dhlo.dims<N>>, tensor<256x64xf32>) -> tensor<?x64xf32, #dhlo.dims<N>>
  return %2 : tensor<?x64xf32, #dhlo.dims<N>>
}

// Heads: a reshape that splits columns keeps them divided.

// CHECK-LABEL: func.func @heads
func.func @heads(%x: tensor<?x64xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, [[], ["model"]]>})
    -> tensor<8x?x8xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  // CHECK: dhlo.reshape
  // CHECK: dist.reshard %{{.*}} : {{.*}} to <@mesh, {{\[\[}}], ["model"], []]>
  %0 = dhlo.reshape %x : (tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<?x8x8xf32, #dhlo.dims<N>>
  // CHECK: dhlo.transpose
  // CHECK: dist.reshard %{{.*}} : {{.*}} to <@mesh, {{\[\[}}"model"], [], []]>
  %1 = dhlo.transpose %0 permutation = [1, 0, 2] : (tensor<?x8x8xf32, #dhlo.dims<N>>) -> tensor<8x?x8xf32, #dhlo.dims<N>>
  return %1 : tensor<8x?x8xf32, #dhlo.dims<N>>
}

// A reshape of columns that are not a multiple of heads for each rank does not.

// CHECK-LABEL: func.func @uneven_heads
func.func @uneven_heads(%x: tensor<4x18xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["model"]]>})
    -> tensor<4x6x3xf32> attributes {dhlo.entry} {
  // expected-remark @+1 {{gathers axis 1 of operand 0: an element of the result needs all of it}}
  %0 = dhlo.reshape %x : (tensor<4x18xf32>) -> tensor<4x6x3xf32>
  // CHECK: dhlo.reshape
  // CHECK-NEXT: return
  return %0 : tensor<4x6x3xf32>
}

// Backwards: what is cut off is not computed, where all users agree.

// CHECK-LABEL: func.func @backwards
func.func @backwards(%x: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {dhlo.entry} {
  // CHECK: %[[T:.*]] = dhlo.tanh
  // CHECK-NEXT: dist.reshard %[[T]] : {{.*}} to <@mesh, {{\[\[}}"data"], []]>
  %0 = dhlo.tanh %x : tensor<8x8xf32>
  // CHECK: %[[E:.*]] = dhlo.exp
  // CHECK-NEXT: dist.reshard %[[E]] : {{.*}} to <@mesh, {{\[\[}}"data"], []]>
  %1 = dhlo.exp %0 : tensor<8x8xf32>
  %2 = dist.reshard %1 : tensor<8x8xf32> to <@mesh, [["data"], []]>
  return %2 : tensor<8x8xf32>
}

// A stated sharding decides, and not those of operands: each rank has the
// columns of the weight that were asked for, and no more of the rows.

// CHECK-LABEL: func.func @stated
func.func @stated(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["data", "model"], []]>})
    -> (tensor<8x16xf32>, tensor<8x16xf32>) attributes {dhlo.entry} {
  %w = dhlo.constant dense<1.0> : tensor<8x16xf32>
  // CHECK: %[[D:.*]] = dhlo.dot_general
  // CHECK-NEXT: dist.reshard %[[D]] : {{.*}} to <@mesh, {{\[\[}}"data"], ["model"]]>
  // expected-remark @+1 {{gathers axis 0 of operand 0: the result is divided in another way}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: %[[T:.*]] = dhlo.tanh
  // CHECK-NEXT: dist.reshard %[[T]] : {{.*}} to <@mesh, {{\[\[}}"data"], ["model"]]>
  %1 = dhlo.tanh %0 : tensor<8x16xf32>
  %2 = dist.reshard %1 : tensor<8x16xf32> to <@mesh, [["data"], ["model"]]>
  // CHECK: %[[E:.*]] = dhlo.dot_general
  // CHECK-NEXT: dist.reshard %[[E]] : {{.*}} to <@mesh, {{\[\[}}], ["model"]]>
  // expected-remark @+1 {{gathers axis 0 of operand 0: the result is divided in another way}}
  %3 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = dist.reshard %3 : tensor<8x16xf32> to <@mesh, [[], ["model"]]>
  return %2, %4 : tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @two_users
func.func @two_users(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {dhlo.entry} {
  // CHECK: dhlo.tanh
  // CHECK-NEXT: dist.reshard
  // CHECK-NEXT: return
  %0 = dhlo.tanh %x : tensor<8x8xf32>
  %1 = dist.reshard %0 : tensor<8x8xf32> to <@mesh, [["data"], []]>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Two operands that disagree: the first one decides.

// CHECK-LABEL: func.func @conflict
func.func @conflict(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [["data"]]>},
                    %y: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [["model"]]>})
    -> tensor<8xf32> attributes {dhlo.entry} {
  // CHECK: dhlo.add
  // CHECK-NEXT: dist.reshard %{{.*}} : tensor<8xf32> to <@mesh, {{\[\[}}"data"]]>
  // expected-remark @+1 {{gathers axis 0 of operand 1: the result is divided in another way}}
  %0 = dhlo.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A result whose sharding is given asks for it.

// CHECK-LABEL: func.func @result
func.func @result(%x: tensor<8xf32>)
    -> (tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [["model"]]>}) attributes {dhlo.entry} {
  // CHECK: dhlo.tanh
  // CHECK-NEXT: dist.reshard %{{.*}} : tensor<8xf32> to <@mesh, {{\[\[}}"model"]]>
  %0 = dhlo.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Regions are computed by all ranks.

// CHECK-LABEL: func.func @region
func.func @region(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [["data"]]>}, %c: tensor<i1>)
    -> tensor<8xf32> attributes {dhlo.entry} {
  // expected-remark @+1 {{gathers 1 operands: it is not known to work on blocks}}
  %0 = dhlo.if %c -> (tensor<8xf32>) {
    %1 = dhlo.tanh %x : tensor<8xf32>
    dhlo.yield %1 : tensor<8xf32>
  } else {
    dhlo.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
