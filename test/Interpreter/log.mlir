// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @log{{$}}
// CHECK-NEXT:    tensor<9xf32> [nan, inf, nan, -inf, -inf, 0, nan, 2.3025851, -13.815511]
func.func @log() -> tensor<9xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0, -1.0, 10.0, 1.0e-6]> : tensor<9xf32>
  %y = dhlo.log %x : tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: @log_f16{{$}}
// CHECK-NEXT:    tensor<2xf16> [0, 2.303]
func.func @log_f16() -> tensor<2xf16> {
  %x = dhlo.constant dense<[1.0, 10.0]> : tensor<2xf16>
  %y = dhlo.log %x : tensor<2xf16>
  return %y : tensor<2xf16>
}
