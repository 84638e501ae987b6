// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @rsqrt{{$}}
// CHECK-NEXT:    tensor<8xf32> [nan, 0, nan, inf, -inf, 0.70710677, 0.5, nan]
func.func @rsqrt() -> tensor<8xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 2.0, 4.0, -1.0]> : tensor<8xf32>
  %y = dhlo.rsqrt %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @rsqrt_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.707]
func.func @rsqrt_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[2.0]> : tensor<1xf16>
  %y = dhlo.rsqrt %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
