// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @scatter_elements{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}1, 2, 20], [30, 40, 6]]
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}1, 2, 33], [34, 45, 6]]
func.func @scatter_elements() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %i = dhlo.constant dense<[[2, 2], [-3, 1]]> : tensor<2x2xi64>
  %u = dhlo.constant dense<[[10.0, 20.0], [30.0, 40.0]]> : tensor<2x2xf32>
  %y = dhlo.scatter_elements %x, %i, %u replace axis = 1 : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  %z = dhlo.scatter_elements %x, %i, %u add axis = 1 : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @scatter_elements_out_of_range{{$}}
// CHECK-NEXT:    tensor<2xi64> [1, 40]
// CHECK-NEXT:    dhlo.scatter_elements: index out of range
func.func @scatter_elements_out_of_range() -> tensor<2xi64> {
  %x = dhlo.constant dense<[1, 2]> : tensor<2xi64>
  %i = dhlo.constant dense<[2, 1]> : tensor<2xi32>
  %u = dhlo.constant dense<[10, 20]> : tensor<2xi64>
  %y = dhlo.scatter_elements %x, %i, %u mul axis = 0 : (tensor<2xi64>, tensor<2xi32>, tensor<2xi64>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}
