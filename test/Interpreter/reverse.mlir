// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @reverse{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}3, 2, 1], [6, 5, 4]]
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}6, 5, 4], [3, 2, 1]]
func.func @reverse() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = dhlo.reverse %x axes = [1] : tensor<2x3xf32>
  %z = dhlo.reverse %x axes = [0, 1] : tensor<2x3xf32>
  return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @reverse_empty{{$}}
// CHECK-NEXT:    tensor<0x3xi8> []
func.func @reverse_empty() -> tensor<0x3xi8> {
  %x = dhlo.constant dense<> : tensor<0x3xi8>
  %y = dhlo.reverse %x axes = [0] : tensor<0x3xi8>
  return %y : tensor<0x3xi8>
}
