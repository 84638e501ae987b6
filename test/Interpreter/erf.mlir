// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @erf{{$}}
// CHECK-NEXT:    tensor<8xf32> [nan, 1, -1, 0, -0, 0.5204999, -0.8427008, 1]
func.func @erf() -> tensor<8xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 0.5, -1.0, 5.0]> : tensor<8xf32>
  %y = dhlo.erf %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @erf_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.5205]
func.func @erf_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[0.5]> : tensor<1xf16>
  %y = dhlo.erf %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
