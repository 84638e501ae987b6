// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @group{{$}}
// CHECK-NEXT:    tensor<4xi64> [0, 1, 3, 5]
// CHECK-NEXT:    tensor<6xi64> [1, 2, 4, 0, 3, -1]
// CHECK-NEXT:    tensor<3x2xi64> {{\[\[}}0, 3], [1, 4], [2, -1]]
func.func @group() -> (tensor<4xi64>, tensor<6xi64>, tensor<3x2xi64>) {
  %i = dhlo.constant dense<[[2, 0], [1, 2], [1, -1]]> : tensor<3x2xi64>
  %o, %r, %p = dhlo.group %i : (tensor<3x2xi64>) -> (tensor<4xi64>, tensor<6xi64>, tensor<3x2xi64>)
  return %o, %r, %p : tensor<4xi64>, tensor<6xi64>, tensor<3x2xi64>
}

// CHECK-LABEL: @group_capacity{{$}}
// CHECK-NEXT:    tensor<3xi64> [0, 1, 3]
// CHECK-NEXT:    tensor<4xi64> [0, 1, 2, -1]
// CHECK-NEXT:    tensor<4x1xi64> {{\[\[}}0], [1], [2], [-1]]
func.func @group_capacity() -> (tensor<3xi64>, tensor<4xi64>, tensor<4x1xi64>) {
  %i = dhlo.constant dense<[[0], [1], [1], [1]]> : tensor<4x1xi32>
  %o, %r, %p = dhlo.group %i capacity = <2> : (tensor<4x1xi32>) -> (tensor<3xi64>, tensor<4xi64>, tensor<4x1xi64>)
  return %o, %r, %p : tensor<3xi64>, tensor<4xi64>, tensor<4x1xi64>
}

// CHECK-LABEL: @group_out_of_range{{$}}
// CHECK-NEXT:    tensor<3xi64> [0, 0, 1]
// CHECK-NEXT:    tensor<3xi64> [1, -1, -1]
// CHECK-NEXT:    tensor<3x1xi64> {{\[\[}}-1], [0], [-1]]
// CHECK-NEXT:    dhlo.group: index out of range
func.func @group_out_of_range() -> (tensor<3xi64>, tensor<3xi64>, tensor<3x1xi64>) {
  %i = dhlo.constant dense<[[2], [1], [-2]]> : tensor<3x1xi64>
  %o, %r, %p = dhlo.group %i : (tensor<3x1xi64>) -> (tensor<3xi64>, tensor<3xi64>, tensor<3x1xi64>)
  return %o, %r, %p : tensor<3xi64>, tensor<3xi64>, tensor<3x1xi64>
}

// CHECK-LABEL: @group_nothing{{$}}
// CHECK-NEXT:    tensor<1xi64> [0]
// CHECK-NEXT:    tensor<0xi64> []
// CHECK-NEXT:    tensor<3x0xi64> {{\[\[}}], [], []]
func.func @group_nothing() -> (tensor<1xi64>, tensor<0xi64>, tensor<3x0xi64>) {
  %i = dhlo.constant dense<> : tensor<3x0xi64>
  %o, %r, %p = dhlo.group %i : (tensor<3x0xi64>) -> (tensor<1xi64>, tensor<0xi64>, tensor<3x0xi64>)
  return %o, %r, %p : tensor<1xi64>, tensor<0xi64>, tensor<3x0xi64>
}
