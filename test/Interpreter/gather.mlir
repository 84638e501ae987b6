// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @gather{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}5, 6], [1, 2]]
func.func @gather() -> tensor<2x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = dhlo.constant dense<[2, -3]> : tensor<2xi64>
  %y = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// A scalar index removes the axis.
// CHECK-LABEL: @gather_scalar{{$}}
// CHECK-NEXT:    tensor<3xf32> [2, 4, 6]
func.func @gather_scalar() -> tensor<3xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = dhlo.constant dense<1> : tensor<i32>
  %y = dhlo.gather %x, %i axis = 1 batch = 0 : (tensor<3x2xf32>, tensor<i32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: @gather_batch{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}1, 3], [5, 5]]
func.func @gather_batch() -> tensor<2x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %i = dhlo.constant dense<[[0, 2], [1, 1]]> : tensor<2x2xi64>
  %y = dhlo.gather %x, %i axis = 1 batch = 1 : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @gather_out_of_range{{$}}
// CHECK-NEXT:    tensor<3xf32> [3, 1, 3]
// CHECK-NEXT:    dhlo.gather: index out of range
func.func @gather_out_of_range() -> tensor<3xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = dhlo.constant dense<[3, -4, 9223372036854775807]> : tensor<3xi64>
  %y = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<3xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: @gather_of_nothing{{$}}
// CHECK-NEXT:    tensor<2xf32> [0, 0]
// CHECK-NEXT:    dhlo.gather: index out of range
func.func @gather_of_nothing() -> tensor<2xf32> {
  %x = dhlo.constant dense<> : tensor<0xf32>
  %i = dhlo.constant dense<[0, 1]> : tensor<2xi64>
  %y = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<0xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @gather_nothing{{$}}
// CHECK-NEXT:    tensor<0x2xf32> []
func.func @gather_nothing() -> tensor<0x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %i = dhlo.constant dense<> : tensor<0xi64>
  %y = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<1x2xf32>, tensor<0xi64>) -> tensor<0x2xf32>
  return %y : tensor<0x2xf32>
}
