// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @sqrt{{$}}
// CHECK-NEXT:    tensor<8xf32> [nan, inf, nan, 0, -0, 1.4142135, 2, nan]
func.func @sqrt() -> tensor<8xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 2.0, 4.0, -1.0]> : tensor<8xf32>
  %y = dhlo.sqrt %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @sqrt_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [1.414]
func.func @sqrt_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[2.0]> : tensor<1xf16>
  %y = dhlo.sqrt %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
