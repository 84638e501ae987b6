// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @log1p{{$}}
// CHECK-NEXT:    tensor<9xf32> [nan, inf, nan, 0, -0, 0.6931472, -inf, 2.3978953, 9.999995e-07]
func.func @log1p() -> tensor<9xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0, -1.0, 10.0, 1.0e-6]> : tensor<9xf32>
  %y = dhlo.log1p %x : tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: @log1p_f16{{$}}
// CHECK-NEXT:    tensor<2xf16> [0.6934, 2.398]
func.func @log1p_f16() -> tensor<2xf16> {
  %x = dhlo.constant dense<[1.0, 10.0]> : tensor<2xf16>
  %y = dhlo.log1p %x : tensor<2xf16>
  return %y : tensor<2xf16>
}
