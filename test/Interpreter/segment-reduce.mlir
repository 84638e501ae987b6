// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @segment_sum{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}4, 6], [0, 0], [5, 6]]
func.func @segment_sum() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %o = dhlo.constant dense<[0, 2, 2, 3]> : tensor<4xi64>
  %y = dhlo.segment_reduce sum %x, %o : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @segment_max{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}3, 4], [-inf, -inf], [5, 6]]
func.func @segment_max() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %o = dhlo.constant dense<[0, 2, 2, 3]> : tensor<4xi64>
  %y = dhlo.segment_reduce max %x, %o : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Clamped to 0, 2, 2, 3.
// CHECK-LABEL: @segment_bad_offsets{{$}}
// CHECK-NEXT:    tensor<3xi32> [3, 0, 4]
// CHECK-NEXT:    dhlo.segment_reduce: index out of range
func.func @segment_bad_offsets() -> tensor<3xi32> {
  %x = dhlo.constant dense<[1, 2, 4]> : tensor<3xi32>
  %o = dhlo.constant dense<[-1, 2, 1, 9]> : tensor<4xi32>
  %y = dhlo.segment_reduce sum %x, %o : (tensor<3xi32>, tensor<4xi32>) -> tensor<3xi32>
  return %y : tensor<3xi32>
}

// CHECK-LABEL: @segment_none{{$}}
// CHECK-NEXT:    tensor<0xf32> []
func.func @segment_none() -> tensor<0xf32> {
  %x = dhlo.constant dense<> : tensor<0xf32>
  %o = dhlo.constant dense<0> : tensor<1xi64>
  %y = dhlo.segment_reduce sum %x, %o : (tensor<0xf32>, tensor<1xi64>) -> tensor<0xf32>
  return %y : tensor<0xf32>
}
