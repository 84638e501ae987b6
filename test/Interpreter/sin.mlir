// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @sin{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, nan, 0, -0, 0.84147096, -0.30561438]
func.func @sin() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0.0, -0.0, 1.0, 1.0e4]> : tensor<6xf32>
  %y = dhlo.sin %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @sin_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.8413]
func.func @sin_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf16>
  %y = dhlo.sin %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
