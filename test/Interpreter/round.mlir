// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @round{{$}}
// CHECK-NEXT:    tensor<11xf32> [nan, inf, -inf, 0, -0, 0, 2, 2, -0, -2, 10000000000]
func.func @round() -> tensor<11xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 1.0e10]> : tensor<11xf32>
  %y = dhlo.round %x : tensor<11xf32>
  return %y : tensor<11xf32>
}

// CHECK-LABEL: @round_f16{{$}}
// CHECK-NEXT:    tensor<2xf16> [2, -0]
func.func @round_f16() -> tensor<2xf16> {
  %x = dhlo.constant dense<[2.5, -0.25]> : tensor<2xf16>
  %y = dhlo.round %x : tensor<2xf16>
  return %y : tensor<2xf16>
}
