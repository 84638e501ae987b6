// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @sinh{{$}}
// CHECK-NEXT:    tensor<7xf32> [nan, inf, -inf, 0, -0, 1.1752012, -inf]
func.func @sinh() -> tensor<7xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0, -100.0]> : tensor<7xf32>
  %y = dhlo.sinh %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @sinh_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [1.175]
func.func @sinh_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf16>
  %y = dhlo.sinh %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
