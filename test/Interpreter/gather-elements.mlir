// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @gather_elements{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}3, 1], [6, 5]]
// CHECK-NEXT:    tensor<1x3xf32> {{\[\[}}4, 2, 6]]
func.func @gather_elements() -> (tensor<2x2xf32>, tensor<1x3xf32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %i = dhlo.constant dense<[[2, 0], [-1, 1]]> : tensor<2x2xi64>
  %y = dhlo.gather_elements %x, %i axis = 1 : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  %j = dhlo.constant dense<[[1, 0, -1]]> : tensor<1x3xi32>
  %z = dhlo.gather_elements %x, %j axis = 0 : (tensor<2x3xf32>, tensor<1x3xi32>) -> tensor<1x3xf32>
  return %y, %z : tensor<2x2xf32>, tensor<1x3xf32>
}

// CHECK-LABEL: @gather_elements_out_of_range{{$}}
// CHECK-NEXT:    tensor<2xi8> [2, 1]
// CHECK-NEXT:    dhlo.gather_elements: index out of range
func.func @gather_elements_out_of_range() -> tensor<2xi8> {
  %x = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %i = dhlo.constant dense<[5, -5]> : tensor<2xi64>
  %y = dhlo.gather_elements %x, %i axis = 0 : (tensor<2xi8>, tensor<2xi64>) -> tensor<2xi8>
  return %y : tensor<2xi8>
}
