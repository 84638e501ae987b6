// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @expm1{{$}}
// CHECK-NEXT:    tensor<9xf32> [nan, inf, -1, 0, -0, 1.7182819, -0.63212055, inf, 1.0000005e-06]
func.func @expm1() -> tensor<9xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0, -1.0, 89.0, 1.0e-6]> : tensor<9xf32>
  %y = dhlo.expm1 %x : tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: @expm1_f16{{$}}
// CHECK-NEXT:    tensor<3xf16> [1.719, inf, -1]
func.func @expm1_f16() -> tensor<3xf16> {
  %x = dhlo.constant dense<[1.0, 12.0, -20.0]> : tensor<3xf16>
  %y = dhlo.expm1 %x : tensor<3xf16>
  return %y : tensor<3xf16>
}

// CHECK-LABEL: @expm1_bf16{{$}}
// CHECK-NEXT:    tensor<2xbf16> [1.72, -0.633]
func.func @expm1_bf16() -> tensor<2xbf16> {
  %x = dhlo.constant dense<[1.0, -1.0]> : tensor<2xbf16>
  %y = dhlo.expm1 %x : tensor<2xbf16>
  return %y : tensor<2xbf16>
}
