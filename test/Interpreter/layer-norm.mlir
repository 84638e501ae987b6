// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @layer_norm{{$}}
// CHECK-NEXT:    tensor<2x4xf32> {{\[\[}}-1.3416355, -0.89442366, 10.447212, 1.3416355], [0, 0, 10, 0]]
// CHECK-NEXT:    tensor<2x4xf32> {{\[\[}}-1.3416355, -0.89442366, 0.44721183, 1.3416355], [0, 0, 0, 0]]
func.func @layer_norm() -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 5.0, 5.0]]> : tensor<2x4xf32>
  %g = dhlo.constant dense<[1.0, 2.0, 1.0, 1.0]> : tensor<4xf32>
  %b = dhlo.constant dense<[0.0, 0.0, 10.0, 0.0]> : tensor<4xf32>
  %y = dhlo.layer_norm %x, %g, %b axis = 1 eps = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %z = dhlo.layer_norm %x, %g axis = 1 eps = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y, %z : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: @layer_norm_two_axes{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}-1.069045, -0.5345225], [0, 1.6035674]]
func.func @layer_norm_two_axes() -> tensor<2x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %g = dhlo.constant dense<1.0> : tensor<2x2xf32>
  %y = dhlo.layer_norm %x, %g axis = 0 eps = 0.0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
