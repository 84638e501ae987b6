// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @exp{{$}}
// CHECK-NEXT:    tensor<9xf32> [nan, inf, 0, 1, 1, 2.7182817, 0.36787945, inf, 1.000001]
func.func @exp() -> tensor<9xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0, -1.0, 89.0, 1.0e-6]> : tensor<9xf32>
  %y = dhlo.exp %x : tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: @exp_f16{{$}}
// CHECK-NEXT:    tensor<3xf16> [2.719, inf, 0]
func.func @exp_f16() -> tensor<3xf16> {
  %x = dhlo.constant dense<[1.0, 12.0, -20.0]> : tensor<3xf16>
  %y = dhlo.exp %x : tensor<3xf16>
  return %y : tensor<3xf16>
}

// CHECK-LABEL: @exp_bf16{{$}}
// CHECK-NEXT:    tensor<2xbf16> [2.72, 0.367]
func.func @exp_bf16() -> tensor<2xbf16> {
  %x = dhlo.constant dense<[1.0, -1.0]> : tensor<2xbf16>
  %y = dhlo.exp %x : tensor<2xbf16>
  return %y : tensor<2xbf16>
}
