// RUN: dyn-opt %s --dist-propagate --remarks-filter=dist-propagate --verify-diagnostics | FileCheck %s

// Axes whose blocks another kernel might compute, which adds in another order,
// stay whole.

dist.mesh @mesh ["m" = 4]
dhlo.dim @N

// Five columns would be 2, 2, 1 and none.

// CHECK-LABEL: func.func @single_column
func.func @single_column(%x: tensor<?x8xf32, #dhlo.dims<N>>,
                         %w: tensor<8x5xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["m"]]>})
    -> tensor<?x5xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  // CHECK: dhlo.dot_general
  // CHECK-NEXT: return
  // expected-remark @+1 {{gathers axis 1 of operand 1}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x5xf32>) -> tensor<?x5xf32, #dhlo.dims<N>>
  return %0 : tensor<?x5xf32, #dhlo.dims<N>>
}

// So would five columns of a matrix that is stored by rows.

// CHECK-LABEL: func.func @single_row
func.func @single_row(%x: tensor<?x8xf32, #dhlo.dims<N>>,
                      %w: tensor<5x8xf32> {dist.sharding = #dist.sharding<@mesh, [["m"], []]>})
    -> tensor<?x5xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  // CHECK: dhlo.dot_general
  // CHECK-NEXT: return
  // expected-remark @+1 {{gathers axis 0 of operand 1}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<5x8xf32>) -> tensor<?x5xf32, #dhlo.dims<N>>
  return %0 : tensor<?x5xf32, #dhlo.dims<N>>
}

// Rows can be single ones.

// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [["m"], []]>}, %w: tensor<8x8xf32>)
    -> tensor<4x8xf32> attributes {dhlo.entry} {
  // CHECK: dhlo.dot_general
  // CHECK-NEXT: dist.reshard %{{.*}} to <@mesh, {{\[\[}}"m"], []]>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// So can columns of a table, which nothing adds.

// CHECK-LABEL: func.func @table
func.func @table(%table: tensor<100x4xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["m"]]>},
                 %ids: tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  // CHECK: dhlo.gather
  // CHECK-NEXT: dist.reshard %{{.*}} to <@mesh, {{\[\[}}], ["m"]]>
  %0 = dhlo.gather %table, %ids axis = 0 batch = 0
      : (tensor<100x4xf32>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %0 : tensor<?x4xf32, #dhlo.dims<N>>
}

// Images of a convolution are divided, its filters are not.

// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<?x16x16x8xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, [["m"], [], [], []]>},
                       %w: tensor<3x3x8x64xf32> {dist.sharding = #dist.sharding<@mesh, [[], [], [], ["m"]]>})
    -> tensor<?x14x14x64xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  // CHECK: dhlo.convolution
  // CHECK-NEXT: dist.reshard %{{.*}} to <@mesh, {{\[\[}}"m"], [], [], []]>
  // expected-remark @+1 {{gathers axis 3 of operand 1}}
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x16x8xf32, #dhlo.dims<N>>, tensor<3x3x8x64xf32>) -> tensor<?x14x14x64xf32, #dhlo.dims<N>>
  return %0 : tensor<?x14x14x64xf32, #dhlo.dims<N>>
}
