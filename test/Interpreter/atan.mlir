// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @atan{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, 1.5707964, -1.5707964, 0, -0, 0.7853982]
func.func @atan() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0]> : tensor<6xf32>
  %y = dhlo.atan %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @atan_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.785]
func.func @atan_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf16>
  %y = dhlo.atan %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
