// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @tan{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, nan, 0, -0, 1.5574077, 0.32097113]
func.func @tan() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0.0, -0.0, 1.0, 1.0e4]> : tensor<6xf32>
  %y = dhlo.tan %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @tan_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [1.558]
func.func @tan_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf16>
  %y = dhlo.tan %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
