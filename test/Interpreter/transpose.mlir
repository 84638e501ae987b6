// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @transpose{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}1, 4], [2, 5], [3, 6]]
func.func @transpose() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = dhlo.transpose %x permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @transpose_three{{$}}
// CHECK-NEXT:    tensor<2x2x3xi8> {{\[\[}}[1, 5, 9], [3, 7, 11]], {{\[\[}}2, 6, 10], [4, 8, 12]]]
func.func @transpose_three() -> tensor<2x2x3xi8> {
  %x = dhlo.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]> : tensor<3x2x2xi8>
  %y = dhlo.transpose %x permutation = [2, 1, 0] : (tensor<3x2x2xi8>) -> tensor<2x2x3xi8>
  return %y : tensor<2x2x3xi8>
}

// CHECK-LABEL: @transpose_empty{{$}}
// CHECK-NEXT:    tensor<3x0xf64> {{\[\[}}], [], []]
func.func @transpose_empty() -> tensor<3x0xf64> {
  %x = dhlo.constant dense<> : tensor<0x3xf64>
  %y = dhlo.transpose %x permutation = [1, 0] : (tensor<0x3xf64>) -> tensor<3x0xf64>
  return %y : tensor<3x0xf64>
}
