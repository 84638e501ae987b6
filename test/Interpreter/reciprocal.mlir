// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @reciprocal{{$}}
// CHECK-NEXT:    tensor<7xf32> [nan, 0, -0, inf, -inf, 0.33333334, -0.25]
func.func @reciprocal() -> tensor<7xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 3.0, -4.0]> : tensor<7xf32>
  %y = dhlo.reciprocal %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @reciprocal_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.3333]
func.func @reciprocal_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[3.0]> : tensor<1xf16>
  %y = dhlo.reciprocal %x : tensor<1xf16>
  return %y : tensor<1xf16>
}

// CHECK-LABEL: @reciprocal_f64{{$}}
// CHECK-NEXT:    tensor<1xf64> [0.3333333333333333]
func.func @reciprocal_f64() -> tensor<1xf64> {
  %x = dhlo.constant dense<[3.0]> : tensor<1xf64>
  %y = dhlo.reciprocal %x : tensor<1xf64>
  return %y : tensor<1xf64>
}
