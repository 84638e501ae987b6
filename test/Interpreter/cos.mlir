// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @cos{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, nan, 1, 1, 0.5403023, -0.95215535]
func.func @cos() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0.0, -0.0, 1.0, 1.0e4]> : tensor<6xf32>
  %y = dhlo.cos %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @cos_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.5405]
func.func @cos_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf16>
  %y = dhlo.cos %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
