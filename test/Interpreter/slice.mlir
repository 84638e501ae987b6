// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @slice{{$}}
// CHECK-NEXT:    tensor<1x2xf32> {{\[\[}}4, 6]]
func.func @slice() -> tensor<1x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = dhlo.slice %x starts = [1, 0] strides = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// CHECK-LABEL: @slice_backwards{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}6, 5, 4], [3, 2, 1]]
func.func @slice_backwards() -> tensor<2x3xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = dhlo.slice %x starts = [1, 2] strides = [-1, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Of no elements, the start may be anywhere.
// CHECK-LABEL: @slice_empty{{$}}
// CHECK-NEXT:    tensor<2x0xf32> {{\[\[}}], []]
func.func @slice_empty() -> tensor<2x0xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = dhlo.slice %x starts = [0, 3] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<2x0xf32>
  return %y : tensor<2x0xf32>
}
